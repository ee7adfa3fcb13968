"""Commands that the person gives to the shell: through all stages of a use of Bash, but decided on by whoever typed them.

What rules and hooks forbid stays forbidden. The person is asked only where it cannot be told whether a rule forbids the
command, and before what would remove too much. The model gets command and output with what it is told next.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tui_agent.agent.by_hand import HandCall, HandTurn
from tui_agent.agent.desk import PermissionDesk
from tui_agent.agent.rulebook import Rulebook
from tui_agent.changes import FileChange
from tui_agent.drafts import Draft
from tui_agent.events import Event, MessageQueued, MessageUnqueued
from tui_agent.execution.race import Answer, Rivals
from tui_agent.execution.toolbox import Question, Toolbox, ToolOutcome
from tui_agent.framing import neutral
from tui_agent.permissions.verdict import Call, Verdict

__all__ = ["OwnCommandGate", "OwnShell", "ShellTurn"]

_HEAD: Final = "The person ran this command in the shell themselves."
_NOT_RUN: Final = frozenset({"unknown_tool", "invalid_input", "validation", "denied", "hook", "aborted", "timeout"})
# Checks of a decision that stop even a command which the person has typed: the second where rules forbid anything.
_ALWAYS_ASKED: Final = "critical removal"
_ASKED_UNDER_DENIALS: Final = "syntax"


class OwnCommandGate:
    """The door for commands of the person's own: a question that would be put to them counts as answered.

    They are judged as in the usual mode: the other modes hold back the model, not the person.
    """

    def __init__(self, desk: PermissionDesk, rulebook: Rulebook) -> None:
        self._desk = desk
        self._rulebook = rulebook

    def decide(self, call: Call, proposals: tuple[FileChange, ...]) -> Verdict:  # noqa: ARG002 - part of the protocol
        """Return what rules and hooks say; what they leave to the person is allowed."""
        verdict = self._rulebook.judge(call, mode="default")
        if verdict.behavior == "deny":
            said = {"by": verdict.by, "reason": verdict.reason}
            self._desk.log.note_denied(call, **said, rule=verdict.rule, source=verdict.source)
        if verdict.behavior != "ask" or self._is_asked(verdict):
            return verdict
        return replace(verdict, behavior="allow", reason="you gave the command yourself", is_open=False)

    async def ask(self, question: Question, rivals: Rivals) -> Answer:
        """Put a question to the person."""
        return await self._desk.ask(question, rivals)

    def _is_asked(self, verdict: Verdict) -> bool:
        check = verdict.steps[-1].check if verdict.steps else _ALWAYS_ASKED
        return check == _ALWAYS_ASKED or (check == _ASKED_UNDER_DENIALS and bool(self._rulebook.rules.deny))


class OwnShell:
    """Commands that wait for the turn that runs to end. `make` makes the turn of one."""

    def __init__(self, publish: Callable[[Event], object], make: Callable[[str], ShellTurn]) -> None:
        self._publish = publish
        self._make = make
        self._waiting: deque[tuple[str, str, bool]] = deque()  # id, command, and whether it was told to wait

    def put(self, command: str, *, is_announced: bool) -> None:
        """Let a command wait. `is_announced` tells the person that it does."""
        name = f"cmd_{uuid.uuid4().hex[:12]}"
        self._waiting.append((name, command, is_announced))
        if is_announced:
            self._publish(MessageQueued(message_id=name, text=f"!{command}"))

    def next(self) -> ShellTurn | None:
        """Return the turn of the command that waits longest, None where none does."""
        if not self._waiting:
            return None
        name, command, is_announced = self._waiting.popleft()
        if is_announced:
            self._publish(MessageUnqueued(message_id=name))
        return self._make(command)

    def take_back(self) -> Draft | None:
        """Remove the newest command and return it as it was typed; None where none waits."""
        if not self._waiting:
            return None
        name, command, is_announced = self._waiting.pop()
        if is_announced:
            self._publish(MessageUnqueued(message_id=name))
        return Draft(f"!{command}")


class ShellTurn(HandTurn):
    """One command of the person's, as a turn of its own."""

    detail = ""
    is_for_model = True

    def __init__(self, command: str, toolbox: Toolbox) -> None:
        super().__init__(
            HandCall("Bash", {"command": command, "timeout": toolbox.limits.command_timeout_max_ms}), toolbox
        )
        self.command: Final = command

    def news(self, outcome: ToolOutcome) -> str:
        """Return command and output, for the model."""
        command = str(self.call.input.get("command", self.command))
        text = outcome.content if isinstance(outcome.content, str) else "(no text)"
        text = text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>") if outcome.is_error else text
        out, error = ("", text) if outcome.is_error else (text, "")
        return "\n".join([
            _HEAD,
            f"<bash-input>{neutral(command)}</bash-input>",
            f"<bash-stdout>{neutral(out)}</bash-stdout><bash-stderr>{neutral(error)}</bash-stderr>",
        ])  # fmt: skip

    def wants_answer(self, outcome: ToolOutcome) -> bool:
        """Whether the command ran to its end, so that there is something to say about it."""
        data = outcome.data or {}
        is_over = outcome.error_kind not in _NOT_RUN and not data.get("interrupted") and "backgroundTaskId" not in data
        return is_over and not self.is_interrupted
