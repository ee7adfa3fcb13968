"""Whatever may differ from one run or machine to the next is fixed here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gallery import write_gallery
from pictures import Album


@pytest.fixture(autouse=True)
def frozen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """One home, one time zone, one kind of terminal. Clock, spinner and cursor stand still in a replay by themselves."""
    monkeypatch.setenv("HOME", "/home/dev")
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for name in ("NO_COLOR", "TEXTUAL_ANIMATIONS", "TEXTUAL_THEME", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def album(request: pytest.FixtureRequest) -> Album:
    return Album(request.module.__name__, is_update=bool(request.config.option.snapshot_update))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """When pictures were drawn anew, so is the page that shows them; by the process that started the others."""
    if session.config.option.snapshot_update and not hasattr(session.config, "workerinput"):
        write_gallery()
