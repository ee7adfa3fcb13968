"""The search among what was typed before: a line to write in, and above it what fits, the newest next to it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import on, work
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Click, Key, Resize
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Input, Static

from tui_agent.text import clean_line
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.prompting.history_search import (
    SCOPES,
    HistoryMatch,
    HistorySearch,
    Pools,
    Scope,
    pools_of,
    spans,
    when,
)
from tui_agent.ui.render_style import muted
from tui_agent.ui.terminal.shown_keys import named_key
from tui_agent.ui.textual_patches.bindings import bindings_of
from tui_agent.ui.widgets.field import Field

__all__ = ["HistoryPanel", "foot_of"]

_ROWS: Final = 8
_FEWEST: Final = 3
_SHOWN: Final = 400  # characters of a text
_WORDS: Final[dict[Scope, str]] = {"session": "this session", "folder": "this folder", "everywhere": "all folders"}


class _Line(Field):
    """What is looked for. The panel's keys are taken here, in the order in which they were pressed."""

    async def on_key(self, event: Key) -> None:
        panel = self.query_ancestor(HistoryPanel)
        if panel.is_over:
            panel.late.append(event)
        if panel.is_over or panel.take_key(event.key):
            event.stop()
            event.prevent_default()


class HistoryPanel(Vertical):
    """Searches `history`. Closes by telling what was taken, or that nothing was; the draft is not its business."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,ctrl+r", "move(1)", "Older"),
        Binding("down,ctrl+n", "move(-1)", "Newer"),
        Binding("pageup", "move(8)", "Older by a page"),
        Binding("pagedown", "move(-8)", "Newer by a page"),
        Binding("ctrl+s", "widen", "Search this session, this folder, all folders"),
        Binding("tab", "take(False)", "Edit it"),
        Binding("enter", "take(True)", "Send it"),
        Binding("escape,ctrl+g,ctrl+c", "leave", "Keep the draft"),
    ]

    field = query_one(Field)
    rows = query_one("#history-rows", Static)

    class Closed(Message):
        """The search is over. `text` is what was taken, None for nothing; `sends` whether it is to be sent at once."""

        def __init__(self, text: str | None, *, sends: bool = False) -> None:
            super().__init__()
            self.text = text
            self.sends = sends

    def __init__(self, history: PromptHistory, *, query: str = "") -> None:
        super().__init__(id="history")
        self._history = history
        self._query = query
        self._search = HistorySearch(pools_of(history.newest(), history.folder))
        if not self._search.size:
            self._search.widen()  # nothing from this folder
        self._found: list[HistoryMatch] = []
        self._at = 0
        self._height = _FEWEST
        self._has_moved = False
        self._has_had_focus = False
        self._is_reading = True
        self.is_over = False
        self.late: list[Key] = []  # keys that came after it was over, and are meant for the prompt
        self._early: list[Key] | None = []  # keys that came before its line could take them; None when it can

    def compose(self) -> ComposeResult:
        yield Static(id="history-rows", markup=False)
        with Horizontal(id="history-line"):
            yield Static(id="history-label", markup=False)
            yield _Line(self._query, id="history-field")
        yield Static(id="history-foot", markup=False)

    def on_mount(self) -> None:
        """Show what is at hand; read the rest meanwhile."""
        self.field.focus()
        self._read_all()
        self._update_matches()
        early, self._early = self._early or [], None
        for event in early:
            self._give(event)

    def on_resize(self, _event: Resize) -> None:
        """Cut the lines for the new width."""
        self._paint()

    @work(exit_on_error=False)
    async def _read_all(self) -> None:
        pools = await asyncio.to_thread(self._pools)
        chosen = self._chosen
        self._is_reading = False
        self._search.replace(pools)
        self._search.search(self.field.value)
        self._at = 0
        self._found = self._search.first(_ROWS)
        if chosen is not None and self._has_moved:  # what the user looks at stays chosen
            self._found = self._search.first(10 * _ROWS)
            texts = [found.entry.text for found in self._found]
            self._at = texts.index(chosen.entry.text) if chosen.entry.text in texts else 0
        self._paint()

    def _pools(self) -> Pools:
        return pools_of(self._history.all(), self._history.folder)

    # --- keys --------------------------------------------------------------------------------------------------------

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._update_matches()

    def _update_matches(self) -> None:
        self._search.search(self.field.value)
        self._at = 0
        self._paint()

    def action_move(self, by: int) -> None:
        """Go to an older one, or a newer one."""
        self._has_moved = True
        self._at = max(0, self._at + by)
        self._paint()

    def action_widen(self) -> None:
        """Search more, or from the most on the least."""
        self._search.widen()
        self._update_matches()

    def action_take(self, sends: bool) -> None:
        """Take what is chosen. Nothing is sent that was neither looked for nor gone to."""
        chosen = self._chosen
        if chosen is None:
            return
        is_meant = bool(self.field.value.strip()) or self._has_moved
        self._close(chosen.entry.text, sends=sends and is_meant)

    def action_leave(self) -> None:
        """Close, with nothing taken."""
        self._close(None)

    def take_early(self, event: Key) -> bool:
        """Take a key that was pressed before the line had the focus; False once it has had it."""
        if self._has_had_focus:
            return False
        if self._early is not None:
            self._early.append(event)
        else:
            self._give(event)
        return True

    def _give(self, event: Key) -> None:
        if self.is_over:
            self.late.append(event)
        elif not self.take_key(event.key) and event.is_printable and event.character:
            self.field.insert_text_at_cursor(event.character)

    def on_descendant_focus(self) -> None:
        """From now on keys come by themselves."""
        self._has_had_focus = True

    def _close(self, text: str | None, *, sends: bool = False) -> None:
        self.is_over = True
        self.post_message(self.Closed(text, sends=sends))

    def take_key(self, key: str) -> bool:
        """Do what a key means here; False where it is for the line."""
        if key == "right" and self.field.cursor_position == len(self.field.value):
            self.action_take(False)  # there is no way to the right but out of the line
            return True
        for binding in bindings_of(self, key):
            _, name, arguments = parse(binding.action)
            if self._search.query != self.field.value:
                self._update_matches()  # keys may come faster than the news of what they changed
            getattr(self, f"action_{name}")(*arguments)
            return True
        return False

    def on_click(self, event: Click) -> None:
        """Take the line that was clicked."""
        if event.widget is self.rows:
            place = self._first_row + self._height - 1 - event.y
            if 0 <= place < len(self._found):
                self._at, self._has_moved = place, True
                self.action_take(False)

    # --- painting ----------------------------------------------------------------------------------------------------

    @property
    def _chosen(self) -> HistoryMatch | None:
        return self._found[self._at] if self._at < len(self._found) else None

    @property
    def _first_row(self) -> int:
        """The place of the lowest row that is shown."""
        return max(0, self._at - _ROWS + 1)

    def _paint(self) -> None:
        self._found = self._search.first(max(_ROWS, self._at + 1))
        self._at = min(self._at, max(0, len(self._found) - 1))
        if not self.is_mounted or not self.size.width:
            return
        first = self._first_row
        shown = self._found[first : first + _ROWS]
        now, quiet, width = self._history.clock(), muted(self.app), self.rows.size.width
        lines = [self._row(found, first + number == self._at, now, quiet, width) for number, found in enumerate(shown)]
        if not lines:
            words = "reading the history…" if self._is_reading else self._nothing()
            lines = [Content.styled(words, quiet)]
        self._height = max(self._height, len(lines))  # it grows, and does not shrink under what is being typed
        blank = [Content("")] * (self._height - len(lines))
        self.rows.update(Content("\n").join([*blank, *reversed(lines)]))
        self.query_one("#history-label", Static).update(f"search {_WORDS[self._search.scope]}: ")
        self.query_one("#history-foot", Static).update(self._foot(quiet, width))

    def _nothing(self) -> str:
        what = (
            f"no matches for “{clean_line(self.field.value, 40)}”" if self.field.value.strip() else "nothing sent yet"
        )
        return f"{what} in {_WORDS[self._search.scope]}"

    def _row(self, found: HistoryMatch, is_chosen: bool, now: float, quiet: str, width: int) -> Content:
        entry = found.entry
        place = "" if entry.folder == self._history.folder else _home(entry.folder)
        times = f"{found.count}×" if found.count > 1 else ""
        facts = "  ".join(part for part in (times, clean_line(place, 24), when(entry.time, now)) if part)
        room = max(10, width - 2 - (cell_len(facts) + 2 if facts and width >= 60 else 0))
        text = clean_line(entry.text[:_SHOWN].replace("\n", " ⏎ "), _SHOWN)
        content = Content(text)
        for start, stop in spans(text, self.field.value):
            content = content.stylize("bold underline", start, stop)
        content = content.truncate(room, ellipsis=True)
        head = Content.styled("▸ ", "bold $text-accent") if is_chosen else Content("  ")
        line = head + (content.stylize("$text-accent") if is_chosen else content)
        if facts and width >= 60:
            line += Content(" " * max(2, width - line.cell_length - cell_len(facts))) + Content.styled(facts, quiet)
        return line

    def _foot(self, quiet: str, width: int) -> Content:
        following = SCOPES[(SCOPES.index(self._search.scope) + 1) % len(SCOPES)]
        name = partial(named_key, self.app, "HistorySearch")
        keys = foot_of(_WORDS[following], width, name)
        return Content.styled(keys, quiet).truncate(max(10, width), ellipsis=True)


def foot_of(widening: str, width: int, name: Callable[[str], str] = str) -> str:
    """Return the keys that fit into a line, each whole, as `name` names them; the one that leaves goes last.

    `widening` is where the key for that would search.
    """
    keys = {"enter": "sends", "tab": "edits", "↑": "older", "^s": widening, "esc": "back"}
    shown = {key: f"{name(key)} {words}" for key, words in keys.items() if name(key)}
    for key in ("↑", "tab", "^s", "enter"):
        if cell_len(" · ".join(shown.values())) > width:
            shown.pop(key, None)
    return " · ".join(shown.values())


def _home(folder: str) -> str:
    """Return a folder with the user's own as `~`."""
    home = os.path.expanduser("~")  # noqa: PTH111 - text, not a path to open
    return "~" + folder[len(home) :] if folder == home or folder.startswith(home + os.sep) else folder
