"""What the program does while nobody does anything: nothing."""

from __future__ import annotations

import time

from first_frame import open_empty
from measuring import Finding, Server, cpu_seconds, open_app, scratch, wait_quiet
from terminal import Terminal

SECONDS = 20.0
CORE_SHARE = 0.001  # of one core, beyond an empty app


def measure() -> list[Finding]:
    """Return bytes written and processor time used while idle."""
    # Both at once, so that both meet the same machine.
    with scratch() as world, Server(world, "long"), open_app(world) as app, open_empty(world) as empty:
        app.wait_for(lambda: app.screen().strip(), "a first frame")
        for terminal in (app, empty):
            wait_quiet(terminal, 2.0)
        written, used = app.size, (used_by(app), used_by(empty))
        until = time.monotonic() + SECONDS
        app.wait_for(lambda: time.monotonic() >= until, "the time to pass", SECONDS + 10)
        app_share = (used_by(app) - used[0]) / SECONDS
        empty_share = (used_by(empty) - used[1]) / SECONDS
        more = app.size - written
    detail = f"app {app_share:.5f}, empty {empty_share:.5f} of a core over {SECONDS:.0f} s"
    return [
        Finding("bytes written while idle", more, 0, "B"),
        Finding(
            "processor while idle, beyond an empty app", (app_share - empty_share) * 100, CORE_SHARE * 100, "%", detail
        ),
    ]


def used_by(terminal: Terminal) -> float:
    return cpu_seconds(terminal.process.pid)


if __name__ == "__main__":
    print(*measure(), sep="\n")
