"""The size that counts is the one the window has, not the one that was told last."""

from __future__ import annotations

import os

import pytest
from screen_text import until
from textual import events
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from transcript_stage import stage

from tui_agent.ui import session_app as app_module
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.terminal import window
from tui_agent.ui.terminal.window import window_size


async def test_a_size_that_is_told_late_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage((80, 24)) as on:
        app = on.pilot.app
        size = Size(100, 30)
        assert isinstance(app._driver, HeadlessDriver)
        app._driver._size = size
        monkeypatch.setattr(TuiAgentApp, "is_headless", False)
        monkeypatch.setattr(app_module, "window_size", lambda: size)
        for told in (size, Size(60, 20)):  # as when the signal of the larger one interrupts the telling of the smaller
            app.post_message(events.Resize(told, told))
        await until(on.pilot, lambda: app.size == app.screen.size == size)
        monkeypatch.undo()


def test_who_draws_to_no_terminal_has_no_size(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, "w", encoding="utf-8") as nothing:  # noqa: PTH123 - no path
        monkeypatch.setattr(window.sys, "__stderr__", nothing)
        assert window_size() is None
    monkeypatch.setattr(window.sys, "__stderr__", None)
    assert window_size() is None


def test_the_terminal_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window.os, "get_terminal_size", lambda _: os.terminal_size((100, 30)))
    assert window_size() == Size(100, 30)
    monkeypatch.setattr(window.os, "get_terminal_size", lambda _: os.terminal_size((0, 0)))
    assert window_size() is None
