"""Fixtures of the screens' tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from dialog_app import Clock, FakeDesk

from tui_agent.events import PermissionRequested
from tui_agent.ui.screens.guard import Guard


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def guard(clock: Clock) -> Guard:
    return Guard(clock)


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk()


@pytest.fixture
def asked() -> Callable[..., PermissionRequested]:
    def make(**fields: Any) -> PermissionRequested:
        values: dict[str, Any] = {
            "request_id": "r1",
            "tool_use_id": "t1",
            "name": "Bash",
            "input": {"command": "npm test"},
            "by": "default",
            "reason": "no rule allows it",
            "offers": (("Bash(npm test *)",),),
        }
        return PermissionRequested(**(values | fields))

    return make
