"""What a Bash call says besides its command (folder, variables), what it refuses, and what it leaves when it is cut short."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processes import gone, is_alive
from tool_bench import Bench

from tui_agent.execution.errors import aborted
from tui_agent.execution.permission import describe
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.verdict import ToolCall
from tui_agent.tools.base import Limits
from tui_agent.tools.bash.effective_input import as_judged
from tui_agent.tools.bash.environment import command_environment
from tui_agent.tools.bash.interactive import interactive_problem
from tui_agent.tools.bash.output import BoundedText
from tui_agent.tools.bash.tool import BashInput, BashPlan, BashTool
from tui_agent.tools.jobs import Jobs

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def verdict(input: dict[str, Any], **rules: list[str]) -> str:
    command = BashTool().shell_command(BashInput(**input))
    return decide(
        ToolCall(tool="Bash", input=input, command=command),
        rules=RuleSet.from_lists(**rules),
        mode="default",
        where=WHERE,
    ).behavior


# --- folder and variables


async def test_a_folder_is_for_one_command_only(runtime: Bench) -> None:
    (runtime.folder / "sub" / "more").mkdir(parents=True)
    assert (await runtime.run("Bash", {"command": "pwd; cd more", "cwd": "sub"})).text == str(runtime.folder / "sub")
    assert (await runtime.run("Bash", {"command": "pwd"})).text == str(runtime.folder)


@pytest.mark.parametrize("cwd", ["..", "/", "out", "nowhere", "f"])
async def test_a_folder_that_is_none_of_the_workspace_is_refused(runtime: Bench, cwd: str) -> None:
    (runtime.folder / "out").symlink_to("/")
    runtime.write("f", "")
    assert (await runtime.run("Bash", {"command": "pwd", "cwd": cwd})).code == "bad_cwd"


async def test_variables_are_for_one_command_only(runtime: Bench) -> None:
    env = {"A": "it's $HOME", "PAGER": "more", "API_TOKEN": "given"}
    ran = await runtime.run("Bash", {"command": 'echo "$A $PAGER $API_TOKEN"', "env": env})
    assert ran.text == "it's $HOME more given"
    assert (await runtime.run("Bash", {"command": 'echo "[$A]"'})).text == "[]"


@pytest.mark.parametrize("env", [{"BASH_ENV": "x"}, {"A B": "x"}, {"": "x"}, {"A": "\0"}, {"BASH_FUNC_ls": "x"}])
async def test_variables_that_are_none_or_the_shell_s_own_are_refused(runtime: Bench, env: dict[str, str]) -> None:
    assert (await runtime.run("Bash", {"command": "true", "env": env})).code == "bad_env"


def test_harmless_variables_leave_a_rule_its_command_and_others_do_not() -> None:
    allow = ["Bash(npm test *)"]
    assert verdict({"command": "npm test"}, allow=allow) == "allow"
    assert verdict({"command": "npm test", "env": {"NODE_ENV": "it's; rm -rf ~"}}, allow=allow) == "allow"
    assert verdict({"command": "npm test", "env": {"PATH": "/tmp"}}, allow=allow) == "ask"
    assert verdict({"command": "npm test", "env": {"NODE_ENV": "a", "LD_PRELOAD": "b"}}, allow=allow) == "ask"
    assert verdict({"command": "npm test", "cwd": "sub"}, allow=allow) == "allow"  # going there needs nobody
    assert verdict({"command": "npm test", "cwd": "/elsewhere"}, allow=allow) == "ask"


@pytest.mark.parametrize(
    "command", ["rm x", "! rm x", "{ rm x; }", "(rm x)", "if rm x; then true; fi", "time rm x", "a\nrm x"]
)
def test_what_is_set_in_front_hides_nothing_from_a_rule_that_forbids(command: str) -> None:
    for more in ({"env": {"A": "b c"}}, {"cwd": "sub dir"}, {"env": {"A": "'"}, "cwd": "~/x"}):
        assert verdict({"command": command, **more}, deny=["Bash(rm *)"]) == "deny"


def test_a_file_is_judged_from_the_folder_the_command_runs_in() -> None:
    assert verdict({"command": "echo x > secret", "cwd": "src"}, deny=["Edit(src/secret)"]) == "deny"
    assert verdict({"command": "cat secret", "cwd": "~/keys"}, deny=["Read(~/keys/**)"]) == "deny"


NAMES = st.from_regex(r"[A-Z]{1,3}", fullmatch=True)
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@settings(max_examples=40)
@given(
    env=st.dictionaries(NAMES, VALUES, max_size=3),
    command=st.sampled_from(["env -0", "( env -0 )", "{ env -0; }", "if env -0; then :; fi"]),
)
def test_what_is_judged_sets_what_is_set(env: dict[str, str], command: str) -> None:
    judged = as_judged(command, env=env)
    usual = {"PATH": os.environ["PATH"]}
    done = subprocess.run(["bash", "-c", f"set -a; {judged}"], capture_output=True, env=usual, check=True)
    told = dict(line.split("=", 1) for line in done.stdout.decode().split("\0") if line)
    assert env.items() <= told.items()


def test_names_that_the_settings_give_are_passed_on_though_they_are_secret() -> None:
    base = {"GH_TOKEN": "a", "NPM_TOKEN": "b", "BASH_ENV": "c"}
    found = command_environment(base, "/", kept=("GH_TOKEN", "BASH_ENV"))
    assert [name in found for name in base] == [True, False, False]


@pytest.mark.parametrize(
    ("usual", "most", "expected"),
    [
        (None, None, (120_000, 600_000)), ("5000", None, (5000, 600_000)), ("900000", None, (900_000, 900_000)),
        ("900000", "1000000", (900_000, 1_000_000)), ("x", "-1", (120_000, 600_000)), ("0", "", (120_000, 600_000)),
    ],
)  # fmt: skip
def test_the_environment_may_move_the_times(usual: str | None, most: str | None, expected: tuple[int, int]) -> None:
    given = {"BASH_DEFAULT_TIMEOUT_MS": usual, "BASH_MAX_TIMEOUT_MS": most}
    limits = Limits.from_environment({name: value for name, value in given.items() if value is not None})
    assert (limits.command_timeout_ms, limits.command_timeout_max_ms) == expected


async def test_the_environment_may_have_every_command_begin_in_the_root(runtime: Bench) -> None:
    (runtime.folder / "sub").mkdir()
    runtime.limits = Limits.from_environment({"CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "1"})
    assert (await runtime.run("Bash", {"command": "cd sub; pwd"})).text == str(runtime.folder / "sub")
    assert (await runtime.run("Bash", {"command": "pwd"})).text == str(runtime.folder)


async def test_the_environment_may_forbid_the_background(runtime: Bench) -> None:
    jobs = Jobs(lambda _event: None)
    runtime.services = replace(runtime.services, jobs=jobs)
    runtime.limits = Limits.from_environment({"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1"})
    assert (await runtime.run("Bash", {"command": "true", "run_in_background": True})).code == "no_background"
    runtime.limits = replace(runtime.limits, command_timeout_ms=100)
    jobs.want(runtime.tool_use_id)
    ran = await runtime.run("Bash", {"command": "sleep 60"})
    assert (ran.kind, jobs.all) == ("timeout", ())


async def test_the_environment_may_ask_for_more_or_less_of_what_a_command_prints(runtime: Bench) -> None:
    command = {"command": "head -c 140000 /dev/zero | tr '\\0' x"}
    for asked, whole in (("150000", True), ("", False), ("5000", False)):
        runtime.limits = Limits.from_environment({"BASH_MAX_OUTPUT_LENGTH": asked})
        ran = await runtime.run("Bash", command)
        assert (len(ran.text) == 140_000) == whole
        assert len(ran.text) <= BashTool().result_limit(runtime.limits)


# --- interactive programs


@pytest.mark.parametrize(
    "command",
    [
        "vim a", "sudo -u bob vim a", "env X=1 nano b", "timeout -k 5 10 less f", "timeout 5 top", "git log | less",
        "cd a && vi b", "ls; htop", "bash -c 'vim x'", "python", "python3 -q", "node", "X=1 python3", "psql mydb",
        "sqlite3 a.db", "mysql -u root", "ssh host", "ssh -p 22 me@host", "git rebase -i HEAD~3", "git -C a add -p",
        "git commit", "git commit -a", "bash", "crontab -e", "xargs vim", "nice -n 5 vim x", "$(vim a)", "(vim a)",
        "docker run -it x sh", "if true; then vim x; fi", "git clean -i", "redis-cli", "time vim x", "! vim x",
    ],
)  # fmt: skip
def test_programs_that_want_a_person_are_refused_with_a_hint(command: str) -> None:
    problem = interactive_problem(command)
    assert problem is not None
    assert "is interactive" in problem


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m x", "git commit -am 'x y'", "git commit --amend --no-edit", "git commit -F -", "top -bn1", "ssh h ls",
        "python x.py", "python3 -c 'print(1)'", "python -m pytest", "echo vim", "psql -c 'select 1'", "echo 1 | psql",
        "python <<E\nprint(1)\nE", "sqlite3 a.db 'select 1'", "bash x.sh", "bash -c 'ls'", "cat a | python", "vim --version",
        "git add .", "find . -name vim", "ls | xargs grep x", "man ls", "git commit --fixup HEAD", "git commit -C HEAD",
    ],
)  # fmt: skip
def test_programs_that_can_do_without_are_not(command: str) -> None:
    assert interactive_problem(command) is None


# --- cut short


@pytest.mark.parametrize("command", ["echo out; echo err >&2", "seq 100000"])
async def test_a_command_that_is_cut_short_gives_what_it_had_printed(runtime: Bench, command: str) -> None:
    ctx = runtime.context()

    async def run() -> None:
        async for _ in BashTool().call(BashInput(command=f"{command}; echo > done; sleep 60"), BashPlan(), ctx):
            pass

    task = asyncio.create_task(run())
    while not (runtime.folder / "done").exists():
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert ctx.partial is not None
    failure = aborted("interrupted", ctx.partial())
    assert failure.text.startswith("The user interrupted.")
    assert failure.data is not None
    assert (failure.data["interrupted"], failure.data["reason"]) == (True, "interrupted")
    if "seq" in command:
        assert len(failure.text) < 10_500
        assert failure.text.endswith("100000")
        assert Path(failure.data["persistedOutputPath"]).read_text().endswith("\n100000\n")
    else:
        assert sorted(failure.text.splitlines()[2:]) == ["err", "out"]
        assert failure.data["stdout"] == "out\n"


def test_a_cancelled_use_without_anything_to_show_has_the_fixed_text_alone() -> None:
    assert aborted("stopped").text == aborted("stopped", None).text
    assert "\n" not in aborted("stopped").text


# --- memory and processes


def test_output_that_comes_byte_by_byte_takes_no_more_room() -> None:
    text = BoundedText()
    tracemalloc.start()
    for _ in range(180_000):
        text.add("x")
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 600_000
    assert text.total == 180_000
    assert text.cut(1_000_000).count("x") == 150_000


KILLED = """
import asyncio, sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from tool_bench import Bench
from tui_agent.tools.bash import watchdog
tell = watchdog.watch
watchdog.watch = lambda group, folders=(): (tell(group, folders), group and Path({folder!r}, "told").write_text("1"))
if {by_watchdog}:
    from tui_agent.tools.bash.subreaper import Subreaper
    Subreaper.is_possible = staticmethod(lambda: False)
