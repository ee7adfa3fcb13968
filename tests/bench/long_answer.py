"""A long answer in Markdown at full speed, 20 bytes a delta: processor time, how it grows, and keys meanwhile."""

from __future__ import annotations

import statistics
import time

from measuring import Finding, Server, World, cpu_seconds, open_app, percentile, scratch, wait_quiet
from terminal import Terminal

from tui_agent.events import AssistantMessageCompleted

PROMPT = "Tell me everything about rounding."
RUNS = 3
CPU_LIMIT_S = 2.5
GROWTH_LIMIT = 2.3
ECHO_LIMIT_MS = 50.0
# Letters that are in no sample text, so that their bytes in the output are the echo and nothing else.
LETTERS = [chr(code) for code in (*range(0x430, 0x450), *range(0x10D0, 0x10F1), *range(0x561, 0x587))]


def measure() -> list[Finding]:
    """Return the cost of 200 KB and of 400 KB beyond a reply of nothing, and the echo of keys during 200 KB."""
    with scratch() as world:
        runs = [[cost_of(world, size) for size in (1, 200_000, 400_000)] for _ in range(RUNS)]
        nothing, half, whole = (statistics.median(times) for times in zip(*runs, strict=True))
        half, whole = half - nothing, whole - nothing
        echoes = echoes_during(world, 200_000)
    p95 = percentile(echoes, 0.95) * 1000
    return [
        Finding(
            "processor time of 200 KB beyond an empty reply", half, CPU_LIMIT_S, "s", f"empty reply {nothing:.2f} s"
        ),
        Finding("processor time of 400 KB, times that of 200 KB", whole / half, GROWTH_LIMIT, "×", f"{whole:.2f} s"),
        Finding(
            "echo of keys meanwhile, p95",
            p95,
            ECHO_LIMIT_MS,
            "ms",
            f"{len(echoes)} keys, worst {max(echoes) * 1000:.0f}",
        ),
    ]


def cost_of(world: World, size: int) -> float:
    """Return the processor seconds from sending the message until the screen is quiet again."""
    with Server(world, "long", bytes=size), open_app(world, is_drawn=False) as app:
        submit_when_ready(app)
        before = cpu_seconds(app.process.pid)
        app.press("enter")
        wait_for_end(world, app)
        used = cpu_seconds(app.process.pid) - before
    answer = world.of(AssistantMessageCompleted)[-1].content[0]["text"]
    assert len(answer.encode()) == size, "the measured answer is not the whole one"
    return used


def echoes_during(world: World, size: int) -> list[float]:
    """Return the seconds from each key to its echo while the answer streams."""
    found: list[float] = []
    with Server(world, "long", bytes=size), open_app(world, is_drawn=False) as app:
        submit_when_ready(app)
        app.press("enter")
        written = app.size
        app.wait_for(lambda: app.size > written + 10_000, "the answer to stream")
        for letter in LETTERS:
            if has_ended(world):
                break
            start, pressed = app.size, time.monotonic()
            app.type(letter)
            found.append(app.wait_for_bytes(letter.encode(), start) - pressed)
    return found


def submit_when_ready(app: Terminal) -> None:
    """Type the message once the program has settled, its imports in the background included."""
    app.wait_for(lambda: app.size, "a first frame")
    wait_quiet(app, 2.0)
    used, since = 0.0, time.monotonic()

    def is_idle() -> bool:
        nonlocal used, since
        now = cpu_seconds(app.process.pid)
        if now > used + 0.02:
            used, since = now, time.monotonic()
        return time.monotonic() - since > 1.5

    app.wait_for(is_idle, "the program to have nothing left to do")
    app.type(PROMPT)
    wait_quiet(app, 0.5)


def has_ended(world: World) -> bool:
    """Whether the newest journal says that the turn is over, by its last few kilobytes."""
    journals = world.journals()
    if not journals:
        return False
    with journals[-1].open("rb") as file:
        file.seek(max(0, journals[-1].stat().st_size - 4096))
        return b'"turn_finished"' in file.read()


def wait_for_end(world: World, app: Terminal) -> None:
    app.wait_for(lambda: has_ended(world), "the end of the turn")
    wait_quiet(app, 0.5)


if __name__ == "__main__":
    print(*measure(), sep="\n")
