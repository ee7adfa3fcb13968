from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest

from tui_agent.clipboard_program import clipboard_command, copy_by_program
from tui_agent.ui.terminal.clipboard import MOST_BYTES, copied_words, passed_through
from tui_agent.ui.transcript.tool_views import view_for


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
    monkeypatch.setattr("tui_agent.clipboard_program.shutil.which", lambda name: f"/bin/{name}")
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


def test_inside_tmux_and_screen_the_terminal_around_them_is_asked() -> None:
    encoded = base64.b64encode("zwei Zeilen …".encode()).decode()
    assert passed_through("zwei Zeilen …", {"TMUX": "x"}) == f"\x1bPtmux;\x1b\x1b]52;c;{encoded}\a\x1b\\"
    assert passed_through("zwei Zeilen …", {"STY": "x"}) == f"\x1bP\x1b]52;c;{encoded}\a\x1b\\"
    assert passed_through("zwei Zeilen …", {}) == ""


def test_what_is_copied_can_end_no_sequence() -> None:
    text = "\x1b\\\a\x1b]52;c;eA==\a"
    body = passed_through(text, {"TMUX": "x"}).removeprefix("\x1bPtmux;").removesuffix("\x1b\\")
    assert "\x1b" not in body.removeprefix("\x1b\x1b")
    assert body.count("\a") == 1


@pytest.mark.parametrize(
    ("text", "what", "is_taken", "words"),
    [
        ("word", "", True, "4 characters copied"),
        ("a\nb", "Markdown", False, "2 lines of Markdown sent to the terminal to copy"),
        (
            "x" * 100_000,
            "",
            False,
            "100,000 characters sent to the terminal to copy; 100 KB is more than many terminals take (75 KB)",
        ),
        ("x" * 100_000, "", True, "100,000 characters copied"),
        ("x" * MOST_BYTES, "", False, f"{MOST_BYTES:,} characters sent to the terminal to copy"),
    ],
)
def test_the_person_is_told_where_it_went_and_what_may_be_too_long(
    text: str, what: str, is_taken: bool, words: str
) -> None:
    assert copied_words(text, what, is_taken=is_taken) == words


def test_a_tool_without_a_view_of_its_own_gets_the_generic_one() -> None:
    assert type(view_for("mcp__server__thing")).__name__ == "ToolView"
    assert type(view_for("Bash")).__module__ == "tui_agent.tools.bash.view"
    assert view_for("Bash") is view_for("Bash")
