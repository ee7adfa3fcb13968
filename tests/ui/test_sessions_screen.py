"""The list of recorded sessions: found, searched, looked at, gone on with, exported, deleted."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from dialog_app import DialogApp, screen_text
from fake_engine import FakeEngine
from screen_text import until
from textual import events

from tui_agent import events as ev
from tui_agent.boundary import Engine, Pending
from tui_agent.engine.recorded_sessions import RecordedSessions
from tui_agent.event_json import to_json
from tui_agent.journal.store import SessionFolder
from tui_agent.queries import SessionQuery
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.screens.sessions import SessionsScreen
from tui_agent.ui.widgets.prompt_text import PromptText

NOW = 1_900_000_000.0


def record(state: Path, cwd: Path, text: str, *, age: float, cost: float | None = 0.5) -> str:
    folder = SessionFolder.new(state, cwd)
    folder.create()
    usage = ev.UsageReported(request_id="r", model="m", input_tokens=1, output_tokens=1, cost_usd=cost)
    events = [
        ev.SessionStarted(cwd=str(cwd), model="sonnet", mode="default", version="0", time=NOW - age),
        ev.BranchChanged(branch="main"),
        *([ev.UserMessageSent(message_id="m", text=text)] if text else []),
        usage,
        ev.TurnFinished(turn_id="t", outcome="done"),
        *([ev.UserMessageSent(message_id="m", text=f"thanks for {text}")] if text else []),
    ]
    lines = (json.dumps(to_json(event), separators=(",", ":")) for event in events)
    folder.journal.write_text("\n".join(lines) + "\n")
    os.utime(folder.journal, (NOW - age, NOW - age))
    return folder.id


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path, list[str]]:
    """The state folder, a working folder, and the ids of its three sessions, newest first."""
    state, work = tmp_path / "state", tmp_path / "work"
    work.mkdir()
    ids = [
        record(state, work, "round the \x1b[31mtotals", age=30),
        record(state, work, "rename the module", age=7200, cost=None),
        record(state, work, "", age=90_000 * 3),
    ]
    record(state, tmp_path / "elsewhere", "somewhere else", age=60)
    return state, work, ids


def app_of(place: tuple[Path, Path, list[str]], **more: Any) -> DialogApp:
    state, work, _ = place
    return DialogApp(SessionsScreen(RecordedSessions(state, work), work, now=lambda: NOW, **more))


async def ready(pilot: Any) -> str:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return screen_text(pilot)


async def test_sessions_of_the_folder_stand_newest_first_with_what_they_were(place: Any) -> None:
    async with app_of(place).run_test(size=(120, 30)) as pilot:
        text = await ready(pilot)
        assert text.index("round the totals") < text.index("rename the module") < text.index("(no message)")
        assert "1 turn  $0.50  just now" in text
        assert "2h ago" in text
        assert "3d ago" in text
        assert "somewhere else" not in text
        assert "3 sessions of this folder" in text
        assert "branch main" in text, "what is under the cursor is described"
        assert "\x1b" not in text


async def test_all_folders_are_shown_on_wish(place: Any) -> None:
    async with app_of(place).run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press("ctrl+a")
        text = await ready(pilot)
        assert "somewhere else" in text
        assert "4 sessions of all folders" in text


async def test_a_search_looks_into_later_messages_too(place: Any) -> None:
    async with app_of(place).run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press(*"thanks", "space", *"MODULE")
        text = await ready(pilot)
        assert "rename the module" in text
        assert "round the totals" not in text
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.result != "not dismissed")
        assert pilot.app.result.id == place[2][1]  # type: ignore[attr-defined]


async def test_a_search_finds_words_and_whole_ids_but_not_what_every_session_has(place: Any) -> None:
    _, work, ids = place
    async with app_of(place).run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, SessionsScreen)
        assert screen.found(ids[1][14:18]) == [], "four of its digits"
        assert screen.found(work.name) == [], "all of them are of this folder"
        assert [found.id for found in screen.found(ids[1])] == [ids[1]]
        assert [found.id for found in screen.found(ids[1][:8])] == [ids[1]]
        await pilot.press("ctrl+a")
        await ready(pilot)
        assert len(screen.found(work.name)) == 3
        assert [found.cwd for found in screen.found("elsewhere")] == [str(work.parent / "elsewhere")]


async def test_what_is_typed_searches_at_once_and_escape_closes(place: Any) -> None:
    app = app_of(place)
    async with app.run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press("slash", *"nothing like it")
        assert "No matches." in await ready(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: app.result is None)


async def test_a_session_is_renamed_and_found_by_its_name(place: Any) -> None:
    state, _, ids = place
    async with app_of(place).run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press("down", "ctrl+r", *"Modules", "delete", "ctrl+a", *"My ", "enter")
        text = await ready(pilot)
        assert "  My Modules" in text
        assert "\u276f rename the module" in text, "what was said is still told beside it"
        await pilot.press(*"my mod")
        text = await ready(pilot)
        assert "My Modules" in text
        assert "round the totals" not in text
        await pilot.press("ctrl+r", "ctrl+u", "escape")
        assert "My Modules" in await ready(pilot), "Escape keeps the name"
        await pilot.press("ctrl+r", "ctrl+u", "enter")
        await pilot.press(*["backspace"] * 6)
        text = await ready(pilot)
        assert "My Modules" not in text
    (folder,) = state.rglob(ids[1])
    assert not (folder / "title.txt").exists()


async def test_keys_pressed_right_after_enter_wait_for_the_session(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the list does at Enter takes files; letters typed on are for the prompt, not for the search."""
    import asyncio

    state, work, ids = place
    engine = FakeEngine()
    engine.recorded = RecordedSessions(state, work)
    asked = engine.recorded.query

    def slowly(query: Any) -> Any:
        async def answer() -> Any:
            await asyncio.sleep(0.05)
            return await asked(query)

        return Pending.running(answer())

    monkeypatch.setattr(
        engine, "query", lambda query: slowly(query) if isinstance(query, SessionQuery) else real(query)
    )
    real = type(engine).query.__get__(engine)

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect)
    resumed: list[str] = []
    monkeypatch.setattr(app, "resume", lambda session_id, _cwd: resumed.append(session_id))
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        app.push_screen(
            SessionsScreen(engine, work, now=lambda: NOW), lambda found: app.resume(found.id, work) if found else None
        )
        await until(pilot, lambda: "round the totals" in screen_text(pilot))
        for key in ("enter", "h", "i"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: resumed)
        await until(pilot, lambda: app.query_one(PromptText).text == "hi")
    assert resumed == [ids[0]]


