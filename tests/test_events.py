"""Events as JSON: there and back, and what is refused."""

from __future__ import annotations

import importlib
import json
import pkgutil

import pytest
from hypothesis import given, settings
from plain_data import made_of

from tui_agent import events
from tui_agent.event_json import EVENT_TYPES, EventFormatError, from_json, to_json
from tui_agent.events import Event, TextDelta, ThinkingDelta, ToolStateChanged


@pytest.mark.parametrize("tag", sorted(EVENT_TYPES))
def test_every_event_survives_the_journal(tag: str) -> None:
    @settings(max_examples=15)
    @given(made_of(EVENT_TYPES[tag]))
    def check(event: Event) -> None:
        line = json.dumps(to_json(event))
        back = from_json(json.loads(line))
        assert json.dumps(to_json(back)) == line
        assert type(back) is type(event)

    check()


def test_the_package_offers_every_event_of_its_modules_and_the_journal_knows_it() -> None:
    modules = [
        importlib.import_module(f"{events.__name__}.{info.name}") for info in pkgutil.iter_modules(events.__path__)
    ]
    defined = {name for module in modules for name in module.__all__}
    assert defined == set(events.__all__)
    kinds = {kind for name in defined if isinstance(kind := getattr(events, name), type)}
    assert kinds - {Event} == set(EVENT_TYPES.values())


def test_state_changes_use_the_words_from_and_to() -> None:
    data = to_json(EVENT_TYPES["tool_state_changed"](tool_use_id="t", from_state="queued", to_state="executing"))
    assert (data["from"], data["to"], data["type"]) == ("queued", "executing", "tool_state_changed")


def test_fields_of_a_newer_writer_are_ignored() -> None:
    data = to_json(EVENT_TYPES["notice"](level="info", text="x")) | {"colour": "blue"}
    assert from_json(data) == EVENT_TYPES["notice"](level="info", text="x")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"type": "notised"}, "unknown event type 'notised'"),
        ({"v": 99}, "version 99"),
        ({"v": None}, "version None"),
        ({"text": 3}, "notice.text does not fit: 3"),
        ({"level": "loud"}, "notice.level does not fit: 'loud'"),
        ({"seq": True}, "notice.seq does not fit: True"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(change: dict[str, object], words: str) -> None:
    data = to_json(EVENT_TYPES["notice"](level="info", text="x")) | change
    with pytest.raises(EventFormatError, match=words):
        from_json(data)


def test_a_missing_field_is_named() -> None:
    data = to_json(EVENT_TYPES["notice"](level="info", text="x"))
    del data["text"]
    with pytest.raises(EventFormatError, match=r"notice\.text is missing"):
        from_json(data)
    with pytest.raises(EventFormatError, match="not list"):
        from_json([])


def test_events_are_equal_if_they_are_of_one_kind_and_all_of_them_is() -> None:
    one = TextDelta(block_id="b", text="x", seq=3)
    same = TextDelta(block_id="b", text="x", seq=3)
    assert one == same
    assert hash(one) == hash(same)
    assert one != TextDelta(block_id="b", text="y", seq=3)
    assert one != TextDelta(block_id="b", text="x", seq=4)
    assert one != ThinkingDelta(block_id="b", text="x", seq=3)
    assert one != "x"


def test_an_event_is_written_with_all_its_fields() -> None:
    event = ToolStateChanged(session_id="s", seq=3, tool_use_id="t", from_state="new", to_state="queued")
    header = "session_id='s', agent_id='', seq=3, time=0.0, monotonic_ms=0.0"
    assert repr(event) == f"ToolStateChanged({header}, tool_use_id='t', from_state='new', to_state='queued')"
