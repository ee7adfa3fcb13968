"""The environment variables that people know from Claude Code: which are read, as what, and which are not.

One table says it all; whoever reads one asks here, `doctor` and the start of a session tell what is wrong with them. Variables
of endpoints and keys, and those that are set for commands and hooks, are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["VARIABLES", "Variable", "count", "is_on", "tools_left_out", "unsupported_variables", "variable_problems"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One variable. `default` and `most` are for counts (0: none); more than `most` counts as that.

    `unsupported` says, as a clause, why it does nothing; empty where it is read.
    """

    name: str
    kind: Literal["count", "switch", "text"] = "text"
    default: int = 0
    most: int = 0
    is_on: bool = False
    unsupported: str = ""


def _count(name: str, default: int = 0, most: int = 999_999_999) -> Variable:
    return Variable(name=name, kind="count", default=default, most=most)


def _switch(name: str, *, is_on: bool = False) -> Variable:
    return Variable(name=name, kind="switch", is_on=is_on)


def _not_supported(name: str, why: str) -> Variable:
    return Variable(name=name, unsupported=why)


_NO_COMPACTION: Final = "conversations are not summarised"

VARIABLES: Final = {
    one.name: one
    for one in (
        _count("BASH_DEFAULT_TIMEOUT_MS", 120_000),
        _count("BASH_MAX_TIMEOUT_MS", 600_000),
        _count("BASH_MAX_OUTPUT_LENGTH", 30_000, 150_000),
        _switch("CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"),
        _switch("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"),
        _switch("CLAUDE_CODE_DISABLE_WEB_FETCH"),
        _switch("CLAUDE_CODE_ENABLE_TASKS", is_on=True),
        _count("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS"),
        _switch("CLAUDE_CODE_GLOB_HIDDEN", is_on=True),
        _switch("CLAUDE_CODE_GLOB_NO_IGNORE", is_on=True),
        _count("CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", 20, 3600),
        _count("CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY", 10, 100),
        _count("CLAUDE_CODE_MAX_TURNS"),
        _count("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT"),
        _switch("CLAUDE_CODE_SIMPLE"),
        Variable(name="CLAUDE_CODE_SUBAGENT_MODEL"),
        Variable(name="CLAUDE_CONFIG_DIR"),
        Variable(name="ENABLE_TOOL_SEARCH"),
        _count("MAX_MCP_OUTPUT_TOKENS", 25_000, 125_000),
        _count("MCP_CONNECT_TIMEOUT_MS", 5_000, 600_000),
        _count("MCP_TIMEOUT", 30_000, 600_000),
        _count("MCP_TOOL_TIMEOUT", 100_000_000),
        _not_supported("CLAUDE_CODE_SHELL", "commands are judged, and run, as bash"),
        _not_supported("CLAUDE_CODE_SHELL_PREFIX", "what runs is what was judged; use a PreToolUse hook"),
        _not_supported("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", "commands never get keys and tokens"),
        _not_supported("MAX_STRUCTURED_OUTPUT_RETRIES", "there is no structured output yet"),
        _not_supported("DISABLE_COMPACT", _NO_COMPACTION),
        _not_supported("DISABLE_AUTO_COMPACT", _NO_COMPACTION),
        _not_supported("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", _NO_COMPACTION),
    )
}

_ON: Final = frozenset({"1", "true", "yes", "on"})
_OFF: Final = frozenset({"0", "false", "no", "off"})


def count(environment: Mapping[str, str], name: str) -> int:
    """Return the number that a variable of the table sets, its default where it sets none."""
    known = VARIABLES[name]
    number = _number(environment.get(name, ""))
    return known.default if number is None else min(number, known.most)


def is_on(environment: Mapping[str, str], name: str) -> bool:
    """Return whether a variable of the table is on, its default where it does not say."""
    said = environment.get(name, "").strip().lower()
    return said in _ON if said in _ON | _OFF else VARIABLES[name].is_on


def tools_left_out(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the tools that variables take away: the task tools where TodoWrite is to do alone."""
    has_tasks = is_on(environment, "CLAUDE_CODE_ENABLE_TASKS")
    return () if has_tasks else ("TaskCreate", "TaskGet", "TaskList", "TaskUpdate")


def variable_problems(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the values of variables that are read, a sentence each."""
    for name, known in VARIABLES.items():
        text = environment.get(name, "").strip()
        if not text or known.unsupported:
            continue
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        if known.kind == "count" and _number(text) is None:
            instead = f"{known.default} is used" if known.default else "it is ignored"
            yield f"{name} is {shown!r}, which is not a whole number above 0; {instead}."
        elif known.kind == "count" and (_number(text) or 0) > known.most:
            yield f"{name} is {shown}; {known.most} is the most, and is used."
        elif known.kind == "switch" and text.lower() not in _ON | _OFF:
            yield f"{name} is {shown!r}, which is neither 1 nor 0; it is ignored."


def unsupported_variables(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield which variables are set that do nothing, and why, a sentence each."""
    for name, known in VARIABLES.items():
        if known.unsupported and environment.get(name):
            yield f"{name} is set but not supported: {known.unsupported}."


def _number(text: str) -> int | None:
    text = text.strip()
    is_count = text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0
    return int(text) if is_count else None
