"""Recorded sessions gone on with from inside the app, and a spending limit, with the real program."""

from __future__ import annotations

from person import Launch, Person, Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import FormAnswered, FormRequested, SessionEnded, SessionStarted, TurnFinished, UserMessageSent
from tui_agent.journal.load import read_events

LITTLE = "0.001"  # US dollars: less than one request costs, whatever is in it


def test_another_session_is_gone_on_with_and_the_one_before_ends_in_order(
    world: World, serve: Serve, launch: Launch
) -> None:
    serve(scenario_of(text_reply("the answer of old")))
    assert world.run("-p", "an old question").returncode == 0
    (old,) = world.journals()
    serve(scenario_of(text_reply("the answer of new"), text_reply("back again")))
    person = Person(launch(), world)
    terminal = person.terminal
    person.say("a new question")
    terminal.wait_for_text("the answer of new")
    terminal.wait_for(lambda: world.has(TurnFinished), "the end of the turn")
    (new,) = set(world.journals()) - {old}
    person.say("/resume")
    terminal.wait_for_text(r"an old question")
    terminal.press("down")
    terminal.wait_for_text(r"the answer of old")
    terminal.press("enter")
    terminal.wait_for_no_text("a new question")
    terminal.wait_for_text("the answer of old")
    person.say("and once more")
    terminal.wait_for_text("❯ and once more")
    terminal.wait_for(lambda: len(world.of(TurnFinished)) == 2, "the end of a turn of the old session")
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    events = read_events(old).events
    assert [event.text for event in events if isinstance(event, UserMessageSent)] == [
        "an old question",
        "and once more",
    ]
    assert [event.source for event in events if isinstance(event, SessionStarted)] == ["startup", "resume"]
    assert isinstance(read_events(new).events[-1], SessionEnded)


def test_resume_without_an_id_lists_the_sessions_first(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("the answer of old"), text_reply("back again")))  # by the place in a conversation
    assert world.run("-p", "an old question").returncode == 0
    person = Person(launch("--resume"), world)
    person.terminal.wait_for_text("an old question")
    person.terminal.wait_for_text("1 session of this folder")
    person.terminal.press("enter")
    person.terminal.wait_for_no_text("1 session of this folder")  # whose preview has the answer, too
    person.terminal.wait_for_text("the answer of old")
    person.say("go on")
    person.terminal.wait_for_text("back again")
    assert len(world.journals()) == 1
    again = launch("--resume")
    again.wait_for_text("1 session of this folder")
    again.press("escape")
    assert again.wait_for_exit() == 0, "who chooses none leaves"


def test_clear_keeps_the_session_by_its_name_and_leaving_says_how_to_go_on(
    world: World, serve: Serve, launch: Launch
) -> None:
    serve(scenario_of(text_reply("the first answer"), text_reply("never")))
    person = Person(launch("--permission-mode", "acceptEdits"), world)
    terminal = person.terminal
    person.say("a first question")
    terminal.wait_for_text("the first answer")
    terminal.wait_for(lambda: world.has(TurnFinished), "the end of the turn")
    (old,) = world.journals()
    person.say("/clear round totals")
    terminal.wait_for_no_text("the first answer")
    person.say("a second question")
    terminal.wait_for_text("the first answer")  # the script begins anew, as the conversation does
    terminal.wait_for(lambda: len(world.journals()) == 2, "a second session")
    (new,) = set(world.journals()) - {old}
    terminal.wait_for(lambda: TurnFinished in map(type, read_events(new).events), "the end of the turn")
    ended, begun = read_events(old).events[-1], read_events(new).events[0]
    assert isinstance(ended, SessionEnded)
    assert ended.reason == "clear"
    assert isinstance(begun, SessionStarted)
    assert (begun.source, begun.mode) == ("clear", "acceptEdits")
    person.say("/resume")
    terminal.wait_for_text("round totals")
    terminal.write("totals")
    terminal.wait_for_text("1 session of")
    terminal.press("enter")
    terminal.wait_for_no_text("1 session of")
    terminal.wait_for_text("a first question")
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    terminal.wait_for_text(f"tui-agent --resume {old.parent.name}")
    again = launch("--resume", "round totals")
    again.wait_for_text("a first question")


def test_at_the_spending_limit_the_person_is_asked(world: World, serve: Serve, launch: Launch) -> None:
    world.write("note.txt", "a note\n")
    read = {"tool": "Read", "input": {"file_path": str(world.folder / "note.txt")}}
    server = serve(scenario_of(tool_reply(read), text_reply("I have read it")))
    world.write(".tui-agent/settings.json", f'{{"spendingLimitUsd": {LITTLE}}}')
    person = Person(launch(), world)
    person.say("read it")
    person.wait_for_question(r"Spending limit")
    assert len(server.requests) == 1
    person.press_until("I have read it", "enter")
    person.wait_for_turn()
    assert len(world.of(FormRequested)) == len(world.of(FormAnswered)) == 1


def test_without_a_person_the_program_stops_at_its_budget(world: World, serve: Serve) -> None:
    world.write("note.txt", "a note\n")
    read = {"tool": "Read", "input": {"file_path": str(world.folder / "note.txt")}}
    server = serve(scenario_of(tool_reply(read), text_reply("never said")))
    done = world.run("-p", "read it", "--max-budget-usd", LITTLE)
    assert done.returncode == 1
    assert "The spending limit is reached: this session has cost $" in done.stderr
    assert len(server.requests) == 1
    assert [event.outcome for event in world.of(TurnFinished)] == ["spending_limit"]
