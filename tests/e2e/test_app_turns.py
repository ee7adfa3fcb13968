"""The full-screen program in a pseudo-terminal: keys in, screen, files and journal out."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import psutil
import pytest
from person import Launch, Person, Serve
from processes import wait_gone
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.changes import FileChange
from tui_agent.events import (
    AssistantMessageCompleted,
    EditApplied,
    EditReviewed,
    MessageQueued,
    MessageUnqueued,
    ModeChanged,
    PermissionResolved,
    RequestSent,
    SessionEnded,
    SessionStarted,
    ToolResultReady,
    ToolStateChanged,
    ToolUseStarted,
    UserMessageSent,
)
from tui_agent.model.demo.scenario_file import find_scenario
from tui_agent.model.demo.thread import ServerThread

FIX = find_scenario("fix")
RUN_TESTS = r"python3 -m unittest[\s\S]*Yes, once"
REVIEW = r"Enter writes \d of 3 hunks"
SLOW = {"delta_bytes": 8, "delay_ms": 50}


def assert_all_taken(server: ServerThread) -> None:
    """Every request was one that the real API would take."""
    assert [(exchange.reply, exchange.error) for exchange in server.requests if exchange.status == 400] == []


def assert_complete(world: World) -> None:
    """The journal of an ended session: begun and ended, every tool use with its one result, states in order."""
    events = world.events()
    assert isinstance(events[0], SessionStarted)
    assert isinstance(events[-1], SessionEnded)
    assert [event.seq for event in events] == sorted({event.seq for event in events})
    moves: dict[str, list[str]] = {}
    for move in world.of(ToolStateChanged):
        moves.setdefault(move.tool_use_id, []).append(move.to_state)
    assert all(
        path in (["queued", "executing", "completed", "yielded"], ["queued", "completed", "yielded"])
        for path in moves.values()
    )
    results = [event.tool_use_id for event in world.of(ToolResultReady)]
    assert sorted(results) == sorted(moves)


def test_a_person_watches_a_bug_being_fixed(world: World, serve: Serve, launch: Launch) -> None:
    world.use_sample_project()
    server = serve(FIX, variables={"cwd": str(world.folder)})
    path = world.folder / "shop" / "refund.py"
    person = Person(launch(), world)
    terminal = person.terminal
    person.say(FIX.prompt)
    person.answer(RUN_TESTS, "1")
    person.wait_for_question(REVIEW)
    assert FIX.variables["old"] in path.read_text(), "written before it was reviewed"
    person.answer(REVIEW, "enter")
    person.answer(RUN_TESTS, "1")
    person.wait_for_turn()
    terminal.wait_for_text(r"All 15 tests pass now; before the edit\s+3 of them failed")
    assert FIX.variables["new"] in path.read_text()
    assert [exchange.reply for exchange in server.requests] == ["look", "tests", "edit", "retest", "green"]
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    assert_complete(world)
    assert len(world.of(EditApplied)) == 1


def test_hunks_are_taken_and_refused_one_by_one(world: World, serve: Serve, launch: Launch) -> None:
    world.use_sample_project()
    server = serve(FIX, variables={"cwd": str(world.folder)})
    path = world.folder / "shop" / "refund.py"
    before = path.read_text()
    change = FileChange.between("f", before, before.replace(FIX.variables["old"], FIX.variables["new"]))
    person = Person(launch(), world)
    person.say(FIX.prompt)
    person.answer(RUN_TESTS, "1")
    person.wait_for_question(REVIEW)
    person.press_until("▶ hunk 2/3", "j")
    person.press_until("Enter writes 2 of 3 hunks", "x")
    person.terminal.press("enter")
    person.answer(RUN_TESTS, "1")
    person.wait_for_turn()
    person.terminal.wait_for_text(r"1 of 15 tests still fail")
    person.terminal.wait_for_text(r"(?s)not as I proposed it.*refused: 2")
    assert path.read_text() == change.select({0, 2})
    reviewed = world.of(EditReviewed)[0]
    assert (reviewed.accepted, reviewed.refused) == ((0, 2), (1,))
    told = next(event for event in world.of(ToolResultReady) if event.name == "Edit")
    assert not told.is_error
    assert "refused" in str(told.content)
    assert_all_taken(server)


def test_a_refusal_with_words_goes_on_and_one_without_ends_the_turn(world: World, serve: Serve, launch: Launch) -> None:
    world.use_sample_project()
    server = serve(FIX, variables={"cwd": str(world.folder)})
    before = (world.folder / "shop" / "refund.py").read_text()
    person = Person(launch(), world)
    person.say(FIX.prompt)
    person.wait_for_question(RUN_TESTS)
    person.press_until("what to do instead, then Enter", "4")
    person.terminal.type("just read, do not run anything")
    person.terminal.press("enter")
    person.wait_for_turn(1)
    person.terminal.wait_for_text("Then I do not run the tests. just read, do not run anything")
    person.say("go on")
    person.answer(REVIEW, "escape")
    person.wait_for_turn(2, "declined")
    assert (world.folder / "shop" / "refund.py").read_text() == before
    assert person.open_questions() == 0
    person.say("try again")
    person.answer(REVIEW, "enter")
    person.answer(RUN_TESTS, "3")
    person.wait_for_turn(3, "declined")
    assert FIX.variables["new"] in (world.folder / "shop" / "refund.py").read_text()
    assert_all_taken(server)


def test_keys_typed_before_a_question_came_up_do_not_answer_it(world: World, serve: Serve, launch: Launch) -> None:
    serve(
        scenario_of(
            tool_reply({"tool": "Bash", "label": "run", "input": {"command": "touch made"}}), text_reply("done")
        )
    )
    person = Person(launch(), world)
    person.say("go")
    person.terminal.wait_for_text("touch made")
    # The question is on the screen for no more than a moment yet.
    person.terminal.press("1", "enter", "y")
    person.wait_for_question("Yes, once")
    assert person.open_questions() == 1
    assert not (world.folder / "made").exists()
    person.answer("Yes, once", "1")
    person.wait_for_turn()
    assert (world.folder / "made").exists()


def test_always_saves_the_rule_and_asks_no_more(world: World, serve: Serve, launch: Launch) -> None:
    run = {"tool": "Bash", "input": {"command": "touch made"}}
    serve(
        scenario_of(
            tool_reply({**run, "label": "one"}), tool_reply({**run, "label": "two"}), text_reply("both are done")
        )
    )
    person = Person(launch(), world)
    person.say("go")
    person.answer("touch made[\\s\\S]*Yes, always", "2")
    person.wait_for_turn()
    assert len(world.of(PermissionResolved)) == 1
    assert "touch" in str(world.of(PermissionResolved)[0].rules)
    assert "touch" in (world.folder / ".tui-agent" / "settings.local.json").read_text()


def test_escape_stops_a_stream_and_the_conversation_stays_valid(world: World, serve: Serve, launch: Launch) -> None:
    slow = text_reply("Once upon a time there was a very long story. " * 40, pace=SLOW)
    server = serve(scenario_of(slow, text_reply("What else?")), pace=1.0)
    person = Person(launch(), world)
    person.say("tell me a story")
    person.terminal.wait_for_text("there was a very long")
    person.terminal.press("escape")
    person.wait_for_turn(1, "interrupted")
    assert "there was" in str(world.of(AssistantMessageCompleted)[0].content)
    person.say("enough")
    person.wait_for_turn(2)
    person.terminal.wait_for_text("What else")
    assert_all_taken(server)


def test_escape_before_any_answer_puts_the_message_back(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of({"block": [{"text": "Yes.", "pause_ms": 60_000}]}), pace=1.0)
    person = Person(launch(), world)
    person.say("a question with a typo")
    person.terminal.wait_for(lambda: world.has(RequestSent), "the request")
    person.terminal.press("escape")
    person.wait_for_turn(1, "interrupted")

    def is_in_the_prompt_only() -> bool:
        screen = person.terminal.screen()
        return len(re.findall("a question with a typo", screen)) == 1 and "interrupted" not in screen

    person.terminal.wait_for(is_in_the_prompt_only, "the message in the prompt")
    person.terminal.press("backspace", "backspace")
    person.terminal.wait_for_text("a question with a ty\\W")


def test_escape_stops_a_command_and_everything_it_started(world: World, serve: Serve, launch: Launch) -> None:
    world.write(".tui-agent/settings.json", '{"permissions": {"allow": ["Bash"]}}')
    command = "echo begun; sleep 8271 & sleep 8272"
    run = tool_reply({"tool": "Bash", "label": "run", "input": {"command": command}})
    server = serve(scenario_of(run, text_reply("You stopped it.")))
    person = Person(launch(), world)
    person.say("go")
    person.terminal.wait_for(lambda: len(sleepers(world)) == 2, "the command to run")
    person.terminal.press("escape")
    person.wait_for_turn(1, "interrupted")
    wait_gone(*sleepers(world))
    person.say("and now?")
    person.wait_for_turn(2)
    person.terminal.wait_for_text("You stopped it")
    assert_all_taken(server)


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.fresh_start), signal.SIGHUP])
def test_told_to_end_it_stops_what_runs_and_finishes_the_record(
    world: World, serve: Serve, launch: Launch, number: int
) -> None:
    command = "echo begun; sleep 8271 & sleep 8272"
    serve(scenario_of(tool_reply({"tool": "Bash", "label": "run", "input": {"command": command}})))
    person = Person(launch("--dangerously-skip-permissions"), world)
    person.say("go")
    person.terminal.wait_for(lambda: len(sleepers(world)) == 2, "the command to run")
    person.terminal.process.send_signal(number)
    assert person.terminal.wait_for_exit() == 128 + number
    wait_gone(*sleepers(world))
    assert_complete(world)


@pytest.mark.parametrize("inside", ["", pytest.param("tmux", marks=pytest.mark.fresh_start)])
def test_a_window_that_is_closed_ends_what_runs_in_it_and_finishes_the_record(
    world: World, serve: Serve, launch: Launch, inside: str
) -> None:
    if inside:
        world.env["TMUX"] = "/tmp/tmux-0/default,1,0"
    command = "echo begun; sleep 8271 & setsid -f sleep 8272; wait"
    serve(scenario_of(tool_reply({"tool": "Bash", "label": "run", "input": {"command": command}})))
    person = Person(launch("--dangerously-skip-permissions"), world)
    person.say("go")
    person.terminal.wait_for(lambda: len(sleepers(world)) == 2, "the command to run")
    begun = sleepers(world)
    person.terminal.hang_up()
    wait_gone(*begun)
    assert person.terminal.wait_for_exit() == 128 + signal.SIGHUP
    assert_complete(world)  # it has left in order, and not because it hung and was cut short


def sleepers(world: World) -> list[int]:
    """Return the processes that the command above started in this world."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline", "cwd"])
        if process.info["cwd"] == str(world.folder) and (process.info["cmdline"] or [""])[0] == "sleep"
    ]


