"""The permission dialog, driven as a person would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from dialog_app import Clock, DialogApp, FakeDesk, readable, screen_text
from screen_text import until
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from tui_agent.events import PermissionRequested
from tui_agent.permissions.verdict import Decision, PartVerdict, Verdict
from tui_agent.ui.screens.always import AlwaysField
from tui_agent.ui.screens.edited_command import EditedCommand
from tui_agent.ui.screens.guard import Guard
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.screens.question import Place
from tui_agent.ui.screens.request_view import RequestView
from tui_agent.ui.widgets.command_editor import CommandEditor

Asked = Callable[..., PermissionRequested]


@pytest.fixture
def dialog(asked: Asked, desk: FakeDesk, guard: Guard) -> Callable[..., DialogApp]:
    def make(*, place: Place | None = None, draft: str | None = None, **fields: Any) -> DialogApp:
        request = asked(**fields)
        screen = PermissionScreen(request, RequestView(request), desk, place=place, guard=guard, draft=draft)
        return DialogApp(screen)

    return make


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
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert desk.decision == decision


async def test_the_rule_can_be_edited_before_it_is_saved(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "enter", "backspace", "backspace", "backspace", ")", "enter")
        assert desk.decision == Decision(behavior="allow", rules=("Bash(npm test)",), scope="local")


@pytest.mark.parametrize("rule", ["  ", "Bash()", "(what)", "* (x)", "Glob(src)"])
async def test_what_is_no_rule_is_not_saved_and_the_dialog_says_why(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock, rule: str
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "enter")
        pilot.app.screen.query_one(".rule-field", Input).value = rule
        await pilot.press("enter", "escape", "2")
        await pilot.pause()
        assert desk.answers == []
        assert pilot.app.screen.query_one("RuleLine .note.-problem").display
        await pilot.press("1")
        assert desk.decision == Decision(behavior="allow")


async def test_the_other_suggested_rules_are_offered_in_turn(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog(offers=(("Bash(npm test *)", "Bash(npm test)"),)).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("r", "enter")
        assert desk.decision == Decision(behavior="allow", rules=("Bash(npm test)",), scope="local")


async def test_keys_within_the_guards_time_do_nothing(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await pilot.pause()
        clock.now += 0.349
        await pilot.press("2", "3", "1", "escape", "enter", "down", "enter", "e", "enter", "4", "x", "space", "enter")
        assert desk.answers == []
        assert not pilot.app.screen.query_one("#words").display
        assert not pilot.app.screen.query_one(EditedCommand).display
        clock.now += 0.001
        await pilot.press("1")
        assert desk.decision.behavior == "allow"


async def test_digits_that_come_in_one_go_after_no_never_allow(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        for key in ("4", "1", "2", "enter"):
            pilot.app.post_message(events.Key(key, key if key.isdigit() else None))
        await pilot.pause()
        assert desk.decision.behavior == "deny"


async def test_a_click_within_the_guards_time_does_nothing(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await pilot.pause()
        await pilot.click("Choice")
        assert desk.answers == []
        clock.pass_guard()
        await pilot.click("Choice")
        assert desk.decision == Decision(behavior="allow")


async def test_the_place_where_the_rule_is_kept_can_be_clicked(dialog: Callable[..., DialogApp], clock: Clock) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.click(pilot.app.screen.query(".scope").last())
        assert pilot.app.screen.query_one(AlwaysField).scope == "user"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"is_destructive": True}, "cannot be taken back"),
        ({"offers": ()}, "no rule would say exactly this"),
        ({"offers": (("Bash(echo \u202e *)",),)}, "odd characters"),
        ({"offers": (("Bash(a *)",), ("Bash(b\t*)",))}, "odd characters"),
        ({"offers": (("Bash(сat *)",),)}, "look-alike"),
    ],
)
async def test_always_is_left_out_with_the_reason(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock, fields: dict[str, Any], reason: str
) -> None:
    async with dialog(**fields).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("2", "r")
        assert desk.answers == []
        assert reason in screen_text(pilot)
        await pilot.press("down", "enter")
        assert desk.decision == Decision(behavior="deny")


async def test_odd_characters_of_the_command_are_spelled_out(dialog: Callable[..., DialogApp], clock: Clock) -> None:
    command = "echo safe \u202e && rm -rf x \x1b]0;title\x07 [@click=app.quit]z[/]"
    async with dialog(input={"command": command}, reason=command).run_test(size=(100, 30)) as pilot:
        await readable(pilot, clock)
        text = screen_text(pilot)
        assert "⟨RLO⟩" in text
        assert "⟨ESC⟩" in text
        assert "[@click=app.quit]z[/]" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


@pytest.mark.parametrize(
    ("tool", "title"), [("Bash", "Bash"), ("AskUserQuestion", "Question"), ("mcp__tracker__create", "tracker:create")]
)
async def test_a_tool_is_called_as_in_the_conversation(
    dialog: Callable[..., DialogApp], clock: Clock, tool: str, title: str
) -> None:
    async with dialog(name=tool).run_test() as pilot:
        await readable(pilot, clock)
        assert f"╭─ {title} ─" in screen_text(pilot)


async def test_it_says_which_question_of_how_many_it_is_and_looks_at_others(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog(place=Place(1, 3)).run_test() as pilot:
        await readable(pilot, clock)
        assert "1 of 3" in screen_text(pilot)
        await pilot.press("tab", "]", "[")
        assert desk.steps == [1, 1, -1]
        screen = pilot.app.screen
        assert isinstance(screen, PermissionScreen)
        screen.show_place(Place(1, 2))
        await pilot.pause()
        assert "1 of 2" in screen_text(pilot)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
async def test_every_answer_is_visible_at_every_size(
    dialog: Callable[..., DialogApp], clock: Clock, size: tuple[int, int]
) -> None:
    command = "\n".join(f"echo line {number}" for number in range(80))
    async with dialog(input={"command": command}, place=Place(1, 2)).run_test(size=size) as pilot:
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


# --- several commands, several rules ---------------------------------------------------------------------------------

SEVERAL = {
    "input": {"command": "npm test && git push"},
    "offers": (("Bash(npm test *)", "Bash(npm test)"), ("Bash(git push *)",)),
}
KEEP_BOTH = Decision(behavior="allow", rules=("Bash(npm test *)", "Bash(git push *)"), scope="local")


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (["2"], KEEP_BOTH),
        (["down", "down", "space", "2"], Decision(behavior="allow", rules=("Bash(git push *)",), scope="local")),
        (["down", "down", "space", "space", "2"], KEEP_BOTH),
        (["r", "2"], Decision(behavior="allow", rules=("Bash(npm test)", "Bash(git push *)"), scope="local")),
        (
            ["down", "down", "down", "enter", *["backspace"] * 3, ")", "up", *["backspace"] * 3, ")", "enter"],
            Decision(behavior="allow", rules=("Bash(npm test)", "Bash(git push)"), scope="local"),
        ),
        (
            ["down", "down", "enter", *["backspace"] * 3, ")", "escape", "left", "up", "enter"],
            Decision(behavior="allow", rules=("Bash(npm test)", "Bash(git push *)"), scope="session"),
        ),
    ],
)
async def test_each_command_has_a_rule_that_can_be_edited_changed_or_left_out(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with dialog(**SEVERAL).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert desk.decision == decision


async def test_with_every_rule_left_out_always_saves_and_runs_nothing(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog(**SEVERAL).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "space", "down", "space")
        await until(pilot, lambda: "no rule is left" in screen_text(pilot))
        await pilot.press("2")
        assert desk.answers == []


async def test_a_single_rule_cannot_be_left_out(dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "space", "2")
        assert desk.decision.rules == ("Bash(npm test *)",)


async def test_a_rule_is_edited_by_a_click(dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock) -> None:
    async with dialog(**SEVERAL).run_test() as pilot:
        await pilot.pause()
        await pilot.click("RuleLine .rule")
        assert not pilot.app.screen.query_one(AlwaysField).is_editing  # the guard
        await readable(pilot, clock)
        await pilot.click("RuleLine .rule")
        await pilot.press(*["backspace"] * 3, ")", "enter")
        assert desk.decision.rules == ("Bash(npm test)", "Bash(git push *)")


async def test_a_broad_rule_is_warned_of_and_may_be_saved(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "enter")
        pilot.app.screen.query_one(".rule-field", Input).value = "Bash(python *)"
        await pilot.pause()
        assert "allows whatever `python` is told to run" in screen_text(pilot)
        await pilot.press("enter")
        assert desk.decision.rules == ("Bash(python *)",)


async def test_it_says_what_the_rules_would_have_covered_and_whether_this_call(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    def covered(rules: Sequence[str]) -> tuple[Sequence[str], bool]:
        return (["npm test -- -u", "npm test \x1b[2J"], True) if "Bash(npm test *)" in rules else ((), False)

    desk.covered = covered
    async with dialog().run_test(size=(100, 30)) as pilot:
        await readable(pilot, clock)
        assert "would have covered 2 other calls of this session" in screen_text(pilot)
        assert "`npm test -- -u`" in screen_text(pilot)
        assert "\x1b" not in screen_text(pilot)
        assert "does not cover this call" not in screen_text(pilot)
        await pilot.press("down", "down", "enter", "backspace", "x", ")")
        await until(pilot, lambda: "would have covered 0 other calls" in screen_text(pilot))
        assert "does not cover this call" in screen_text(pilot)


async def test_each_part_says_whether_and_why_it_asks(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    parts = [
        PartVerdict(command=f"step{number}", behavior="allow", by="rule", reason="ok", rule="Bash(step*)")
        for number in range(8)
    ]
    parts[6] = PartVerdict(command="git push", behavior="ask", by="default", reason="it sends", check="network")
    desk.verdict = lambda _: Verdict(behavior="ask", by="default", reason="no rule allows it", parts=tuple(parts))
    async with dialog(**SEVERAL, check="network").run_test(size=(100, 40)) as pilot:
        await readable(pilot, clock)
        text = screen_text(pilot)
        assert "Why it asks: no rule allows it · check network" in text
        assert "✓ step0" in text
        assert "allowed by Bash(step*)" in text
        assert "? git push" in text
        assert "asks: it sends · network" in text
        assert "… and 3 more" in text


async def test_in_a_low_terminal_what_is_asked_scrolls_and_every_answer_stays_in_sight(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    command = " && ".join(f"git push origin branch-{number}" for number in range(12))
    parts = [
        PartVerdict(command=f"step {number}", behavior="ask", by="default", reason=f"reason {number}", check="network")
        for number in range(4)
    ]
    desk.verdict = lambda _: Verdict(behavior="ask", by="default", reason="no rule allows it", parts=tuple(parts))
    offers = (("Bash(git fetch *)",), ("Edit(./out.log)",), ("Bash(git push *)",))
    async with dialog(input={"command": command}, offers=offers).run_test(size=(60, 20)) as pilot:
        await readable(pilot, clock)
        screen = pilot.app.screen
        choices = screen.query_one("#choices")
        place = choices.region
        assert screen.query_one("#keys").region.y == place.bottom
        assert screen.query_one("#why").region.y == screen.query_one("#body").region.bottom
        text = screen_text(pilot)
        for words in ("1  Yes, once", "2  Yes, always for", *(rule for rule, *_ in offers), "3  No", "4  No, and tell"):
            assert words in text
        for _ in range(7):
            await pilot.press("down")
            await pilot.pause()
            assert choices.region == place
            assert screen.query_one("#dialog").scroll_y == 0
        assert "branch-11" not in screen_text(pilot)
        await pilot.press(*["pagedown"] * 12)
        await pilot.pause()
        body, why = screen.query_one("#body"), screen.query_one("#parts")
        assert (body.scroll_y, why.scroll_y) == (body.max_scroll_y, why.max_scroll_y)
        assert why.max_scroll_y
        assert "branch-11" in screen_text(pilot)
        await pilot.press(*["pageup"] * 12)
        await pilot.pause()
        assert (body.scroll_y, why.scroll_y) == (0, 0)


# --- editing the command ---------------------------------------------------------------------------------------------


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
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    desk.verdict = judged
    async with dialog(input={"command": "npm test", "cwd": "sub"}).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", "space", "-", "u")
        await until(pilot, lambda: "? would ask: no rule allows it · unknown-program" in screen_text(pilot))
        editor(pilot).load_command("ls -la")
        await until(pilot, lambda: "✓ would be allowed: it only reads" in screen_text(pilot))
        await pilot.press("ctrl+j", *"pwd", "enter")
        assert desk.decision == Decision(behavior="allow", input={"command": "ls -la\npwd", "cwd": "sub"})


async def test_keys_that_come_in_one_go_with_edit_answer_nothing(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        for key in "e123r":
            pilot.app.post_message(events.Key(key, key))
        await until(pilot, lambda: editor(pilot).has_focus)
        await pilot.press("!")
        assert desk.answers == []
        assert editor(pilot).command.endswith("!")


async def test_a_denied_command_cannot_be_run_however_fast_enter_comes(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    desk.verdict = judged
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", *";rm", "enter")
        assert desk.answers == []
        assert "✗ denied, so it cannot be run: `Bash(rm *)` denies it" in screen_text(pilot)
        assert "run this once" not in screen_text(pilot)
        await pilot.press("backspace", "backspace", "backspace", "enter")
        assert desk.decision == Decision(behavior="allow")  # as it was proposed


@pytest.mark.parametrize("keys", [["backspace"] * 8, [*["backspace"] * 8, "space"]])
async def test_nothing_cannot_be_run(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock, keys: list[str]
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", *keys, "enter")
        assert desk.answers == []
        assert "nothing left to run" in screen_text(pilot)


async def test_esc_goes_back_to_the_command_as_proposed(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", "x", "escape")
        assert desk.answers == []
        assert desk.drafts == {}
        assert "npm testx" not in screen_text(pilot)
        await pilot.press("1")
        assert desk.decision == Decision(behavior="allow")


async def test_characters_that_do_not_show_stay_as_they_are_where_they_are_not_edited(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    command = "echo a\u202eb\x1b]0;t\x07\tc \u00a0\r\n\U0010f003"
    async with dialog(input={"command": command}).run_test(size=(100, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("e")
        await pilot.pause()
        text = screen_text(pilot)
        assert "⟨RLO⟩ in line 1, column 7" in text
        assert not set(text) & set("\x1b\u202e\x07\t\xa0\r")
        assert "echo a◆b◆]0;t◆⇥c ◆◆" in text
        assert editor(pilot).command == command
        await pilot.press("!", "enter")
        assert desk.decision.input == {"command": command + "!"}


async def test_what_is_pasted_into_the_command_is_cleaned(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e")
        pilot.app.post_message(events.Paste(" a\tb\x1b[2J\u202ec"))
        await pilot.pause()
        assert editor(pilot).command == "npm test a\tbc"


async def test_an_editor_that_opens_by_itself_takes_no_keys_typed_ahead(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog(draft="npm test --edited").run_test() as pilot:
        await pilot.pause()
        clock.now += 0.349
        await pilot.press("x", "backspace", "ctrl+j", "enter", "ctrl+u", "escape")
        pilot.app.post_message(events.Paste("y"))
        await pilot.pause()
        assert desk.answers == []
        assert editor(pilot).command == "npm test --edited"
        clock.now += 0.001
        await pilot.press("!", "enter")
        assert desk.decision == Decision(behavior="allow", input={"command": "npm test --edited!"})


async def test_what_is_edited_is_kept_while_another_question_is_looked_at(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    async with dialog(place=Place(1, 2)).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", *" ]", "tab")
        assert desk.steps == [1]
        assert desk.drafts == {"r1": "npm test ]"}


async def test_only_commands_are_edited(dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock) -> None:
    async with dialog(name="WebFetch", input={"url": "https://example.com"}).run_test() as pilot:
        await readable(pilot, clock)
        assert "edit command" not in screen_text(pilot)
        await pilot.press("e", "enter")
        assert desk.decision == Decision(behavior="allow")


async def test_parts_scrolled_over_in_a_small_window_are_all_seen_in_a_larger_one(
    dialog: Callable[..., DialogApp], desk: FakeDesk, clock: Clock
) -> None:
    parts = [
        PartVerdict(command=command, behavior="ask", by="default", reason=f"`{command}` changes files", check="edits")
        for command in ("touch a.txt", "rm -f b.txt", "echo done")
    ]
    desk.verdict = lambda _: Verdict(behavior="ask", by="default", reason="no rule allows it", parts=tuple(parts))
    app = dialog(input={"command": "touch a.txt && rm -f b.txt; echo done > c.txt"})
    async with app.run_test(size=(60, 20)) as pilot:
        await readable(pilot, clock)
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: app.screen.query_one("#parts").scroll_y > 0)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert app.screen.query_one("#parts").scroll_y == 0
        assert all(f"? {part.command}" in screen_text(pilot) for part in parts)
