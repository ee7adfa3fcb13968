"""What the session comes to, in the diff pane: the files, the question before one is undone, and the patch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dialog_app import STYLES, screen_text
from partial_engine import over_changes
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui_agent.answer_files import write_patch
from tui_agent.bus import Bus
from tui_agent.changes import FileChange, content_hash
from tui_agent.engine.files.change_history import ChangeHistory
from tui_agent.events import EditApplied, EditUndone, Event, SessionStarted
from tui_agent.tools.file_changes.versions import Versions
from tui_agent.ui.dialogs.undo import UndoScreen
from tui_agent.ui.panes.diff import DiffPane
from tui_agent.ui.projection.projection import Projection

OLD = "".join(f"line {number}\n" for number in range(1, 31))


class Work:
    """A folder with a ledger, and changes made in it as tools would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[Event] = []
        self.bus, self.versions = Bus("s"), Versions(folder.parent / "versions")
        self.bus.follow("test", (EditUndone,), self.said.append)
        self.change_history = ChangeHistory(self.versions, self.bus, folder=lambda: folder, state=None)

    def change(self, name: str, after: str) -> None:
        path = self.folder / name
        before = path.read_text() if path.exists() else None
        change = FileChange.between(
            str(path), before, after, before_hash=content_hash(before.encode()) if before is not None else ""
        )
        self.versions.keep_change(str(path), before.encode() if before is not None else None, after.encode())
        path.write_text(after)
        self.bus.publish(EditApplied(tool_use_id="u", change=change, after_hash=content_hash(after.encode())))


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "work").mkdir()
    made = Work(tmp_path / "work")
    (made.folder / "refund.py").write_text(OLD)
    made.change("refund.py", OLD.replace("line 3\n", "three\n"))
    made.change("refund.py", (made.folder / "refund.py").read_text().replace("line 20\n", "twenty\n"))
    made.change("new.py", "x = 1\n")
    return made


class Harness(App[None]):
    """An app with nothing but the pane, on a ledger."""

    CSS_PATH = [STYLES / "panes.tcss", STYLES / "dialogs.tcss"]  # noqa: RUF012

    def __init__(self, change_history: ChangeHistory | None, folder: Path) -> None:
        super().__init__()
        self.projection = Projection()
        self.projection.apply([SessionStarted(cwd=str(folder), model="m", mode="default", version="0")])
        self.change_history = change_history
        self.patches = 0

    def compose(self) -> ComposeResult:
        pane = DiffPane()
        if self.change_history is not None:
            pane.compare_by(over_changes(self.change_history))
        yield pane

    def on_diff_pane_patch_wanted(self) -> None:
        self.patches += 1

    def on_mount(self) -> None:
        pane = self.query_one(DiffPane)
        from tui_agent.ui.projection.projection import Dirty

        pane.refresh_from(self.projection, Dirty.everything())
        pane.query_one("DiffBody").focus()


async def settled(pilot: Pilot[Any]) -> str:
    await pilot.app.workers.wait_for_complete([one for one in pilot.app.workers if one.group == "compare"])
    await pilot.pause()
    return screen_text(pilot)


async def asked(pilot: Pilot[Any]) -> str:
    """Wait for the question before an undo, and return what is on the screen."""
    for _ in range(200):
        await pilot.pause()
        if isinstance(pilot.app.screen, UndoScreen):
            await pilot.pause()
            return screen_text(pilot)
    raise AssertionError("nothing was asked")


