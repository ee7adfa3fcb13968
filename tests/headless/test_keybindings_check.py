"""`doctor` on keys: how many are bound by which file, and what is wrong with the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.headless.keybindings_check import examine_keybindings
from tui_agent.settings.keybindings.files import keybindings_files


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, ...]:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for file in keybindings_files():
        file.parent.mkdir(parents=True, exist_ok=True)
    return keybindings_files()


def test_without_files_there_is_nothing_to_say(files: tuple[Path, ...]) -> None:
    assert not any(file.exists() for file in files)
    assert list(examine_keybindings()) == []


def test_what_is_bound_is_counted_and_what_is_wrong_named(files: tuple[Path, ...]) -> None:
    theirs, own = files
    theirs.write_text("{")
    own.write_text(
        '{"bindings": [{"context": "Confirmation", "bindings": {"f5": "confirm:yes", "f6": "confirm:maybe"}}]}'
    )
    found = [(finding.level, finding.text) for finding in examine_keybindings()]
    assert [level for level, _ in found] == ["problem", "warning", "ok"]
    assert found[0][1].startswith(f"{theirs}:1: ")
    assert "there is no action 'confirm:maybe'" in found[1][1]
    assert found[2][1] == f"1 bound by {own}"
