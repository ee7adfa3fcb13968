"""Diffs wherever they are shown: in both layouts, unfolded, with comments, of several files, of a session, in a conflict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from partial_engine import PartialEngine
from pictures import Album, Stage, settle, staged
from recording import CHANGE, SHOP, Recording
from textual.pilot import Pilot

from tui_agent.boundary import Pending
from tui_agent.changes import FileChange
from tui_agent.events import PermissionRequested
from tui_agent.permissions.rule_notes import rule_notes
from tui_agent.queries import ChangesQuery, ChangesReport, NetChange, RuleNotes, UndoPlan
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.dialogs.undo import UndoScreen
from tui_agent.ui.reviewing.review_draft import ReviewDraft
from tui_agent.ui.screens.review import ReviewScreen
from tui_agent.ui.widgets.review_editors import CommentEditor

SIZES = [(80, 24), (120, 40), (200, 60)]
OLD = "".join(f"def step_{number}(value: int) -> int:\n    return value + {number}\n\n" for number in range(1, 41))
NEW = (
    OLD.replace("return value + 3\n", "return value + 3  # one more than two\n")
    .replace("    return value + 20\n", '    """Add twenty."""\n    return value + 20\n')
    .replace("return value + 31\n", "return value  + 31\n")
)
STEPS = FileChange.between(f"{SHOP}/shop/steps.py", OLD, NEW, before_hash="1")
ENDS = FileChange.between(
    f"{SHOP}/docs/große Änderung 日本.md", "# Notes\r\n\r\nold\r\n", "# Notes\n\nnew\ttext", before_hash="2"
)
FRESH = FileChange.between(
    f"{SHOP}/shop/rounding.py", None, "from decimal import ROUND_HALF_EVEN\n\nMODE = ROUND_HALF_EVEN\n"
)


class Desk:
    """Nobody: what is decided here goes nowhere."""

    def review_draft(self, _request_id: str, changes: Sequence[FileChange]) -> ReviewDraft:
        return ReviewDraft(changes)

    def check_rule(self, rule: str) -> Pending[RuleNotes]:
        return Pending.of(RuleNotes(*rule_notes(rule)))

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


def review(*changes: FileChange, **on_disk: str) -> ReviewScreen:
    request = PermissionRequested(
        request_id="r", tool_use_id="u", name="MultiEdit", input={}, by="default", has_proposal=True,
        reason="changing files asks in this mode", offers=(("Edit(shop/**)",),),
    )  # fmt: skip
    standings = {change.path: on_disk[name] for change in changes if (name := Path(change.path).stem) in on_disk}
    return ReviewScreen(
        request,
        changes,
        Desk(),
        base=SHOP,
        on_disk=standings,
        grace=InputGrace(seconds=0),  # type: ignore[arg-type]
    )


async def write(pilot: Pilot[Any], text: str) -> None:
    await pilot.press("c")
    pilot.app.screen.query_one(CommentEditor).load_text(text)
    await pilot.press("enter")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_reviews_look_as_they_did(size: tuple[int, int], album: Album) -> None:
    async with staged(Stage(Recording().events), size) as (app, pilot):
        where = f"{size[0]}x{size[1]}"

        async def compare(name: str) -> None:
            await settle(app, pilot)
            album.compare(app, f"{name}-{where}")

        app.push_screen(review(STEPS))
        await settle(app, pilot)
        await compare("one-file")
        await pilot.press("t")
        await compare("other-layout")
        await pilot.press("t", "j", "plus")
        await compare("unfolded")
        await pilot.press("down")
        await write(pilot, "Say why it is twenty:\nthe docs have it as ten.")
        await pilot.press("down", "shift+down", "shift+down", "c", *"and this")
        await compare("writing-a-comment")
        app.pop_screen()
        app.push_screen(review(STEPS, ENDS, FRESH))
        await settle(app, pilot)
        await pilot.press("a", "x", "n", "x", "n")
        await write(pilot, "Is this used anywhere?")
        await pilot.press("p")
        await compare("several-files")
    album.verify()


@pytest.mark.parametrize("size", [(60, 20), *SIZES], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_reviews_whose_files_changed_on_disk_look_as_they_did(size: tuple[int, int], album: Album) -> None:
    async with staged(Stage(Recording().events), size) as (app, pilot):
        where = f"{size[0]}x{size[1]}"
        app.push_screen(review(STEPS, steps="changed"))
        await settle(app, pilot)
        album.compare(app, f"changed-on-disk-{where}")
        app.pop_screen()
        app.push_screen(review(STEPS, ENDS, FRESH, steps="gone", rounding="made"))
        await settle(app, pilot)
        album.compare(app, f"changed-on-disk-several-{where}")
    album.verify()


def all_changes() -> ChangesReport:
    """What a session comes to, with everything that a file can have."""
    gone = FileChange.between(f"{SHOP}/shop/legacy.py", "x = 1\n", "", before_hash="3")
    large = "its earlier content could not be kept"
    return ChangesReport(
        (
            NetChange(path=STEPS.path, change=STEPS, is_mixed=True),
            NetChange(path=CHANGE.path, change=CHANGE),
            NetChange(path=FRESH.path, change=FRESH),
            NetChange(path=gone.path, change=gone, is_gone=True),
            NetChange(path=f"{SHOP}/data/rates.csv", change=None, problem=large),
        )
    )


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_changes_of_a_session_look_as_they_did(size: tuple[int, int], album: Album) -> None:
    async with staged(Stage(Recording().events), size) as (app, pilot):
        assert isinstance(app, TuiAgentApp)
        app._main.diff.compare_by(PartialEngine({ChangesQuery: lambda _: all_changes()}))
        await pilot.press("f3", "s")
        await app.workers.wait_for_complete()
        await settle(app, pilot)
        album.compare(app, f"session-{size[0]}x{size[1]}")
    album.verify()


NOW = NEW.replace("one more than two", "one more, as agreed").replace("step_40", "last_step")
BACK = OLD.replace("+ 3\n", "+ 3  # one more, as agreed\n").replace("step_40", "last_step")
PLANS = {
    "undo": UndoPlan(id="1", path=STEPS.path, kind="restore", change=FileChange.between(STEPS.path, NEW, OLD)),
    "undo-conflict": UndoPlan(
        id="2",
        path=STEPS.path,
        kind="reverse",
        change=FileChange.between(
            STEPS.path, NOW, OLD.replace("+ 3\n", "+ 3  # one more, as agreed\n").replace("step_40", "last_step")
        ),
        taken=2,
        clashes=1,
    ),
    "undo-impossible": UndoPlan(
        id="3",
        path=STEPS.path,
        kind="nothing",
        problem="Others have changed the same lines since. Nothing can be undone without undoing their changes.",
        theirs=FileChange.between(STEPS.path, NEW, NOW),
        clashes=1,
    ),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_question_before_an_undo_looks_as_it_did(size: tuple[int, int], album: Album) -> None:
    async with staged(Stage(Recording().events), size) as (app, pilot):
        for name, plan in PLANS.items():
            app.push_screen(UndoScreen(plan, SHOP))
            await settle(app, pilot)
            album.compare(app, f"{name}-{size[0]}x{size[1]}")
            app.pop_screen()
            await pilot.pause()
    album.verify()
