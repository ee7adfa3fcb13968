"""Somebody at the terminal: sends messages, answers questions once the screen takes answers, waits for turns to end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from terminal import Terminal
from world import World

from tui_agent.events import PermissionRequested, PermissionResolved, TurnFinished
from tui_agent.model.demo.thread import ServerThread

__all__ = ["Launch", "Person", "Serve"]

# What the fixtures of these names give: a function that starts the program, one that starts a server for a scenario.
Launch = Callable[..., Terminal]
Serve = Callable[..., ServerThread]

# A question takes no keys for 350 ms after it came up; a person needs longer than that to read it.
READING_S = 0.5


class Person:
    """A person who uses the program in `terminal`, in `world`."""

    def __init__(self, terminal: Terminal, world: World) -> None:
        self.terminal = terminal
        self.world = world
        self._turns = len(world.of(TurnFinished))
        terminal.wait_for(lambda: terminal.screen().strip(), "a first frame")

    def say(self, text: str) -> None:
        """Type a message and send it."""
        self.terminal.type(text)
        self.terminal.press("enter")

    def finished(self) -> list[TurnFinished]:
        """Return the turns that ended since this person came."""
        return list(self.world.of(TurnFinished))[self._turns :]

    def wait_for_turn(self, number: int = 1, outcome: str = "done") -> TurnFinished:
        """Wait until so many turns have ended, and check how the last of them did."""
        self.terminal.wait_for(lambda: len(self.finished()) >= number, f"the end of turn {number}")
        turn = self.finished()[number - 1]
        assert turn.outcome == outcome, f"{turn}\n{self.terminal.screen()}"
        return turn

    def wait_for_question(self, pattern: str) -> None:
        """Wait for a question on the screen, and until it takes keys."""
        self.terminal.wait_for_text(pattern)
        seen = time.monotonic()
        self.terminal.wait_for(lambda: time.monotonic() - seen > READING_S, "the question to take keys")

    def answer(self, pattern: str, *keys: str) -> None:
        """Wait for a question, answer it with these keys, and wait until the answer has counted.

        On a busy machine the question may still have been deaf: like a user, press the last key again then.
        """
        self.wait_for_question(pattern)
        settled = len(self.world.of(PermissionResolved))  # now that it is seen: the answer before it may just have come
        self.terminal.press(*keys)
        pressed = time.monotonic()

        def has_counted() -> bool:
            nonlocal pressed
            if len(self.world.of(PermissionResolved)) > settled:
                return True
            if time.monotonic() - pressed > 2 and re.search(pattern, self.terminal.screen()):
                self.terminal.press(keys[-1])
                pressed = time.monotonic()
            return False

        self.terminal.wait_for(has_counted, f"an answer to /{pattern}/")
        self.terminal.wait_for_no_text(pattern)

    def press_until(self, pattern: str, key: str) -> None:
        """Press a key, again where a busy machine did not take it, until the screen shows what it leads to."""
        pressed = 0.0

        def is_shown() -> bool:
            nonlocal pressed
            if re.search(pattern, self.terminal.screen()):
                return True
            if time.monotonic() - pressed > 2:
                self.terminal.press(key)
                pressed = time.monotonic()
            return False

        self.terminal.wait_for(is_shown, f"text /{pattern}/ after {key}")

    def decide_on_trust(self, key: str) -> None:
        """Wait for the question of trust and answer it; again where a busy machine did not take the key."""
        self.wait_for_question("(?i)do you trust")
        pressed = 0.0

        def is_over() -> bool:
            nonlocal pressed
            if not re.search("(?i)do you trust", self.terminal.screen()):
                return True
            if time.monotonic() - pressed > 2:
                self.terminal.press(key)
                pressed = time.monotonic()
            return False

        self.terminal.wait_for(is_over, "the end of the question of trust")

    def open_questions(self) -> int:
        """Return how many questions wait, by the journal."""
        return len(self.world.of(PermissionRequested)) - len(self.world.of(PermissionResolved))
