"""Keys as the user has bound them: what is pressed becomes the key that does by default what they want.

Nothing else knows of it. A key that is the beginning of a longer binding is kept for a moment; if nothing comes of it, it and
those behind it are what they are.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from textual import events
from textual.widgets import Input, TextArea

from tui_agent.settings.watch import Stamps, stamps_of
from tui_agent.slash_commands import NAMES
from tui_agent.ui.terminal.contexts import context_of
from tui_agent.ui.terminal.editable import as_editable

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import App
    from textual.screen import Screen

    from tui_agent.settings.keybindings.keymap import Keymap, Meaning
    from tui_agent.ui.terminal.key_order import KeyOrder, Pressed

__all__ = ["Rebinding"]

_PATIENCE_S: Final = 1.0  # with the keys of one binding
_CHECK_EVERY_S: Final = 1.0  # at the files
_MOST_TOLD: Final = 3  # problems


class Rebinding:
    """Reads keys for an app, as `files` bind them, later ones over earlier ones; the last is the user's own.

    `run` carries out a command by its name, `notify` shows a few words for a moment.
    """

    def __init__(
        self,
        app: App[Any],
        order: KeyOrder,
        files: Sequence[Path],
        *,
        run: Callable[[str], object],
        notify: Callable[[str], object],
    ) -> None:
        self.keymap: Keymap | None = None  # nothing is loaded for those who bind nothing
        self._app = app
        self._order = order
        self._run = run
        self._notify = notify
        self.files = tuple(files)
        self._stamps: Stamps = dict.fromkeys(self.files)
        self._checked_s = -_CHECK_EVERY_S
        self._pending: list[events.Key] = []
        self._pressed_on: Screen[Any] | None = None  # where they were pressed
        self._settled: events.Key | None = None
        self._patience: asyncio.TimerHandle | None = None

    def reload(self, *, is_now: bool = True) -> bool:
        """Take in what the files say if that has changed; whether it has. Unless it is to be now, look once in a while only."""
        now = time.monotonic()
        if not is_now and now - self._checked_s < _CHECK_EVERY_S:
            return False
        self._checked_s = now
        stamps = stamps_of(self.files)
        if stamps == self._stamps:
            return False
        from tui_agent.settings.keybindings.load import load_keymap

        self._stamps = stamps
        self.keymap = load_keymap(self.files, commands=NAMES)
        return True

    def problems(self) -> list[str]:
        """Return what is wrong in the user's own file, the first few. Of another program's file only `doctor` tells."""
        found = self.keymap.problems if self.keymap is not None else ()
        own = [problem for problem in found if problem.file == str(self.files[-1])]
        more = len(own) - _MOST_TOLD
        words = [f"A key is not bound: {problem}" for problem in own[:_MOST_TOLD]]
        return [*words, f"{more} more keys are not bound; tui-agent doctor lists them."] if more > 0 else words

    def read(self, event: Pressed) -> Pressed | None:
        """Return what was pressed as it is meant; None where that is done already, or more has to come first."""
        if event is self._settled:
            self._settled = None
            return event
        if self.keymap is None or not self.keymap.tables:
            return event
        if self._app.screen is not self._pressed_on:
            self._forget()  # what was begun elsewhere never answers what has opened since
        if isinstance(event, events.Paste):
            return self._end_with(event) if self._pending else event
        context = context_of(self._app.screen)
        keys = (*(key.key for key in self._pending), event.key)
        if not self._pending and self._is_text(event, context):
            return event
        if self.keymap.may_go_on(context, keys):
            self._wait(event)
            return None
        meaning = self.keymap.meaning(context, keys)
        if meaning is not None:
            self._forget()
            return self._effect(meaning, event)
        return self._end_with(event) if self._pending else event

    # --- keys of which more may come ---------------------------------------------------------------------------------

    def _wait(self, event: events.Key) -> None:
        from tui_agent.settings.keybindings.spelling import spell

        self._stop_waiting()
        self._pending.append(event)
        self._pressed_on = self._app.screen
        self._notify(" ".join(spell(key.key) for key in self._pending) + " …")
        self._patience = asyncio.get_running_loop().call_later(_PATIENCE_S, self._expire)

    def _expire(self) -> None:
        """Nothing more came: what was pressed is what it is alone, if one is still where it was pressed."""
        if self._app.screen is not self._pressed_on:
            self._forget()
            return
        outcome = self._end_with()
        if isinstance(outcome, events.Key):
            self._settled = outcome
            self._app.post_message(outcome)
        else:
            self._order.skip()

    def _end_with(self, *after: Pressed) -> Pressed | None:
        """Give up waiting: return what the first keys mean as far as they mean anything; the rest is read anew after them."""
        pending = self._forget()
        context = context_of(self._app.screen)
        if self.keymap is not None:
            for size in range(len(pending), 0, -1):
                meaning = self.keymap.meaning(context, tuple(key.key for key in pending[:size]))
                if meaning is not None:
                    self._order.put_first([*pending[size:], *after])
                    return self._effect(meaning, pending[size - 1])
        self._order.put_first([*pending[1:], *after])
        return pending[0]

    def _forget(self) -> Sequence[events.Key]:
        self._stop_waiting()
        pending, self._pending = self._pending, []
        return pending

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    # --- what a binding does -----------------------------------------------------------------------------------------

    def _effect(self, meaning: Meaning, event: events.Key) -> events.Key | None:
        from tui_agent.settings.keybindings.keymap import KeyAlias, Runs
        from tui_agent.settings.keybindings.spelling import character

        if isinstance(meaning, KeyAlias):
            return events.Key(meaning.keys[0], character(meaning.keys[0]))
        area = as_editable(self._app.focused)
        if isinstance(meaning, Runs):
            self._run(meaning.command)
        elif event.is_printable and event.character and area is not None:
            area.write(event.character)  # a sign that means nothing there is a sign
        return None

    def _is_text(self, event: events.Key, context: str) -> bool:
        """Whether a key writes a character where text is written: only the prompt lets that mean something else."""
        return (
            event.is_printable
            and isinstance(self._app.focused, Input | TextArea)
            and context not in {"Chat", "Autocomplete"}
        )