def test_what_is_sent_meanwhile_is_queued_and_can_be_taken_back(world: World, serve: Serve, launch: Launch) -> None:
    server = serve(scenario_of(text_reply("word " * 40, pace=SLOW), text_reply("I heard you.")), pace=1.0)
    person = Person(launch(), world)
    person.say("go")
    person.terminal.wait_for_text("word word")
    person.say("first thought")
    person.terminal.wait_for_text("queued +first thought")
    person.say("second thought")
    person.terminal.wait_for_text("queued +second thought")
    person.terminal.press("up")
    person.terminal.wait_for_no_text("queued +second thought")
    person.wait_for_turn()
    assert [event.text for event in world.of(MessageQueued)] == ["first thought", "second thought"]
    assert len(world.of(MessageUnqueued)) == 2
    assert [event.text for event in world.of(UserMessageSent)] == ["go"]
    person.terminal.wait_for_text("first thought")  # they are in the prompt again, and go as one
    person.terminal.press("enter")
    person.wait_for_turn(2)
    assert [event.text for event in world.of(UserMessageSent)][1:] == ["first thought\nsecond thought"]
    assert_all_taken(server)


def test_the_mode_goes_round_and_an_edit_is_no_longer_asked_for(world: World, serve: Serve, launch: Launch) -> None:
    world.write("a.txt", "one\n")
    path = "{{ cwd }}/a.txt"
    read = {"tool": "Read", "label": "read", "input": {"file_path": path}}
    edit = {"tool": "Edit", "label": "edit", "input": {"file_path": path, "old_string": "one", "new_string": "two"}}
    server = serve(scenario_of(tool_reply(read), tool_reply(edit), text_reply("done")))
    person = Person(launch(), world)
    person.terminal.wait_for(lambda: world.has(SessionStarted), "the session")
    person.terminal.press("shift+tab")
    person.terminal.wait_for_text(r"accept\w* ?[eE]dits")
    person.say("go")
    person.wait_for_turn()
    assert world.of(ModeChanged)[0].mode == "acceptEdits"
    assert (world.folder / "a.txt").read_text() == "two\n"
    assert not world.of(PermissionResolved)
    assert_all_taken(server)


