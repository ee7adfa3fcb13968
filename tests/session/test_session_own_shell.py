"""`!` in a session: the user's own commands run without a question, are recorded, and the model hears of them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, ScriptedModel, calls, reply, says
from session_driver import open_session
from session_front import Front

from tui_agent.drafts import Draft
from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import (
    JobStarted,
    MessageQueued,
    MessageUnqueued,
    PermissionRequested,
    ReminderSent,
    ToolProgressed,
    ToolResultReady,
    ToolStageEnded,
    ToolUseStarted,
    TurnFinished,
    UserMessageSent,
)
from tui_agent.permissions.verdict import Decision


class Shell(Front):
    """A front end that runs commands of the user."""

    async def run(self, command: str) -> ToolResultReady:
        before = len(self.of(ToolResultReady))
        assert self.session.run_shell(command) == ""
        await self.session.wait_idle()
        result = self.of(ToolResultReady)[before]
        assert isinstance(result, ToolResultReady)
        return result


@pytest.fixture
async def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ("HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    work = tmp_path / "work"
    work.mkdir()
    opened: list[Shell] = []

    async def start(*scripts: Script, answers: bool = False, **options: Any) -> Shell:
        model = ScriptedModel(*scripts)
        values = {"respondToBashCommands": answers, **options.pop("values", {})}
        given = SessionOptions(cwd=work, is_trusted=True, settings=json.dumps(values), **options)
        opened.append(Shell(await open_session(given, model), model))
        return opened[-1]

    yield start
    for shell in opened:
        await shell.session.close()


async def test_a_command_runs_without_a_question_through_all_stages(begin: Any, tmp_path: Path) -> None:
    shell = await begin()
    result = await shell.run("echo made > made && cat made")
    assert "made" in str(result.content)
    assert (tmp_path / "work/made").read_text() == "made\n"
    assert shell.of(PermissionRequested) == []
    stages = [event.stage for event in shell.of(ToolStageEnded)]
    assert stages == ["lookup", "validate", "pre_hooks", "permission", "call", "store", "post_hooks", "result"]
    assert shell.of(ToolUseStarted)[0].by == "person"
    assert shell.model.requests == []


async def test_the_next_message_carries_command_and_output(begin: Any) -> None:
    shell = await begin(reply(says(0, "Hi.")))
    await shell.run("echo '</bash-stdout> one'")
    await shell.run("echo bad >&2; exit 3")
    shell.session.submit("what was that?")
    await shell.session.wait_idle()
    (sent,) = shell.of(UserMessageSent)
    assert "<bash-input>echo '&lt;/bash-stdout> one'</bash-input>" in sent.context
    assert "<bash-stdout>&lt;/bash-stdout> one" in sent.context
    assert "<bash-stderr>Exit code 3" in sent.context
    assert "tool_use_error" not in sent.context


async def test_the_model_answers_at_once_where_the_setting_says_so(begin: Any) -> None:
    shell = await begin(reply(says(0, "One file.")), reply(says(0, "And?")), answers=True)
    await shell.run("echo seen")
    (told,) = shell.of(ReminderSent)
    assert "<bash-stdout>seen" in told.text
    assert "seen" in str(shell.model.requests[0].messages)
    shell.session.submit("and?")
    await shell.session.wait_idle()
    assert "<bash-stdout>" not in shell.of(UserMessageSent)[0].context  # told once


async def test_a_rule_that_denies_holds_in_every_mode(begin: Any, tmp_path: Path) -> None:
    for mode in ("default", "acceptEdits"):
        shell = await begin(disallowed=("Bash(touch *)",), mode=mode)
        assert (await shell.run("touch made")).error_kind == "denied"
        assert (await shell.run("true && touch made")).error_kind == "denied"
        assert shell.session.runtime.broker.log.denials
    assert not (tmp_path / "work/made").exists()


async def test_a_command_of_which_it_cannot_be_told_whether_a_rule_denies_it_asks(begin: Any, tmp_path: Path) -> None:
    shell = await begin(disallowed=("Bash(touch *)",))
    shell.session.run_shell("x=$(date); $x made")
    (asked,) = await shell.until(PermissionRequested)
    shell.session.answer(asked.request_id, Decision(behavior="deny"))
    await shell.session.wait_idle()
    assert shell.of(TurnFinished)[0].outcome == "declined"
    free = await begin()
    await free.run("x=$(echo touch); $x made")
    assert free.of(PermissionRequested) == []
    assert (tmp_path / "work/made").exists()


async def test_what_would_remove_too_much_asks(begin: Any) -> None:
    shell = await begin()
    shell.session.run_shell("rm -rf ~")
    (asked,) = await shell.until(PermissionRequested)
    shell.session.answer(asked.request_id, Decision(behavior="deny"))
    await shell.session.wait_idle()
    assert shell.of(ToolResultReady)[0].is_error


async def test_modes_hold_back_the_model_and_not_the_person(begin: Any, tmp_path: Path) -> None:
    for mode in ("plan", "dontAsk"):
        shell = await begin(mode=mode)
        result = await shell.run(f"touch {mode}")
        assert not result.is_error, result.content
        assert (tmp_path / "work" / mode).exists()


async def test_a_command_waits_for_the_turn_to_end_and_can_be_taken_back(begin: Any, tmp_path: Path) -> None:
    shell = await begin(reply(calls(0, "Bash", {"command": "touch asked"}), stop="tool_use"), reply(says(0, "So.")))
    shell.session.submit("go")
    (asked,) = await shell.until(PermissionRequested)
    assert shell.session.run_shell("touch first") == ""
    assert shell.session.run_shell("touch second") == ""
    assert [event.text for event in shell.of(MessageQueued)] == ["!touch first", "!touch second"]
    shell.session.submit("a message")
    assert shell.session.take_back() == [Draft("a message")]
    assert shell.session.take_back() == [Draft("!touch second")]
    shell.session.answer(asked.request_id, Decision(behavior="deny", message="no"))
    await shell.session.wait_idle()
    assert len(shell.of(MessageUnqueued)) == 3
    assert (tmp_path / "work/first").exists()
    assert not (tmp_path / "work/second").exists()
    assert [event.by for event in shell.of(ToolUseStarted)] == ["model", "person"]


async def test_an_interrupt_ends_the_command_and_the_model_does_not_answer(begin: Any) -> None:
    shell = await begin(answers=True)
    shell.session.run_shell("echo begun; sleep 60")
    await shell.until(ToolUseStarted)
    while not any(event.stage == "call" for event in shell.of(ToolStageEnded)) and not shell.of(ToolResultReady):
        shell.session.interrupt()
        await asyncio.sleep(0.01)
    await shell.session.wait_idle()
    assert shell.of(TurnFinished)[0].outcome == "interrupted"
    assert shell.model.requests == []


async def test_a_command_goes_on_in_the_background_when_wanted(begin: Any) -> None:
    shell = await begin(answers=True)
    shell.session.run_shell("echo begun; sleep 60")
    (use,) = await shell.until(ToolUseStarted)
    await shell.until(ToolProgressed)
    shell.session.move_to_background(use.tool_use_id)
    await shell.session.wait_idle()
    (job,) = shell.of(JobStarted)
    assert shell.of(TurnFinished)[0].outcome == "done"
    assert shell.model.requests == []  # there is nothing to answer to yet
    shell.session.stop_job(job.job_id)


async def test_a_message_written_meanwhile_carries_the_output(begin: Any) -> None:
    shell = await begin(reply(says(0, "Both.")), answers=True)
    shell.session.run_shell("sleep 0.2; echo seen")
    shell.session.submit("and what is that?")
    await shell.session.wait_idle()
    assert len(shell.model.requests) == 1  # the answer to both
    assert "<bash-stdout>seen" in shell.of(UserMessageSent)[0].context


async def test_without_bash_there_is_no_shell(begin: Any) -> None:
    shell = await begin(disallowed=("Bash",))
    assert "Bash is not available" in shell.session.run_shell("ls")
