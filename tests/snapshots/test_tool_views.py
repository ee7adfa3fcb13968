"""Every built-in tool, in each of its states, in a narrow and in a wide terminal."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from pictures import SNAPSHOTS, Album, Stage, settle, staged
from recording import Recording
from tool_case import Case

from tui_agent.queries import PlanOffer
from tui_agent.tools import catalog
from tui_agent.ui.app import TuiAgentApp

STATES = ("use", "progress", "result", "error", "rejected", "dialog")
CASES: dict[str, Case] = {
    name: case
    for path in sorted(Path(__file__).parent.glob("cases_*.py"))
    for name, case in runpy.run_path(str(path))["CASES"].items()
}
SIZES = {"narrow": (72, 34), "wide": (120, 36)}


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
    for change in case.changes:
        log.propose("u1", change)
    if state in ("rejected", "dialog") or (case.changes and state != "progress"):
        log.ask(
            "u1",
            name,
            case.input,
            offers=(case.suggestions,) if case.suggestions else (),
            has_proposal=bool(case.changes),
        )
    if state == "dialog":
        return log
    if state == "rejected":
        log.wait(2000)
        log.settle("u1", "deny", "leave that file alone, it is generated")
        log.result("u1", name, "refused", error="denied", ms=0)
        return log
    if case.changes and state == "result":
        log.settle("u1")
        for change in case.changes:
            log.apply("u1", change)
    log.wait(1300)
    log.progress("u1", **case.progress)
    if state == "result":
        log.result("u1", name, case.content, case.data, ms=1300)
    return log


@pytest.mark.parametrize(("name", "width"), list(product(CASES, SIZES)))
async def test_a_tool_looks_in_each_state_as_it_did(name: str, width: str, album: Album) -> None:
    case = CASES[name]
    stage = Stage(Recording().events)
    if case.changes:
        stage.changes["q-u1"] = case.changes
    if name == "ExitPlanMode":
        data = case.data
        stage.offer = PlanOffer(
            text=data["plan"], file=data["filePath"], modes=("acceptEdits", "default"), before="default"
        )
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
