"""What goes wrong outside the program is said in the program, clearly, and nothing is lost."""

from __future__ import annotations

import re

import pytest
from person import Launch, Person, Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import RetryScheduled, SessionStarted, ToolResultReady


def test_without_a_key_there_is_a_welcome_with_three_ways_on(world: World, launch: Launch) -> None:
    del world.env["ANTHROPIC_API_KEY"], world.env["ANTHROPIC_BASE_URL"]
    world.env["TUI_AGENT_DEMO_PACE"] = "0"
    person = Person(launch(), world)
    person.terminal.wait_for_text(r"(?i)anthropic key[\s\S]*server[\s\S]*demo")
    person.terminal.press("3")
    person.terminal.wait_for(lambda: world.has(SessionStarted), "the demo's session")
    assert "tui-agent-demo" in world.of(SessionStarted)[0].cwd


def test_a_refused_key_is_asked_for_again_and_the_session_goes_on(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("never mind"), text_reply("at last")), api_key="the-right-key")
    world.env["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    person = Person(launch(columns=80, rows=24), world)
    terminal = person.terminal
    person.say("hello")
    person.wait_for_turn(1, "failed")
    terminal.wait_for_text("Sign in")
    terminal.wait_for_text("The key was refused")
    terminal.write("another-wrong-key\r")
    terminal.wait_for_text(r"The key was refused \(401\): invalid x-api-key[\s\S]*The key was refused")
    terminal.press("ctrl+u")
    terminal.write("the-right-key\r")
    terminal.wait_for_no_text("Sign in")
    person.say("continue")
    person.wait_for_turn(2)
    terminal.wait_for_text("never mind")
    assert not any(b"right-key" in journal.read_bytes() for journal in world.journals())
    person.say("/login")
    terminal.wait_for_text("Sign in")
    terminal.press("escape")
    terminal.wait_for_no_text("Sign in")


def test_a_key_is_tried_at_once_where_it_is_entered(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("welcome")), api_key="the-right-key")
    del world.env["ANTHROPIC_API_KEY"]
    world.env["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    base_url = world.env.pop("ANTHROPIC_BASE_URL")
    terminal = launch(columns=100, rows=30)
    terminal.wait_for_text("Welcome to tui-agent")
    terminal.press("2")
    terminal.write(f"{base_url}\r")
    terminal.wait_for_text(r"The key was refused \(401\): x-api-key header is required")
    terminal.press("escape")
    assert terminal.wait_for_exit() == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--resume", "nope"), "tui-agent: No conversation found with session ID: nope"),
        (("--permission-mode", "nope"), "tui-agent: unknown permission mode 'nope'"),
        (("--settings", "{nope"), "tui-agent: --settings: line 1, column 2"),
    ],
)
def test_a_session_that_cannot_start_as_asked_ends_the_program(
    world: World, launch: Launch, arguments: tuple[str, ...], said: str
) -> None:
    terminal = launch(*arguments, columns=100, rows=24)
    assert terminal.wait_for_exit() == 2
    terminal.wait_for_text(said)


def test_a_server_that_is_down_is_tried_again_visibly_until_escape(world: World, launch: Launch) -> None:
    person = Person(launch(), world)
    person.say("hello")
    person.terminal.wait_for(lambda: len(world.of(RetryScheduled)) >= 2, "a second attempt")
    person.terminal.wait_for_text(r"try \d of \d")
    person.terminal.press("escape")
    person.wait_for_turn(1, "interrupted")


def test_a_terminal_that_can_show_no_screen_is_not_written_over(world: World, serve: Serve, launch: Launch) -> None:
    """It gets lines of text; what is nothing but a screen is refused."""
    serve(scenario_of())
    world.env["TERM"] = "dumb"
    terminal = launch()
    terminal.wait_for_text("^You:")
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    assert b"\x1b" not in terminal.raw
    replaying = launch("replay", str(world.journals()[-1]))
    assert replaying.wait_for_exit() == 2
    replaying.wait_for_text("tui-agent: TERM is dumb")
    assert b"\x1b" not in replaying.raw


