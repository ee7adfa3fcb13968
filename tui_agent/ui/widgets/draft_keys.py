"""What keys do with a draft as a whole: put it aside, take it into an editor, look for another one, complete it, give it up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from tui_agent.ui.terminal.shown_keys import named_key

if TYPE_CHECKING:
    from textual.events import Key

    from tui_agent.drafts import Draft
    from tui_agent.queries import Preferences
    from tui_agent.ui.notice_level import Level
    from tui_agent.ui.projection.state import Status
    from tui_agent.ui.prompting.history import PromptHistory
    from tui_agent.ui.widgets.prompt_text import PromptText

__all__ = ["DraftKeys"]

_TWICE_S: Final = 1.0  # between two presses of Escape that give a draft up
_GOES_ON_S: Final = 1.0  # from one letter to the next, while somebody is in the middle of writing


class DraftHolder(Protocol):
    """What has the draft: the prompt."""

    @property
    def text(self) -> PromptText:
        """The text of the draft."""
        ...

    @property
    def draft(self) -> Draft:
        """The draft with its chips."""
        ...

    def with_chips(self, text: str) -> Draft:
        """Return a text with the chips in it as a draft."""
        ...

    def remember(self, draft: Draft) -> None:
        """Keep a draft among what was sent before."""
        ...

    def give_command(self, name: str, argument: str) -> None:
        """Have a command carried out, whatever stands in the prompt."""
        ...

    def open_history(self) -> None:
        """Search what was sent before."""
        ...

    def edit_outside(self) -> object:
        """Let the user's own editor have the draft."""
        ...

    def suspend(self) -> None:
        """Step back into the shell."""
        ...

    def notify_user(self, words: str, *, level: Level = "brief") -> None:
        """Tell the user something about what they write."""
        ...


