"""The executor under random tools, hooks, answers, failures, interrupts and closings, at any point of its loop."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fake_tools import Bench, FakeGate, FakeInput, FakeTool, Lever, change, settle
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tui_agent.changes import FileChange
from tui_agent.events import (
    EditApplied,
    EditProposed,
    ToolProgressed,
    ToolResultReady,
    ToolStageEnded,
    ToolStageStarted,
    ToolStateChanged,
)
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.execution.extensions import ClassifierQuestion
from tui_agent.execution.stages import STAGES
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.permission_request import HookedQuestion, PermissionAnswer
from tui_agent.hooks.post_tool_use import HookedResult, PostAnswer
from tui_agent.hooks.pre_tool_use import HookAnswer
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict
from tui_agent.tools.base import Limits, Progress, Result, ToolError
from tui_agent.tools.forms import Form, FormField

CHAINS = (
    ["new", "queued", "executing", "completed", "yielded"],
    ["new", "queued", "completed", "yielded"],
)
FOOTPRINTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({"alone": True}),
    st.just({"safe": True}),
    st.just({"alone": True, "safe": True}),
    st.fixed_dictionaries(
        {"reads": st.lists(st.sampled_from("abc"), max_size=2), "writes": st.lists(st.sampled_from("abc"), max_size=1)}
    ),
)
PERMISSIONS = {"allow": 0, "ask": 1, "deny": 2, "ask by default": 3}
# Who is to take part in a use: a hook before it, one at its question, one after it, the classifier.
NOTES = st.one_of(
    st.just(""), st.just(""), st.sets(st.sampled_from(["pre", "request", "post", "classify"]), min_size=1).map(" ".join)
)
FORM = Form(title="Which?", fields=(FormField(key="a", question="Which?"),))
MOST = 3


class Inline(ThreadPoolExecutor):
    """Runs what is meant for a thread at once, so that every run of the machine is the same."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*arguments, **named))
        return future


def judge(call: ToolCall, _proposal: FileChange | None) -> Verdict:
    drawn = {number: name for name, number in PERMISSIONS.items()}[call.input["number"]]
    if drawn == "ask by default":
        return Verdict(behavior="ask", by="default", reason="no rule allows it")
    return Verdict(behavior=drawn, by="rule", reason="so it was drawn")


class Oracles:
    """Hooks, classifier and forms: each waits in `open`, by kind and tool use, until the machine answers it."""

    def __init__(self) -> None:
        self.open: dict[tuple[str, str], asyncio.Future[Any]] = {}

    async def _wait(self, kind: str, tool_use_id: str) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.open[kind, tool_use_id] = future
        try:
            return await future
        finally:
            del self.open[kind, tool_use_id]

    async def before(self, use: HookedUse) -> HookAnswer:
        return await self._wait("pre", use.tool_use_id) if "pre" in use.input.get("note", "") else HookAnswer()

    async def at_question(self, question: HookedQuestion) -> PermissionAnswer:
        is_heard = "request" in question.use.input.get("note", "")
        return await self._wait("request", question.use.tool_use_id) if is_heard else PermissionAnswer()

    async def after(self, result: HookedResult) -> PostAnswer:
        return await self._wait("post", result.use.tool_use_id) if "post" in result.use.input["note"] else PostAnswer()

    async def classify(self, question: ClassifierQuestion) -> Any:
        return await self._wait("classify", question.tool_use_id)

    async def person(self, tool_use_id: str, form: Form) -> Any:
        return await self._wait("form", tool_use_id)

    def waiting(self) -> list[tuple[str, str]]:
        return [key for key, future in self.open.items() if not future.done()]

    def answer(self, key: tuple[str, str], answer: Any) -> None:
        if isinstance(answer, BaseException):
            self.open[key].set_exception(answer)
        else:
            self.open[key].set_result(answer)


def may_run_together(a: FakeInput, b: FakeInput) -> bool:
    if a.safe and b.safe:
        return True
    if a.alone or b.alone:
        return False
    return not (set(a.writes) & {*b.writes, *b.reads} or set(b.writes) & set(a.reads))