async def test_enter_goes_on_with_the_one_under_the_cursor_but_not_with_the_open_one(place: Any) -> None:
    app = app_of(place, current=place[2][0])
    async with app.run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        assert "this session is open here" in await ready(pilot)
        assert app.result == "not dismissed"
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.result != "not dismissed")
        assert app.result.id == place[2][1]  # type: ignore[attr-defined]


async def test_a_session_is_deleted_only_after_a_yes(place: Any) -> None:
    state = place[0]
    async with app_of(place).run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press("down", "ctrl+x")
        await pilot.pause()
        assert "deleted permanently" in screen_text(pilot)
        await pilot.press("enter")  # which is no
        assert "rename the module" in await ready(pilot)
        await pilot.press("delete", "y")
        text = await ready(pilot)
        assert "rename the module" not in text
        assert "2 sessions" in text
    assert len(list(state.rglob("journal.jsonl"))) == 3


@pytest.mark.parametrize("keys", [("enter",), ("ctrl+e",), ("ctrl+x", "y"), ("ctrl+r", "x", "enter")])
async def test_a_session_that_somebody_else_deleted_goes_off_the_list(place: Any, keys: tuple[str, ...]) -> None:
    state, work, ids = place
    app = app_of(place)
    async with app.run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press("down")
        (folder,) = state.rglob(ids[1])
        shutil.rmtree(folder)
        await pilot.press(*keys)
        text = await ready(pilot)
        assert isinstance(app.screen, SessionsScreen)
        assert "it is gone" in text
        assert "rename the module" not in text
        assert "2 sessions" in text
    assert not list(work.glob("*.md"))


async def test_what_was_said_makes_room_for_the_keys_when_something_else_is_done(place: Any) -> None:
    async with app_of(place, current=place[2][0]).run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press("ctrl+x")
        assert "cannot be deleted" in await ready(pilot)
        await pilot.press("/", "r")
        assert "cannot be deleted" not in await ready(pilot)
        await pilot.press("o", "u", "n", "d", "down", "enter")
        assert "this session is open here" in await ready(pilot)
        await pilot.press("down")  # there is one entry only
        assert "this session is open here" not in await ready(pilot)


async def test_an_export_is_written_into_the_folder(place: Any) -> None:
    async with app_of(place).run_test(size=(120, 30)) as pilot:
        await ready(pilot)
        await pilot.press("ctrl+e")
        assert "exported to" in await ready(pilot)
    (path,) = place[1].glob("*.md")
    assert "## You\n\nround the totals" in path.read_text()


async def test_where_an_export_cannot_go_is_said(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    state, work, ids = place
    monkeypatch.setattr(FakeEngine, "id", ids[0])
    engine = FakeEngine()
    engine.recorded = RecordedSessions(state, work, current=ids[0])

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect)
    told: list[tuple[str, ...]] = []
    monkeypatch.setattr(app, "notify_user", lambda *words, **_: told.append(words))
    async with app.run_test(size=(200, 30)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        await pilot.press(*"/export ", *str(work / "talk.md"), "enter")
        await until(pilot, lambda: told)
    problem = f"The conversation cannot be exported to {work / 'talk.md'}: No such file or directory"
    assert told == [(problem, "Give /export an existing folder; it names the file itself.")]
    assert not list(work.iterdir())


@pytest.mark.parametrize("size", [(40, 12), (60, 20), (200, 60)])
async def test_it_fits_every_size(place: Any, size: tuple[int, int]) -> None:
    async with app_of(place).run_test(size=size) as pilot:
        text = await ready(pilot)
        assert "round the" in text
        assert max(map(len, text.split("\n"))) <= size[0]
