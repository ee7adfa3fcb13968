"""The permission broker: judges calls by rules and mode, puts what remains to the user, and settles each question once.

It is the gate that the execution of tools passes through. Questions of tools that run side by side wait together; the front
end shows the oldest first. An answer that saves a rule settles every other waiting question which the rule now covers. Hooks
and the classifier race with the user for each of them.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.engine.gate.permission_log import PermissionLog
from tui_agent.engine.gate.refusals import Refusals
from tui_agent.events import Event, Notice, PermissionRequested, PermissionResolved, ProposedFileChanged
from tui_agent.execution.execution_context import PermissionQuestion
from tui_agent.execution.responders import ResponderAnswer, Responders, first_answer
from tui_agent.hooks.dispatch import end
from tui_agent.permissions.verdict import Decision, Scope, ToolCall, Verdict
from tui_agent.tools.file_changes.on_disk import OnDisk

__all__ = ["PermissionBroker"]

_CHECK_EVERY_S: Final = 1.0  # at the files of changes that the user is asked about


@dataclass(slots=True)
class _Open:
    question: PermissionQuestion
    answer: asyncio.Future[ResponderAnswer]


class PermissionBroker:
    """One session's gate.

    `folder` says where the shell stands now, so that the user can be told where a command would run. `judge` decides a call
    by the rules and the mode of this moment; `save_rule` makes a rule count, from now on and where the scope says, and raises
    OSError or ValueError when it cannot be kept. Hooks and the classifier have `head_start_s` seconds before the user is
    asked: what they answer by then opens no dialog that would be gone before it is read. `unmasked` puts what was hidden in an
    input back into one that the user made of it. While the user is asked about changes, their files are looked at every
    `check_every_s` seconds.
    """

    def __init__(
        self,
        *,
        publish: Callable[[Event], Event],
        folder: Callable[[], str],
        judge: Callable[[ToolCall], Verdict],
        save_rule: Callable[[str, Scope], None],
        is_attended: bool,
        head_start_s: float = 0.0,
        unmasked: Callable[[Any, Any], Any] = lambda edited, _original: edited,
        check_every_s: float = _CHECK_EVERY_S,
    ) -> None:
        self._publish = publish
        self._folder = folder
        self._judge = judge
        self._save_rule = save_rule
        self._is_attended = is_attended
        self._head_start_s = head_start_s
        self._unmasked = unmasked
        self._check_every_s = check_every_s
        self.log = PermissionLog()
        self.refusals = Refusals()  # of the main conversation
        self._open: dict[str, _Open] = {}
        self._is_trying = False

    # --- for the execution of tools ----------------------------------------------------------------------------------

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:  # noqa: ARG002
        """Return what rules and mode say; never asks anybody. What is in a change is the user's to judge, not theirs."""
        return self.noted(call, self._judge(call))

    def noted(self, call: ToolCall, verdict: Verdict) -> Verdict:
        """Return a verdict, and keep in mind that it was a refusal where it is one."""
        if verdict.behavior == "deny" and not self._is_trying:
            self.log.note_denied(call, by=verdict.by, reason=verdict.reason, rule=verdict.rule, source=verdict.source)
        return verdict

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:
        """Put a question to the user, and to the rivals, and wait. Cancelling the wait withdraws it."""
        answer = await self.ask_for(question, rivals, publish=self._publish, folder=self._folder)
        self.refusals.note(question, answer)
        return answer

    async def ask_for(
        self,
        question: PermissionQuestion,
        rivals: Responders,
        *,
        publish: Callable[[Event], Event],
        folder: Callable[[], str],
    ) -> ResponderAnswer:
        """Do what `ask` does for a conversation with a `publish` and a shell of its own."""
        request_id = f"ask_{uuid.uuid4().hex[:12]}"
        if question.call is not None:
            self.log.note_asked(question.call, question.verdict)
        waiting = _Open(question, asyncio.get_running_loop().create_future())
        if self._is_attended:
            self._open[request_id] = waiting
        person = waiting.answer if self._is_attended else None
        answering = asyncio.create_task(first_answer(person, rivals))
        watching: list[asyncio.Task[None]] = []
        is_told = False
        try:
            if self._is_attended and len(rivals) and self._head_start_s:
                await asyncio.wait({answering}, timeout=self._head_start_s)
            publish(_request(request_id, question, folder()))
            is_told = True
            if self._is_attended and question.proposals:
                watching.append(asyncio.create_task(self._watch(request_id, question, publish)))
            answer = await answering
        except asyncio.CancelledError:
            if is_told:
                publish(
                    PermissionResolved(
                        request_id=request_id, tool_use_id=question.tool_use_id, behavior="cancelled", by="interrupt"
                    )
                )
            raise
        finally:
            self._open.pop(request_id, None)
            await end([answering, *watching])
        self._resolve(request_id, question, answer, publish)
        return answer

    async def _watch(self, request_id: str, question: PermissionQuestion, publish: Callable[[Event], Event]) -> None:
        """Tell, until it is cancelled, when a file that the question is about is not what was read any more, or is so again."""
        disk = OnDisk(question.proposals, question.paths)
        while True:
            for path, standing in await asyncio.to_thread(disk.news):
                publish(
                    ProposedFileChanged(
                        request_id=request_id, tool_use_id=question.tool_use_id, path=path, standing=standing
                    )
                )
            await asyncio.sleep(self._check_every_s)

    # --- for the front end -------------------------------------------------------------------------------------------

    def answer(self, request_id: str, decision: Decision) -> bool:
        """Settle a question; False when it was settled already, and the answer is ignored."""
        waiting = self._open.get(request_id)
        if waiting is None or waiting.answer.done():
            return False
        if decision.input is not None:
            decision = replace(decision, input=self._unmasked(decision.input, waiting.question.input))
        if decision.behavior == "allow" and decision.rules and decision.scope:
            for rule in decision.rules:
                self._remember(rule, decision.scope)
        waiting.answer.set_result(ResponderAnswer(decision=decision, by="person"))
        if decision.rules:
            self.reconsider()
        return True

    def follow_message(self, event: Event) -> None:
        """Take in that the user has said something new."""
        if not event.agent_id:
            self.refusals.clear()

    def follow_mode(self, _event: Event) -> None:
        """Take in that the mode is another one now."""
        self.reconsider()

    def reconsider(self) -> None:
        """Settle the questions that rules or mode, having changed, now answer with yes."""
        for waiting in tuple(self._open.values()):
            if not waiting.answer.done() and self._tried(waiting.question, waiting.question.input).behavior == "allow":
                waiting.answer.set_result(ResponderAnswer(decision=Decision(behavior="allow"), by="rule"))

    def proposals(self, request_id: str) -> tuple[FileChange, ...]:
        """Return the changes that an open question is about, with their texts."""
        waiting = self._open.get(request_id)
        return waiting.question.proposals if waiting else ()

    def judge(self, request_id: str, input: dict[str, Any]) -> Verdict:
        """Return what an open question's call would get with another input, made of the one that was shown."""
        waiting = self._open.get(request_id)
        if waiting is None:
            return Verdict(behavior="ask", by="default", reason="This question has been answered.")
        return self._tried(waiting.question, self._unmasked(input, waiting.question.input))

    def _tried(self, question: PermissionQuestion, input: dict[str, Any]) -> Verdict:
        """Return what a question's call would get; nothing that comes of it is a refusal of anything."""
        self._is_trying = True
        try:
            return question.judge(input)
        finally:
            self._is_trying = False

    def _remember(self, rule: str, scope: Scope) -> None:
        try:
            self._save_rule(rule, scope)
        except (OSError, ValueError) as error:
            self._publish(
                Notice(
                    level="warning",
                    text=f"The rule {rule} could not be saved: {error}",
                    hint="This call runs; the next one like it will ask again.",
                )
            )

    def _resolve(
        self,
        request_id: str,
        question: PermissionQuestion,
        answer: ResponderAnswer,
        publish: Callable[[Event], Event],
    ) -> None:
        decision = answer.decision
        if decision.behavior == "deny" and question.call is not None:
            reason = decision.words or question.verdict.reason
            self.log.note_denied(question.call, by=answer.by, reason=reason)
        publish(
            PermissionResolved(
                request_id=request_id,
                tool_use_id=question.tool_use_id,
                behavior=decision.behavior,
                by=answer.by,
                rules=decision.rules,
                saved_to=decision.scope,
                message=decision.message,
                comments=tuple(comment.to_json() for comment in decision.comments),
            )
        )


def _request(request_id: str, question: PermissionQuestion, folder: str) -> PermissionRequested:
    verdict = question.verdict
    return PermissionRequested(
        request_id=request_id,
        tool_use_id=question.tool_use_id,
        name=question.name,
        input=question.input,
        by=verdict.by,
        reason=verdict.reason,
        cwd=folder,
        rule=verdict.rule,
        source=verdict.source,
        check=verdict.check,
        offers=() if question.is_destructive else verdict.offers,
        is_destructive=question.is_destructive,
        has_proposal=bool(question.proposals),
        effect=verdict.effect or "",
        part=verdict.part,
    )
