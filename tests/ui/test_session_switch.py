"""From one session to another in the running app."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fake_engine import FakeEngine
from screen_text import screen_text, until

from tui_agent import events as ev
from tui_agent.boundary import Engine
from tui_agent.queries import SessionState
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter

PLACE = Path("/home/dev/src/shop")


class Sessions:
    """An app on one engine, from which another can be reached; `problem` keeps it from being opened."""

    def __init__(self) -> None:
        self.first, self.second = FakeEngine(), FakeEngine()
        self.problem: Exception | None = None
        self.opened: list[tuple[str, Path]] = []
        self.may_open = asyncio.Event()
        self.may_open.set()
        self.app = TuiAgentApp(self.connect, reconnect=self.reconnect, renew=self.renew)

    async def connect(self, prompter: StartupPrompter) -> Engine:
        return self.first

    async def reconnect(self, prompter: StartupPrompter, session_id: str, cwd: Path) -> Engine | None:
        self.opened.append((session_id, cwd))
        if self.problem is not None:
            raise self.problem
        return self.second

    async def renew(self, prompter: StartupPrompter, state: SessionState, limit_usd: float | None) -> Engine | None:
        self.opened.append((state.session_id, Path(state.mode)))
        await self.may_open.wait()
        if self.problem is not None:
            raise self.problem
        return self.second

    async def begin(self, pilot: Any) -> None:
        await until(pilot, lambda: self.first.asked)
        self.first.begin("the first conversation")
        self.first.reply("said in the first")
        self.first.end()
        await until(pilot, lambda: "said in the first" in screen_text(self.app))


async def test_the_other_session_takes_the_place_of_this_one() -> None:
    sessions = Sessions()
    app = sessions.app
    async with app.run_test(size=(120, 30)) as pilot:
        await sessions.begin(pilot)
        app.resume("other", PLACE)
        await until(pilot, lambda: sessions.second.asked)
        assert sessions.opened == [("other", PLACE)]
        assert sessions.first.asked[-1] == ("close",)
        sessions.second.begin("the second conversation")
        sessions.second.reply("said in the second")
        sessions.second.end()
        await until(pilot, lambda: "said in the second" in screen_text(app))
        assert "said in the first" not in screen_text(app)
        await pilot.press("h", "i", "enter")
        assert sessions.second.asked[-1] == ("submit", "hi")
        sessions.first.say(ev.Notice(level="error", text="from beyond"))
        await pilot.pause()
        assert "from beyond" not in screen_text(app), "the closed session is heard no more"


async def test_what_cannot_be_opened_leaves_this_session_as_it_was() -> None:
    sessions = Sessions()
    sessions.problem = OSError("this session is open in another window")
    async with sessions.app.run_test(size=(120, 30)) as pilot:
        await sessions.begin(pilot)
        sessions.app.resume("other", PLACE)
        await until(pilot, lambda: "this session is open in" in screen_text(sessions.app))
        assert "said in the first" in screen_text(sessions.app)
        assert ("close",) not in sessions.first.asked
        await pilot.press("h", "i", "enter")
        assert sessions.first.asked[-1] == ("submit", "hi")


async def test_a_running_turn_is_asked_about_first() -> None:
    sessions = Sessions()
    app = sessions.app
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: sessions.first.asked)
        sessions.first.begin("busy")
        await until(pilot, lambda: app.is_busy)
        app.resume("other", PLACE)
        await until(pilot, lambda: "A turn is running" in screen_text(app))
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        assert sessions.opened == []
        app.resume("other", PLACE)
        await until(pilot, lambda: "A turn is running" in screen_text(app))
        await pilot.press("y")
        await until(pilot, lambda: sessions.second.asked)
        assert ("interrupt",) in sessions.first.asked


async def test_questions_of_the_other_session_are_its_own() -> None:
    sessions = Sessions()
    app = sessions.app
    async with app.run_test(size=(120, 30)) as pilot:
        await sessions.begin(pilot)
        app.resume("other", PLACE)
        await until(pilot, lambda: sessions.second.asked)
        sessions.second.begin()
        use = sessions.second.call("Bash", {"command": "make"})
        asked = {"input": {"command": "make"}, "by": "default", "reason": "no rule allows it"}
        sessions.second.say(ev.PermissionRequested(request_id="q", tool_use_id=use, name="Bash", **asked))
        await until(pilot, lambda: "Yes, once" in screen_text(app))
        app.screen.grace._clock = lambda: 1e9  # type: ignore[attr-defined] - it has been read
        await pilot.press("escape")
        await until(pilot, lambda: sessions.second.asked[-1][0] == "answer")


async def test_where_nothing_can_be_taken_up_it_says_so() -> None:
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: engine.asked)
        app.resume("other", PLACE)
        await until(pilot, lambda: "cannot be resumed here" in screen_text(app))


async def test_clear_closes_this_session_under_its_name_and_begins_another() -> None:
    sessions = Sessions()
    app = sessions.app
    async with app.run_test(size=(120, 30)) as pilot:
        await sessions.begin(pilot)
        sessions.may_open.clear()
        await pilot.press(*"/clear the totals", "enter")
        await until(pilot, lambda: sessions.opened)
        assert sessions.first.asked[-1] == ("rename_session", "the totals")
        await pilot.press(*"meanwhile", "enter")
        sessions.may_open.set()
        await until(pilot, lambda: ("submit", "meanwhile") in sessions.second.asked)
        assert sessions.first.asked[-1] == ("close",)
        assert ("clear",) not in sessions.first.asked, "its words stay"
        await until(pilot, lambda: "said in the first" not in screen_text(app))


async def test_a_session_that_cannot_be_begun_leaves_this_one_with_what_was_sent() -> None:
    sessions = Sessions()
    sessions.problem = OSError("the disk is full")
    async with sessions.app.run_test(size=(120, 30)) as pilot:
        await sessions.begin(pilot)
        sessions.may_open.clear()
        await pilot.press(*"/clear", "enter")
        await until(pilot, lambda: sessions.opened)
        await pilot.press(*"meanwhile", "enter")
        sessions.may_open.set()
        await until(pilot, lambda: "the disk is full" in screen_text(sessions.app))
        assert ("submit", "meanwhile") in sessions.first.asked
        assert ("close",) not in sessions.first.asked


async def test_background_jobs_are_asked_about_before_they_are_stopped() -> None:
    sessions = Sessions()
    app = sessions.app
    async with app.run_test(size=(120, 30)) as pilot:
        await sessions.begin(pilot)
        use = sessions.first.call("Bash", {"command": "make watch"})
        sessions.first.say(ev.JobStarted(job_id="job_1", tool_use_id=use, command="make watch", output_path="/tmp/out"))
        await until(pilot, lambda: app.job_count == 1)
        await pilot.press(*"/clear", "enter")
        await until(pilot, lambda: "A background job runs" in screen_text(app))
        await pilot.press("escape")
        await app.workers.wait_for_complete()
        assert sessions.opened == []


async def test_where_nothing_was_said_clear_makes_no_other_session() -> None:
    sessions = Sessions()
    async with sessions.app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: ("start",) in sessions.first.asked)
        await pilot.press(*"/clear", "enter")
        await until(pilot, lambda: ("clear",) in sessions.first.asked)
        assert sessions.opened == []


async def test_a_command_that_comes_before_the_session_waits_for_it() -> None:
    sessions = Sessions()
    may_connect = asyncio.Event()

    async def connect(_prompter: StartupPrompter) -> Engine:
        await may_connect.wait()
        return sessions.first

    app = TuiAgentApp(connect, renew=sessions.renew)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press(*"/mode plan", "enter")
        may_connect.set()
        await until(pilot, lambda: ("set_mode", "plan") in sessions.first.asked)
