"""The prompt: where a person writes. Sends on Enter, grows with its text, remembers what was sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static, TextArea

from tui_agent.text import clean, clean_line
from tui_agent.ui import commands
from tui_agent.ui.history import PromptHistory
from tui_agent.ui.looks import muted
from tui_agent.ui.widgets.completions import Completions

__all__ = ["Prompt", "PromptText"]

_MOST_TOOLS: Final = 8
_NEWLINE_KEYS: Final = frozenset({"shift+enter", "ctrl+j", "alt+enter", "ctrl+enter"})


class PromptText(TextArea):
    """The text itself. What a key means beyond editing is asked of the `Prompt` around it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "app.stop_or_leave", show=False)]

    def __init__(self, prompt: Prompt) -> None:
        super().__init__(
            "",
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            tab_behavior="focus",
            highlight_cursor_line=False,
            id="prompt-text",
        )
        self.cursor_blink = False
        self._prompt = prompt

    async def _on_key(self, event: events.Key) -> None:
        if self._prompt.take_key(event.key):
            event.stop()
            event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        # The base class would insert what came as it came.
        event.stop()
        event.prevent_default()
        start, stop = self.selection
        self.replace(clean(event.text), start, stop, maintain_selection_offset=False)

    @property
    def is_on_first_row(self) -> bool:
        """Whether nothing, wrapped rows included, is above the cursor."""
        return self.navigator.is_first_wrapped_line(self.cursor_location)

    @property
    def is_on_last_row(self) -> bool:
        """Whether nothing, wrapped rows included, is below the cursor."""
        return self.navigator.is_last_wrapped_line(self.cursor_location)


