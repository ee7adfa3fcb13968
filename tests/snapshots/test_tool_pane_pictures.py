"""The tool pane in every state there is, with its tree, details, filter, a long wait and earlier turns; and a replay's foot."""

from __future__ import annotations

from typing import Any

import pytest
from pictures import Album, Stage, settle, staged
from recording import CHANGE, DIFF, EDIT, GREP, READ, TESTS, Recording, fix_a_bug

from tui_agent import events as ev
from tui_agent.ui.replay.app import ReplayApp
from tui_agent.ui.replay.player import Player

SIZES = [(80, 24), (120, 40), (200, 60)]


def all_states() -> Recording:
    """Two turns that are over, then one in which every state stands, with a subagent's tools as children."""
    log = fix_a_bug()
    log.wait(4000)
    log.begin("What else is there?", "t2")
    log.reply("a7")
    for tool, name, data in (("p1", "Grep", GREP), ("p2", "Read", READ)):
        log.use(tool, name, data)
        log.execute(tool)
    log.wait(300)
    log.result("p1", "Grep", "Pattern is no regular expression", error="validation", ms=300)
    log.result("p2", "Read", "", {}, ms=300)
    log.end_reply("a7")
    log.finish(turn="t2")
    log.wait(9000)
    log.begin("Look around, run the tests, and put it right.", "t3")
    log.reply("a8")
    log.use("s1", "Agent", {"prompt": "Who uses the refunds?", "description": "Find users of refunds"})
    log.execute("s1")
    for tool, name, data in (("s2", "Grep", GREP), ("s3", "Read", READ)):
        log.say(ev.ToolUseStarted(tool_use_id=tool, name=name, turn_id="t3", parent_tool_use_id="s1"))
        log.say(ev.ToolUseCompleted(tool_use_id=tool, name=name, input=data))
        log.say(ev.ToolStateChanged(tool_use_id=tool, from_state="new", to_state="queued"))
        log.execute(tool)
        log.wait(350)
    log.result("s2", "Grep", "6 matches", {}, ms=350)
    log.use("w1", "Read", {"file_path": "/home/dev/src/shop/README.md"})
    log.execute("w1")
    log.wait(120)
    log.say(ev.ToolStageEnded(tool_use_id="w1", stage="validate", outcome="ok", ms=0.4))
    log.say(ev.ToolStageEnded(tool_use_id="w1", stage="pre_hooks", outcome="ok", ms=84))
    log.say(ev.ToolStageEnded(tool_use_id="w1", stage="call", outcome="ok", ms=31))
    log.result("w1", "Read", "", {}, ms=31, is_held=True)
    log.use("w2", "Bash", TESTS)
    log.execute("w2")
    log.progress("w2", tail=["test_two_lines_round_once (tests.test_refund) ..."], total_lines=4)
    log.use("w3", "Bash", {"command": "rm -rf build", "description": "Tidy up"})
    log.execute("w3")
    log.ask("w3", "Bash", {"command": "rm -rf build"})
    log.wait(500)
    log.settle("w3", "deny")
    log.result("w3", "Bash", "refused", error="denied", ms=1)
    log.use("w4", "Grep", {"pattern": "TODO"})
    log.result("w4", "Grep", "stopped", error="interrupted", ms=0, is_held=True)
    log.use("w5", "Edit", EDIT)
    log.execute("w5")
    log.use("w6", "Bash", DIFF)
    log.say(ev.ToolUseStarted(tool_use_id="w7", name="Write", turn_id="t3"))
    text = '{"file_path": "/home/dev/src/shop/docs/refunds.md", "content": "' + "Refunds are exact. " * 80
    log.say(ev.ToolInputDelta(tool_use_id="w7", partial_json=text))
    log.wait(200)
    log.say(ev.JobStarted(job_id="j1", tool_use_id="w2", command="npm run dev", output_path="/tmp/o"))
    log.wait(900)
    return log


def long_wait() -> Recording:
    """Somebody went for lunch while a question stood."""
    log = fix_a_bug(until="asked")
    log.wait(400)
    log.end_reply("a1")
    log.wait(2_400_000)
    log.settle("u3")
    log.wait(3200)
    log.result("u3", "Bash", "ok", {}, ms=3200)
    log.reply("a2")
    log.use("u5", "Edit", EDIT, arriving_ms=900)
    log.execute("u5")
    log.end_reply("a2")
    log.wait(700)
    return log


async def shot(album: Album, log: Recording, size: tuple[int, int], name: str, *keys: str) -> None:
    stage = Stage(log.events)
    stage.changes["q-u5"] = (CHANGE,)
    async with staged(stage, size) as (app, pilot):
        await pilot.press("f2", *keys)
        await settle(app, pilot)
        album.compare(app, f"{name}-{size[0]}x{size[1]}")


@pytest.mark.parametrize("size", [*SIZES, (60, 20)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_state_can_be_told_apart(size: tuple[int, int], album: Album) -> None:
    await shot(album, all_states(), size, "states")
    album.verify()


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("details", ("home", "down", "down", "down", "space")),
        ("failed", ("f", "f", "f")),
        ("words", ("slash", *"refund")),
        ("earlier", ("end", "enter")),
    ],
)
async def test_a_pane_in_a_wide_and_in_a_narrow_terminal(name: str, keys: tuple[str, ...], album: Album) -> None:
    for size in ((80, 24), (120, 40)):
        await shot(album, all_states(), size, name, *keys)
    album.verify()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_long_wait_leaves_the_bars_readable(size: tuple[int, int], album: Album) -> None:
    await shot(album, long_wait(), size, "long-wait")
    album.verify()


def turns() -> Recording:
    log = long_wait()
    log.result("u5", "Edit", "The file was changed.", {}, ms=6)
    log.finish()
    log.begin("And the order?", "t2")
    log.reply("a3")
    log.write("b9", "The order rounds once already.")
    log.end_reply("a3", stop="end_turn")
    log.finish(turn="t2")
    return log


@pytest.mark.parametrize("size", [*SIZES, (60, 20)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_replay_says_where_it_stands(size: tuple[int, int], album: Album) -> None:
    events: list[Any] = turns().events
    asked = next(place for place, event in enumerate(events, 1) if isinstance(event, ev.PermissionRequested))
    player = Player(events, at="0")
    app = ReplayApp(lambda: player, has_reduced_motion=True)
    async with app.run_test(size=size) as pilot:
        await settle(app, pilot)
        for name, at in (("paused", "75%"), ("asked", f"#{asked}"), ("end", "100%")):
            player.playback.go(*player.playback.timeline.parse(at))
            await settle(app, pilot)
            album.compare(app, f"replay-{name}-{size[0]}x{size[1]}")
    album.verify()


async def test_a_replay_asks_where_to_go(album: Album) -> None:
    app = ReplayApp(lambda: Player(turns().events, at="75%"), has_reduced_motion=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(app, pilot)
        await pilot.press("g", *"turn", "space", "9", "enter")
        await settle(app, pilot)
        album.compare(app, "replay-goto-80x24")
    album.verify()
