"""A conversation that fills the model's context: over the wire, through the journal, and on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from person import Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import Notice, ToolResultShrunk
from tui_agent.model.demo.thread import ServerThread

TOO_LONG = {"kind": "status", "status": 400, "message": "prompt is too long: 208310 tokens > 200000 maximum"}


def read(label: str, name: str) -> dict[str, Any]:
    return {"tool": "Read", "label": label, "input": {"file_path": f"{{{{ cwd }}}}/{name}"}}


def numbered(name: str, count: int) -> str:
    return "".join(f"{name} {number}\n" for number in range(count))


def results(server: ServerThread, request: int) -> dict[str, str]:
    body = server.requests[request].body
    assert body is not None
    blocks = [block for message in body["messages"] for block in message["content"]]
    return {b["tool_use_id"].split("_")[1]: str(b["content"]) for b in blocks if b["type"] == "tool_result"}


def refused(server: ServerThread) -> list[tuple[int, str]]:
    return [(exchange.status, exchange.error) for exchange in server.requests if exchange.status != 200]


def test_a_full_context_gives_up_old_results_and_so_does_the_session_that_goes_on(world: World, serve: Serve) -> None:
    """What is shortened stays so after `--continue`, and the text is where the note says."""
    world.write("large.txt", numbered("large", 900))
    world.write("small.txt", numbered("small", 300))
    server = serve(
        scenario_of(
            tool_reply(read("large", "large.txt")),
            tool_reply(read("small", "small.txt")),
            text_reply("done", faults=[TOO_LONG]),
            text_reply("again"),
        )
    )
    done = world.run("-p", "go")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert refused(server) == [(400, "scripted fault")]
    before, after = results(server, 2), results(server, 3)
    assert "large 899" in before["large"]
    assert "to save space" in after["large"]
    assert after["small"] == before["small"], "the newest results stay"
    path = re.search(r"The whole text is in (.+?); read", after["large"])
    assert path
    assert Path(path[1]).read_text() == before["large"]
    assert [event.reason for event in world.of(ToolResultShrunk)] == ["context"]
    assert any("One older tool result was shortened" in notice.text for notice in world.of(Notice))

    assert world.run("-p", "once more", "--continue").returncode == 0
    assert results(server, 4)["large"] == after["large"]
