from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spans import time_saved

from tui_agent import events as ev
from tui_agent.changes import FileChange
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.projection.timeline import length, overlap, union


@dataclass
class Part:
    source: str


@dataclass
class Paragraphs:
    """A feed whose parts are paragraphs, so that these tests do not depend on Markdown."""

    parts: list[Part] = field(default_factory=list)
    tail: Part | None = None
    rest: str = ""

    def feed(self, text: str) -> None:
        *closed, self.rest = (self.rest + text).split("\n\n")
        self.parts += [Part(source) for source in closed]
        self.tail = Part(self.rest) if self.rest else None

    def finish(self) -> None:
        self.feed("\n\n" if self.rest else "")


def projection_of(*events: ev.Event, at_once: bool = True) -> Projection:
    projection = Projection(Paragraphs)
    stamped = [
        event if event.monotonic_ms else replace(event, seq=number, monotonic_ms=number * 10.0)
        for number, event in enumerate(events, 1)
    ]
    if at_once:
        projection.apply(stamped)
    else:
        for event in stamped:
            projection.apply([event])
    return projection


def sources(projection: Projection) -> list[str]:
    return [block.view.source if block.view else block.text for block in projection.blocks]


def tool_run(name: str = "t1", tool: str = "Bash", **result: Any) -> list[ev.Event]:
    return [
        ev.ToolUseStarted(tool_use_id=name, name=tool),
        ev.ToolUseCompleted(tool_use_id=name, name=tool, input={"command": "ls"}),
        ev.ToolStateChanged(tool_use_id=name, from_state="new", to_state="queued"),
        ev.ToolStateChanged(tool_use_id=name, from_state="queued", to_state="executing"),
        ev.ToolResultReady(tool_use_id=name, name=tool, is_error=False, content="ok", **result),
        ev.ToolStateChanged(tool_use_id=name, from_state="executing", to_state="completed"),
        ev.ToolStateChanged(tool_use_id=name, from_state="completed", to_state="yielded"),
    ]


def test_each_closed_part_of_a_reply_is_a_block_of_its_own() -> None:
    projection = projection_of(
        ev.ResponseStarted(request_id="r", message_id="m"), ev.TextDelta(block_id="b", text="one\n\ntwo\n\nthr")
    )
    assert sources(projection) == ["one", "two", "thr"]
    assert [block.is_live for block in projection.blocks] == [False, False, True]
    assert {block.group for block in projection.blocks} == {"m"}


def test_the_open_part_keeps_its_block_when_it_closes() -> None:
    projection = Projection(Paragraphs)
    projection.apply([ev.TextDelta(block_id="b", text="on")])
    first = projection.blocks[0]
    dirty = projection.apply([ev.TextDelta(block_id="b", text="e\n\ntw")])
    assert projection.blocks[0] is first
    assert sources(projection) == ["one", "tw"]
    assert dirty.block_ids == {first.id}
    assert dirty.blocks_from == 1


def test_a_finished_text_has_no_live_block() -> None:
    projection = projection_of(ev.TextDelta(block_id="b", text="one"), ev.TextFinished(block_id="b"))
    assert [(block.is_live, block.view is not None) for block in projection.blocks] == [(False, True)]


def test_thinking_is_one_block_with_all_of_its_text() -> None:
    projection = projection_of(
        ev.ThinkingDelta(block_id="b", text="first "),
        ev.ThinkingDelta(block_id="b", text="second"),
        ev.ThinkingFinished(block_id="b", duration_ms=40.0),
    )
    (block,) = projection.blocks
    assert (block.kind, block.text, block.duration_ms, block.is_live) == ("thinking", "first second", 40.0, False)


def test_arguments_fill_in_while_they_stream() -> None:
    projection = Projection(Paragraphs)
    projection.apply([ev.ToolUseStarted(tool_use_id="t", name="Grep")])
    projection.apply([ev.ToolInputDelta(tool_use_id="t", partial_json='{"pattern": "ref')])
    assert projection.tools["t"].input == {"pattern": "ref"}
    dirty = projection.apply([ev.ToolInputDelta(tool_use_id="t", partial_json='und", "path": "ca')])
    assert projection.tools["t"].input == {"pattern": "refund", "path": "ca"}
    assert dirty.tool_ids == {"t"} == dirty.block_ids


def test_a_tool_use_goes_through_its_phases_and_remembers_when() -> None:
    use = projection_of(*tool_run()).tools["t1"]
    assert use.phase == "yielded"
    assert (use.started_ms, use.queued_ms, use.executing_ms, use.completed_ms, use.yielded_ms) == (10, 30, 40, 60, 70)
    assert use.runs == [(40.0, 60.0)]
    assert use.run_ms == 20.0


