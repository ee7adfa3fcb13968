"""Where a command's words go when somebody closed the door."""

from __future__ import annotations

import io
import sys

import pytest

from tui_agent.headless.output import Output


def test_data_for_a_closed_standard_output_is_refused_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stdout", None)
    output = Output(err=errors)
    assert not output.is_terminal
    with pytest.raises(BrokenPipeError):
        output.text("answer")
    output.abandon()
    assert "standard output is closed" in errors.getvalue()


def test_a_full_disk_behind_standard_output_is_said_in_one_line() -> None:
    errors = io.StringIO()
    with open("/dev/full", "w") as full:  # noqa: PTH123
        output = Output(full, errors)
        with pytest.raises(BrokenPipeError):
            output.json({"answer": 1})
        output.abandon()
    assert errors.getvalue() == "tui-agent: standard output cannot be written: No space left on device\n"


def test_messages_that_nobody_can_read_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    out = io.StringIO()
    output = Output(out)
    output.message("nobody reads this")
    output.text("answer")
    assert out.getvalue() == "answer\n"
