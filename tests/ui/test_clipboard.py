from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tui_agent.ui.clipboard import clipboard_command, copy_by_program
from tui_agent.ui.tool_views import view_for


@pytest.mark.parametrize(
    ("environment", "platform", "program"),
    [
        ({"TMUX": "x", "SSH_CONNECTION": "x"}, "linux", "tmux"),
        ({"SSH_CONNECTION": "x", "DISPLAY": ":0"}, "linux", None),
        ({}, "darwin", "pbcopy"),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", "wl-copy"),
        ({"DISPLAY": ":0"}, "linux", "xclip"),
        ({}, "linux", None),
    ],
)
def test_the_clipboard_of_the_desktop_the_person_sits_at_is_used(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], platform: str, program: str | None
) -> None:
    monkeypatch.setattr("tui_agent.ui.clipboard.shutil.which", lambda name: f"/bin/{name}")
    command = clipboard_command(environment, platform)
    assert (command[0] if command else None) == program


async def test_a_program_gets_the_text_as_it_is(tmp_path: Path) -> None:
    target = tmp_path / "clip"
    code = f"import sys, pathlib; pathlib.Path({str(target)!r}).write_bytes(sys.stdin.buffer.read())"
    assert await copy_by_program("zwei\nZeilen …", [sys.executable, "-c", code])
    assert target.read_text("utf-8") == "zwei\nZeilen …"


async def test_a_program_that_fails_or_is_missing_took_nothing() -> None:
    assert not await copy_by_program("x", [sys.executable, "-c", "raise SystemExit(1)"])
    assert not await copy_by_program("x", ["/no/such/program"])


def test_a_tool_without_a_view_of_its_own_gets_the_generic_one() -> None:
    assert type(view_for("mcp__server__thing")).__name__ == "ToolView"
    assert type(view_for("Bash")).__module__ == "tui_agent.tools.bash.view"
    assert view_for("Bash") is view_for("Bash")
