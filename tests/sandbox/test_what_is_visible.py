"""A command that was let through as one that reads the work sees the work and the system, whatever names lead elsewhere."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import psutil
import pytest
from policed import Place
from sandboxes import NAMES, sandbox_or_skip

from tui_agent.permissions.verdict import ReadOnlyWithSockets
from tui_agent.sandbox.limits import Sandbox


@pytest.fixture(params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


@pytest.fixture
def place(tmp_path: Path, sandbox: Sandbox) -> Place:
    """A project with links that lead out of it, committed in a way, under names that are hard to handle."""
    place = Place(tmp_path, sandbox)
    work = place.work
    (work / "link").symlink_to(place.base / "outside")
    (work / "sub/a name\nwith breaks").symlink_to(place.base / "outside/secret.txt")
    (work / "sub/up").symlink_to("../../../outside")
    (work / "key").symlink_to("../.ssh/id")
    return place


READERS = (
    "find -L . -type f -maxdepth 5 | xargs cat",
    "find . -print0 | xargs -0 cat",
    "grep -R SECRET .",
    "shopt -s globstar; cat **",
    "cat link/* sub/* sub/up/* key",
    "tar -ch . | cat",
    "cat {base}/outside/secret.txt ~/.ssh/id ~/.netrc ~/other/*",
    "cat /proc/self/root{base}/outside/secret.txt /proc/1/root{base}/outside/secret.txt",
    "cat /proc/$PPID/root{base}/outside/secret.txt /proc/$PPID/cwd/../.ssh/id",
    "cd -P link && cat secret.txt; cd ~/other && cat *; cd .. && cat .netrc",
    "cat /proc/[0-9]*/root{base}/outside/secret.txt /proc/[0-9]*/cwd/../.ssh/id",
)


@pytest.mark.parametrize("command", READERS)
def test_nothing_outside_is_read(place: Place, command: str) -> None:
    command = command.replace("{base}", str(place.base))
    assert "SECRET" not in place.look(f"({command}) 2> /dev/null; cat file.txt")
    assert "public" in place.look(f"({command}) > /dev/null 2>&1; cat file.txt")


def test_what_was_judged_can_be_read_and_nothing_beside_it(place: Place) -> None:
    named = (str(place.home / "other/secret.txt"),)
    said = place.look("cat ~/other/secret.txt ~/.netrc; ls ~/.ssh", readable=named)
    assert said.count("SECRET") == 1
    (place.home / "other/more").write_text("MORE\n")
    assert "MORE" not in place.look("cat ~/other/more", readable=named)
    through = (str(place.work / "key"), str(place.home / ".ssh/id"))
    assert place.look("cat key", readable=through) == "SECRET\n"


def test_memory_and_environment_of_other_processes_are_closed(place: Place) -> None:
    with subprocess.Popen(["sleep", "60"], env={"TOKEN": "SECRET"}, cwd=place.base / "outside") as other:
        try:
            pid = other.pid
            said = place.look(
                f"cat /proc/{pid}/environ /proc/{pid}/mem /proc/{pid}/cwd/secret.txt; ls -l /proc/{pid}/fd"
            )
            assert "SECRET" not in said
            assert "->" not in said
            assert str(pid) in place.look(f"ps -p {pid}")
        finally:
            other.kill()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could read it")
def test_what_root_alone_may_read_of_the_system_is_hidden_from_root(place: Place) -> None:
    assert place.look("cat /etc/shadow /etc/gshadow 2> /dev/null; cat /etc/shadow- 2> /dev/null") == ""


def test_what_others_keep_in_the_temporary_folder_is_not_there(place: Place) -> None:
    with tempfile.NamedTemporaryFile("w", prefix="tui-agent-marker-") as file:
        file.write("SECRET")
        file.flush()
        said = place.look(f"ls -A {Path(file.name).parent}; cat {file.name}; ls ~/.ssh")
    assert "SECRET" not in said
    assert "tui-agent-marker" not in said.replace(f"cat: {file.name}", "")
    assert "id\n" not in said


def test_with_home_as_the_work_keys_are_hidden_unless_they_are_named(tmp_path: Path, sandbox: Sandbox) -> None:
    place = Place(tmp_path, sandbox, folder="home")
    assert "SECRET" not in place.look("cat .ssh/id .netrc; grep -r . .ssh; find .ssh .netrc -type f | xargs cat")
    assert "SECRET" in place.look("cat other/secret.txt")
    assert place.look("cat .netrc", readable=(str(place.home / ".netrc"),)) == "SECRET\n"


def test_the_work_may_be_reached_through_a_link(tmp_path: Path, sandbox: Sandbox) -> None:
    Place(tmp_path, sandbox)
    (tmp_path / "short").symlink_to("home/work")
    place = Place(tmp_path, sandbox, folder="short")
    assert place.look(f"cat file.txt {tmp_path}/short/file.txt") == "public\npublic\n"
    assert "SECRET" not in place.look("cat ../.netrc ../.ssh/id")


DAILY = (
    "ls -la", "pwd", "python3 --version", "grep -rn public . | head -1", "find . -name '*.txt' | wc -l", "ps aux | head -3",
    "date", "locale", "uname -a", "id -un", "df -h .", "which ls", "file file.txt", "TZ=Europe/Berlin date",
    "tput cols -T xterm", "echo a | sort -u", "sort file.txt | uniq -c", "diff file.txt file.txt", "git --version",
    "man -w ls || true", "cat <<< here", "diff <(echo a) <(echo a)", "mktemp", "awk 1 file.txt", "stat file.txt",
    "dpkg -l bash || true", "getent passwd root", "hostname",
)  # fmt: skip


def test_commands_of_daily_life_work_as_outside(place: Place) -> None:
    """Each says what it says without a sandbox, but for numbers that change."""
    script = "\n".join(f"({one}) > /dev/null 2> $TMPDIR/err || echo '{one}' $(cat $TMPDIR/err)" for one in DAILY)
    missing = ("file ", "man ", "dpkg ", "locale") if not shutil.which("dpkg") else ()
    failed = [
        line for line in place.look(script.replace("'*.txt'", '"*.txt"')).splitlines() if not line.startswith(missing)
    ]
    assert failed == [] or all(shutil.which(line.split()[0]) is None for line in failed), failed


def test_git_works_in_a_checkout_a_subfolder_a_worktree_and_a_submodule(tmp_path: Path, sandbox: Sandbox) -> None:
    if shutil.which("git") is None:
        pytest.skip("not covered here: git is missing")
    place = Place(tmp_path, sandbox)
    (place.home / ".gitconfig").write_text(
        "[user]\n\tname = A\n\temail = a@b\n[core]\n\texcludesFile = ~/lists/ignored\n"
    )
    (place.home / "lists").mkdir()
    (place.home / "lists/ignored").write_text("*.tmp\n")
    (place.work / "x.tmp").touch()
    environment = {**os.environ, "HOME": str(place.home), "XDG_CONFIG_HOME": str(place.home / ".config")}
    script = (
        "rm -rf .git; git init -q -b main; git add file.txt; git commit -qm one; git init -q ../lib; git -C ../lib commit -q "
        "--allow-empty -m lib; git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm two; "
        "git worktree add -q ../tree; git clone -q --shared . ../shared"
    )
    subprocess.run(["bash", "-ec", script], cwd=place.work, env=environment, check=True, capture_output=True)
    commands = (
        "git log --oneline; git status --short; git show --stat; git diff; [ ! -e file.txt ] || git blame file.txt"
    )
    for folder in ("work", "work/sub", "work/lib", "tree"):
        here = Place(
            tmp_path, sandbox, folder=f"home/{folder}", environment={"XDG_CONFIG_HOME": str(place.home / ".config")}
        )
        said = here.look(commands)
        assert "fatal" not in said, (folder, said)
        assert ("two" in said) or folder == "work/lib", said
        assert "x.tmp" not in said
        assert " D " not in said
    for is_trusted in (True, False):
        shared = Place(tmp_path, sandbox, folder="home/shared", is_trusted=is_trusted)
        assert "fatal" in shared.look("git log")  # whose objects are another repository's


def test_a_git_file_that_leads_to_another_repository_does_not_show_it(tmp_path: Path, sandbox: Sandbox) -> None:
    place = Place(tmp_path, sandbox)
    git = place.home / "other/.git"
    (git / "objects").mkdir(parents=True)
    (git / "config").write_text("SECRET\n")
    (place.work / ".git").rmdir()
    (place.work / ".git").write_text(f"gitdir: {git}\n")
    assert "SECRET" not in place.look(f"cat {git}/config")


def test_a_socket_of_a_daemon_can_be_reached_where_that_is_asked_for(tmp_path: Path) -> None:
    place = Place(tmp_path, sandbox_or_skip("bubblewrap"))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "d.sock"))
        listening.listen()
        script = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect('{tmp_path}/d.sock'); print('reached')"
        assert "reached" not in place.look(f'python3 -Ic "{script}"')
        assert "reached" in place.run(f'python3 -Ic "{script}"', ReadOnlyWithSockets((f"{tmp_path}/d.sock",)))


def test_processes_of_the_machine_are_seen(place: Place) -> None:
    assert str(psutil.Process().pid) in place.look("ps ax -o pid").split()