def test_waiting_for_a_person_is_no_run_time() -> None:
    request = ev.PermissionRequested(request_id="p", tool_use_id="t1", name="Bash", input={}, by="rule", reason="why")
    answer = ev.PermissionResolved(request_id="p", tool_use_id="t1", behavior="allow", by="person")
    run = tool_run()
    asking = projection_of(*run[:4], request)
    assert asking.tools["t1"].phase == "waiting"
    assert [waiting.request_id for waiting in asking.requests] == ["p"]
    use = projection_of(*run[:4], request, answer, *run[4:]).tools["t1"]
    assert use.runs == [(40.0, 50.0), (60.0, 80.0)]
    assert (use.waited_ms, use.run_ms) == (10.0, 30.0)


def test_a_refusal_keeps_the_persons_words() -> None:
    projection = projection_of(
        *tool_run()[:4],
        ev.PermissionRequested(request_id="p", tool_use_id="t1", name="Bash", input={}, by="rule", reason="why"),
        ev.PermissionResolved(request_id="p", tool_use_id="t1", behavior="deny", by="person", message="not now"),
    )
    assert projection.tools["t1"].is_rejected
    assert projection.tools["t1"].words == "not now"
    assert projection.requests == []


@pytest.mark.parametrize(("kind", "is_rejected"), [("denied", True), ("hook", True), ("execution", False)])
def test_what_a_rule_or_a_hook_forbids_is_a_refusal_and_not_a_failure(kind: str, is_rejected: bool) -> None:
    result = ev.ToolResultReady(tool_use_id="t1", name="Bash", is_error=True, content="no", error_kind=kind)
    use = projection_of(*tool_run()[:4], result).tools["t1"]
    assert use.is_rejected == is_rejected


def test_a_tool_use_that_was_cut_off_is_dropped() -> None:
    projection = projection_of(
        ev.ToolUseStarted(tool_use_id="t", name="Edit"), ev.ToolUseDropped(tool_use_id="t", reason="cut off")
    )
    assert projection.tools["t"].phase == "dropped"


def test_changes_are_listed_once_in_the_order_of_their_proposal() -> None:
    change = FileChange.between("/w/a.py", "a\n", "b\n")
    projection = projection_of(
        *tool_run("t1")[:4],
        *tool_run("t2")[:4],
        ev.EditProposed(tool_use_id="t2", change=change),
        ev.EditProposed(tool_use_id="t1", change=change),
        ev.EditApplied(tool_use_id="t2", change=change),
    )
    assert projection.changes == [("t2", change.path), ("t1", change.path)]
    assert [use.is_applied for use in projection.tools.values()] == [False, True]


def test_a_queued_message_leaves_the_queue_when_it_is_sent_or_taken_back() -> None:
    queued = [ev.MessageQueued(message_id=name, text=name.upper()) for name in ("a", "b", "c")]
    projection = projection_of(
        *queued, ev.MessageUnqueued(message_id="c"), ev.UserMessageSent(message_id="a", text="A", context="hidden")
    )
    assert projection.queue == [("b", "B")]
    assert sources(projection) == ["A"]


def test_cost_adds_up_and_stays_unknown_without_a_price() -> None:
    usage = ev.UsageReported(
        request_id="r", model="m", input_tokens=1, output_tokens=1, context_tokens=7, context_size=9
    )
    assert projection_of(usage).status.cost_usd is None
    status = projection_of(replace(usage, cost_usd=0.25), usage, replace(usage, cost_usd=0.5)).status
    assert (status.cost_usd, status.context_tokens, status.context_size) == (0.75, 7, 9)


@pytest.mark.parametrize(
    ("events", "activity"),
    [
        ([], "starting"),
        ([ev.RequestSent(turn_id="t", request_id="r", model="m")], "waiting for the model"),
        ([ev.ThinkingDelta(block_id="b", text="x")], "thinking"),
        ([ev.TextDelta(block_id="b", text="x")], "writing"),
        ([ev.ToolUseStarted(tool_use_id="t", name="Edit")], "preparing t"),
        (tool_run()[:4], "running t1"),
        ([*tool_run()[:4], ev.TextDelta(block_id="b", text="x")], "writing"),
        (
            [*tool_run()[:4], ev.AssistantMessageCompleted(message_id="m", content=[], stop_reason="tool_use")],
            "running t1",
        ),
        (
            [
                *tool_run()[:4],
                ev.PermissionRequested(
                    request_id="p", tool_use_id="t1", name="Bash", input={}, by="rule", reason="why"
                ),
            ],
            "waits for you",
        ),
        ([ev.TurnFinished(turn_id="t", outcome="done")], ""),
    ],
)
def test_the_activity_says_what_goes_on(events: list[ev.Event], activity: str) -> None:
    status = projection_of(ev.TurnStarted(turn_id="t"), *events).status
    assert " ".join(filter(None, (status.activity, status.activity_tool))) == activity


def test_a_retry_is_shown_until_the_next_request() -> None:
    request = ev.RequestSent(turn_id="t", request_id="r", model="m")
    retry = ev.RetryScheduled(request_id="r", attempt=2, max_attempts=10, delay_s=4.0, reason="overloaded")
    status = projection_of(ev.TurnStarted(turn_id="t"), request, retry).status
    assert status.retry is not None
    assert status.retry.due_ms == 30 + 4000
    assert projection_of(ev.TurnStarted(turn_id="t"), request, retry, request).status.retry is None


