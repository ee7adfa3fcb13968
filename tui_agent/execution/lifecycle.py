"""Takes one tool use through its eight stages, from the name that the model wrote to the result that it gets.

`ToolRun` owns their order and what one hands to the next; what happens in each has a module of its own. It ends with a
`ToolOutcome`, never with an exception, except that a cancelled one is cancelled: the executor knows why, and says so.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from tui_agent.changes import ApprovedChange, FileChange, content_hash
from tui_agent.context_marks import framed, neutral, neutral_content
from tui_agent.events import EditApplied, Notice, ToolInputChanged, ToolProgressed
from tui_agent.execution.errors import (
    ERROR_CHARS,
    AbortReason,
    ToolFailure,
    aborted,
    cut_middle,
    refused_by_hook,
    wrap,
)
from tui_agent.execution.execution_context import Content, ExecutionContext, ToolOutcome
from tui_agent.execution.extensions import HookedDenial
from tui_agent.execution.input_checks import Checked, check
from tui_agent.execution.permission import PermissionStage, Permit
from tui_agent.execution.redaction import hidden, hidden_data, make_ready
from tui_agent.execution.resolution import ResolvedUse
from tui_agent.execution.result_content import only_text, with_input_note, with_text_after
from tui_agent.execution.results import Fitted, ResultStore
from tui_agent.execution.scheduling import NO_FOOTPRINT, Footprint, footprint_of
from tui_agent.execution.stages import StageLog
from tui_agent.execution.tool_call import call_tool
from tui_agent.execution.tracked_tool import TrackedTool
from tui_agent.hooks.dispatch import HookedUse, end
from tui_agent.hooks.post_tool_use import HookedResult, PostAnswer, run_post_hooks
from tui_agent.hooks.pre_tool_use import run_pre_hooks
from tui_agent.permissions.verdict import ToolOpinion
from tui_agent.tools.base import Result, Tool, ToolContext
from tui_agent.tools.encodings import UnencodableError, encode
from tui_agent.tools.forms import Answers, Form

__all__ = ["SchedulerSlot", "ToolRun"]

_CONTEXT_CHARS: Final = 10_000  # of what the hooks of one stage may add to a result
_RETRY: Final = "A hook allows you to try this call again."


class SchedulerSlot(Protocol):
    """A running use's place among the others."""

    async def resettle(self, footprint: Footprint) -> None:
        """Claim what a changed input touches, and wait until no conflicting use is in its call or comes before."""
        ...

    async def enter_call(self) -> None:
        """Wait until the call may begin. When this returns, the use counts as in its call."""
        ...

    def leave_call(self) -> None:
        """The call has a result or has failed: the use is not cancelled any more."""
        ...


@dataclass(frozen=True, slots=True)
class _Made:
    """A result in two forms: as the model gets it, and as data."""

    fitted: Fitted
    data: dict[str, Any]


