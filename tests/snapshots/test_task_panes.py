"""The model's plan on the screen: beside the conversation, above the prompt, some of it and all of it."""

from __future__ import annotations

from typing import Any

import pytest
from pictures import Album, Stage, settle, staged
from recording import Recording

from tui_agent.events import TasksChanged


def planned(**more: Any) -> Recording:
    """A turn with seven steps, three of them done."""
    subjects = [
        "Find every place that rounds",
        "Write a test that fails",
        "Look how invoices do it",
        "Round once, when it is paid",
        "Run the tests",
        "Write the change log",
        "Tell support which refunds were off by a cent, and since when that was so",
    ]
    tasks: list[dict[str, Any]] = [
        {"id": str(number), "subject": subject, "status": "completed" if number < 4 else "pending", "blocked_by": []}
        for number, subject in enumerate(subjects, 1)
    ]
    tasks[3] |= {"status": "in_progress", "active_form": "Rounding once, when it is paid"}
    tasks[4] |= {"blocked_by": ["4"]}
    tasks[6] |= {"blocked_by": ["5", "6"], "owner": "writer"}
    log = Recording()
    log.begin("Refunds are sometimes one cent off. Find out why and fix it.")
    log.reply()
    log.write("b1", "I make a plan first.")
    log.say(TasksChanged(tasks=tuple(task | more for task in tasks)))
    log.use("u1", "Grep", {"pattern": "round"})
    log.execute("u1")
    return log


@pytest.mark.parametrize(("width", "size"), [("wide", (120, 36)), ("narrow", (80, 24)), ("small", (40, 10))])
async def test_the_plan_looks_as_it_did(width: str, size: tuple[int, int], album: Album) -> None:
    async with staged(Stage(planned().events), size) as (app, pilot):
        album.compare(app, f"some-{width}")
        await pilot.press("ctrl+t")
        await settle(app, pilot)
        album.compare(app, f"all-{width}")
    album.verify()
