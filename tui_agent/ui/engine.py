"""What the user interface needs of a session, structurally typed: the app runs on anything that has these members.

`engine.session.session.Session` is the real one; replay and the tests bring their own. Nothing here imports the engine, so
that the first frame need not wait for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from textual.screen import Screen

    from tui_agent.bus import Bus
    from tui_agent.changes import FileChange
    from tui_agent.drafts import Draft
    from tui_agent.engine.context.context_report import ContextReport
    from tui_agent.engine.files.change_history import ChangeHistory
    from tui_agent.engine.gate.permission_service import PermissionService
    from tui_agent.engine.gate.plan_mode import PlanOffer
    from tui_agent.events import Event, MaskingChanged
    from tui_agent.hooks.registry import HookRegistry
    from tui_agent.permissions.modes import Mode
    from tui_agent.permissions.verdict import Decision, Verdict
    from tui_agent.settings.load import Settings
    from tui_agent.tools.forms import Answers
    from tui_agent.tools.workspace import Workspace

__all__ = ["Connect", "Engine", "Reconnect", "StartupPrompter"]

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

    def submit(self, message: str | Draft) -> str:
        """Send a message and return its id; while a turn runs it is queued."""
        ...

    @property
    def tool_names(self) -> Sequence[tuple[str, str]]:
        """The tools that may be run by hand, each with what it does in a few words."""
        ...

    def run_tool(self, line: str) -> str:
        """Run a tool by hand (`NAME --field=value …`); return what is wrong with the line, empty when it starts."""
        ...

    def run_shell(self, command: str) -> str:
        """Run a command of the user's own in the shell; return why that cannot be, empty where it is run, or will be."""
        ...

    def take_back(self) -> list[Draft]:
        """Remove all queued messages and return them, the oldest first; where none waits, the newest command of the shell."""
        ...

    def interrupt(self) -> Draft | None:
        """Stop what runs. Return the message that was just being made ready, and now is not sent."""
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

    @property
    def permissions(self) -> PermissionService | None:
        """The rules, what was refused, and trials of calls; None where nothing is judged, as in a recording."""
        ...

    @property
    def change_history(self) -> ChangeHistory | None:
        """What the session has changed in files, with undo; None where nothing can be undone, as in a recording."""
        ...

    def answer_form(self, request_id: str, answers: Answers | None) -> bool:
        """Answer a form, or close it (None); False when it was settled already, or an answer does not hold."""
        ...

    def plan(self) -> PlanOffer | None:
        """The plan that waits for approval; None where nobody can approve one, as in a recording."""
        ...

    def plan_edited(self) -> None:
        """The plan's file was changed by the user: what it says now is what they approve."""
        ...

    @property
    def masking(self) -> MaskingChanged | None:
        """Whether secrets are hidden, and which are known by name; None where nothing is masked, as in a recording."""
        ...

    @property
    def hooks(self) -> HookRegistry | None:
        """The hooks of the settings in force, and what is wrong with any; None where none run, as in a recording."""
        ...

    def set_masking(self, is_on: bool) -> None:
        """Hide secrets from now on, or show them."""
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

    @property
    def is_thinking(self) -> bool:
        """Whether the user wants the model to think before it answers."""
        ...

    def set_thinking(self, is_on: bool) -> None:
        """Let the model think before it answers from the next message on, or not; some models always do."""
        ...

    def set_spending_limit(self, usd: float | None) -> None:
        """Limit what the session may cost, in US dollars; None takes the limit away."""
        ...

    async def context_report(self) -> ContextReport | None:
        """Return what the next request to the model would carry, part by part; None where there is none, as in a recording."""
        ...

    async def drop_result(self, tool_use_id: str) -> str:
        """Leave a tool's result out of what the model gets from now on. Return why that cannot be; empty where it is done."""
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

    @property
    def workspace(self) -> Workspace | None:
        """The folders it works in; None where there are none, as in a recording."""
        ...

    @property
    def settings(self) -> Settings | None:
        """What is set, and by which source; None where nothing is, as in a recording."""
        ...

    async def reload_settings(self) -> None:
        """Read the settings anew if one of their files has changed."""
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


class StartupPrompter(Protocol):
    """What may be asked of the user before there is a session: a key, whether a folder is trusted."""

    async def ask(self, screen: Screen[T]) -> T | None:
        """Show a screen and return what it is dismissed with."""
        ...

    def preview(self, ending: Iterable[Event]) -> None:
        """Show how the conversation ends that is going to be taken up; what the session publishes takes its place."""
        ...


Connect = Callable[[StartupPrompter], Awaitable[Engine | None]]
"""Makes the session, heavy imports included, after the first frame; None when the user chose to leave."""

Reconnect = Callable[[StartupPrompter, str, "Path"], Awaitable[Engine | None]]
"""Makes the session with this id, recorded in this folder, to go on with; None when the user chose not to."""
