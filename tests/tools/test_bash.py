"""Bash streams what a command prints, keeps it bounded, says how it ended, and leaves nothing of it running."""

from __future__ import annotations

import asyncio
import tracemalloc
from pathlib import Path
from random import Random

import psutil
import pytest
from processes import gone, nap, none_asleep
from tool_bench import POOL, Bench

from tui_agent.tools.base import Progress, Tool
from tui_agent.tools.bash.environment import command_environment, is_secret
from tui_agent.tools.bash.output import BoundedText, CommandOutput, Spool
from tui_agent.tools.bash.tool import BashInput, BashPlan, BashTool


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def written(path: Path) -> int:
    """Wait for a process id in a file."""
    while True:
        if path.exists() and (text := path.read_text().strip()):
            return int(text)
        await asyncio.sleep(0.01)


# --- what the model gets


async def test_success_gives_both_streams_merged(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "echo out; sleep 0.05; echo err >&2"})
    assert (ran.text, ran.is_error) == ("out\nerr", False)
    assert (ran.data["stdout"], ran.data["stderr"], ran.data["exitCode"]) == ("out\n", "err\n", 0)
    assert (ran.data["interrupted"], ran.data["isImage"]) == (False, False)


async def test_failure_gives_the_exit_code_and_each_stream_under_its_name(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "echo out; echo err >&2; exit 3"})
    assert (ran.text, ran.is_error, ran.kind) == ("Exit code 3\nStdout:\nout\nStderr:\nerr", True, "execution")


@pytest.mark.parametrize(("command", "text"), [("true", "(no output)"), ("exit 4", "Exit code 4\n(no output)")])
async def test_silence_is_said(runtime: Bench, command: str, text: str) -> None:
    assert (await runtime.run("Bash", {"command": command})).text == text


async def test_a_signal_counts_as_a_shell_counts_it(runtime: Bench) -> None:
    assert (await runtime.run("Bash", {"command": "kill -9 $$"})).text.startswith("Exit code 137")


@pytest.mark.parametrize(
    "command",
    [
        "grep zzz f",
        "rg zzz f",
        "diff f /dev/null",
        "test -f nowhere",
        "[ -f nowhere ]",
        "cat f | grep zzz",
        "cd . && grep zzz f",
    ],
)
async def test_a_search_that_finds_nothing_is_no_error(runtime: Bench, command: str) -> None:
    runtime.write("f", "a\n")
    ran = await runtime.run("Bash", {"command": command})
    assert (ran.is_error, ran.data["exitCode"]) == (False, 1)


@pytest.mark.parametrize(
    "command", ["false", "grep zzz f; false", "grep zzz f || false", "cd nowhere && grep a f", "grep -E '(' f"]
)
async def test_any_other_failure_is_an_error(runtime: Bench, command: str) -> None:
    runtime.write("f", "a\n")
    assert (await runtime.run("Bash", {"command": command})).is_error


async def test_a_command_reaches_bash_as_it_is(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "-x 'unclosed"})
    assert ran.is_error
    assert "unexpected EOF" in ran.text
    assert (await runtime.run("Bash", {"command": "cat <<'X'\n$HOME 'a\nX"})).text == "$HOME 'a"


async def test_what_is_not_utf_8_is_shown_as_unreadable(runtime: Bench) -> None:
    assert (await runtime.run("Bash", {"command": r"printf 'a\xff\xc3'"})).text == "a\ufffd\ufffd"


# --- time and ends


async def test_a_command_that_takes_too_long_is_stopped_and_shows_what_it_printed(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "echo so far; echo $$ > pid; sleep 60", "timeout": 300})
    assert (ran.text, ran.is_error, ran.kind) == ("Command timed out after 0.3s\nso far", True, "timeout")
    assert ran.data["interrupted"] is True
    await gone(int((runtime.folder / "pid").read_text()))


async def test_no_command_may_take_longer_than_the_limit(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, command_timeout_max_ms=200)
    assert "timed out after 0.2s" in (await runtime.run("Bash", {"command": "sleep 60", "timeout": 999_999})).text


async def test_a_group_that_ignores_the_first_signal_is_killed(runtime: Bench) -> None:
    child = "(trap '' TERM; sh -c 'echo $PPID > child; exec sleep 60'; sleep 60)"
    command = f"trap '' TERM; {child} & echo $$ > parent; wait; sleep 60"
    ran = await runtime.run("Bash", {"command": command, "timeout": 400})
    assert ran.kind == "timeout"
    for name in ("parent", "child"):
        await gone(int((runtime.folder / name).read_text()))


