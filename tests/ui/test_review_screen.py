"""The review of an edit: what is decided hunk by hunk is exactly what is approved."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from dialog_app import Clock, Dialog, FakeQueue, readable, screen_text
from reviews import CHANGE, DENY

from tui_agent.changes import FileChange
from tui_agent.permissions.verdict import Decision
from tui_agent.ui.dialogs.question import QueuePosition
from tui_agent.ui.reviewing.diff_layout import diff_layout

KEYS = {
    (): "xxx",
    (0,): "axx",
    (1,): "xax",
    (2,): "xxa",
    (0, 1): "aax",
    (0, 2): "axa",
    (1, 2): "xaa",
    (0, 1, 2): "aaa",
}


async def test_any_choice_of_hunks_becomes_exactly_the_text_that_choice_gives(
    review: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    queue.moves_on = True
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        for chosen, keys in KEYS.items():
            queue.answers.clear()
            await pilot.press("k", "k", *keys, "enter")
            if not chosen:
                assert queue.decision == DENY
                continue
            assert queue.decision == Decision(behavior="allow", approved=(CHANGE.approve(chosen),))
            assert queue.decision.approved[0].after == CHANGE.select(chosen)


async def test_a_decision_goes_on_to_the_next_hunk_only_where_that_is_set(
    review: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("x", "a", "x")
        assert "hunk 1/3" in screen_text(pilot)
        await pilot.press("j", "j", "x", "enter")
        assert queue.decision == Decision(behavior="allow", approved=(CHANGE.approve([1]),))


async def test_a_hunk_that_is_not_decided_says_what_becomes_of_it(review: Dialog, clock: Clock) -> None:
    async with review().run_test(size=(100, 60)) as pilot:
        await readable(pilot, clock)
        await pilot.press("x")
        await pilot.pause()
        assert screen_text(pilot).count("undecided: will be written") == 2


async def test_one_key_applies_what_was_decided_and_accepts_edits_from_then_on(
    review: Dialog, queue: FakeQueue, clock: Clock
) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("x", "shift+tab")
        assert queue.decision == Decision(behavior="allow", approved=(CHANGE.approve([1, 2]),))
        assert queue.accepting == ["r1"]


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (["enter"], Decision(behavior="allow", approved=(CHANGE.approve(),))),
        (["X", "A", "enter"], Decision(behavior="allow", approved=(CHANGE.approve(),))),
        (["X", "enter"], DENY),
        (["a", "escape"], DENY),
        (["q"], DENY),
        (
            ["x", "w", "o", "k", "enter"],
            Decision(behavior="allow", message="ok", approved=(CHANGE.approve([1, 2]),)),
        ),
        (["X", "w", "n", "o", "enter"], Decision(behavior="deny", message="no")),
        (["4", "n", "o", "enter"], Decision(behavior="deny", message="no")),
        (["w", "escape", "j", "j", "x", "enter"], Decision(behavior="allow", approved=(CHANGE.approve([0, 1]),))),
        (
            ["x", "2", "enter"],
            Decision(behavior="allow", rules=("Edit(/cart/**)",), scope="session", approved=(CHANGE.approve([1, 2]),)),
        ),
    ],
)
async def test_each_way_to_answer_gives_its_decision(
    review: Dialog, queue: FakeQueue, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert queue.decision == decision


async def test_the_foot_says_what_enter_will_write(review: Dialog, clock: Clock) -> None:
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        assert "Enter writes 3 of 3 hunks" in screen_text(pilot)
        await pilot.press("x")
        await pilot.pause()
        assert "Enter writes 2 of 3 hunks" in screen_text(pilot)


@pytest.mark.parametrize("key", ["w", "4", "c", "e"])
async def test_while_words_are_written_nothing_is_said_that_holds_elsewhere(
    review: Dialog, clock: Clock, key: str
) -> None:
    async with review(place=QueuePosition(1, 2)).run_test(size=(100, 30)) as pilot:
        await readable(pilot, clock)
        assert "[ ] to see the others" in screen_text(pilot)
        await pilot.press(key)
        await pilot.pause()
        assert "Enter writes" not in screen_text(pilot)
        assert "1 of 2" in screen_text(pilot)
        assert "to see the others" not in screen_text(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert "Enter writes" in screen_text(pilot)
        assert "[ ] to see the others" in screen_text(pilot)
        assert "hunk 2/3" in screen_text(pilot)
        await pilot.press("X")
        await pilot.pause()
        assert "Enter refuses everything" in screen_text(pilot)


async def test_keys_within_the_guards_time_do_nothing(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review().run_test() as pilot:
        await pilot.pause()
        clock.now += 0.3
        await pilot.press("x", "X", "enter", "q", "escape", "2", "w", "e")
        assert queue.answers == []
        clock.pass_guard()
        await pilot.press("enter")
        assert queue.decision == Decision(behavior="allow", approved=(CHANGE.approve(),))


async def test_a_recorded_proposal_can_be_read_but_not_applied(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    recorded = FileChange.from_json(CHANGE.to_json())
    async with review(recorded).run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        assert "line three" in screen_text(pilot)
        assert "recording" in screen_text(pilot)
        await pilot.press("a", "enter", "e")
        assert queue.answers == []


async def test_an_empty_new_file_can_be_accepted(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    empty = FileChange.between("/w/__init__.py", None, "")
    async with review(empty).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("a", "j", "enter")
        assert queue.decision == Decision(behavior="allow", approved=(empty.approve(),))


async def test_the_keys_in_the_foot_can_be_clicked(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review().run_test(size=(120, 40)) as pilot:
        await readable(pilot, clock)
        lines = screen_text(pilot).split("\n")
        row = next(number for number, line in enumerate(lines) if "a accept" in line)
        await pilot.click(offset=(lines[row].index("X none") + 2, row))
        await pilot.pause()
        assert "Enter refuses everything" in screen_text(pilot)


@pytest.mark.parametrize("size", [(60, 20), (200, 60)])
async def test_the_diff_and_its_keys_are_visible_at_every_size(
    review: Dialog, clock: Clock, size: tuple[int, int]
) -> None:
    odd = replace(CHANGE, path="/w/\u202ecart/\x1b[31mrefund.py")
    async with review(odd).run_test(size=size) as pilot:
        await readable(pilot, clock)
        text = screen_text(pilot)
        for words in ("line three", "esc no", "a accept", "Enter writes", "hunk 1/3"):
            assert words in text.replace("\u00a0", " ")
        assert "\x1b" not in text
        assert "\u202e" not in text


async def test_the_layout_is_switched_by_a_key_and_stays_for_the_next_review(review: Dialog, clock: Clock) -> None:
    async with review().run_test(size=(140, 30)) as pilot:
        await readable(pilot, clock)
        assert re.search(r"3 - line 3 .* 3 \+ ", screen_text(pilot))
        await pilot.press("t")
        await pilot.pause()
        assert re.search(r"3 - line 3 ", screen_text(pilot))
        assert not re.search(r"3 - line 3 .* 3 \+ ", screen_text(pilot))
        assert diff_layout(pilot.app) == "unified"
        await pilot.press("t")
        assert diff_layout(pilot.app) == "split"


async def test_plus_shows_more_of_what_does_not_change(review: Dialog, clock: Clock) -> None:
    async with review().run_test(size=(80, 40)) as pilot:
        await readable(pilot, clock)
        assert "line 12" not in screen_text(pilot)
        await pilot.press("plus")
        await pilot.pause()
        assert "line 12" in screen_text(pilot)


async def test_a_recording_says_that_it_has_no_more_lines(review: Dialog, clock: Clock) -> None:
    recorded = FileChange.from_json(CHANGE.to_json())
    async with review(recorded).run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("plus")
        await pilot.pause()
        assert "not in the record" in screen_text(pilot)


async def test_the_hunk_to_decide_on_is_in_sight_whole(review: Dialog, clock: Clock) -> None:
    """Its header alone at the foot of the screen would be decided on unseen."""
    async with review().run_test(size=(80, 18)) as pilot:
        await readable(pilot, clock)
        assert "line 20 and a half" not in screen_text(pilot)
        await pilot.press("j")
        await pilot.pause()
        lines = screen_text(pilot).splitlines()
        header = next(at for at, line in enumerate(lines) if "▶ hunk 2/3" in line)
        assert "line 20 and a half" in "".join(lines[header:])
        assert "23   line 22" in "".join(lines[header:])


@pytest.mark.parametrize(
    ("pressed", "foot"),
    [
        ("e", "^s use the new lines  esc cancel"),
        ("c", "enter keep  ^j new line  esc cancel"),
        ("2", "enter apply, with this rule  ^t where  esc back"),
        ("w", "enter apply, with these words  esc back"),
        ("4", "enter no, with these words  esc back"),
    ],
)
async def test_while_something_is_written_the_foot_has_the_keys_of_that_and_no_others(
    pressed: str, foot: str, review: Dialog, clock: Clock
) -> None:
    app = review()
    async with app.run_test() as pilot:
        await readable(pilot, clock)
        keys = app.screen.query_one("#keys")
        usual = str(keys.render())
        assert "a accept" in usual
        await pilot.press(pressed)
        await pilot.pause()
        assert str(keys.render()) == foot
        await pilot.press("escape")
        await pilot.pause()
        assert str(keys.render()) == usual


async def test_the_rule_of_always_does_not_narrow_the_diff(review: Dialog, clock: Clock) -> None:
    app = review()
    async with app.run_test() as pilot:
        await readable(pilot, clock)
        width = app.screen.query_one("#diff").size.width
        await pilot.press("2")
        await pilot.pause()
        assert app.screen.query_one("#diff").size.width == width