async def answered(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    for _ in range(200):
        await pilot.pause()
        if not isinstance(pilot.app.screen, UndoScreen):
            break
    await pilot.app.workers.wait_for_complete()


async def test_s_shows_the_files_with_what_they_come_to_and_s_again_single_changes(work: Work) -> None:
    async with Harness(work.change_history, work.folder).run_test(size=(80, 30)) as pilot:
        await pilot.press("s")
        text = await settled(pilot)
        assert "This session: 2 files  +3 −2" in text
        assert "▶ ~ refund.py  +2 −2" in text
        assert "+ new.py  +1 −0  new" in text
        assert "what commands changed is not listed" in text
        assert "three" in text
        await pilot.press("n")
        await pilot.pause()
        assert "x = 1" in screen_text(pilot)
        await pilot.press("s")
        await pilot.pause()
        assert "No changes yet." in screen_text(pilot)


async def test_undo_asks_once_and_does_it(work: Work) -> None:
    async with Harness(work.change_history, work.folder).run_test(size=(100, 40)) as pilot:
        await pilot.press("s")
        await settled(pilot)
        await pilot.press("u")
        text = await asked(pilot)
        assert "Undo this session's changes in refund.py?" in text
        assert "will be as it was before this session" in text
        await answered(pilot, "escape")
        assert work.said == []
        await pilot.press("u")
        await asked(pilot)
        await answered(pilot, "y")
        assert (work.folder / "refund.py").read_text() == OLD
        assert len(work.said) == 1


async def test_a_conflict_is_shown_and_what_others_did_stays(work: Work) -> None:
    file = work.folder / "refund.py"
    file.write_text(file.read_text().replace("twenty", "twenty, mine"))
    async with Harness(work.change_history, work.folder).run_test(size=(100, 40)) as pilot:
        await pilot.press("s")
        assert "also changed by others" in await settled(pilot)
        await pilot.press("u")
        text = " ".join((await asked(pilot)).split())
        assert "! Conflict." in text
        assert "undo the rest" in text
        await answered(pilot, "y")
        assert file.read_text() == OLD.replace("line 20\n", "twenty, mine\n")


async def test_where_nothing_can_be_done_y_does_nothing(work: Work) -> None:
    file = work.folder / "new.py"
    file.write_text("theirs\n")
    async with Harness(work.change_history, work.folder).run_test(size=(100, 40)) as pilot:
        await pilot.press("s")
        await settled(pilot)
        await pilot.press("n", "u")
        text = " ".join((await asked(pilot)).split())
        assert "! Cannot be undone." in text
        assert "changed outside this session" in text
        await answered(pilot, "y")
        assert file.read_text() == "theirs\n"


async def test_a_file_that_changes_while_it_is_asked_about_is_asked_about_again(work: Work) -> None:
    file = work.folder / "refund.py"
    async with Harness(work.change_history, work.folder).run_test(size=(100, 40)) as pilot:
        await pilot.press("s")
        await settled(pilot)
        await pilot.press("u")
        first = await asked(pilot)
        screen = pilot.app.screen
        file.write_text(file.read_text() + "mine\n")
        await pilot.press("y")
        for _ in range(200):
            await pilot.pause()
            if pilot.app.screen is not screen and isinstance(pilot.app.screen, UndoScreen):
                break
        await pilot.pause()
        assert "Not undone yet" not in first
        assert "Not undone yet: the file has just changed" in screen_text(pilot)
        assert "The file was changed outside this session" not in first
        assert "The file was changed outside this session" in screen_text(pilot)
        await answered(pilot, "y")
        assert file.read_text() == OLD + "mine\n"


async def test_without_a_ledger_it_says_so(work: Work) -> None:
    async with Harness(None, work.folder).run_test(size=(80, 30)) as pilot:
        await pilot.press("s")
        assert "A recording has no files to compare" in await settled(pilot)
        await pilot.press("u")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, UndoScreen)


async def test_w_wants_a_patch(work: Work) -> None:
    app = Harness(work.change_history, work.folder)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.press("w")
        await pilot.pause()
        assert app.patches == 1


async def test_a_patch_is_a_new_file_and_never_takes_the_place_of_one(work: Work) -> None:
    folder = str(work.folder)
    first = await write_patch(await work.change_history.patch(), folder, "")
    assert first.text == "2 changed files written to changes.patch as a patch."
    assert (await write_patch(await work.change_history.patch(), folder, "")).text.endswith(
        "changes-2.patch as a patch."
    )
    assert (work.folder / "changes.patch").read_bytes() == (await work.change_history.patch()).data
    taken = await write_patch(await work.change_history.patch(), folder, "changes.patch")
    assert not taken.is_done
    assert "already" in taken.text
    assert (await write_patch(await work.change_history.patch(), folder, "deep/er.patch")).is_done
    for touched in work.change_history.files:
        plan = await work.change_history.plan(touched.path)
        assert plan is not None
        await work.change_history.undo(plan)
    assert "no changes" in (await write_patch(await work.change_history.patch(), folder, "x.patch")).text
