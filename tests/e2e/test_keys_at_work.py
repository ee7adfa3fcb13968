"""Keys that a user binds, in a pseudo-terminal: by the file of another program, by their own, and while the program runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

from person import Launch, Person, Serve
from world import World, scenario_of, text_reply

from tui_agent.events import ThinkingChanged, UserMessageSent


def keys(**contexts: dict[str, str | None]) -> str:
    return json.dumps({"bindings": [{"context": name, "bindings": bindings} for name, bindings in contexts.items()]})


def own_file(world: World) -> Path:
    return world.home / ".config" / "tui-agent" / "keybindings.json"


def test_keys_are_bound_by_files_and_anew_while_the_program_runs(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read."), text_reply("Read again.")))
    theirs = world.home / ".claude" / "keybindings.json"
    theirs.parent.mkdir()
    theirs.write_text(keys(Chat={"enter": "chat:newline", "meta+enter": "chat:submit", "ctrl+u": None}))
    editor = world.write("editor.sh", f"#!/bin/sh\ncp '{world.folder}/new.json' \"$1\"\n")
    editor.chmod(0o755)
    world.write("new.json", keys(Chat={"enter": "chat:submit", "ctrl+k ctrl+t": "chat:stash", "f5": "chat:nosuch"}))
    world.env["EDITOR"] = os.fspath(editor)
    terminal = launch(columns=120, rows=30)
    person = Person(terminal, world)
    terminal.wait_for_text(r"❯ *")
    terminal.type("one\rtwo\x15\x1b\r")  # Ctrl+U is bound to nothing
    person.wait_for_turn()
    assert [message.text for message in world.of(UserMessageSent)] == ["one\ntwo"]

    terminal.type("/keybindings\x1b\r")
    terminal.wait_for_text("A key is not bound:")
    terminal.wait_for_text("no action 'chat:nosuch'")
    assert own_file(world).read_text() == (world.folder / "new.json").read_text()
    terminal.type("aside\x0b\x14")  # Ctrl+K, Ctrl+T
    terminal.wait_for_text("put aside")
    terminal.type("three\r")
    person.wait_for_turn(2)
    assert [message.text for message in world.of(UserMessageSent)] == ["one\ntwo", "three"]
    terminal.wait_for_text("❯ aside")


def test_thinking_is_switched_off_by_a_key_and_is_still_off_after_a_restart(
    world: World, serve: Serve, launch: Launch
) -> None:
    thoughts = {"block": [{"thinking": "Let me see."}, {"text": "Here it is."}]}
    server = serve(scenario_of(*[thoughts] * 3))

    def kinds() -> list[str]:
        return [exchange.body["thinking"]["type"] for exchange in server.requests]  # type: ignore[index]

    person = Person(launch(), world)
    person.say("one")
    person.wait_for_turn()
    person.terminal.wait_for_text("Thought for")
    person.terminal.type("\x1bt")
    person.terminal.wait_for_text("thinks only between tools from your next message")
    person.terminal.wait_for_text(r"sonnet-5-5 · thinking off")
    person.say("two")
    person.wait_for_turn(2)
    person.terminal.press("ctrl+d")
    assert person.terminal.wait_for_exit() == 0

    again = Person(launch("--continue"), world)
    again.terminal.wait_for_text(r"sonnet-5-5 · thinking off")
    again.say("three")
    again.wait_for_turn()
    assert kinds() == ["adaptive", "between_tools", "between_tools"]
    assert [event.is_on for event in world.of(ThinkingChanged)] == [False]
    assert [exchange.error for exchange in server.requests if exchange.status == 400] == []
