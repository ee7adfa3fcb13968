"""The bus: stamps, merging while waiting, and subscribers that misbehave."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.bus import Bus
from tui_agent.events import Event, JobProgressed, Notice, TextDelta, ToolInputDelta, ToolProgressed, ToolStateChanged


def make_bus() -> Bus:
    ticks = iter(range(1, 10_000_000))
    return Bus("s", wall=lambda: 1000.0, monotonic=lambda: float(next(ticks)))


async def test_published_events_carry_session_number_and_time() -> None:
    bus = make_bus()
    first = bus.publish(Notice(level="info", text="a"))
    second = bus.publish(Notice(level="info", text="b"))
    assert (first.session_id, first.seq, second.seq, first.time) == ("s", 1, 2, 1000.0)
    assert second.monotonic_ms - first.monotonic_ms == 1000.0


async def test_a_slow_subscriber_waits_with_one_event_per_block_not_per_token() -> None:
    bus = make_bus()
    subscription = bus.subscribe("slow")
    for _ in range(5000):
        bus.publish(TextDelta(block_id="a", text="x"))
        bus.publish(TextDelta(block_id="b", text="y"))
        bus.publish(ToolProgressed(tool_use_id="t", data={"n": _}))
    assert len(subscription) == 3
    texts = subscription.take()
    assert [getattr(event, "text", None) for event in texts] == ["x" * 5000, "y" * 5000, None]
    assert isinstance(texts[2], ToolProgressed)
    assert texts[2].data == {"n": 4999}
    assert subscription.take() == []


async def test_a_failing_subscriber_is_reported_to_the_others_and_dropped() -> None:
    bus = make_bus()
    good = bus.subscribe("good")

    def fail() -> None:
        raise RuntimeError("broken pane")

    bus.subscribe("the pane", fail)
    bus.publish(Notice(level="info", text="first"))
    bus.publish(Notice(level="info", text="second"))
    texts = [event.text for event in good.take() if isinstance(event, Notice)]
    assert sum("the pane stopped listening" in text and "broken pane" in text for text in texts) == 1
    assert [text for text in texts if text in ("first", "second")] == ["first", "second"]


async def test_a_subscriber_is_woken_once_until_it_has_taken() -> None:
    bus = make_bus()
    calls: list[int] = []
    subscription = bus.subscribe("ui", lambda: calls.append(1))
    for _ in range(3):
        bus.publish(Notice(level="info", text="x"))
    assert len(calls) == 1
    subscription.take()
    bus.publish(Notice(level="info", text="x"))
    assert len(calls) == 2


async def test_a_fact_that_joins_deltas_wakes_once_more() -> None:
    bus, calls = Bus("s"), list[bool]()
    subscription = bus.subscribe("screen", lambda: calls.append(subscription.has_facts))
    bus.publish(TextDelta(block_id="b", text="one"))
    bus.publish(TextDelta(block_id="b", text=" two"))
    bus.publish(ToolProgressed(tool_use_id="t", data={}))
    assert calls == [False]
    bus.publish(Notice(level="info", text="a fact"))
    bus.publish(Notice(level="info", text="another"))
    assert calls == [False, True]
    subscription.take()
    assert not subscription.has_facts
    bus.publish(TextDelta(block_id="b", text="three"))
    assert calls == [False, True, False]


async def test_waiting_ends_when_the_subscription_is_closed() -> None:
    bus = make_bus()
    subscription = bus.subscribe("reader")
    waiting = asyncio.create_task(subscription.wait())
    await asyncio.sleep(0)
    bus.publish(Notice(level="info", text="x"))
    assert await waiting is True
    subscription.take()
    waiting = asyncio.create_task(subscription.wait())
    await asyncio.sleep(0)
    subscription.close()
    subscription.close()
    assert await waiting is False
    bus.publish(Notice(level="info", text="unheard"))
    assert subscription.take() == []


EVENTS = st.one_of(
    st.builds(lambda b, t: TextDelta(block_id=b, text=t), st.sampled_from("ab"), st.text(max_size=3)),
    st.builds(lambda b, t: ToolInputDelta(tool_use_id=b, partial_json=t), st.sampled_from("ab"), st.text(max_size=3)),
    st.builds(
        lambda b: ToolStateChanged(tool_use_id=b, from_state="queued", to_state="executing"), st.sampled_from("ab")
    ),
)


@given(st.lists(st.tuples(EVENTS, st.booleans()), max_size=60))
def test_merging_loses_no_text_and_no_state_change(steps: list[tuple[Event, bool]]) -> None:
    async def run() -> None:
        bus = make_bus()
        subscription = bus.subscribe("s")
        taken: list[Event] = []
        for event, take_now in steps:
            bus.publish(event)
            if take_now:
                taken += subscription.take()
        taken += subscription.take()
        for key in "ab":
            assert "".join(e.text for e in taken if isinstance(e, TextDelta) and e.block_id == key) == "".join(
                e.text for e, _ in steps if isinstance(e, TextDelta) and e.block_id == key
            )
            assert "".join(e.partial_json for e in taken if isinstance(e, ToolInputDelta) and e.tool_use_id == key) == (
                "".join(e.partial_json for e, _ in steps if isinstance(e, ToolInputDelta) and e.tool_use_id == key)
            )
        assert sum(isinstance(e, ToolStateChanged) for e in taken) == sum(
            isinstance(e, ToolStateChanged) for e, _ in steps
        )

    asyncio.run(run())


async def test_of_a_job_s_progress_the_newest_waits() -> None:
    bus = make_bus()
    subscription = bus.subscribe("slow")
    for number in range(100):
        bus.publish(JobProgressed(job_id="j", data={"n": number}))
        bus.publish(JobProgressed(job_id="k", data={"n": -number}))
    assert [getattr(event, "data", None) for event in subscription.take()] == [{"n": 99}, {"n": -99}]


async def test_followers_hear_what_they_name_before_publish_returns_and_unredacted() -> None:
    bus = Bus("s", redact=lambda event: (replace(event, text="***"),) if isinstance(event, Notice) else (event,))
    subscription, heard = bus.subscribe("s"), list[Event]()
    bus.follow("book", (Notice,), heard.append)
    said = Notice(level="info", text="secret")
    bus.publish(TextDelta(block_id="a", text="x"))
    shown = bus.publish(said)
    assert heard == [said]
    assert isinstance(shown, Notice)
    assert (shown.text, shown.seq) == ("***", 2)
    bus.republish(shown)
    assert heard == [said], "recorded events are no news"
    assert [getattr(event, "text", None) for event in subscription.take()] == ["x", "***", "***"]


async def test_what_a_follower_publishes_comes_after_the_event_it_follows() -> None:
    bus, order = make_bus(), list[str]()
    subscription = bus.subscribe("s")

    def first(event: Event) -> None:
        order.append(f"first {getattr(event, 'text', '')}")
        if getattr(event, "text", "") == "one":
            bus.publish(Notice(level="info", text="two"))

    bus.follow("first", (Notice,), first)
    bus.follow("second", (Notice,), lambda event: order.append(f"second {getattr(event, 'text', '')}"))
    bus.publish(Notice(level="info", text="one"))
    assert order == ["first one", "second one", "first two", "second two"]
    assert [getattr(event, "text", "") for event in subscription.take()] == ["one", "two"]


async def test_a_follower_that_raises_is_told_once_and_keeps_following() -> None:
    bus, heard = make_bus(), list[Event]()
    subscription = bus.subscribe("s")

    def fails(_event: Event) -> None:
        raise KeyError("lost")

    bus.follow("the book", (Notice,), fails)
    bus.follow("other", (Notice,), heard.append)
    for text in ("one", "two"):
        bus.publish(Notice(level="info", text=text))
    texts = [event.text for event in subscription.take() if isinstance(event, Notice)]
    assert texts == ["one", "Internal error: the book could not take Notice: KeyError: 'lost'", "two"]
    assert [getattr(event, "text", "") for event in heard] == texts


async def test_what_cannot_be_redacted_is_shown_to_nobody() -> None:
    def fails(_event: Event) -> list[Event]:
        raise ValueError("secret")

    bus = Bus("s", redact=fails)
    subscription = bus.subscribe("s")
    bus.publish(Notice(level="info", text="secret"))
    (told,) = subscription.take()
    assert isinstance(told, Notice)
    assert told.text == "Internal error: Notice could not be redacted and is not shown: ValueError"
