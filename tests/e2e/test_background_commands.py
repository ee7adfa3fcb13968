"""Commands in the background, in the real program: seen, told of, and ended with it however it ends."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest
from person import Launch, Person, Serve
from processes import is_alive, wait_gone
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import JobEnded, JobStarted

BYPASS = "--dangerously-skip-permissions"
SERVE_FOR_EVER = "sleep 300 & echo $! > child; echo $$ > parent; echo listening; wait"


def background(command: str) -> dict[str, object]:
    return {"tool": "Bash", "input": {"command": command, "run_in_background": True}}


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL], ids=lambda end: end.name)
def test_a_job_is_seen_and_ends_with_the_program(
    world: World, serve: Serve, launch: Launch, end: signal.Signals
) -> None:
    serve(scenario_of(tool_reply(background(SERVE_FOR_EVER)), text_reply("It serves.")))
    person = Person(launch(BYPASS), world)
    person.say("serve")
    person.wait_for_turn()
    person.terminal.wait_for_text("1 job")
    person.terminal.press("f2")
    person.terminal.wait_for_text(r"background +\d")
    person.terminal.wait_for_text("listening")
    pids = [int((world.folder / name).read_text()) for name in ("child", "parent")]
    assert all(map(is_alive, pids))
    os.kill(person.terminal.process.pid, end)
    wait_gone(*pids)
    if end != signal.SIGKILL:
        person.terminal.wait_for_exit()
        assert world.has(JobEnded, outcome="stopped")


def test_without_a_screen_a_job_can_be_followed_and_the_model_hears_of_its_end(world: World, serve: Serve) -> None:
    wait = {"tool": "Bash", "input": {"command": "touch go; until test -e gone; do sleep 0.01; done"}}
    server = serve(
        scenario_of(
            tool_reply(background("until test -e go; do sleep 0.01; done; echo served; touch gone; exit 3")),
            tool_reply(wait),
            tool_reply({"tool": "Bash", "input": {"command": "sleep 0.3"}}),
            text_reply("Done."),
        )
    )
    done = world.run("-p", "go", BYPASS)
    assert (done.returncode, done.stdout.strip()) == (0, "Done."), done.stderr
    sent = json.dumps([exchange.body for exchange in server.requests])
    assert "failed with exit code 3" in sent
    (started,) = world.of(JobStarted)
    assert Path(started.output_path).read_text() == "served\n"


def test_a_command_run_by_hand_is_killed_when_its_time_is_up(world: World) -> None:
    raw = {"command": "echo so far; echo $$ > pid; sleep 60", "timeout": 300}
    done = world.run("tools", "run", "Bash", json.dumps(raw), "--yes")
    result = json.loads(done.stdout)
    assert done.returncode == 1
    assert re.search(r"Command timed out after 0\.3s\nso far", result["content"])
    assert result["error_kind"] == "timeout"
    wait_gone(int((world.folder / "pid").read_text()))
