"""How each kind of block looks in the conversation: block, width and state in; lines, hits and logical text out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from rich.style import Style

from tui_agent.text import clean, clean_line
from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.transcript.agent_view import agent_view
from tui_agent.ui.transcript.attached_view import attached_height, attached_lines
from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.stacking import indented, stack
from tui_agent.viewkit.tool_text import count, duration
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import phase_glyph
from tui_agent.viewkit.view import Hit, Line, LinesBuilder, Rendered, RenderState
from tui_agent.viewkit.wrap import WIDEST_PROSE

if TYPE_CHECKING:
    from tui_agent.ui.projection.blocks import ShownAgent

__all__ = [
    "estimate_height",
    "is_foldable",
    "is_the_persons",
    "opens_by_itself",
    "render_block",
    "turn_time",
    "with_end",
]

_INDENT: Final = 4  # what opens below a title starts under its name
_LIVE_THINKING: Final = 4000  # characters
_LONG_MESSAGE: Final = 4000  # characters from which a user's message is folded
_HEAD_LINES: Final = 12  # of a folded message, and how many characters they have at most
_HEAD: Final = 1200
_MOST: Final = 100_000  # characters that are drawn of one message; copying its source gives all
_LEAST_ASKED_MS: Final = 500  # of the user's own time: less is not told apart
_APART: Final = 3  # cells between a line and the time at its end
_MARKS: Final = {"info": ("·", "muted"), "warning": ("!", "warning"), "error": ("✗", "error")}
_OUTCOMES: Final = {
    "done": ("", "faint"),
    "interrupted": ("interrupted", "warning"),
    "refused": ("stopped", "warning"),
    "failed": ("failed", "error"),
    "max_turns": ("stopped: too many steps in one turn", "warning"),
    "repeated_failure": ("stopped: the same call failed again and again", "warning"),
    "max_tokens": ("stopped: the reply reached its length limit", "warning"),
    "declined": ("stopped: you said no", "warning"),
    "stopped_by_hook": ("stopped by a hook", "warning"),
    "spending_limit": ("stopped at the spending limit", "warning"),
}


def is_foldable(block: Block) -> bool:
    """Whether the block has something to open."""
    if block.kind == "user":
        return block.length > _LONG_MESSAGE or bool(block.shown)
    return block.kind in ("tool", "thinking")


def opens_by_itself(block: Block) -> bool:
    """Whether the block is open as long as nobody has folded it: a change to a file is."""
    return block.tool is not None and block.tool.change is not None and not block.tool.is_error


def is_the_persons(block: Block) -> bool:
    """Whether the block is a command that the user gave, to see what it prints."""
    return block.tool is not None and block.tool.is_by_person and block.tool.name == "Bash"


def estimate_height(block: Block, width: int) -> int:
    """Return about how many lines the block will have; right enough for a scroll bar."""
    match block.kind:
        case "text":
            source = getattr(block.view, "source", "")
            return max(1, len(source) // max(1, width) + source.count("\n") + 1) if block.view is not None else 0
        case "user":
            length = len(block.shown) or block.length
            return max(1, min(length, _HEAD) // max(1, width) + 1) + attached_height(block.attached)
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
    match block.kind:
        case "text":
            return block.view.render(width, state) if block.view is not None else Rendered(())
        case "user":
            return _user(block, width, state)
        case "tool" if block.tool is not None:
            return _tool(block.tool, block.agents, width, state)
        case "thinking":
            return _thinking(block, width, state)
        case "notice" | "error":
            return _notice(block, width, state)
        case _:
            return _turn_end(block, width, state)


def _user(block: Block, width: int, state: RenderState) -> Rendered:
    """Draw a user's message and, below it, what goes along with it."""
    said = _hung("❯ ", state.palette.accent, _message(block, max(1, width - 2), state))
    if not block.attached:
        return said
    built = LinesBuilder()
    built.extend(said)
    built.extend(_indented(attached_lines(block.attached, max(1, width - 2), state), 2))
    return built.build()


