"""The permission dialog about several commands at once: a rule for each, and what each part of them asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from dialog_app import Clock, Dialog, FakeQueue, readable, screen_text
from screen_text import until
from textual.widgets import Input

from tui_agent.boundary import Pending
from tui_agent.permissions.verdict import Decision, PartVerdict, Verdict
from tui_agent.queries import RuleNotes
from tui_agent.ui.dialogs.always import AlwaysField

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
        (
            ["down", "down", "enter", "down", "escape", "space", "2"],
            Decision(behavior="allow", rules=("Bash(npm test *)",), scope="local"),
        ),
    ],
)
async def test_each_command_has_a_rule_that_can_be_edited_changed_or_left_out(
    permission: Dialog, queue: FakeQueue, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with permission(**SEVERAL).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert queue.decision == decision


async def test_with_every_rule_left_out_always_saves_and_runs_nothing(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with permission(**SEVERAL).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "space", "down", "space")
        await until(pilot, lambda: "no rule is left" in screen_text(pilot))
        await pilot.press("2")
        assert queue.answers == []


async def test_a_single_rule_cannot_be_left_out(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "space", "2")
        assert queue.decision.rules == ("Bash(npm test *)",)


async def test_a_rule_is_edited_by_a_click(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission(**SEVERAL).run_test() as pilot:
        await pilot.pause()
        await pilot.click("RuleLine .rule")
        assert not pilot.app.screen.query_one(AlwaysField).is_editing  # the grace period
        await readable(pilot, clock)
        await pilot.click("RuleLine .rule")
        await pilot.press(*["backspace"] * 3, ")", "enter")
        assert queue.decision.rules == ("Bash(npm test)", "Bash(git push *)")


async def test_a_broad_rule_is_warned_of_and_may_be_saved(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "enter")
        pilot.app.screen.query_one(".rule-field", Input).value = "Bash(python *)"
        await pilot.pause()
        assert "allows whatever `python` is told to run" in screen_text(pilot)
        await pilot.press("enter")
        assert queue.decision.rules == ("Bash(python *)",)


async def test_until_it_is_known_whether_a_rule_can_be_used_it_is_not_saved(
    permission: Dialog, queue: FakeQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[asyncio.Future[RuleNotes]] = []

    async def later(answer: asyncio.Future[RuleNotes]) -> RuleNotes:
        return await answer

    def check(_rule: str) -> Pending[RuleNotes]:
        answers.append(asyncio.get_running_loop().create_future())
        return Pending.running(later(answers[-1]))

    monkeypatch.setattr(queue, "check_rule", check)
    async with permission().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("2")
        await pilot.pause()
        assert queue.answers == []
        answers[-1].set_result(RuleNotes(warning="allows every command"))
        await until(pilot, lambda: "allows every command" in screen_text(pilot))
        await pilot.press("2")
        assert queue.decision == Decision(behavior="allow", rules=("Bash(npm test *)",), scope="local")


async def test_it_says_what_the_rules_would_have_covered_and_whether_this_call(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    def covered(rules: Sequence[str]) -> tuple[Sequence[str], bool]:
        return (["npm test -- -u", "npm test \x1b[2J"], True) if "Bash(npm test *)" in rules else ((), False)

    queue.covered = covered
    async with permission().run_test(size=(100, 30)) as pilot:
        await readable(pilot, clock)
        assert "would have covered 2 other calls of this session" in screen_text(pilot)
        assert "`npm test -- -u`" in screen_text(pilot)
        assert "\x1b" not in screen_text(pilot)
        assert "does not cover this call" not in screen_text(pilot)
        await pilot.press("down", "down", "enter", "backspace", "x", ")")
        await until(pilot, lambda: "does not cover this call" in screen_text(pilot))
        assert "would have covered" not in screen_text(pilot)


async def test_each_part_says_whether_and_why_it_asks(permission: Dialog, queue: FakeQueue, clock: Clock) -> None:
    parts = [
        PartVerdict(command=f"step{number}", behavior="allow", by="rule", reason="ok", rule="Bash(step*)")
        for number in range(8)
    ]
    parts[6] = PartVerdict(command="git push", behavior="ask", by="default", reason="it sends", check="network")
    queue.verdict = lambda _: Verdict(behavior="ask", by="default", reason="no rule allows it", parts=tuple(parts))
    async with permission(**SEVERAL, check="network").run_test(size=(100, 40)) as pilot:
        await readable(pilot, clock)
        text = screen_text(pilot)
        assert "Why it asks: no rule allows it · check network" in text
        assert "✓ step0" in text
        assert "allowed by Bash(step*)" in text
        assert "? git push" in text
        assert "asks: it sends · network" in text
        assert "… and 3 more" in text


async def test_in_a_low_terminal_what_is_asked_scrolls_and_every_answer_stays_in_sight(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    command = " && ".join(f"git push origin branch-{number}" for number in range(12))
    parts = [
        PartVerdict(command=f"step {number}", behavior="ask", by="default", reason=f"reason {number}", check="network")
        for number in range(4)
    ]
    queue.verdict = lambda _: Verdict(behavior="ask", by="default", reason="no rule allows it", parts=tuple(parts))
    offers = (("Bash(git fetch *)",), ("Edit(./out.log)",), ("Bash(git push *)",))
    async with permission(input={"command": command}, offers=offers).run_test(size=(60, 20)) as pilot:
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
        assert "branch-10" not in screen_text(pilot)
        await pilot.press(*["pagedown"] * 20)
        await pilot.pause()
        body, why = screen.query_one("#body"), screen.query_one("#parts")
        assert (body.scroll_y, why.scroll_y) == (body.max_scroll_y, why.max_scroll_y)
        assert why.max_scroll_y
        assert "branch-10" in screen_text(pilot)
        await pilot.press(*["pageup"] * 20)
        await pilot.pause()
        assert (body.scroll_y, why.scroll_y) == (0, 0)


async def test_parts_scrolled_over_in_a_small_window_are_all_seen_in_a_larger_one(
    permission: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    parts = [
        PartVerdict(command=command, behavior="ask", by="default", reason=f"`{command}` changes files", check="edits")
        for command in ("touch a.txt", "rm -f b.txt", "echo done")
    ]
    queue.verdict = lambda _: Verdict(behavior="ask", by="default", reason="no rule allows it", parts=tuple(parts))
    app = permission(input={"command": "touch a.txt && rm -f b.txt; echo done > c.txt"})
    async with app.run_test(size=(60, 20)) as pilot:
        await readable(pilot, clock)
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: app.screen.query_one("#parts").scroll_y > 0)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert app.screen.query_one("#parts").scroll_y == 0
        assert all(f"? {part.command}" in screen_text(pilot) for part in parts)


@pytest.mark.parametrize("height", range(4, 14))
async def test_the_chosen_answer_is_in_sight_in_however_few_lines(
    permission: Dialog, queue: FakeQueue, clock: Clock, height: int
) -> None:
    parts = [
        PartVerdict(command=command, behavior="ask", by="default", reason=f"`{command}` changes files", check="edits")
        for command in ("touch a.txt", "rm -f b.txt")
    ]
    queue.verdict = lambda _: Verdict(behavior="ask", by="default", reason="no rule allows it", parts=tuple(parts))
    async with permission(input={"command": "touch a.txt && rm -f b.txt"}).run_test(size=(30, height)) as pilot:
        await readable(pilot, clock)
        assert "❯ 1  Yes, once" in screen_text(pilot)
        await pilot.press("up")
        await until(pilot, lambda: "❯ 4  No, and tell" in screen_text(pilot))
