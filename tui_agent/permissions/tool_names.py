"""Tools by name: other names that mean them, what kind they are, and which names a rule may use.

A rule may name a tool that only some sessions have, and is read before any tool is loaded; so the names stand here as well.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Final

__all__ = ["ALIASES", "EDIT_TOOLS", "READ_TOOLS", "SHELL_TOOLS", "TOOL_NAMES", "canonical", "name_problem"]

READ_TOOLS: Final = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead", "LSP"})
EDIT_TOOLS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
SHELL_TOOLS: Final = frozenset({"Bash", "Monitor"})

ALIASES: Final = {
    "Task": "Agent",
    "agent": "Agent",
    "skill": "Skill",
    "KillShell": "TaskStop",
    "BashOutput": "TaskOutput",
    "run_shell": "Bash",
    "read_file": "Read",
    "FileRead": "Read",
    "edit_file": "Edit",
    "FileEdit": "Edit",
    "write_file": "Write",
    "FileWrite": "Write",
    "list_files": "Glob",
    "grep_search": "Grep",
    "web_fetch": "WebFetch",
    "tool_search": "ToolSearch",
    "enter_plan_mode": "EnterPlanMode",
    "exit_plan_mode": "ExitPlanMode",
}
# Those of this program, and those that settings written for others of its kind name.
TOOL_NAMES: Final = frozenset({
    *READ_TOOLS, *EDIT_TOOLS, *SHELL_TOOLS, *ALIASES.values(), "Architect", "AskUserQuestion", "Cd", "CronCreate", "CronDelete",
    "CronList", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "ListMcpResourcesTool", "MemoryRead",
    "MemoryWrite", "PowerShell",
    "ReadMcpResourceTool", "ScheduleWakeup", "SendMessage", "Skill", "Sleep", "StickerRequest", "TaskCreate", "TaskGet",
    "TaskList", "TaskUpdate", "Think", "TodoWrite", "WebSearch",
})  # fmt: skip


def canonical(name: str) -> str:
    """Return the tool's own name for whatever name it goes by; what is no other name of a tool stays as it is."""
    if name in TOOL_NAMES:
        return name
    bare = name.removesuffix("Tool")
    return ALIASES.get(name) or ALIASES.get(bare) or (bare if bare in TOOL_NAMES else name)


def name_problem(name: str, known: Collection[str] = ()) -> str:
    """Return what is wrong with the name of a tool in a rule, or nothing. One with `_` or `*` may be anybody's.

    Args:
        name: the name, as `canonical` gives it.
        known: names of tools besides those that stand here.
    """
    if name in TOOL_NAMES or name in known or "_" in name or "*" in name:
        return ""
    folded = {one.lower(): one for one in (*TOOL_NAMES, *known)}
    near = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.75)
    hint = f"; did you mean `{folded[near[0]]}`?" if near else ""
    return f"there is no tool `{name}`{hint}"
