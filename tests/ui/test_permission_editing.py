"""Editing a command in the permission dialog: judged as it is written, and run once."""

from __future__ import annotations

from typing import Any

import pytest
from dialog_app import Clock, Dialog, FakeQueue, readable, screen_text
from screen_text import until
from textual import events
from textual.pilot import Pilot

from tui_agent.permissions.verdict import Decision, Verdict
from tui_agent.ui.dialogs.question import QueuePosition
from tui_agent.ui.widgets.command_editor import CommandEditor


def judged(input: dict[str, Any]) -> Verdict:
    command = input["command"]
    if "rm" in command:
        return Verdict(behavior="deny", by="rule", reason="`Bash(rm *)` denies it", rule="Bash(rm *)")
    if command.startswith("ls"):
        return Verdict(behavior="allow", by="default", reason="it only reads")
    return Verdict(behavior="ask", by="default", reason="no rule allows it", check="unknown-program")


def editor(pilot: Pilot[Any]) -> CommandEditor:
    return pilot.app.screen.query_one(CommandEditor)


async def test_an_edited_command_is_judged_as_it_is_written_and_run_once(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    queue.verdict = judged
    async with permission(input={"command": "npm test", "cwd": "sub"}).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", "space", "-", "u")
        await until(pilot, lambda: "? would ask: no rule allows it · unknown-program" in screen_text(pilot))
        editor(pilot).load_command("ls -la")
        await until(pilot, lambda: "✓ would be allowed: it only reads" in screen_text(pilot))
        await pilot.press("ctrl+j", *"pwd", "enter")
        assert queue.decision == Decision(behavior="allow", input={"command": "ls -la\npwd", "cwd": "sub"})


async def test_keys_that_come_in_one_go_with_edit_answer_nothing(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        for key in "e123r":
            pilot.app.post_message(events.Key(key, key))
        await until(pilot, lambda: editor(pilot).has_focus)
        await pilot.press("!")
        assert queue.answers == []
        assert editor(pilot).command.endswith("!")


async def test_a_denied_command_cannot_be_run_however_fast_enter_comes(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    queue.verdict = judged
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", *";rm", "enter")
        assert queue.answers == []
        assert "✗ denied, so it cannot be run: `Bash(rm *)` denies it" in screen_text(pilot)
        assert "run this once" not in screen_text(pilot)
        await pilot.press("backspace", "backspace", "backspace", "enter")
        assert queue.decision == Decision(behavior="allow")  # as it was proposed


@pytest.mark.parametrize("keys", [["backspace"] * 8, [*["backspace"] * 8, "space"]])
async def test_nothing_cannot_be_run(permission: Dialog, queue: FakeQueue, clock: Clock, keys: list[str]) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", *keys, "enter")
        assert queue.answers == []
        assert "the command is empty" in screen_text(pilot)


async def test_esc_goes_back_to_the_command_as_proposed(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", "x", "escape")
        assert queue.answers == []
        assert queue.drafts == {}
        assert "npm testx" not in screen_text(pilot)
        await pilot.press("1")
        assert queue.decision == Decision(behavior="allow")


async def test_characters_that_do_not_show_stay_as_they_are_where_they_are_not_edited(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    command = "echo a\u202eb\x1b]0;t\x07\tc \u00a0\r\n\U0010f003"
    async with permission(input={"command": command}).run_test(size=(100, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("e")
        await pilot.pause()
        text = screen_text(pilot)
        assert "⟨RLO⟩ in line 1, column 7" in text
        assert not set(text) & set("\x1b\u202e\x07\t\xa0\r")
        assert "echo a◆b◆]0;t◆⇥c ◆◆" in text
        assert editor(pilot).command == command
        await pilot.press("!", "enter")
        assert queue.decision.input == {"command": command + "!"}


async def test_what_is_pasted_into_the_command_is_cleaned(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e")
        pilot.app.post_message(events.Paste(" a\tb\x1b[2J\u202ec"))
        await pilot.pause()
        assert editor(pilot).command == "npm test a\tbc"


async def test_an_editor_that_opens_by_itself_takes_no_keys_typed_ahead(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with permission(draft="npm test --edited").run_test() as pilot:
        await pilot.pause()
        clock.now += 0.349
        await pilot.press("x", "backspace", "ctrl+j", "enter", "ctrl+u", "escape")
        pilot.app.post_message(events.Paste("y"))
        await pilot.pause()
        assert queue.answers == []
        assert editor(pilot).command == "npm test --edited"
        clock.now += 0.2
        await pilot.press("enter")
        assert queue.answers == [], "typing goes on"
        clock.pass_guard()
        await pilot.press("!", "enter")
        assert queue.decision == Decision(behavior="allow", input={"command": "npm test --edited!"})


async def test_what_is_edited_is_kept_while_another_question_is_looked_at(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with permission(place=QueuePosition(1, 2)).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", *" ]", "tab")
        assert queue.steps == [1]
        assert queue.drafts == {"r1": "npm test ]"}


async def test_only_commands_are_edited(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission(name="WebFetch", input={"url": "https://example.com"}).run_test() as pilot:
        await readable(pilot, clock)
        assert "edit command" not in screen_text(pilot)
        await pilot.press("e", "enter")
        assert queue.decision == Decision(behavior="allow")