class Prompt(Vertical):
    """The text, the messages that wait to be sent above it, and the list of commands while one is typed."""

    text = query_one("#prompt-text", PromptText)
    completions = query_one(Completions)
    queue = query_one("#queue", Static)

    class Submitted(Message):
        """The person sent `text`."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class CommandGiven(Message):
        """The person gave a command: its name as typed, and what followed."""

        def __init__(self, name: str, argument: str) -> None:
            super().__init__()
            self.name = name
            self.argument = argument

    class TakeBackWanted(Message):
        """The person wants the newest waiting message back in the prompt."""

    class LeaveWanted(Message):
        """The person pressed the key that ends a shell."""

    def __init__(self, history: PromptHistory, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._history = history
        self._waiting = 0
        self._is_dismissed = False  # the list of commands, for what is typed just now
        self.tool_names: Callable[[], Sequence[tuple[str, str]]] = tuple  # for `/tool`, with words on them

    def compose(self) -> ComposeResult:
        yield Completions()
        yield Static(id="queue", markup=False)
        with Horizontal(id="prompt-row"):
            yield Static("❯", id="prompt-mark", markup=False)
            yield PromptText(self)

    def on_mount(self) -> None:
        """Nothing waits yet."""
        self.queue.display = False

    # --- keys --------------------------------------------------------------------------------------------------------

    def take_key(self, key: str) -> bool:
        """Do what a key means here; False when it is for the text."""
        if self.completions.is_open and self._take_completion_key(key):
            return True
        text = self.text
        if key in _NEWLINE_KEYS:
            text.insert("\n")
        elif key == "enter":
            self._enter()
        elif key == "up" and text.is_on_first_row:
            self._up()
        elif key == "down" and text.is_on_last_row:
            self._show(self._history.forward())
        elif key == "ctrl+d" and not text.text:
            self.post_message(self.LeaveWanted())
        else:
            return False
        return True

    def _take_completion_key(self, key: str) -> bool:
        match key:
            case "up":
                self.completions.move(-1)
            case "down":
                self.completions.move(1)
            case "tab":
                self._complete(self.completions.current)
            case "enter":
                self._take_name(self.completions.current)
            case "escape":
                self._is_dismissed = True
                self.completions.offer(())
            case _:
                return False
        return True

    def _enter(self) -> None:
        area = self.text
        row, column = area.cursor_location
        if column and area.document.get_line(row)[column - 1] == "\\":
            area.replace("\n", (row, column - 1), (row, column))  # works in every terminal
            return
        text = area.text.strip()
        if not text:
            return
        command = commands.split(text)
        if command is not None:
            self._give(*command)
            return
        self._history.add(text)
        self.clear()
        self.post_message(self.Submitted(text))

    def _up(self) -> None:
        if self._waiting and not self._history.is_browsing:
            self.post_message(self.TakeBackWanted())
        else:
            self._show(self._history.back(self.text.text))

    def _show(self, text: str | None) -> None:
        if text is not None:
            self._is_dismissed = True  # an old command is shown, not typed
            self.text.load_text(text)
            self.text.move_cursor(self.text.document.end)

    def _give(self, name: str, argument: str) -> None:
        self._history.add(f"/{name} {argument}".strip())
        self.clear()
        self.post_message(self.CommandGiven(name, argument))

    def _take_name(self, name: str) -> None:
        """Give the command, or write a tool's name, after which its fields are to come."""
        if " " in name:
            self._complete(name)
        else:
            self._give(name, "")

    def _complete(self, name: str) -> None:
        command = commands.find(name)
        has_more = " " in name or (command is not None and command.argument)
        self.put(f"/{name}{' ' if has_more else ''}")

    # --- what others do ----------------------------------------------------------------------------------------------

    def clear(self) -> bool:
        """Empty the prompt; False when it was empty."""
        had_text = bool(self.text.text)
        self._history.rest()
        self.text.load_text("")
        return had_text

    def put(self, text: str) -> None:
        """Put text into the prompt, the cursor at its end."""
        self._history.rest()
        self.text.load_text(text)
        self.text.move_cursor(self.text.document.end)

    def type(self, text: str) -> None:
        """Take over text that was typed while something else had the focus."""
        self.text.focus()
        self.text.insert(text)

    def take_back(self, text: str) -> None:
        """Put a message that was waiting before the draft."""
        draft = self.text.text
        self.put(f"{text}\n{draft}" if draft else text)

    def show_queue(self, waiting: list[tuple[str, str]]) -> None:
        """List the messages that wait for the turn to end."""
        self._waiting = len(waiting)
        self.queue.display = bool(waiting)
        rows = [Content.assemble(("queued  ", "$text-warning"), clean_line(text, 300)) for _, text in waiting[-3:]]
        if len(waiting) > len(rows):
            rows.insert(0, Content.styled(f"{len(waiting) - len(rows)} more queued", muted(self.app)))
        if rows:
            rows[-1] += Content.styled("   ↑ takes it back", muted(self.app))
        self.queue.update(Content("\n").join(row.truncate(max(1, self.size.width), ellipsis=True) for row in rows))

    @on(TextArea.Changed)
    def _offer(self, event: TextArea.Changed) -> None:
        """Offer commands while the first word begins with a slash, and tools while the one to run is being named."""
        event.stop()
        found = self._fitting(self.text.text)
        if found is None:
            self._is_dismissed = False
        self.completions.offer(found if found and not self._is_dismissed else ())

    def _fitting(self, text: str) -> list[tuple[str, str]] | None:
        """Return what could be meant, with words on it; None where nothing is being named."""
        beginning = text.removeprefix("/tool ")
        if not text.startswith("/") or any(blank in beginning for blank in " \n\t") or "/" in beginning[1:]:
            return None
        if beginning == text:
            return [(command.name, command.words) for command in commands.matching(text[1:])]
        wanted = beginning.lower()
        return [(f"tool {name}", words) for name, words in self.tool_names() if name.lower().startswith(wanted)][
            :_MOST_TOOLS
        ]

    @on(Completions.Taken)
    def _clicked(self, event: Completions.Taken) -> None:
        event.stop()
        self._take_name(event.name)