async def test_cancelling_ends_the_whole_group(runtime: Bench) -> None:
    task = asyncio.create_task(runtime.run("Bash", {"command": "sleep 60 & echo $! > child; echo $$ > parent; wait"}))
    pids = [await written(runtime.folder / name) for name in ("child", "parent")]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(*pids)


async def test_closing_the_call_between_two_steps_ends_the_group_too(runtime: Bench) -> None:
    stream = BashTool().call(BashInput(command="echo $$ > pid; echo x; sleep 60"), BashPlan(), runtime.context())
    assert isinstance(await anext(stream), Progress)
    pid = await written(runtime.folder / "pid")
    await stream.aclose()  # type: ignore[attr-defined]
    await gone(pid)


async def test_what_a_command_leaves_running_ends_with_it(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "sleep 60 & echo $!"})
    assert not ran.is_error
    pid, _, note = ran.text.partition("\n")
    assert "left running in the background were ended" in note
    await gone(int(pid))


async def test_a_daemon_that_holds_the_pipes_is_ended_and_not_waited_for(runtime: Bench) -> None:
    seconds = nap()
    ran = await runtime.run("Bash", {"command": f"setsid sleep {seconds} & echo done"})
    assert ran.text.splitlines()[0] == "done"
    await none_asleep(seconds)


async def test_nothing_of_a_command_stays_in_the_temporary_folder(
    runtime: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    await runtime.run("Bash", {"command": "true"})
    await runtime.run("Bash", {"command": "sleep 9", "timeout": 50})
    assert list(scratch.iterdir()) == []


# --- progress and memory


async def test_progress_comes_while_it_runs_and_holds_the_last_lines(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "seq 30; printf half; sleep 0.3; echo; sleep 0.3"})
    first = next(one for one in ran.progress if one.is_incomplete)
    assert (first.tail[-1], first.total_lines, first.is_incomplete) == ("half", 31, True)
    assert len(first.tail) == 20
    assert first.total_bytes == len("".join(f"{n}\n" for n in range(1, 31))) + 4
    assert not ran.progress[-1].is_incomplete


