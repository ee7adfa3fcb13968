"""Which sandbox is found: the best one that works, once, and only when it is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sandboxes import sandbox_or_skip

from tui_agent.sandbox import bubblewrap, find, landlock, seatbelt
from tui_agent.sandbox.limits import SandboxLimits, SandboxStartError


@pytest.fixture(autouse=True)
def _nothing_found_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "_found", [])


def program(folder: Path, text: str) -> None:
    (folder / "bwrap").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "bwrap").chmod(0o755)


def test_bubblewrap_comes_first() -> None:
    sandbox_or_skip("bubblewrap")
    found = find.find_sandbox()
    assert found
    assert found.name == "bubblewrap"
    assert find.find_sandbox() is found


@pytest.mark.parametrize("text", ["", "echo no permission to make namespaces >&2; exit 1", "exit 0", "kill -9 $$"])
def test_without_bubblewrap_that_works_it_is_landlock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    sandbox_or_skip("landlock")
    if text:
        program(tmp_path, text)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find.find_sandbox()
    assert found
    assert found.name == "landlock"


@pytest.mark.skipif(sys.platform != "linux", reason="about Linux")
def test_with_neither_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(landlock, "landlock_abi", lambda: 2)
    assert find.find_sandbox() is None


@pytest.mark.skipif(sys.platform != "linux", reason="about Linux")
def test_a_bubblewrap_in_a_relative_folder_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "exit 7")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert bubblewrap.find_bubblewrap() is None


@pytest.mark.parametrize(
    ("refused", "has_own_proc", "has_own_network"),
    [("--proc", False, True), ("--unshare-net", True, False), ("--proc|--unshare-net", False, False)],
)
def test_what_a_container_forbids_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str, has_own_proc: bool, has_own_network: bool
) -> None:
    real = sandbox_or_skip("bubblewrap")
    assert isinstance(real, bubblewrap.Bubblewrap)
    words = "$(/usr/bin/tr '\\0' '\\n' < /proc/$$/fd/$2)"
    program(
        tmp_path, f'for word in {words}; do case $word in {refused}) exit 1 ;; esac; done\nexec {real.program} "$@"'
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = bubblewrap.find_bubblewrap()
    assert found
    assert (found.has_own_proc, found.has_own_network) == (has_own_proc, has_own_network)


def test_without_a_network_namespace_the_filter_holds_the_network(tmp_path: Path) -> None:
    real = sandbox_or_skip("bubblewrap")
    assert isinstance(real, bubblewrap.Bubblewrap)
    held = bubblewrap.Bubblewrap(real.program, has_own_network=False)
    launch = held.wrap(
        ("/bin/bash", "-c", "echo > /dev/tcp/127.0.0.1/9"), SandboxLimits(), folder=str(tmp_path), environment={}
    )
    try:
        done = subprocess.run(
            launch.argv, pass_fds=launch.fds, env=launch.environment, capture_output=True, text=True, check=False
        )
    finally:
        launch.close()
    assert "Operation not permitted" in done.stderr


@pytest.mark.parametrize("name", ["bubblewrap", "landlock"])
def test_hiding_everything_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SandboxStartError):
        sandbox_or_skip(name).wrap(("true",), SandboxLimits(unreadable=("/",)), folder=str(tmp_path), environment={})


def test_asking_what_it_is_called_loads_neither() -> None:
    code = "import sys, tui_agent.sandbox.find; sys.exit('tui_agent.sandbox.bubblewrap' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_profile_of_macos_says_what_is_asked() -> None:
    limits = SandboxLimits(
        writable=("/w",), unwritable=("/w/.git/hooks",), unreadable=("/h/(x)",), readable=("/h/(x)/y",)
    )
    launch = seatbelt.Seatbelt("/usr/bin/sandbox-exec").wrap(
        ("bash", "-c", "true"), limits, folder="/w", environment={}
    )
    profile = launch.argv[2].splitlines()
    given = [word for word in launch.argv if word.startswith("P")]
    assert given == ["P0=/w", "P1=/w/.git/hooks", "P2=/h/(x)", "P3=/h/(x)/y"]
    assert profile.index('(allow file-write* (subpath (param "P0")))') > profile.index("(deny file-write*)")
    assert profile.index('(deny file-write* (subpath (param "P1")))') > profile.index(
        '(allow file-write* (subpath (param "P0")))'
    )
    assert '(deny file-read* file-write* (subpath (param "P2")))' in profile
    assert "(deny network*)" in profile
    assert "(x)" not in launch.argv[2]
    assert launch.argv[-4:] == ("--", "bash", "-c", "true")
    looking = seatbelt.Seatbelt("s").wrap(
        ("true",), SandboxLimits(is_read_only=True, network=True), folder="/", environment={}
    )
    assert "localhost" not in looking.argv[2]
    assert "(deny network*)" in looking.argv[2]


def test_the_profile_of_macos_shows_the_visible_places_and_lets_scratch_be_written() -> None:
    limits = SandboxLimits(
        is_read_only=True, visible=("/w",), unreadable=("/w/.env",), scratch="/s/tmp", scratch_bytes=9
    )
    launch = seatbelt.Seatbelt("s").wrap(("true",), limits, folder="/w", environment={})
    profile = launch.argv[2].splitlines()
    given = dict(word.split("=") for word in launch.argv if word.startswith("P"))
    allowed = [number for number, line in enumerate(profile) if "allow file-read-data" in line]
    shown = [path for key, path in given.items() if any(f'"{key}"' in profile[number] for number in allowed)]
    assert sorted(shown) == ["/s/tmp", "/w"]
    denied = next(number for number, line in enumerate(profile) if "deny file-read-data" in line)
    assert '"/Users"' in profile[denied]
    assert denied < min(allowed)
    assert "deny file-read*" in profile[max(allowed) + 1]
    assert (launch.watched, launch.most_bytes) == ("/s/tmp", 9)
