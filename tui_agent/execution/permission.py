"""The permission stage: works out what a call would do, judges it by rules and mode, and asks where these leave it open.

It has two phases. First the checks run in a fixed order, and the first that decides counts. Only if they leave a question do
several race to answer it: the user, hooks that may answer for the user, and a classifier that may call the call safe.

What is judged is what runs. If the answer changes the input, everything is done again with the new one: checks, proposal and
judgement, which may still deny. Only the question is not put twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.events import EditProposed, EditReviewed, Notice, ToolInputChanged
from tui_agent.execution.classifier_prefetch import ClassifierPrefetch, may_classify
from tui_agent.execution.errors import ToolFailure, denied, refused, refused_by_hook, unanswered
from tui_agent.execution.execution_context import ExecutionContext, PermissionQuestion
from tui_agent.execution.input_checks import Checked, check
from tui_agent.execution.redaction import make_ready
from tui_agent.execution.resolution import ResolvedUse
from tui_agent.execution.responders import ResponderAnswer, Responders, Rival
from tui_agent.execution.tracked_tool import TrackedTool
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.permission_request import HookedQuestion, PermissionRequestHook, hear_request_hook
from tui_agent.permissions.shell.dangers import is_careful
from tui_agent.permissions.verdict import Confinement, Decision, ToolCall, ToolOpinion, Verdict
from tui_agent.review_comments import review_text
from tui_agent.tools.base import Allow, Ask, Claims, Deny, Opinion, Tool, ToolContext, ToolInput

__all__ = ["PermissionStage", "Permit", "describe", "to_opinion"]

Resettle = Callable[[ResolvedUse], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """What was permitted: the final input, and what was approved of each proposed change.

    `edited_by` says whose input it is where whoever answered the question changed it. `confinement` says how a command runs,
    `readable` what it may read then, and `is_searching` that it names not all of it: see `Verdict`.
    `review` tells the model what the user said with their yes, and wrote on lines of the changes; empty where they did not.
    """

    checked: Checked
    proposals: tuple[FileChange, ...] = ()
    approved: tuple[ApprovedChange, ...] = ()
    edited_by: Literal["person", "hook"] | None = None
    confinement: Confinement | None = None
    readable: tuple[str, ...] | None = None
    is_searching: bool = False
    review: str = ""


class PermissionStage:
    """Decides one tool use. `resettle` is awaited when its input has changed, before anything is judged by the new one."""

    def __init__(
        self, use: TrackedTool, execution_context: ExecutionContext, ctx: ToolContext, resettle: Resettle
    ) -> None:
        self.use = use
        self.execution_context = execution_context
        self.ctx = ctx
        self.resettle = resettle
        self._prefetch = ClassifierPrefetch(execution_context.extensions.classifier, use.id)
        self._judged: ResolvedUse | None = None

    def prefetch(self, checked: Checked) -> None:
        """Start the classifier early where it will probably be needed; `admit` uses the answer, or drops it."""
        tool, input = checked.tool, checked.input
        if not self._prefetch.can_judge(tool, input):
            return
        call = describe(tool, input, checked.raw, self.ctx, to_opinion(checked.doubt))
        if may_classify(self.execution_context.gate.decide(call, ()), call):
            self._prefetch.begin(tool, input)

    async def aclose(self) -> None:
        """Stop the classifier if it was started early."""
        await self._prefetch.aclose()

    async def admit(self, checked: Checked, hook: ToolOpinion | None = None) -> Permit:
        """Return what may run.

        Raises:
            ToolFailure: denied, refused, or no longer a good input after it was changed.
        """
        edited_by: Literal["person", "hook"] | None = None
        said = ""
        while True:
            proposals = await self._propose(checked)
            opinion = _strictest(to_opinion(checked.doubt), await _own_opinion(checked, self.ctx))
            call = describe(checked.tool, checked.input, checked.raw, self.ctx, opinion, hook)
            call = replace(call, is_own_change=call.command is not None and bool(proposals))
            verdict = self._decide(call, proposals)
            if verdict.behavior == "allow" or edited_by:
                return Permit(
                    checked=checked,
                    proposals=proposals,
                    approved=_whole(proposals),
                    edited_by=edited_by,
                    confinement=verdict.confinement,
                    readable=verdict.readable,
                    is_searching=verdict.is_searching,
                    review=said,
                )
            answer = await self._ask(checked, call, verdict, proposals)
            decision = answer.decision
            said = _said(answer)
            if decision.input is None or decision.input == checked.raw:
                if answer.by == "hook":
                    self._decide(call, proposals)  # rules and mode may have changed while the hook ran
                return Permit(
                    checked=checked,
                    proposals=proposals,
                    approved=self._reviewed(proposals, decision),
                    confinement=verdict.confinement,
                    readable=verdict.readable,
                    is_searching=verdict.is_searching,
                    review="\n\n".join(filter(None, (said, review_text(decision.comments)))),
                )
            edited_by = "hook" if answer.by == "hook" else "person"
            checked = await self._changed(checked, decision.input, edited_by)

    def _decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:
        """Judge by the rules and the mode of this moment.

        Raises:
            ToolFailure: they deny it.
        """
        verdict = self.execution_context.gate.decide(call, proposals)
        if verdict.behavior == "deny":
            raise denied(call.tool, verdict.reason, by=verdict.by, rule=verdict.rule)
        return verdict

    async def _propose(self, checked: Checked) -> tuple[FileChange, ...]:
        proposals = await checked.tool.propose(checked.input, checked.plan, self.ctx)
        await make_ready(self.execution_context.services.masker, proposals)
        for change in proposals:
            self.execution_context.publish(EditProposed(tool_use_id=self.use.id, change=change))
        return proposals

    async def _ask(
        self, checked: Checked, call: ToolCall, verdict: Verdict, proposals: tuple[FileChange, ...]
    ) -> ResponderAnswer:
        question = PermissionQuestion(
            tool_use_id=self.use.id,
            name=checked.tool.name,
            input=checked.raw,
            verdict=verdict,
            proposals=proposals,
            is_destructive=call.is_destructive,
            judge=lambda raw: self._judge(checked, raw, call, proposals),
            call=call,
            paths=self.ctx.paths,
        )
        rivals = Responders(self._rivals(checked, call, question))
        try:
            with self.use.waiting():
                answer = await self.execution_context.gate.ask(question, rivals)
        finally:
            await rivals.aclose()
        if answer.decision.behavior == "deny":
            message = answer.decision.message
            if answer.by == "hook":
                raise refused_by_hook(message or "", ends_turn=answer.ends_turn)
            if answer.by == "nobody":
                raise unanswered(checked.tool.name, verdict.reason, message)
            raise refused(answer.decision.words)
        if answer.updates:
            self.execution_context.extensions.update_permissions(answer.updates)
        return answer

    def _rivals(self, checked: Checked, call: ToolCall, question: PermissionQuestion) -> list[Rival]:
        """Return who may answer besides the user: each hook, and the classifier where it is allowed to."""
        asked = HookedQuestion(
            use=HookedUse(tool_use_id=self.use.id, name=checked.tool.name, input=checked.raw),
            reason=question.verdict.reason,
            suggestions=question.verdict.suggestions,
        )
        rivals: list[Rival] = [
            lambda hook=hook: self._hear(hook, asked)  # type: ignore[misc]
            for hook in self.execution_context.extensions.permission_request
        ]
        if may_classify(question.verdict, call) and self._prefetch.can_judge(checked.tool, checked.input):
            rivals.append(lambda: self._classify(checked, call, question))
        return rivals

    async def _hear(self, hook: PermissionRequestHook, asked: HookedQuestion) -> ResponderAnswer | None:
        answer = await hear_request_hook(hook, asked)
        for problem in answer.problems:
            text = f"A hook on the permission of {asked.use.name} failed: {problem}"
            self.execution_context.publish(Notice(level="warning", text=text))
        if answer.behavior is None:
            return None
        decision = Decision(behavior=answer.behavior, message=answer.message or None, input=answer.input)
        return ResponderAnswer(decision=decision, by="hook", ends_turn=answer.ends_turn, updates=answer.updates)

    async def _classify(self, checked: Checked, call: ToolCall, question: PermissionQuestion) -> ResponderAnswer | None:
        if not await self._prefetch.is_safe(checked.tool, checked.input):
            return None
        # Rules and mode may have changed meanwhile, and may now require the user to decide.
        now = self.execution_context.gate.decide(call, question.proposals)
        return (
            ResponderAnswer(decision=Decision(behavior="allow"), by="classifier") if may_classify(now, call) else None
        )

    def _reviewed(self, proposals: tuple[FileChange, ...], decision: Decision) -> tuple[ApprovedChange, ...]:
        """Return what was accepted of the proposals; accepting nothing of any is a refusal."""
        if not proposals or not decision.approved:
            return _whole(proposals)
        if [change.path for change in proposals] != [approved.path for approved in decision.approved]:
            raise refused("The answer was about other changes than those that were proposed.")
        for approved in decision.approved:
            self.execution_context.publish(
                EditReviewed(
                    tool_use_id=self.use.id,
                    path=approved.path,
                    accepted=approved.accepted,
                    refused=approved.refused,
                )
            )
        if not any(approved.is_edited or approved.accepted or not approved.refused for approved in decision.approved):
            raise refused(decision.words)
        return decision.approved

    async def _changed(self, checked: Checked, raw: dict[str, Any], by: Literal["person", "hook"]) -> Checked:
        """Take the new input and check it as if the model had sent it."""
        self.execution_context.publish(
            ToolInputChanged(tool_use_id=self.use.id, name=checked.tool.name, input=raw, by=by)
        )
        use = self._with_input(checked, raw)
        await self.resettle(use)
        return await check(use, self.ctx)

    def _with_input(self, checked: Checked, raw: dict[str, Any]) -> ResolvedUse:
        """Return the use with another input. The input that was judged last is not parsed again when the user submits it."""
        use = self._judged
        if use is None or repr(use.raw) != repr(raw):  # to Python `true` and 1 are equal, to a schema they are not
            use = self._judged = checked.use.changed(raw)
        return use

    def _judge(
        self, checked: Checked, raw: dict[str, Any], asked: ToolCall, proposals: tuple[FileChange, ...]
    ) -> Verdict:
        """Judge an input by rules and mode as they are now.

        The input that was asked about is judged in full. For another one neither the tool's own opinion nor a proposal is
        worked out: that happens, before anything runs, when the user submits it.
        """
        if raw == asked.input:
            return self.execution_context.gate.decide(asked, proposals)
        try:
            input = self._with_input(checked, raw).parsed()
        except ToolFailure as failure:
            return Verdict(behavior="deny", by="tool", reason=failure.text)
        return self.execution_context.gate.decide(describe(checked.tool, input, raw, self.ctx, hook=asked.hook), ())


def _said(answer: ResponderAnswer) -> str:
    """Return how the model is told what the user said with their yes; empty where they said nothing."""
    words = (answer.decision.message or "").strip() if answer.by == "person" else ""
    return f"The user allowed this, and said:\n{words}" if words else ""


def _whole(proposals: tuple[FileChange, ...]) -> tuple[ApprovedChange, ...]:
    return tuple(change.approve() for change in proposals)


def describe(
    tool: Tool[Any, Any, Any],
    input: ToolInput,
    raw: dict[str, Any],
    ctx: ToolContext,
    opinion: ToolOpinion | None = None,
    hook: ToolOpinion | None = None,
) -> ToolCall:
    """Return the call as permissions see it. A predicate that fails counts as the unsafe answer.

    What a command does, permissions find out for themselves.
    """
    command = tool.shell_command(input)
    is_read_only = command is None and _predicate(tool.is_read_only, input, unsafe=False)
    try:
        claims = tool.claims(input)
    except Exception:  # noqa: BLE001 - what it touches cannot be told, so no rule on paths can be trusted to see it
        claims, is_read_only = Claims.exclusive(), False
        opinion = _strictest(opinion, ToolOpinion("ask", f"{tool.name} cannot tell what this call touches"))
    reads, writes = (sorted(map(ctx.workspace.absolute, paths)) for paths in (claims.reads, claims.writes))
    for path in (*reads, *writes):
        ctx.paths[path]  # resolves the path: what is judged is what the tool opens
    return ToolCall(
        tool=tool.name,
        input=raw,
        reads=tuple(reads),
        writes=tuple(writes),
        reals=ctx.paths.reals,
        files=ctx.paths.files,
        command=command,
        is_read_only=is_read_only,
        is_destructive=_predicate(tool.is_destructive, input, unsafe=True)
        or (command is not None and is_careful(command)),
        opinion=opinion,
        hook=hook,
    )


def _predicate(ask: Callable[[Any], bool], input: ToolInput, *, unsafe: bool) -> bool:
    try:
        return bool(ask(input))
    except Exception:  # noqa: BLE001 - see `describe`
        return unsafe


async def _own_opinion(checked: Checked, ctx: ToolContext) -> ToolOpinion | None:
    return to_opinion(await checked.tool.check_permissions(checked.input, ctx))


def to_opinion(opinion: Opinion) -> ToolOpinion | None:
    """Translate a tool's opinion for `permissions`."""
    match opinion:
        case None:
            return None
        case Allow():
            return ToolOpinion("allow")
        case Ask(message=message, suggestions=suggestions):
            return ToolOpinion("ask", message, suggestions)
        case Deny(message=message):
            return ToolOpinion("deny", message)


def _strictest(*opinions: ToolOpinion | None) -> ToolOpinion | None:
    found = {opinion.behavior: opinion for opinion in reversed(opinions) if opinion}
    return found.get("deny") or found.get("ask") or found.get("allow")
