"""The program is killed in mid-turn, as by a power cut; what was on the screen is on record, and the session goes on."""

from __future__ import annotations

import random
import re

import pytest
from person import Launch, Person, Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import ToolResultReady, ToolUseStarted, UserMessageSent
from tui_agent.model.demo.scenario_file import find_scenario

FIX = find_scenario("fix")
BYPASS = "--dangerously-skip-permissions"


@pytest.mark.parametrize("seed", range(3))
def test_a_session_killed_at_a_random_moment_goes_on(world: World, serve: Serve, launch: Launch, seed: int) -> None:
    chance = random.Random(seed)
    world.use_sample_project()
    server = serve(FIX, variables={"cwd": str(world.folder)}, pace=0.1)
    person = Person(launch(BYPASS), world)
    person.say(FIX.prompt)
    # A moment that no two runs share: so many bytes on the screen after so many requests.
    requests = chance.randint(1, 4)
    person.terminal.wait_for(lambda: len(server.requests) >= requests, f"request {requests}")
    more = person.terminal.size + chance.randint(0, 12_000)
    person.terminal.wait_for(lambda: person.terminal.size >= more or person.finished(), "the moment")
    screen = person.terminal.screen()
    person.terminal.kill()

    assert world.of(UserMessageSent)[0].text == FIX.prompt
    shown = re.findall(r"│[✓✗] (Grep|Read|Bash|Edit)\b", screen)
    ended = [event.name for event in world.of(ToolResultReady)]
    assert all(shown.count(name) <= ended.count(name) for name in shown), f"{shown} shown, {ended} on record\n{screen}"
    begun = [event.name for event in world.of(ToolUseStarted)]
    assert len(re.findall(r"│[✓✗⠀-⣿·◷] (?:Grep|Read|Bash|Edit)\b", screen)) <= len(begun)

    before = len(server.requests)
    went_on = world.run("-p", "go on", "--continue", BYPASS)
    assert went_on.returncode == 0, went_on.stderr
    assert [(exchange.status, exchange.error) for exchange in server.requests[before:] if exchange.status != 200] == []
    assert len(world.journals()) == 1
    assert [event.text for event in world.of(UserMessageSent)] == [FIX.prompt, "go on"]


def test_a_last_line_that_was_torn_is_left_out_and_the_session_goes_on(world: World, serve: Serve) -> None:
    world.write("a.txt", "some text\n")
    read = {"tool": "Read", "label": "read", "input": {"file_path": "{{ cwd }}/a.txt"}}
    server = serve(scenario_of(tool_reply(read), text_reply("That is all."), text_reply("Here again.")))
    assert world.run("-p", "go").returncode == 0
    journal = world.journals()[0]
    whole = journal.read_bytes()
    journal.write_bytes(whole[: whole.rindex(b'"assistant_message_completed"') + 60])
    done = world.run("-p", "once more", "--continue")
    assert done.returncode == 0, done.stderr
    assert [exchange.error for exchange in server.requests if exchange.status != 200] == []
    sent = server.requests[-1].body
    assert sent is not None
    assert "some text" in str(sent["messages"])
