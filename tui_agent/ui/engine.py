"""What the user interface needs of a session, structurally typed: the app runs on anything that has these members.

`tui_agent.session.Session` is the real one; replay and the tests bring their own. Nothing here imports the engine, so that
the first frame need not wait for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from textual.screen import Screen

    from tui_agent.bus import Bus
    from tui_agent.changes import FileChange
    from tui_agent.permissions.modes import Mode
    from tui_agent.permissions.verdict import Decision, Verdict
    from tui_agent.tools.forms import Answers

__all__ = ["Connect", "Engine", "Lobby"]

T = TypeVar("T")


class Engine(Protocol):
    """One conversation, as a front end drives it. Every command returns at once; its effects arrive as events on `bus`."""

    @property
    def id(self) -> str:
        """The session's id."""
        ...

    @property
    def bus(self) -> Bus:
        """Where the session's events are published."""
        ...

    @property
    def mode(self) -> Mode:
        """The permission mode in force."""
        ...

    @property
    def model(self) -> str:
        """The model that requests go to."""
        ...

    @property
    def is_busy(self) -> bool:
        """Whether a turn is running."""
        ...

    def start(self) -> None:
        """Publish what a subscriber must know first; called once, when the front end has subscribed."""
        ...

    def submit(self, text: str) -> str:
        """Send a message and return its id; while a turn runs it is queued."""
        ...

    @property
    def tool_names(self) -> Sequence[tuple[str, str]]:
        """The tools that may be run by hand, each with what it does in a few words."""
        ...

    def run_tool(self, line: str) -> str:
        """Run a tool by hand (`NAME --field=value …`); return what is wrong with the line, empty when it starts."""
        ...

    def take_back(self) -> str | None:
        """Remove the newest queued message and return its text, None when the queue is empty."""
        ...

    def interrupt(self) -> None:
        """Stop what runs. Does nothing when nothing does."""
        ...

    def answer(self, request_id: str, decision: Decision) -> bool:
        """Answer a question; False when it was settled already."""
        ...

    def proposals(self, request_id: str) -> tuple[FileChange, ...]:
        """The changes that a question is about, with their texts; none where there is no longer a question."""
        ...

    def judge(self, request_id: str, input: dict[str, Any]) -> Verdict:
        """What the permissions would say if the call had this input."""
        ...

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:
        """Answer a form, or close it (None); False when it was settled already, or an answer does not hold."""
        ...

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode."""
        ...

    def cycle_mode(self) -> None:
        """Go to the next of the modes that may be cycled through."""
        ...

    def set_model(self, model: str) -> None:
        """Send requests to another model from now on."""
        ...

    def stop_tool(self, tool_use_id: str) -> None:
        """Stop one running tool."""
        ...

    def stop_job(self, job_id: str) -> None:
        """Stop one background job."""
        ...

    def move_to_background(self, tool_use_id: str) -> None:
        """Let a running command go on in the background."""
        ...

    def clear(self) -> None:
        """Start the conversation afresh."""
        ...

    async def refresh(self) -> None:
        """Look again at what other programs may have changed meanwhile, such as the git branch."""
        ...

    async def wait_idle(self) -> None:
        """Return when no turn runs and the queue is empty."""
        ...

    async def close(self) -> None:
        """Stop what runs, end the session and release what it holds."""
        ...


class Lobby(Protocol):
    """What may be asked of the person before there is a session: a key, whether a folder is trusted."""

    async def ask(self, screen: Screen[T]) -> T | None:
        """Show a screen and return what it is dismissed with."""
        ...


Connect = Callable[[Lobby], Awaitable[Engine | None]]
"""Makes the session, heavy imports included, after the first frame; None when the person chose to leave."""
