"""The turn, against a model that says what a script tells it, breaks where the script says, and records what it was sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted_model import Script, ScriptedModel, reply, says, uses

from tui_agent.agent.history import History
from tui_agent.agent.turn import Turn, TurnSetup
from tui_agent.bus import Bus
from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    Notice,
    RetryScheduled,
    ToolResultReady,
    ToolStateChanged,
    ToolUseCompleted,
    ToolUseDropped,
    TurnFailed,
    TurnFinished,
    UsageReported,
)
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.race import Answer, Rivals
from tui_agent.execution.toolbox import Question, Toolbox
from tui_agent.model.protocol import (
    BlockDelta,
    BlockFinished,
    BlockStarted,
    ModelError,
    ModelRequest,
    ReplyStarted,
    StreamItem,
)
from tui_agent.model.retry import RetryPolicy
from tui_agent.permissions.verdict import Call, Decision, Verdict
from tui_agent.tools.base import Claims, Progress, Result, Tool, ToolContext, ToolError, ToolInput
from tui_agent.tools.file_state import FileState
from tui_agent.tools.workspace import Workspace

LOST = ModelError("connection", "The connection was lost.", is_retryable=True)


class NoteInput(ToolInput):
    note: str = ""


class NoteTool(Tool[NoteInput, str]):
    """Gives its note back; waits, fails or counts as the test wants."""

    name = "Note"
    Input = NoteInput

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.hold = asyncio.Event()
        self.hold.set()
        self.interrupt_behavior = "cancel"

    def is_concurrency_safe(self, input: NoteInput) -> bool:
        return True

    def claims(self, input: NoteInput) -> Claims:
        return Claims()

    async def call(self, input: NoteInput, ctx: ToolContext) -> AsyncIterator[Progress | Result[str]]:
        self.ran.append(input.note)
        await self.hold.wait()
        if input.note == "fail":
            raise ToolError("it failed")
        yield Result(f"noted {input.note}")


class OneToolPool:
    def __init__(self, tool: NoteTool) -> None:
        self.tool = tool

    @property
    def names(self) -> list[str]:
        return ["Note"]

    def get(self, name: str) -> NoteTool | None:
        return self.tool if name == "Note" else None

    def nearest(self, name: str) -> list[str]:
        return ["Note"]

    def adapt(self, name: str, raw: dict[str, Any]) -> tuple[NoteTool, dict[str, Any]]:
        return self.tool, raw


class OpenGate:
    """Allows everything, but puts notes named `ask` to a person who refuses without a word."""

    def decide(self, call: Call, proposal: object) -> Verdict:
        behavior = "ask" if call.input.get("note", "").startswith("ask") else "allow"
        return Verdict(behavior=behavior, by="default", reason="test")  # type: ignore[arg-type]

    async def ask(self, question: Question, rivals: Rivals) -> Answer:
        words = "do it by hand" if question.input["note"] == "ask with words" else None
        return Answer(decision=Decision(behavior="deny", message=words), by="person")


class Stage:
    """A turn over a scripted model, and everything that came out of it."""

    def __init__(self, folder: Path, *scripts: Script, **options: Any) -> None:
        self.events: list[Event] = []
        self.model = ScriptedModel(*scripts)
        self.history = History()
        self.history.add_user("hello")
        self.tool = NoteTool()
        self.bus = Bus("s")
        self.steered: list[str] = []
        box = Toolbox(
            pool=OneToolPool(self.tool),
            workspace=Workspace(folder, home=folder),
            files=FileState(),
            gate=OpenGate(),
            publish=self._publish,
            results_dir=folder / "results",
            is_interactive=True,
        )
        self.turn = Turn(
            TurnSetup(
                publish=self._publish,
                model=self.model,
                history=self.history,
                new_executor=lambda: StreamingExecutor(box),
                build_request=lambda: ModelRequest(
                    model="m", system=[], messages=self.history.messages(), tools=[], max_tokens=10
                ),
                report_usage=lambda request_id, usage: UsageReported(
                    request_id=request_id,
                    model="m",
                    input_tokens=usage.input_tokens,
                    output_tokens=usage.output_tokens,
                ),
                steering=self._steer,
                retries=RetryPolicy(first_s=0.0, jitter=lambda: 0.0),
                **options,
            )
        )

    def _publish(self, event: Event) -> Event:
        stamped = self.bus.publish(event)
        self.events.append(stamped)
        return stamped

    def _steer(self) -> int:
        count = len(self.steered)
        for text in self.steered:
            self.history.add_user(text)
        self.steered.clear()
        return count

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def outcome(self) -> str:
        (finished,) = self.of(TurnFinished)
        return str(finished.outcome)


def check(stage: Stage) -> None:
    """The conversation is valid, and every tool use that was whole has exactly one result and went all the way."""
    messages = stage.history.messages()
    for index, message in enumerate(messages):
        assert message["role"] == ("user" if index % 2 == 0 else "assistant")
        wanted = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if wanted:
            answers = messages[index + 1]["content"][: len(wanted)]
            assert [block.get("tool_use_id") for block in answers] == wanted
            assert not any("never answered" in str(block["content"]) for block in answers)
    completed = [event.tool_use_id for event in stage.of(ToolUseCompleted)]
    assert sorted(event.tool_use_id for event in stage.of(ToolResultReady)) == sorted(completed)
    for use in completed:
        states = [event.to_state for event in stage.of(ToolStateChanged) if event.tool_use_id == use]
        assert states[0] == "queued"
        assert states[-2:] == ["completed", "yielded"]
    assert len(stage.of(TurnFinished)) == 1


async def test_a_plain_answer_ends_the_turn(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(says(0, "Hel|lo")))
    assert await stage.turn.run() == "done"
    assert stage.history.messages()[-1]["content"] == [{"type": "text", "text": "Hello"}]
    assert stage.of(UsageReported)[0].output_tokens == 5
    check(stage)


async def test_a_tool_runs_while_the_model_still_talks(tmp_path: Path) -> None:
    stage = Stage(tmp_path)

    async def wait_for_result() -> None:
        while not stage.of(ToolResultReady):
            await asyncio.sleep(0)

    first = reply(uses(0, "a"), stop="tool_use")
    first.insert(-1, wait_for_result)  # the stream does not go on before the tool has its result
    stage.model.scripts = [first, reply(says(0, "done"))]
    assert await asyncio.wait_for(stage.turn.run(), 10) == "done"
    kinds = [type(event) for event in stage.events]
    assert kinds.index(ToolResultReady) < kinds.index(AssistantMessageCompleted)
    check(stage)


async def test_a_tool_use_without_arguments_runs_only_once_the_stream_has_moved_on(tmp_path: Path) -> None:
    cut = reply(uses(0, None), stop="max_tokens")
    stage = Stage(tmp_path, cut)
    assert await stage.turn.run() == "max_tokens"
    assert stage.tool.ran == []
    assert len(stage.of(ToolUseDropped)) == 1
    check(stage)
    stage = Stage(tmp_path, reply(uses(0, None), stop="tool_use"), reply(says(0, "ok")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == [""]
    check(stage)
    stage = Stage(tmp_path, reply(uses(0, None), says(1, "and"), stop="max_tokens"), reply(says(0, "ok")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == [""]
    check(stage)


async def test_arguments_that_are_no_json_are_told_to_the_model_and_nothing_runs(tmp_path: Path) -> None:
    broken: list[StreamItem] = [
        BlockStarted(0, "tool_use", "toolu_0", "Note"),
        BlockDelta(0, '{"note": '),
        BlockFinished(0, None, problem="its arguments are not JSON"),
    ]
    stage = Stage(tmp_path, reply(broken, stop="tool_use"), reply(says(0, "sorry")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == []
    assert "Note with arguments that are not valid JSON" in str(stage.model.requests[1].messages[-1])
    check(stage)


async def test_a_reply_that_never_gets_its_arguments_right_ends_the_turn(tmp_path: Path) -> None:
    broken: list[StreamItem] = [BlockStarted(0, "tool_use", "t", "Note"), BlockFinished(0, None)]
    stage = Stage(tmp_path, *(reply(broken, stop="tool_use") for _ in range(9)))
    assert await stage.turn.run() == "failed"
    assert len(stage.model.requests) == 4
    check(stage)


async def test_a_call_that_could_not_be_read_is_told_even_when_others_ran(tmp_path: Path) -> None:
    broken: list[StreamItem] = [BlockStarted(0, "tool_use", "t", "Note"), BlockFinished(0, None)]
    stage = Stage(tmp_path, reply(broken, uses(1, "a"), stop="tool_use"), reply(says(0, "sorry")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == ["a"]
    results, note = stage.model.requests[1].messages[-1]["content"]
    assert results["type"] == "tool_result"
    assert "not valid JSON" in note["text"]
    check(stage)


@pytest.mark.parametrize(
    ("stop", "outcome"),
    [
        ("end_turn", "done"),
        ("stop_sequence", "done"),
        ("max_tokens", "max_tokens"),
        ("refusal", "refused"),
        ("model_context_window_exceeded", "failed"),
    ],
)
async def test_each_reason_to_stop_has_its_outcome(tmp_path: Path, stop: str, outcome: str) -> None:
    stage = Stage(tmp_path, reply(says(0, "hm"), stop=stop))
    assert await stage.turn.run() == outcome
    assert (len(stage.history.messages()) == 1) == (stop == "refusal")
    check(stage)


async def test_a_paused_turn_goes_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(says(0, "first, "), stop="pause_turn"), reply(says(0, "then")))
    assert await stage.turn.run() == "done"
    assert len(stage.model.requests) == 2
    check(stage)


async def test_a_busy_server_is_asked_again_and_the_waits_are_told(tmp_path: Path) -> None:
    busy = ModelError("overloaded", "The server is busy.", status=529, is_retryable=True)
    stage = Stage(tmp_path, [busy], [busy], reply(says(0, "here")))
    assert await stage.turn.run() == "done"
    assert [(event.attempt, event.status) for event in stage.of(RetryScheduled)] == [(1, 529), (2, 529)]
    check(stage)


async def test_what_cannot_pass_is_not_tried_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [ModelError("authentication", "The key is wrong.", hint="Set another.", status=401)])
    assert await stage.turn.run() == "failed"
    (failed,) = stage.of(TurnFailed)
    assert (failed.message, failed.hint) == ("The key is wrong.", "Set another.")
    assert len(stage.model.requests) == 1
    check(stage)


async def test_text_before_a_lost_connection_is_not_sent_back_twice(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [ReplyStarted("m"), *says(0, "half")[:-1], LOST], reply(says(0, "whole")))
    assert await stage.turn.run() == "done"
    assert stage.history.messages()[-1]["content"] == [{"type": "text", "text": "whole"}]
    check(stage)


async def test_a_connection_lost_after_a_tool_started_keeps_its_result_and_goes_on(tmp_path: Path) -> None:
    first: Script = [ReplyStarted("m"), *says(0, "look"), *uses(1, "a"), *says(2, "and th")[:-1], LOST]
    stage = Stage(tmp_path, first, reply(says(0, "done")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == ["a"]
    assert not stage.of(RetryScheduled)
    assert [notice.text for notice in stage.of(Notice)] == [LOST.message]
    sent = stage.model.requests[1].messages
    assert [block["type"] for block in sent[1]["content"]] == ["text", "tool_use", "text"]
    assert sent[2]["content"][0]["content"] == "noted a"
    check(stage)


async def test_an_interrupt_in_mid_stream_keeps_what_was_said(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    first = reply(says(0, "one |two"))
    first.insert(3, stage.turn.interrupt)
    first.insert(4, lambda: asyncio.Event().wait())
    stage.model.scripts = [first]
    assert await asyncio.wait_for(stage.turn.run(), 10) == "interrupted"
    assert stage.history.messages()[-1]["content"] == [{"type": "text", "text": "one "}]
    check(stage)


async def test_an_interrupt_answers_the_tools_that_run(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "a"), uses(1, "b"), stop="tool_use"))
    stage.tool.hold.clear()
    running = asyncio.create_task(stage.turn.run())
    while len(stage.tool.ran) < 2:
        await asyncio.sleep(0)
    stage.turn.interrupt()
    assert await asyncio.wait_for(running, 10) == "interrupted"
    results = stage.history.messages()[-1]["content"]
    assert all("interrupted" in block["content"] and block["is_error"] for block in results)
    check(stage)


async def test_an_interrupt_ends_the_wait_for_the_next_attempt(tmp_path: Path) -> None:
    slow = ModelError("rate_limit", "Too many requests.", retry_after_s=60, is_retryable=True)
    stage = Stage(tmp_path, [slow])
    running = asyncio.create_task(stage.turn.run())
    while not stage.of(RetryScheduled):
        await asyncio.sleep(0)
    stage.turn.interrupt()
    assert await asyncio.wait_for(running, 10) == "interrupted"
    check(stage)


async def test_closing_the_program_in_mid_tool_leaves_every_use_answered(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "a"), uses(1, "b"), stop="tool_use"))
    stage.tool.hold.clear()
    running = asyncio.create_task(stage.turn.run())
    while len(stage.tool.ran) < 2:
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    check(stage)


async def test_a_refusal_without_words_ends_the_turn_and_with_words_it_goes_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "ask"), uses(1, "b"), stop="tool_use"))
    assert await stage.turn.run() == "declined"
    check(stage)
    stage = Stage(tmp_path, reply(uses(0, "ask with words"), stop="tool_use"), reply(says(0, "I see")))
    assert await stage.turn.run() == "done"
    assert "do it by hand" in str(stage.model.requests[1].messages[-1])
    check(stage)


async def test_the_same_call_failing_five_times_stops_the_turn(tmp_path: Path) -> None:
    scripts = [reply(uses(0, "fail", f"t{n}"), stop="tool_use") for n in range(9)]
    stage = Stage(tmp_path, *scripts)
    assert await stage.turn.run() == "repeated_failure"
    assert len(stage.model.requests) == 5
    check(stage)


async def test_the_limit_on_requests_ends_the_turn(tmp_path: Path) -> None:
    stage = Stage(tmp_path, *(reply(uses(0, "a", f"t{n}"), stop="tool_use") for n in range(5)), max_requests=2)
    assert await stage.turn.run() == "max_turns"
    assert len(stage.model.requests) == 2
    check(stage)


async def test_a_message_sent_meanwhile_reaches_the_model_with_the_results(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "a"), stop="tool_use"), reply(says(0, "ok")))
    stage.steered.append("mind the tests")
    assert await stage.turn.run() == "done"
    last = stage.model.requests[1].messages[-1]["content"]
    assert [block["type"] for block in last] == ["tool_result", "text"]
    check(stage)


NOTES = st.sampled_from(["a", "fail", "ask", "ask with words", None])
PARTS = st.lists(st.one_of(st.just("text"), NOTES), min_size=1, max_size=4)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(PARTS, st.integers(0, 20), st.sampled_from(["lost", "fatal", "interrupt", "cancel", "nothing"]), st.booleans())
def test_whatever_breaks_at_whichever_event_the_conversation_is_valid_and_nothing_runs_twice(
    tmp_path: Path, parts: list[str | None], at: int, fault: str, slow: bool
) -> None:
    async def run() -> None:
        items: list[StreamItem] = []
        for index, part in enumerate(parts):
            items += says(index, "a|b") if part == "text" else uses(index, part, f"toolu_{index}_{part}")
        script = reply(items, stop="tool_use" if any(part != "text" for part in parts) else "end_turn")
        stage = Stage(tmp_path)
        if slow:
            stage.tool.hold.clear()
        position = at % (len(script) + 1)
        running: list[asyncio.Task[str]] = []
        match fault:
            case "lost":
                script.insert(position, LOST)
            case "fatal":
                script.insert(position, ModelError("invalid_request", "no", status=400))
            case "interrupt":
                script.insert(position, stage.turn.interrupt)
            case "cancel":
                script.insert(position, lambda: running[0].cancel() and None)
            case _:
                pass
        stage.model.scripts = [script, *(reply(says(0, "next")) for _ in range(12))]
        running.append(asyncio.create_task(stage.turn.run()))
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, stage.tool.hold.set)
        await asyncio.wait_for(asyncio.gather(*running, return_exceptions=True), 10)
        check(stage)
        assert (
            len(stage.tool.ran) == len(set(stage.tool.ran))
            or parts.count("a") + parts.count("fail") + parts.count(None) > 1
        )
        assert len(stage.tool.ran) <= sum(part in ("a", "fail", None) for part in parts)

    asyncio.run(run())
