"""Temporary files of a command that only reads are bounded, and what was stopped for that is told why."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from sandboxes import NAMES, sandbox_or_skip
from tool_bench import Bench

from tui_agent.sandbox import confined
from tui_agent.sandbox.confined import Confined
from tui_agent.sandbox.limits import Sandbox, SandboxLimits

MOST = 4 << 20


@pytest.fixture(params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


@pytest.fixture
def runtime(tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(confined, "SCRATCH_BYTES", MOST)
    runtime = Bench(tmp_path)
    places = ("/usr", "/bin", "/lib", "/lib64", "/etc", "/nix", str(tmp_path))
    runtime.confined = Confined(
        sandbox=sandbox, limits=SandboxLimits(is_read_only=True, visible=places), summary="nothing could be written"
    )
    return runtime


@pytest.mark.parametrize(
    "command",
    [
        "yes | sort -S 1M",
        "yes | head -c 20000000 > $TMPDIR/one",
        "for n in {1..9}; do head -c 1000000 /dev/zero > $TMPDIR/$n || exit; done; while :; do :; done",
    ],
)
async def test_temporary_files_are_bounded_and_that_is_told(runtime: Bench, command: str) -> None:
    ran = await runtime.run("Bash", {"command": command, "timeout": 20_000})
    assert "temporary files of a command that only reads may take" in ran.text


async def test_memory_is_bounded_and_that_is_told(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "MEMORY_BYTES", 100 << 20)
    for command in (
        "x=a; while :; do x=$x$x; done",
        "awk 'BEGIN { while (1) a[i++] = i }'",
        "numfmt --padding=200000000 1",
    ):
        ran = await runtime.run("Bash", {"command": command, "timeout": 20_000})
        assert "each process of a command that only reads may take" in ran.text
    assert "sandbox" not in (await runtime.run("Bash", {"command": "echo out of memory >&2"})).text


@pytest.mark.parametrize(
    "place",
    ["$(dirname $TMPDIR)/folder", "$(dirname $TMPDIR)/started", "$(dirname $TMPDIR)/new", "/dev/shm/x", "/dev/x"],
)
async def test_nowhere_else_takes_more(runtime: Bench, place: str) -> None:
    """What is written is counted where it could be: in the sandbox, and in the folder that is left of it."""
    shown = f"head -c 300000000 /dev/zero > {place}; stat -c %s {place} || echo 0"
    ran = await runtime.run("Bash", {"command": shown})
    sizes = [int(line) for line in ran.text.split() if line.isdigit()]
    assert sizes
    assert sizes[0] <= max(MOST, 64 << 20)


async def test_temporary_files_that_fit_are_no_matter(runtime: Bench) -> None:
    ran = await runtime.run(
        "Bash", {"command": "seq 200000 | shuf | sort -n -S 100K | tail -1; mktemp > /dev/null && echo made"}
    )
    assert ran.text == "200000\nmade"


async def test_nothing_of_it_stays(runtime: Bench) -> None:
    await runtime.run("Bash", {"command": "echo x > $TMPDIR/mine"})
    left = Path(tempfile.gettempdir()).glob("tui-agent-shell-*/tmp/mine")
    assert not list(left)
