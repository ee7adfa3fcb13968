"""Layers over the terminal's parser are put there once each, the later over the earlier."""

from __future__ import annotations

import pytest
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver

from tui_agent.ui.terminal.background import read_answers
from tui_agent.ui.terminal.keys import read_alt
from tui_agent.ui.terminal.paste import read_pastes


def test_each_layer_is_there_once_however_many_apps_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_driver, "XTermParser", XTermParser)
    for _ in range(3):
        read_answers()
        read_pastes()
        read_alt()
    names = [kind.__name__ for kind in linux_driver.XTermParser.__mro__]
    assert names[: names.index("XTermParser")] == ["KeyParser", "PasteParser", "AnswerParser"]
