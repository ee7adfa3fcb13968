"""Tool uses that no model should write: each gets its one result, the turn goes on, and every request is one the API takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from person import Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import ToolResultReady, TurnFinished

BYPASS = "--dangerously-skip-permissions"
NO_OBJECTS = [
    "null",
    "[1, 2]",
    '"text"',
    "7",
    "true",
    "{",
    '{"command": "touch made"',
    '{"command": NaN}',
    "[" * 100_000,
]


def use(number: int, **more: Any) -> dict[str, Any]:
    return {"tool": "Bash", "label": f"u{number}", "input": {"command": f"echo {number}"}, **more}


def run(world: World, serve: Serve, *replies: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Run one turn of these replies and a last one; return the results that were sent for each."""
    server = serve(scenario_of(*(tool_reply(*blocks) for blocks in replies), text_reply("done")))
    done = world.run("-p", "go", BYPASS)
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr
    assert [exchange.status for exchange in server.requests] == [200] * (len(replies) + 1)
    assert [event.outcome for event in world.of(TurnFinished)] == ["done"]
    last = server.requests[-1].body
    assert last is not None
    sent = [[block for block in message["content"] if block["type"] == "tool_result"] for message in last["messages"]]
    results = [blocks for blocks in sent if blocks]
    assert [len(blocks) for blocks in results] == [len(blocks) for blocks in replies]
    assert len(world.of(ToolResultReady)) == sum(map(len, replies))
    ids = [block["tool_use_id"] for blocks in results for block in blocks]
    assert len(set(ids)) == len(ids)
    return results


def test_arguments_that_are_no_object_are_an_error_of_their_own_call(world: World, serve: Serve) -> None:
    # A good one between two: the same failure five times in a row would end the turn.
    uses = [one for at, text in enumerate(NO_OBJECTS) for one in (use(at), use(at + 100, raw_input=text))]
    (results,) = run(world, serve, uses)
    assert [block["content"] for block in results[::2]] == [str(at) for at in range(len(NO_OBJECTS))]
    assert all(block["is_error"] for block in results[1::2])
    assert all("InputValidationError: the arguments are" in block["content"] for block in results[1::2])
    assert not any(world.folder.iterdir())


def test_two_uses_of_one_id_each_get_their_own_result(world: World, serve: Serve) -> None:
    same = "toolu_same_1"
    first, second = run(
        world,
        serve,
        [use(0, use_id=same), use(1, use_id=same), use(2, use_id=same)],
        [use(3, use_id=same), use(4, use_id="toolu_new_1")],
    )
    assert [block["content"] for block in (*first, *second)] == ["0", "1", "2", "3", "4"]
    assert second[1]["tool_use_id"] == "toolu_new_1"


@pytest.mark.parametrize(
    "use_id", ["", "../../../../tmp/x", "a b", "ä", "x" * 100_000], ids=["empty", "path", "blank", "letter", "long"]
)
def test_an_id_that_no_request_can_carry_is_replaced(world: World, serve: Serve, use_id: str) -> None:
    (results,) = run(world, serve, [use(0, use_id=use_id), use(1, use_id=use_id)])
    assert [block["content"] for block in results] == ["0", "1"]


def test_a_use_without_a_name_is_a_use_of_an_unknown_tool(world: World, serve: Serve) -> None:
    (results,) = run(world, serve, [use(0, tool=""), use(1)])
    assert (results[0]["is_error"], world.of(ToolResultReady)[0].error_kind) == (True, "unknown_tool")
    assert results[1]["content"] == "1"


def test_a_huge_input_is_judged_like_any_other(world: World, serve: Serve) -> None:
    path = str(Path(world.folder, "big.txt"))
    huge = {"file_path": path, "content": "ä" * 1_000_000}
    pace = {"delta_bytes": 500_000}
    (results,) = run(
        world,
        serve,
        [
            {"tool": "Write", "label": "w", "raw_input": json.dumps(huge), "pace": pace},
            use(1, raw_input=json.dumps({"command": "#" * 1_000_000}), pace=pace),
        ],
    )
    assert Path(path).stat().st_size == 2_000_000
    assert "1,000,0" in results[1]["content"]
