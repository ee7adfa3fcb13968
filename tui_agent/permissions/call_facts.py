"""What a call touches, told by well-known names and fields alone: for judging tools that are not loaded, or not there yet.

A session judges by what the tool itself says. This serves `permissions explain` and rules about tools of other names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import EDIT_TOOLS, READ_TOOLS
from tui_agent.permissions.verdict import ToolCall

__all__ = ["call_from_input"]

_PATH_FIELDS: Final = ("file_path", "notebook_path", "path")
_SEARCHES: Final = frozenset({"Grep", "Glob", "LS"})
_SHELLS: Final = frozenset({"Bash", "Monitor"})


def call_from_input(tool: str, input: Mapping[str, Any], where: PathContext) -> ToolCall:
    """Return the call that a tool of this name with this input would be, as far as name and fields tell.

    Args:
        tool: the canonical name.
        input: its input, of any shape.
        where: what relative paths start from; a search without a path is one of the folder it is made in.
    """
    paths = tuple(dict.fromkeys(where.absolute(path) for path in _paths(input)))
    if tool in _SEARCHES and not paths:
        paths = (where.shell_cwd or where.cwd,)
    command = input.get("command")
    return ToolCall(
        tool=tool,
        input=dict(input),
        reads=paths if tool in READ_TOOLS | EDIT_TOOLS else (),
        writes=paths if tool in EDIT_TOOLS else (),
        command=command if tool in _SHELLS and isinstance(command, str) else None,
        is_read_only=tool in READ_TOOLS,
    )


def _paths(input: Mapping[str, Any]) -> Iterator[str]:
    for name in _PATH_FIELDS:
        value = input.get(name)
        if isinstance(value, str) and value and "\0" not in value:
            yield value
    edits = input.get("edits")
    if isinstance(edits, list):
        for edit in edits:
            if isinstance(edit, dict):
                yield from _paths(edit)
