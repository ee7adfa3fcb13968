"""No process outlives its command, however it tries to leave: at the command's end, at an interrupt, and when all is killed."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from processes import asleep, gone, nap, none_asleep, sleeping
from sandboxes import NAMES, sandbox_or_skip
from tool_bench import Bench

from tui_agent import lone_programs
from tui_agent.sandbox.confined import Confined
from tui_agent.sandbox.limits import SandboxLimits
from tui_agent.tools.bash import subreaper_program
from tui_agent.tools.bash.subreaper import Report, Subreaper
from tui_agent.tools.jobs import Jobs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")

# Each starts `sleep SECONDS` where {0} stands and gets away from the shell in another manner.
_FORKS = (
    "import os,sys; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.execvp('sleep', sys.argv[1:])"
)
WAYS = {
    "setsid": "setsid sleep {0} &",
    "setsid-fork": "setsid -f sleep {0}",
    "nohup": "nohup sleep {0} > /dev/null 2>&1 &",
    "disown": "sleep {0} & disown -a",
    "double-fork": f'{sys.executable} -c "{_FORKS}" sleep {{0}}',
    "without-environment": f'env -i {sys.executable} -c "{_FORKS}" sleep {{0}}',
    "subshells": "( ( setsid sleep {0} & ) & )",
    "deaf": "setsid -f sh -c \"trap '' TERM HUP INT; sleep {0}; sleep 1\"",
    "own-groups": "timeout 999 setsid -w timeout 999 sleep {0} &",
    "stopped": "setsid sleep {0} & until ps -eo args= | grep -qxF 'sleep {0}'; do :; done; kill -STOP $!",
}


def until(seconds: str) -> str:
    """Return what a shell waits with for its `sleep`."""
    return f"until ps -eo args= | grep -qxF 'sleep {seconds}'; do :; done"


def working_sandbox(name: str, folder: Path) -> Confined:
    """Return a sandbox in which a command may write in one folder."""
    return Confined(sandbox=sandbox_or_skip(name), limits=SandboxLimits(writable=(str(folder),)), summary="")


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Whatever a test does, no subreaper of this process is left afterwards."""
    yield
    for child in psutil.Process().children():
        assert child.status() == psutil.STATUS_ZOMBIE or "subreaper" not in child.cmdline()


async def test_what_leaves_its_shell_is_ended_with_the_command_and_said(runtime: Bench) -> None:
    naps = {way: nap() for way in WAYS}
    for way, command in WAYS.items():
        seconds = naps[way]
        started = f"{command.format(seconds)}\n{until(seconds)}; echo there"
        ran = await runtime.run("Bash", {"command": started})
        assert ran.text.startswith("there"), (way, ran.text)
        assert "left running in the background were ended" in ran.text, way
        assert not sleeping(seconds), way


@pytest.mark.parametrize("way", ["setsid-fork", "without-environment", "deaf"])
async def test_what_leaves_its_shell_is_ended_by_an_interrupt(runtime: Bench, way: str) -> None:
    seconds = nap()
    running = asyncio.create_task(runtime.run("Bash", {"command": f"{WAYS[way].format(seconds)}\nsleep 60"}))
    await asleep(seconds)
    running.cancel()
    await asyncio.wait([running])
    assert not sleeping(seconds)


@pytest.mark.parametrize("way", ["setsid-fork", "without-environment"])
async def test_what_a_job_has_started_ends_with_the_job_and_not_before(runtime: Bench, way: str) -> None:
    seconds = nap()
    jobs = Jobs(lambda _event: None)
    runtime.services = replace(runtime.services, jobs=jobs)
    ran = await runtime.run("Bash", {"command": f"{WAYS[way].format(seconds)}\nsleep 60", "run_in_background": True})
    await asleep(seconds)
    await runtime.run("Bash", {"command": "true"})
    assert sleeping(seconds)
    await jobs.stop(ran.data["backgroundTaskId"])
    assert not sleeping(seconds)


@pytest.mark.parametrize("name", NAMES)
async def test_what_leaves_the_workspace_sandbox_is_ended(runtime: Bench, name: str) -> None:
    runtime.confined = working_sandbox(name, runtime.folder)
    seconds = nap()
    command = f"setsid -f sleep {seconds}; {until(seconds)}; echo there"
    ran = await runtime.run("Bash", {"command": command})
    assert "there" in ran.text
    assert not sleeping(seconds)


