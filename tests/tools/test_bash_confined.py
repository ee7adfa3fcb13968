"""Bash in a sandbox is Bash still: output, folders, jobs and ends are the same, and what the sandbox stopped is said."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from processes import asleep, nap, none_asleep
from sandboxes import NAMES, sandbox_or_skip
from tool_bench import Bench

from tui_agent.sandbox.confined import Confined
from tui_agent.sandbox.limits import Launch, Sandbox, SandboxLimits, SandboxName, SandboxStartError
from tui_agent.tools.bash.tool import BashInput, BashPlan, BashTool
from tui_agent.tools.jobs import Jobs
from tui_agent.tools.services import Services


@pytest.fixture(params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_or_skip(request.param)


@pytest.fixture
def runtime(tmp_path: Path, sandbox: Sandbox) -> Bench:
    """A workspace whose commands can only look."""
    runtime = Bench(tmp_path)
    runtime.confined = Confined(
        sandbox=sandbox,
        limits=SandboxLimits(is_read_only=True),
        summary="nothing could be written",
        variables={"GIT_OPTIONAL_LOCKS": "0"},
    )
    return runtime


@pytest.fixture
def working(runtime: Bench, tmp_path: Path) -> Bench:
    """A workspace whose commands can write in it."""
    assert runtime.confined
    (tmp_path / "temp").mkdir()
    limits = SandboxLimits(writable=(str(tmp_path),))
    runtime.confined = replace(
        runtime.confined, limits=limits, temp=str(tmp_path / "temp"), variables={}, summary="only some could"
    )
    return runtime


@pytest.fixture(params=["looking", "working"])
def either(request: pytest.FixtureRequest, runtime: Bench, tmp_path: Path) -> Bench:
    """Each of the two."""
    if request.param == "working":
        assert runtime.confined
        runtime.confined = replace(runtime.confined, limits=SandboxLimits(writable=(str(tmp_path),)))
    return runtime


# --- it is the same as outside


async def test_output_and_exit_code_are_those_of_the_command(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "echo out; echo err >&2; exit 3"})
    assert (ran.text, ran.kind) == ("Exit code 3\nStdout:\nout\nStderr:\nerr", "execution")
    assert (await runtime.run("Bash", {"command": "kill -9 $$"})).text == "Exit code 137\n(no output)"
    assert (await runtime.run("Bash", {"command": "kill -TERM $$; echo not here"})).text == "Exit code 143\n(no output)"
    assert (await runtime.run("Bash", {"command": "true"})).text == "(no output)"


async def test_the_command_reaches_bash_as_it_is(runtime: Bench) -> None:
    assert (await runtime.run("Bash", {"command": "-x 'unclosed"})).is_error
    assert (await runtime.run("Bash", {"command": "cat <<'X'\n$HOME 'a\nX"})).text == "$HOME 'a"


async def test_output_comes_as_it_is_printed(runtime: Bench) -> None:
    stream = BashTool().call(BashInput(command="echo first; sleep 60"), BashPlan(), runtime.context())
    item = await asyncio.wait_for(anext(stream), 10)
    assert getattr(item, "tail", ()) == ("first",)
    await stream.aclose()  # type: ignore[attr-defined]


async def test_cd_lasts(runtime: Bench) -> None:
    (runtime.folder / "sub").mkdir()
    await runtime.run("Bash", {"command": "cd sub"})
    assert (
        await runtime.run("Bash", {"command": "pwd; echo $PWD"})
    ).text == f"{runtime.folder}/sub\n{runtime.folder}/sub"
    await runtime.run("Bash", {"command": "cd .. && exit 1"})
    assert runtime.workspace.cwd == runtime.folder


async def test_what_needs_room_of_its_own_has_it(runtime: Bench) -> None:
    lines = "\n".join(f"line {number}" for number in range(4000))
    assert (await runtime.run("Bash", {"command": f"wc -l <<E\n{lines}\nE"})).text == "4000"
    ran = await runtime.run(
        "Bash", {"command": "seq 100000 | sort -S 32K -r | head -1; mktemp -d | wc -l; echo $TMPDIR"}
    )
    assert ran.text.splitlines()[:2] == ["99999", "1"]
    assert not Path(ran.text.splitlines()[2]).exists()


async def test_git_takes_no_locks(runtime: Bench) -> None:
    subprocess.run(["git", "init", "-q", str(runtime.folder)], check=True)
    runtime.write("f", "x\n")
    assert (await runtime.run("Bash", {"command": "git status --short f"})).text == "?? f"
    assert (await runtime.run("Bash", {"command": "echo $GIT_OPTIONAL_LOCKS"})).text == "0"


async def test_keys_do_not_reach_it_and_variables_do(runtime: Bench) -> None:
    runtime.environment = {"GITHUB_TOKEN": "a-token", "PLAIN": "seen"}
    text = (await runtime.run("Bash", {"command": "env", "env": {"OWN": "given"}})).text
    assert [part in text for part in ("a-token", "PLAIN=seen", "OWN=given", "BASH_ENV=")] == [False, True, True, False]


# --- ends


@pytest.mark.parametrize(
    "command",
    [
        "sleep {0}",
        "sleep {0} | cat",
        "(trap '' TERM; sleep {0}; sleep {0})",
        "trap '' TERM; sleep {0} & wait",
        "timeout 50 sleep {0}",
        "(sleep {0} &) ; sleep {0}",
        "setsid -f sleep {0} || sleep {0}; sleep {0}",
    ],
)
async def test_all_of_it_is_gone_soon_after_a_stop(command: str, either: Bench) -> None:
    runtime = either
    seconds = nap()
    task = asyncio.create_task(runtime.run("Bash", {"command": command.format(seconds)}))
    await asleep(seconds)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await none_asleep(seconds)


async def test_a_time_limit_ends_it(runtime: Bench) -> None:
    seconds = nap()
    ran = await runtime.run("Bash", {"command": f"echo so far; sleep {seconds}", "timeout": 600})
    assert (ran.text, ran.kind) == ("Command timed out after 0.6s\nso far", "timeout")
    await none_asleep(seconds)


async def test_what_may_write_can_put_things_in_order_before_it_ends(working: Bench) -> None:
    command = "trap 'echo tidy > tidied; exit' TERM; echo ready; while :; do sleep 0.05; done"
    stream = BashTool().call(BashInput(command=command), BashPlan(), working.context())
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert (working.folder / "tidied").read_text() == "tidy\n"


async def test_what_it_leaves_running_ends_with_it(runtime: Bench) -> None:
    seconds = nap()
    ran = await runtime.run("Bash", {"command": f"sleep {seconds} > /dev/null & echo done"})
    assert ran.text.splitlines()[0] == "done"
    await none_asleep(seconds)


async def test_an_ordinary_end_is_not_said_to_have_left_anything(runtime: Bench) -> None:
    for _ in range(8):
        assert (await runtime.run("Bash", {"command": "seq 3 | tail -1"})).text == "3"


async def test_a_job_runs_in_the_sandbox_too(working: Bench) -> None:
    jobs = Jobs(lambda _event: None)
    working.services = Services(jobs=jobs)
    seconds = nap()
    command = f"echo x > made; echo x > /etc/tui-agent-made || echo stopped; sleep {seconds}"
    ran = await working.run("Bash", {"command": command, "run_in_background": True})
    path = Path(ran.data["persistedOutputPath"])
    while "stopped" not in path.read_text():
        await asyncio.sleep(0.02)
    assert (working.folder / "made").exists()
    await jobs.close()
    await none_asleep(seconds)


async def test_of_a_job_that_the_sandbox_stopped_its_file_says_so(runtime: Bench) -> None:
    jobs = Jobs(lambda _event: None)
    runtime.services = Services(jobs=jobs)
    ran = await runtime.run("Bash", {"command": "touch f", "run_in_background": True})
    path = Path(ran.data["persistedOutputPath"])
    while "dangerouslyDisableSandbox" not in path.read_text():
        await asyncio.sleep(0.02)
    assert "[It ran in the sandbox (" in path.read_text()
    await jobs.close()


async def test_it_dies_with_the_program_however_that_ends(sandbox: Sandbox, tmp_path: Path) -> None:
    seconds = nap()
    (tmp_path / "sub").mkdir()
    order = {"name": sandbox.name, "folder": str(tmp_path), "command": f"sleep {seconds}"}
    program = Path(__file__).with_name("confined_program.py")
    with subprocess.Popen([sys.executable, str(program), json.dumps(order)], stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout
        assert app.stdout.readline() == "runs\n"
        await asleep(seconds)
        made = [tmp_path / ".claude", tmp_path / "sub" / "a b "] if sandbox.name == "bubblewrap" else []
        assert all(path.is_dir() for path in made)
        app.send_signal(signal.SIGKILL)
    await none_asleep(seconds)
    while any(path.exists() for path in made):
        await asyncio.sleep(0.02)


async def test_nothing_of_it_stays_in_the_temporary_folder(
    runtime: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    await runtime.run("Bash", {"command": "echo x > $TMPDIR/x"})
    await runtime.run("Bash", {"command": "sleep 9", "timeout": 50})
    assert list(scratch.iterdir()) == []


# --- what is said


@pytest.mark.parametrize(
    "command",
    ["touch f", "echo x > /etc/x", "mkdir d 2>&1 && true", "echo > /dev/tcp/127.0.0.1/9", "touch f | cat"],
)
async def test_what_the_sandbox_may_have_stopped_is_said(runtime: Bench, command: str) -> None:
    text = (await runtime.run("Bash", {"command": command})).text
    assert (
        f"[It ran in the sandbox ({runtime.confined and runtime.confined.sandbox.name}): nothing could be written."
        in text
    )
    assert "dangerouslyDisableSandbox" in text


@pytest.mark.parametrize("command", ["true", "exit 1", "cat nowhere", "grep x /dev/null", "echo 'Permission denied'"])
async def test_a_failure_of_its_own_is_left_alone(runtime: Bench, command: str) -> None:
    assert "sandbox" not in (await runtime.run("Bash", {"command": command})).text


async def test_where_nothing_may_leave_that_is_said(runtime: Bench) -> None:
    assert runtime.confined
    runtime.confined = replace(runtime.confined, may_leave=False)
    text = (await runtime.run("Bash", {"command": "touch f"})).text
    assert "let no command run outside" in text
    assert "dangerouslyDisableSandbox" not in text


async def test_who_cannot_see_into_other_programs_says_so(runtime: Bench) -> None:
    assert "cannot see what other programs have open" in (await runtime.run("Bash", {"command": "lsof -i :80"})).text


# --- without a sandbox that works, nothing runs


class Broken:
    """A sandbox that cannot be set up: it says so, or it only fails when it is started."""

    name: SandboxName = "bubblewrap"
    gaps: tuple[str, ...] = ()
    holds_inside = True

    def __init__(self, *, is_honest: bool) -> None:
        self.is_honest = is_honest
        self.is_clean = False

    def wrap(
        self, argv: tuple[str, ...], limits: SandboxLimits, *, folder: str, environment: Mapping[str, str]
    ) -> Launch:
        if self.is_honest:
            raise SandboxStartError("no room for it")
        return Launch(("/bin/sh", "-c", "echo no mount >&2; exit 1", *argv), on_clean=self.clean)

    def clean(self) -> None:
        self.is_clean = True


@pytest.mark.parametrize("is_honest", [True, False])
async def test_a_sandbox_that_cannot_be_set_up_lets_nothing_run(tmp_path: Path, *, is_honest: bool) -> None:
    broken = Broken(is_honest=is_honest)
    runtime = Bench(tmp_path)
    runtime.confined = Confined(sandbox=broken, limits=SandboxLimits(), summary="")
    ran = await runtime.run("Bash", {"command": "touch made"})
    assert ran.is_error
    assert ran.text.startswith("The command was not run")
    assert ("no room for it" if is_honest else "no mount") in ran.text
    assert not (tmp_path / "made").exists()
    assert broken.is_clean is not is_honest


async def test_bubblewrap_that_fails_to_start_is_noticed(tmp_path: Path) -> None:
    sandbox = sandbox_or_skip("bubblewrap")
    runtime = Bench(tmp_path)
    runtime.confined = Confined(sandbox=sandbox, limits=SandboxLimits(unreadable=(str(tmp_path),)), summary="")
    ran = await runtime.run("Bash", {"command": "echo ran"})
    assert ran.text.startswith("The command was not run: its sandbox could not be set up (bwrap: ")
