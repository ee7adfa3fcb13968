"""Hooks over a session's life: its beginning and end, changed settings, and what they are told and keep secret."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hooked import bash, said, settings, shell, warnings
from scripted_model import reply, says
from session_front import Front, begin

from tui_agent.events import HookEnded, HookStarted, SessionEnded, SettingsReloaded, ToolResultReady, UserMessageSent
from tui_agent.journal.load import read_events


async def test_variables_that_a_hook_leaves_reach_later_commands(place: Path, fronts: list[Front]) -> None:
    lines = 'echo "export GREETING=\\"hi $USER_NAME\\"" >> "$CLAUDE_ENV_FILE"; echo "export API_TOKEN=t" >> "$CLAUDE_ENV_FILE"'
    settings(place, SessionStart=[("startup", shell(f"USER_NAME=x; {lines}"))])
    front = await said(
        fronts,
        place,
        reply(bash("echo $GREETING/$API_TOKEN/$CLAUDE_ENV_FILE"), stop="tool_use"),
        reply(says(0, "ok")),
        allowed=("Bash",),
    )
    assert (
        front.of(ToolResultReady)[0].content.startswith("hi x/t/\n")
        or front.of(ToolResultReady)[0].content == "hi x/t/"
    )


async def test_beginning_clearing_and_end_are_told(place: Path, fronts: list[Front]) -> None:
    told = place.parent / "told"
    note = shell(f'sed \'s/.*"\\(source\\|reason\\)": "\\([^"]*\\)".*/\\2/\' >> {told}; echo >> {told}')
    (place / "CLAUDE.md").write_text("Use tabs.")
    files = shell(f"grep -o 'CLAUDE.md' | head -n 1 >> {told}")
    settings(place, SessionStart=[("", note)], SessionEnd=[("", note)], InstructionsLoaded=[("session_start", files)])
    front = await said(fronts, place, reply(says(0, "one")), reply(says(0, "two")))
    front.session.clear()
    front.session.submit("again")
    await front.session.wait_idle()
    await front.session.close()
    assert told.read_text().split() == ["CLAUDE.md", "startup", "clear", "CLAUDE.md", "clear", "prompt_input_exit"]


async def test_hooks_at_the_end_have_a_second_and_a_half(place: Path, fronts: list[Front]) -> None:
    settings(place, SessionEnd=[("", shell("trap '' TERM; sleep 72"))])
    front = await said(fronts, place, reply(says(0, "one")))
    began = asyncio.get_running_loop().time()
    await front.session.close()
    assert asyncio.get_running_loop().time() - began < 4
    assert front.of(HookEnded)[-1].outcome == "timeout"


async def test_a_second_order_to_stop_does_not_wait_for_hooks_and_the_record_is_whole(
    place: Path, fronts: list[Front]
) -> None:
    settings(place, SessionEnd=[("", shell("sleep 74", timeout=50))])
    front = await said(fronts, place, reply(says(0, "one")))
    closing = asyncio.create_task(front.session.close())
    await front.until(HookStarted)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(closing, 10)
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    kinds = [type(event) for event in read_events(journal).events]
    assert kinds[-2:] == [HookEnded, SessionEnded]


async def test_clearing_forgets_the_hooks_of_a_beginning_that_still_run(place: Path, fronts: list[Front]) -> None:
    settings(place, SessionStart=[("startup", shell("sleep 75")), ("clear", shell("echo newborn"))])
    fronts.append(front := await begin(place, reply(says(0, "one"))))
    await front.until(HookStarted)
    front.session.clear()
    front.session.submit("hello")
    await asyncio.wait_for(front.session.wait_idle(), 10)
    assert "newborn" in front.of(UserMessageSent)[0].context
    assert sorted(event.outcome for event in await front.until(HookEnded, 2)) == ["cancelled", "ok"]


async def test_who_keeps_the_session_waiting_is_told_of_it(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui_agent.engine.hooks.session_hooks._QUESTION_S", 0.01)
    monkeypatch.setattr("tui_agent.engine.hooks.session_hooks._IDLE_S", 0.02)
    told = place.parent / "told"
    settings(place, Notification=[("permission_prompt|idle_prompt", shell(f"cat >> {told}; echo >> {told}"))])
    fronts.append(front := await begin(place, reply(bash("touch a"), stop="tool_use")))
    front.session.submit("go")
    await front.until(HookEnded)
    front.session.interrupt()
    await front.until(HookEnded, 2)
    kinds = [json.loads(line)["notification_type"] for line in told.read_text().splitlines()]
    assert kinds == ["permission_prompt", "idle_prompt"]


async def test_hooks_change_while_the_session_runs_and_may_refuse_that(place: Path, fronts: list[Front]) -> None:
    settings(
        place, PreToolUse=[("Bash", shell("exit 0"))], ConfigChange=[("project_settings", shell("echo no >&2; exit 2"))]
    )
    front = await said(
        fronts, place, reply(says(0, "one")), reply(bash("echo hi"), stop="tool_use"), reply(says(0, "x"))
    )
    settings(place, PreToolUse=[("Bash", shell("exit 2"))])
    front.session.submit("more")
    await front.session.wait_idle()
    assert front.of(SettingsReloaded) == []
    assert any("refused the change" in text for text in warnings(front))
    assert front.of(ToolResultReady)[0].error_kind != "hook"


async def test_hooks_of_a_folder_that_is_not_trusted_do_not_run(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("touch ran"))], SessionStart=[("", shell("touch ran"))])
    front = await said(fronts, place, reply(says(0, "one")), is_trusted=False)
    assert not (place / "ran").exists()
    assert front.of(HookStarted) == []


async def test_the_simple_mode_hears_no_hooks(place: Path, fronts: list[Front]) -> None:
    settings(place, UserPromptSubmit=[("", shell("touch ran"))])
    await said(fronts, place, reply(says(0, "one")), is_simple=True)
    assert not (place / "ran").exists()


async def test_keys_of_the_app_are_not_in_a_hooks_environment(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    settings(place, UserPromptSubmit=[("", shell("env"))])
    front = await said(fronts, place, reply(says(0, "one")))
    (sent,) = front.of(UserMessageSent)
    assert f"CLAUDE_PROJECT_DIR={place}" in sent.context
    assert f"TUI_AGENT_SESSION_ID={front.session.id}" in sent.context
    assert "sk-secret" not in sent.context
    assert "GITHUB_TOKEN" not in sent.context


async def test_what_a_stopped_hook_says_is_masked(
    place: Path, fronts: list[Front], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_0123456789abcdefghijklmnopqrstuvwxyz")
    (place / "secret").write_text("the token is ghp_0123456789abcdefghijklmnopqrstuvwxyz")
    echo = "cat secret"
    settings(
        place,
        UserPromptSubmit=[("", shell(echo))],
        Stop=[("", shell(f"[ -e x ] || {{ touch x; {echo} >&2; exit 2; }}"))],
    )
    front = await said(fronts, place, reply(says(0, "one")), reply(says(0, "two")))
    assert len(front.model.requests) == 2
    assert "the token is" in str(front.model.requests[0].messages)
    assert "ghp_0123" not in str(front.model.requests[1].messages)
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    await front.session.close()
    assert "ghp_0123" not in journal.read_text()
