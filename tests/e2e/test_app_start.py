"""What a person does while the full-screen program is still starting."""

from __future__ import annotations

import json

import pytest
from person import Launch, Serve
from terminal import Terminal
from world import World, scenario_of, text_reply

from tui_agent.events import TurnFinished, UserMessageSent

LISTENS = b"\x1b[?1004h"  # written once the terminal passes keys on as they are, long before the first frame


@pytest.mark.fresh_start
def test_a_message_typed_before_the_first_frame_is_sent_whole(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Good morning.")))
    terminal = launch()
    terminal.wait_for_bytes(LISTENS)
    terminal.type("Are you up already?")
    terminal.press("enter")
    terminal.wait_for(lambda: world.has(TurnFinished), "the end of the turn")
    assert [message.text for message in world.of(UserMessageSent)] == ["Are you up already?"]


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
    terminal.wait_for(lambda: "white" in colours(terminal), "lines for a light ground")
    assert "brightblack" not in colours(terminal)


def colours(terminal: Terminal) -> set[str]:
    return {cell.fg for line in terminal.cells() for cell in line}
