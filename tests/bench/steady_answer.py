"""An answer at the speed of a model, a hundred deltas a second: which share of a core it takes."""

from __future__ import annotations

import time
from pathlib import Path

from long_answer import submit_when_ready
from measuring import Finding, Server, cpu_seconds, open_app, scratch

SCENARIO = str(Path(__file__).with_suffix(".toml"))
SECONDS = 15.0
SHARE_LIMIT = 10.0  # per cent of one core


def measure() -> list[Finding]:
    """Return the processor time while the answer streams, as a share of the time that passes."""
    with scratch() as world, Server(world, SCENARIO, pace=1.0), open_app(world, is_drawn=False) as app:
        submit_when_ready(app)
        app.press("enter")
        written, begun = app.size, time.monotonic()
        app.wait_for(lambda: app.size > written + 5_000 and time.monotonic() > begun + 1.0, "the answer to stream")

        size, used, since = app.size, cpu_seconds(app.process.pid), time.monotonic()
        app.wait_for(lambda: time.monotonic() >= since + SECONDS, "the time to pass", SECONDS + 10)
        share = (cpu_seconds(app.process.pid) - used) / (time.monotonic() - since) * 100
        assert app.size > size + 20_000, "nothing streamed while it was measured"
        detail = f"{(app.size - size) / 1000 / SECONDS:.1f} KB a second written"
    return [Finding("processor at 100 deltas a second", share, SHARE_LIMIT, "%", detail)]


if __name__ == "__main__":
    print(*measure(), sep="\n")
