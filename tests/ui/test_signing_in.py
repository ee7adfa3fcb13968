"""A refused key: the welcome comes again within the session, unless something is being written."""

from __future__ import annotations

from typing import Any

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until

from tui_agent import events as ev
from tui_agent.boundary import Engine, Pending
from tui_agent.commands import Done, Reply, SignIn
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter


class Access:
    """Remembers why it was asked, and signs in."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def sign_in(self, prompter: StartupPrompter, problem: str = "") -> tuple[SignIn | None, str]:
        self.asked.append(problem)
        return SignIn("a-new-key"), ""

    async def sign_out(self) -> str:
        return "The key was removed."


def fail(engine: FakeEngine, **header: Any) -> None:
    engine.begin("hello")
    failed = ev.TurnFailed(turn_id="turn", kind="authentication", message="The key was refused.", hint="", **header)
    engine.say(failed)
    engine.end()


@pytest.mark.parametrize("is_writing", [False, True])
async def test_a_refused_key_is_asked_for_unless_something_is_being_written(
    monkeypatch: pytest.MonkeyPatch, is_writing: bool
) -> None:
    engine, access = FakeEngine(), Access()
    sent: list[object] = []
    real = engine.send

    def send(command: Any) -> Any:
        if not isinstance(command, SignIn):
            return real(command)
        sent.append(command)
        return Pending.of(Reply(Done()))

    monkeypatch.setattr(engine, "send", send)

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, access=access)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        if is_writing:
            await pilot.press("h", "i")
        fail(engine)
        if is_writing:
            await until(pilot, lambda: "Give another key with /login" in screen_text(app))
            assert access.asked == []
        else:
            await until(pilot, lambda: access.asked == ["The key was refused."])
            await until(pilot, lambda: sent == [SignIn("a-new-key")])


async def test_logout_says_what_came_of_it() -> None:
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, access=Access())
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        await pilot.press(*"/logout", "enter")
        await until(pilot, lambda: "The key was removed." in screen_text(app))
