"""The one status line, at the foot of the screen: the mode and what else holds, where one is, keys, the model and its cost.

It paints itself from a few values when they change, and never ticks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from tui_agent.text import clean_line
from tui_agent.ui.mode_styles import MODES
from tui_agent.ui.render_style import muted
from tui_agent.ui.screen_text.context_text import share
from tui_agent.ui.screen_text.thinking_text import standing
from tui_agent.ui.short_path import short_path
from tui_agent.ui.widgets.key_hints import HINTS, Hint, fit_hints, room_for
from tui_agent.viewkit.tool_text import count, tokens

if TYPE_CHECKING:
    from tui_agent.ui.projection.projection import Status

__all__ = ["StatusLine"]

_LEAST_FOLDER: Final = 8  # columns below which a folder says nothing
_MOST_FOLDER: Final = 32  # columns that a folder may take where not all keys are named
_NEARLY: Final = 0.8  # of the context, or of the spending limit
_CENTS_TELL: Final = 0.1  # dollars of a limit from which on whole cents say how near it is


class StatusLine(Widget):
    """Mode, warnings, folder and branch; the keys that work now; model, context and cost at the right.

    With less room the sandbox's name and keys go first, then the folder, the model, the cost and the branch; `/status` has them
    all. `show_briefly` puts a short text in the place of folder and keys.
    """

    BRIEF_S: Final = 2.5

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._status: Status | None = None
        self._brief = ""
        self._timer: Timer | None = None
        self._hints: tuple[Hint, ...] = HINTS
        self._is_in_pane = False

    def show(self, status: Status) -> None:
        """Show these values."""
        self._status = status
        self.refresh()

    def name_keys(self, hints: tuple[Hint, ...], *, is_in_pane: bool = False) -> None:
        """Name these keys from now on, the most important first; the last is named wherever there is any room.

        Those of a pane that has the focus (`is_in_pane`) come before everything else.
        """
        if (hints, is_in_pane) != (self._hints, self._is_in_pane):
            self._hints, self._is_in_pane = hints, is_in_pane
            self.refresh()

    def show_briefly(self, text: str) -> None:
        """Say something that need not be remembered."""
        if self._timer is not None:
            self._timer.stop()
        self._brief = text
        self._timer = self.set_timer(self.BRIEF_S, self._end_brief)
        self.refresh()

    def _end_brief(self) -> None:
        self._brief, self._timer = "", None
        self.refresh()

    def render(self) -> Content:
        width = max(1, self.size.width)
        status = self._status
        if status is None:
            return Content.styled(" tui-agent", "bold $text-primary").truncate(width)
        hints = self._hints
        facts = Content(" ") + self._facts(status)
        if self._brief:
            return self._with_end(facts + f"   {self._brief}", status, width)
        if self._is_in_pane:  # what can be done there matters more than how things stand
            keys = Content(" ") + self._keys(hints, width)[3:]
            left = keys + Content("  ") + facts
            return self._with_end(left if left.cell_length <= width else keys, status, width)
        help_room, some_room, all_room = room_for(hints[-1:]), room_for(hints[:1] + hints[-1:]), room_for(hints)
        room = width - facts.cell_length
        branch = self._branch(status)
        # The model's name is written in full only where all keys are named, too.
        rooms = chain((room - all_room,), repeat(room - help_room))
        fitting = (
            end for end, most in zip(self._ends(status), rooms, strict=False) if _at_edge(end) + _beside(branch) <= most
        )
        end = next(fitting, Content())
        room -= _at_edge(end)
        if _beside(branch) + help_room > room:
            branch = Content()
        room -= _beside(branch)
        folder = self._folder(status, min(room - some_room - 2, max(_MOST_FOLDER, room - all_room - 2)))
        room -= _beside(folder)
        keys = self._keys(hints, room)
        sandbox = Content.styled(_sandbox_name(status), muted(self.app))
        if _beside(sandbox) > room - keys.cell_length:
            sandbox = Content()
        left = Content("  ").join([facts, *filter(None, (folder, branch, sandbox))]) + keys
        return _spread(left, end, width)

    def _facts(self, status: Status) -> Content:
        """Return the mode, and what else holds that the user has to know."""
        label, style = MODES.get(status.mode, (status.mode, muted(self.app)))
        parts = [Content.styled(label, f"bold {style}")]
        if not status.is_trusted:
            parts.append(Content.styled("folder not trusted", "$text-warning"))
        if status.shows_secrets:
            parts.append(Content.styled("secrets shown", "$text-error"))
        name, _, on = clean_line(status.sandbox, 40).partition(",")
        if name == "none":
            parts.append(Content.styled("no sandbox", "$text-warning"))
        elif on:
            parts.append(Content.styled(f"sandbox on ({name})", "$text-success"))
        if status.jobs:
            parts.append(Content.styled(f"◍ {count(status.jobs, 'job')}", "$text-accent"))
        return Content("  ").join(parts)

    def _folder(self, status: Status, room: int) -> Content:
        folder = short_path(status.cwd, room) if status.cwd and room >= _LEAST_FOLDER else ""
        return Content.styled(folder, muted(self.app)) if cell_len(folder) <= room else Content()

    def _branch(self, status: Status) -> Content:
        branch = clean_line(status.branch, 40) + (f"●{status.changed_files}" if status.changed_files else "")
        return Content.styled(branch, "$text-accent" if status.changed_files else muted(self.app))

    def _keys(self, hints: Sequence[Hint], room: int) -> Content:
        quiet = muted(self.app)
        named = fit_hints(hints, room)
        return Content("").join([Content.assemble("   ", (key, "bold"), " ", (words, quiet)) for key, words in named])

    def _with_end(self, left: Content, status: Status, width: int) -> Content:
        """Return the line with as much of model, context and cost as there is room for."""
        room = width - left.cell_length
        return _spread(left, next((end for end in self._ends(status) if _at_edge(end) <= room), Content()), width)

    def _ends(self, status: Status) -> Iterator[Content]:
        """Yield model, context and cost, each time with less. All are there from the start, so that nothing moves later.

        That the model does not think is said beside it, and nothing where it does, as usual.
        """
        if not status.model:
            return
        model = clean_line(status.model, 40)
        thinking = [(standing(status), "$text-accent")] if standing(status) else []
        facts = [_context(status), _cost(status)]
        for parts in (
            [(model, ""), *thinking, *facts],
            [(model.removeprefix("claude-"), ""), *thinking, *facts],
            facts,
            facts[1:],
        ):
            yield Content(" · ").join([Content.styled(text, style or muted(self.app)) for text, style in parts])


def _beside(part: Content) -> int:
    """Return the columns that a part takes with the two blanks before it."""
    return part.cell_length + 2 if part else 0


def _at_edge(end: Content) -> int:
    """Return the columns that the right end takes: three blanks keep it apart from the keys, and one from the edge."""
    return end.cell_length + 4 if end else 0


def _spread(left: Content, end: Content, width: int) -> Content:
    """Return a line with `end` at its right edge, a blank behind it."""
    gap = width - left.cell_length - end.cell_length - 1
    if not end or gap < 1:
        return left.truncate(width, ellipsis=True)
    return left + Content(" " * gap) + end


def _context(status: Status) -> tuple[str, str]:
    """Return how much of the context is used, and how it looks."""
    if not status.context_size:
        return (f"{tokens(status.context_tokens)} ctx" if status.context_tokens else "0% ctx"), ""
    is_near = status.context_tokens >= _NEARLY * status.context_size
    return f"{share(status.context_tokens, status.context_size)} ctx", "$text-warning" if is_near else ""


def _cost(status: Status) -> tuple[str, str]:
    """Return what was spent, of the limit where there is one, and how it looks."""
    spent = status.cost_usd
    if spent is None:
        spent = 0.0
        if status.context_tokens:
            return "$?", ""  # there were answers, and nobody knows what they cost
    if status.limit_usd is None:
        return f"${spent:.2f}", ""
    digits = 2 if status.limit_usd >= _CENTS_TELL else 4
    text = f"${spent:.{digits}f} of ${status.limit_usd:.{digits}f}"
    is_near = spent >= _NEARLY * status.limit_usd
    return (f"{text} !", "$text-warning") if is_near else (text, "")


def _sandbox_name(status: Status) -> str:
    """Return which sandbox commands run in that only read, where that is nothing special."""
    name, _, on = clean_line(status.sandbox, 40).partition(",")
    return "" if on or name in ("", "none") else f"sandbox: {name}"
