"""Commands that the user gives to the shell: through all stages of a use of Bash, but decided on by whoever typed them.

What rules and hooks forbid stays forbidden. The user is asked only where it cannot be told whether a rule forbids the
command, and before what would remove too much. The model gets command and output with what it is told next.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tui_agent.changes import FileChange
from tui_agent.context_marks import neutral
from tui_agent.drafts import Draft
from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.engine.session.manual_tools import ManualToolCall, ManualToolTurn
from tui_agent.events import Event, MessageQueued, MessageUnqueued
from tui_agent.execution.execution_context import ExecutionContext, PermissionQuestion, ToolOutcome
from tui_agent.execution.resolution import find_tool
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.permissions.verdict import ToolCall, Verdict

__all__ = ["ShellTurn", "UserCommandGate", "UserShell"]

_HEAD: Final = "The user ran this command in the shell."
_NOT_RUN: Final = frozenset({"unknown_tool", "invalid_input", "validation", "denied", "hook", "aborted", "timeout"})
# Checks of a decision that stop even a command which the user has typed: the second where rules forbid anything.
_ALWAYS_ASKED: Final = "critical removal"
_ASKED_UNDER_DENIALS: Final = "syntax"


class UserCommandGate:
    """The door for commands of the user's own: a question that would be put to them counts as answered.

    They are judged as in the usual mode: the other modes hold back the model, not the user.
    """

    def __init__(self, broker: PermissionBroker, rulebook: Rulebook) -> None:
        self._broker = broker
        self._rulebook = rulebook

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:  # noqa: ARG002 - part of the protocol
        """Return what rules and hooks say; what they leave to the user is allowed."""
        verdict = self._rulebook.judge(call, mode="default")
        if verdict.behavior == "deny":
            said = {"by": verdict.by, "reason": verdict.reason}
            self._broker.log.note_denied(call, **said, rule=verdict.rule, source=verdict.source)
        if verdict.behavior != "ask" or self._is_asked(verdict):
            return verdict
        return replace(verdict, behavior="allow", reason="you gave the command yourself", is_open=False)

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:
        """Put a question to the user."""
        return await self._broker.ask(question, rivals)

    def _is_asked(self, verdict: Verdict) -> bool:
        check = verdict.steps[-1].check if verdict.steps else _ALWAYS_ASKED
        return check == _ALWAYS_ASKED or (check == _ASKED_UNDER_DENIALS and bool(self._rulebook.rules.deny))


class UserShell:
    """Commands that wait for the turn that runs to end. `make` makes the turn of one."""

    def __init__(self, publish: Callable[[Event], object], make: Callable[[str], ShellTurn]) -> None:
        self._publish = publish
        self._make = make
        self._waiting: deque[tuple[str, str, bool]] = deque()  # id, command, and whether it was told to wait

    def put(self, command: str, *, is_announced: bool) -> None:
        """Let a command wait. `is_announced` tells the user that it does."""
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


class ShellTurn(ManualToolTurn):
    """One command of the user's, as a turn of its own."""

    detail = ""
    is_for_model = True

    def __init__(self, command: str, execution_context: ExecutionContext) -> None:
        super().__init__(
            ManualToolCall(
                find_tool(execution_context.pool, "Bash"),
                {"command": command, "timeout": execution_context.limits.command_timeout_max_ms},
            ),
            execution_context,
        )
        self.command: Final = command

    def news(self, outcome: ToolOutcome) -> str:
        """Return command and output, for the model."""
        ran = outcome.use.raw if outcome.use is not None else {}
        command = str(ran.get("command", self.command))
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
