"""Every built-in tool, in each of its states, in a narrow and in a wide terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
from pictures import SNAPSHOTS, Album, Stage, settle, staged
from recording import (
    CHANGE,
    EDIT,
    FAILED,
    GREP,
    PASSED,
    READ,
    TESTS,
    Recording,
    grep_data,
    numbered,
    read_data,
    shell,
)
from recording import REFUND as REFUND_PY

from tui_agent.changes import FileChange
from tui_agent.tools import catalog
from tui_agent.ui.app import TuiAgentApp

STATES = ("use", "progress", "result", "error", "rejected", "dialog")
SIZES = {"narrow": (72, 34), "wide": (120, 36)}


@dataclass(frozen=True)
class Case:
    """What one tool shows: its input, and what becomes of it."""

    input: dict[str, Any]
    content: str
    data: dict[str, Any]
    error: str
    error_kind: str = "execution"
    error_data: dict[str, Any] | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    change: FileChange | None = None
    suggestions: tuple[str, ...] = ()


CASES = {
    "Bash": Case(
        TESTS,
        PASSED,
        shell(PASSED),
        FAILED,
        error_data=shell("", FAILED.partition("Stderr:\n")[2], 1),
        progress={
            "tail": [
                "\x1b[32mtest_discount ... ok\x1b[0m",
                "\x1b[31mtest_two_lines_round_once ... FAIL\x1b[0m",
                "test_tax ...",
            ],
            "total_lines": 5,
            "total_bytes": 190,
            "is_incomplete": True,
        },
        suggestions=("Bash(python3 -m unittest *)",),
    ),
    "Edit": Case(
        EDIT,
        "The file shop/refund.py was changed.",
        {"filePath": EDIT["file_path"]},
        "<tool_use_error>The file changed on disk since it was read. Read it again before editing it.</tool_use_error>",
        "validation",
        {"code": "changed_on_disk"},
        change=CHANGE,
        suggestions=("Edit(/shop/**)",),
    ),
    "Grep": Case(
        GREP,
        "6 matches",
        grep_data(),
        "<tool_use_error>regex parse error: unclosed group\n    to_cents|int(\n                ^</tool_use_error>",
        "validation",
    ),
    "Read": Case(
        READ,
        numbered(REFUND_PY),
        read_data(),
        "<tool_use_error>File does not exist: shop/refunds.py. Did you mean shop/refund.py?</tool_use_error>",
        "validation",
        {"code": "missing"},
    ),
}


def play(name: str, case: Case, state: str) -> Recording:
    """Return a turn in which the tool has come as far as `state`."""
    log = Recording()
    log.begin("Refunds are sometimes one cent off.")
    log.reply()
    log.use("u1", name, case.input)
    if state == "use":
        return log
    log.end_reply()
    log.execute("u1")
    if state == "error":
        log.wait(800)
        log.result("u1", name, case.error, case.error_data, error=case.error_kind, ms=800)
        return log
    if case.change is not None:
        log.propose("u1", case.change)
    if state in ("rejected", "dialog") or (case.change is not None and state != "progress"):
        log.ask("u1", name, case.input, suggestions=case.suggestions, has_proposal=case.change is not None)
    if state == "dialog":
        return log
    if state == "rejected":
        log.wait(2000)
        log.settle("u1", "deny", "leave that file alone, it is generated")
        log.result("u1", name, "refused", error="denied", ms=0)
        return log
    if case.change is not None and state == "result":
        log.settle("u1")
        log.apply("u1", case.change)
    log.wait(1300)
    log.progress("u1", **case.progress)
    if state == "result":
        log.result("u1", name, case.content, case.data, ms=1300)
    return log


@pytest.mark.parametrize(("name", "width"), list(product(CASES, SIZES)))
async def test_a_tool_looks_in_each_state_as_it_did(name: str, width: str, album: Album) -> None:
    case = CASES[name]
    stage = Stage(Recording().events)
    if case.change is not None:
        stage.proposals["q-u1"] = case.change
    async with staged(stage, SIZES[width]) as (app, pilot):
        app.screen.action_details()
        for state in STATES:
            stage.start_over(play(name, case, state).events)
            await settle(app, pilot)
            assert expected_screen(app, state)
            album.compare(app, f"{name}-{state}-{width}")
    album.verify()


def expected_screen(app: TuiAgentApp, state: str) -> bool:
    return app.screen.is_modal == (state == "dialog")


def cells() -> Iterator[str]:
    for entry, state, width in product(catalog.entries(), STATES, SIZES):
        yield f"{entry.name}-{state}-{width}"


def test_every_built_in_tool_has_a_picture_of_each_state_in_each_width(album: Album) -> None:
    missing = [name for name in cells() if not album.path(name).exists()]
    assert not missing, f"no picture of {', '.join(missing)}: add the tool to CASES and draw it"


def test_no_picture_is_left_of_what_is_no_longer_drawn(album: Album) -> None:
    known = {album.path(name) for name in cells()}
    kept = set(SNAPSHOTS.glob(album.path("*").name))
    assert kept <= known, f"nothing draws {', '.join(path.name for path in kept - known)}"
