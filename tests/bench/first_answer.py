"""From the start to the first answer, with the message and Enter typed as soon as the program listens.

It is held against the least that this can take: importing the client's library, and starting an empty app. Runs interleaved.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from first_frame import open_empty
from measuring import Finding, Server, World, open_app, scratch, spread

RUNS = 7
LIMIT = 1.3
ANSWER = "Жж"  # in no other text on the screen
LISTENS = b"\x1b[?1004h"  # written once the terminal passes keys on as they are, long before the first frame
SCENARIO = str(Path(__file__).with_suffix(".toml"))


def measure() -> list[Finding]:
    """Return the time to the first answer as a multiple of the import's and the empty app's together."""
    answers: list[float] = []
    imports: list[float] = []
    empties: list[float] = []
    with scratch() as world, Server(world, SCENARIO, answer=ANSWER):
        for _ in range(RUNS):
            imports.append(import_time(world))
            empties.append(empty_time(world))
            answers.append(answer_time(world))
    least = statistics.median(imports) + statistics.median(empties)
    detail = f"app {spread(answers)}, import {spread(imports)}, empty app {spread(empties)}"
    return [Finding("first answer, times import and empty app", statistics.median(answers) / least, LIMIT, "×", detail)]


def import_time(world: World) -> float:
    """Return the seconds that a process takes to import the client's library."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import anthropic"], env=world.env, cwd=world.folder, check=True)
    return time.monotonic() - began


def empty_time(world: World) -> float:
    """Return the seconds from the start of an empty app to its first frame."""
    began = time.monotonic()
    with open_empty(world) as terminal:
        terminal.wait_for(lambda: terminal.screen().strip(), "a first frame")
        return time.monotonic() - began


def answer_time(world: World) -> float:
    """Return the seconds from the start of the program to the first answer's first letters."""
    began = time.monotonic()
    with open_app(world, is_drawn=False) as app:
        app.wait_for_bytes(LISTENS)  # before, Enter would be no more than a line break
        app.type("Say it.")
        app.press("enter")
        return app.wait_for_bytes(ANSWER.encode()) - began


if __name__ == "__main__":
    print(*measure(), sep="\n")
