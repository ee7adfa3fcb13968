"""The prompt: where a user writes. Sends on Enter, grows with its text, remembers what was sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Key
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static, TextArea

from tui_agent import slash_commands
from tui_agent.drafts import Draft
from tui_agent.text import clean, clean_line
from tui_agent.ui.prompting.history import MOST_REMEMBERED, PromptHistory
from tui_agent.ui.widgets.completion_controller import OFFER_KEYS, CompletionController
from tui_agent.ui.widgets.completions import Completions
from tui_agent.ui.widgets.draft_keys import DraftKeys
from tui_agent.ui.widgets.pasting import Pasting
from tui_agent.ui.widgets.prompt_text import PromptText
from tui_agent.ui.widgets.queued_messages import QueuedMessages

if TYPE_CHECKING:
    from pathlib import Path

    from rich.text import Text

    from tui_agent.ui.notice_level import Level
    from tui_agent.ui.prompting.file_finder import FileFinder
    from tui_agent.ui.widgets.history_panel import HistoryPanel

__all__ = ["Prompt"]

_MODE_WORDS: Final = {
    "acceptEdits": "edits",
    "plan": "plan",
    "dontAsk": "don't ask",
    "bypassPermissions": "bypass",
}
_NEWLINE_KEYS: Final = frozenset({"shift+enter", "ctrl+j", "alt+enter", "alt+ctrl+j"})
_SENDS: Final = "enter"
_SENDS_NOW: Final = "ctrl+enter"
_MOST_FOLDED: Final = 50  # drafts


class Prompt(Vertical):
    """The text, the messages that wait to be sent above it, and a list of what could be meant by what is being named."""

    text = query_one("#prompt-text", PromptText)
    completions = query_one(Completions)
    queue = query_one(QueuedMessages)

    class Submitted(Message):
        """The user sent `draft`; with `is_urgent`, a command that runs is not to hold it up."""

        def __init__(self, draft: Draft, *, is_urgent: bool = False) -> None:
            super().__init__()
            self.draft = draft
            self.is_urgent = is_urgent

    class CommandGiven(Message):
        """The user gave a command: its name as typed, and what followed."""

        def __init__(self, name: str, argument: str) -> None:
            super().__init__()
            self.name = name
            self.argument = argument

    class ShellGiven(Message):
        """The user gave a command for the shell."""

        def __init__(self, command: str) -> None:
            super().__init__()
            self.command = command

    class Notification(Message):
        """Something that the user is to be told."""

        def __init__(self, text: str, *, level: Level = "brief") -> None:
            super().__init__()
            self.text = text
            self.level = level

    class TakeBackWanted(Message):
        """The user wants the waiting messages back in the prompt."""

    class LeaveWanted(Message):
        """The user pressed the key that ends a shell."""

    def __init__(self, history: PromptHistory, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._history = history
        self.drafting = DraftKeys(self, history)
        self._mode = "default"
        self._was_shell = False
        self._panel: HistoryPanel | None = None  # the history search, while it is open
        self._folded: dict[str, str] = {}  # what was sent whole, and how it stood in the prompt
        area, completions = PromptText(self), Completions()
        self._parts = area, completions
        self.completer = CompletionController(
            area, completions, give=self._give, notify=lambda words: self.notify_user(words, level="warning")
        )
        self.pasting = Pasting(area, self.notify_user)

    def compose(self) -> ComposeResult:
        area, completions = self._parts
        yield completions
        yield QueuedMessages(id="queue")
        with Horizontal(id="prompt-row"):
            yield Static("❯", id="prompt-mark", markup=False)
            yield area

    def show_mode(self, mode: str) -> None:
        """Say at the prompt which permission mode is on, where it is not the usual one."""
        self._mode = mode
        self.show_mark()

    def show_mark(self) -> None:
        """Say before the text what it is and how it is edited, besides the permission mode."""
        mark, mode = self.query_one("#prompt-mark", Static), self._mode
        word = _MODE_WORDS.get(mode, "" if mode == "default" else clean_line(mode, 20))
        is_shell = self._was_shell = self.drafting.is_shell
        words = [self.text.vi_mode, word, "shell" if is_shell else "", "❯"]
        mark.update(" ".join(filter(None, words)))
        mark.set_class(is_shell, "-shell")
        for name in _MODE_WORDS:
            mark.set_class(name == mode, f"-{name}")

    def on_resize(self) -> None:
        """Keep the list within the screen."""
        self.completions.fit()

    def on_unmount(self) -> None:
        """Look for nothing any more."""
        self.completer.close()

    # --- keys --------------------------------------------------------------------------------------------------------

    def take_key(self, key: str) -> bool:
        """Do what a key means here; False when it is for the text."""
        if self.completer.take_key(key) or self.drafting.take_key(key) or self.pasting.take_key(key):
            return True
        text = self.text
        if key in _NEWLINE_KEYS:
            text.new_line()
        elif key == _SENDS:
            self._enter()
        elif key == _SENDS_NOW:
            self._enter(is_urgent=True)
        elif key == "up" and text.is_on_first_row:
            self._up()
        elif key == "down" and text.is_on_last_row:
            self._show(self._history.forward(self.text.text))
        elif key == "ctrl+d" and not text.text:
            self.post_message(self.LeaveWanted())
        else:
            return False
        return True

    async def settle(self, key: str) -> None:
        """Return when a key can be taken: what it may be about has been found, or read."""
        if key in OFFER_KEYS:
            await self.completer.settle()
        if key in (_SENDS, _SENDS_NOW):
            await self.pasting.settle()

    async def take_paste(self, text: str) -> None:
        """Take what was pasted."""
        await self.pasting.take(text)

    def widen(self, start: int, stop: int, inserted: str) -> tuple[int, int]:
        """Return from where to where a change of the text has to reach so that no chip is left in pieces."""
        return self.pasting.chips.cut(self.text.text, start, stop, inserted)

    @property
    def has_chips(self) -> bool:
        """Whether there are chips that may stand in the text."""
        return bool(self.pasting.chips)

    def paint(self, line: Text) -> None:
        """Set chips in a line apart from what was typed."""
        self.pasting.paint(line)

    @property
    def is_completing(self) -> bool:
        """Whether the list of what could be meant is open."""
        return self.completer.is_open

    def close_list(self) -> None:
        """Close the list of what could be meant, until something else is typed."""
        self.completer.dismiss()

    def _enter(self, *, is_urgent: bool = False) -> None:
        area = self.text
        row, column = area.cursor_location
        if column and area.document.get_line(row)[column - 1] == "\\":
            area.replace("\n", (row, column - 1), (row, column))  # works in every terminal
            return
        text = area.text.strip()
        if not text or text == "!" or not self.pasting.is_ready:
            return
        draft = self.pasting.chips.draft(text)
        if text.startswith("!"):
            self._sent(draft)
            self.post_message(self.ShellGiven(draft.whole[1:].strip()))
            return
        command = slash_commands.split(text)
        if command is not None:
            self._give(command[0], Draft(command[1], draft.chips).whole)
            return
        self._sent(draft)
        self.post_message(self.Submitted(draft, is_urgent=is_urgent))

    def _sent(self, draft: Draft) -> None:
        self.remember(draft)
        self.text.begin()
        self.drafting.sent()

    def remember(self, draft: Draft) -> None:
        """Keep a draft among what was sent before: whole, and in this run as it stood in the prompt."""
        whole = draft.whole
        if len(whole) > MOST_REMEMBERED:
            whole = draft.text  # too much for the history; its chips are known in this run
        elif whole != draft.text:
            self._folded[whole] = draft.text
            if len(self._folded) > _MOST_FOLDED:
                del self._folded[next(iter(self._folded))]
        self._history.add(whole)

    def _up(self) -> None:
        if self.queue.count and not self._history.is_browsing:
            self.post_message(self.TakeBackWanted())
        else:
            self._show(self._history.back(self.text.text))

    def _show(self, text: str | None) -> None:
        if text is not None:
            self.text.show(self._folded.get(text, text))
            self.completer.dismiss()  # an old command is shown, not typed

    def _give(self, name: str, argument: str) -> None:
        self._sent(Draft(f"/{name} {argument}".strip()))
        self.give_command(name, argument)

    # --- what others do ----------------------------------------------------------------------------------------------

    def clear(self) -> bool:
        """Empty the prompt; False when it was empty."""
        had_text = bool(self.text.text)
        self._history.rest()
        self.text.show("")
        return had_text

    def put(self, text: str) -> None:
        """Put text into the prompt, the cursor at its end."""
        self._history.rest()
        self.text.show(text)

    def type(self, text: str) -> None:
        """Take over text that was typed while something else had the focus."""
        self.text.focus()
        self.text.type(text)

    def notify_user(self, words: str, *, level: Level = "brief") -> None:
        """Tell the user something about what they write."""
        self.post_message(self.Notification(words, level=level))

    def offer_tools(self, tools: Callable[[], Sequence[tuple[str, str]]]) -> None:
        """Complete names of tools by what `tools` gives then, with words on each."""
        self.completer.offer_tools(tools)

    def offer_skills(self, skills: Callable[[], Sequence[slash_commands.SlashCommand]]) -> None:
        """Complete what `skills` gives then besides the built-in commands."""
        self.completer.offer_skills(skills)

    def offer_files(self, root: Path, finder: FileFinder) -> None:
        """Complete files by what `finder` finds; paths that are pasted start at `root`."""
        self.completer.offer_files(finder)
        self.pasting.start_at(root)

    def offer_values(self, values: Callable[[str], Sequence[tuple[str, str]]]) -> None:
        """Complete what follows a command by `values`: given its name, words that may follow, with what they mean."""
        self.completer.offer_values(values)

    def open_history(self) -> None:
        """Search what was sent before; the draft stays as it is until something is taken."""
        from tui_agent.ui.widgets.history_panel import HistoryPanel

        if self._panel is None:
            self._panel = HistoryPanel(self._history)
            self.mount(self._panel, before="#prompt-row")

    def pass_on(self, event: Key) -> bool:
        """Give a key to the history search that is just being opened; False where none is."""
        return self._panel is not None and self._panel.take_early(event)

    async def on_history_panel_closed(self, event: HistoryPanel.Closed) -> None:
        """Write, and perhaps send, what was taken."""
        event.stop()
        panel, self._panel = self._panel, None
        self.text.focus()
        if event.text is not None:
            self._history.rest()
            self._show(event.text)
            if event.sends:
                self._enter()
        if panel is not None:
            for key in panel.late:
                self.text.give(key)
            await panel.remove()

    @work(exit_on_error=False, exclusive=True, group="editor")
    async def edit_outside(self) -> None:
        """Let the user's own editor have the draft. One that fails leaves it as it was."""
        from tui_agent.ui.terminal.editor import EditorError, edit_outside

        text = self.draft.whole
        try:
            # A whole line, as editors write them.
            text = await edit_outside(self.app, f"{text}\n" if text else "", "prompt.md")
        except EditorError as error:
            self.notify_user(str(error), level="warning")
        else:
            self.text.show(self.pasting.folded(clean(text).rstrip("\n"), self.draft))

    def suspend(self) -> None:
        """Step back into the shell."""
        from tui_agent.ui.terminal.suspending import suspend

        if problem := suspend(self.app):
            self.notify_user(problem)

    def take_back(self, messages: Sequence[Draft]) -> None:
        """Put messages that were waiting before the draft. A command of the shell is not mixed with text: that is put aside."""
        if not messages:
            return
        if self.drafting.is_shell or any(message.text.startswith("!") for message in messages):
            self.drafting.put_aside()
        draft = Draft(self.text.text)
        for message in reversed(messages):
            self.pasting.chips.put(message.chips)
            draft = draft.after(message)
        self.put(draft.text)
        self.completer.dismiss()

    @property
    def draft(self) -> Draft:
        """What stands in the prompt."""
        return self.with_chips(self.text.text)

    def with_chips(self, text: str) -> Draft:
        """Return a text with the chips in it as a draft."""
        return self.pasting.chips.draft(text)

    def give_command(self, name: str, argument: str) -> None:
        """Have a command carried out, whatever stands in the prompt."""
        self.post_message(self.CommandGiven(name, argument))

    def show_queue(self, waiting: Sequence[tuple[str, str]]) -> None:
        """List the messages that wait for the model to be asked again."""
        self.queue.show(waiting, self.size.width)

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.drafting.changed()
        if self.drafting.is_shell != self._was_shell:
            self.show_mark()
        self.completer.update()

    @on(TextArea.SelectionChanged)
    def _moved(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        self.pasting.step_over()
        self.completer.update()

    @on(Completions.Taken)
    def _clicked(self, event: Completions.Taken) -> None:
        event.stop()
        self.completer.take(event.name)
        self.text.focus()
