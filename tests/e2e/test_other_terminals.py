"""What the program asks the terminal that it runs in, and what comes of the answers."""

from __future__ import annotations

import json

from person import Launch, Person, Serve
from terminal import Terminal
from world import World, scenario_of, text_reply

from tui_agent.events import UserMessageSent


def test_the_theme_auto_goes_by_the_ground_that_the_terminal_tells(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of())
    settings = world.home / ".config" / "tui-agent" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"theme": "auto"}))
    terminal = launch()
    terminal.wait_for_bytes(b"\x1b]11;?\x1b\\")
    terminal.type("before")
    terminal.write("\x1b]11;rgb:fafa/fafa/fafa\x1b\\")
    terminal.type(" and after")
    terminal.wait_for_text("❯ before and after")
    terminal.wait_for(lambda: terminal.cells()[0][0].bg == "fbfaf8", "the light theme")


def test_sixteen_colours_are_those_for_the_terminals_own_ground(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of())
    world.env["TERM"] = "xterm"
    del world.env["COLORTERM"]
    terminal = launch()
    terminal.wait_for(lambda: "brightblack" in colours(terminal), "lines for a dark ground")
    terminal.write("\x1b]11;rgb:ffff/ffff/ffff\x07")
    terminal.wait_for(lambda: {"white", "brightblack"} & colours(terminal) == {"white"}, "lines for a light ground")


def colours(terminal: Terminal) -> set[str]:
    return {cell.fg for line in terminal.cells() for cell in line}


def test_xterm_is_asked_to_tell_keys_with_modifiers_apart(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Read.")))
    world.env["XTERM_VERSION"] = "XTerm(379)"
    terminal = launch()
    person = Person(terminal, world)
    assert b"\x1b[>4;1m" in terminal.raw
    terminal.type("one")
    terminal.write("\x1b[27;2;13~")  # Shift+Enter
    terminal.type("two")
    terminal.press("enter")
    person.wait_for_turn()
    assert [message.text for message in world.of(UserMessageSent)] == ["one\ntwo"]
    terminal.press("ctrl+q")
    terminal.wait_for_exit()
    assert terminal.raw.rindex(b"\x1b[>4m\x1b[?1036r") > terminal.raw.rindex(b"\x1b[>4;1m")
