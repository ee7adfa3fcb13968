"""What a user does while the full-screen program is still starting."""

from __future__ import annotations

import pytest
from person import Launch, Serve
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