else:
    Path({folder!r}, "told").write_text("1")
asyncio.run(Bench(Path({folder!r})).run("Bash", {{"command": {command!r}}}))
"""


@pytest.mark.parametrize("by_watchdog", [False, True])
async def test_the_commands_of_a_killed_program_end_with_it(runtime: Bench, by_watchdog: bool) -> None:
    command = "sleep 60 & echo $! > child; echo $$ > parent; trap '' TERM HUP; wait; sleep 60"
    code = KILLED.format(
        tests=str(Path(__file__).parent), folder=str(runtime.folder), command=command, by_watchdog=by_watchdog
    )
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    pids: list[int] = []
    # killed in the moment between a shell's start and the word to the watchdog, a program does leave it behind
    for name in ("told", "child", "parent"):
        path = runtime.folder / name
        while not path.exists() or not path.read_text().strip():
            await asyncio.sleep(0.01)
        pids.append(int(path.read_text()))
    pids.pop(0)
    program.send_signal(signal.SIGSTOP)
    assert all(map(is_alive, pids))
    program.kill()
    await program.wait()
    await gone(*pids)


def test_the_judged_text_of_a_plain_command_is_itself() -> None:
    assert as_judged("ls -l") == "ls -l"
    assert as_judged("ls", cwd="a b", env={"A": "x y"}) == f"cd -- 'a b' && A={shlex.quote('x y')} ls"


# --- asking to run outside a sandbox


async def test_asking_to_run_outside_changes_nothing_where_nothing_is_confined(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "echo ran", "dangerouslyDisableSandbox": True})
    assert (ran.text, ran.is_error) == ("ran", False)


@pytest.mark.parametrize(
    ("value", "may_leave", "allow", "mode", "behavior", "confinement"),
    [
        (False, True, [], "default", "allow", "read_only"),
        (True, True, [], "default", "ask", None),
        (True, True, [], "dontAsk", "deny", None),
        (True, True, ["Bash(echo ran)"], "default", "allow", None),
        (True, True, ["Bash(dangerouslyDisableSandbox:true)"], "default", "ask", None),
        (True, True, [], "bypassPermissions", "allow", None),
        (True, False, [], "default", "allow", "read_only"),
    ],
)
def test_running_outside_needs_what_any_command_needs(
    runtime: Bench, value: bool, may_leave: bool, allow: list[str], mode: Any, behavior: str, confinement: str | None
) -> None:
    raw = {"command": "echo ran", "dangerouslyDisableSandbox": value}
    where = replace(WHERE, sandbox=SandboxTerms(may_leave=may_leave))
    call = describe(BashTool(), BashInput(**raw), raw, runtime.context())
    found = decide(call, rules=RuleSet.from_lists(allow=allow), mode=mode, where=where)
    assert (found.behavior, found.confinement) == (behavior, confinement)


async def test_a_rule_can_refuse_it(runtime: Bench) -> None:
    raw = {"command": "echo ran", "dangerouslyDisableSandbox": True}
    rules = RuleSet.from_lists(allow=["Bash"], deny=["Bash(dangerouslyDisableSandbox:true)"])
    call = describe(BashTool(), BashInput(**raw), raw, runtime.context())
    assert decide(call, rules=rules, mode="bypassPermissions", where=WHERE).behavior == "deny"