def test_a_terminal_of_20_by_5_still_takes_a_message_and_a_question(world: World, serve: Serve, launch: Launch) -> None:
    serve(
        scenario_of(
            tool_reply({"tool": "Bash", "label": "run", "input": {"command": "touch made"}}), text_reply("fine")
        )
    )
    person = Person(launch(columns=20, rows=5), world)
    person.say("go")
    person.terminal.wait_for(lambda: person.open_questions() == 1, "the question")
    person.answer(r"Run this comm", "1")
    person.wait_for_turn()
    assert (world.folder / "made").exists()


def test_no_color_is_honoured(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("**bold** and `code`\n\n```python\nx = 1\n```")))
    world.env["NO_COLOR"] = "1"
    person = Person(launch(columns=80, rows=24), world)
    person.say("go")
    person.wait_for_turn()
    person.terminal.wait_for_text("x = 1")
    person.terminal.press("ctrl+p")
    person.terminal.wait_for_text("type what you want to do")
    coloured = re.compile(rb"\x1b\[(?:[\d;]*;)?(?:3[0-9]|4[0-9]|9[0-7]|10[0-7])(?:;[\d;]*)?m")
    assert coloured.search(person.terminal.raw) is None, "no colour at all is sent"
    assert any(cell.reverse for line in person.terminal.cells() for cell in line), "the cursor is seen all the same"


def test_files_that_cannot_be_read_are_explained_to_the_model(world: World, serve: Serve, launch: Launch) -> None:
    (world.folder / "binary.dat").write_bytes(bytes(range(256)) * 20)
    (world.folder / "folder").mkdir()
    (world.folder / "huge.txt").write_text("0123456789abcdef\n" * 400_000)
    names = ("binary.dat", "folder", "huge.txt", "missing.txt", "no/such/place.txt")
    reads = [
        {"tool": "Read", "label": f"r{number}", "input": {"file_path": "{{ cwd }}/" + name}}
        for number, name in enumerate(names)
    ]
    serve(scenario_of(tool_reply(*reads), text_reply("done")))
    person = Person(launch(), world)
    person.say("go")
    person.wait_for_turn()
    results = {event.tool_use_id.split("_")[1]: event for event in world.of(ToolResultReady)}
    texts = [str(results[f"r{number}"].content) for number in range(len(names))]
    assert "binary" in texts[0]
    assert "directory" in texts[1] or "folder" in texts[1]
    assert len(texts[2]) < 200_000
    assert "PARTIAL" in texts[2] or results["r2"].is_error
    assert "not" in texts[3]
    assert results["r3"].is_error
    assert results["r4"].is_error


def test_a_file_that_changes_under_review_is_not_overwritten(world: World, serve: Serve, launch: Launch) -> None:
    path = world.write("a.txt", "one\ntwo\nthree\n")
    named = "{{ cwd }}/a.txt"
    serve(
        scenario_of(
            tool_reply({"tool": "Read", "label": "read", "input": {"file_path": named}}),
            tool_reply(
                {
                    "tool": "Edit",
                    "label": "edit",
                    "input": {"file_path": named, "old_string": "two", "new_string": "TWO"},
                }
            ),
            text_reply("done"),
        )
    )
    person = Person(launch(), world)
    person.say("go")
    person.wait_for_question(r"accept edits from now on")
    path.write_text("one\nsomebody else's two\nthree\n")
    person.terminal.press("enter")
    person.wait_for_turn()
    result = next(event for event in world.of(ToolResultReady) if event.name == "Edit")
    text = path.read_text()
    assert "somebody else's" in text, "what somebody else wrote is lost"
    assert result.is_error == (text == "one\nsomebody else's two\nthree\n")


def test_a_new_folder_is_asked_about_before_its_rules_count(world: World, serve: Serve, launch: Launch) -> None:
    (world.state / "trust.json").unlink()
    world.write(".tui-agent/settings.json", '{"permissions": {"allow": ["Bash"]}}')
    serve(
        scenario_of(
            tool_reply({"tool": "Bash", "label": "run", "input": {"command": "touch made"}}), text_reply("done")
        )
    )
    person = Person(launch(), world)
    person.wait_for_question("(?i)trust")
    person.terminal.press("2")
    person.terminal.wait_for_no_text("(?i)do you trust|1 +Yes.*trust")
    person.say("go")
    person.answer("Yes, once", "1")
    person.wait_for_turn()
    assert (world.folder / "made").exists()
