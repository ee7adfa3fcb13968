"""Changes of several files are whole or not there: killed at any step, with a full disk, or beside another program's start."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.engine.session.config import SessionOptions, prepare
from tui_agent.tools.file_changes import atomic
from tui_agent.tools.file_changes.apply import apply_changes
from tui_agent.tools.file_changes.checks import RefusedChange
from tui_agent.tools.file_changes.intents import StrandedError, recover
from tui_agent.tools.files import load
from tui_agent.tools.resolved_path import resolve

CRASHING = Path(__file__).with_name("crashing.py")


SCENARIOS = ("one", "made", "all", "copies")


def rows(folder: Path, *pairs: str) -> list[dict[str, Any]]:
    """Let the changes of scenarios fail at every step in turn."""
    done = subprocess.run(
        [sys.executable, str(CRASHING), str(folder / "world"), *pairs], capture_output=True, text=True, check=True
    )
    assert not done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) > 5 * len(pairs)
    return found


def test_killed_at_any_step_it_is_whole_or_nothing_after_the_next_start(tmp_path: Path) -> None:
    found = rows(tmp_path, *(f"{scenario}:kill" for scenario in SCENARIOS))
    assert [row for row in found if row["left"] not in ("old", "new") or row["notes"]] == []
    for scenario in SCENARIOS:
        own = [row for row in found if row["of"] == f"{scenario}:kill"]
        assert {row["left"] for row in own} == {"old", "new"}
        assert {row["end"] for row in own[:-1]} == {"killed"}


def test_a_recovery_that_is_killed_itself_is_taken_up_again(tmp_path: Path) -> None:
    found = rows(tmp_path, "all:again")
    assert [row for row in found if row["left"] not in ("old", "new") or row["notes"]] == []


def test_without_space_at_any_step_what_is_reported_is_what_holds(tmp_path: Path) -> None:
    found = rows(tmp_path, "one:fail", "made:fail", "all:fail", "copies:full")
    right = (("failed", "old"), ("done", "new"))
    assert [row for row in found if (row["end"], row["left"]) not in right or row["notes"]] == []
    assert {row["end"] for row in found} == {"failed", "done"}


def test_another_start_leaves_alone_what_a_running_program_is_at(tmp_path: Path) -> None:
    found = rows(tmp_path, "all:pause")
    assert [row for row in found if (row["end"], row["left"], row["told"]) != ("done", "new", [])] == []


# --- what is told, and what somebody else did meanwhile ----------------------------------------------------------------


def make(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def change(path: Path, after: str) -> ApprovedChange:
    if not path.exists():
        return FileChange.between(str(path), None, after).approve()
    file = load(resolve(str(path)))
    return FileChange.between(str(path), file.text, after, before_hash=file.hash).approve()


def cut_off(changes: list[ApprovedChange], state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a change as a killed program leaves it: two files in their places, the rest not."""
    count = 0
    real = os.replace

    class Killed(BaseException):
        pass

    def replace(*arguments: Any, **more: Any) -> None:
        nonlocal count
        count += 1
        if count == 3:
            raise Killed
        real(*arguments, **more)

    def nothing(*_: object) -> list[str]:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replace)
        patched.setattr("tui_agent.tools.file_changes.intents.take_back", nothing)
        patched.setattr("tui_agent.tools.file_changes.intent_notes.os.unlink", lambda _: None)
        with pytest.raises(Killed):
            apply_changes(changes, state)


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    paths = [make(tmp_path / "work" / name, f"old {name}\n") for name in ("a", "b", "c")]
    cut_off([change(path, f"new {path.name}\n") for path in paths], tmp_path / "state", monkeypatch)
    assert [path.read_text() for path in paths] == ["new a\n", "new b\n", "old c\n"]
    return paths


def test_the_next_start_of_the_program_restores_and_says_what(three: list[Path], tmp_path: Path) -> None:
    opening = prepare(SessionOptions(cwd=tmp_path / "work", state=tmp_path / "state", is_trusted=True))
    assert [path.read_text() for path in three] == ["old a\n", "old b\n", "old c\n"]
    (text,) = [text for text in opening.notices if "cut off" in text]
    assert time.strftime("%Y-%m-%d") in text
    assert all(str(path) in text for path in three)
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["a", "b", "c"]
    assert recover(tmp_path / "state") == ()


def test_what_somebody_has_changed_since_is_left_alone_and_the_old_content_kept(
    three: list[Path], tmp_path: Path
) -> None:
    three[1].write_text("theirs\n")
    (text,) = recover(tmp_path / "state")
    assert [path.read_text() for path in three] == ["old a\n", "theirs\n", "old c\n"]
    (kept,) = (tmp_path / "work").glob(".b.*.old")
    assert str(kept) in text
    assert kept.read_text() == "old b\n"


