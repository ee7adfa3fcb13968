"""The permission dialog, driven as a user would."""

from __future__ import annotations

from typing import Any

import pytest
from dialog_app import Clock, Dialog, FakeQueue, readable, screen_text
from textual import events
from textual.widgets import Input

from tui_agent.permissions.verdict import Decision
from tui_agent.ui.dialogs.always import AlwaysField
from tui_agent.ui.dialogs.edited_command import EditedCommand
from tui_agent.ui.dialogs.question import QueuePosition
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.widgets.view_widget import ViewWidget


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (["1"], Decision(behavior="allow")),
        (["enter"], Decision(behavior="allow")),
        (["2"], Decision(behavior="allow", rules=("Bash(npm test *)",), scope="local")),
        (["3"], Decision(behavior="deny")),
        (["escape"], Decision(behavior="deny")),
        (["down", "down", "down", "enter"], Decision(behavior="deny")),
        (["up", "up", "enter"], Decision(behavior="deny")),
        (["down", "right", "enter"], Decision(behavior="allow", rules=("Bash(npm test *)",), scope="project")),
        (["down", "right", "right", "enter"], Decision(behavior="allow", rules=("Bash(npm test *)",), scope="user")),
        (["down", "left", "enter"], Decision(behavior="allow", rules=("Bash(npm test *)",), scope="session")),
        (["4", "u", "s", "e", "space", "p", "n", "p", "m", "enter"], Decision(behavior="deny", message="use pnpm")),
        (["4", "escape", "1"], Decision(behavior="allow")),
        (["e", "escape", "escape"], Decision(behavior="deny")),
        (["down", "down", "enter", "escape", "escape"], Decision(behavior="deny")),
    ],
)
async def test_each_way_to_answer_gives_its_decision(
    permission: Dialog, queue: FakeQueue, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert queue.decision == decision


async def test_the_rule_can_be_edited_before_it_is_saved(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "enter", "backspace", "backspace", "backspace", ")", "enter")
        assert queue.decision == Decision(behavior="allow", rules=("Bash(npm test)",), scope="local")


@pytest.mark.parametrize("rule", ["  ", "Bash()", "(what)", "* (x)", "Glob(src)"])
async def test_what_is_no_rule_is_not_saved_and_the_dialog_says_why(
    permission: Dialog, queue: FakeQueue, clock: Clock, rule: str
) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "enter")
        pilot.app.screen.query_one(".rule-field", Input).value = rule
        await pilot.press("enter", "escape", "2")
        await pilot.pause()
        assert queue.answers == []
        assert pilot.app.screen.query_one("RuleLine .note.-problem").display
        await pilot.press("1")
        assert queue.decision == Decision(behavior="allow")


