"""What a folder's settings want that does not count without consent, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tui_agent.text import reveal
from tui_agent.viewkit.tool_text import relative_path

if TYPE_CHECKING:
    from tui_agent.settings.withheld_setting import WithheldKind, WithheldSetting

__all__ = ["withheld_lines"]

# What can do most harm stands first.
_HEADINGS: Final[dict[WithheldKind, str]] = {
    "hook": "Run commands of its own, by themselves",
    "environment": "Set environment variables",
    "rule": "Let these run without asking you",
    "folder": "Work in more folders",
    "sandbox": "Change the sandbox",
    "other": "Change these settings",
}


def withheld_lines(settings: Sequence[WithheldSetting], folder: str) -> Iterator[str]:
    """Yield what is held back, by kind, each with the file and line where it stands."""
    for kind, heading in _HEADINGS.items():
        found = [setting for setting in settings if setting.kind == kind]
        if found:
            yield f"{heading}:"
        for setting in found:
            first, *rest = reveal(setting.text).split("\n")
            yield f"  {first}"
            yield from (f"    {line}" for line in rest)
            yield f"    from {reveal(relative_path(setting.file, folder))}, line {setting.line}"
