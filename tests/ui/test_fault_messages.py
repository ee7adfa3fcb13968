"""What is said of faults, in the app and outside of it: where they come from, and no secrets."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until

from tui_agent import cli
from tui_agent.headless.output import CliOutput
from tui_agent.secrets.process import process_masker
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.prompting.history import PromptHistory

CANARY = "canary-of-the-process-42"


@pytest.fixture(autouse=True)
def _canary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SHOP_TOKEN", CANARY)
    process_masker.cache_clear()
    yield
    process_masker.cache_clear()


async def test_a_session_that_cannot_be_shown_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect(_prompter: object) -> FakeEngine:
        return FakeEngine()

    def fail(*_: object) -> None:
        raise RuntimeError("no offers today")

    monkeypatch.setattr(TuiAgentApp, "_equip_prompt", fail)
    app = TuiAgentApp(connect)
    async with app.run_test() as pilot:
        await until(pilot, lambda: "no offers today" in screen_text(app))


async def _nothing(_prompter: object) -> None:
    return None


def test_a_fault_that_ends_the_app_shows_no_variables_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    app = TuiAgentApp(_nothing)
    monkeypatch.setattr(app, "_close_messages_no_wait", lambda: None)
    monkeypatch.setattr(app, "bell", lambda: None)
    try:
        local = CANARY
        raise ValueError(f"not {local}")
    except ValueError:
        app._fatal_error()
    (said,) = ["".join(segment.text for segment in shown.segments) for shown in app._exit_renderables]  # type: ignore[attr-defined]
    assert "ValueError: not [secret: SHOP_TOKEN]" in said
    assert "test_fault_messages.py" in said
    assert CANARY not in said


@pytest.mark.parametrize("flag", [[], ["--debug"]])
def test_a_fault_outside_of_the_app(
    flag: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path))

    def fail(*_: object) -> int:
        raise RuntimeError(f"cannot use {CANARY}")

    monkeypatch.setattr(cli, "_dispatch", fail)
    assert cli.run(["tools", "list", *flag]) == 1
    said = capsys.readouterr().err
    assert "cannot use [secret: SHOP_TOKEN]" in said
    assert ("Traceback" in said) == bool(flag)
    assert CANARY not in said


def test_messages_of_commands() -> None:
    errors = io.StringIO()
    CliOutput(io.StringIO(), errors).message(f"no {CANARY}", f"or {CANARY}")
    assert CANARY not in errors.getvalue()
    assert errors.getvalue().count("[secret: SHOP_TOKEN]") == 2


def test_a_key_that_was_typed_is_not_in_the_file_of_prompts(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "history.jsonl")
    history.add(f"use {CANARY} and ghp_" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7")
    text = (tmp_path / "history.jsonl").read_text()
    assert CANARY not in text
    assert "ghp_" not in text
    assert history.back("") is not None
