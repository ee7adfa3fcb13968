"""Record the demo's sessions anew: `python tests/snapshots/recordings/record.py [NAME …]`.

The real program runs in a terminal against the embedded server; what it does to a real copy of the sample project is real, and
the journal it leaves is the recording. Folders get a name that says nothing about this machine, clocks start at a fixed time.
Pictures are drawn from these files, so that they change only when the app does.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "e2e"), str(HERE.parents[1] / "support")]

from person import Person  # noqa: E402
from terminal import Terminal  # noqa: E402
from world import World  # noqa: E402

from tui_agent.model.demo.scenario_file import find_scenario  # noqa: E402
from tui_agent.model.demo.thread import start_in_thread  # noqa: E402

HOME, SHOP = "/home/you", "/home/you/shop"
BEGAN = 1_780_000_000.0  # seconds since the epoch
STARTED_MS = 1000.0
SLOWEST_MS = (
    900.0  # between two events while nobody is asked and no command runs: a busy machine is no part of the session
)


def fix(person: Person, prompt: str) -> None:
    """A bug is fixed: tests are allowed, the edit is taken, the tests run again."""
    person.say(prompt)
    person.answer(r"python3 -m unittest[\s\S]*Yes, once", "1")
    person.answer(r"undecided", "A", "enter")
    person.answer(r"python3 -m unittest[\s\S]*Yes, once", "1")
    person.wait_for_turn(1)


def explore(person: Person, prompt: str) -> None:
    """A project is explored, with many tools side by side, in two turns."""
    person.say(prompt)
    person.wait_for_turn(1)
    person.say("look at the refunds")
    person.wait_for_turn(2)


PLAYS: dict[str, Callable[[Person, str], None]] = {"fix": fix, "explore": explore}


def record(name: str) -> None:
    """Play a scenario and keep its journal."""
    scenario = find_scenario(name)
    with tempfile.TemporaryDirectory() as folder:
        world = World.make(Path(folder))
        world.use_sample_project()
        server = start_in_thread(scenario, variables={"cwd": str(world.folder)}, pace=1.0)
        world.env["ANTHROPIC_BASE_URL"] = server.base_url
        try:
            with Terminal([sys.executable, "-m", "tui_agent"], env=world.env, cwd=world.folder) as terminal:
                person = Person(terminal, world)
                PLAYS[name](person, scenario.prompt)
                terminal.press("ctrl+q")
                terminal.wait_for(lambda: terminal.process.poll() is not None, "the end of the program")
        finally:
            server.stop()
        lines = world.journals()[-1].read_text(encoding="utf-8").splitlines()
        kept = made_placeless(lines, name, str(world.folder), str(world.home), folder)
    (HERE / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def made_placeless(lines: list[str], name: str, folder: str, home: str, root: str) -> list[str]:
    """Return the journal's lines without what only this machine and this moment know."""
    events: list[dict[str, Any]] = []
    for line in lines:
        text = line.replace(folder, SHOP).replace(home, HOME).replace(root, HOME)
        events.append(json.loads(text))
    session = events[0]["session_id"]
    now, last = STARTED_MS, events[0]["monotonic_ms"]
    turn_began = now
    kept: list[str] = []
    for event in events:
        now += min(max(0.0, event["monotonic_ms"] - last), SLOWEST_MS)
        last = event["monotonic_ms"]
        event["monotonic_ms"] = round(now, 1)
        if event["type"] == "turn_started":
            turn_began = now
        elif event["type"] == "turn_finished":
            event["duration_ms"] = round(now - turn_began, 1)
        event["time"] = round(BEGAN + now / 1000, 3)
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":")).replace(session, f"demo-{name}")
        kept.append(re.sub(r'"version":"[^"]*"', '"version":"0"', text))
    return kept


if __name__ == "__main__":
    for wanted in sys.argv[1:] or list(PLAYS):
        record(wanted)
