"""Commands about the conversation: what is said, what runs, and what the model still gets."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui_agent.commands.command import Command, Done
from tui_agent.drafts import Chip, Draft
from tui_agent.plain import Plain

__all__ = [
    "Clear",
    "DropResult",
    "Interrupt",
    "Interrupted",
    "RunShell",
    "RunTool",
    "Submit",
    "Submitted",
    "TakeBack",
    "TakenBack",
]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Submitted(Plain):
    """The message is sent or waits; events name it by this id."""

    message_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Submit(Command[Submitted]):
    """Send a message. While a turn runs it waits for the next step, or for the turn's end.

    `chips` are what labels in the text stand for: pasted texts and pictures.
    """

    text: str
    chips: tuple[Chip, ...] = field(default=(), metadata={"json": "attachments"})

    @classmethod
    def of(cls, message: str | Draft) -> Submit:
        """Return the command that sends a message as a user wrote it."""
        draft = Draft.of(message)
        return cls(draft.text, draft.chips)

    @property
    def draft(self) -> Draft:
        """The message."""
        return Draft(self.text, self.chips)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunTool(Command[Done]):
    """Run a tool by hand: `NAME --field=value …`. Refused where the line is wrong, or while something runs.

    The result stays out of the conversation; what may have changed something is mentioned with the next message.
    """

    line: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunShell(Command[Done]):
    """Run a command of the user's own in the shell; the model gets the command and its output."""

    command: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TakenBack(Plain):
    """The messages that waited, the oldest first; where none waited, the newest command of the shell."""

    drafts: tuple[Draft, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TakeBack(Command[TakenBack]):
    """Remove all queued messages and return them."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interrupted(Plain):
    """What ran is being stopped. `unsent` is the message that was just being made ready, or that the model had not begun to
    answer: it is taken back.
    """

    unsent: Draft | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interrupt(Command[Interrupted]):
    """Stop what runs; messages that wait are sent next. Does nothing when nothing runs."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clear(Command[Done]):
    """Begin a new session with the same folder, model and mode, and end this one, which keeps its words and gets `title`.

    Front ends open the new session (`renewal`). An engine that is given this itself starts the conversation afresh, without
    its task list; a running turn is ended first.
    """

    title: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DropResult(Command[Done]):
    """Leave a tool's result out of what the model gets from now on."""

    tool_use_id: str
