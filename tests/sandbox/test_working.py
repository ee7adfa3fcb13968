"""A command that may write in the work may do so there and nowhere else, and not what other programs obey."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from sandboxes import NAMES, Done, confined, sandbox_or_skip

from tui_agent.engine.session.config import SessionOptions, prepare
from tui_agent.sandbox.limits import Sandbox, SandboxLimits, SandboxStartError

PYTHON = shlex.quote(sys.executable)


@pytest.fixture(params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


@pytest.fixture
def bubblewrap() -> Sandbox:
    return sandbox_or_skip("bubblewrap")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    (place / ".git" / "hooks").mkdir(parents=True)
    (place / ".git" / "config").write_text("[core]\n")
    (place / "f").write_text("content\n")
    return place


def work(sandbox: Sandbox, command: str, folder: Path, *unwritable: str, **limits: bool) -> Done:
    kept = tuple(str(folder / name) for name in unwritable)
    return confined(sandbox, command, SandboxLimits(writable=(str(folder),), unwritable=kept, **limits), folder)


def test_it_writes_inside(sandbox: Sandbox, folder: Path) -> None:
    command = (
        "echo new > f; mkdir -p a/b; mv f a/b/g; ln -s a l; chmod 600 a/b/g; touch -d 2001-01-01 t; rm -r l; cp a/b/g c"
    )
    done = work(sandbox, command, folder)
    assert (done.code, done.err) == (0, "")
    assert (folder / "a" / "b" / "g").read_text() == "new\n"
    assert (folder / "c").exists()


@pytest.mark.parametrize("place", ["..", "~", "/tmp", "/etc", "/usr/local/lib"])
def test_it_does_not_write_outside(sandbox: Sandbox, folder: Path, place: str) -> None:
    name = f"tui-agent-test-{os.getpid()}"
    done = work(sandbox, f"echo x > {place}/{name}", folder)
    assert (done.code, done.is_stopped) == (1, True)
    assert not (folder / Path(place).expanduser() / name).exists()


def test_a_link_leads_out_of_the_writable(sandbox: Sandbox, folder: Path) -> None:
    (folder / "out").symlink_to(folder.parent)
    assert work(sandbox, "echo x > out/new; ln -s /tmp t; echo x > t/tui-agent-test-link", folder).code != 0
    assert not (folder.parent / "new").exists()


def test_a_folder_that_is_a_link_is_writable_where_it_leads(sandbox: Sandbox, folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    assert confined(sandbox, "echo x > new; pwd -P", SandboxLimits(writable=(str(link),)), link).out == f"{folder}\n"
    assert (folder / "new").exists()


@pytest.mark.parametrize(
    "command",
    [
        "echo evil > .git/hooks/pre-commit",
        "echo evil >> .git/config",
        "git config core.hooksPath /x",
        "mv .git .old && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit",
        "mv .git/hooks .git/h; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
        "rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
        "rm -f .git/config; echo evil > .git/config",
        "echo evil > new; mv -f new .git/config",
        "chmod 777 .git/hooks",
        "ln -sfn /tmp .git/hooks",
        "echo '{}' > .mcp.json",
        "rm -rf .mcp.json; echo '{}' > .mcp.json",
        "echo '{}' > x; mv -T x .mcp.json",
        "mkdir .claude; echo '{}' > .claude/settings.json",
        "mv .claude .x; mkdir .claude && echo '{}' > .claude/settings.json",
    ],
)
def test_what_other_programs_obey_stays(bubblewrap: Sandbox, folder: Path, command: str) -> None:
    before = {path.relative_to(folder) for path in folder.rglob("*")}
    done = work(bubblewrap, command, folder, ".git/hooks", ".git/config", ".mcp.json", ".claude")
    assert done.code != 0
    assert {path.relative_to(folder) for path in folder.rglob("*")} - before <= {Path("new"), Path("x")}
    assert (folder / ".git" / "config").read_text() == "[core]\n"
    assert (folder / ".git" / "hooks").stat().st_mode & 0o777 != 0o777
    assert not list((folder / ".git" / "hooks").iterdir())


def test_the_rest_of_a_repository_can_be_written(bubblewrap: Sandbox, folder: Path) -> None:
    command = (
        "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a HOME=/nowhere; "
        "git add -A && git commit -qm one && git ls-files"
    )
    os.system(f"git init -q {shlex.quote(str(folder))}")
    done = work(bubblewrap, command, folder, ".git/hooks", ".git/config", ".mcp.json", ".claude")
    assert (done.out, done.err) == ("f\n", "")


def test_stand_ins_stay_as_long_as_a_command_needs_them(bubblewrap: Sandbox, folder: Path) -> None:
    limits = SandboxLimits(writable=(str(folder),), unwritable=(str(folder / ".claude"),))
    first = bubblewrap.wrap(("true",), limits, folder=str(folder), environment={})
    second = bubblewrap.wrap(("true",), limits, folder=str(folder), environment={})
    first.close()
    second.close()
    first.clean()
    assert (folder / ".claude").is_dir()
    second.clean()
    second.clean()
    assert not (folder / ".claude").exists()


ANOTHER = """
import sys
from tui_agent.sandbox.path_overlays import OverlayFiles
stand_ins = OverlayFiles()
print(stand_ins.share(sys.argv[1]), flush=True)
sys.stdin.read()
stand_ins.release()
"""


def test_another_program_keeps_a_stand_in_that_it_needs(bubblewrap: Sandbox, folder: Path) -> None:
    stand_in = folder / ".claude"
    limits = SandboxLimits(writable=(str(folder),), unwritable=(str(stand_in),))
    launch = bubblewrap.wrap(("true",), limits, folder=str(folder), environment={})
    launch.close()
    with subprocess.Popen(
        [sys.executable, "-c", ANOTHER, str(stand_in)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin
        assert other.stdout
        assert other.stdout.readline() == "True\n"
        launch.clean()
        assert stand_in.is_dir()
        other.stdin.close()
        other.wait()
        assert not stand_in.exists()


def test_a_stand_in_that_was_left_is_taken_away_with_the_next_command(bubblewrap: Sandbox, folder: Path) -> None:
    (folder / ".mcp.json").mkdir(mode=0o555)
    (folder / ".vscode").mkdir()
    assert work(bubblewrap, "true", folder, ".mcp.json", ".vscode").code == 0
    assert not (folder / ".mcp.json").exists()
    assert (folder / ".vscode").exists()  # that one is the person's own


def test_the_next_start_takes_away_what_nobody_needs(tmp_path: Path) -> None:
    left, needed, own, filled = (tmp_path / name for name in (".claude", ".vscode", ".idea", ".mcp.json"))
    for path in (left, needed, filled):
        path.mkdir()
    (filled / "file").touch()
    for path in (left, needed, filled):
        path.chmod(0o555)
    own.mkdir()
    other = subprocess.Popen(
        [sys.executable, "-c", ANOTHER, str(needed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdin
        assert other.stdout
        other.stdout.readline()
        prepare(SessionOptions(cwd=tmp_path, state=tmp_path / "state"))
        assert [path.exists() for path in (left, needed, own, filled)] == [False, True, True, True]
        other.stdin.close()


def test_a_stand_in_that_was_filled_by_others_stays(bubblewrap: Sandbox, folder: Path) -> None:
    limits = SandboxLimits(writable=(str(folder),), unwritable=(str(folder / ".claude"),))
    launch = bubblewrap.wrap(("true",), limits, folder=str(folder), environment={})
    launch.close()
    (folder / ".claude").chmod(0o755)
    (folder / ".claude" / "settings.json").write_text("{}")
    launch.clean()
    assert (folder / ".claude" / "settings.json").exists()


def test_what_is_a_link_cannot_be_kept_so_nothing_runs(bubblewrap: Sandbox, folder: Path) -> None:
    (folder / ".claude").symlink_to("elsewhere")
    with pytest.raises(SandboxStartError, match=r"\.claude is a link"):
        work(bubblewrap, "true", folder, ".claude")


def test_a_writable_folder_can_be_forbidden_as_a_whole(bubblewrap: Sandbox, folder: Path) -> None:
    assert work(bubblewrap, "echo x > new", folder, "").is_stopped


def test_landlock_says_that_it_cannot_hold_what_lies_inside() -> None:
    sandbox = sandbox_or_skip("landlock")
    assert not sandbox.holds_inside
    assert any(".git/hooks" in gap for gap in sandbox.gaps)


def test_without_the_network_nothing_outside_is_reached(sandbox: Sandbox, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        listening.settimeout(0)
        assert work(sandbox, f"echo x > /dev/tcp/127.0.0.1/{port}", folder).code != 0
        udp = f'{PYTHON} -Ic \'import socket; socket.socket(2, 2).sendto(b"x", ("192.0.2.1", 9))\''
        assert work(sandbox, udp, folder).code != 0
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_with_the_network_servers_are_reached(sandbox: Sandbox, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(5)
        done = work(sandbox, f"echo x > /dev/tcp/127.0.0.1/{listening.getsockname()[1]}", folder, network=True)
        assert (done.code, done.err) == (0, "")
        listening.accept()[0].close()


def test_a_server_of_its_own_is_reached_without_the_network(bubblewrap: Sandbox, folder: Path) -> None:
    script = (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname());"
        "print('reached')"
    )
    assert work(bubblewrap, f"{PYTHON} -Ic {shlex.quote(script)}", folder).out == "reached\n"


@pytest.mark.parametrize("network", [False, True])
def test_local_sockets_are_out_of_reach_unless_allowed(sandbox: Sandbox, folder: Path, network: bool) -> None:
    script = f"{PYTHON} -Ic 'import socket; s = socket.socket(socket.AF_UNIX); s.bind(\"s\"); print(1)'"
    assert work(sandbox, script, folder, network=network).is_stopped
    assert work(sandbox, script, folder, network=network, unix_sockets=True).out == "1\n"


def test_it_has_processes_of_its_own(bubblewrap: Sandbox, folder: Path) -> None:
    with psutil.Popen(["sleep", "30"]) as outside:
        done = work(bubblewrap, f"kill -9 {outside.pid}; ls -d /proc/[0-9]* | wc -l; cat /proc/$$/comm; true", folder)
        assert outside.is_running()
        outside.kill()
    assert int(done.out.split()[0]) < 10
    assert done.out.split()[1] == "bash"
