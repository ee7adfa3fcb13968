"""What the rule above the tool pane says: how many tools run and ran, the filter, and at the right the time saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui_agent.text import clean_line
from tui_agent.viewkit.tool_text import count, duration

if TYPE_CHECKING:
    from tui_agent.ui.panes.tool_filter import ToolFilter
    from tui_agent.ui.panes.tool_list import ToolList

__all__ = ["foots", "title"]

_LEAST_SAVED_MS = 50


def title(rows: ToolList | None, *, is_writing: bool) -> Content:
    """Return the pane's name with counts and the filter. `is_writing` says that the filter's text is being written."""
    parts: list[str] = []
    if rows is not None and rows.live is not None:
        from tui_agent.ui.panes.tool_rows import counts  # with the first tool, not with the first frame

        tally = counts(*rows.live.tally)
        parts += [tally] if tally else []
        parts += [count(len(rows.jobs), "job")] if rows.jobs else []
    shown = Content.assemble("Tools", ("".join(f" · {part}" for part in parts), "$foreground-muted"))
    if rows is not None and (rows.filter or is_writing):
        words = _filter_words(rows.filter, is_writing=is_writing)
        shown += Content.assemble(" ", (f" only {words} ", "bold $text-warning"))
    return shown


def foots(rows: ToolList | None, now_ms: float) -> list[Content]:
    """Return what may stand at the right, the longest first: how the filter is cleared, else the time that was saved."""
    if rows is None:
        return []
    if rows.filter:
        return [Content("esc shows all")]
    saved = rows.live.saved_ms(now_ms) if rows.live is not None else 0.0
    if saved < _LEAST_SAVED_MS:
        return []
    return [Content(f"▓ {how}{duration(saved)} saved") for how in ("early or in parallel: ", "")]


def _filter_words(wanted: ToolFilter, *, is_writing: bool) -> str:
    if is_writing:
        return " · ".join(filter(None, (wanted.state or "", f"/{wanted.text}▏")))
    return clean_line(wanted.words, 80)
