"""How each kind of block looks in the conversation: block, width and state in; lines, hits and logical text out."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from rich.style import Style

from tui_agent.text import clean, clean_line
from tui_agent.ui.blocks import Block
from tui_agent.ui.tool_views import view_for
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.tool_text import duration
from tui_agent.viewkit.tool_view import ToolUse, phase_glyph
from tui_agent.viewkit.view import Hit, Line, LinesBuilder, Rendered, RenderState

__all__ = ["estimate_height", "is_foldable", "opens_by_itself", "render_block"]

_INDENT: Final = 4  # what opens below a title starts under its name
_LIVE_THINKING: Final = 4000  # characters
_MARKS: Final = {"info": ("·", "muted"), "warning": ("!", "warning"), "error": ("✗", "error")}
_OUTCOMES: Final = {
    "done": ("", "faint"),
    "interrupted": ("interrupted", "warning"),
    "refused": ("stopped", "warning"),
    "failed": ("failed", "error"),
    "max_turns": ("stopped: too many steps in one turn", "warning"),
    "repeated_failure": ("stopped: the same call failed again and again", "warning"),
    "max_tokens": ("stopped: the reply reached its longest", "warning"),
    "declined": ("stopped: you said no", "warning"),
}


def is_foldable(block: Block) -> bool:
    """Whether the block has something to open."""
    return block.kind in ("tool", "thinking")


def opens_by_itself(block: Block) -> bool:
    """Whether the block is open as long as nobody has folded it: a change to a file is."""
    return block.tool is not None and block.tool.change is not None and not block.tool.is_error


def estimate_height(block: Block, width: int) -> int:
    """Return about how many lines the block will have; right enough for a scroll bar."""
    match block.kind:
        case "text":
            source = getattr(block.view, "source", "")
            return max(1, len(source) // max(1, width) + source.count("\n") + 1) if block.view is not None else 0
        case "user":
            return max(1, block.length // max(1, width) + 1)
        case _:
            return 1


def render_block(block: Block, width: int, state: RenderState) -> Rendered:
    """Draw a block. A view that fails is shown as such, in its own place: one bad block must not take the screen with it."""
    try:
        return _render(block, max(1, width), state)
    except Exception as error:  # noqa: BLE001 - see above
        note = f"This part cannot be shown ({type(error).__name__}: {clean_line(str(error), 200)})."
        return TextView(note, "error").render(width, state)


def _render(block: Block, width: int, state: RenderState) -> Rendered:
    palette = state.palette
    match block.kind:
        case "text":
            return block.view.render(width, state) if block.view is not None else Rendered(())
        case "user":
            return _hung("❯ ", palette.accent, TextView(block.text, "user").render(width - 2, state))
        case "tool" if block.tool is not None:
            return _tool(block.tool, width, state)
        case "thinking":
            return _thinking(block, width, state)
        case "notice" | "error":
            return _notice(block, width, state)
        case _:
            return _turn_end(block, width, state)


def _tool(use: ToolUse, width: int, state: RenderState) -> Rendered:
    palette = state.palette
    glyph, word, style = phase_glyph(use)
    if use.phase == "executing" and use.waiting_since_ms is None:
        glyph = "●"  # the still glyph of a running tool would read as the fold mark before it
    view = view_for(use.name)
    is_settled = use.phase in ("completed", "yielded")
    label = "" if is_settled else f" · {word}"
    title = view.title(use, max(1, width - _INDENT - len(label)), state)
    head = [_fold_mark(state), Segment(f"{glyph} ", getattr(palette, style))]
    built = LinesBuilder()
    built.add([*head, *title.segments, Segment(label, getattr(palette, style))], gutter=_INDENT)
    built.hit(0, width, "toggle")
    if state.is_open:
        built.extend(_indented(view.body(use, max(1, width - _INDENT), state), _INDENT))
    return built.build()


def _thinking(block: Block, width: int, state: RenderState) -> Rendered:
    palette = state.palette
    label = "Thinking" if block.is_live else f"Thought for {duration(block.duration_ms)}"
    built = LinesBuilder()
    built.add([_fold_mark(state), Segment(f"✻ {label}", palette.muted)], gutter=_INDENT)
    built.hit(0, width, "toggle")
    if state.is_open:
        text = block.text.strip("\n")
        if block.is_live and len(text) > _LIVE_THINKING:
            text = "…" + text[-_LIVE_THINKING:]  # each frame wraps it again; the whole is there when it is over
        built.extend(_indented(TextView(text, "muted").render(width - _INDENT, state), _INDENT))
    return built.build()


def _notice(block: Block, width: int, state: RenderState) -> Rendered:
    mark, style = _MARKS[block.level]
    built = LinesBuilder()
    said = TextView(block.text, "muted" if block.level == "info" else style).render(width - 2, state)
    built.extend(_hung(f"{mark} ", getattr(state.palette, style), said))
    if block.hint:
        built.extend(_indented(TextView(block.hint, "muted").render(width - 2, state), 2))
    return built.build()


def _turn_end(block: Block, width: int, state: RenderState) -> Rendered:
    words, style = _OUTCOMES.get(block.outcome, (block.outcome, "muted"))
    took = duration(block.duration_ms) if block.duration_ms else ""
    parts = [part for part in (clean(block.text).strip() or words, took) if part]
    if not parts:
        return Rendered(())
    mark = "■ " if words else "  "
    return _hung(mark, getattr(state.palette, style), TextView(" · ".join(parts), style).render(width - 2, state))


def _fold_mark(state: RenderState) -> Segment:
    return Segment("▾ " if state.is_open else "▸ ", state.palette.faint)


def _hung(mark: str, style: Style, rendered: Rendered) -> Rendered:
    """Put a mark before the first line and as much room before the others."""
    return _indented(rendered, len(mark), Segment(mark, style))


def _indented(rendered: Rendered, cells: int, first: Segment | None = None) -> Rendered:
    room = Segment(" " * cells)
    lines = [
        Line((first if first is not None and number == 0 else room, *line.segments), line.start, line.gutter + cells)
        for number, line in enumerate(rendered.lines)
    ]
    hits = [Hit(hit.line, hit.start + cells, hit.stop + cells, hit.action, hit.argument) for hit in rendered.hits]
    return Rendered(lines, hits, rendered.text)
