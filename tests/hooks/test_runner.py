"""Commands as hooks: what their exit codes and output mean, what they are given, and how badly they may behave."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path

import pytest
from hooking import Hooks, python_hook, shell_hook
from processes import gone, is_alive, nap, none_asleep

from tui_agent.events import HookEnded, HookStarted
from tui_agent.hooks import process
from tui_agent.hooks.dispatch import HookedUse


async def test_exit_0_is_consent_to_nothing_and_exit_2_a_no_with_its_reason(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path, shell_hook("exit 0"), shell_hook("echo not that >&2; exit 2"))
    quiet, no = await hooks.run()
    assert (quiet.how, quiet.said.decision, quiet.said.blocks) == ("ok", None, False)
    assert (no.how, no.said.blocks, no.said.reason) == ("blocked", True, "not that")
    assert hooks.notices == []
    assert sorted(hooks.endings) == ["blocked", "ok"]  # they run side by side: which ends first is chance


@pytest.mark.parametrize("code", [1, 3, 126, 255])
async def test_any_other_exit_code_blocks_nothing_and_is_told(tmp_path: Path, code: int) -> None:
    hooks = Hooks(tmp_path, shell_hook(f"echo; echo first >&2; echo second >&2; exit {code}"))
    outcome = await hooks.one()
    assert (outcome.how, outcome.said.blocks, outcome.exit_code) == ("failed", False, code)
    assert hooks.notices == ["PreToolUse:Bash hook error: first"]


async def test_json_counts_whatever_the_exit_code_but_cannot_undo_a_no(tmp_path: Path) -> None:
    allow = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":1}}}'
    hooks = Hooks(tmp_path, shell_hook(f"echo '{allow}'; exit 1"), shell_hook(f"echo '{allow}'; echo no >&2; exit 2"))
    first, second = await hooks.run()
    assert (first.how, first.said.decision, first.said.updated_input) == ("ok", "allow", {"a": 1})
    assert (second.how, second.said.decision, second.said.reason, second.said.updated_input) == (
        "blocked",
        None,
        "no",
        None,
    )
    assert hooks.notices == []


async def test_text_that_is_no_json_is_text_and_an_object_that_does_not_fit_a_failure(tmp_path: Path) -> None:
    hooks = Hooks(
        tmp_path,
        shell_hook("echo '{not json'"),
        shell_hook("""echo '{"decision": "perhaps"}'"""),
        shell_hook("""echo '{"hookSpecificOutput": {"hookEventName": "Stop"}}'"""),
    )
    text, wrong, other = await hooks.run()
    assert (text.how, text.text) == ("ok", "{not json")
    assert wrong.how == other.how == "failed"
    assert hooks.notices == [
        "PreToolUse:Bash hook error: its JSON does not fit: `decision` must be 'approve' or 'block'",
        "PreToolUse:Bash hook error: its JSON does not fit: `hookEventName` is Stop, but the event is PreToolUse",
    ]


async def test_it_gets_the_event_and_its_folder_and_no_terminal(tmp_path: Path) -> None:
    code = (
        "import json, os, sys\n"
        "given = json.load(sys.stdin)\n"
        "try:\n    os.open('/dev/tty', os.O_RDWR); has_terminal = True\nexcept OSError:\n    has_terminal = False\n"
        "print([given['tool_input'], os.getcwd(), os.environ['CLAUDE_PROJECT_DIR'], has_terminal, os.getpid() == os.getsid(0)])"
    )
    outcome = await Hooks(tmp_path, python_hook(code)).one(tool_input={"command": "ls é \ud800"})
    assert outcome.text == str([{"command": "ls é \ufffd"}, str(tmp_path), str(tmp_path), False, True])


async def test_placeholders_stand_in_arguments_and_a_shell_takes_a_folders_name_for_no_command(tmp_path: Path) -> None:
    folder = tmp_path / "a $(touch made) b"
    folder.mkdir()
    entry = shell_hook("echo")
    exec_form = type(entry)(
        "PreToolUse", "", {**entry.handler, "args": ["${CLAUDE_PROJECT_DIR}/x", "$HOME"]}, "user", "f", 2
    )
    hooks = Hooks(folder, exec_form, shell_hook('echo "${CLAUDE_PROJECT_DIR}/y"'))
    first, second = await hooks.run()
    assert (first.text, second.text) == (f"{folder}/x $HOME", f"{folder}/y")
    assert list(folder.iterdir()) == []


async def test_all_run_together_and_the_same_only_once(tmp_path: Path) -> None:
    meet = "echo x >> log; for i in 1 2 3 4 5 6 7 8 9; do [ $(wc -l < log) -ge 2 ] && exit 0; sleep 0.1; done; exit 1"
    other = shell_hook(f"{meet} # other")
    hooks = Hooks(tmp_path, shell_hook(meet), other, shell_hook(meet))
    assert [outcome.how for outcome in await hooks.run()] == ["ok", "ok"]
    assert (tmp_path / "log").read_text() == "x\nx\n"


async def test_only_those_that_are_meant_run(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    def fits(rule: str, use: HookedUse) -> bool:
        asked.append((rule, use.name))
        return rule == "yes"

    hooks = Hooks(
        tmp_path,
        shell_hook("echo edit", matcher="Edit"),
        shell_hook("echo other", "PostToolUse"),
        shell_hook("echo yes", **{"if": "yes"}),
        shell_hook("echo no", **{"if": "no"}),
        fits_rule=fits,
    )
    assert [outcome.text for outcome in await hooks.run()] == ["yes"]
    assert asked == [("yes", "Bash"), ("no", "Bash")]


# --- the badly behaved --------------------------------------------------------------------------------------------------


async def test_one_that_hangs_is_stopped_and_says_nothing(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path, shell_hook("sleep 60", timeout=0.05))
    outcome = await hooks.one()
    assert (outcome.how, outcome.said.blocks, outcome.said.decision) == ("timeout", False, None)
    assert hooks.notices == ["PreToolUse:Bash hook error: it took longer than 0.05 s and was stopped"]


async def test_one_that_minds_no_signal_is_killed_with_its_children(tmp_path: Path) -> None:
    seconds = nap()
    script = f"trap '' TERM INT HUP; (trap '' TERM; exec sleep {seconds}) & sleep {seconds}; sleep {seconds}"
    began = time.monotonic()
    outcome = await Hooks(tmp_path, shell_hook(script, timeout=0.1)).one()
    assert outcome.how == "timeout"
    assert time.monotonic() - began < 5
    await none_asleep(seconds)


async def test_a_failure_that_is_set_to_block_does(tmp_path: Path) -> None:
    hooks = Hooks(
        tmp_path,
        shell_hook("sleep 60", timeout=0.05, onFailure="block"),
        shell_hook("exit 1", onFailure="block"),
        shell_hook("nothing-of-this-name", onFailure="block"),
    )
    outcomes = await hooks.run()
    assert [(outcome.how, outcome.said.blocks, outcome.said.decision) for outcome in outcomes] == [
        ("blocked", True, "deny")
    ] * 3
    assert "is set to block" in outcomes[0].said.reason


@pytest.mark.parametrize(
    "script", ["exec <&-; sleep 0.05; echo done", "true; echo done", "head -c 1 >/dev/null; echo done"]
)
async def test_one_that_does_not_read_its_input_is_no_trouble(tmp_path: Path, script: str) -> None:
    outcome = await Hooks(tmp_path, shell_hook(script)).one(tool_input={"text": "x" * 3_000_000})
    assert (outcome.how, outcome.text) == ("ok", "done")


async def test_what_prints_ten_megabytes_is_read_to_its_end_and_kept_in_part(tmp_path: Path) -> None:
    code = "import os\nfor fd in (1, 2):\n    for _ in range(160):\n        os.write(fd, b'x' * 65536)\nos.write(1, b'END')"
    outcome = await Hooks(tmp_path, python_hook(code)).one()
    assert (outcome.how, outcome.exit_code) == ("ok", 0)
    assert len(outcome.text) == process.KEPT_BYTES


async def test_what_prints_for_ever_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_MOST_BYTES", 1_000_000)
    hooks = Hooks(tmp_path, shell_hook("yes"))
    assert (await hooks.one()).how == "failed"
    assert hooks.notices == ["PreToolUse:Bash hook error: it printed without end and was stopped"]


async def test_a_daemon_that_holds_the_output_holds_nobody_up(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path, shell_hook("sleep 64 & echo $! > pid; echo started"))
    began = time.monotonic()
    outcome = await hooks.one()
    assert (outcome.how, outcome.text) == ("ok", "started")
    assert time.monotonic() - began < 2
    daemon = int((tmp_path / "pid").read_text())
    assert is_alive(daemon)  # it was meant to go on
    process.end_left_over()  # but not beyond the program
    await gone(daemon)


async def test_binary_garbage_and_deep_json_are_text(tmp_path: Path) -> None:
    garbage = shell_hook("head -c 4096 /dev/urandom; printf '\\033]0;x\\007' >&2; exit 1")
    deep = python_hook("print('{\"a\":' * 200000)")
    hooks = Hooks(tmp_path, garbage, deep)
    first, second = await hooks.run()
    assert (first.how, second.how) == ("failed", "ok")
    assert "\033" not in "".join(hooks.notices)


async def test_one_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    entry = shell_hook("/nowhere/at-all")
    hooks = Hooks(tmp_path, type(entry)("PreToolUse", "", {**entry.handler, "args": []}, "user", "f", 2))
    assert (await hooks.one()).how == "failed"
    assert hooks.notices == [
        f"PreToolUse:Bash hook error: /nowhere/at-all could not be started in {tmp_path}: No such file or directory"
    ]


async def test_a_folder_that_is_gone_is_replaced_by_the_projects(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    hooks = Hooks(gone, shell_hook("pwd"), fixed={"CLAUDE_PROJECT_DIR": str(tmp_path)})
    assert (await hooks.one()).text == str(tmp_path)


async def test_a_cancelled_caller_ends_them_and_every_start_has_its_end(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path, shell_hook("echo $$ > pid; sleep 65"), shell_hook("sleep 66"))
    running = asyncio.ensure_future(hooks.run())
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
        await asyncio.sleep(0.01)
    shell = int((tmp_path / "pid").read_text())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await gone(shell)
    assert hooks.endings == ["cancelled", "cancelled"]
    started = {event.run_id for event in hooks.events if isinstance(event, HookStarted)}
    assert started == {event.run_id for event in hooks.events if isinstance(event, HookEnded)}
    assert not process._living


async def test_a_start_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    for steps in range(6):
        hooks = Hooks(tmp_path, shell_hook("sleep 67"))
        running = asyncio.ensure_future(hooks.run())
        for _ in range(steps):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert not process._living


async def test_one_in_the_background_holds_nothing_up_and_speaks_later(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    hooks = Hooks(tmp_path, shell_hook("read x < gate; echo late >&2; exit 2", asyncRewake=True))
    assert await hooks.run() == []
    await asyncio.to_thread((tmp_path / "gate").write_text, "go\n")
    while not hooks.late:
        await asyncio.sleep(0.01)
    ((outcome, occasion),) = hooks.late
    assert (outcome.said.reason, outcome.handler.wakes, occasion.event) == ("late", True, "PreToolUse")


async def test_closing_ends_what_runs_in_the_background(tmp_path: Path) -> None:
    hooks = Hooks(tmp_path, shell_hook("sleep 68", **{"async": True}))
    assert await hooks.run() == []
    await asyncio.sleep(0)
    await hooks.runner.close()
    assert (hooks.late, hooks.endings, process._living) == ([], ["cancelled"], set())


async def test_what_is_for_the_person_is_shown_and_what_does_nothing_is_said_once(tmp_path: Path) -> None:
    output = json.dumps({"systemMessage": "look \x1b[31mhere", "terminalSequence": "\x1b]0;x\x07"})
    hooks = Hooks(tmp_path, shell_hook(f"cat <<'E'\n{output}\nE"))
    await hooks.run()
    await hooks.run()
    assert hooks.notices == [
        "look here",
        "PreToolUse:Bash hook: `terminalSequence` in its output does nothing here",
        "look here",
    ]
