"""What it costs to find a file by a few letters among 100,000: the first results, further letters, and making the list."""

from __future__ import annotations

import random
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Final

from measuring import Finding

from tui_agent.ui.prompting.file_index import FileIndex, Narrowed

FILES: Final = 100_000
FOLDERS: Final = 8_000
RUNS: Final = 5
LIMIT_MS: Final = 50.0
BUILD_MS: Final = 500.0
MOST_MB: Final = 40.0
TYPED: Final = ("refund", "prompt", "seitno", "ptx", "rfnd9", "cart/ref", "zzz")
WORDS: Final = (
    "core", "cart", "refund", "total", "user", "account", "session", "prompt", "widget", "view", "model", "test",
    "util", "helper", "index", "parser", "render", "stream", "token", "agent", "tool", "search", "file", "path",
    "config", "setting", "theme", "editor", "history", "worker", "queue", "event", "bus", "journal", "mention",
    "attach", "chip",
)  # fmt: skip


def measure() -> list[Finding]:
    """Return the processor time of searches, of making the list, and the memory that it takes."""
    paths = make_paths()
    index = FileIndex(paths)
    first = {letters[0]: cost(index, letters[0]) for letters in TYPED}
    at_once = {letters: cost(index, letters) for letters in TYPED}
    further = {letters: slowest_key(index, letters) for letters in TYPED}
    build = median(lambda: FileIndex(paths))
    return [
        dearest("the first letter among 100,000 files", first),
        dearest("several letters at once", at_once),
        dearest("the dearest of several keys", further),
        Finding("making the list of 100,000 files", build, BUILD_MS, "ms"),
        Finding("memory of the list", memory(paths), MOST_MB, "MB", "besides the names as git gave them"),
    ]


def dearest(name: str, costs: dict[str, float]) -> Finding:
    letters = max(costs, key=lambda letters: costs[letters])
    return Finding(name, costs[letters], LIMIT_MS, "ms", f"for {letters!r}")


def make_paths() -> list[str]:
    """Return as many paths of files, as a large repository has them."""
    chance = random.Random(1)

    def folder() -> str:
        ends = ("", "s", f"_{chance.choice(WORDS)}", f"-{chance.randint(1, 99)}")
        return "/".join(chance.choice(WORDS) + chance.choice(ends) for _ in range(chance.randint(1, 6)))

    folders = [folder() for _ in range(FOLDERS)]
    endings = ("py", "ts", "tsx", "go", "rs", "md", "json", "css")
    found: dict[str, None] = {}
    while len(found) < FILES:
        name = f"{chance.choice(WORDS)}_{chance.choice(WORDS)}{chance.randint(0, 9999)}.{chance.choice(endings)}"
        found[f"{chance.choice(folders)}/{name}"] = None
    return sorted(found)


def cost(index: FileIndex, letters: str) -> float:
    """Return the milliseconds of one search."""
    return median(lambda: index.search(letters, 50))


def median(run: Callable[[], object]) -> float:
    costs = []
    for _ in range(RUNS):
        began = time.process_time()
        run()
        costs.append((time.process_time() - began) * 1000)
    return statistics.median(costs)


def slowest_key(index: FileIndex, letters: str) -> float:
    """Return the cost of the dearest key when letters are typed one after the other."""

    def typed() -> list[float]:
        narrowed: Narrowed | None = None
        costs = []
        for end in range(1, len(letters) + 1):
            began = time.process_time()
            _, narrowed = index.search(letters[:end], 50, within=narrowed)
            costs.append((time.process_time() - began) * 1000)
        return costs

    return max(map(statistics.median, zip(*(typed() for _ in range(RUNS)), strict=True)))


def memory(paths: list[str]) -> float:
    """Return the megabytes that a list holds besides the paths it was made of."""
    tracemalloc.start()
    index = FileIndex(paths)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(index) > FILES
    return held / 1e6