KILLED = """
import asyncio, sys
sys.path[:0] = {folders!r}
from pathlib import Path
from tool_bench import Bench
from test_bash_escapes import working_sandbox
bench = Bench(Path({folder!r}))
bench.confined = working_sandbox({name!r}, bench.folder) if {name!r} else None
asyncio.run(bench.run("Bash", {{"command": {command!r}}}))
"""


@pytest.mark.parametrize("name", ["", *NAMES])
async def test_what_leaves_its_shell_ends_when_the_program_is_killed(runtime: Bench, name: str) -> None:
    if name:
        sandbox_or_skip(name)
    seconds = [nap(), nap(), nap()]
    ways = ("setsid-fork", "without-environment", "deaf")
    command = "\n".join(WAYS[way].format(one) for way, one in zip(ways, seconds, strict=True)) + "\nsleep 60"
    here = Path(__file__).parent
    folders = [str(here), str(here.parent / "support")]
    code = KILLED.format(folders=folders, folder=str(runtime.folder), command=command, name=name)
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    for one in seconds:
        await asleep(one)
    program.kill()
    await program.wait()
    for one in seconds:
        await none_asleep(one)


async def test_a_command_that_kills_its_keeper_is_found_by_its_mark(runtime: Bench) -> None:
    seconds = nap()
    started = f"setsid -f sleep {seconds}; {until(seconds)}; kill -9 $PPID; sleep 60"
    ran = await runtime.run("Bash", {"command": started})
    assert ran.is_error
    await none_asleep(seconds)


async def test_without_a_keeper_what_left_the_session_is_found_by_its_mark(
    runtime: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Subreaper, "is_possible", staticmethod(lambda: False))
    seconds = nap()
    command = f"setsid -f sleep {seconds}; {until(seconds)}; echo there"
    assert (await runtime.run("Bash", {"command": command})).text.startswith("there")
    await none_asleep(seconds)


async def test_where_a_keeper_sees_not_all_what_got_away_is_found_by_its_mark(
    runtime: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = inspect.getsource(subreaper_program)
    assert "_SUBREAPER = 36" in text
    weak = compile(text.replace("_SUBREAPER = 36", "_SUBREAPER = 9999"), "weak", "exec")
    monkeypatch.setattr(lone_programs, "_code", lambda module: weak)
    seconds = nap()
    ran = await runtime.run("Bash", {"command": f"setsid -f sleep {seconds}; {until(seconds)}; echo there"})
    assert ran.text.startswith("there")
    await none_asleep(seconds)


async def test_what_cannot_be_ended_is_named(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    close = Subreaper.close
    monkeypatch.setattr(
        Subreaper, "close", lambda self: Report(close(self).has_left_over, ((4711, "stubborn\x1b[31m one"),))
    )
    ran = await runtime.run("Bash", {"command": "echo out"})
    assert "Still running, and could not be ended: 4711 (stubborn" in ran.text
    assert "\x1b" not in ran.text


async def test_the_command_gets_nothing_of_its_keepers(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-program")
    asks = (
        "ls /proc/$$/fd > fds",
        "echo session: $(ps -o sid= $$) $$",
        "echo ignored: $(grep SigIgn /proc/self/status | cut -f2)",
        "echo secrets: $(grep -ac sk-of-the-program /proc/$PPID/environ)",
    )
    ran = await runtime.run("Bash", {"command": "\n".join(asks)})
    told = dict(line.split(": ", 1) for line in ran.text.splitlines())
    assert (runtime.folder / "fds").read_text().split() == ["0", "1", "2"]
    assert len(set(told["session"].split())) == 1  # the leader of a session of its own
    assert int(told["ignored"], 16) == int(_ignored(), 16) & ~(
        1 << 12 | 1 << 24
    )  # SIGPIPE, SIGXFSZ: Python ignores them
    assert told["secrets"] == "0"


def _ignored() -> str:
    text = Path(f"/proc/{os.getpid()}/status").read_text()
    return next(line.split()[1] for line in text.splitlines() if line.startswith("SigIgn"))


async def test_its_exit_code_is_the_commands_own(runtime: Bench) -> None:
    codes = {"exit 0": 0, "exit 7": 7, "kill -9 $$": 137, "kill -TERM $$": 143, "exec /nonexistent": 127}
    for command, code in codes.items():
        ran = await runtime.run("Bash", {"command": command})
        assert ran.data["exitCode"] == code, command


async def test_thousands_of_orphans_are_collected(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "for i in {1..500}; do (setsid -f true); done; echo done"})
    assert ran.text.startswith("done")
    await gone(*(child.pid for child in psutil.Process().children() if "subreaper" in child.cmdline()))
