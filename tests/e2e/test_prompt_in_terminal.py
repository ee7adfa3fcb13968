"""The prompt in a pseudo-terminal: keys as a terminal without a keyboard protocol sends them, and as fast as it can."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
from pathlib import Path

import psutil
from person import Launch, Person, Serve
from processes import nap, sleeping, wait_gone
from terminal import Terminal
from world import World, scenario_of, text_reply

from tui_agent.events import ReminderSent, ToolResultReady, TurnFinished, UserMessageSent


def settings(world: World, **values: object) -> None:
    world.write(".tui-agent/settings.json", json.dumps(values))


def begin(terminal: Terminal) -> None:
    terminal.wait_for_text(r"❯ *")
    terminal.wait_for_text(r"sandbox|no sandbox|default")


def test_alt_with_enter_makes_a_line_and_sends_nothing(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read.")))
    terminal = launch(columns=80, rows=24)
    person = Person(terminal, world)
    terminal.type("first\x1b\rsecond\x1b[27;2;13~third")
    terminal.wait_for_text(r"❯ first\s*\n\W*second\s*\n\W*third")
    terminal.type("\x1bb\x1b\x7f")  # Alt+B, Alt+Backspace
    terminal.press("enter")
    person.wait_for_turn()
    (sent,) = world.of(UserMessageSent)
    assert sent.text == "first\nthird"


def test_bytes_that_are_no_text_do_not_end_the_program(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read.")))
    terminal = launch(columns=80, rows=24)
    person = Person(terminal, world)
    begin(terminal)
    terminal.paste("caf\udce9 é")  # a byte of Latin-1, and UTF-8
    terminal.type("\udce9.")
    terminal.wait_for_text("❯ caf� é�\\.")
    terminal.press("enter")
    person.wait_for_turn()
    (sent,) = world.of(UserMessageSent)
    assert sent.text == "caf� é�."


def test_keys_of_vi_typed_in_one_burst(world: World, serve: Serve, launch: Launch) -> None:
    settings(world, editorMode="vim")
    serve(scenario_of(text_reply("Read.")))
    terminal = launch(columns=80, rows=24)
    person = Person(terminal, world)
    terminal.wait_for_text("INSERT ❯")
    # Escape and the key after it come together, as one that Alt would send.
    terminal.type("one two three\x1bbcwTWO\x1b0iA \x1b$a!\x1bbbdw")
    terminal.wait_for_text("NORMAL ❯ A one TWO!")
    terminal.press("u")
    terminal.wait_for_text("NORMAL ❯ A one two TWO!")
    terminal.press("enter")
    person.wait_for_turn()
    (sent,) = world.of(UserMessageSent)
    assert sent.text == "A one two TWO!"
    terminal.wait_for_text("INSERT ❯")


def test_a_command_of_the_persons_own(world: World, serve: Serve, launch: Launch) -> None:
    settings(world, permissions={"deny": ["Bash(touch *)"]})
    server = serve(scenario_of(text_reply("One file."), text_reply("Refused.")))
    world.write("seen.txt", "x")
    terminal = launch(columns=100, rows=30)
    person = Person(terminal, world)
    terminal.type("!l")
    terminal.wait_for_text("shell ❯ !l")
    terminal.type("s s\t")
    terminal.wait_for_text("shell ❯ !ls seen.txt")
    terminal.press("enter")
    terminal.wait_for_text(r"✓ Bash ls seen\.txt.*by you")
    terminal.wait_for_text(r"^\W*seen\.txt *")
    person.wait_for_turn(2)  # the command, and the model's answer
    terminal.wait_for_text(r"One file\.")
    assert "<bash-stdout>seen.txt" in str(server.requests[0].body)
    person.say("!touch made")
    terminal.wait_for_text(r"Bash touch made.*(denie|refused)")
    assert not (world.folder / "made").exists()
    assert len(server.requests) == 1
    assert len(world.of(ReminderSent)) == 1


def test_a_command_is_stopped_and_the_draft_stays(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read.")))
    terminal = launch(columns=100, rows=30)
    person = Person(terminal, world)
    seconds = nap()
    person.say(f"!echo begun; sleep {seconds}")
    terminal.wait_for_text(r"^\W*begun")
    terminal.type("my draft")
    terminal.wait_for_text("❯ my draft")
    terminal.press("escape")
    person.wait_for_turn(1, "interrupted")
    terminal.wait_for_text("❯ my draft")
    wait_gone(*sleeping(seconds))
    assert len(world.of(ToolResultReady)) == 1
    assert world.of(TurnFinished)[0].outcome == "interrupted"


def test_what_was_sent_is_found_in_another_session(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read.")))
    sent = [
        {"text": text, "time": 1.0, "folder": str(world.folder)} for text in ("look at the totals", "something else")
    ]
    (world.state / "history.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in sent))
    terminal = launch(columns=80, rows=24)
    person = Person(terminal, world)
    begin(terminal)
    terminal.type("draft")
    terminal.wait_for_text("❯ draft")
    terminal.press("ctrl+r")
    terminal.wait_for_text("▸ something else")
    terminal.type("tot")
    terminal.wait_for_text(r"▸ look at the totals .*ago")
    terminal.press("escape")
    terminal.wait_for_no_text("search this folder")
    terminal.wait_for_text("❯ draft")
    terminal.press("ctrl+r")
    terminal.wait_for_text("search this folder")
    terminal.type("tot\r")  # in one burst
    person.wait_for_turn()
    assert world.of(UserMessageSent)[-1].text == "look at the totals"


def test_the_draft_goes_to_the_editor_and_back(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read.")))
    editor = Path(world.home, "editor")
    editor.write_text(
        "#!/bin/sh\n"
        'if grep -q more "$1"; then echo lost > "$1"; exit 3; fi\n'
        'cp "$1" "$HOME/was"; printf "%s, and more\\n\\033[31m" "$(cat "$1")" > "$1"\n'
    )
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    world.env["EDITOR"] = str(editor)
    terminal = launch(columns=80, rows=24)
    person = Person(terminal, world)
    begin(terminal)
    terminal.type("a draft")
    terminal.wait_for_text("❯ a draft")
    terminal.press("ctrl+g")
    terminal.wait_for_text("❯ a draft, and more")
    assert (world.home / "was").read_text() == "a draft\n"
    terminal.press("ctrl+x", "ctrl+e")
    terminal.wait_for_text("ended with 3")
    terminal.wait_for_text("❯ a draft, and more")
    terminal.press("enter")
    person.wait_for_turn()
    (sent,) = world.of(UserMessageSent)
    assert sent.text.startswith("a draft, and more")
    assert "\x1b" not in sent.text


def test_an_editor_that_is_not_there_leaves_the_screen(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read.")))
    world.env["EDITOR"] = "/no/such/editor --wait"
    terminal = launch(columns=80, rows=24)
    begin(terminal)
    terminal.type("a draft")
    terminal.wait_for_text("❯ a draft")
    terminal.press("ctrl+g")
    terminal.wait_for_text("/no/such/editor --wait cannot be started")
    terminal.type(", still")
    terminal.wait_for_text("❯ a draft, still")


def test_it_steps_back_into_the_shell_and_returns_with_the_draft(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read.")))
    alone = launch(columns=80, rows=24)
    begin(alone)
    alone.press("ctrl+z")
    alone.wait_for_text("there is no shell to return to")
    alone.close()
    # As behind a wrapper: a shell with job control starts a program that starts this one and waits for it.
    wrapper = f"{sys.executable} -c 'import subprocess,sys;sys.exit(subprocess.call(sys.argv[1:]))'"
    script = f'set -m; {wrapper} {sys.executable} -m tui_agent; echo "stopped: $(jobs)"; read line; fg; echo over'
    with Terminal(["bash", "--norc", "-c", script], env=world.env, cwd=world.folder, columns=80, rows=24) as terminal:
        begin(terminal)
        terminal.type("a draft")
        terminal.wait_for_text("❯ a draft")
        terminal.press("ctrl+z")
        terminal.wait_for_text("stopped: .*Stopped")
        (program,) = [
            process
            for process in psutil.Process(terminal.process.pid).children(recursive=True)
            if process.cmdline()[1:3] == ["-m", "tui_agent"]
        ]
        terminal.wait_for(lambda: program.status() == psutil.STATUS_STOPPED, "the program to stop")
        terminal.press("enter")
        terminal.wait_for_text("❯ a draft")
        terminal.type(", still")
        terminal.wait_for_text("❯ a draft, still")
        os.kill(program.pid, signal.SIGTERM)
        terminal.wait_for_text("over")
