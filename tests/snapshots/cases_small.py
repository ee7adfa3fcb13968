"""Small tools: loading skills, looking up tools, thinking, waiting."""

from __future__ import annotations

from tool_case import Case

_FOUND = [
    {"name": "NotebookEdit", "description": "Changes a cell of a Jupyter notebook: its source, its type, or all of it."},
    {"name": "mcp__github__create_issue", "description": "Opens an issue in a repository."},
]  # fmt: skip
_THOUGHT = """\
Three places round: the refund itself, the fee, and the tax. The sum is off by a cent only where two of them round down, so \
it is not one wrong call but the order of rounding.

1. Keep fractions until the last step.
2. Round once, in `refund`.
"""

CASES = {
    "MemoryRead": Case(
        {"file": "build.md"},
        "The tests need a running database: `make db` first.\n",
        {"file": "build.md", "text": "The tests need a running database: `make db` first.\n"},
        "<tool_use_error>There is no note 'build.md'. There are: MEMORY.md.</tool_use_error>",
    ),
    "MemoryWrite": Case(
        {"file": "build.md", "content": "The tests need a running database: `make db` first.\n"},
        "build.md now has 52 bytes.",
        {"file": "build.md", "bytes": 52, "appended": False},
        "<tool_use_error>'../x' leads out of the folder of notes; names are relative, without `..`.</tool_use_error>",
        "validation",
        {"code": "bad_name"},
    ),
    "Skill": Case(
        {"skill": "fix-issue", "args": "42"},
        '<invoked_skill name="fix-issue" folder="/work/shop/.claude/skills/fix-issue">\n…\n</invoked_skill>',
        {
            "success": True,
            "commandName": "fix-issue",
            "source": "project",
            "file": "/work/shop/.claude/skills/fix-issue/SKILL.md",
            "description": "Fix a GitHub issue. Use when the user gives an issue number.",
            "chars": 812,
        },
        "<tool_use_error>There is no skill named 'fix-isue'. Did you mean fix-issue?</tool_use_error>",
        "validation",
        {"code": "unknown_skill"},
        suggestions=("Skill(fix-issue *)",),
    ),
    "Sleep": Case(
        {"seconds": 90, "reason": "the deployment to staging"},
        "Woken after 34 s of 1 min 30 s: the user wrote.",
        {"seconds": 90, "sleptSeconds": 34.2, "wokenByPerson": True},
        "<tool_use_error>The user stopped this one tool use. It was not finished: it may have run in part, or not at all."
        "</tool_use_error>",
        "aborted",
        progress={"message": "56 s left"},
    ),
    "Think": Case(
        {"thought": _THOUGHT},
        "Noted.",
        {"thought": _THOUGHT},
        "<tool_use_error>The thought is empty.</tool_use_error>",
        "validation",
        {"code": "empty"},
    ),
    "ToolSearch": Case(
        {"query": "edit a notebook, open an issue", "max_results": 2},
        "Loaded, to be called from now on:\n{…}\n{…}",
        {"query": "…", "matches": [tool["name"] for tool in _FOUND], "tools": _FOUND, "total_deferred_tools": 31},
        "<tool_use_error>There is nothing to look up here: every tool there is was given to you.</tool_use_error>",
    ),
}
