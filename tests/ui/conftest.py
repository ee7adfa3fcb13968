"""Fixtures of the screens' tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from dialog_app import Clock, Dialog, DialogApp, FakeQueue
from reviews import CHANGE

from tui_agent.changes import FileChange
from tui_agent.events import PermissionRequested
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.question import QueuePosition
from tui_agent.ui.dialogs.request_view import RequestView
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.screens.review import ReviewScreen


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def grace(clock: Clock) -> InputGrace:
    return InputGrace(clock)


@pytest.fixture
def queue() -> FakeQueue:
    return FakeQueue()


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


@pytest.fixture
def permission(asked: Callable[..., PermissionRequested], queue: FakeQueue, grace: InputGrace) -> Dialog:
    """Make the dialog that asks whether a call may run, about `npm test` if nothing is said."""

    def make(*, place: QueuePosition | None = None, draft: str | None = None, **fields: Any) -> DialogApp:
        request = asked(**fields)
        screen = PermissionScreen(request, RequestView(request), queue, place=place, grace=grace, draft=draft)
        return DialogApp(screen)

    return make


@pytest.fixture
def review(asked: Callable[..., PermissionRequested], queue: FakeQueue, grace: InputGrace) -> Dialog:
    """Make the screen that asks about changes, about `reviews.CHANGE` if nothing is said."""

    def make(*changes: FileChange, place: QueuePosition | None = None, **fields: Any) -> DialogApp:
        request = asked(name="Edit", has_proposal=True, **({"offers": (("Edit(/cart/**)",),)} | fields))
        return DialogApp(ReviewScreen(request, changes or (CHANGE,), queue, base="/w", place=place, grace=grace))

    return make
