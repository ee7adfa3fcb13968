"""A theme that was chosen is there again at the next start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_agent.settings.change import ChangeError
from tui_agent.ui import themes


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    file = tmp_path / "tui-agent" / "settings.json"
    monkeypatch.setattr(themes, "user_settings_file", lambda: file)
    return file


def test_a_kept_theme_is_read_back_and_leaves_other_settings_alone(settings: Path) -> None:
    assert themes.kept() is None
    themes.keep("tui-agent-light")
    assert themes.kept() == "tui-agent-light"
    settings.write_text('{"model": "m", "theme": "tui-agent-light"}')
    themes.keep("ansi-dark")
    assert json.loads(settings.read_text()) == {"model": "m", "theme": "ansi-dark"}


@pytest.mark.parametrize("text", ["{", "[]", '{"theme": 1}', "\xff", "[" * 100_000])
def test_damaged_settings_neither_stop_the_start_nor_are_overwritten(settings: Path, text: str) -> None:
    settings.parent.mkdir()
    settings.write_text(text, encoding="latin-1")
    assert themes.kept() is None
    if text != '{"theme": 1}':
        with pytest.raises(ChangeError):
            themes.keep("tui-agent-dark")
        assert settings.read_text(encoding="latin-1") == text
