"""A conversation of 10,000 blocks beside one of 100: opening, pages and jumps, keys, a resize, memory. Runs interleaved.

The journals are made here; the real program takes them up by `--resume`. Times of the clock tell little on a busy machine, so
each is told beside the same at 100 blocks, and beside the processor time that it took.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import psutil
from long_answer import LETTERS, has_ended
from long_journal import write_journal
from measuring import Finding, Server, World, cpu_seconds, open_app, percentile, scratch, spread, wait_quiet
from terminal import Terminal

SIZES = (100, 10_000)
OPENINGS = 3
ANSWER_BYTES = 400_000
PAGES = 40
RESIZES = 6
ECHOES = 30
OPEN_LIMIT_S = 1.0
PAGE_LIMIT_MS = 30.0
ECHO_LIMIT_MS = 20.0
RESIZE_LIMIT_MS = 100.0
MEMORY_LIMIT_MB = 200.0
RATIO_LIMIT = 1.3
_REST_S = 0.12  # without output, after which a frame counts as whole


@dataclass
class Run:
    """What was measured at one size: seconds, but `memory` in megabytes."""

    frames: list[float] = field(default_factory=list)  # from the start to the first frame
    opened: list[float] = field(default_factory=list)  # from the start to the end of the conversation
    pages: list[float] = field(default_factory=list)
    jumps: list[float] = field(default_factory=list)
    echoes: list[float] = field(default_factory=list)
    streamed: list[float] = field(default_factory=list)  # echoes while an answer streams
    resizes: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)  # processor time of a page or a jump
    memory: float = 0.0


def measure() -> list[Finding]:
    """Return each figure of 10,000 blocks with its limit, and as a multiple of the same at 100."""
    runs = {size: Run() for size in SIZES}
    with scratch() as world:
        for size in SIZES:
            write_journal(world.state / "sessions" / "x-1" / name_of(size) / "journal.jsonl", size, world.folder)
        for _ in range(OPENINGS):
            for size in SIZES:
                with open_app(world, "--resume", name_of(size)) as app:
                    note_opening(app, runs[size])
        for size in SIZES:
            with Server(world, "long", bytes=ANSWER_BYTES), open_app(world, "--resume", name_of(size)) as app:
                note_opening(app, runs[size])
                wait_until_idle(app)
                use(world, app, runs[size])
            with open_app(world, "--resume", name_of(size), is_drawn=False) as app:
                # Not drawn here: to draw a screen or two takes this process longer than writing them takes the program.
                wait_until_idle(app)
                for number in range(RESIZES):
                    columns = 100 if number % 2 == 0 else 120
                    runs[size].resizes.append(until_drawn(app, lambda columns=columns: app.resize(columns, 40)))  # type: ignore[misc]
    small, large = runs[SIZES[0]], runs[SIZES[1]]
    return [*absolute(large), *ratios(small, large)]


def absolute(run: Run) -> list[Finding]:
    """Return the figures that have a limit of their own."""
    waits = [opened - frame for opened, frame in zip(run.opened, run.frames, strict=True)]

    def p95(what: str, values: list[float], limit: float) -> Finding:
        return Finding(f"10,000 blocks: {what}, p95", percentile(values, 0.95) * 1000, limit, "ms", spread(values))

    return [
        Finding(
            "10,000 blocks: from the first frame to the conversation",
            statistics.median(waits), OPEN_LIMIT_S, "s", spread(waits),
        ),
        p95("a page", run.pages, PAGE_LIMIT_MS),
        p95("a jump", run.jumps, PAGE_LIMIT_MS),
        p95("echo of a key", run.echoes, ECHO_LIMIT_MS),
        p95("echo while an answer streams", run.streamed, ECHO_LIMIT_MS),
        p95("a resize", run.resizes, RESIZE_LIMIT_MS),
        Finding("10,000 blocks: memory", run.memory, MEMORY_LIMIT_MB, "MB"),
    ]  # fmt: skip


def ratios(small: Run, large: Run) -> list[Finding]:
    """Return the figures of many blocks as multiples of those of few."""

    def times(what: str, of: Callable[[Run], list[float]]) -> Finding:
        few, many = statistics.median(of(small)), statistics.median(of(large))
        detail = f"{few * 1000:.1f} and {many * 1000:.1f} ms"
        return Finding(f"{what}, times that of 100 blocks", many / few, RATIO_LIMIT, "×", detail)

    memory = Finding(
        "memory, times that of 100 blocks", large.memory / small.memory, RATIO_LIMIT, "×", f"{small.memory:.0f} MB"
    )
    return [
        times("start to conversation", lambda run: run.opened),
        times("a page or a jump", lambda run: [*run.pages, *run.jumps]),
        times("processor time of a page or a jump", lambda run: run.work),
        times("echo of a key", lambda run: run.echoes),
        times("echo while an answer streams", lambda run: run.streamed),
        times("a resize", lambda run: run.resizes),
        memory,
    ]


def name_of(size: int) -> str:
    return f"bench-{size}"


def note_opening(app: Terminal, run: Run) -> None:
    """Note how long it took since the program was started."""
    app.wait_for(lambda: app.screen().strip(), "a first frame")
    run.frames.append(time.monotonic() - app.started)
    app.wait_for_text(r"Bash pytest -q tests/test_order_\d+\.py · ")
    run.opened.append(time.monotonic() - app.started)


def wait_until_idle(app: Terminal) -> None:
    """Wait until the program has read all of the journal and has nothing left to do."""
    used, since = 0.0, time.monotonic()

    def is_idle() -> bool:
        nonlocal used, since
        now = cpu_seconds(app.process.pid)
        if now > used + 0.02:
            used, since = now, time.monotonic()
        return time.monotonic() - since > 2

    app.wait_for(is_idle, "the program to have nothing left to do")


def use(world: World, app: Terminal, run: Run) -> None:
    pid = app.process.pid
    run.echoes += echoes(app, LETTERS[:ECHOES])
    app.press("ctrl+u")
    wait_quiet(app, 0.5)
    app.press("tab")
    wait_quiet(app, 0.5)
    app.press("end")
    wait_quiet(app, 0.5)
    for number in range(PAGES):
        before = cpu_seconds(pid)
        key = "pageup" if number // 4 % 2 == 0 else "pagedown"  # the short conversation has a few pages only
        run.pages.append(until_drawn(app, lambda key=key: app.press(key)))  # type: ignore[misc]
        run.work.append(cpu_seconds(pid) - before)
    for number in range(PAGES):
        before = cpu_seconds(pid)
        key = ("home", "end", "[", "[")[number % 4]
        run.jumps.append(until_drawn(app, lambda key=key: app.press(key)))  # type: ignore[misc]
        run.work.append(cpu_seconds(pid) - before)
    app.press("escape")
    wait_quiet(app, 0.5)
    app.type("Tell me everything about rounding.")
    wait_quiet(app, 0.5)
    recorded = world.journals()[-1].stat().st_size
    app.press("enter")
    written = app.size
    app.wait_for(lambda: app.size > written + 10_000, "the answer to stream")

    def is_over() -> bool:
        grown = world.journals()[-1].stat().st_size - recorded
        return grown > ANSWER_BYTES and has_ended(world)

    run.streamed += echoes(app, LETTERS[ECHOES : 2 * ECHOES], until=is_over)
    app.wait_for(is_over, "the end of the turn")
    run.memory = psutil.Process(pid).memory_info().rss / 1_000_000


def echoes(app: Terminal, letters: list[str], until: Callable[[], bool] = lambda: False) -> list[float]:
    """Return the seconds from each key to its echo."""
    found: list[float] = []
    for letter in letters:
        if until():
            break
        start, pressed = app.size, time.monotonic()
        app.type(letter)
        found.append(app.wait_for_bytes(letter.encode(), start) - pressed)
    return found


def until_drawn(app: Terminal, act: Callable[[], None]) -> float:
    """Return the seconds from an act to the last byte of what it made the program draw."""
    start, began = app.size, time.monotonic()
    act()
    app.wait_for(lambda: app.size > start, "something drawn")
    wait_quiet(app, _REST_S)
    arrived: float = app.last_arrival
    return arrived - began


if __name__ == "__main__":
    print(*measure(), sep="\n")