class ExecutorMachine(RuleBasedStateMachine):
    """One reply's executor; nothing happens on its loop but in `go_on`, `go_on_until_idle` and at the end."""

    @initialize()
    def begin(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(Inline())
        self.folder = tempfile.TemporaryDirectory()
        self.lever = Lever()
        tools = (
            FakeTool("Soft", body=self.lever, interrupt_behavior="cancel"),
            FakeTool("Hard", body=self.lever, interrupt_behavior="block"),
            FakeTool("Shell", body=self.lever, interrupt_behavior="cancel", aborts_siblings=True),
            FakeTool("Edit", body=self.lever, propose=change("f", "a\nb\nc\n", "A\nb\nC\n")),
            FakeTool("Edits", body=self.lever, propose=tuple(change(f, "a\nb\nc\n", "A\nb\nC\n") for f in "fgh")),
        )
        for tool in tools:
            tool.answers["classifier_input"] = lambda given: given.note if "classify" in given.note else ""
        self.oracles = Oracles()
        self.runtime = Bench(
            Path(self.folder.name),
            *tools,
            gate=FakeGate(judge=judge),
            extensions={
                "pre_tool_use": [self.oracles.before],
                "permission_request": [self.oracles.at_question],
                "post_tool_use": [self.oracles.after],
                "classifier": self.oracles.classify,
            },
            ask_user=self.oracles.person,
            limits=Limits(tool_concurrency=MOST),
        )
        self.executor = self.runtime.executor()
        self.ids: list[str] = []
        self.got: list[ToolOutcome] = []
        self.reader: asyncio.Task[None] | None = None
        self.is_closed = False
        self.was_aborted = False

    # --- what happens ------------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.is_closed and len(self.ids) < 12)
    @rule(
        tool=st.sampled_from(["Soft", "Hard", "Shell", "Edit", "Edits", "Nothing"]),
        footprint=FOOTPRINTS,
        permission=st.sampled_from(["allow", "allow", "ask", "ask by default", "ask by default", "deny"]),
        note=NOTES,
        is_malformed=st.sampled_from([False] * 7 + [True]),
    )
    def add(self, tool: str, footprint: dict[str, Any], permission: str, note: str, is_malformed: bool) -> None:
        tool_use_id = f"t{len(self.ids)}"
        self.ids.append(tool_use_id)
        raw = {**footprint, "note": note, "number": "many" if is_malformed else PERMISSIONS[permission]}
        with self.on_the_loop():
            self.executor.add(tool_use_id, tool, raw)

    @rule(steps=st.integers(1, 5))
    def go_on(self, steps: int) -> None:
        for _ in range(steps):
            self.loop.run_until_complete(asyncio.sleep(0))

    @rule()
    def go_on_until_idle(self) -> None:
        self.loop.run_until_complete(settle())

    @precondition(lambda self: self.lever.in_call)
    @rule(
        data=st.data(),
        orders=st.sampled_from(
            [
                (Progress(message="p"),),
                (FORM,),
                (FORM, Result("fine"), None),
                (Progress(message="p"), Result("fine"), None),
                (Result("fine"), None),
                (Result("bad", is_error=True), None),
                (Result("x" * 40_000), None),
                (Result("one"), Result("two"), None),
                (None,),
                (ToolError("broken"),),
                (ToolError("slow", kind="timeout"),),
                (ValueError("a bug"),),
                (Result("fine"), ValueError("a bug after the result")),
            ]
        ),
    )
    def pull(self, data: st.DataObject, orders: tuple[Any, ...]) -> None:
        self.lever.pull(data.draw(st.sampled_from(self.lever.in_call)), *orders)

    @precondition(lambda self: self.oracles.waiting())
    @rule(
        data=st.data(),
        footprint=FOOTPRINTS,
        permission=st.sampled_from(["allow", "ask", "ask by default", "deny"]),
        note=NOTES,
    )
    def hear(self, data: st.DataObject, footprint: dict[str, Any], permission: str, note: str) -> None:
        """A hook, the classifier or the user at a form says something, or fails."""
        key = data.draw(st.sampled_from(self.oracles.waiting()))
        other = {**footprint, "note": note, "number": PERMISSIONS[permission]}
        answers: dict[str, list[Any]] = {
            "pre": [
                HookAnswer(),
                HookAnswer(behavior="deny", reason="no"),
                HookAnswer(behavior="allow"),
                HookAnswer(input=other),
                HookAnswer(input={"nonsense": 1}),
                OSError("broken"),
            ],
            "request": [
                PermissionAnswer(),
                PermissionAnswer(behavior="allow"),
                PermissionAnswer(behavior="deny", message="no"),
                PermissionAnswer(behavior="allow", input=other),
                OSError("broken"),
            ],
            "post": [PostAnswer(), PostAnswer(context="and"), OSError("broken")],
            "classify": ["safe", "safe", "unsafe", None, OSError("broken")],
            "form": [None, {"a": "this"}],
        }
        self.oracles.answer(key, data.draw(st.sampled_from(answers[key[0]])))

    @precondition(lambda self: self._unanswered())
    @rule(
        data=st.data(),
        kind=st.sampled_from(["yes", "no", "no, because", "other input", "other input", "part"]),
        footprint=FOOTPRINTS,
        permission=st.sampled_from(["allow", "ask", "ask", "deny"]),
    )
    def answer(self, data: st.DataObject, kind: str, footprint: dict[str, Any], permission: str) -> None:
        tool_use_id = data.draw(st.sampled_from(self._unanswered()))
        proposals = self.runtime.gate.open[tool_use_id][0].proposals
        match kind:
            case "no":
                decision = Decision(behavior="deny")
                self.was_aborted = True
            case "no, because":
                decision = Decision(behavior="deny", message="words")
            case "other input":
                decision = Decision(behavior="allow", input={**footprint, "number": PERMISSIONS[permission]})
            case "part" if proposals:
                taken = data.draw(
                    st.lists(st.sets(st.integers(0, 1)), min_size=len(proposals), max_size=len(proposals))
                )
                approved = tuple(change.approve(hunks) for change, hunks in zip(proposals, taken, strict=True))
                decision = Decision(behavior="allow", approved=approved)
                self.was_aborted = self.was_aborted or not any(taken)  # taking nothing is a plain no
            case _:
                decision = Decision(behavior="allow")
        self.runtime.gate.answer(tool_use_id, decision)

    @rule()
    def interrupt(self) -> None:
        with self.on_the_loop():
            self.executor.interrupt()
        self.was_aborted = True

    @precondition(lambda self: self.ids)
    @rule(data=st.data())
    def stop(self, data: st.DataObject) -> None:
        tool_use_id = data.draw(st.sampled_from(self.ids))
        with self.on_the_loop():
            self.executor.stop(tool_use_id)
        self.was_aborted = True

    @precondition(lambda self: self.reader is None or self.reader.done())
    @rule()
    def read(self) -> None:
        async def reading() -> None:
            async for outcome in self.executor.results():
                self.got.append(outcome)

        self.reader = self.loop.create_task(reading())

    @precondition(lambda self: self.reader is not None)
    @rule()
    def cancel_reading(self) -> None:
        assert self.reader is not None
        self.reader.cancel()

    @rule()
    def close(self) -> None:
        self.executor.close()
        self.is_closed = True

    @rule(steps=st.integers(0, 4))
    def aclose_and_give_up_waiting(self, steps: int) -> None:
        """Somebody closes, and is cancelled while it waits for the end."""
        closing = self.loop.create_task(self.executor.aclose())
        self.go_on(steps + 1)
        closing.cancel()
        self.is_closed = self.was_aborted = True

    @contextmanager
    def on_the_loop(self) -> Iterator[None]:
        """Call something as if from within the loop, without the loop taking a step."""
        asyncio._set_running_loop(self.loop)
        try:
            yield
        finally:
            asyncio._set_running_loop(None)

    def _unanswered(self) -> list[str]:
        return [name for name, (_, future) in self.runtime.gate.open.items() if not future.done()]

    # --- what holds all the time -------------------------------------------------------------------------------------

    @invariant()
    def moves_are_legal_and_no_more_than_allowed_run(self) -> None:
        running = 0
        for move in self.runtime.of(ToolStateChanged):
            running += (move.to_state == "executing") - (move.from_state == "executing")
            assert running <= MOST
        for tool_use_id in self.ids:
            chain = ["new", *self.runtime.states(tool_use_id)]
            assert any(chain == legal[: len(chain)] for legal in CHAINS), chain

    @invariant()
    def uses_start_in_block_order(self) -> None:
        started = [move.tool_use_id for move in self.runtime.of(ToolStateChanged) if move.to_state == "executing"]
        assert started == [tool_use_id for tool_use_id in self.ids if tool_use_id in started]

    @invariant()
    def no_two_calls_that_conflict_run_at_once(self) -> None:
        at_work = {*self.lever.in_call, *(name for kind, name in self.oracles.waiting() if kind == "post")}
        inputs = [self.lever.inputs[tool_use_id] for tool_use_id in at_work]
        for index, one in enumerate(inputs):
            assert all(may_run_together(one, other) for other in inputs[index + 1 :])

    @invariant()
    def results_were_handed_over_in_block_order(self) -> None:
        assert [outcome.tool_use_id for outcome in self.got] == self.ids[: len(self.got)]

    @invariant()
    def events_of_each_use_keep_their_order(self) -> None:
        for tool_use_id in self.ids:
            events = [event for event in self.runtime.events if getattr(event, "tool_use_id", "") == tool_use_id]
            check_order(events)

    # --- the end -----------------------------------------------------------------------------------------------------

    def teardown(self) -> None:
        try:
            self.let_everything_finish()
            self.check_the_end()
        finally:
            self.loop.run_until_complete(self.executor.aclose())
            if self.reader is not None:
                self.reader.cancel()
                self.loop.run_until_complete(asyncio.gather(self.reader, return_exceptions=True))
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.close()
            self.folder.cleanup()

    def let_everything_finish(self) -> None:
        """Answer every question and end every call: nobody may be left waiting for another."""
        self.executor.close()
        for _ in range(8 * len(self.ids) + 4):
            self.loop.run_until_complete(settle())
            neutral = {"pre": HookAnswer(), "request": PermissionAnswer(), "post": PostAnswer()}
            for key in self.oracles.waiting():
                self.oracles.answer(key, neutral.get(key[0]))
            for tool_use_id in self._unanswered():
                self.runtime.gate.answer(tool_use_id, Decision(behavior="allow"))
            for tool_use_id in self.lever.in_call:
                self.lever.finish(tool_use_id)
        self.loop.run_until_complete(settle())
        if self.reader is None or self.reader.done():
            self.read()
            self.loop.run_until_complete(settle())

    def check_the_end(self) -> None:
        assert self.reader is not None
        assert self.reader.done(), "some use never ended"
        assert [outcome.tool_use_id for outcome in self.got] == self.ids
        assert list(self.executor.outcomes) == self.got
        results = self.runtime.of(ToolResultReady)
        assert sorted(result.tool_use_id for result in results) == sorted(self.ids), "exactly one result each"
        assert self.lever.in_call == []
        assert self.runtime.gate.open == {}
        assert self.oracles.open == {}, "nobody is left thinking about what is over"
        for answer in self.runtime.gate.answered:
            assert answer.by != "nobody"
        shell_failed = any(o.name == "Shell" and o.error_kind in ("execution", "timeout") for o in self.got)
        if not self.was_aborted and not shell_failed:
            assert all(outcome.error_kind != "aborted" for outcome in self.got)


def check_order(events: list[Any]) -> None:
    """The order that `tui_agent.events` promises to subscribers, for one tool use."""
    if not events:
        return
    kinds = [type(event) for event in events]
    assert (kinds[0], events[0].to_state) == (ToolStateChanged, "queued")
    started = [event.stage for event in events if isinstance(event, ToolStageStarted)]
    ended = [event.stage for event in events if isinstance(event, ToolStageEnded)]
    call = next(
        (event.outcome for event in events if isinstance(event, ToolStageEnded) and event.stage == "call"), "ok"
    )
    order = [stage for stage in STAGES if stage != "store" or call == "ok"]  # of a call that failed nothing is stored
    assert started == order[: len(started)]
    assert ended == started[: len(ended)]
    assert len(started) - len(ended) in (0, 1)
    if ToolResultReady in kinds:
        at = kinds.index(ToolResultReady)
        assert kinds.count(ToolResultReady) == 1
        assert len(started) == len(ended)
        assert all(isinstance(event, ToolStateChanged) for event in events[at + 1 :])
        assert [event.to_state for event in events[at + 1 :]] in (["completed"], ["completed", "yielded"])
    for index, kind in enumerate(kinds):
        if kind is ToolProgressed:
            before = [e.stage for e in events[:index] if isinstance(e, ToolStageStarted)]
            assert before[-1] == "call"
            assert "call" not in [e.stage for e in events[:index] if isinstance(e, ToolStageEnded)]
        if kind is EditApplied:
            assert EditProposed in kinds[:index]


ExecutorMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestExecutor = ExecutorMachine.TestCase
