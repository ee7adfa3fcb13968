"""A form that was open when the program was killed is closed when the recording is taken up."""

from __future__ import annotations

from tui_agent.events import (
    FormAnswered,
    FormRequested,
    ToolResultReady,
    ToolStateChanged,
    ToolUseCompleted,
    TurnFinished,
    TurnStarted,
)
from tui_agent.journal.repair import closing_events

OPEN = [
    TurnStarted(turn_id="t"),
    ToolUseCompleted(tool_use_id="u", name="AskUserQuestion", input={}),
    ToolStateChanged(tool_use_id="u", from_state="new", to_state="queued"),
    ToolStateChanged(tool_use_id="u", from_state="queued", to_state="executing"),
    FormRequested(request_id="f", tool_use_id="u", form={"title": "t", "fields": []}),
]


def test_an_open_form_is_answered_by_nobody_before_its_tool_ends() -> None:
    closing = closing_events(OPEN)
    assert closing[0] == FormAnswered(request_id="f", tool_use_id="u", answers=None, by="nobody")
    kinds = [type(event) for event in closing]
    assert kinds.index(FormAnswered) < kinds.index(ToolResultReady)
    assert kinds[-1] is TurnFinished
    assert closing_events([*OPEN, *closing]) == []


def test_an_answered_form_needs_nothing() -> None:
    answered = FormAnswered(request_id="f", tool_use_id="u", answers={}, by="person")
    assert not any(isinstance(event, FormAnswered) for event in closing_events([*OPEN, answered]))
