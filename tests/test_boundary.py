"""Commands, queries, answers and replies as JSON: there and back, described by a schema, and what is refused."""

from __future__ import annotations

import asyncio
import importlib
import json
import pkgutil
from types import ModuleType
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from plain_data import made_of, strategy_for

from tui_agent import commands, queries
from tui_agent.boundary import Pending
from tui_agent.boundary_json import (
    COMMAND_TYPES,
    QUERY_TYPES,
    answer_type,
    command_from_json,
    command_to_json,
    query_from_json,
    query_to_json,
    reply_type,
)
from tui_agent.boundary_schema import boundary_schema
from tui_agent.changes import FileChange
from tui_agent.codec import FormatError, decode, encode
from tui_agent.commands import Answer, Command, ReviewedFile, Submit
from tui_agent.drafts import Draft
from tui_agent.event_json import EVENT_TYPES, to_json
from tui_agent.permissions.verdict import Decision
from tui_agent.queries import Query

SCHEMA = boundary_schema()


def validator(definition: dict[str, Any]) -> Any:
    return jsonschema.Draft202012Validator({"$defs": SCHEMA["$defs"], **definition})


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("tag", sorted(COMMAND_TYPES))
def test_every_command_survives_a_pipe_and_is_as_the_schema_says(tag: str) -> None:
    fits = validator({"$ref": "#/$defs/command"})

    @settings(max_examples=15, deadline=None)
    @given(made_of(COMMAND_TYPES[tag]))
    def check(command: Command[Any]) -> None:
        data = through_json(command_to_json(command))
        assert data["type"] == tag
        assert command_from_json(data) == command
        fits.validate(data)

    check()


@pytest.mark.parametrize("tag", sorted(QUERY_TYPES))
def test_every_query_survives_a_pipe_and_is_as_the_schema_says(tag: str) -> None:
    fits = validator({"$ref": "#/$defs/query"})

    @settings(max_examples=10, deadline=None)
    @given(made_of(QUERY_TYPES[tag]))
    def check(query: Query[Any]) -> None:
        data = through_json(query_to_json(query))
        assert query_from_json(data) == query
        fits.validate(data)

    check()


@pytest.mark.parametrize(
    ("hint", "described"),
    [
        *((answer_type(cls), SCHEMA["$defs"]["answers"]["properties"][tag]) for tag, cls in QUERY_TYPES.items()),
        *((reply_type(cls), SCHEMA["$defs"]["replies"]["properties"][tag]) for tag, cls in COMMAND_TYPES.items()),
    ],
    ids=[*QUERY_TYPES, *COMMAND_TYPES],
)
def test_every_answer_survives_a_pipe_and_is_as_the_schema_says(hint: Any, described: dict[str, Any]) -> None:
    fits = validator(described)

    @settings(max_examples=10, deadline=None)
    @given(strategy_for(hint))
    def check(answer: Any) -> None:
        data = through_json(encode(answer))
        assert decode(data, hint, "answer") == answer
        fits.validate(data)

    check()


@pytest.mark.parametrize("tag", sorted(EVENT_TYPES))
def test_every_event_is_as_the_schema_says(tag: str) -> None:
    fits = validator({"$ref": "#/$defs/event"})

    @settings(max_examples=5, deadline=None)
    @given(made_of(EVENT_TYPES[tag]))
    def check(event: Any) -> None:
        fits.validate(through_json(to_json(event)))

    check()


