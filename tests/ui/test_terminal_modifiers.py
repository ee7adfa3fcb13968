"""Terminals with a protocol of their own for keys with modifiers are asked for them, and no others."""

from __future__ import annotations

import pytest

from tui_agent.ui.terminal.modifiers import asks

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
