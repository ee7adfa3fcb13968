"""The window changes its size while the answer comes in: whatever the size, the screen is whole, and right at the end."""

from __future__ import annotations

import time

from person import Launch, Person, Serve
from world import World, scenario_of, text_reply

PARAGRAPH = "Rounding too early costs a cent here and there, and nobody sees where it went until the books are closed. "
ANSWER = (
    "\n\n".join(f"{number}. {PARAGRAPH * 2}" for number in range(1, 9)) + "\n\n```python\nx = 1\n```\n\nThat is all."
)
SIZES = [(60, 20), (250, 70), (80, 24), (109, 30), (110, 30), (40, 12), (120, 40)]


def test_a_window_that_is_resized_while_the_answer_streams(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply(ANSWER, pace={"delta_bytes": 12, "delay_ms": 6})), pace=1.0)
    person = Person(launch(columns=100, rows=30), world)
    terminal = person.terminal
    person.say("Tell me.")
    terminal.wait_for_text("Rounding too early")
    for columns, rows in SIZES:
        start = terminal.size
        terminal.resize(columns, rows)
        # More of the answer has come in, drawn for this size, with the prompt and the keys in their places below it.
        terminal.wait_for(lambda start=start: terminal.size > start + 500, f"something new at {columns}x{rows}")
        terminal.wait_for(
            lambda rows=rows: "❯" in "\n".join(terminal.screen().split("\n")[-4:]) and "help" in terminal.screen(),
            f"the prompt at {columns}x{rows}",
        )
    person.wait_for_turn()
    terminal.wait_for_text(r"That is all[\s\S]*\d\.\ds")
    terminal.wait_for(lambda: "interrupt" not in terminal.screen(), "the turn's end on the screen")
    # Nothing turns or counts any more: what is there once no more comes is the whole screen.
    terminal.wait_for(lambda: time.monotonic() > terminal.last_arrival + 0.5, "the last frame")
    last = terminal.screen()
    terminal.resize(60, 20)
    terminal.wait_for(lambda: terminal.screen() != last and "That is all" in terminal.screen(), "the smaller window")
    terminal.resize(*SIZES[-1])
    terminal.wait_for(lambda: terminal.screen() == last, "the same screen as before")