async def test_the_other_suggested_rules_are_offered_in_turn(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with permission(offers=(("Bash(npm test *)", "Bash(npm test)"),)).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("r", "enter")
        assert queue.decision == Decision(behavior="allow", rules=("Bash(npm test)",), scope="local")


async def test_keys_within_the_guards_time_do_nothing(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission().run_test() as pilot:
        await pilot.pause()
        clock.now += 0.349
        await pilot.press("2", "3", "1", "escape", "enter", "down", "enter", "e", "enter", "4", "x", "space", "enter")
        assert queue.answers == []
        assert not pilot.app.screen.query_one("#words").display
        assert not pilot.app.screen.query_one(EditedCommand).display
        clock.pass_guard()
        await pilot.press("1")
        assert queue.decision.behavior == "allow"


async def test_the_end_of_a_sentence_typed_for_the_prompt_answers_nothing_and_writes_into_no_command(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with permission().run_test() as pilot:
        await pilot.pause()
        for key in (*"are", "space", "1", *"e4", "space", "enter"):
            clock.now += 0.3
            await pilot.press(key)
        assert queue.answers == []
        assert not pilot.app.screen.query_one(EditedCommand).display
        clock.pass_guard()
        await pilot.press("3")
        assert queue.decision.behavior == "deny"


async def test_digits_that_come_in_one_go_after_no_never_allow(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        for key in ("4", "1", "2", "enter"):
            pilot.app.post_message(events.Key(key, key if key.isdigit() else None))
        await pilot.pause()
        assert queue.decision.behavior == "deny"


async def test_a_click_within_the_guards_time_does_nothing(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission().run_test() as pilot:
        await pilot.pause()
        await pilot.click("AnswerChoice")
        assert queue.answers == []
        clock.pass_guard()
        await pilot.click("AnswerChoice")
        assert queue.decision == Decision(behavior="allow")


async def test_the_place_where_the_rule_is_kept_can_be_clicked(permission: Dialog, clock: Clock) -> None:
    async with permission().run_test(size=(110, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.click(pilot.app.screen.query(".scope").last())
        assert pilot.app.screen.query_one(AlwaysField).scope == "user"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"is_destructive": True}, "cannot be undone"),
        ({"offers": ()}, "no rule matches exactly this"),
        ({"offers": (("Bash(echo \u202e *)",),)}, "odd characters"),
        ({"offers": (("Bash(a *)",), ("Bash(b\t*)",))}, "odd characters"),
        ({"offers": (("Bash(сat *)",),)}, "look-alike"),
    ],
)
async def test_always_is_left_out_with_the_reason(
    permission: Dialog, queue: FakeQueue, clock: Clock, fields: dict[str, Any], reason: str
) -> None:
    async with permission(**fields).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("2", "r")
        assert queue.answers == []
        assert reason in screen_text(pilot)
        if not fields.get("is_destructive"):  # there the cursor is on No from the start
            await pilot.press("down")
        await pilot.press("enter")
        assert queue.decision == Decision(behavior="deny")


@pytest.mark.parametrize(
    ("effect", "words"),
    [("destroys", "cannot be undone"), ("runs", "nobody has seen this code"), ("", "cannot be undone")],
)
async def test_what_cannot_be_undone_warns_and_has_its_cursor_on_no(
    permission: Dialog, queue: FakeQueue, clock: Clock, effect: str, words: str
) -> None:
    async with permission(is_destructive=True, effect=effect).run_test() as pilot:
        await readable(pilot, clock)
        assert words in screen_text(pilot)
        assert "always" not in screen_text(pilot).lower()
        assert pilot.app.screen.query_one("#dialog").has_class("-careful")
        await pilot.press("2", "enter")
        assert queue.decision == Decision(behavior="deny")


async def test_the_part_that_the_reason_is_about_is_marked(permission: Dialog, clock: Clock) -> None:
    async with permission(
        input={"command": "ls a && rm -rf build"}, is_destructive=True, effect="destroys", part="rm -rf"
    ).run_test() as pilot:
        await readable(pilot, clock)
        body = pilot.app.screen.query_one("#body", ViewWidget)
        assert body.view is not None
        (line, *_) = body.view.render(70, body.state).lines
        marked = "".join(one.text for one in line.segments if one.style is not None and one.style.underline)
        assert marked == "rm -rf"


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (["w", *"ok", "enter"], Decision(behavior="allow", message="ok")),
        (["tab", *"ok", "enter"], Decision(behavior="allow", message="ok")),
        (["w", "enter"], Decision(behavior="allow")),
        (
            ["down", "w", *"ok", "enter"],
            Decision(behavior="allow", rules=("Bash(npm test *)",), scope="local", message="ok"),
        ),
        (["up", "up", "w", *"ok", "enter"], Decision(behavior="deny", message="ok")),
        (["w", *"ok", "escape", "3"], Decision(behavior="deny")),
    ],
)
async def test_a_yes_carries_words_too(
    permission: Dialog, queue: FakeQueue, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert queue.decision == decision


async def test_the_dialog_stands_at_the_foot_as_wide_as_the_window(permission: Dialog, clock: Clock) -> None:
    async with permission().run_test(size=(120, 40)) as pilot:
        await readable(pilot, clock)
        place = pilot.app.screen.query_one("#dialog").region
        assert (place.x, place.width, place.bottom) == (0, 120, 40)


async def test_odd_characters_of_the_command_are_spelled_out(permission: Dialog, clock: Clock) -> None:
    command = "echo safe \u202e && rm -rf x \x1b]0;title\x07 [@click=app.quit]z[/]"
    async with permission(input={"command": command}, reason=command).run_test(size=(100, 30)) as pilot:
        await readable(pilot, clock)
        text = screen_text(pilot)
        assert "⟨RLO⟩" in text
        assert "⟨ESC⟩" in text
        assert "[@click=app.quit]z[/]" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


@pytest.mark.parametrize(
    ("tool", "title"),
    [
        ("Bash", "Run this command?"),
        ("AskUserQuestion", "Use Question?"),
        ("mcp__tracker__create", "Use tracker:create?"),
    ],
)
async def test_the_title_is_a_question_in_the_words_of_the_tool(
    permission: Dialog, clock: Clock, tool: str, title: str
) -> None:
    async with permission(name=tool).run_test() as pilot:
        await readable(pilot, clock)
        assert f"╭─ {title} ─" in screen_text(pilot)


async def test_it_says_which_question_of_how_many_it_is_and_looks_at_others(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with permission(place=QueuePosition(1, 3)).run_test() as pilot:
        await readable(pilot, clock)
        assert "1 of 3" in screen_text(pilot)
        await pilot.press("tab", "]", "[")
        assert queue.steps == [1, 1, -1]
        screen = pilot.app.screen
        assert isinstance(screen, PermissionScreen)
        screen.show_place(QueuePosition(1, 2))
        await pilot.pause()
        assert "1 of 2" in screen_text(pilot)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
async def test_every_answer_is_visible_at_every_size(permission: Dialog, clock: Clock, size: tuple[int, int]) -> None:
    command = "\n".join(f"echo line {number}" for number in range(80))
    async with permission(input={"command": command}, place=QueuePosition(1, 2)).run_test(size=size) as pilot:
        await readable(pilot, clock)
        text = screen_text(pilot)
        for words in (
            "Yes, once",
            "Yes, always for",
            "3  No",
            "No, and tell it",
            "Bash(npm test *)",
            "esc no",
            "1 of 2",
        ):
            assert words in text
