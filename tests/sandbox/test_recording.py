"""The sandbox that records: what a command does in it is seen, and none of it happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from recording_sandbox import Recording, record, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=f"no command can be recorded here: {why_not()}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "g").write_text("x\n")
    (tmp_path / "f").write_text("b\na\n")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "true",
        "sort f | uniq -c",
        "cat <<E\nhi\nE",
        "find . -name f | xargs wc -l",
        "yes | head -1",
        "ls -la ~ > /dev/null",
    ],
)
def test_what_only_reads_is_clean(folder: Path, command: str) -> None:
    recording = record(command, folder=folder)
    assert (recording.is_clean, recording.exit_code) == (True, 0), recording


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("sort -o f f", "written {}/f"),
        ("touch f", "written {}/f"),
        ("touch sub", "touched {}/sub"),
        ("rm -r sub", "removed {}/sub"),
        ("chmod 700 sub", "changed {}/sub"),
        ("mkdir new", "made {}/new"),
        ("ln -s f link", "written {}/link"),
        ("echo x > /etc/made-by-a-test", "written /etc/made-by-a-test"),
        ("touch /dev/shm/x", "written /dev/shm/x"),
    ],
)
def test_what_changes_something_is_seen_and_nothing_has_happened(folder: Path, command: str, change: str) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    recording = record(command, folder=folder)
    if recording.stderr:
        pytest.skip(f"who runs this test may not do it at all: {recording.stderr}")
    assert change.format(folder) in recording.changed
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize(
    ("command", "call"),
    [("echo > /dev/tcp/127.0.0.1/9", "socket 2"), ("python3 -c 'import socket; socket.socket(10, 2)'", "socket 10")],
)
def test_sockets_are_seen_and_refused(folder: Path, command: str, call: str) -> None:
    recording = record(command, folder=folder)
    assert recording.tried == (call,)
    assert recording.exit_code != 0


def test_a_local_socket_is_named_by_where_it_leads(folder: Path) -> None:
    script = "import socket; socket.socket(socket.AF_UNIX).connect('/run/nobody.sock')"
    assert record(f'python3 -c "{script}"', folder=folder).tried == ("connect /run/nobody.sock",)


@pytest.mark.parametrize("command", ["sleep 9 &", "setsid sleep 9 & disown"])
def test_what_is_left_running_is_named(folder: Path, command: str) -> None:
    assert record(command, folder=folder).left == ("sleep 9",)


def test_output_and_end_are_told(folder: Path) -> None:
    assert record("echo out; echo err >&2; exit 3", folder=folder) == Recording(3, "out\n", "err\n")
    assert record("kill -9 $$", folder=folder).exit_code == 137
    assert record("sleep 60", folder=folder, timeout_s=0.3).is_late