def test_resizing_keeps_the_conversation_on_the_screen(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("The beginning of the answer.\n\n- one\n- two\n\nThe end of the answer.")))
    person = Person(launch(), world)
    person.say("go")
    person.wait_for_turn()
    for columns, rows in ((60, 20), (200, 60), (30, 10), (80, 24)):
        person.terminal.resize(columns, rows)
        person.terminal.wait_for_text("The end of the answer")


def test_what_is_typed_while_it_starts_is_not_lost(world: World, serve: Serve, launch: Launch) -> None:
    server = serve(scenario_of(text_reply("here I am")))
    terminal = launch()
    terminal.wait_for(lambda: terminal.screen().strip(), "a first frame")
    terminal.type("are you there?")
    terminal.press("enter")
    terminal.wait_for_text("here I am")
    body = server.requests[0].body
    assert body is not None
    assert re.search(r"are you there\?", str(body["messages"][0]["content"]))


@pytest.mark.fresh_start
def test_the_demo_needs_no_key_and_no_network(world: World, launch: Launch) -> None:
    del world.env["ANTHROPIC_API_KEY"], world.env["ANTHROPIC_BASE_URL"]
    world.env["TUI_AGENT_DEMO_PACE"] = "0"
    person = Person(launch("--demo"), world)
    person.terminal.wait_for_text("(?i)refunds are sometimes")
    person.terminal.press("enter")
    person.answer(RUN_TESTS, "1")
    person.answer(REVIEW, "A", "enter")
    person.answer(RUN_TESTS, "1")
    person.wait_for_turn()
    person.terminal.wait_for_text("All 15 tests pass")
    person.say("what can you do?")
    person.terminal.wait_for_text("scripted model")
    folder = Path(world.of(SessionStarted)[0].cwd)
    assert folder.is_dir()
    person.terminal.press("ctrl+d")
    assert person.terminal.wait_for_exit() == 0
    assert not folder.exists()
    assert len(world.of(ToolUseStarted)) == 6
