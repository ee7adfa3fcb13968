"""Settings files that change while a session runs."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedModel, calls, reply, says
from session_driver import open_session
from session_front import Front, begin

from tui_agent.drafts import Draft
from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import ModeChanged, Notice, PermissionRequested, SettingsReloaded, ToolResultReady, TurnFinished
from tui_agent.permissions.verdict import Decision
from tui_agent.settings.change import keep_own
from tui_agent.settings.standard_paths import user_settings_file


def write(place: Path, content: Any, name: str = ".tui-agent/settings.json") -> Path:
    file = place / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def rules(front: Front) -> set[tuple[str, str]]:
    return set(front.session.runtime.rulebook.in_force)


async def test_nothing_is_read_or_told_while_nothing_changes(place: Path, fronts: list[Front]) -> None:
    write(place, {"permissions": {"deny": ["Read(.env)"]}})
    fronts.append(front := await begin(place, reply(says(0, "Hi"))))
    before = front.session.runtime.settings
    front.session.submit("hello")
    await front.session.wait_idle()
    assert front.session.runtime.settings is before
    assert front.of(SettingsReloaded) == []


async def test_a_rule_written_between_two_messages_counts_for_the_second(place: Path, fronts: list[Front]) -> None:
    (place / "note.txt").write_text("secret")
    read = calls(0, "Read", {"file_path": str(place / "note.txt")})
    fronts.append(front := await begin(place, *[reply(read, stop="tool_use"), reply(says(0, "done"))] * 2))
    front.session.submit("read it")
    await front.session.wait_idle()
    write(place, {"permissions": {"deny": ["Read(note.txt)"]}}, ".claude/settings.json")
    front.session.submit("again")
    await front.session.wait_idle()
    first, second = front.of(ToolResultReady)
    assert (first.is_error, second.is_error) == (False, True)
    (told,) = front.of(SettingsReloaded)
    assert told.changes == ("deny rule added: Read(note.txt)",)


async def test_rules_of_the_session_and_the_command_line_stay(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place, allowed=("Bash(make)",)))
    front.session.runtime.rulebook.add("Bash(ls *)", "session")
    file = write(place, {"permissions": {"ask": ["Bash(git *)"]}})
    await front.session.refresh()
    assert rules(front) == {("allow", "Bash(make)"), ("allow", "Bash(ls *)"), ("ask", "Bash(git *)")}
    file.unlink()
    await front.session.refresh()
    assert rules(front) == {("allow", "Bash(make)"), ("allow", "Bash(ls *)")}
    assert [event.changes for event in front.of(SettingsReloaded)] == [
        ("ask rule added: Bash(git *)",),
        ("ask rule removed: Bash(git *)",),
    ]


async def test_a_rule_that_was_just_saved_from_the_dialog_is_no_news(place: Path, fronts: list[Front]) -> None:
    fronts.append(
        front := await begin(
            place, reply(calls(0, "Bash", {"command": "touch x"}), stop="tool_use"), reply(says(0, "ok"))
        )
    )
    front.session.submit("make it")
    (asked,) = await front.until(PermissionRequested)
    decision = Decision(behavior="allow", rules=("Bash(touch *)",), scope="local")
    front.session.answer(asked.request_id, decision)
    await front.session.wait_idle()
    await front.session.refresh()
    assert "Bash(touch *)" in (place / ".tui-agent/settings.local.json").read_text()
    assert ("allow", "Bash(touch *)") in rules(front)
    assert front.of(SettingsReloaded) == []


async def test_a_theme_and_a_model_that_were_just_chosen_here_are_no_news(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    keep_own("theme", "tui-agent-light")
    keep_own("model", "another")
    await front.session.refresh()
    assert front.session.runtime.settings.value("theme") == "tui-agent-light"
    assert front.of(SettingsReloaded) == []
    others = json.loads(user_settings_file().read_text())
    for theme in ("dark", "tui-agent-light"):  # and once more what was chosen here, but by somebody else
        user_settings_file().write_text(json.dumps({**others, "theme": theme}))
        await front.session.refresh()
    assert [event.changes for event in front.of(SettingsReloaded)] == [
        ("theme is now dark (from the next session on)",),
        ("theme is now tui-agent-light (from the next session on)",),
    ]


async def test_environment_folders_and_sandbox_change_too(place: Path, fronts: list[Front], tmp_path: Path) -> None:
    fronts.append(front := await begin(place))
    (tmp_path / "more").mkdir()
    write(
        place,
        {
            "env": {"COLOUR": "blue"},
            "permissions": {"additionalDirectories": [str(tmp_path / "more")]},
            "sandbox": {"enabled": True},
            "model": "another",
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]},
        },
    )
    await front.session.refresh()
    runtime = front.session.runtime
    assert runtime.execution_context.environment["COLOUR"] == "blue"
    assert runtime.execution_context.kept_names == {"COLOUR"}
    assert runtime.workspace.contains(str(tmp_path / "more/x"))
    assert runtime.rulebook.where.additional_dirs == (str(tmp_path / "more"),)
    assert runtime.rulebook.where.sandbox.is_enabled
    assert [hook.handler["command"] for hook in runtime.settings.hooks] == ["beep"]
    (told,) = front.of(SettingsReloaded)
    hook, folder, *others = told.changes
    assert hook == "hook added: Stop: beep"
    assert folder.startswith("folder added: /")
    assert others == [
        "environment changed: COLOUR",
        "model is now another (from the next session on)",
        "sandbox.enabled is now on",
    ]
    assert "blue" not in str(told)
    assert front.session.model != "another"


async def test_of_a_file_that_breaks_what_it_said_before_goes_on_to_count(place: Path, fronts: list[Front]) -> None:
    file = write(place, {"permissions": {"deny": ["Bash(rm *)"]}})
    fronts.append(front := await begin(place))
    file.write_text('{"permissions": {"deny": [}}')
    await front.session.refresh()
    assert rules(front) == {("deny", "Bash(rm *)")}
    (told,) = front.of(SettingsReloaded)
    assert told.changes == ()
    (problem,) = told.problems
    assert problem.startswith(f"{file}:1: column 27")
    assert problem.endswith("the previous content still applies")
    await front.session.refresh()
    assert len(front.of(SettingsReloaded)) == 1, "told once"
    file.write_text('{"permissions": {"deny": ["Bash(rmdir *)"]}}')
    await front.session.refresh()
    assert rules(front) == {("deny", "Bash(rmdir *)")}


async def test_a_file_given_with_settings_is_watched_and_its_break_kept_out(place: Path, fronts: list[Front]) -> None:
    given = write(place, {"permissions": {"deny": ["Bash(a)"]}}, "given.json")
    fronts.append(front := await begin(place, settings=str(given)))
    given.write_text('{"permissions": {"deny": ["Bash(b)"]}}')
    await front.session.refresh()
    assert rules(front) == {("deny", "Bash(b)")}
    given.write_text("{")
    await front.session.refresh()
    await front.session.refresh()
    assert rules(front) == {("deny", "Bash(b)")}
    (told,) = [event for event in front.of(SettingsReloaded) if event.problems]
    assert "--settings" in told.problems[0]


async def test_a_file_of_the_same_size_and_age_that_was_replaced_is_noticed(place: Path, fronts: list[Front]) -> None:
    file = write(place, {"permissions": {"deny": ["Bash(a)"]}})
    fronts.append(front := await begin(place))
    was = file.stat()
    other = write(place, {"permissions": {"deny": ["Bash(b)"]}}, ".tui-agent/new")
    os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))
    other.replace(file)
    await front.session.refresh()
    assert rules(front) == {("deny", "Bash(b)")}


async def test_a_project_that_was_not_trusted_stays_so(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    await front.session.close()
    fronts.append(
        front := Front(
            await open_session(SessionOptions(cwd=place, is_trusted=False), ScriptedModel()), ScriptedModel()
        )
    )  # type: ignore[arg-type]
    write(place, {"env": {"A": "1"}, "permissions": {"allow": ["Bash"], "deny": ["Bash(rm *)"]}})
    await front.session.refresh()
    assert rules(front) == {("deny", "Bash(rm *)")}
    assert "A" not in front.session.runtime.settings.values.env


async def test_bypassing_that_is_forbidden_meanwhile_ends(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IS_SANDBOX", "1")
    fronts.append(front := await begin(place, may_bypass=True))
    assert front.session.mode == "bypassPermissions"
    write(place, {"permissions": {"disableBypassPermissionsMode": "disable"}})
    await front.session.refresh()
    assert front.session.mode == "default"
    assert front.of(ModeChanged)[-1].mode == "default"
    front.session.set_mode("bypassPermissions")
    assert front.session.mode == "default"


async def test_two_looks_at_once_bring_one_piece_of_news(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    write(place, {"permissions": {"deny": ["Bash(a)"]}})
    await asyncio.gather(*(front.session.reload_settings() for _ in range(5)))
    assert len(front.of(SettingsReloaded)) == 1


async def test_a_look_that_is_cancelled_leaves_the_next_one_to_find_it(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    write(place, {"permissions": {"deny": ["Bash(a)"]}})
    looking = asyncio.create_task(front.session.reload_settings())
    await asyncio.sleep(0)
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
    await front.session.reload_settings()
    assert rules(front) == {("deny", "Bash(a)")}
    assert len(front.of(SettingsReloaded)) == 1


async def test_a_model_by_its_short_name_is_asked_by_its_own(place: Path, fronts: list[Front]) -> None:
    write(place, {"model": "opus", "smallModel": "haiku"})
    fronts.append(front := await begin(place, reply(says(0, "Hi"))))
    front.session.submit("hello")
    await front.session.wait_idle()
    assert front.model.requests[0].model == front.session.model == "claude-opus-5-5"
    front.session.set_model("sonnet")
    assert front.session.model == "claude-sonnet-5-5"


async def test_without_trust_what_was_dropped_is_told(place: Path, fronts: list[Front], tmp_path: Path) -> None:
    own = tmp_path / "xdg_config_home/tui-agent/settings.json"
    own.parent.mkdir()
    hook = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}
    own.write_text(json.dumps(hook))
    write(place, {"permissions": {"allow": ["Bash(npm *)"]}, "env": {"A": "1"}}, ".claude/settings.json")
    for is_attended, running in ((True, []), (False, ["mine"])):
        options = SessionOptions(cwd=place, is_trusted=False, is_attended=is_attended)
        fronts.append(front := Front(await open_session(options, ScriptedModel()), ScriptedModel()))
        told = [notice.text for notice in front.of(Notice) if notice.text.startswith("Not trusted yet")]
        file = place / ".claude/settings.json"
        assert told[0] == f"Not trusted yet: {file}: env, permissions.allow"
        assert [("your own hooks" in text) for text in told[1:]] == [True] * is_attended
        hooks = front.session.settings.hooks
        assert [hook.handler["command"] for hook in hooks if not hook.is_held_back] == running
        assert rules(front) == set()


async def test_commands_get_what_settings_set_but_not_the_keys_to_the_model(place: Path, fronts: list[Front]) -> None:
    content = {"env": {"ANTHROPIC_AUTH_TOKEN": "model-key", "NPM_TOKEN": "npm-key"}}
    write(place, content)
    command = "echo [$ANTHROPIC_AUTH_TOKEN] ${NPM_TOKEN#npm-}"
    again = [reply(calls(0, "Bash", {"command": command}), stop="tool_use"), reply(says(0, "done"))]
    fronts.append(front := await begin(place, *again, *again, allowed=("Bash",)))
    for name in ("first", "second"):
        front.session.submit(name)
        await front.session.wait_idle()
        write(place, {**content, "model": "other"})  # read anew, the same holds
    results = front.of(ToolResultReady)
    assert len(results) == 2
    for result in results:
        assert "[] key" in str(result.content)


async def test_commands_know_that_an_agent_runs_them_and_in_which_session(place: Path, fronts: list[Front]) -> None:
    show = calls(0, "Bash", {"command": 'echo "$CLAUDECODE $CLAUDE_CODE_SESSION_ID $TUI_AGENT_SESSION_ID"'})
    fronts.append(front := await begin(place, *[reply(show, stop="tool_use"), reply(says(0, "done"))] * 2))
    front.session.submit("show")
    await front.session.wait_idle()
    write(place, {"env": {"CLAUDECODE": "no"}})  # settings that are read anew take nothing away
    front.session.submit("again")
    await front.session.wait_idle()
    name = front.of(ToolResultReady)[0].session_id
    assert [event.content for event in front.of(ToolResultReady)] == [f"1 {name} {name}"] * 2


async def test_looks_that_wait_for_a_hook_on_the_change_bring_one_piece_of_news(
    place: Path, fronts: list[Front]
) -> None:
    hook = {"type": "command", "command": f"echo heard >> {place}/heard"}
    content: dict[str, Any] = {"hooks": {"ConfigChange": [{"hooks": [hook]}]}}
    write(place, content)
    fronts.append(front := await begin(place))
    write(place, {**content, "permissions": {"deny": ["Bash(a)"]}})
    await asyncio.gather(*(front.session.reload_settings() for _ in range(3)))
    assert [event.changes for event in front.of(SettingsReloaded)] == [("deny rule added: Bash(a)",)]
    assert (place / "heard").read_text() == "heard\n"


async def test_a_rule_written_at_the_very_end_of_a_turn_counts_for_the_next_message(
    place: Path, fronts: list[Front]
) -> None:
    make = [calls(0, "Bash", {"command": "touch second"})]
    fronts.append(
        front := await begin(
            place, reply(says(0, "one")), reply(*make, stop="tool_use"), reply(says(0, "two")), allowed=("Bash",)
        )
    )
    front.session.submit("go")
    await front.until(TurnFinished)
    write(place, {"permissions": {"deny": ["Bash(touch second)"]}})
    front.session.submit("again")  # what follows a turn may still be under way
    await front.session.wait_idle()
    assert not (place / "second").exists()


async def test_a_message_taken_back_while_settings_are_looked_at_starts_no_turn(
    place: Path, fronts: list[Front]
) -> None:
    fronts.append(front := await begin(place, reply(says(0, "one")), reply(says(0, "two"))))
    front.session.submit("go")
    await front.session.wait_idle()
    front.session.submit("again")
    assert front.session.take_back() == [Draft("again")]
    await front.session.wait_idle()
    assert len(front.model.requests) == 1
