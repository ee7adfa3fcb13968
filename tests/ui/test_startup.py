from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui_agent.commands import Close, ConfirmSettings, ReloadSettings, Start
from tui_agent.engine.session.config import SessionOptions
from tui_agent.event_json import to_json
from tui_agent.events import Notice, SessionStarted, SettingsReloaded
from tui_agent.model import keyring_key
from tui_agent.model.demo import demo as demo_module
from tui_agent.model.providers.resolve import ModelClients
from tui_agent.queries import StateQuery, WithheldQuery
from tui_agent.settings.trust import is_trusted
from tui_agent.ui.screens.broken_settings import BrokenSettingsScreen
from tui_agent.ui.screens.trust import TrustScreen
from tui_agent.ui.screens.welcome import UseDemo, UseEndpoint, UseKey, WelcomeScreen
from tui_agent.ui.startup import Startup


class FakePrompter:
    """Answers screens from a list, and remembers which were shown."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.shown: list[type] = []
        self.said: list[str] = []

    def notify_later(self, text: str, *, level: str) -> None:
        self.said.append(text)

    async def ask(self, screen: Any) -> Any:
        self.shown.append(type(screen))
        return self._answers.pop(0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(keyring_key, "kept", lambda: None)
    monkeypatch.setattr(keyring_key, "can_keep", lambda: True)
    work = tmp_path / "work"
    work.mkdir()
    return work


def entrance(folder: Path, **changes: Any) -> Startup:
    return Startup(
        lambda demo_folder: SessionOptions(cwd=demo_folder or folder, is_trusted=bool(demo_folder) or None, **changes)
    )


async def start(session: Any) -> list[Any]:
    subscription = session.subscribe("test")
    session.send(Start())
    await session.send(Close())
    events: list[Any] = subscription.take()
    return events


async def test_with_a_key_only_the_folder_is_asked_about(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    prompter = FakePrompter(True)
    events = await start(await entrance(folder).connect(prompter))
    assert prompter.shown == [TrustScreen]
    assert is_trusted(folder)
    assert next(event for event in events if isinstance(event, SessionStarted)).trusted
    again = FakePrompter()
    await start(await entrance(folder).connect(again))
    assert again.shown == []


async def test_a_folder_that_is_not_trusted_is_worked_in_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    events = await start(await entrance(folder).connect(FakePrompter(None)))
    assert not is_trusted(folder)
    assert not next(event for event in events if isinstance(event, SessionStarted)).trusted


async def test_a_key_that_is_entered_is_kept_where_that_was_wanted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    monkeypatch.setattr(keyring_key, "keep", lambda key: kept.append(key) or "")
    prompter = FakePrompter(UseKey("sk-test-123456", keep=True), True)
    await start(await entrance(folder).connect(prompter))
    assert prompter.shown == [WelcomeScreen, TrustScreen]
    assert kept == ["sk-test-123456"]


async def test_a_keyring_that_refuses_is_mentioned_and_the_key_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyring_key, "keep", lambda _key: "locked")
    prompter = FakePrompter(UseKey("sk-test-123456", keep=True), True)
    await start(await entrance(folder).connect(prompter))
    assert any("locked" in text and "sk-test" not in text for text in prompter.said)


async def test_a_kept_key_spares_the_welcome(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring_key, "kept", lambda: "sk-kept-123456")
    prompter = FakePrompter(True)
    await start(await entrance(folder).connect(prompter))
    assert prompter.shown == [TrustScreen]


async def test_an_endpoint_needs_no_key(folder: Path) -> None:
    prompter = FakePrompter(UseEndpoint("http://127.0.0.1:9"), True)
    assert await start(await entrance(folder).connect(prompter))


async def test_leaving_the_welcome_leaves_the_program(folder: Path) -> None:
    assert await entrance(folder).connect(FakePrompter(None)) is None


async def test_the_demo_works_in_its_own_folder_which_is_gone_afterwards(folder: Path) -> None:
    prompter = FakePrompter(UseDemo())
    door = entrance(folder)
    session = await door.connect(prompter)
    assert session is not None
    place = Path(session.query(StateQuery()).result().root)
    assert prompter.shown == [WelcomeScreen]
    assert place != folder
    assert (place / "README.md").exists()
    await start(session)
    door.close()
    assert not place.exists()


async def test_a_demo_that_was_asked_for_shows_no_welcome(folder: Path) -> None:
    demo = demo_module.start_demo(pace=0.0)
    door = Startup(lambda place: SessionOptions(cwd=place or folder, is_trusted=True), demo=demo)
    prompter = FakePrompter()
    await start(await door.connect(prompter))
    door.close()
    assert prompter.shown == []


async def test_a_broken_settings_file_is_shown_before_anything_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    file = folder / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text("{")
    prompter = FakePrompter("again", "without", True)
    assert await start(await entrance(folder).connect(prompter))
    assert prompter.shown == [BrokenSettingsScreen, BrokenSettingsScreen, TrustScreen]
    leaving = FakePrompter("leave")
    assert await entrance(folder).connect(leaving) is None
    file.write_text("{}")
    again = FakePrompter()
    assert await start(await entrance(folder).connect(again))
    assert again.shown == []


async def test_the_way_to_a_model_may_stand_in_ones_own_settings_but_not_in_a_folders(
    folder: Path, tmp_path: Path
) -> None:
    (folder / ".claude").mkdir()
    foreign = {"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:6", "ANTHROPIC_AUTH_TOKEN": "foreign"}}
    (folder / ".claude/settings.json").write_text(json.dumps(foreign))
    prompter = FakePrompter(None)
    assert await entrance(folder).connect(prompter) is None
    assert prompter.shown == [WelcomeScreen], "nothing but a folder that is not trusted says where to send everything"
    own = tmp_path / "config/tui-agent/settings.json"
    own.parent.mkdir(parents=True)
    own.write_text('{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:7", "ANTHROPIC_AUTH_TOKEN": "token"}}')
    prompter = FakePrompter(False)
    session = await entrance(folder).connect(prompter)
    assert session is not None
    assert prompter.shown == [TrustScreen]
    models = session._graph.model._models
    assert isinstance(models, ModelClients)
    assert models._client("anthropic").base_url == "http://127.0.0.1:7"
    assert models.secrets == ("token",)
    await start(session)


async def test_a_model_at_a_provider_of_ones_own_needs_no_other_key(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "config/tui-agent/settings.json"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({"model": "local/qwen", "providers": {"local": {"baseUrl": "http://127.0.0.1:7"}}}))
    prompter = FakePrompter(False)
    session = await entrance(folder).connect(prompter)
    assert session is not None
    assert prompter.shown == [TrustScreen]
    assert session.query(StateQuery()).result().model == "local/qwen"
    await start(session)


async def test_a_provider_of_the_folders_own_leads_nowhere(folder: Path) -> None:
    (folder / ".claude").mkdir()
    foreign = {"model": "local/qwen", "providers": {"local": {"baseUrl": "http://127.0.0.1:6"}}}
    (folder / ".claude/settings.json").write_text(json.dumps(foreign))
    prompter = FakePrompter(None)
    assert await entrance(folder).connect(prompter) is None
    assert prompter.shown == [WelcomeScreen]


async def test_of_a_session_that_goes_on_the_end_is_shown_before_anything_is_asked(folder: Path) -> None:
    class Prompter(FakePrompter):
        def preview(self, ending: list[Any]) -> None:
            self.shown.append(type(ending[-1]))

    journal = folder / "journal.jsonl"
    started, notice = SessionStarted(cwd="/w", model="m", mode="default", version="0"), Notice(level="info", text="x")
    journal.write_text("".join(json.dumps(to_json(event)) + "\n" for event in (started, notice)))
    prompter = Prompter(None)
    door = Startup(lambda place: SessionOptions(cwd=place or folder), find_record=lambda: journal)
    assert await door.connect(prompter) is None
    assert prompter.shown == [Notice, WelcomeScreen]


# --- settings that change in a folder that is trusted ------------------------------------------------------------------


def write(folder: Path, *rules: str) -> Path:
    file = folder / ".claude/settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"permissions": {"allow": rules}}))
    return file


def allowed(session: Any) -> set[str]:
    settings = session._graph.runtime.settings
    return {rule.text for rule in settings.rules if not rule.is_held_back}


async def test_settings_that_changed_since_the_folder_was_trusted_are_asked_about(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    write(folder, "Bash(a)")
    session = await entrance(folder).connect(FakePrompter(True))
    assert allowed(session) == {"Bash(a)"}
    await start(session)
    write(folder, "Bash(a)", "Bash(evil)")
    for answer, expected in ((False, {"Bash(a)"}), (None, {"Bash(a)"}), (True, {"Bash(a)", "Bash(evil)"})):
        prompter = FakePrompter(answer)
        session = await entrance(folder).connect(prompter)
        assert prompter.shown == [TrustScreen]
        assert allowed(session) == expected
        events = await start(session)
        told = [event.text for event in events if isinstance(event, Notice) and "Held back" in event.text]
        assert len(told) == (answer is not True), told
        assert next(event for event in events if isinstance(event, SessionStarted)).trusted
    session = await entrance(folder).connect(prompter := FakePrompter())
    assert prompter.shown == []
    await start(session)


async def test_what_comes_to_the_settings_under_the_question_does_not_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    write(folder, "Bash(a)")

    class SlowLobby(FakePrompter):
        async def ask(self, screen: Any) -> Any:
            write(folder, "Bash(a)", "Bash(evil)")
            return await super().ask(screen)

    session = await entrance(folder).connect(SlowLobby(True))
    assert allowed(session) == {"Bash(a)"}
    await start(session)
    session = await entrance(folder).connect(FakePrompter(False))
    assert allowed(session) == {"Bash(a)"}
    await start(session)


async def test_what_comes_while_the_session_runs_waits_and_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    session: Any = await entrance(folder).connect(FakePrompter(True))
    told = session.subscribe("test")
    session.send(Start())
    write(folder, "Bash(evil)")
    await session.send(ReloadSettings())
    assert allowed(session) == set()
    (changes,) = (event.changes for event in told.take() if isinstance(event, SettingsReloaded))
    assert changes == ("held back, as it is new in this folder (/trust shows and confirms it): Bash(evil)",)
    held_back = await session.query(WithheldQuery())
    await session.send(ConfirmSettings(held_back.hashes))
    assert allowed(session) == {"Bash(evil)"}
    assert [event.changes for event in told.take() if isinstance(event, SettingsReloaded)] == [
        ("allow rule added: Bash(evil)",)
    ]
    await session.send(Close())