async def test_progress_comes_every_second_even_in_silence(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": "sleep 1.2"})
    assert ran.progress
    assert ran.progress[0].message


async def test_large_output_is_kept_whole_on_disk_and_shown_by_its_ends(runtime: Bench) -> None:
    ran = await runtime.run("Bash", {"command": r"seq 20000; printf '\xff\n'"})
    path = Path(ran.data["persistedOutputPath"])
    assert path.read_bytes() == "".join(f"{n}\n" for n in range(1, 20001)).encode() + b"\xff\n"
    assert len(ran.text) <= runtime.limits.result_chars
    assert ran.text.startswith("1\n2\n")
    assert ran.text.endswith("20000\n\ufffd")
    assert f"the whole output is in {path}" in ran.text


async def test_output_that_fits_leaves_no_file(runtime: Bench) -> None:
    await runtime.run("Bash", {"command": "seq 100"})
    await runtime.run("Bash", {"command": "printf 'é%.0s' {1..20000}"})  # more bytes than fit, but not more characters
    assert not runtime.results_dir or not runtime.results_dir.exists() or list(runtime.results_dir.iterdir()) == []


async def test_a_disk_that_cannot_take_the_output_costs_only_its_middle(runtime: Bench) -> None:
    runtime.results_dir = runtime.write("a file, no folder", "")
    ran = await runtime.run("Bash", {"command": "seq 20000"})
    assert (ran.is_error, "could not be kept" in ran.text) == (False, True)


def test_only_the_beginning_of_a_boundless_output_is_kept(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "t", 1000, most_bytes=50_000)
    output = CommandOutput(spool)
    for _ in range(100):
        output.add(1, b"y" * 9_999 + b"\n")
    output.finish()
    spool.keep()
    assert spool.path is not None
    assert spool.is_full
    text = spool.path.read_text()
    assert text.startswith("yyy")
    assert text.endswith("[What it printed after this was not kept: it was too much]\n")
    assert 50_000 < len(text) < 50_100
    assert output.total_bytes == 1_000_000
    spool.close()
    assert spool.path.exists()


def test_what_goes_to_the_background_is_kept_from_then_on(tmp_path: Path) -> None:
    spool = Spool(tmp_path, "t", 1000, most_bytes=5_000)
    path = spool.open_now()
    for _ in range(10):
        spool.add(b"y" * 1_000)
    spool.close()
    assert path is not None
    assert path.stat().st_size == 10_000
    assert not spool.is_full


def test_memory_stays_bounded_however_much_is_printed(tmp_path: Path) -> None:
    output = CommandOutput(Spool(tmp_path, "t", 1000))
    chunk = b"a line of output of about forty bytes...\n" * 1600
    tracemalloc.start()
    for _ in range(200):
        output.add(1, chunk)
        output.add(2, chunk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
    assert output.total_bytes == 400 * len(chunk)
    assert output.progress("").total_lines == 400 * 1600
    output.spool.keep()
    output.spool.close()
    assert output.spool.path
    assert output.spool.path.stat().st_size == output.total_bytes


def test_a_character_split_between_two_pieces_stays_one() -> None:
    output = CommandOutput(Spool(None, "t", 1000))
    for byte in "é😀".encode():
        output.add(1, bytes([byte]))
    output.finish()
    assert output.merged.cut(100) == "é😀"


def test_a_bounded_text_is_whole_until_it_is_not() -> None:
    text = BoundedText()
    for _ in range(10):
        text.add("0123456789" * 1000)
    assert text.cut(100_000) == "0123456789" * 10_000
    text.add("x")
    cut = text.cut(1000, "see there")
    assert cut.startswith("0123")
    assert cut.endswith("789x")
    assert "[99,001 of 100,001 characters left out; see there]" in cut


# --- where and with what it runs


async def test_cd_lasts_within_the_workspace(runtime: Bench) -> None:
    (runtime.folder / "sub").mkdir()
    for command in ("cd sub", "exit 0"):
        await runtime.run("Bash", {"command": command})
    assert (await runtime.run("Bash", {"command": "pwd"})).text == str(runtime.folder / "sub")
    await runtime.run("Bash", {"command": "cd .. && exit 1"})
    assert runtime.workspace.cwd == runtime.folder


async def test_cd_out_of_the_workspace_is_taken_back_with_a_note(runtime: Bench) -> None:
    (runtime.folder / "out").symlink_to("/")
    for command in ("cd /", "cd out"):
        ran = await runtime.run("Bash", {"command": command})
        assert f"Shell cwd was reset to {runtime.folder}" in ran.text
        assert runtime.workspace.cwd == runtime.folder


async def test_a_folder_that_is_gone_is_left_for_the_root(runtime: Bench) -> None:
    (runtime.folder / "sub").mkdir()
    await runtime.run("Bash", {"command": "cd sub && rmdir ../sub"})
    runtime.workspace.cwd = runtime.folder / "sub"
    ran = await runtime.run("Bash", {"command": "pwd"})
    assert ran.text.splitlines()[0] == str(runtime.folder)
    assert "Shell cwd was reset" in ran.text


async def test_no_profile_alias_or_function_of_the_person_is_loaded(runtime: Bench) -> None:
    rc = runtime.write("rc", "echo sourced; alias ls='echo aliased'\n")
    runtime.environment = {
        "BASH_ENV": str(rc), "ENV": str(rc), "HOME": str(runtime.folder), "BASH_FUNC_ls%%": "() { echo function; }",
        "SHELLOPTS": "xtrace",
    }  # fmt: skip
    runtime.write(".bashrc", "echo sourced\n")
    assert (await runtime.run("Bash", {"command": "ls rc; echo ${BASH_ENV-unset}"})).text == "rc\nunset"


async def test_keys_and_tokens_do_not_reach_commands(runtime: Bench) -> None:
    runtime.environment = {"ANTHROPIC_API_KEY": "sk-1", "GH_TOKEN": "a-token", "DB_PASSWORD": "a-word", "PLAIN": "seen"}
    text = (await runtime.run("Bash", {"command": "env; echo $PLAIN"})).text
    assert [value in text for value in ("sk-1", "a-token", "a-word", "seen")] == [False, False, False, True]
    assert "TUI_AGENT=1" in text


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "npm_config_token",
        "DB_PASS",
        "SECRET_KEY_BASE",
        "STRIPE_KEY",
        "APIKEY",
        "SENTRY_DSN",
        "GH_PAT",
    ],
)
def test_names_of_secrets_are_known(name: str) -> None:
    assert is_secret(name)
    assert name not in command_environment({name: "x"}, "/")


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "SSH_AUTH_SOCK",
        "MAX_TOKENS",
        "TOKENIZERS_PARALLELISM",
        "KEYBOARD",
        "MONKEY",
        "LANG",
        "PYTHONPATH",
    ],
)
def test_ordinary_names_are_kept(name: str) -> None:
    assert not is_secret(name)
    assert command_environment({name: "x"}, "/")[name] == "x"