def test_the_schema_is_one_and_describes_whole_lines() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    line = validator({"$ref": "#/$defs/input"})
    line.validate({"command": {"type": "submit", "text": "x"}, "id": 1})
    line.validate({"query": {"type": "context"}, "id": "a"})
    for bad in ({"command": {"type": "submit"}}, {"command": {"type": "submit", "text": "x", "txt": 1}}, {"query": {}}):
        assert not line.is_valid(bad), bad


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "a command is a JSON object, not list"),
        ({"type": "nope"}, "unknown command type 'nope'; there are add_folder, add_rule"),
        ({"type": ["submit"]}, "unknown command type"),
        ({}, "unknown command type None"),
        ({"type": "submit"}, r"submit\.text is missing"),
        ({"type": "submit", "text": 3}, r"submit\.text does not fit: 3"),
        ({"type": "submit", "text": "x", "txt": 3}, "submit has no 'txt'"),
        ({"type": "submit", "text": "x", "attachments": [{"label": "l", "image": {"name": 1}}]}, r"attachments\[0\]\.image"),
        ({"type": "answer", "request_id": "q", "decision": "maybe"}, r"answer\.decision does not fit: 'maybe'"),
        ({"type": "answer", "request_id": "q", "decision": "allow", "hunks": [{"pth": "/a"}]}, r"hunks\[0\] has no 'pth'"),
        ({"type": "answer", "request_id": "q", "decision": "allow", "hunks": [{"path": "/a", "accepted": [True]}]}, "accepted"),
        ({"type": "answer_form", "request_id": "q", "answers": {"a": [1]}}, r"answer_form\.answers\.a"),
        ({"type": "set_thinking", "on": "yes"}, r"set_thinking\.on does not fit"),
        ({"type": "set_spending_limit", "usd": True}, r"set_spending_limit\.usd does not fit"),
        ({"type": "set_mode", "mode": "free"}, r"set_mode\.mode does not fit: 'free'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_command_is_said_with_its_place(data: object, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        command_from_json(data)


def test_a_change_keeps_its_texts_and_bytes_are_base64() -> None:
    change = FileChange.between("/w/a", "a\n", "b\n")
    assert decode(through_json(encode(change)), FileChange, "change") == change
    assert encode(b"\xff\x00") == "/wA="
    for bad in ("?", "/wA", 3):
        with pytest.raises(FormatError):
            decode(bad, bytes, "data")
    with pytest.raises(FormatError, match="change: its texts"):
        decode({**encode(change), "before": 3}, FileChange, "change")
    with pytest.raises(FormatError, match="change: a diff line"):
        decode(
            {**encode(change), "hunks": [{"before_start": 0, "after_start": 0, "lines": ["?"]}]}, FileChange, "change"
        )


@pytest.mark.parametrize("package", [commands, queries])
def test_a_package_offers_every_type_of_its_modules(package: ModuleType) -> None:
    names = {info.name for info in pkgutil.iter_modules(package.__path__)}
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    defined = {name for module in modules for name in module.__all__ if isinstance(getattr(module, name), type)}
    assert defined <= set(package.__all__)
    tags = COMMAND_TYPES if package is commands else QUERY_TYPES
    base: type = Command if package is commands else Query
    kinds = {kind for name in defined if issubclass(kind := getattr(package, name), base) and kind is not base}
    assert set(tags.values()) == kinds


def test_a_message_is_sent_as_it_was_written() -> None:
    assert Submit.of("hello").draft == Draft("hello")


# --- decisions -------------------------------------------------------------------------------------------------------

OLD = "".join(f"line {number}\n" for number in range(20))
CHANGE = FileChange.between("/w/a.py", OLD, OLD.replace("line 2\n", "two\n").replace("line 15\n", "fifteen\n"))


@pytest.mark.parametrize(
    "approved",
    [
        (),
        (CHANGE.approve(),),
        (CHANGE.approve([1]),),
        (CHANGE.approve([]),),
        (CHANGE.approve([0], "all new\n"),),
        (CHANGE.approve(None, "all new\n"),),
    ],
)
def test_a_decision_on_changes_comes_out_as_it_went_in(approved: tuple[Any, ...]) -> None:
    decision = Decision(behavior="allow", approved=approved, rules=("Edit(/w/**)",), scope="local", message="so")
    command = Answer.of("q", decision)
    assert command_from_json(through_json(command_to_json(command))) == command
    assert command.decide((CHANGE,)) == decision


def test_hunks_of_other_files_or_that_there_are_not_are_refused() -> None:
    other = Answer(request_id="q", decision="allow", hunks=(ReviewedFile(path="/w/b.py"),))
    with pytest.raises(ValueError, match=r"must name the files .*: /w/a\.py"):
        other.decide((CHANGE,))
    with pytest.raises(ValueError, match="no file"):
        other.decide(())


@pytest.mark.parametrize(
    ("fields", "taken"),
    [
        ({}, (0, 1)),
        ({"accepted": (1,)}, (1,)),
        ({"refused": (1,)}, (0,)),
        ({"accepted": (0,), "refused": (1,)}, (0,)),
        ({"accepted": ()}, ()),
        ({"accepted": (7,)}, "no such hunk: 7"),
        ({"refused": (-1,)}, "no such hunk: -1"),
        ({"accepted": (1,), "refused": (1,)}, "hunk 1 of /w/a.py is both"),
    ],
)
def test_what_is_taken_of_a_change_is_said_by_either_list(fields: dict[str, Any], taken: tuple[int, ...] | str) -> None:
    answer = Answer(request_id="q", decision="allow", hunks=(ReviewedFile(path="/w/a.py", **fields),))
    if isinstance(taken, str):
        with pytest.raises(ValueError, match=taken):
            answer.decide((CHANGE,))
    else:
        (approved,) = answer.decide((CHANGE,)).approved
        assert approved == CHANGE.approve(taken)


# --- pending values --------------------------------------------------------------------------------------------------


async def test_awaiting_what_is_done_gives_the_loop_no_turn() -> None:
    turns: list[str] = []
    asyncio.get_running_loop().call_soon(turns.append, "a turn")
    pending = Pending.of(3)
    assert (pending.is_done, await pending, turns) == (True, 3, [])
    taken: list[int] = []
    pending.then(taken.append)
    assert (taken, turns) == ([3], [])


async def test_what_takes_time_is_given_when_it_is_there() -> None:
    go_on = asyncio.Event()

    async def work() -> int:
        await go_on.wait()
        return 4

    pending, taken = Pending.running(work()), []
    pending.then(taken.append)
    with pytest.raises(asyncio.InvalidStateError):
        pending.result()
    assert (pending.is_done, taken) == (False, [])
    go_on.set()
    assert await pending == 4
    await asyncio.sleep(0)
    assert (pending.is_done, pending.result(), taken) == (True, 4, [4])


async def test_cancelling_who_awaits_cancels_the_work_and_gives_nothing() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    pending, taken = Pending.running(work()), []
    pending.then(taken.append)

    async def wait() -> None:
        await pending

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.sleep(0)
    assert (ended, taken, pending.is_done) == (["work"], [], True)
