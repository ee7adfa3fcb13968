"""The turn, against a model that says what a script tells it, breaks where the script says, and records what it was sent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
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
    ToolResultShrunk,
    ToolStateChanged,
    ToolUseCompleted,
    ToolUseDropped,
    ToolUseStarted,
    TurnFailed,
    TurnFinished,
    UsageReported,
    UserMessageSent,
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
        self.runs_alone = False

    def is_concurrency_safe(self, input: NoteInput) -> bool:
        return not self.runs_alone

    def claims(self, input: NoteInput) -> Claims:
        return Claims.exclusive() if self.runs_alone else Claims()

    async def call(self, input: NoteInput, ctx: ToolContext) -> AsyncIterator[Progress | Result[str]]:
        self.ran.append(input.note)
        await self.hold.wait()
        if input.note == "fail":
            raise ToolError("it failed")
        size = int(input.note.partition(" ")[2]) if input.note.startswith("big ") else 0
        yield Result(f"noted {input.note}".ljust(size, "."))


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
        if self.get(name) is None:
            raise KeyError(name)
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

    def __init__(self, folder: Path, *scripts: Script, before: Sequence[Event] = (), **options: Any) -> None:
        self.events: list[Event] = []
        self.before = [UserMessageSent(message_id="u", text="hello"), *before]  # what is recorded already
        self.model = ScriptedModel(*scripts)
        self.history = History.from_events(self.before)
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

    async def _steer(self) -> int:
        count = len(self.steered)
        for text in self.steered:
            self.history.add_user(text)
            self._publish(UserMessageSent(message_id="s", text=text))
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
    assert History.from_events([*stage.before, *stage.events]).messages() == messages, (
        "going on from the record would send something else"
    )


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


# --- what is too much ------------------------------------------------------------------------------------------------

OLD = (("0", "0" * 25_000), ("1", "1" * 9_000), ("2", "2" * 20_000))
FULL = ModelError("context_overflow", "The conversation no longer fits.", hint="Start afresh with /clear.", status=400)


def with_old_results(
    folder: Path, *scripts: Script, old: Sequence[tuple[str, Any]] = OLD, kept_in: str | None = None
) -> Stage:
    """A conversation with an earlier exchange: a reply for each old result, an answer, and what the person said then."""
    before: list[Event] = []
    for number, (note, content) in enumerate(old):
        block = {"type": "tool_use", "id": f"old{number}", "name": "Note", "input": {"note": note}}
        before += (
            AssistantMessageCompleted(message_id="m", content=[block], stop_reason="tool_use"),
            ToolResultReady(tool_use_id=f"old{number}", name="Note", is_error=False, content=content, kept_in=kept_in),
        )
    before += (
        AssistantMessageCompleted(message_id="m", content=[{"type": "text", "text": "Done."}], stop_reason="end_turn"),
        UserMessageSent(message_id="u", text="go on"),
    )
    return Stage(folder, *scripts, before=before)


def results_in(request: ModelRequest) -> dict[str, Any]:
    blocks = [block for message in request.messages for block in message["content"]]
    return {block["tool_use_id"]: block["content"] for block in blocks if block["type"] == "tool_result"}


async def test_results_of_one_reply_are_cut_together_before_the_next_request(tmp_path: Path) -> None:
    many = [uses(index, f"big {30_000 - index}") for index in range(10)]
    stage = Stage(tmp_path, reply(*many, stop="tool_use"), reply(says(0, "I see")))
    assert await stage.turn.run() == "done"
    sent = results_in(stage.model.requests[1])
    assert sum(map(len, sent.values())) <= 200_000
    shrunk = stage.of(ToolResultShrunk)
    assert [event.tool_use_id for event in shrunk] == [f"toolu_{index}" for index in range(4)]
    assert {event.reason for event in shrunk} == {"reply_limit"}
    assert all(sent[event.tool_use_id] == event.content for event in shrunk)
    path = re.search(r"the whole text is in (.+?)\] …", sent["toolu_0"])
    assert path
    assert Path(path[1]).read_text() == "noted big 30000".ljust(30_000, ".")
    whole = [event.content for event in stage.of(ToolResultReady)]
    assert max(map(len, whole)) == 30_000, "the record keeps them as they were"
    check(stage)


@pytest.mark.parametrize("kind", ["context_overflow", "too_large"])
async def test_a_context_that_is_full_is_met_by_shortening_the_largest_old_results(tmp_path: Path, kind: str) -> None:
    stage = with_old_results(tmp_path, [ModelError(kind, "Too much.", status=400)], reply(says(0, "here")))
    assert await stage.turn.run() == "done"
    first, second = map(results_in, stage.model.requests)
    assert (second["old1"], second["old2"]) == (first["old1"], first["old2"])
    assert second["old0"].startswith('[The result of Note({"note": "0"}) was here: 25,000 characters')
    path = re.search(r"The whole text is in (.+?); read", second["old0"])
    assert path
    assert Path(path[1]).read_text() == "0" * 25_000
    (shrunk,) = stage.of(ToolResultShrunk)
    assert (shrunk.tool_use_id, shrunk.reason, shrunk.content) == ("old0", "context", second["old0"])
    assert "One older tool result was shortened" in stage.of(Notice)[0].text
    assert not stage.of(RetryScheduled)
    check(stage)


async def test_more_is_given_up_each_time_until_nothing_is_left_and_then_it_is_said(tmp_path: Path) -> None:
    stage = with_old_results(tmp_path, *([FULL] for _ in range(9)))
    assert await stage.turn.run() == "failed"
    sizes = [sum(map(len, results_in(request).values())) for request in stage.model.requests]
    assert len(sizes) <= 4
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 2_000, "at last all of them were shortened"
    (failed,) = stage.of(TurnFailed)
    assert "/clear" in failed.hint
    check(stage)


async def test_with_nothing_to_shorten_a_full_context_fails_at_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [FULL])
    assert await stage.turn.run() == "failed"
    assert len(stage.model.requests) == 1
    check(stage)


async def test_what_the_model_has_not_seen_yet_is_not_shortened(tmp_path: Path) -> None:
    stage = with_old_results(
        tmp_path, reply(uses(0, "big 29000"), stop="tool_use"), [FULL], [FULL], [FULL], reply(says(0, "here"))
    )
    assert await stage.turn.run() == "done"
    assert len(results_in(stage.model.requests[-1])["toolu_0"]) == 29_000
    assert len(stage.of(ToolResultShrunk)) == 3
    check(stage)


async def test_a_reply_that_the_full_context_cut_off_is_gone_on_with(tmp_path: Path) -> None:
    cut = reply(says(0, "The answer is"), stop="model_context_window_exceeded")
    stage = with_old_results(tmp_path, cut, reply(says(0, "42.")))
    assert await stage.turn.run() == "done"
    last = stage.model.requests[1].messages[-2:]
    assert last[0]["content"][-1] == {"type": "text", "text": "The answer is"}
    assert "Go on exactly where you stopped" in last[1]["content"][0]["text"]
    assert len(stage.of(ToolResultShrunk)) == 1
    check(stage)


async def test_a_cut_off_reply_with_tool_uses_runs_them_and_makes_room(tmp_path: Path) -> None:
    cut = reply(uses(0, "a"), stop="model_context_window_exceeded")
    stage = with_old_results(tmp_path, cut, reply(says(0, "done")))
    assert await stage.turn.run() == "done"
    assert stage.tool.ran == ["a"]
    assert results_in(stage.model.requests[1])["toolu_0"] == "noted a"
    assert len(stage.of(ToolResultShrunk)) == 1
    check(stage)


async def test_pictures_in_old_results_make_room_too(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 1_000}}
    old = [("x" * 1_000, [picture, picture])]
    stage = with_old_results(tmp_path, [FULL], reply(says(0, "here")), old=old)
    assert await stage.turn.run() == "done"
    text = results_in(stage.model.requests[1])["old0"]
    assert "2 images or documents" in text
    assert len(text) < 600
    check(stage)


async def test_what_lies_on_disk_already_is_named_and_not_stored_again(tmp_path: Path) -> None:
    stage = with_old_results(tmp_path, [FULL], reply(says(0, "here")), kept_in="/kept/before.txt")
    assert await stage.turn.run() == "done"
    assert "The whole text is in /kept/before.txt; read" in results_in(stage.model.requests[1])["old0"]
    assert not (tmp_path / "results").exists()
    check(stage)


async def test_a_full_disk_costs_the_path_of_what_was_shortened_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file where the folder should be")
    stage = with_old_results(tmp_path, [FULL], reply(says(0, "here")))
    assert await stage.turn.run() == "done"
    assert results_in(stage.model.requests[1])["old0"].endswith("left out to save room. Call again if needed.]")
    assert "could not be kept" in stage.of(Notice)[0].text
    check(stage)


# --- again and again -------------------------------------------------------------------------------------------------


async def test_a_busy_server_is_asked_ten_times_more_and_then_given_up(tmp_path: Path) -> None:
    busy = ModelError("overloaded", "The server is busy.", status=529, is_retryable=True)
    stage = Stage(tmp_path, *([busy] for _ in range(20)))
    assert await stage.turn.run() == "failed"
    assert len(stage.model.requests) == 11
    assert [event.attempt for event in stage.of(RetryScheduled)] == list(range(1, 11))
    assert len(stage.of(TurnFailed)) == 1
    check(stage)


async def test_what_a_sibling_took_along_does_not_break_a_row_of_failures(tmp_path: Path) -> None:
    scripts = [reply(uses(0, "fail", f"f{n}"), uses(1, "a", f"a{n}"), stop="tool_use") for n in range(9)]
    stage = Stage(tmp_path, *scripts)
    stage.tool.aborts_siblings = True  # type: ignore[misc]
    stage.tool.runs_alone = True
    assert await stage.turn.run() == "repeated_failure"
    assert len(stage.model.requests) == 5
    check(stage)


BROKEN: Script = [
    ReplyStarted("m"), *says(0, "look|ing"), *uses(1, "a"), *uses(2, "fail"), *uses(3, None), *says(4, "and so|on"),
]  # fmt: skip


@pytest.mark.parametrize("position", range(len(BROKEN) + 1))
async def test_a_stream_that_breaks_at_any_event_repeats_nothing_that_ran(tmp_path: Path, position: int) -> None:
    stage = Stage(tmp_path, [*BROKEN[:position], LOST], reply(says(0, "whole")))
    assert await stage.turn.run() == "done"
    assert len(stage.tool.ran) == len(set(stage.tool.ran)) == len(stage.of(ToolUseCompleted))
    assert len(stage.model.requests) == 2
    if stage.tool.ran:
        assert not stage.of(RetryScheduled)
        assert set(results_in(stage.model.requests[1])) == {event.tool_use_id for event in stage.of(ToolUseCompleted)}
    check(stage)


async def test_the_tool_uses_of_a_turn_within_a_tool_use_name_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path, reply(uses(0, "a"), stop="tool_use"), reply(says(0, "ok")), parent_tool_use_id="toolu_p")
    await stage.turn.run()
    assert [event.parent_tool_use_id for event in stage.of(ToolUseStarted)] == ["toolu_p"]


NOTES = st.sampled_from(["a", "fail", "ask", "ask with words", None])
PARTS = st.lists(st.one_of(st.just("text"), NOTES), min_size=1, max_size=4)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    PARTS,
    st.integers(0, 20),
    st.sampled_from(["lost", "fatal", "full", "interrupt", "cancel", "nothing"]),
    st.booleans(),
)
def test_whatever_breaks_at_whichever_event_the_conversation_is_valid_and_nothing_runs_twice(
    tmp_path: Path, parts: list[str | None], at: int, fault: str, slow: bool
) -> None:
    async def run() -> None:
        items: list[StreamItem] = []
        for index, part in enumerate(parts):
            items += says(index, "a|b") if part == "text" else uses(index, part, f"toolu_{index}_{part}")
        script = reply(items, stop="tool_use" if any(part != "text" for part in parts) else "end_turn")
        stage = with_old_results(tmp_path)
        if slow:
            stage.tool.hold.clear()
        position = at % (len(script) + 1)
        running: list[asyncio.Task[str]] = []
        match fault:
            case "lost":
                script.insert(position, LOST)
            case "fatal":
                script.insert(position, ModelError("invalid_request", "no", status=400))
            case "full":
                script.insert(position, FULL)
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
