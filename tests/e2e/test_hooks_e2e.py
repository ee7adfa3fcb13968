"""Hooks in the real program, from settings files, against the scripted model: without a screen and in a terminal."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from person import Launch, Person, Serve
from processes import is_alive, wait_gone
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import HookEnded, PermissionRequested, ToolResultReady, UserMessageSent

FORMAT = """import json, pathlib, sys
path = pathlib.Path(json.load(sys.stdin)["tool_input"]["file_path"])
path.write_text("".join(line.rstrip() + "\\n" for line in path.read_text().splitlines()))
"""
BLOCK = """input=$(cat)
case "$input" in
  *"git push"*) echo "pushing is for people" >&2; exit 2 ;;
esac
"""
CONTEXT = "cat >/dev/null; echo 'The build is red since noon.'"


def write_hooks(world: World, **more: list[Any]) -> None:
    """Put three hooks into the project, as a team would share them, and `more` by event."""
    world.write(".claude/hooks/format.py", FORMAT)
    world.write(".claude/hooks/block.sh", BLOCK)
    hooks = {
        "PostToolUse": [
            {
                "matcher": "Edit|Write",
                "hooks": [
                    {"type": "command", "command": f'{sys.executable} "$CLAUDE_PROJECT_DIR"/.claude/hooks/format.py'}
                ],
            }
        ],
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [
                    {"type": "command", "command": 'sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/block.sh', "timeout": 20}
                ],
            }
        ],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": CONTEXT}]}],
        **more,
    }
    world.write(".claude/settings.json", json.dumps({"hooks": hooks}, indent=2))


def bash(label: str, command: str) -> dict[str, Any]:
    return {"tool": "Bash", "label": label, "input": {"command": command}}


def write(label: str, name: str, content: str) -> dict[str, Any]:
    return {"tool": "Write", "label": label, "input": {"file_path": f"{{{{ cwd }}}}/{name}", "content": content}}


def sent(server: Any, number: int) -> str:
    return json.dumps(server.requests[number].body["messages"], ensure_ascii=False)


def test_three_hooks_do_their_work_without_a_screen(world: World, serve: Serve) -> None:
    write_hooks(world)
    server = serve(
        scenario_of(
            tool_reply(bash("push", "git push origin main"), write("file", "a.txt", "one  \ntwo\t\n")),
            text_reply("done"),
        )
    )
    done = world.run("-p", "ship it", "--permission-mode", "acceptEdits", "--allowedTools", "Bash")
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr
    assert "The build is red since noon." in sent(server, 0)
    assert "pushing is for people" in sent(server, 1)
    assert "was changed by a hook after this call" in sent(server, 1)
    assert (world.folder / "a.txt").read_text() == "one\ntwo\n"
    assert [event.error_kind for event in world.of(ToolResultReady)] == ["hook", None]
    assert sorted(event.outcome for event in world.of(HookEnded)) == ["blocked", "ok", "ok"]
    assert "hook error" not in done.stderr


def test_a_broken_hook_is_told_and_lets_nothing_through(world: World, serve: Serve) -> None:
    broken = {"hooks": [{"type": "command", "command": "echo I am broken >&2; exit 1"}]}
    odd = {"hooks": [{"type": "command"}, {"type": "mcp_tool", "server": "s", "tool": "t"}]}
    world.write(".tui-agent/settings.json", json.dumps({"hooks": {"PreToolUse": [broken, odd]}}, indent=1))
    serve(scenario_of(tool_reply(bash("touch", "touch made")), text_reply("over")))
    done = world.run("-p", "go")
    assert done.returncode == 0
    assert "PreToolUse:Bash hook error: I am broken" in done.stderr
    assert "`command` is missing" in done.stderr
    assert "hooks of type `mcp_tool` are not supported yet" in done.stderr
    assert not (world.folder / "made").exists()


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_a_hook_answers_where_nobody_can_be_asked(world: World, serve: Serve, decision: str) -> None:
    output = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": decision}}}
    script = world.write("answer.json", json.dumps(output))
    write_hooks(
        world, PermissionRequest=[{"matcher": "Bash", "hooks": [{"type": "command", "command": f"cat {script}"}]}]
    )
    serve(scenario_of(tool_reply(bash("touch", "touch made")), text_reply("over")))
    assert world.run("-p", "go").returncode == 0
    assert (world.folder / "made").exists() is (decision == "allow")


def test_the_keys_stay_with_the_program(world: World, serve: Serve) -> None:
    write_hooks(world, SessionStart=[{"hooks": [{"type": "command", "command": "env > seen"}]}])
    serve(scenario_of(text_reply("over")))
    assert world.run("-p", "go").returncode == 0
    seen = (world.folder / "seen").read_text()
    assert f"CLAUDE_PROJECT_DIR={world.folder}" in seen
    assert "test-key" not in seen


def test_hooks_in_the_app(world: World, serve: Serve, launch: Launch) -> None:
    gate = world.folder / "gate"
    wait = f"i=0; while [ ! -e {gate} ] && [ $i -lt 300 ]; do sleep 0.1; i=$((i+1)); done"
    stop = {"type": "command", "command": wait, "statusMessage": "checking the work"}
    write_hooks(world, Stop=[{"hooks": [stop]}])
    serve(
        scenario_of(
            tool_reply(bash("push", "git push origin main"), write("file", "a.txt", "one  \n")),
            text_reply("all shipped"),
        )
    )
    person = Person(launch("--permission-mode", "acceptEdits"), world)
    person.say("ship it")
    person.terminal.wait_for_text("checking the work")
    gate.touch()
    person.wait_for_turn()
    person.terminal.wait_for_text("all shipped")
    assert world.of(PermissionRequested) == []
    assert (world.folder / "a.txt").read_text() == "one\n"
    assert "The build is red" in world.of(UserMessageSent)[0].context
    person.say("/hooks")
    person.terminal.wait_for_text(r"block\.sh\s+1× · blocked")
    person.terminal.wait_for_text(r"Edit\|Write\s+\S+.*1× · succeeded")
    person.terminal.press("escape")
    person.terminal.wait_for_no_text("hooks in force")
    person.terminal.press("ctrl+d")
    assert person.terminal.wait_for_exit() == 0


def test_a_message_that_a_hook_stops_can_be_sent_otherwise(world: World, serve: Serve, launch: Launch) -> None:
    stop = "if grep -q hunter2; then echo no secrets, please >&2; exit 2; fi"
    world.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": stop}]}]}}),
    )
    server = serve(scenario_of(text_reply("welcome")))
    person = Person(launch(), world)
    person.say("my password is hunter2")
    person.terminal.wait_for_text("A hook stopped this message: no secrets, please")
    person.say("hello")
    person.terminal.wait_for_text("welcome")
    assert "hunter2" not in sent(server, 0)


def test_leaving_ends_hooks_that_still_run(world: World, serve: Serve, launch: Launch) -> None:
    slow = {"type": "command", "command": "trap '' TERM; echo $$ > pid; sleep 300; sleep 300"}
    world.write(".claude/settings.json", json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [slow]}]}}))
    serve(scenario_of(text_reply("never")))
    person = Person(launch(), world)
    person.say("hello")
    pid = world.folder / "pid"
    person.terminal.wait_for(lambda: pid.exists() and pid.read_text().strip(), "the hook to run")
    assert is_alive(int(pid.read_text()))
    person.terminal.press("ctrl+q")
    assert person.terminal.wait_for_exit() == 0
    wait_gone(int(pid.read_text()))


def test_a_program_that_is_killed_takes_its_hooks_along(world: World, serve: Serve, launch: Launch) -> None:
    # what has read its input is known to the watchdog; killed in the moment before that, a program does leave it behind
    slow = {"type": "command", "command": "trap '' TERM HUP; cat >/dev/null; echo $$ > pid; sleep 300; sleep 300"}
    world.write(".claude/settings.json", json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [slow]}]}}))
    serve(scenario_of(text_reply("never")))
    person = Person(launch(), world)
    person.say("hello")
    pid = world.folder / "pid"
    person.terminal.wait_for(lambda: pid.exists() and pid.read_text().strip(), "the hook to run")
    assert is_alive(int(pid.read_text()))
    person.terminal.kill()
    wait_gone(int(pid.read_text()))
