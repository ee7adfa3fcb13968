"""How a tool use is drawn: the state a view gets, and the base of all tool views, which is the generic view.

A tool brings `view.py` in its own folder with a class `View(ToolView)`; `view_for` finds it by the tool's name. A tool
without one (an MCP tool, an unknown one) is drawn by `ToolView` itself, so its defaults must be worth looking at.

The user interface calls exactly these: `title` (the one line in transcript and tool pane), `body` (what opens below it:
progress while it runs, result, error or rejection afterwards), `question` and `request` (title and body of the permission
dialog).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tui_agent.emoji_sequences import JOINER
from tui_agent.text import clean, clean_line
from tui_agent.viewkit.ansi import add_output
from tui_agent.viewkit.code import code_runs
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs, crop, fit_runs, line_of
from tui_agent.viewkit.stacking import stepping_back
from tui_agent.viewkit.tool_text import arguments, count, error_text, one_line, refusal_text, stop_words
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.view import Line, LinesBuilder, Rendered, RenderState

__all__ = ["ToolView", "phase_glyph"]

_NARROWEST: Final = 16
_SUMMARY_ARGUMENTS: Final = 3
_SUMMARY_LENGTH: Final = 60
_PREVIEW_LINES: Final = 40

_GLYPHS: Final[dict[str, tuple[str, str, str, str]]] = {
    "streaming": ("…", ".", "arriving", "muted"),
    "queued": ("·", ".", "queued", "muted"),
    "executing": ("●", ">", "running", "running"),
    "waiting": ("◷", "?", "waits for you", "waiting"),
    "held": ("✓", "+", "done, held for order", "success"),
    "done": ("✓", "+", "done", "success"),
    "failed": ("✗", "x", "failed", "error"),
    "refused": ("⊘", "-", "refused", "warning"),
    "stopped": ("■", "#", "stopped", "warning"),
    "dropped": ("∅", "0", "dropped", "muted"),
}
_STOPPED: Final = frozenset({"aborted", "sibling_error", "interrupted"})


def phase_glyph(use: ToolUse, *, is_ascii: bool = False) -> tuple[str, str, str]:
    """Return how a tool use stands: a glyph of one cell, a word, and the palette field of both.

    A running one's glyph is still; a host that wants it to spin draws its own.
    """
    glyph, plain, word, style = _GLYPHS[_standing(use)]
    return (plain if is_ascii else glyph), word, style


def _standing(use: ToolUse) -> str:
    if use.phase in {"completed", "yielded"}:
        if use.is_rejected:
            return "refused"
        if use.error_kind in _STOPPED:
            return "stopped"
        if use.is_error:
            return "failed"
        return "done" if use.phase == "yielded" else "held"
    if use.phase != "dropped" and use.waiting_since_ms is not None:
        return "waiting"
    return use.phase


class ToolView:
    """Draws a tool use. The base is the generic view; a tool's own overrides what it can say better.

    Most views override `subject`, `outcome` and `result` alone. All of them are pure functions of what they are given; views
    have no state, so one of a kind serves all uses.
    """

    # What hosts call

    def title(self, use: ToolUse, width: int, state: RenderState) -> Line:
        """Return the one line that names the use: name, what it works on, and what came of it; no state glyph."""
        palette = state.palette
        name = Run(self.name(use), palette.strong)
        subject, outcome = self.subject(use, state), self._ending(use, state)
        if outcome:
            outcome = [Run(" · ", palette.faint), *outcome]
        room = width - cell_len(name.text) - 1
        outcome = fit_runs(outcome, max(room // 2, room - _cells(subject)))
        subject = self.shorten(subject, max(0, room - _cells(outcome)))
        return line_of([name, *([Run(" ", palette.text)] if _cells(subject) else []), *subject, *outcome], width)

    def body(self, use: ToolUse, width: int, state: RenderState) -> Rendered:
        """Return what opens below the title: progress while it runs; then its result, error or rejection."""
        return _with_room(width, lambda builder, cells: self._body(use, builder, cells, state))

    def request(self, use: ToolUse, width: int, state: RenderState) -> Rendered:
        """Return what a user is asked to approve: everything that will happen, with nothing odd hidden."""
        return _with_room(width, lambda builder, cells: self.ask(use, builder, cells, state))

    # What views override

    def name(self, use: ToolUse) -> str:
        """Return the tool's name as people read it."""
        return clean_line(use.name.removeprefix("mcp__").replace("__", ":"), 60)

    def question(self, use: ToolUse) -> str:
        """Return what a user is asked, in one short question: the title of the dialog."""
        return f"Use {self.name(use)}?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        """Return what it works on, in a few words: the first short arguments, unless a view knows which matter."""
        palette = state.palette
        runs: list[Run] = []
        for key, value in arguments(use).items():
            if isinstance(value, dict | list) or len(runs) >= 2 * _SUMMARY_ARGUMENTS:
                continue
            text = one_line(value if isinstance(value, str) else json.dumps(value), 200)
            shown = text if len(text) <= _SUMMARY_LENGTH else text[: _SUMMARY_LENGTH - 1].rstrip(JOINER) + "…"
            label = one_line(key, 40)
            runs += [Run(f"{' ' if runs else ''}{label}: ", palette.muted), Run(shown, palette.text)]
        return runs

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        """Return what came of a use that ended well, in a few words."""
        lines = clean(use.text).strip("\n").count("\n") + 1 if use.text.strip() else 0
        return [Run(count(lines, "line") if lines else "no output", state.palette.muted)]

    def so_far(self, use: ToolUse, state: RenderState) -> list[Run]:  # noqa: ARG002 - for views to look at
        """Return what is known already of a use that has not ended, in a few words."""
        return []

    def failure(self, use: ToolUse, state: RenderState) -> list[Run]:
        """Return what came of a use that failed, in a few words."""
        return [Run(clean_line(error_text(use).strip().partition("\n")[0], 300) or "failed", state.palette.error)]

    def shorten(self, subject: Sequence[Run], width: int) -> list[Run]:
        """Return what `subject` gave in at most `width` cells."""
        return fit_runs(subject, width)

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Add what the use is about to do, as it shows before it runs and when it was refused."""
        fields = LinesBuilder()
        self.add_fields(fields, list(map(_field, arguments(use).items())), width, state)
        shown = fields.build()
        for line in shown.lines[:_PREVIEW_LINES]:
            builder.add(line.segments, gutter=line.gutter)
        if len(shown.lines) > _PREVIEW_LINES:
            add_text(builder, f"… {count(len(shown.lines) - _PREVIEW_LINES, 'more line')}", state.palette.faint, width)

    def progress(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Add what a running use has to show so far."""
        known = use.progress or {}
        message, tail = known.get("message"), known.get("tail")
        if isinstance(message, str) and message:
            add_text(builder, clean_line(message, 500), state.palette.muted, width)
        if isinstance(tail, list | tuple):
            total = known.get("total_lines")
            hidden = total - len(tail) if isinstance(total, int) else 0
            if hidden > 0:
                add_text(builder, f"… {count(hidden, 'line')} before", state.palette.faint, width)
            add_output(builder, "\n".join(map(str, tail)), width, state.palette)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Add the result of a use that ended well."""
        text = use.text.strip("\n")
        if text:
            add_output(builder, text, width, state.palette)
        else:
            add_text(builder, "no output", state.palette.faint, width)

    def error(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Add what went wrong: its first line so that it is seen, the rest to be read."""
        first, *rest = error_text(use).split("\n")
        add_text(builder, first or "failed without a word", state.palette.error, width)
        if rest:
            add_output(builder, "\n".join(rest), width, state.palette)

    def stopped(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Add what a use that was stopped had to show until then; the title says who stopped it."""
        _, _, output = error_text(use).partition("\n")
        self.add_output_so_far(use, output, builder, width, state)

    def rejected(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Add what was refused, and why."""
        why = refusal_text(use)
        add_text(builder, f"refused: {why}" if why else "refused", state.palette.warning, width)
        meant = LinesBuilder()
        self.preview(use, meant, width, state)
        builder.extend(stepping_back(meant.build(), state.palette))

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Add what a user is asked to approve."""
        fields = list(map(_field, arguments(use).items()))
        if fields:
            self.add_fields(builder, fields, width, state)
        else:
            add_text(builder, "without arguments", state.palette.faint, width)

    # The rest

    def add_output_so_far(
        self, use: ToolUse, output: str, builder: LinesBuilder, width: int, state: RenderState
    ) -> None:
        """Add the output of a use that was stopped, or that nobody knows how far it got."""
        is_known = bool(stop_words(use))
        if not is_known:  # what is known the text says alone, and the title may have no room for it
            add_text(builder, error_text(use).partition("\n")[0], state.palette.warning, width)
        if output.strip():
            add_output(builder, output, width, state.palette)
        elif is_known:
            add_text(builder, "It may have run in part.", state.palette.muted, width)

    def add_fields(
        self, builder: LinesBuilder, fields: Sequence[tuple[str, str]], width: int, state: RenderState
    ) -> None:
        """Add names and values, nothing in them hidden or left out; those without a value are."""
        named = [(fit_runs([Run(one_line(label), Style())], width // 2), value) for label, value in fields if value]
        longest = max((_cells(label) for label, _ in named), default=0)
        for label, value in named:
            text = "".join(run.text for run in label)
            head = Segment(text + " " * (longest - _cells(label) + 2), state.palette.muted)
            margin = Segment(" " * head.cell_length, state.palette.muted)
            for number, line in enumerate(value.split("\n")):
                runs = code_runs((("", line),), state.palette)
                first = margin if number else head
                add_runs(builder, runs, width, first=(first,), rest=(margin,))

    def _ending(self, use: ToolUse, state: RenderState) -> list[Run]:
        palette = state.palette
        if use.phase not in {"completed", "yielded"}:
            return self.so_far(use, state)
        if use.is_rejected:
            words = clean_line(refusal_text(use), 200)
            return [Run("refused", palette.warning), *([Run(f": {words}", palette.muted)] if words else [])]
        if _standing(use) == "stopped":
            words = stop_words(use) or clean_line(error_text(use).strip().partition("\n")[0], 300)
            return [Run(words or "stopped", palette.warning)]
        if use.is_error:
            return self.failure(use, state)
        return self.outcome(use, state)

    def _body(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        match _standing(use):
            case "refused":
                self.rejected(use, builder, width, state)
            case "held" | "done":
                self.result(use, builder, width, state)
            case "failed":
                self.error(use, builder, width, state)
            case "stopped":
                self.stopped(use, builder, width, state)
            case "executing" if use.progress:
                self.progress(use, builder, width, state)
            case _:
                self.preview(use, builder, width, state)


def _field(argument: tuple[str, Any]) -> tuple[str, str]:
    """Return an argument's name and its value as people read it; what is no text, and text of nothing, as JSON."""
    name, value = argument
    return name, value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)


def _with_room(width: int, draw: Callable[[LinesBuilder, int], None]) -> Rendered:
    """Draw at `width`, or wider and cut to it where that is too narrow for gutters and any text at all."""
    builder = LinesBuilder()
    draw(builder, max(width, _NARROWEST))
    rendered = builder.build()
    return rendered if width >= _NARROWEST else crop(rendered, width)


def _cells(runs: Sequence[Run]) -> int:
    return sum(cell_len(run.text) for run in runs)
