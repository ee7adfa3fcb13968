"""The prompt as it is edited: vi's modes, the shell, the search among what was sent, words about a draft."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pictures import Album, Stage, settle, staged
from recording import fix_a_bug
from textual.events import Paste

from tui_agent.events import (
    SessionStarted,
    ToolProgressed,
    ToolResultReady,
    ToolStateChanged,
    ToolUseCompleted,
    ToolUseStarted,
)
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.widgets.prompt import Prompt

SIZES = [(80, 24), (120, 40)]
NOW = 1_790_000_000.0
HERE = "/home/dev/src/shop"
SENT = [
    (400_000, "/home/dev/src/blog", "write a post about rounding"),
    (90_000, HERE, "the totals are off by one cent on refunds"),
    (80_000, HERE, "!python3 -m unittest"),
    (7_300, HERE, "add a test for refunds of several items\nand one for no items"),
    (7_200, HERE, "!python3 -m unittest"),
    (600, "/home/dev/src/blog", "!git push"),
    (30, HERE, "round half even, as the bank does, and say in the README which totals are rounded, and when"),
]


def screen_text(app: Any) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips(app.size))


async def until(pilot: Any, fact: Callable[[], object]) -> None:
    for _ in range(300):
        if fact():
            return
        await pilot.pause(0.01)
    raise AssertionError(screen_text(pilot.app))


def prompt_of(app: Any) -> Prompt:
    found = app.screen.query_one(Prompt)
    assert isinstance(found, Prompt)
    return found


async def write(app: Any, pilot: Any, text: str) -> None:
    prompt_of(app).text.post_message(Paste(text))
    await until(pilot, lambda: prompt_of(app).text.text.endswith(text))
    await settle(app, pilot)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_prompt_looks_as_it_did(size: tuple[int, int], album: Album, tmp_path: Path) -> None:
    name = f"{size[0]}x{size[1]}"
    path = tmp_path / "history.jsonl"
    lines = [json.dumps({"text": text, "time": NOW - age, "folder": folder}) for age, folder, text in SENT]
    path.write_text("\n".join(lines) + "\n")
    async with staged(Stage(fix_a_bug().events), size) as (app, pilot):
        prompt = prompt_of(app)
        prompt.text.use_vi(True)
        await write(app, pilot, "Say which totals\nare rounded, and when.")
        await pilot.press("escape")
        await settle(app, pilot)
        album.compare(app, f"vi-normal-{name}")
        await pilot.press("v", "b", "b", "k")
        await settle(app, pilot)
        album.compare(app, f"vi-visual-{name}")
        prompt.text.use_vi(False)
        prompt.clear()

        await write(app, pilot, "!python3 -m unittest -q")
        album.compare(app, f"shell-{name}")

        history = PromptHistory(path, folder=HERE, clock=lambda: NOW)
        prompt._history = history
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "▸ round half even" in screen_text(app))
        album.compare(app, f"history-{name}")
        await pilot.press("ctrl+s", *"un", "space", "p", "y", "up", "down")
        await until(pilot, lambda: "2×" in screen_text(app))
        album.compare(app, f"history-found-{name}")
        await pilot.press(*"zz")
        await until(pilot, lambda: "no matches for" in screen_text(app))
        album.compare(app, f"history-nothing-{name}")
        await pilot.press("escape")
        await until(pilot, lambda: prompt.text.has_focus and not prompt.query("#history"))

        await pilot.press("ctrl+s")
        await until(pilot, lambda: "put aside" in screen_text(app))
        album.compare(app, f"aside-{name}")
    album.verify()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_command_of_the_persons_own_looks_as_it_did(size: tuple[int, int], album: Album) -> None:
    stage = Stage([SessionStarted(cwd=HERE, model="sonnet-5.5", mode="default", version="0", monotonic_ms=1)])
    use = {"tool_use_id": "u", "name": "Bash"}
    async with staged(stage, size) as (app, pilot):
        stage.play(
            [
                ToolUseStarted(**use, turn_id="t", by="person", monotonic_ms=10),
                ToolUseCompleted(**use, input={"command": "python3 -m unittest -q"}, monotonic_ms=10),
                ToolStateChanged(tool_use_id="u", from_state="new", to_state="queued", monotonic_ms=10),
                ToolStateChanged(tool_use_id="u", from_state="queued", to_state="executing", monotonic_ms=11),
                ToolProgressed(
                    tool_use_id="u", data={"tail": ["test_refund ... ok"], "total_lines": 1}, monotonic_ms=900
                ),
            ]
        )
        await settle(app, pilot)
        album.compare(app, f"own-running-{size[0]}x{size[1]}")
        output = "test_refund ... ok\ntest_receipt ... ok\n\nRan 14 tests in 0.021s\n\n\x1b[32mOK\x1b[0m"
        stage.play(
            [
                ToolResultReady(
                    **use, is_error=False, content=output, data={"stdout": output, "stderr": "", "exitCode": 0},
                    duration_ms=1200.0, monotonic_ms=1300,
                ),
                ToolStateChanged(tool_use_id="u", from_state="executing", to_state="completed", monotonic_ms=1300),
                ToolStateChanged(tool_use_id="u", from_state="completed", to_state="yielded", monotonic_ms=1300),
            ]
        )  # fmt: skip
        await settle(app, pilot)
        album.compare(app, f"own-done-{size[0]}x{size[1]}")
    album.verify()
