"""What a session changed in files, over all its tools and processes: one change a file, undone safely, and as a patch."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, calls, reply, says
from session_front import Front, begin, place_apart

from tui_agent.bus import Bus
from tui_agent.changes import FileChange
from tui_agent.engine.files.change_history import ChangeHistory, PreparedUndo
from tui_agent.events import EditApplied, EditUndone
from tui_agent.tools.file_changes import versions
from tui_agent.tools.file_changes.versions import Versions

OLD = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


def edit(path: Path, old: str, new: str) -> Script:
    return reply(
        calls(0, "Read", {"file_path": str(path)}, f"r{old}"),
        calls(1, "Edit", {"file_path": str(path), "old_string": old, "new_string": new}, f"e{old}"),
        stop="tool_use",
    )


def write(path: Path, text: str) -> Script:
    return reply(calls(0, "Write", {"file_path": str(path), "content": text}, f"w{text}"), stop="tool_use")


DONE = reply(says(0, "done"))


async def ran(work: Path, *scripts: Script, **options: Any) -> Front:
    """Return a session in which the model has made these calls, one after the other."""
    front = await begin(work, *scripts, list(DONE), list(DONE), mode="acceptEdits", **options)
    front.session.submit("go")
    await front.session.wait_idle()
    return front


async def undone(front: Front, path: Path) -> PreparedUndo:
    plan = await front.session.change_history.plan(str(path))
    assert plan is not None
    assert await front.session.change_history.undo(plan) is None
    return plan


async def test_several_changes_of_a_file_are_one_and_what_cancels_itself_is_none(work: Path) -> None:
    file, other = work / "a.txt", work / "b.txt"
    file.write_text(OLD)
    other.write_text("x\n")
    front = await ran(
        work, edit(file, "line 3\n", "three\n"), edit(file, "three\n", "III\n"), edit(file, "line 20\n", ""),
        edit(other, "x\n", "y\n"), edit(other, "y\n", "x\n"), write(work / "new.txt", "new\n"),
    )  # fmt: skip
    found = {Path(net.path).name: net.change for net in await front.session.change_history.compare()}
    assert set(found) == {"a.txt", "new.txt"}
    assert found["a.txt"] is not None
    assert found["a.txt"].after == OLD.replace("line 3\n", "III\n").replace("line 20\n", "")
    assert (found["a.txt"].before, found["a.txt"].added, found["a.txt"].removed) == (OLD, 1, 2)
    assert found["new.txt"] is not None
    assert found["new.txt"].is_new
    await front.session.close()


async def test_undo_puts_back_the_first_content_and_tells_the_model_once(work: Path) -> None:
    file = work / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb")
    file.chmod(0o640)
    front = await ran(work, edit(file, "b", "c"), edit(file, "c", "d"))
    assert file.read_bytes() == b"\xef\xbb\xbfa\r\nd"
    plan = await undone(front, file)
    assert (plan.kind, plan.is_whole) == ("restore", True)
    assert file.read_bytes() == b"\xef\xbb\xbfa\r\nb"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert await front.session.change_history.compare() == []
    (event,) = front.of(EditUndone)
    assert (event.path, event.left, event.change.added) == (str(file), 0, 1)
    front.session.submit("and now?")
    await front.session.wait_idle()
    said = front.model.requests[-1].messages[-1]["content"]
    assert f"- {file}: as it was before this session" in str(said)
    front.model.scripts.append(list(DONE))
    front.session.submit("and again?")
    await front.session.wait_idle()
    assert "took back" not in str(front.model.requests[-1].messages[-1]["content"])
    await front.session.close()


async def test_a_file_that_the_session_made_goes(work: Path) -> None:
    front = await ran(work, write(work / "deep" / "new.txt", "new\n"))
    assert (await undone(front, work / "deep" / "new.txt")).kind == "remove"
    assert not (work / "deep" / "new.txt").exists()
    assert list((work / "deep").iterdir()) == []
    await front.session.close()


async def test_an_undone_file_has_to_be_read_again_and_counts_anew(work: Path) -> None:
    file = work / "a.txt"
    file.write_text(OLD)
    front = await ran(work, edit(file, "line 3\n", "three\n"))
    await undone(front, file)
    front.model.scripts[:0] = [
        reply(
            calls(0, "Edit", {"file_path": str(file), "old_string": "line 5\n", "new_string": "V\n"}, "again"),
            stop="tool_use",
        ),
        edit(file, "line 6\n", "VI\n"),
    ]
    front.session.submit("go on")
    await front.session.wait_idle()
    assert file.read_text() == OLD.replace("line 6\n", "VI\n")
    await undone(front, file)
    assert file.read_text() == OLD
    await front.session.close()


async def test_what_others_did_since_stays_and_what_they_changed_too_is_left(work: Path) -> None:
    file = work / "a.txt"
    file.write_text(OLD)
    front = await ran(work, edit(file, "line 3\n", "three\n"), edit(file, "line 20\n", "twenty\n"))
    file.write_text(file.read_text().replace("twenty\n", "twenty, mine\n").replace("line 28\n", "28\n"))
    plan = await undone(front, file)
    assert (plan.kind, plan.taken, plan.clashes) == ("reverse", 1, 1)
    assert plan.theirs is not None
    assert plan.theirs.added == 2
    assert file.read_text() == OLD.replace("line 20\n", "twenty, mine\n").replace("line 28\n", "28\n")
    (net,) = await front.session.change_history.compare()
    assert net.path == str(file)
    left = file.read_text()
    for others in ("", "more of theirs\n"):  # once more takes nothing of theirs, whatever they did meanwhile
        file.write_text(left + others)
        again = await front.session.change_history.plan(str(file))
        assert again is not None
        assert again.kind == "nothing"
        assert "The rest of this session's changes cannot be undone" in again.problem
    await front.session.close()


async def test_nothing_is_overwritten_where_all_was_changed_since(work: Path) -> None:
    file, made = work / "a.txt", work / "new.txt"
    file.write_text(OLD)
    front = await ran(work, edit(file, "line 3\n", "three\n"), write(made, "new\n"))
    file.write_text(file.read_text().replace("three\n", "theirs\n"))
    made.write_text("theirs\n")
    for path in (file, made):
        plan = await front.session.change_history.plan(str(path))
        assert plan is not None
        assert plan.kind == "nothing"
        assert "thers have changed" in plan.problem
        before = path.read_text()
        assert await front.session.change_history.undo(plan) == plan
        assert path.read_text() == before
    assert front.of(EditUndone) == []
    await front.session.close()


async def test_a_file_that_changes_after_the_question_is_compared_again(work: Path) -> None:
    file = work / "a.txt"
    file.write_text(OLD)
    front = await ran(work, edit(file, "line 3\n", "three\n"), write(work / "new.txt", "new\n"))
    plan = await front.session.change_history.plan(str(file))
    made = await front.session.change_history.plan(str(work / "new.txt"))
    assert plan is not None
    assert made is not None
    file.write_text(file.read_text() + "mine\n")
    (work / "new.txt").write_text("mine\n")
    again = await front.session.change_history.undo(plan)
    assert again is not None
    assert again.kind == "reverse"
    assert file.read_text().endswith("mine\n")
    assert (await front.session.change_history.undo(made)) is not None
    assert (work / "new.txt").read_text() == "mine\n"
    await front.session.close()


async def test_a_file_that_is_gone_is_made_again(work: Path) -> None:
    file = work / "a.txt"
    file.write_text(OLD)
    front = await ran(work, edit(file, "line 3\n", "three\n"))
    file.unlink()
    assert (await undone(front, file)).kind == "recreate"
    assert file.read_text() == OLD
    await front.session.close()


async def test_a_session_that_is_taken_up_again_can_still_undo(work: Path) -> None:
    file = work / "a.txt"
    file.write_text(OLD)
    first = await ran(work, edit(file, "line 3\n", "three\n"), write(work / "new.txt", "new\n"))
    await first.session.close()
    front = await ran(work, edit(file, "line 20\n", "twenty\n"), is_continued=True)
    assert len(await front.session.change_history.compare()) == 2
    await undone(front, work / "new.txt")
    await front.session.close()
    third = await begin(work, list(DONE), is_continued=True)
    await undone(third, file)
    assert file.read_text() == OLD
    assert await third.session.change_history.compare() == []
    third.session.submit("hello")
    await third.session.wait_idle()
    said = str(third.model.requests[-1].messages[-1]["content"])
    assert "new.txt: the file that this session created was removed" in said
    assert "a.txt: as it was before this session" in said
    await third.session.close()


async def test_kept_contents_are_the_persons_alone_and_no_more_than_needed(work: Path) -> None:
    file = work / "a.txt"
    file.write_text(OLD)
    front = await ran(
        work, edit(file, "line 3\n", "three\n"), edit(file, "three\n", "III\n"), edit(file, "III\n", "3\n")
    )
    (folder,) = work.parent.glob("*/sessions/*/*/versions")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(list(folder.iterdir())) == 2
    assert {stat.S_IMODE(kept.stat().st_mode) for kept in folder.iterdir()} == {0o600}
    await undone(front, file)
    assert list(folder.iterdir()) == []
    await front.session.close()


async def test_a_file_too_large_to_keep_is_changed_and_said_to_stay(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "LARGEST_KEPT", 100)
    file = work / "a.txt"
    file.write_text(OLD)
    front = await ran(work, edit(file, "line 3\n", "three\n"))
    (net,) = await front.session.change_history.compare()
    assert net.change is None
    assert "could not be kept" in net.problem
    plan = await front.session.change_history.plan(str(file))
    assert plan is not None
    assert plan.kind == "nothing"
    await front.session.close()


async def test_every_tool_that_changes_files_counts(work: Path) -> None:
    multi, sed, book = work / "m.txt", work / "s.txt", work / "n.ipynb"
    multi.write_text(OLD)
    sed.write_text(OLD)
    book.write_text(
        '{"cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "source": ["x = 1"], "outputs": [], '
        '"execution_count": null}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    edits = [{"old_string": "line 3\n", "new_string": "three\n"}]
    front = await ran(
        work,
        reply(*(calls(n, "Read", {"file_path": str(path)}, f"r{n}") for n, path in enumerate((multi, book))), stop="tool_use"),
        reply(calls(0, "MultiEdit", {"edits": [{"file_path": str(multi), "edits": edits}]}, "m"), stop="tool_use"),
        reply(calls(0, "NotebookEdit", {"notebook_path": str(book), "cell_id": "c1", "new_source": "x = 2"}), stop="tool_use"),
        reply(calls(0, "Bash", {"command": f"sed -i 's/line 5$/five/' {sed}"}, "s"), stop="tool_use"),
    )  # fmt: skip
    assert {Path(net.path).name for net in await front.session.change_history.compare()} == {
        "m.txt",
        "n.ipynb",
        "s.txt",
    }
    for path in (multi, sed, book):
        await undone(front, path)
    assert multi.read_text() == sed.read_text() == OLD
    assert "x = 1" in book.read_text()
    await front.session.close()


async def test_the_patch_makes_in_another_copy_what_the_session_made(work: Path, tmp_path: Path) -> None:
    for root in (work, tmp_path / "copy"):
        (root / "src").mkdir(parents=True)
        (root / "src" / "a b.txt").write_text(OLD)
        (root / "gone.txt").write_text("x\n")
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    front = await ran(
        work, edit(work / "src" / "a b.txt", "line 3\n", "three\n"), write(work / "new.txt", "n\n"),
        edit(work / "gone.txt", "x\n", "y\n"), write(tmp_path / "outside.txt", "o\n"),
        additional_dirs=(tmp_path,),
    )  # fmt: skip
    (work / "gone.txt").unlink()
    patch = await front.session.change_history.patch()
    assert (patch.root, patch.files) == (str(work), 3)
    assert patch.left_out == (f"{tmp_path / 'outside.txt'}: it is not in {work}",)
    subprocess.run(["git", "apply", "-"], input=patch.data, cwd=tmp_path / "copy", check=True)
    assert (tmp_path / "copy" / "src" / "a b.txt").read_text() == OLD.replace("line 3\n", "three\n")
    assert (tmp_path / "copy" / "new.txt").read_text() == "n\n"
    assert not (tmp_path / "copy" / "gone.txt").exists()
    await front.session.close()


def test_changes_by_others_between_those_of_the_session_are_noted(tmp_path: Path) -> None:
    bus = Bus("s")
    change_history = ChangeHistory(Versions(tmp_path / "v"), bus, folder=lambda: tmp_path, state=None)
    change = FileChange.between("/w/a", "a\n", "b\n", before_hash="one")
    bus.publish(EditApplied(tool_use_id="u", change=change, after_hash="two"))
    bus.publish(
        EditApplied(
            tool_use_id="u", change=FileChange.between("/w/a", "x\n", "y\n", before_hash="other"), after_hash="3"
        )
    )
    (touched,) = change_history.files
    assert (touched.first, touched.left, touched.is_mixed) == ("one", "3", True)


def test_contents_that_are_not_what_they_were_are_not_given_back(tmp_path: Path) -> None:
    kept = Versions(tmp_path / "v")
    assert kept.keep(b"data")
    (file,) = (tmp_path / "v").iterdir()
    assert kept.load(file.name) == b"data"
    file.write_bytes(b"other")
    assert kept.load(file.name) is None
    assert kept.load("../x") is None


@pytest.mark.parametrize("moment", ["before the plan", "after the plan"])
@pytest.mark.parametrize("kind", ["restore", "recreate", "remove", "reverse"])
async def test_undo_is_not_done_through_a_link_that_has_come_since(kind: str, moment: str, work: Path) -> None:
    src, outside = work / "src", work.parent / "outside"
    src.mkdir()
    file = src / "a.txt"
    if kind != "remove":
        file.write_text(OLD)
    front = await ran(work, write(file, "new\n") if kind == "remove" else edit(file, "line 3\n", "three\n"))
    if kind == "reverse":
        file.write_text(file.read_text() + "theirs\n")
    shutil.copytree(src, outside)  # what is there is just what undoing looks for
    if kind == "recreate":
        file.unlink()
        (outside / "a.txt").unlink()

    def exchange() -> None:
        src.rename(work / "moved")
        src.symlink_to(outside)

    before = {path.name: path.read_text() for path in outside.iterdir()}
    if moment == "before the plan":
        exchange()
    plan = await front.session.change_history.plan(str(file))
    assert plan is not None
    if moment == "after the plan":
        assert plan.kind == kind
        exchange()
    left = await front.session.change_history.undo(plan)
    assert left is not None
    assert left.kind == "nothing"
    assert f"its path now leads to {outside}/a.txt" in left.problem
    assert {path.name: path.read_text() for path in outside.iterdir()} == before
    assert not front.of(EditUndone)
    await front.session.close()


async def test_undo_goes_through_a_link_that_was_there_before(work: Path) -> None:
    (work / "packages").mkdir()
    (work / "src").symlink_to("packages")
    file = work / "src/a.txt"
    file.write_text(OLD)
    front = await ran(work, edit(file, "line 3\n", "three\n"))
    (applied,) = front.of(EditApplied)
    assert applied.real == f"{work}/packages/a.txt"
    await undone(front, file)
    assert (work / "packages/a.txt").read_text() == OLD
    assert (work / "src").is_symlink()
    await front.session.close()
