"""`serve --stdio`: whole turns with nothing but pipes."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import jsonschema
import pytest
from person import Serve
from pipe_client import PipeClient
from preloaded import Forked, fork_piped
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.event_json import from_json

OLD = "".join(f"line {number}\n" for number in range(1, 21))
NEW = OLD.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")


class Connect(Protocol):
    def __call__(self, *arguments: str) -> tuple[PipeClient, Forked]: ...


@pytest.fixture
def connect(world: World, tmp_path: Path) -> Iterator[Connect]:
    """Start the program with its input and output on pipes; it is ended with the test."""
    opened: list[Forked] = []
    clients: list[PipeClient] = []

    def start(*arguments: str) -> tuple[PipeClient, Forked]:
        folder = tmp_path / f"pipes-{len(opened)}"
        folder.mkdir()
        run, given, told = fork_piped(["serve", "--stdio", *arguments], folder, cwd=world.folder, env=world.env)
        opened.append(run)
        clients.append(PipeClient(given, told))
        return clients[-1], run

    yield start
    for run in opened:
        if run.poll() is None:
            run.send_signal(signal.SIGKILL)
    for client in clients:
        client.close()


def bash(command: str) -> dict[str, Any]:
    return {"tool": "Bash", "label": "bash", "input": {"command": command}}


def test_a_whole_turn_with_nothing_but_pipes(world: World, serve: Serve, connect: Connect) -> None:
    file = world.write("a.txt", OLD)
    path = {"file_path": "{{ cwd }}/a.txt"}
    serve(
        scenario_of(
            tool_reply(bash("printf proposed > proposed.txt"), text="I make a file."),
            tool_reply({"tool": "Read", "label": "read", "input": path}),
            tool_reply({"tool": "Write", "label": "write", "input": {**path, "content": NEW}}),
            tool_reply(bash("sleep 300; touch never.txt")),
        )
    )
    client, run = connect()
    client.event("session_started")
    state = client.query("state")
    assert (state["root"], state["mode"], state["is_busy"]) == (str(world.folder), "default", False)

    # A question, and the command as the person changed it.
    message_id = client.command("submit", text="do it")["ok"]["message_id"]
    assert client.event("user_message_sent")["message_id"] == message_id
    asked = client.event("permission_requested", name="Bash")
    edited = {**asked["input"], "command": "printf edited > edited.txt"}
    assert client.query("judge", request_id=asked["request_id"], input=edited)["behavior"] == "ask"
    answered = client.command("answer", request_id=asked["request_id"], decision="allow", input=edited)
    assert answered["ok"] == {}
    late = client.command("answer", request_id=asked["request_id"], decision="deny")
    assert "settled already" in late["error"]["message"]
    client.event("permission_resolved", behavior="allow", by="person")

    # A change, of which one place of two is taken.
    asked = client.event("permission_requested", name="Write")
    assert (world.folder / "edited.txt").read_text() == "edited"
    assert not (world.folder / "proposed.txt").exists()
    (change,) = client.query("proposals", request_id=asked["request_id"])["changes"]
    assert (change["before"], change["after"], len(change["hunks"])) == (OLD, NEW, 2)
    hunks = [{"path": change["path"], "accepted": [7]}]
    wrong = client.command("answer", request_id=asked["request_id"], decision="allow", hunks=hunks)
    assert "no such hunk" in wrong["error"]["message"]
    hunks = [{"path": change["path"], "accepted": [1]}]
    assert "ok" in client.command("answer", request_id=asked["request_id"], decision="allow", hunks=hunks)
    client.event("edit_applied")
    assert file.read_text() == OLD.replace("line 18\n", "eighteen\n")

    # An interrupt.
    asked = client.event("permission_requested", name="Bash")
    client.command("answer", request_id=asked["request_id"], decision="allow")
    client.event("tool_progressed", tool_use_id=asked["tool_use_id"])
    assert client.command("interrupt")["ok"] == {"unsent": None}
    assert client.event("turn_finished")["outcome"] == "interrupted"
    client.query("idle")
    assert not (world.folder / "never.txt").exists()
    (net,) = client.query("changes")["files"]
    assert net["path"] == str(file)

    # The end of the input closes the session in order.
    client.close()
    assert run.wait(30) == 0
    assert client.lines[-1]["event"]["type"] == "session_ended"

    # Taken up again, the recording comes first.
    serve(scenario_of(text_reply("taken up")))
    client, run = connect("--resume", state["session_id"])
    assert client.event("user_message_sent")["message_id"] == message_id
    client.event("session_started", source="resume")
    client.command("submit", text="go on")
    reply = client.event("assistant_message_completed", stop_reason="end_turn")
    assert reply["content"][0]["text"] == "taken up"
    client.event("turn_finished", outcome="done")
    plan = client.query("undo_plan", path=str(file))
    assert client.command("undo", path=str(file), plan_id=plan["id"])["ok"] == {"plan": None}
    assert file.read_text() == OLD
    assert client.command("close")["ok"] == {}
    assert run.wait(30) == 0
    for event in client.events:
        from_json(event)


def test_lines_that_cannot_be_read_change_nothing(world: World, serve: Serve, connect: Connect) -> None:
    serve(scenario_of(text_reply("hello")))
    client, run = connect("--permission-mode", "plan")
    client.event("session_started", mode="plan")
    bad = [
        ("garbage", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        ("[" * 100_000, "not JSON"),
        ("[]", "a line is a JSON object, not list"),
        ('{"id": 7}', "one of `command` and `query`"),
        ('{"id": 7, "command": {"type": "clear"}, "query": {"type": "state"}}', "one of `command` and `query`"),
        ('{"id": [1], "command": {"type": "clear"}}', "`id` is a string or a whole number"),
        ('{"id": 7, "comand": {"type": "clear"}, "query": {"type": "state"}}', "no 'comand'"),
        ('{"id": 7, "command": {"type": "submit", "text": NaN}}', "NaN is no JSON"),
        ('{"id": 7, "command": {"type": "submit"}}', "submit.text is missing"),
        ('{"id": 7, "command": {"type": "set_mode", "mode": "free"}}', "set_mode.mode does not fit"),
        ('{"id": 7, "command": {"type": "start"}}', "begun already"),
        ('{"id": 7, "command": {"type": "set_spending_limit", "usd": 1e999}}', "1e999 is too large a number"),
        (f'{{"id": 7, "command": {{"type": "set_spending_limit", "usd": {"9" * 400}}}}}', "too large a number"),
        ('{"id": 7, "command": {"type": "set_spending_limit", "usd": -5}}', "an amount above 0"),
        ('{"id": 7, "command": {"type": "set_model", "model": " "}}', "No model is named"),
        ('{"id": 7, "command": {"type": "submit", "text": "\\n"}}', "The message is empty"),
        ('{"id": 7, "command": {"type": "run_shell", "command": ""}}', "no command to run"),
        ('{"id": 7, "command": {"type": "undo", "path": "/x", "plan_id": "y"}}', "has not changed this file"),
        ('{"id": 7, "command": {"type": "clear"}, "id": 8}', "'id' stands in one object twice"),
        ('{"id": 1.5, "command": {"type": "clear"}}', "`id` is a string or a whole number"),
        (f'{{"id": {"9" * 5000}, "command": {{"type": "clear"}}}}', "not JSON"),
        (b'\xef\xbb\xbf{"id": 7, "command": {"type": "clear"}}', "not JSON"),
        ('{"id": 7, "command": null}', "a command is a JSON object"),
        ('{"id": 7, "command": {"type": "close", "reason": "bad"}}', "close.reason does not fit"),
        ('{"id": 7, "command": {"type": "submit", "text": "' + "x" * 20_000_000, "not JSON"),
        ("x" * 33_000_000, "longer than 32,000,000 bytes"),
        ('{"id": 7, "query": {"type": "everything"}}', "unknown query type 'everything'"),
        ('{"id": 7, "command": {"type": "run_tool", "line": "Nothing --at-all"}}', "Nothing"),
    ]
    for line, words in bad:
        client.write(line)
        assert words in client.error()["message"], line
    client.write("   ")  # no line at all
    state = client.query("state")
    assert (state["mode"], state["is_busy"]) == ("plan", False)
    assert {event["type"] for event in client.events} <= {"session_started", "branch_changed", "settings_reloaded"}
    client.close()
    assert run.wait(30) == 0


def test_ids_may_be_missing_null_or_given_twice_and_lines_come_together(
    world: World, serve: Serve, connect: Connect
) -> None:
    serve(scenario_of(text_reply("hello")))
    client, run = connect()
    client.event("session_started")
    cost = '"query": {"type": "cost"}}\n'
    several = "".join(f"{{{begin}{cost}" for begin in ("", '"id": null, ', '"id": 5, ', '"id": 5, ', '"id": "five", '))
    client.write(
        f'{several}\r\n{{"id": 6, "command": {{"type": "set_mode", "mode": "plan"}}}}\n{{"id": 7, {cost}'.rstrip()
    )
    client.wait(lambda: next((line for line in client.lines if line.get("id") == 7), None), "the last answer")
    answers = [line for line in client.lines if "event" not in line]
    assert [line["id"] for line in answers] == [None, None, 5, 5, "five", 6, 7]
    assert "ok" in answers[5]
    assert client.query("state")["mode"] == "plan"
    client.write('{"id": 8, "command": {"type": "close"}}\n{"id": 9, "command": {"type": "clear"}}')
    client.wait_for_end()
    assert run.wait(30) == 0
    assert [line["id"] for line in client.lines if "id" in line][-1] == 8, "after the end nothing is done"


def test_a_line_of_twenty_megabytes_is_taken(world: World, serve: Serve, connect: Connect) -> None:
    serve(scenario_of(text_reply("hello")))
    client, run = connect()
    client.event("session_started")
    answer = client.query("judge", request_id="none such", input={"command": "x" * 20_000_000})
    assert answer["behavior"] == "ask"
    client.close()
    assert run.wait(30) == 0


def test_clear_begins_a_new_session_and_the_old_one_keeps_its_words(
    world: World, serve: Serve, connect: Connect
) -> None:
    server = serve(scenario_of(text_reply("the first reply"), text_reply("the second reply")))
    client, run = connect()
    client.event("session_started")
    first = client.query("state")["session_id"]
    client.command("clear")
    assert client.query("state")["session_id"] == first, "nothing was said in it"
    client.command("submit", text="one")
    client.event("turn_finished")
    client.command("set_mode", mode="acceptEdits")
    assert client.command("clear", title="the totals")["ok"] == {}
    client.event("session_ended", session_id=first, reason="clear")
    second = client.event("session_started")["session_id"]
    assert second != first
    state = client.query("state")
    assert (state["session_id"], state["mode"]) == (second, "acceptEdits")
    client.command("submit", text="two")
    client.event("turn_finished", session_id=second)
    assert "the first reply" not in json.dumps(server.requests[-1].body["messages"])  # type: ignore[index]
    listed = {one["id"]: one["title"] for one in client.query("sessions")["sessions"]}
    assert listed[first] == "the totals"
    client.close()
    assert run.wait(30) == 0
    client, run = connect("--resume", first)
    client.event("user_message_sent", text="one")
    client.event("text_delta", text="the first reply")
    client.close()
    assert run.wait(30) == 0


def test_the_end_of_the_input_in_mid_turn_ends_it_in_order(world: World, serve: Serve, connect: Connect) -> None:
    serve(scenario_of(tool_reply(bash("touch never.txt")), text_reply("never said")))
    client, run = connect()
    client.command("submit", text="go")
    asked = client.event("permission_requested")
    client.write('{"id": 1, "query": {"type": "idle"}}\n{"id": "half", "comm')
    client.close()
    assert run.wait(30) == 0
    assert "not JSON" in client.error()["message"]
    client.event("permission_resolved", request_id=asked["request_id"], behavior="cancelled")
    client.event("turn_finished", outcome="interrupted")
    client.event("session_ended")
    assert not (world.folder / "never.txt").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_although_nobody_reads(
    world: World, serve: Serve, tmp_path: Path, number: int, code: int
) -> None:
    serve(scenario_of(text_reply("hello")))
    run, given, told = fork_piped(["serve", "--stdio"], tmp_path, cwd=world.folder, env=world.env)
    assert told.readline()
    for _ in range(200):
        given.write(b'{"query": {"type": "settings"}}\n')
    given.close()
    run.send_signal(number)
    assert run.wait(30) == code
    told.close()
    assert (tmp_path / "err").read_text() == ""
    assert type(world.events()[-1]).__name__ == "SessionEnded"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_in_order(world: World, serve: Serve, connect: Connect, number: int, code: int) -> None:
    serve(scenario_of(tool_reply(bash("sleep 300; touch never.txt"))))
    client, run = connect()
    client.command("submit", text="wait")
    asked = client.event("permission_requested")
    run.send_signal(number)
    assert run.wait(30) == code
    client.event("permission_resolved", request_id=asked["request_id"], behavior="cancelled")
    client.event("session_ended")
    assert [event.reason for event in world.events() if type(event).__name__ == "SessionEnded"]


def test_who_reads_no_more_ends_it(world: World, serve: Serve, tmp_path: Path) -> None:
    serve(scenario_of(text_reply("x" * 300_000)))
    run, given, told = fork_piped(["serve", "--stdio"], tmp_path, cwd=world.folder, env=world.env)
    given.write(b'{"id": 1, "command": {"type": "submit", "text": "much"}}\n')
    assert told.readline()
    told.close()
    assert run.wait(30) == 1
    given.close()
    assert (tmp_path / "err").read_text() == ""
    assert type(world.events()[-1]).__name__ == "SessionEnded"


def test_the_demo_is_served_and_its_schema_printed(world: World, connect: Connect) -> None:
    client, run = connect("--demo")
    client.event("session_started")
    assert client.query("state")["is_trusted"]
    client.close()
    assert run.wait(30) == 0
    printed = world.run("serve", "--schema")
    assert printed.returncode == 0
    schema = json.loads(printed.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    fits = jsonschema.Draft202012Validator(schema)
    for line in client.lines:
        fits.validate(line)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("serve",), "--stdio"),
        (("serve", "--stdio", "--schema"), "not allowed"),
        (("serve", "--stdio", "--resume"), "--resume needs an ID with serve"),
        (("serve", "--stdio", "--resume", "nothing-like-it"), "No conversation found"),
    ],
)
def test_wrong_usage_is_one_line_and_prints_no_data(world: World, arguments: tuple[str, ...], words: str) -> None:
    done = world.run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
