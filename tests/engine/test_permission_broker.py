"""The permission desk: each question is put once, settled once, and by whoever answers first."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tui_agent.engine.gate.permission_broker import PermissionBroker
from tui_agent.events import Event, Notice, PermissionRequested, PermissionResolved
from tui_agent.execution.execution_context import PermissionQuestion
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.permissions.verdict import Decision, ToolCall, Verdict

YES, NO = Decision(behavior="allow"), Decision(behavior="deny")
ASKS = Verdict(
    behavior="ask", by="default", reason="no rule allows it", suggestions=("Note(*)",), offers=(("Note(*)",),)
)


class Counter:
    """A desk, what it published, and the rules it saved."""

    def __init__(self, *, is_attended: bool = True, head_start_s: float = 0.0) -> None:
        self.events: list[Event] = []
        self.rules: list[str] = []
        self.broker = PermissionBroker(
            publish=self._publish,
            folder=lambda: "/w",
            judge=lambda call: ASKS,
            save_rule=self._save,
            is_attended=is_attended,
            head_start_s=head_start_s,
        )

    def _publish(self, event: Event) -> Event:
        self.events.append(event)
        return event

    def _save(self, rule: str, scope: str) -> None:
        if rule == "broken":
            raise ValueError("it means nothing")
        self.rules.append(rule)

    def ask(self, *rivals: Any, **more: Any) -> asyncio.Task[ResponderAnswer]:
        return asyncio.create_task(self.broker.ask(self.question(**more), Responders(rivals)))

    def question(self, name: str = "t1", **more: Any) -> PermissionQuestion:
        return PermissionQuestion(
            **{
                "tool_use_id": name,
                "name": "Note",
                "input": {"note": name},
                "verdict": ASKS,
                "proposals": (),
                "is_destructive": False,
                "judge": lambda raw: Verdict(
                    behavior="allow" if raw["note"] in self.rules else "ask", by="rule", reason=""
                ),
                **more,
            }
        )

    @property
    def requested(self) -> list[PermissionRequested]:
        return [event for event in self.events if isinstance(event, PermissionRequested)]

    @property
    def resolved(self) -> list[PermissionResolved]:
        return [event for event in self.events if isinstance(event, PermissionResolved)]


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def waits(answer: ResponderAnswer | None = None) -> tuple[Any, asyncio.Event]:
    """A rival that answers when the event is set."""
    ready = asyncio.Event()

    async def rival() -> ResponderAnswer | None:
        await ready.wait()
        return answer

    return rival, ready


async def test_the_persons_answer_settles_it_and_a_second_one_is_ignored() -> None:
    counter = Counter()
    asked = counter.ask()
    await settle()
    (request,) = counter.requested
    assert (request.offers, request.cwd, request.reason) == ((("Note(*)",),), "/w", "no rule allows it")
    assert counter.broker.answer(request.request_id, Decision(behavior="deny", message="not now"))
    assert not counter.broker.answer(request.request_id, YES)
    assert (await asked).by == "person"
    (resolved,) = counter.resolved
    assert (resolved.behavior, resolved.by, resolved.message) == ("deny", "person", "not now")


@pytest.mark.parametrize("by", ["hook", "classifier"])
async def test_a_rival_closes_the_dialog_and_the_persons_late_answer_saves_nothing(by: Any) -> None:
    counter = Counter()
    rival, ready = waits(ResponderAnswer(decision=YES, by=by))
    asked = counter.ask(rival)
    await settle()
    (request,) = counter.requested
    ready.set()
    assert (await asked).by == by
    assert [(event.behavior, event.by) for event in counter.resolved] == [("allow", by)]
    assert not counter.broker.answer(
        request.request_id, Decision(behavior="allow", rules=("Note(*)",), scope="session")
    )
    assert counter.rules == []
    assert len(counter.resolved) == 1


async def test_who_answers_at_once_opens_no_dialog_that_would_be_gone_before_it_is_read() -> None:
    counter = Counter(head_start_s=30)
    seen: list[int] = []

    async def quick() -> ResponderAnswer:
        await asyncio.sleep(0)
        seen.append(len(counter.requested))
        return ResponderAnswer(decision=YES, by="hook")

    assert (await counter.ask(quick)).by == "hook"
    assert seen == [0]
    assert [type(event) for event in counter.events] == [PermissionRequested, PermissionResolved]


async def test_who_takes_longer_than_the_head_start_races_with_the_person() -> None:
    counter = Counter(head_start_s=0.01)
    rival, _ready = waits(ResponderAnswer(decision=YES, by="hook"))
    asked = counter.ask(rival)
    while not counter.requested:
        await asyncio.sleep(0.001)
    (request,) = counter.requested
    assert counter.broker.answer(request.request_id, NO)
    assert (await asked).by == "person"


async def test_a_question_withdrawn_within_the_head_start_was_never_put() -> None:
    counter = Counter(head_start_s=30)
    rival, _ready = waits()
    asked = counter.ask(rival)
    await settle()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert counter.events == []


async def test_between_a_rivals_answer_and_the_end_of_the_others_the_question_is_closed() -> None:
    counter = Counter()
    rival, ready = waits(ResponderAnswer(decision=YES, by="hook"))
    asked = counter.ask(rival)
    await settle()
    (request,) = counter.requested
    ready.set()
    while not counter.resolved:
        await asyncio.sleep(0)
    assert not counter.broker.answer(request.request_id, NO)
    assert (await asked).decision == YES


async def test_nobody_there_means_a_denial_by_nobody_after_the_rivals_have_passed() -> None:
    counter = Counter(is_attended=False)
    rival, ready = waits(None)
    asked = counter.ask(rival)
    await settle()
    assert counter.resolved == []
    ready.set()
    assert (await asked).by == "nobody"
    assert [(event.behavior, event.by) for event in counter.resolved] == [("deny", "nobody")]


async def test_nobody_there_cannot_be_answered_for_by_the_front_end() -> None:
    counter = Counter(is_attended=False)
    rival, ready = waits(None)
    asked = counter.ask(rival)
    await settle()
    assert not counter.broker.answer(counter.requested[0].request_id, YES)
    ready.set()
    assert (await asked).decision.behavior == "deny"


async def test_a_rule_that_is_saved_settles_the_others_it_covers() -> None:
    counter = Counter()
    first, second, third = counter.ask(name="a"), counter.ask(name="b"), counter.ask(name="c")
    await settle()
    request = counter.requested[0]
    counter.broker.answer(request.request_id, Decision(behavior="allow", rules=("b",), scope="session"))
    assert ((await first).by, (await second).by) == ("person", "rule")
    assert not third.done()
    third.cancel()
    await settle()
    assert [(event.behavior, event.by) for event in counter.resolved] == [
        ("allow", "person"),
        ("allow", "rule"),
        ("cancelled", "interrupt"),
    ]


async def test_a_rule_that_cannot_be_saved_is_said_and_the_call_goes_ahead() -> None:
    counter = Counter()
    asked = counter.ask()
    await settle()
    counter.broker.answer(counter.requested[0].request_id, Decision(behavior="allow", rules=("broken",), scope="local"))
    assert (await asked).decision.behavior == "allow"
    assert any(isinstance(event, Notice) and "could not be saved" in event.text for event in counter.events)


async def test_always_is_never_offered_for_what_is_destructive() -> None:
    counter = Counter()
    asked = counter.ask(is_destructive=True)
    await settle()
    assert counter.requested[0].offers == ()
    asked.cancel()
    await settle()


async def test_deciding_asks_nobody() -> None:
    counter = Counter()
    assert counter.broker.decide(ToolCall(tool="Note", input={}), ()) is ASKS
    assert counter.events == []