def test_a_recovery_follows_no_link_that_has_come_since(three: list[Path], tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    shutil.copytree(work, outside)  # the same names, also of what was kept aside and staged
    before = {path.name: path.read_bytes() for path in outside.iterdir()}
    work.rename(tmp_path / "moved")
    work.symlink_to(outside)
    (text,) = recover(tmp_path / "state")
    assert all(str(path) in text for path in three)
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == before


def test_a_note_that_another_version_wrote_is_left_and_told(tmp_path: Path) -> None:
    note = make(tmp_path / "intents/x.json", '{"version": 99}')
    assert "cannot read" in recover(tmp_path)[0]
    assert note.exists()


def test_a_note_that_was_cut_off_is_thrown_away(tmp_path: Path) -> None:
    note = make(tmp_path / "intents/x.json", '{"version": 1, "steps": [{"tar')
    assert recover(tmp_path) == ()
    assert not note.exists()


def test_no_folder_of_notes_is_nothing_to_do(tmp_path: Path) -> None:
    assert recover(tmp_path / "nowhere") == ()


def test_a_change_that_cannot_be_taken_back_says_so_and_the_next_start_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [make(tmp_path / name, f"old {name}\n") for name in ("a", "b")]
    changes = [change(path, "new\n") for path in paths]
    real = os.replace

    def replace(source: str, target: str, **more: Any) -> None:
        if target == "b" or source.endswith(".old"):
            raise OSError(5, "Input/output error")
        real(source, target, **more)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replace)
        with pytest.raises(StrandedError, match="taking it back failed"):
            apply_changes(changes, tmp_path / "state")
    assert paths[0].read_text() == "new\n"
    recover(tmp_path / "state")
    assert [path.read_text() for path in paths] == ["old a\n", "old b\n"]


def test_one_file_is_changed_even_where_no_note_can_be_kept_and_several_are_not(tmp_path: Path) -> None:
    paths = [make(tmp_path / name, "old\n") for name in ("a", "b")]
    state = make(tmp_path / "state", "a file where the folder should be")
    apply_changes([change(paths[0], "new\n")], state)
    assert paths[0].read_text() == "new\n"
    with pytest.raises(OSError, match="state"):
        apply_changes([change(path, "newer\n") for path in paths], state)
    assert [path.read_text() for path in paths] == ["new\n", "old\n"]


# --- applying ----------------------------------------------------------------------------------------------------------


def test_one_file_that_changed_stops_all_of_them(tmp_path: Path) -> None:
    paths = [make(tmp_path / name, "old\n") for name in ("a", "b")]
    changes = [change(path, "new\n") for path in paths]
    paths[1].write_text("theirs\n")
    with pytest.raises(RefusedChange) as caught:
        apply_changes(changes)
    assert caught.value.code == "changed_on_disk"
    assert [path.read_text() for path in paths] == ["old\n", "theirs\n"]


def test_a_file_that_changes_at_the_last_moment_stops_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [make(tmp_path / name, "old\n") for name in ("a", "b")]
    changes = [change(path, "new\n") for path in paths]
    real = atomic.stage

    def stage(*arguments: Any, **more: Any) -> os.stat_result:
        paths[1].write_text("theirs")
        return real(*arguments, **more)

    monkeypatch.setattr(atomic, "stage", stage)
    with pytest.raises(RefusedChange) as caught:
        apply_changes(changes)
    assert caught.value.code == "changed_on_disk"
    assert [path.read_text() for path in paths] == ["old\n", "theirs"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_one_file_under_two_names_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "a", "old\n")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(RefusedChange) as caught:
        apply_changes([change(path, "one\n"), change(tmp_path / "b", "two\n")])
    assert (caught.value.code, path.read_text()) == ("same_file", "old\n")


def test_a_change_of_which_nothing_was_taken_touches_nothing(tmp_path: Path) -> None:
    path = make(tmp_path / "a", "old\n")
    file = load(resolve(str(path)))
    refused = FileChange.between(str(path), file.text, "new\n", before_hash=file.hash).approve(())
    unmade = FileChange.between(str(tmp_path / "b"), None, "new\n").approve(())
    path.write_text("changed by others\n")
    assert [one.record for one in apply_changes([refused, unmade])] == [None, None]
    assert (path.read_text(), (tmp_path / "b").exists()) == ("changed by others\n", False)


def test_extended_attributes_stay(tmp_path: Path) -> None:
    path = make(tmp_path / "a", "old\n")
    try:
        os.setxattr(path, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("no extended attributes here")
    apply_changes([change(path, "new\n")])
    assert (os.getxattr(path, "user.note"), path.read_text()) == (b"mine", "new\n")
