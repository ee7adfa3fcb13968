"""`tui-agent replay` in a real terminal: the recorded demo, its keys, and what cannot be played."""

from __future__ import annotations

import shutil
from pathlib import Path

from person import Launch
from world import World

RECORDING = Path(__file__).parents[1] / "snapshots" / "recordings" / "explore.jsonl"


def test_a_recording_is_paused_stepped_through_and_left(world: World, launch: Launch) -> None:
    terminal = launch("replay", str(RECORDING), "--at", "turn 2", "--speed", "0.25")
    terminal.wait_for_text(r"playing\s+0\.25×")
    terminal.wait_for_text(r"❯ look at the refunds")
    terminal.press("space")
    terminal.wait_for_text(r"paused\s+0\.25×.*turn 2 of 2")
    quiet = terminal.size
    terminal.type("+")
    terminal.wait_for_text(r"paused\s+0\.5×")
    assert terminal.size > quiet
    terminal.press("end")
    terminal.wait_for_text(r"■ end")
    terminal.wait_for_text("rounds or cuts in")
    terminal.press("home")
    terminal.wait_for_text(r"Ⅱ paused +(0\.5|1)× +0:00")
    terminal.wait_for_no_text("took ")
    terminal.press("right")
    terminal.wait_for_text("I am new here")
    terminal.type("g")
    terminal.wait_for_text("Go to")
    terminal.type("turn 9")
    terminal.press("enter")
    terminal.wait_for_text("the last is 2")
    terminal.press("escape")
    terminal.wait_for_no_text("the last is 2")
    terminal.type("q")
    assert terminal.process.wait(20) == 0


def test_a_sessions_id_can_be_played_and_a_place_that_is_none_is_refused(world: World) -> None:
    folder = world.state / "sessions" / "shop" / "demo-explore"
    folder.mkdir(parents=True)
    shutil.copy(RECORDING, folder / "journal.jsonl")
    drawn = world.folder / "out.svg"
    done = world.run("replay", "demo-explore", "--at", "turn 1", "--svg", str(drawn), "--size", "80x24")
    assert done.returncode == 0, done.stderr
    picture = drawn.read_text().replace("&#160;", " ")
    assert "What is in this project" in picture
    assert "look at the refunds" not in picture
    refused = world.run("replay", "demo-explore", "--at", "turn 7", "--svg", str(drawn))
    assert refused.returncode == 2
    assert "there is no turn 7" in refused.stderr
    assert world.run("replay", "no-such-session", "--svg", str(drawn)).returncode == 2


def test_a_damaged_recording_is_played_and_says_what_is_missing(world: World, launch: Launch) -> None:
    lines = RECORDING.read_bytes().split(b"\n")
    lines[40] = b'{"v":1,"type":"tool_pro'
    damaged = world.folder / "damaged.jsonl"
    damaged.write_bytes(b"\n".join(lines))
    terminal = launch("replay", damaged.name, "--instant")
    terminal.wait_for_text(r"■ end")
    terminal.press("home")
    terminal.wait_for_text(r"Ⅱ paused +(0\.5|1)× +0:00")
    terminal.wait_for_no_text("took ")
    terminal.press("right")
    terminal.wait_for_text(r"Left out of this recording:[\s\S]*damaged\.jsonl:41")
    terminal.type("q")
    assert terminal.process.wait(20) == 0
