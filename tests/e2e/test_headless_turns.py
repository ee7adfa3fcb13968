"""`-p` against the scripted model: whole turns with real tools on real files, without a screen."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest
from person import Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.event_json import from_json
from tui_agent.events import (
    AssistantMessageCompleted,
    RetryScheduled,
    SessionEnded,
    SessionStarted,
    ToolResultReady,
    ToolStateChanged,
    ToolUseDropped,
    ToolUseStarted,
    TurnFinished,
)
from tui_agent.model.demo.scenario_file import find_scenario
from tui_agent.model.demo.thread import ServerThread

BYPASS = "--dangerously-skip-permissions"


def read(label: str, **more: Any) -> dict[str, Any]:
    return {"tool": "Read", "label": label, "input": {"file_path": "{{ cwd }}/a.txt"}, **more}


def bash(label: str, command: str, **more: Any) -> dict[str, Any]:
    return {"tool": "Bash", "label": label, "input": {"command": command}, **more}


def assert_all_taken(server: ServerThread) -> None:
    """Every request was one that the real API would take."""
    assert [(exchange.reply, exchange.error) for exchange in server.requests if exchange.status == 400] == []


def test_a_bug_is_found_fixed_and_proven(world: World, serve: Serve) -> None:
    folder = world.use_sample_project()
    scenario = find_scenario("fix")
    server = serve(scenario)
    done = world.run("-p", scenario.prompt, BYPASS)
    assert done.returncode == 0, done.stderr
    assert "15 tests pass" in done.stdout
    assert "| 29 |" in done.stdout.replace("  ", " ")
    assert scenario.variables["new"] in (folder / "shop" / "refund.py").read_text()
    assert [exchange.reply for exchange in server.requests] == ["look", "tests", "edit", "retest", "green"]
    assert [exchange.status for exchange in server.requests] == [200] * 5


def test_git_tells_of_the_repository_in_the_sandbox(world: World, serve: Serve) -> None:
    """The world's environment names no configuration of the user's, by /dev/null."""
    git = ("git", "-c", "user.name=n", "-c", "user.email=e@x")
    world.write("a.txt", "one\n")
    for words in (("init", "-q", "-b", "trunk"), ("add", "a.txt"), ("commit", "-qm", "first")):
        subprocess.run([*git, *words], cwd=world.folder, env=world.env, check=True, capture_output=True)
    world.write("a.txt", "two\n")
    commands = {"status": "git status --short --branch", "log": "git log --oneline", "diff": "git diff"}
    serve(scenario_of(*(tool_reply(bash(label, command)) for label, command in commands.items()), text_reply("done")))
    done = world.run("-p", "What has changed?")
    assert done.returncode == 0, done.stderr
    status, log, diff = [str(result.content) for result in world.of(ToolResultReady)]
    assert "## trunk" in status
    assert " M a.txt" in status
    assert "first" in log
    assert "-one\n+two" in diff


def test_without_anybody_to_ask_the_edit_is_denied_and_the_model_told(world: World, serve: Serve) -> None:
    folder = world.use_sample_project()
    before = (folder / "shop" / "refund.py").read_text()
    scenario = find_scenario("fix")
    server = serve(scenario)
    done = world.run("-p", scenario.prompt)
    assert (folder / "shop" / "refund.py").read_text() == before
    assert "not permitted" in done.stderr
    assert "do not run the tests" in done.stdout
    assert_all_taken(server)


def test_four_commands_that_only_read_run_at_one_time(world: World, serve: Serve) -> None:
    world.write(".claude/settings.json", json.dumps({"sandbox": {"readOnlyWithout": True}}))
    world.write("a.txt", "some text\n")
    sleeps = [bash(f"sleep{number}", "sleep 1") for number in range(4)]
    serve(scenario_of(tool_reply(*sleeps, read("beside")), text_reply("done")))
    done = world.run("-p", "go")
    assert done.returncode == 0, done.stderr
    names = {event.tool_use_id: event.name for event in world.of(ToolUseStarted)}
    moves = [(names[event.tool_use_id], event.to_state) for event in world.of(ToolStateChanged)]
    assert not any(event.is_error for event in world.of(ToolResultReady))
    assert moves.count(("Bash", "executing")) == 4
    before_the_first_end = moves[: moves.index(("Bash", "completed"))]
    assert before_the_first_end.count(("Bash", "executing")) == 4
    assert ("Read", "completed") in before_the_first_end  # nor does it wait for them


def test_the_event_log_tells_the_whole_turn(world: World, serve: Serve) -> None:
    world.write("a.txt", "some text\n")
    uses = [read("one"), bash("list", "ls"), read("two"), bash("fail", "exit 3")]
    serve(scenario_of(tool_reply(*uses, text="I look."), text_reply("done")))
    done = world.run("-p", "go", BYPASS, "--output-format", "events")
    assert done.returncode == 0, done.stderr
    events = [from_json(json.loads(line)) for line in done.stdout.splitlines()]
    assert isinstance(events[0], SessionStarted)
    assert isinstance(events[-1], SessionEnded)
    assert [event.seq for event in events] == sorted({event.seq for event in events})
    begun = [event.tool_use_id for event in events if isinstance(event, ToolUseStarted)]
    assert len(begun) == len(uses)
    for use in begun:
        moves = [event.to_state for event in events if isinstance(event, ToolStateChanged) and event.tool_use_id == use]
        assert moves == ["queued", "executing", "completed", "yielded"]
        results = [event for event in events if isinstance(event, ToolResultReady) and event.tool_use_id == use]
        assert len(results) == 1
    assert world.events()[-1] == events[-1]


def test_a_busy_or_broken_server_and_a_stream_that_breaks_are_asked_again(world: World, serve: Serve) -> None:
    statuses = [{"kind": "status", "status": status, "retry_after": "0.05"} for status in (429, 500, 529)]
    server = serve(scenario_of(text_reply("back again", faults=[{"kind": "drop", "after_events": 4}, *statuses])))
    done = world.run("-p", "hello")
    assert (done.returncode, done.stdout.strip()) == (0, "back again")
    assert "attempt 2" in done.stderr
    assert [exchange.status for exchange in server.requests] == [200, 429, 500, 529, 200]
    assert [exchange.is_whole for exchange in server.requests] == [False] * 4 + [True]
    assert [event.status for event in world.of(RetryScheduled)] == [None, 429, 500, 529]


@pytest.mark.parametrize("kind", ["drop", "error_event"])
def test_a_stream_that_breaks_after_a_tool_began_goes_on_and_runs_nothing_twice(
    world: World, serve: Serve, kind: str
) -> None:
    first = bash("one", "echo once >> log.txt")
    faults = [{"kind": kind, "after_events": 9}]
    server = serve(
        scenario_of(
            {
                "name": "run",
                "block": [first, bash("two", "echo twice >> log.txt")],
                "faults": faults,
                "pace": {"delta_bytes": 8},
            },
            {"name": "end", **text_reply("done")},
        )
    )
    done = world.run("-p", "go", BYPASS)
    assert (done.returncode, done.stdout.strip()) == (0, "done")
    assert (world.folder / "log.txt").read_text() == "once\n"
    assert [exchange.reply for exchange in server.requests] == ["run", "end"]
    assert_all_taken(server)


def test_arguments_that_are_no_json_run_nothing_and_the_model_may_try_again(world: World, serve: Serve) -> None:
    server = serve(
        scenario_of(
            tool_reply(bash("bad", "", raw_input='{"command": "touch bad"')),
            tool_reply(bash("good", "touch good")),
            text_reply("done"),
        )
    )
    done = world.run("-p", "go", BYPASS)
    assert (done.returncode, done.stdout.strip()) == (0, "done")
    assert sorted(path.name for path in world.folder.iterdir()) == ["good"]
    assert_all_taken(server)


def test_a_reply_that_is_cut_off_in_a_tool_use_does_not_run_the_half_of_it(world: World, serve: Serve) -> None:
    server = serve(
        scenario_of(
            tool_reply(bash("half", "touch half && touch more", cut_after=24), text="I make a file."),
            text_reply("Here is the rest."),
        )
    )
    done = world.run("-p", "go", BYPASS)
    assert done.stdout.strip() == "Here is the rest."
    assert not any(world.folder.iterdir())
    assert world.has(ToolUseDropped)
    assert_all_taken(server)


def test_an_answer_that_is_cut_off_fails_and_can_be_gone_on_with(world: World, serve: Serve) -> None:
    cut = {"block": [{"text": "The first half and the second half.", "cut_after": 14}]}
    server = serve(scenario_of(cut, text_reply("and the second half.")))
    first = world.run("-p", "go")
    assert (first.returncode, first.stdout.strip()) == (1, "The first half")
    assert "token limit" in first.stderr
    rest = world.run("-p", "go on", "--continue")
    assert (rest.returncode, rest.stdout.strip()) == (0, "and the second half.")
    assert_all_taken(server)


def test_thinking_goes_back_to_the_model_with_its_signature(world: World, serve: Serve) -> None:
    world.write("a.txt", "some text\n")
    server = serve(scenario_of({"block": [{"thinking": "hm, let me see"}, read("a")]}, text_reply("done")))
    done = world.run("-p", "go")
    assert done.returncode == 0, done.stderr
    body = server.requests[1].body
    assert body is not None
    sent = next(block for block in body["messages"][1]["content"] if block["type"] == "thinking")
    assert sent["thinking"] == "hm, let me see"


def test_two_reads_run_together_and_answer_in_order(world: World, serve: Serve) -> None:
    world.write("a.txt", "first\n")
    server = serve(scenario_of(tool_reply(read("one"), read("two"), bash("list", "ls")), text_reply("done")))
    done = world.run("-p", "go", BYPASS)
    assert done.returncode == 0, done.stderr
    body = server.requests[1].body
    assert body is not None
    labels = [block["tool_use_id"].split("_")[1] for block in body["messages"][2]["content"]]
    assert labels == ["one", "two", "list"]


def test_an_unknown_tool_and_an_unknown_field_are_answered_with_what_would_be_right(world: World, serve: Serve) -> None:
    server = serve(
        scenario_of(
            tool_reply(
                {"tool": "Raed", "label": "name", "input": {"file_path": "x"}},
                {"tool": "Read", "label": "field", "input": {"path": "{{ cwd }}/a.txt"}},
            ),
            text_reply("{{ results.name | line 1 }} / {{ results.field | match 'file_path' }}"),
        )
    )
    done = world.run("-p", "go")
    assert done.returncode == 0, done.stderr
    assert "Did you mean Read" in done.stdout
    assert done.stdout.strip().endswith("/ file_path")
    assert_all_taken(server)


def test_a_wrong_key_is_said_at_once(world: World, serve: Serve) -> None:
    server = serve(scenario_of(text_reply("never said")), api_key="another key")
    done = world.run("-p", "hello")
    assert done.returncode == 1
    assert "key" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(server.requests) == 1


def test_without_a_key_it_says_what_to_set(world: World) -> None:
    del world.env["ANTHROPIC_API_KEY"], world.env["ANTHROPIC_BASE_URL"]
    done = world.run("-p", "hello")
    assert done.returncode == 2
    assert "ANTHROPIC_API_KEY" in done.stderr
    assert done.stdout == ""


def test_the_app_without_a_terminal_says_so(world: World) -> None:
    done = world.run("hello there")
    assert done.returncode == 2
    assert "terminal" in done.stderr
    assert "Traceback" not in done.stderr


def test_malformed_settings_are_named_by_file_and_line_and_the_rest_holds(world: World, serve: Serve) -> None:
    world.write(".tui-agent/settings.json", '{\n  "permissions": {\n    "deny": ["Read", 7]\n  }\n}\n')
    world.write(".tui-agent/settings.local.json", '{\n  "permissions": {,}\n}\n')
    server = serve(scenario_of(tool_reply(read("a")), text_reply("still here")))
    done = world.run("-p", "go")
    assert (done.returncode, done.stdout.strip()) == (0, "still here")
    assert re.search(r"/settings\.json:3: .*\b7\b", done.stderr)
    assert re.search(r"/settings\.local\.json:2: .*JSON", done.stderr)
    assert_all_taken(server)
    tools = [tool["name"] for tool in (server.requests[0].body or {}).get("tools", [])]
    assert "Read" not in tools  # denied as a whole by the entry that makes sense
    assert "Bash" in tools


def test_a_tool_of_an_impossible_name_is_answered_and_the_conversation_goes_on(world: World, serve: Serve) -> None:
    unknown = {"tool": "x" * 300, "label": "long", "input": {}}
    server = serve(scenario_of(tool_reply(unknown), text_reply("{{ results.long | match 'There is no tool' }}")))
    done = world.run("-p", "go")
    assert (done.returncode, done.stdout.strip()) == (0, "There is no tool")
    assert_all_taken(server)


def test_a_session_that_was_continued_keeps_its_conversation(world: World, serve: Serve) -> None:
    server = serve(scenario_of(text_reply("one"), text_reply("two")))
    assert world.run("-p", "first").stdout.strip() == "one"
    assert world.run("-p", "second", "--continue").stdout.strip() == "two"
    body = server.requests[1].body
    assert body is not None
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert len(world.journals()) == 1
    assert len(world.of(AssistantMessageCompleted)) == len(world.of(TurnFinished)) == 2
