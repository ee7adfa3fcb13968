"""What the program itself tells the model (memory files, notices, hooks, what the user did by hand) holds no secrets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, calls, reply, says
from session_front import Front, begin

from tui_agent.events import HookEnded, JobEnded, ReminderSent, TurnFinished, UserMessageSent

SECRET = "canary-of-the-shell-1"
DONE = reply(says(0, "done"))


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    monkeypatch.setenv("IS_SANDBOX", "1")


async def start(place: Path, fronts: list[Front], *scripts: Script, **settings: Any) -> Front:
    fronts.append(front := await begin(place, *scripts, mode="bypassPermissions", settings=json.dumps(settings)))
    return front


def hook(event: str, command: str, **more: Any) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": command, **more}]}]}}


def told(front: Front) -> str:
    """What the user's side of the conversation says to the model in all requests, without results of tools."""
    messages = [message for request in front.model.requests for message in request.messages]
    contents = [message["content"] for message in messages if message["role"] == "user"]
    texts = [text for text in contents if isinstance(text, str)]
    blocks = [block for content in contents if not isinstance(content, str) for block in content]
    return "\n".join([*texts, *(str(block["text"]) for block in blocks if block["type"] == "text")])


def is_told_masked(front: Front, about: str) -> bool:
    text = told(front)
    assert about in text, "the model is told at all"
    assert SECRET not in text
    return "[secret: SHOP_TOKEN]" in text


async def test_memory_files(place: Path, fronts: list[Front]) -> None:
    (place / "CLAUDE.md").write_text(f"Deploy with the token {SECRET}.\n")
    front = await start(place, fronts, DONE)
    front.session.submit("go")
    await front.until(TurnFinished)
    assert is_told_masked(front, "Deploy with the token")


async def test_notices_of_background_jobs(place: Path, fronts: list[Front]) -> None:
    command = f"true {SECRET}; until [ -e go ]; do sleep 0.02; done"
    work = reply(calls(0, "Bash", {"command": command, "run_in_background": True}), stop="tool_use")
    front = await start(place, fronts, work, DONE, DONE)
    front.session.submit("go")
    await front.until(TurnFinished)
    (place / "go").touch()
    await front.until(JobEnded)
    front.session.submit("and?")
    await front.until(TurnFinished, 2)
    assert is_told_masked(front, "Background job")
    assert SECRET not in front.of(UserMessageSent)[-1].context


async def test_notices_of_background_jobs_between_two_steps(place: Path, fronts: list[Front]) -> None:
    command = f"true {SECRET}; until [ -e go ]; do sleep 0.02; done"
    work = reply(calls(0, "Bash", {"command": command, "run_in_background": True}), stop="tool_use")
    look = reply(calls(0, "Bash", {"command": "touch go; until [ -e seen ]; do sleep 0.02; done"}), stop="tool_use")
    front = await start(place, fronts, work, look, DONE)
    front.session.submit("go")
    await front.until(JobEnded)
    (place / "seen").touch()
    await front.until(TurnFinished)
    (reminder,) = front.of(ReminderSent)
    assert "Background job" in reminder.text
    assert is_told_masked(front, "Background job")


async def test_what_was_done_by_hand(place: Path, fronts: list[Front]) -> None:
    front = await start(place, fronts, DONE)
    assert front.session.run_tool(f"Write --file_path=f.txt --content={SECRET}") == ""
    await front.until(TurnFinished)
    front.session.submit("go")
    await front.until(TurnFinished, 2)
    assert is_told_masked(front, "The user ran these tools")


async def test_commands_of_the_users_own(place: Path, fronts: list[Front]) -> None:
    front = await start(place, fronts, DONE, respondToBashCommands=False)
    assert front.session.run_shell(f"echo it is {SECRET}") == ""
    await front.until(TurnFinished)
    front.session.submit("go")
    await front.until(TurnFinished, 2)
    assert is_told_masked(front, "<bash-input>")


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
async def test_what_hooks_say_before_a_message_goes_out(place: Path, fronts: list[Front], event: str) -> None:
    front = await start(place, fronts, DONE, **hook(event, f"echo heard with {SECRET}"))
    front.session.submit("go")
    await front.until(TurnFinished)
    assert is_told_masked(front, "heard with")


async def test_what_hooks_say_from_the_background(place: Path, fronts: list[Front]) -> None:
    given = hook("UserPromptSubmit", f"echo heard with {SECRET}", **{"async": True})
    front = await start(place, fronts, DONE, DONE, **given)
    front.session.submit("go")
    await front.until(HookEnded)
    await front.until(TurnFinished)
    front.session.submit("and?")
    await front.until(TurnFinished, 2)
    assert is_told_masked(front, "heard with")


async def test_what_a_hook_wakes_the_model_with(place: Path, fronts: list[Front]) -> None:
    command = f"[ -e woken ] || {{ touch woken; echo heard with {SECRET} >&2; exit 2; }}"
    front = await start(place, fronts, DONE, DONE, **hook("Stop", command, asyncRewake=True))
    front.session.submit("go")
    await front.until(ReminderSent)
    await front.until(TurnFinished, 2)
    assert is_told_masked(front, "heard with")
    assert SECRET not in front.of(ReminderSent)[0].text


async def test_what_a_hook_holds_the_turn_back_with(place: Path, fronts: list[Front]) -> None:
    command = f"[ -e held ] || {{ touch held; echo heard with {SECRET} >&2; exit 2; }}"
    front = await start(place, fronts, DONE, DONE, **hook("Stop", command))
    front.session.submit("go")
    await front.until(TurnFinished)
    assert is_told_masked(front, "heard with")