class ToolRun:
    """The stages of one tool use."""

    def __init__(
        self, tracked: TrackedTool, use: ResolvedUse, execution_context: ExecutionContext, place: SchedulerSlot
    ) -> None:
        self._tracked = tracked
        self._use = use  # with its newest input
        self._execution_context = execution_context
        self._place = place
        self._masker = execution_context.services.masker
        self._hook_context: list[str] = []  # what hooks add to the result
        self._review = ""  # what the user wrote on lines of the change
        self._hooks_cut_short = asyncio.Event()
        self._called_ms = 0.0
        self._is_stopped = False  # a hook wants the turn to end with this use
        self._ctx = ToolContext(
            workspace=execution_context.workspace,
            files=execution_context.files,
            tool_use_id=tracked.id,
            environment=execution_context.environment,
            results_dir=execution_context.results_dir,
            state_dir=execution_context.state_dir,
            limits=execution_context.limits,
            is_interactive=execution_context.is_interactive,
            denied=execution_context.denied,
            is_doubtful=execution_context.is_doubtful,
            is_withheld=execution_context.is_withheld,
            services=execution_context.services,
            ask_user=self._ask_person if execution_context.ask_user else None,
            kept_names=execution_context.kept_names,
        )

    @property
    def tool(self) -> Tool[Any, Any, Any] | None:
        """The tool, None where there is none of that name."""
        return self._use.tool

    def measure(self) -> Footprint:
        """Return what the call would touch, as far as is known before it starts."""
        try:
            return self._footprint()
        except Exception:  # noqa: BLE001 - the same failure becomes its result when it starts; till then it touches nothing
            return NO_FOOTPRINT

    def _footprint(self) -> Footprint:
        return footprint_of(self._use.found(), self._use.parsed(), self._execution_context.workspace)

    async def run(self) -> ToolOutcome:
        """Go through the stages and return the one outcome.

        Raises:
            CancelledError: the task was cancelled; `aborted` gives the outcome.
        """
        try:
            return await self._run()
        except ToolFailure as failure:
            return self._with_context(self._failed(failure))

    def stop_waiting_for_hooks(self) -> None:
        """Do not wait any longer for hooks after the call; the result stands."""
        self._hooks_cut_short.set()

    def aborted(self, reason: AbortReason) -> ToolOutcome:
        """Return the outcome of a use that was cancelled, running or waiting."""
        try:
            partial = self._ctx.partial() if self._ctx.partial else None
        except Exception:  # noqa: BLE001 - what it had to show is lost, its one result is not
            partial = None
        return self._failed(aborted(reason, partial))

    def broken(self, error: BaseException) -> ToolOutcome:
        """Return the outcome of a use whose stages failed by a fault of the program."""
        return self._failed(ToolFailure.unexpected(error, "its stages"))

    async def _run(self) -> ToolOutcome:
        log = StageLog(self._tracked.id, self._execution_context.publish)
        stage = log.stage
        with stage("lookup"):
            tool = self._look_up()
        with stage("validate"):
            checked = await check(self._use, self._ctx)
        permission = PermissionStage(self._tracked, self._execution_context, self._ctx, self._resettle)
        try:
            with stage("pre_hooks"):
                permission.prefetch(checked)
                checked, opinion = await self._run_pre_hooks(checked)
            with stage("permission"):
                permit = await self._admit(permission, checked, opinion)
                self._review = self._masker.mask(permit.review)
                await self._place.enter_call()
        finally:
            await permission.aclose()
        try:
            with stage("call"):
                result = await self._call(permit)
            with stage("store"):
                made = await self._convert(tool, result)
        except ToolFailure as failure:
            return await self._after_failure(permit, self._failed(failure), log)
        with stage("post_hooks"):
            other = await self._run_post_hooks(permit, made.fitted.content, made.data, is_error=result.is_error)
            if other is not None:
                made = replace(made, fitted=await self._fit(tool, other, is_error=result.is_error))
        with stage("result"):
            return self._with_context(self._to_outcome(permit, result, made))

    async def _after_failure(self, permit: Permit, outcome: ToolOutcome, log: StageLog) -> ToolOutcome:
        """Run the hooks after a failed call. Without hooks the use ends with the stage that failed."""
        if not self._execution_context.extensions.post_tool_use:
            return self._with_context(outcome)
        log.skip_to("post_hooks")
        with log.stage("post_hooks"):
            other = await self._run_post_hooks(permit, outcome.content, outcome.data, is_error=True)
            if other is not None:
                text = self._masker.mask(only_text(other))
                content = with_text_after(cut_middle(neutral(text), ERROR_CHARS), self._review)
                outcome = replace(outcome, content=wrap(only_text(content)))
        with log.stage("result"):
            return self._with_context(outcome)

    def _look_up(self) -> Tool[Any, Any, Any]:
        """Report what the name was resolved to when the use was added."""
        use = self._use
        if use.tool is not None:
            self._execution_context.pool.on_use(use.tool)
            if use.name != use.named.written:
                self._execution_context.publish(
                    ToolInputChanged(tool_use_id=self._tracked.id, name=use.name, input=use.raw, by="alias")
                )
        return use.found()

    async def _admit(self, permission: PermissionStage, checked: Checked, opinion: ToolOpinion | None) -> Permit:
        """Let the permission stage decide. Hooks hear of denials that no rule made, and may offer another try."""
        try:
            return await permission.admit(checked, opinion)
        except ToolFailure as failure:
            hook = self._execution_context.extensions.permission_denied
            if hook is not None and failure.kind == "denied" and (failure.data or {}).get("by") in ("mode", "policy"):
                use = HookedUse(tool_use_id=self._tracked.id, name=checked.tool.name, input=checked.raw)
                if await hook(HookedDenial(use=use, reason=failure.text)):
                    self._hook_context.append(_RETRY)
            raise

    async def _run_pre_hooks(self, checked: Checked) -> tuple[Checked, ToolOpinion | None]:
        hooks = self._execution_context.extensions.pre_tool_use
        if not hooks:
            return checked, None
        name = checked.tool.name
        answer = await run_pre_hooks(hooks, HookedUse(tool_use_id=self._tracked.id, name=name, input=checked.raw))
        self._tell_problems(f"A hook before {name} failed", answer.problems)
        self._hook_context.append(answer.context)
        if answer.behavior == "deny":
            raise refused_by_hook(answer.reason, ends_turn=answer.ends_turn)
        if answer.input is not None and answer.input != checked.raw:
            self._execution_context.publish(
                ToolInputChanged(tool_use_id=self._tracked.id, name=name, input=answer.input, by="hook")
            )
            await self._resettle(checked.use.changed(answer.input))
            checked = await check(self._use, self._ctx)
        return checked, ToolOpinion(answer.behavior, answer.reason) if answer.behavior else None

    async def _run_post_hooks(
        self, permit: Permit, content: Content, data: dict[str, Any] | None, *, is_error: bool
    ) -> Content | None:
        """Run the hooks after a call, and return what they put in the place of the result; None where they leave it.

        The call is over: no failure here takes its result away.
        """
        hooks = self._execution_context.extensions.post_tool_use
        if not hooks or self._hooks_cut_short.is_set():
            return None
        name = permit.checked.tool.name
        use = HookedUse(tool_use_id=self._tracked.id, name=name, input=permit.checked.raw)
        hooks_run = asyncio.create_task(
            run_post_hooks(
                hooks,
                HookedResult(use=use, content=content, data=data, is_error=is_error, duration_ms=self._called_ms),
            )
        )
        interrupted = asyncio.create_task(self._hooks_cut_short.wait())
        try:
            await asyncio.wait((hooks_run, interrupted), return_when=asyncio.FIRST_COMPLETED)
            answer = hooks_run.result() if hooks_run.done() and not hooks_run.cancelled() else PostAnswer()
        finally:
            await end((hooks_run, interrupted))
        self._tell_problems(f"A hook after {name} failed", answer.problems)
        self._hook_context.append(answer.context)
        self._is_stopped = self._is_stopped or answer.ends_turn
        return answer.content

    def _tell_problems(self, what: str, problems: Sequence[str]) -> None:
        for problem in problems:
            self._execution_context.publish(Notice(level="warning", text=f"{what}: {problem}"))

    async def _resettle(self, use: ResolvedUse) -> None:
        """Continue with another input, once no use with precedence conflicts with what it touches."""
        self._use = use
        await self._place.resettle(self._footprint())

    async def _call(self, permit: Permit) -> Result[Any]:
        self._ctx.approved = permit.approved
        checked = permit.checked
        began = time.perf_counter()
        try:
            if checked.tool.shell_command(checked.input) is not None:
                self._ctx.confined = await asyncio.to_thread(
                    self._execution_context.confine, permit.confinement, permit.readable, permit.is_searching
                )
            result = await call_tool(checked, self._ctx, self._progressed)
        finally:
            self._called_ms = (time.perf_counter() - began) * 1000
            self._place.leave_call()
        if not result.is_error:
            for proposal, approved in zip(permit.proposals, permit.approved, strict=True):
                if approved.is_nothing:
                    continue
                change, after_hash = await asyncio.to_thread(_made, proposal, approved)
                await make_ready(self._masker, (change,))
                if change.hunks or change.is_new:
                    self._execution_context.publish(
                        EditApplied(
                            tool_use_id=self._tracked.id,
                            change=change,
                            after_hash=after_hash,
                            real=self._ctx.paths.reals.get(change.path, ""),
                        )
                    )
        return result

    async def _ask_person(self, form: Form) -> Answers | None:
        assert self._execution_context.ask_user is not None
        with self._tracked.waiting():
            return await self._execution_context.ask_user(self._tracked.id, form)

    def _progressed(self, data: dict[str, Any]) -> None:
        self._execution_context.publish(ToolProgressed(tool_use_id=self._tracked.id, data=self._masker.mask_data(data)))

    async def _convert(self, tool: Tool[Any, Any, Any], result: Result[Any]) -> _Made:
        content = tool.to_result(result.output)
        data = await hidden_data(self._masker, tool.to_data(result.output))
        own = data.get("persistedOutputPath")
        kept_in = own if isinstance(own, str) else None
        return _Made(await self._fit(tool, content, is_error=result.is_error, kept_in=kept_in), data)

    async def _fit(
        self, tool: Tool[Any, Any, Any], content: Content, *, is_error: bool = False, kept_in: str | None = None
    ) -> Fitted:
        """Cut a result to the size that the model gets. An error result becomes text only."""
        limit = tool.result_limit(self._execution_context.limits)
        if is_error:
            limit, content = min(limit, ERROR_CHARS), only_text(content)
        content = neutral_content(await hidden(self._masker, content))
        store = ResultStore(self._execution_context.results_dir, self._execution_context.publish)
        return await store.fit(content, tool_use_id=self._tracked.id, limit=limit, kept_in=kept_in)

    def _to_outcome(self, permit: Permit, result: Result[Any], made: _Made) -> ToolOutcome:
        content = with_text_after(made.fitted.content, self._review)
        if result.is_error and isinstance(content, str):
            content = wrap(content)
        return ToolOutcome(
            tool_use_id=self._tracked.id,
            name=permit.checked.tool.name,
            content=with_input_note(content, permit, self._masker),
            is_error=result.is_error,
            error_kind=(result.error_kind or "execution") if result.is_error else None,
            data=made.data,
            kept_in=made.fitted.kept_in,
            use=self._use,
        )

    def _with_context(self, outcome: ToolOutcome) -> ToolOutcome:
        """Add what hooks have for the model to the result."""
        if self._is_stopped:
            outcome = replace(outcome, ends_turn=True)
        context = "\n\n".join(
            cut_middle(self._masker.mask(text), _CONTEXT_CHARS) for text in self._hook_context if text
        )
        if not context:
            return outcome
        return replace(outcome, content=with_text_after(outcome.content, framed(context)))

    def _failed(self, failure: ToolFailure) -> ToolOutcome:
        text = self._masker.mask(failure.text)
        if failure.data is None or failure.data.get("by") != "person":  # their comments are framed already
            text = neutral(text)
        return ToolOutcome(
            tool_use_id=self._tracked.id,
            name=self._use.name,
            content=wrap(only_text(with_text_after(cut_middle(text, ERROR_CHARS), self._review))),
            is_error=True,
            error_kind=failure.kind,
            data=self._masker.mask_data(failure.data),
            ends_turn=failure.ends_turn,
            use=self._use,
        )


def _made(proposal: FileChange, approved: ApprovedChange) -> tuple[FileChange, str]:
    """Return what was changed in a file after the review, and the hash of the new content."""
    try:
        after_hash = content_hash(encode(approved.after, approved.encoding, has_bom=approved.has_bom))
    except UnencodableError:  # the tool that wrote it used an encoding of its own
        after_hash = ""
    return proposal.narrowed(approved) if approved.is_partial else proposal, after_hash
