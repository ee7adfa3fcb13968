"""What a folder's settings want that does not count without consent, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tui_agent.settings.withheld_setting import WITHHELD_HEADINGS
from tui_agent.text import reveal
from tui_agent.viewkit.tool_text import relative_path

if TYPE_CHECKING:
    from tui_agent.settings.withheld_setting import WithheldSetting

__all__ = ["withheld_lines"]


def withheld_lines(settings: Sequence[WithheldSetting], folder: str) -> Iterator[str]:
    """Yield what is held back, by kind, each with the file and line where it stands."""
    for kind, heading in WITHHELD_HEADINGS.items():
        found = [setting for setting in settings if setting.kind == kind]
        if found:
            yield f"{heading}:"
        for setting in found:
            first, *rest = reveal(setting.text).split("\n")
            yield f"  {first}"
            yield from (f"    {line}" for line in rest)
            yield f"    from {reveal(relative_path(setting.file, folder))}, line {setting.line}"
