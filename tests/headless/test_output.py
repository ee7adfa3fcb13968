"""Where a command's words go when somebody closed the door."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from tui_agent import text
from tui_agent.headless.output import CliOutput


def test_data_for_a_closed_standard_output_is_refused_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stdout", None)
    output = CliOutput(err=errors)
    assert not output.is_terminal
    with pytest.raises(BrokenPipeError):
        output.text("answer")
    output.abandon()
    assert "standard output is closed" in errors.getvalue()


def test_a_full_disk_behind_standard_output_is_said_in_one_line() -> None:
    errors = io.StringIO()
    with open("/dev/full", "w") as full:  # noqa: PTH123
        output = CliOutput(full, errors)
        with pytest.raises(BrokenPipeError):
            output.json({"answer": 1})
        output.abandon()
    assert errors.getvalue() == "tui-agent: standard output cannot be written: No space left on device\n"


def test_messages_that_nobody_can_read_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    out = io.StringIO()
    output = CliOutput(out)
    output.message("nobody reads this")
    output.text("answer")
    assert out.getvalue() == "answer\n"


class Screen(io.StringIO):
    """What a user looks at."""

    def isatty(self) -> bool:
        return True


ODD = "\x1b]0;t\x07 \x9b31m \x7f \x85 \u202e \u2066 \u200b \u00ad \ufeff \U000e0041 \u2028 é 漢 🙂"


def test_json_for_a_terminal_is_the_same_json_and_holds_nothing_that_it_obeys() -> None:
    value = {"text": ODD, ODD: [ODD, 1, None]}
    for write in (CliOutput.json, CliOutput.json_document):
        for out in (Screen(), io.StringIO()):
            write(CliOutput(out), value)
            assert json.loads(out.getvalue()) == value
            assert "é 漢 🙂" in out.getvalue()
            assert text.is_odd(out.getvalue()) != out.isatty()


def test_every_command_that_prints_json_prints_it_so(in_process: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CliOutput, "is_terminal", property(lambda _self: True))
    for words in (
        ("permissions", "explain", "Bash", json.dumps({"command": f"echo {ODD}"}), "--deny", f"Bash({ODD})"),
        ("tools", "run", "Read", json.dumps({"file_path": f"/gone/{ODD}"})),
        ("tools", "schema", "Read"),
        ("tools", "words", f"Read --file_path={ODD!r}"),
        ("settings", "explain", "model"),
    ):
        _, out, _ = in_process(*words)
        assert out.strip(), words
        assert not text.is_odd(out), words
