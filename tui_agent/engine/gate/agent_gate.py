"""The gate of a subagent: it lets through what the session would let through, less what the agent's own limits forbid.

An agent is judged by the rules and the mode of the session, as they are at the moment of each call. Modes of its own, and of
those that started it, can only take away: of several verdicts the strictest counts. What the user has refused one of those that
started it, it is refused without another question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tui_agent.changes import FileChange
from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.engine.gate.refusals import Refusals
from tui_agent.engine.gate.rulebook import Rulebook
from tui_agent.events import Event
from tui_agent.execution.execution_context import PermissionQuestion
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import is_within
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.tools.workspace import Workspace

__all__ = ["AgentGate", "AgentLimits", "Mirror"]

_STRICTNESS: Final = {"allow": 0, "ask": 1, "deny": 2}
# The user has let these go on without them: a mode that a file asks for does not bring them back.
_OVERRULING: Final[frozenset[Mode]] = frozenset({"acceptEdits", "bypassPermissions"})


class AgentLimits:
    """What an agent, and those that started it, may not do besides.

    `wanted` are the modes that their types ask for; they do not count where the user has chosen a mode that asks less.
    With `is_read_only` nothing may be changed, in any mode. `refused` is what the user refused those that started it.
    """

    def __init__(
        self, wanted: Sequence[Mode] = (), *, is_read_only: bool = False, refused: Sequence[Refusals] = ()
    ) -> None:
        self.wanted: Final = tuple(wanted)
        self.is_read_only: Final = is_read_only
        self.refused: Final = tuple(refused)

    def below(self, mode: Mode | None, *, is_read_only: bool, refused: Refusals) -> AgentLimits:
        """Return the limits of an agent that one with these limits starts; `refused` is what was refused to that one."""
        wanted = (*self.wanted, mode) if mode is not None else self.wanted
        return AgentLimits(wanted, is_read_only=self.is_read_only or is_read_only, refused=(*self.refused, refused))

    def modes(self, now: Mode) -> tuple[Mode, ...]:
        """Return the modes that a call is judged by besides the session's."""
        modes: list[Mode] = ["plan"] if self.is_read_only else []
        if now not in _OVERRULING:
            modes += self.wanted
        return tuple(dict.fromkeys(mode for mode in modes if mode != now))


@dataclass(frozen=True, slots=True)
class Mirror:
    """A copy of the project that an agent works in: rules about files of the project hold for their copies too."""

    copy: str
    project: str

    def original(self, text: str) -> str:
        """Return a path, or a command, with the project's folder in the place of the copy's."""
        return text.replace(self.copy, self.project)

    def holds(self, call: ToolCall) -> bool:
        """Whether a call only edits files in the copy: what becomes of these is reviewed before it is brought in."""
        real = (call.reals.get(path, path) for path in call.writes)
        return (
            call.command is None
            and bool(call.writes)
            and all(is_within(path, self.copy) for path in (*call.writes, *real))
        )

    def mapped(self, call: ToolCall) -> ToolCall:
        """Return the call as it would be in the project itself."""
        return replace(
            call,
            reads=tuple(map(self.original, call.reads)),
            writes=tuple(map(self.original, call.writes)),
            command=None if call.command is None else self.original(call.command),
            reals={},
            files={},
        )


class AgentGate:
    """Implements `Gate` for one agent. Questions are put by the session's broker, as the agent's: `publish` is its own.

    `mirror` is the copy of the project that it works in, None where it works where the session does.
    """

    def __init__(
        self,
        broker: PermissionBroker,
        rulebook: Rulebook,
        workspace: Workspace,
        limits: AgentLimits,
        refusals: Refusals,
        *,
        publish: Callable[[Event], Event],
        mirror: Mirror | None = None,
    ) -> None:
        self._mirror = mirror
        self._broker = broker
        self._rulebook = rulebook
        self._workspace = workspace
        self._limits = limits
        self._refusals = refusals
        self._publish = publish

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:  # noqa: ARG002
        """Return the strictest of what rules and modes say; see `PermissionBroker.decide`."""
        where = self._rulebook.where_in(self._workspace)
        mirror, now = self._mirror, self._rulebook.mode
        edits = mirror is not None and now == "default" and mirror.holds(call)
        verdict = self._rulebook.judge(call, mode="acceptEdits" if edits else None, where=where)
        if mirror is not None:
            there = replace(self._rulebook.where, shell_cwd=mirror.original(str(self._workspace.cwd)))
            other = self._rulebook.judge(mirror.mapped(call), where=there)
            if other.by == "rule" and _STRICTNESS[other.behavior] > _STRICTNESS[verdict.behavior]:
                verdict = other
        for mode in self._limits.modes(self._rulebook.mode):
            other = self._rulebook.judge(call, mode=mode, where=where)
            if _STRICTNESS[other.behavior] >= _STRICTNESS[verdict.behavior]:
                verdict = other
        return self._broker.noted(call, verdict)

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:
        """Put a question to the user and the rivals; see `Gate`."""
        if any(refused.has(question.name, question.input) for refused in self._limits.refused):
            message = "The user has refused exactly this call to the one that started you. Do not try it another way."
            return ResponderAnswer(decision=Decision(behavior="deny", message=message), by="nobody")
        answer = await self._broker.ask_for(
            question, rivals, publish=self._publish, folder=lambda: str(self._workspace.cwd)
        )
        self._refusals.note(question, answer)
        return answer