class DraftKeys:
    """Keys of one prompt. `is_busy` is whether Escape is needed to stop what runs; `folder` is where commands run."""

    def __init__(self, prompt: DraftHolder, history: PromptHistory) -> None:
        self.is_busy = False
        self.folder: Callable[[], str] = lambda: str(Path.cwd())
        self._prompt = prompt
        self._history = history
        self._preferences: Preferences | None = None
        self._stash = ""
        self._escaped_s = -_TWICE_S
        self._changed_s = -_GOES_ON_S
        self._offered: list[str] = []  # what Tab goes through
        self._offered_at = 0

    def follow(self, status: Status) -> None:
        """Take in where the session stands."""
        self.is_busy = status.is_busy
        self.folder = lambda: status.cwd or str(Path.cwd())

    def prefer(self, preferences: Preferences | None) -> None:
        """Take in what the settings say about editing."""
        if preferences is not None and preferences != self._preferences:
            self._preferences = preferences
            self._prompt.text.use_vi(preferences.editor_mode == "vim", preferences.vim_insert_mode_remaps)

    @property
    def is_shell(self) -> bool:
        """Whether the draft is a command of the shell."""
        return self._prompt.text.text.startswith("!")

    def changed(self) -> None:
        """Take note that the draft is another one than a moment ago."""
        self._changed_s = time.monotonic()

    @property
    def is_being_written(self) -> bool:
        """Whether the user is in the middle of writing."""
        text = self._prompt.text
        is_here = text.text != "" and text.screen.focused is text and text.vi_mode in {"", "INSERT"}
        return is_here and time.monotonic() - self._changed_s < _GOES_ON_S

    def go_on(self, event: Key) -> None:
        """Write what was typed on while something came before the prompt. A key that does more than write does nothing."""
        if event.key == "backspace":
            self._prompt.text.action_delete_left()
        elif event.character and event.character.isprintable() and not event.key.startswith("alt+"):
            self._prompt.text.insert(event.character)

    def take_key(self, key: str) -> bool:
        """Do what a key means for the draft; False when it is for somebody else."""
        prompt = self._prompt
        match key:
            case "ctrl+s":
                self._stash_or_restore()
            case "ctrl+r":
                prompt.open_history()  # at once: what is typed next is meant for it
            case "ctrl+g":
                prompt.edit_outside()
            case "ctrl+z":
                prompt.suspend()  # in the text, it is what undoes elsewhere
            case "question_mark" if not prompt.text.text:
                prompt.give_command("help", "")
            case "tab" if self.is_shell:
                self._complete()
            case "escape":
                return self._escape()
            case _:
                return False
        return True

    def sent(self) -> None:
        """The draft was sent: what was put aside comes back."""
        if self._stash:
            self._prompt.text.show(self._stash)
            self._stash = ""
            self._prompt.notify_user("the stashed draft is back")

    def put_aside(self) -> None:
        """Empty the prompt for something else; what stood there comes back when that is sent."""
        prompt = self._prompt
        if text := prompt.text.text:
            if self._stash:
                prompt.remember(prompt.with_chips(self._stash))  # there is one place only
            self._stash = text
            prompt.text.show("")
            prompt.notify_user("the draft is stashed; it comes back when this is sent")

    def _stash_or_restore(self) -> None:
        text = self._prompt.text.text
        stash, self._stash = self._stash, text
        self._prompt.text.show(stash)
        if text:
            key = named_key(self._prompt.text.app, "Chat", "^s")
            self._prompt.notify_user(
                f"put aside; {f'{key}, or ' if key else ''}sending something{',' if key else ''} brings it back"
            )
        elif not stash:
            self._prompt.notify_user("there is no stashed draft")

    def _escape(self) -> bool:
        """Leave the empty shell; else give the draft up at the second press. Where something runs, that is stopped first."""
        text, now = self._prompt.text, time.monotonic()
        if text.text.strip() == "!":
            text.show("")
            return True
        if self.is_busy or text.vi_mode or not text.text.strip():
            return False
        is_twice, self._escaped_s = now - self._escaped_s <= _TWICE_S, now
        if not is_twice:
            self._prompt.notify_user(
                f"{named_key(self._prompt.text.app, 'Chat', 'esc') or 'once'} again clears the draft"
            )
            return False
        self._prompt.remember(self._prompt.draft)
        text.show("")
        key = named_key(self._prompt.text.app, "Chat", "↑")
        self._prompt.notify_user(f"cleared; {key} restores it" if key else "cleared")
        return True

    def _complete(self) -> None:
        """Complete the command at the cursor; the same key again goes on to the next possibility."""
        from tui_agent.ui.prompting.shell_completion import completions

        area = self._prompt.text
        text, at = area.text, area.at
        if self._offered and text[1:at] == self._offered[self._offered_at]:
            self._offered_at = (self._offered_at + 1) % len(self._offered)
            self._put(text, at, self._offered[self._offered_at])
            return
        earlier = [entry.text[1:] for entry in self._history.newest() if entry.text.startswith("!")]
        found = completions(text[1:at], self.folder(), earlier)
        self._offered, self._offered_at = [], 0
        if not found:
            self._prompt.notify_user("No completions.")
            return
        common = _beginning(found)
        if len(found) > 1 and len(common) > at - 1:
            self._put(text, at, common)
            return
        if len(found) == 1:
            self._put(text, at, found[0] if found[0].endswith("/") else f"{found[0]} ")
            return
        self._offered = found
        self._put(text, at, found[0])
        self._prompt.notify_user(f"{len(found)} completions; tab shows the next")

    def _put(self, text: str, at: int, command: str) -> None:
        self._prompt.text.rewrite(f"!{command}{text[at:]}", len(command) + 1)


def _beginning(texts: Sequence[str]) -> str:
    """Return what all texts begin with."""
    first, last = min(texts), max(texts)
    alike = next((at for at, char in enumerate(first) if last[at : at + 1] != char), len(first))
    return first[:alike]