def test_the_turn_knows_when_the_model_was_talking() -> None:
    projection = projection_of(
        ev.TurnStarted(turn_id="t"),
        ev.ResponseStarted(request_id="r", message_id="m"),
        ev.ToolUseStarted(tool_use_id="x", name="Read"),
        ev.AssistantMessageCompleted(message_id="m", content=[], stop_reason="tool_use"),
        ev.ResponseStarted(request_id="r", message_id="m2"),
    )
    turn = projection.turn
    assert turn is not None
    assert turn.stream == [(20.0, 40.0)]
    assert turn.stream_until(75.0) == [(20.0, 40.0), (50.0, 75.0)]
    assert turn.tool_ids == ["x"]


def test_a_failed_request_is_an_error_where_it_happened() -> None:
    projection = projection_of(
        ev.TurnStarted(turn_id="t"),
        ev.TurnFailed(turn_id="t", kind="authentication", message="wrong key", hint="set another"),
        ev.TurnFinished(turn_id="t", outcome="failed"),
    )
    assert [(block.kind, block.text, block.hint) for block in projection.blocks] == [
        ("error", "wrong key", "set another"),
        ("turn", "", ""),
    ]
    assert not projection.status.is_busy


def test_each_settings_problem_is_a_notice() -> None:
    projection = projection_of(ev.SettingsReloaded(problems=("a.json:3: no", "b.json:1: no")))
    assert [(block.kind, block.level, block.text) for block in projection.blocks] == [
        ("notice", "warning", "a.json:3: no"),
        ("notice", "warning", "b.json:1: no"),
    ]


def test_clearing_the_history_empties_the_screen() -> None:
    projection = Projection(Paragraphs)
    projection.apply([*tool_run(), ev.TextDelta(block_id="b", text="x")])
    dirty = projection.apply([ev.HistoryCleared(), ev.UserMessageSent(message_id="m", text="again")])
    assert (dirty.is_reset, dirty.blocks_from) == (True, 0)
    assert sources(projection) == ["again"]
    assert projection.tools == {}


def test_what_a_killed_process_left_open_is_closed_when_the_next_one_starts() -> None:
    started = ev.SessionStarted(cwd="/w", model="m", mode="plan", version="1")
    projection = projection_of(
        started,
        ev.TurnStarted(turn_id="t"),
        ev.TextDelta(block_id="b", text="hal"),
        *tool_run()[:4],
        ev.PermissionRequested(request_id="p", tool_use_id="t1", name="Bash", input={}, by="rule", reason="why"),
        started,
    )
    assert projection.requests == []
    assert projection.tools["t1"].phase == "dropped"
    assert not any(block.is_live for block in projection.blocks)
    assert (projection.status.is_busy, projection.status.mode) == (False, "plan")


def test_taking_events_one_by_one_or_all_at_once_shows_the_same() -> None:
    script = [
        ev.UserMessageSent(message_id="u", text="hello"),
        ev.TurnStarted(turn_id="t"),
        ev.ResponseStarted(request_id="r", message_id="m"),
        *[ev.TextDelta(block_id="b", text=text) for text in ("a", "\n", "\nb", "\n\nc")],
        ev.TextFinished(block_id="b"),
        *tool_run(),
        ev.Notice(level="info", text="n"),
        ev.TurnFinished(turn_id="t", outcome="done"),
    ]
    once, stepwise = projection_of(*script), projection_of(*script, at_once=False)
    assert sources(once) == sources(stepwise)
    assert [block.id for block in once.blocks] == [block.id for block in stepwise.blocks]
    assert all(once.blocks[once.position(block.id) or 0] is block for block in once.blocks)


SPANS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda span: (float(min(span)), float(max(span)))), max_size=6
)


def ticks(spans: list[tuple[float, float]]) -> set[int]:
    return {tick for start, stop in spans for tick in range(int(start), int(stop))}


@given(SPANS, SPANS)
@settings(max_examples=150, deadline=None)
def test_span_arithmetic_agrees_with_counting_ticks(
    left: list[tuple[float, float]], right: list[tuple[float, float]]
) -> None:
    assert ticks(union(left)) == ticks(left)
    assert length(union(left)) == len(ticks(left))
    assert ticks(overlap(union(left), union(right))) == ticks(left) & ticks(right)
    saved = length(left) - len(ticks(left)) + len(ticks(left) & ticks(right))
    assert time_saved(left, right) == saved


def test_time_is_saved_by_running_together_and_by_running_while_the_model_talks() -> None:
    assert time_saved([(10.0, 30.0), (20.0, 40.0)], [(0.0, 15.0)]) == 10.0 + 5.0
    assert time_saved([(10.0, 30.0)], [(0.0, 5.0)]) == 0.0
