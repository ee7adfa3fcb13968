from __future__ import annotations

import asyncio

import pytest
from fake_engine import FakeEngine
from screen_text import text_of, until

from tui_agent import events as ev
from tui_agent.boundary import Engine
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.projection.backlog import LONG
from tui_agent.ui.widgets.transcript import Transcript


def turns(first: int, last: int) -> list[ev.Event]:
    found: list[ev.Event] = []
    for number in range(first, last):
        text = "\n\n".join(f"answer {number}.{part}" for part in range(4))
        found += [
            ev.UserMessageSent(message_id=f"m{number}", text=f"question {number}"),
            ev.TextDelta(block_id=f"b{number}", text=text),
            ev.TextFinished(block_id=f"b{number}"),
        ]
    return found


class Resumed(FakeEngine):
    """An engine that publishes a recording first."""

    def __init__(self, recorded: list[ev.Event]) -> None:
        super().__init__()
        self.earlier = recorded

    def start(self) -> None:
        for event in self.earlier:
            self.bus.republish(event)
        super().start()


async def test_the_end_is_there_before_the_session_and_the_line_being_read_stays() -> None:
    engine, may_open = Resumed(turns(0, 1000)), asyncio.Event()

    async def connect(prompter: StartupPrompter) -> Engine:
        prompter.preview(turns(990, 1000))
        await may_open.wait()
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = app.screen.query_one(Transcript)
        await until(pilot, lambda: transcript.display and "answer 999.3" in text_of(transcript))
        transcript.action_page(-1)
        await until(pilot, lambda: not transcript.is_following)
        top = text_of(transcript).split("\n")[:10]
        may_open.set()
        await until(pilot, lambda: not app.is_behind and len(transcript._layout.blocks) > LONG)
        assert text_of(transcript).split("\n")[:10] == top
        assert not transcript.is_following
        await pilot.press("tab", "home")
        await until(pilot, lambda: "question 0" in text_of(transcript))


@pytest.mark.parametrize("count", [20, 2000])
async def test_a_recording_is_not_scrolled_through_while_it_is_taken_in(count: int) -> None:
    engine, may_open = Resumed(turns(0, count)), asyncio.Event()

    async def connect(prompter: StartupPrompter) -> Engine:
        prompter.preview(turns(count - 10, count))
        await may_open.wait()
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = app.screen.query_one(Transcript)
        last = f"answer {count - 1}.3"
        await until(pilot, lambda: transcript.display and last in text_of(transcript))
        may_open.set()
        for _ in range(1000):
            assert last in text_of(transcript)
            if len(transcript._layout.blocks) == count * 5 and not app.is_behind:
                break
            await pilot.pause(0.005)
        assert len(transcript._layout.blocks) == count * 5
        assert last in text_of(transcript)
