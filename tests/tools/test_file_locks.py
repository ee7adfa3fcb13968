"""Two sessions that change one file lose nothing: a change is made on what is there, or refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.tools.file_changes import file_locks
from tui_agent.tools.file_changes.apply import apply_changes, write_bytes
from tui_agent.tools.file_changes.checks import RefusedChange
from tui_agent.tools.file_changes.file_locks import BusyFile, locked_files
from tui_agent.tools.files import load
from tui_agent.tools.resolved_path import resolve

EDITS = 120
# Counts up a line of its own, until so many changes were taken, and tells how many of them are not in the file.
COUNTING = """
import json, sys
from pathlib import Path
from tui_agent.changes import FileChange
from tui_agent.tools.file_changes.apply import apply_changes
from tui_agent.tools.file_changes.checks import RefusedChange
from tui_agent.tools.files import load
from tui_agent.tools.resolved_path import resolve

path, name, edits, state = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])
print("ready", flush=True)
sys.stdin.readline()
count = lost = 0
while count < edits:
    file = load(resolve(path))
    at = int(next(line for line in file.text.splitlines() if line.startswith(name)).split()[1])
    lost += count - at
    count = at
    after = file.text.replace(f"{name} {count}\\n", f"{name} {count + 1}\\n")
    try:
        apply_changes([FileChange.between(path, file.text, after, before_hash=file.hash).approve()], state)
    except RefusedChange as error:
        assert error.code == "changed_on_disk", error  # the other one was faster: once more
    else:
        count += 1
print(json.dumps({"lost": lost}))
"""


def change(path: Path, after: str) -> ApprovedChange:
    file = load(resolve(str(path)))
    return FileChange.between(str(path), file.text, after, before_hash=file.hash).approve()


def test_of_many_edits_by_two_programs_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a 0\nb 0\n")
    sessions = [
        subprocess.Popen(
            [sys.executable, "-c", COUNTING, str(path), name, str(EDITS), str(tmp_path / "state")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for session in sessions:
        assert session.stdout is not None
        assert session.stdout.readline() == "ready\n"
    for session in sessions:
        assert session.stdin is not None
        session.stdin.write("\n")
        session.stdin.flush()
    found = [json.loads(session.communicate()[0]) for session in sessions]
    assert [one["lost"] for one in found] == [0, 0]
    assert path.read_text() == f"a {EDITS}\nb {EDITS}\n"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["f", "state"]


def test_who_waits_for_too_long_is_told_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_locks, "_PATIENCE_S", 0.02)
    path = tmp_path / "f"
    path.write_text("old\n")
    approved = change(path, "new\n")
    with locked_files([os.path.realpath(path)], tmp_path / "state"):
        with pytest.raises(RefusedChange, match=r"Another session has been writing .*/f for more than .* Nothing"):
            apply_changes([approved], tmp_path / "state")
        with pytest.raises(BusyFile):
            write_bytes(resolve(str(path)), b"new\n", approved.before_hash, tmp_path / "state")
    assert path.read_text() == "old\n"
    apply_changes([approved], tmp_path / "state")
    assert path.read_text() == "new\n"


def test_changes_of_the_same_files_in_another_order_do_not_wait_for_each_other(tmp_path: Path) -> None:
    names = [f"{tmp_path}/{number}" for number in range(30)]
    problems: list[OSError] = []

    def work(paths: list[str]) -> None:
        try:
            for _ in range(40):
                with locked_files(paths, tmp_path):
                    pass
        except OSError as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(paths,)) for paths in (names, names[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_the_lock_of_a_program_that_was_killed_is_free(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from tui_agent.tools.file_changes.file_locks import locked_files\n"
        "with locked_files(['/x'], Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    holder.kill()
    holder.communicate()
    with locked_files(["/x"], tmp_path):
        pass


def test_there_are_only_so_many_lock_files_and_they_are_private(tmp_path: Path) -> None:
    with locked_files((f"/x/{number}" for number in range(1000)), tmp_path):
        pass
    assert len(list((tmp_path / "locks").iterdir())) <= 64
    assert (tmp_path / "locks").stat().st_mode & 0o777 == 0o700


def test_where_no_lock_can_be_kept_files_are_written_without(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file in the place of the folder")
    path = tmp_path / "f"
    path.write_text("old\n")
    write_bytes(resolve(str(path)), b"new\n", change(path, "new\n").before_hash, tmp_path / "state")
    assert path.read_text() == "new\n"
