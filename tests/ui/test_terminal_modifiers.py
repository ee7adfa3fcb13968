"""Terminals with a protocol of their own for keys with modifiers are asked for them, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tui_agent.ui.terminal.modifiers import asking, asks

XTERM = {"XTERM_VERSION": "XTerm(379)", "TERM": "xterm"}


@pytest.mark.parametrize(
    ("environ", "begin", "end"),
    [
        (XTERM, "\x1b[>4;1m\x1b[?1036s\x1b[?1036h", "\x1b[>4m\x1b[?1036r"),
        ({"TMUX": "/tmp/tmux-0/default,1,0"}, "\x1b[>4;1m", "\x1b[>4m"),
        ({**XTERM, "TMUX": "/tmp/tmux-0/default,1,0"}, "\x1b[>4;1m", "\x1b[>4m"),
        ({"TERM_PROGRAM": "mintty"}, "\x1b[>4;1m", "\x1b[>4m"),
        ({**XTERM, "STY": "1.pts-0"}, "", ""),
        ({"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"}, "", ""),
        ({}, "", ""),
    ],
)
def test_only_those_are_asked_that_understand(environ: dict[str, str], begin: str, end: str) -> None:
    assert asks(environ) == (begin, end)


class Terminal:
    """A driver as Textual's is towards its terminal: in the background it does not get that, and is called anew in front."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.meanwhile: Callable[[], None] | None = None  # what a signal has it do while it asks for the terminal
        self._writer_thread: Any = None

    def write(self, text: str) -> None:
        self.written.append(text)

    def flush(self) -> None:
        pass

    def start_application_mode(self) -> None:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is None:
            self._writer_thread = object()
        else:
            meanwhile()

    def stop_application_mode(self) -> None:
        pass


def test_a_terminal_is_asked_once_each_time_it_is_had_though_a_signal_comes_between() -> None:
    begin, end = asks(XTERM)
    driver: Any = asking(Terminal, XTERM)()  # type: ignore[arg-type]
    driver.start_application_mode()
    assert driver.written == [begin]
    driver.stop_application_mode()
    driver.meanwhile = lambda: None  # it stays in the background
    driver.start_application_mode()
    assert driver.written == [begin, end]
    driver.meanwhile = driver.start_application_mode  # it comes to the front
    driver.start_application_mode()
    assert driver.written == [begin, end, begin]
    driver.stop_application_mode()
    assert driver.written == [begin, end, begin, end]


def test_who_never_had_the_terminal_asks_it_for_nothing() -> None:
    driver: Any = asking(Terminal, XTERM)()  # type: ignore[arg-type]
    driver.meanwhile = lambda: None
    driver.start_application_mode()
    driver.stop_application_mode()
    assert driver.written == []