def _message(block: Block, width: int, state: RenderState) -> Rendered:
    """Draw what a user wrote; of something long, as a pasted file is, the head or a label as long as it is folded."""
    text = block.text
    shown = text
    if is_foldable(block):
        shown = text[:_MOST] if state.is_open else "\n".join((block.shown or text)[:_HEAD].split("\n")[:_HEAD_LINES])
    rendered = TextView(shown, "user").render(min(width, WIDEST_PROSE), state)
    if not is_foldable(block):
        return rendered
    built = LinesBuilder()
    built.extend(rendered)
    rest = count(len(text) - len(shown), "more character")
    if state.is_open:
        label = "▾ fold" + (f" · {rest}, which copying the source gives" if len(shown) < len(text) else "")
    else:
        label = "▸ what was pasted" if block.shown else f"▸ {rest}"
    built.add_text(label[:width], state.palette.faint, gutter=width)
    built.hit(0, width, "toggle")
    return built.build()


def _tool(use: ToolUse, agents: Sequence[ShownAgent], width: int, state: RenderState) -> Rendered:
    palette = state.palette
    glyph, word, style = phase_glyph(use)
    if use.phase == "executing" and use.waiting_since_ms is None:
        glyph = "●"  # the still glyph of a running tool would read as the fold mark before it
    view = view_for(use.name)
    is_settled = use.phase in ("completed", "yielded")
    label, who = "" if is_settled else f" · {word}", " · by you" if use.is_by_person else ""
    title = view.title(use, max(1, width - _INDENT - len(label) - len(who)), state)
    head = [_fold_mark(state), Segment(f"{glyph} ", getattr(palette, style))]
    built = LinesBuilder()
    said = [Segment(who, palette.muted), Segment(label, getattr(palette, style))]
    built.add([*head, *title.segments, *said], gutter=_INDENT)
    built.hit(0, width, "toggle")
    if not state.is_open:
        return built.build()
    body = view.body(use, max(1, width - _INDENT), state)
    # A diff of ten thousand lines is drawn where it is looked at.
    parts = [built.build(), indented(body, _INDENT)]
    if agents:
        parts.append(indented(agent_view(agents, max(1, width - _INDENT), state, render_block), _INDENT))
    return stack(parts)


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
    said = TextView(block.text, "muted" if block.level == "info" else style).render(min(width - 2, WIDEST_PROSE), state)
    built.extend(_hung(f"{mark} ", getattr(state.palette, style), said))
    if block.hint:
        built.extend(_indented(TextView(block.hint, "muted").render(width - 2, state), 2))
    return built.build()


def _turn_end(block: Block, width: int, state: RenderState) -> Rendered:
    words, style = _OUTCOMES.get(block.outcome, (block.outcome, "muted"))
    took, said = turn_time(block), clean(block.text).strip() or words
    built = LinesBuilder()
    if said:
        mark = "■ " if words else "  "
        built.extend(_hung(mark, getattr(state.palette, style), TextView(said, style).render(width - 2, state)))
    if not took:
        return built.build()
    found = built.build()
    if found.lines:
        return with_end(found, took, width, state) or _below(found, took, width, state)
    return _below(found, took, width, state)


def turn_time(block: Block) -> str:
    """Return how long a turn took, the user's own time apart: `took 25s, you 19s`; empty where that is not known."""
    if not block.duration_ms:
        return ""
    if block.asked_ms < _LEAST_ASKED_MS:
        return f"took {duration(block.duration_ms)}"
    return f"took {duration(block.duration_ms - block.asked_ms)}, you {duration(block.asked_ms)}"


def with_end(rendered: Rendered, words: str, width: int, state: RenderState) -> Rendered | None:
    """Return a view with words at the right end of its last line; None where there is no room for them."""
    last = rendered.lines[-1] if rendered.lines else None
    if last is None or last.width + _APART + len(words) > width:
        return None
    end = (Segment(" " * (width - last.width - len(words))), Segment(words, state.palette.muted))
    line = Line((*last.segments, *end), last.start, last.gutter, len(words))
    return Rendered([*rendered.lines[:-1], line], rendered.hits, rendered.text)


def _below(rendered: Rendered, words: str, width: int, state: RenderState) -> Rendered:
    line = Line(
        (Segment(" " * max(0, width - len(words))), Segment(words[:width], state.palette.muted)), rendered.length, width
    )
    return Rendered([*rendered.lines, line], rendered.hits, rendered.text)


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