async def test_standard_input_is_empty(runtime: Bench) -> None:
    assert (await runtime.run("Bash", {"command": "cat; read x; echo $?"})).text == "1"


@pytest.mark.parametrize("command", ["", "  \n", "a\0b", "x" * 100_001])
async def test_what_is_no_command_is_refused(runtime: Bench, command: str) -> None:
    assert (await runtime.run("Bash", {"command": command})).kind == "validation"


async def test_a_missing_bash_is_told(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_args, **_more: None)
    ran = await runtime.run("Bash", {"command": "true"})
    assert (ran.kind, ran.text) == ("execution", "The command was not run: bash was not found.")


def test_the_tool_says_what_it_is() -> None:
    tool = POOL.get("Bash")
    assert isinstance(tool, Tool)
    input = BashInput(command="rm -rf x")
    assert (tool.aborts_siblings, tool.interrupt_behavior, tool.shell_command(input)) == (True, "cancel", "rm -rf x")
    assert (tool.is_read_only(input), tool.claims(input).is_exclusive) == (False, True)


@pytest.mark.parametrize("name", ["Bash", "Grep"])
async def test_cancelling_at_any_moment_leaves_nothing_running(name: str, runtime: Bench) -> None:
    runtime.write("f", "a line\n" * 20_000)
    random = Random(1)
    mark = nap()
    others = {child.pid for child in psutil.Process().children(recursive=True)}  # what other tests keep running
    raws = {
        "Bash": {"command": f"sleep {mark} & yes | head -c 1000000; sleep {mark}"},
        "Grep": {"pattern": ".", "output_mode": "content", "head_limit": 0},
    }
    for _ in range(15):
        task = asyncio.create_task(runtime.run(name, raws[name]))
        await asyncio.sleep(random.random() * 0.02)  # not a wait for anything: the moment is what varies
        task.cancel()
        await asyncio.wait([task])
    # the watchdog stays, which ends commands when this process is killed
    mine = [
        child.pid
        for child in psutil.Process().children(recursive=True)
        if child.pid not in others and "living=" not in str(child.cmdline())
    ]
    marked = [process.pid for process in psutil.process_iter(["cmdline"]) if mark in (process.info["cmdline"] or [])]
    await gone(*mine, *marked)


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="this system does not tell which session a process is in"
)
@pytest.mark.parametrize(
    "command", ["timeout 60 sleep {0}", "timeout 60 sleep {0} & wait", "timeout 60 sleep {0} & echo done"]
)
async def test_a_program_that_makes_a_group_of_its_own_is_ended_too(runtime: Bench, command: str) -> None:
    seconds = nap()
    await runtime.run("Bash", {"command": command.format(seconds), "timeout": 300})
    await none_asleep(seconds)


@pytest.mark.parametrize(
    "put",
    ["ln -s /dev/zero $f", "mkfifo $f", "mkdir $f", "truncate -s 3G $f", "ln -s $PWD/named $f", "ln -s nowhere $f"],
)
async def test_what_a_command_puts_in_place_of_its_last_folder_is_not_followed(runtime: Bench, put: str) -> None:
    (runtime.folder / "inner").mkdir()
    (runtime.folder / "named").write_text(f"{runtime.folder}/inner\n")
    find = "f=$(trap -p EXIT | grep -o '/[^ ]*/folder' | head -n 1)"
    tracemalloc.start()
    try:
        ran = await runtime.run("Bash", {"command": f'{find}; trap - EXIT; test -n "$f" && rm -f $f && {put}'})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not ran.is_error, ran.text
    assert runtime.workspace.cwd == runtime.folder
    assert peak < 50_000_000
