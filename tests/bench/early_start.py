"""How soon a tool runs after its block is complete in the stream, while the reply goes on for five more seconds.

The server notes when it sent each block's end, the journal when each tool began: one machine, one monotonic clock.
"""

from __future__ import annotations

from pathlib import Path

from measuring import Finding, Server, open_app, scratch, wait_quiet

from tui_agent.events import ToolStateChanged, TurnFinished

LIMIT_MS = 50.0
SCENARIO = str(Path(__file__).with_suffix(".toml"))


def measure() -> list[Finding]:
    """Return the slowest start, without a screen and in the app."""
    return [
        Finding(f"start of a tool after its block's end, {name}", max(delays), LIMIT_MS, "ms", shown(delays))
        for name, delays in (("headless", headless()), ("in the app", in_the_app()))
    ]


def headless() -> list[float]:
    with scratch() as world, Server(world, SCENARIO, pace=1) as server:
        done = world.run("-p", "go", "--dangerously-skip-permissions", timeout=60)
        assert done.returncode == 0, done.stderr
        return delays_of(server, world.of(ToolStateChanged))


def in_the_app() -> list[float]:
    with scratch() as world, Server(world, SCENARIO, pace=1) as server:
        with open_app(world, "--dangerously-skip-permissions") as app:
            app.wait_for(lambda: app.screen().strip(), "a first frame")
            wait_quiet(app)
            app.type("go")
            app.press("enter")
            app.wait_for(lambda: world.has(TurnFinished), "the end of the turn")
        return delays_of(server, world.of(ToolStateChanged))


def delays_of(server: Server, moves: list[ToolStateChanged]) -> list[float]:
    """Return milliseconds from each tool block's end to its tool's start; the reply must still have been going on then."""
    blocks = server.exchanges()[0]["blocks"]
    ends = {block["tool_use_id"]: block["stopped_ms"] for block in blocks if block["tool_use_id"]}
    starts = {move.tool_use_id: move.monotonic_ms for move in moves if move.to_state == "executing"}
    assert ends.keys() == starts.keys()
    assert all(start < blocks[-1]["stopped_ms"] - 4000 for start in starts.values()), (
        "a tool waited for the reply's end"
    )
    return [starts[use] - ends[use] for use in ends]


def shown(delays: list[float]) -> str:
    return "each " + ", ".join(f"{delay:.1f}" for delay in delays) + " ms"


if __name__ == "__main__":
    print(*measure(), sep="\n")
