"""How long a user looks at nothing, and how long until their first key shows, against an empty app. Runs interleaved."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measuring import EMPTY_APP, Finding, Server, World, open_app, scratch, spread
from terminal import Terminal

RUNS = 9
LIMIT = 1.5
KEY = "Ж"
HEAVY = ("anthropic", "mcp")
# Notes when a module is first looked for, without importing it or slowing anything else down.
_WATCH = """
import sys, time
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in {names!r}:
            with open({log!r}, "a") as out:
                out.write(f"{{time.monotonic()}} {{name}}\\n")
        return None
sys.meta_path.insert(0, Watch())
"""


def start(open_terminal: Callable[[], Terminal]) -> tuple[float, float, float]:
    """Start a program; return seconds to the first frame, seconds to the first key's echo, and when that echo came."""
    began = time.monotonic()
    with open_terminal() as terminal:
        terminal.wait_for(lambda: terminal.screen().strip(), "a first frame")
        frame = time.monotonic()
        # The first frame may come before the program listens: a key pressed now waits in the terminal, as a person's would.
        terminal.type(KEY)
        echo = terminal.wait_for_bytes(KEY.encode())
        return frame - began, echo - began, echo


def measure() -> list[Finding]:
    """Return first frame and first key as multiples of an empty app's."""
    with scratch() as world, Server(world, "long"):
        frames: dict[str, list[float]] = {"app": [], "empty": []}
        keys: dict[str, list[float]] = {"app": [], "empty": []}
        for _ in range(RUNS):
            for name, opening in (("empty", lambda: open_empty(world)), ("app", lambda: open_app(world))):
                frame, key, _ = start(opening)
                frames[name].append(frame)
                keys[name].append(key)
        early = imported_early(world)
    findings = []
    for what, times in (("first frame", frames), ("first echoed key", keys)):
        ratio = statistics.median(times["app"]) / statistics.median(times["empty"])
        detail = f"app {spread(times['app'])}, empty {spread(times['empty'])}"
        findings.append(Finding(f"{what}, times an empty app's", ratio, LIMIT, "×", detail))
    findings.append(Finding("heavy modules imported before the first key's echo", len(early), 0, "", ", ".join(early)))
    return findings


def open_empty(world: World) -> Terminal:
    return Terminal([sys.executable, str(EMPTY_APP)], env=world.env, cwd=world.folder)


def imported_early(world: World) -> list[str]:
    """Return which heavy modules were looked for before the first key's echo."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "imports")
        Path(folder, "sitecustomize.py").write_text(_WATCH.format(names=HEAVY, log=str(log)))
        world.env["PYTHONPATH"] = folder
        _, _, echo = start(lambda: open_app(world))
        del world.env["PYTHONPATH"]
        lines = log.read_text().splitlines() if log.exists() else []
    return sorted({line.split()[1] for line in lines if float(line.split()[0]) < echo})


if __name__ == "__main__":
    print(*measure(), sep="\n")
