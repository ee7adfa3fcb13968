"""The review of an edit: what is decided hunk by hunk is exactly what is approved."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dialog_app import Clock, DialogApp, FakeDesk, readable, screen_text
from textual.app import App
from textual.pilot import Pilot

from tui_agent.changes import FileChange
from tui_agent.events import PermissionRequested
from tui_agent.line_comments import LineComment
from tui_agent.permissions.verdict import Decision
from tui_agent.ui.reviewing.diff_layout import diff_layout
from tui_agent.ui.screens.guard import Guard
from tui_agent.ui.screens.review import ReviewScreen
from tui_agent.ui.widgets.review_editors import CommentEditor, HunkEditor

BEFORE = "".join(f"line {number}\n" for number in range(1, 41))
AFTER = (
    BEFORE.replace("line 3\n", "line three\n")
    .replace("line 20\n", "line 20\nline 20 and a half\n")
    .replace("line 38\n", "")
)
CHANGE = FileChange.between("/w/cart/refund.py", BEFORE, AFTER, before_hash="h")
DENY = Decision(behavior="deny")

Review = Callable[..., DialogApp]


@pytest.fixture
def review(asked: Callable[..., PermissionRequested], desk: FakeDesk, guard: Guard) -> Review:
    def make(*changes: FileChange, **fields: Any) -> DialogApp:
        request = asked(name="Edit", has_proposal=True, **({"offers": (("Edit(/cart/**)",),)} | fields))
        return DialogApp(ReviewScreen(request, changes or (CHANGE,), desk, base="/w", guard=guard))

    return make


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
    review: Review, desk: FakeDesk, clock: Clock
) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        for chosen, keys in KEYS.items():
            desk.answers.clear()
            await pilot.press("k", "k", *keys, "enter")
            if not chosen:
                assert desk.decision == DENY
                continue
            assert desk.decision == Decision(behavior="allow", approved=(CHANGE.approve(chosen),))
            assert desk.decision.approved[0].after == CHANGE.select(chosen)


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (["enter"], Decision(behavior="allow", approved=(CHANGE.approve(),))),
        (["X", "A", "enter"], Decision(behavior="allow", approved=(CHANGE.approve(),))),
        (["X", "enter"], DENY),
        (["a", "escape"], DENY),
        (["q"], DENY),
        (["w", "n", "o", "enter"], Decision(behavior="deny", message="no")),
        (["4", "n", "o", "enter"], Decision(behavior="deny", message="no")),
        (["w", "escape", "j", "j", "x", "enter"], Decision(behavior="allow", approved=(CHANGE.approve([0, 1]),))),
        (
            ["x", "2", "enter"],
            Decision(behavior="allow", rules=("Edit(/cart/**)",), scope="session", approved=(CHANGE.approve([1, 2]),)),
        ),
    ],
)
async def test_each_way_to_answer_gives_its_decision(
    review: Review, desk: FakeDesk, clock: Clock, keys: list[str], decision: Decision
) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press(*keys)
        assert desk.decision == decision


async def test_the_foot_says_what_enter_will_write(review: Review, clock: Clock) -> None:
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        assert "Enter writes 3 of 3 hunks" in screen_text(pilot)
        await pilot.press("x")
        await pilot.pause()
        assert "Enter writes 2 of 3 hunks" in screen_text(pilot)
        assert "hunk 2/3" in screen_text(pilot)
        await pilot.press("X")
        await pilot.pause()
        assert "Enter refuses it all" in screen_text(pilot)


async def test_keys_within_the_guards_time_do_nothing(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review().run_test() as pilot:
        await pilot.pause()
        clock.now += 0.3
        await pilot.press("x", "X", "enter", "q", "escape", "2", "w", "e")
        assert desk.answers == []
        clock.now += 0.1
        await pilot.press("enter")
        assert desk.decision == Decision(behavior="allow", approved=(CHANGE.approve(),))


async def test_a_hunk_can_be_edited_in_place(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e")
        editor = pilot.app.screen.query_one(HunkEditor)
        assert editor.text == "line three"
        editor.load_text("line 3, edited")
        await pilot.press("ctrl+s", "j", "x", "enter")
        (approved,) = desk.decision.approved
        assert approved.is_edited
        assert (approved.accepted, approved.refused) == ((0, 2), (1,))
        assert approved.after == CHANGE.select([0, 2]).replace("line three", "line 3, edited")


async def test_an_edit_that_is_given_up_changes_nothing(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", "z", "escape", "enter")
        assert desk.decision == Decision(behavior="allow", approved=(CHANGE.approve(),))


async def test_a_recorded_proposal_can_be_read_but_not_applied(review: Review, desk: FakeDesk, clock: Clock) -> None:
    recorded = FileChange.from_json(CHANGE.to_json())
    async with review(recorded).run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        assert "line three" in screen_text(pilot)
        assert "recording" in screen_text(pilot)
        await pilot.press("a", "enter", "e")
        assert desk.answers == []


async def test_an_empty_new_file_can_be_accepted(review: Review, desk: FakeDesk, clock: Clock) -> None:
    empty = FileChange.between("/w/__init__.py", None, "")
    async with review(empty).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("a", "j", "enter")
        assert desk.decision == Decision(behavior="allow", approved=(empty.approve(),))


async def test_the_keys_in_the_foot_can_be_clicked(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review().run_test(size=(120, 40)) as pilot:
        await readable(pilot, clock)
        lines = screen_text(pilot).split("\n")
        row = next(number for number, line in enumerate(lines) if "a accept" in line)
        await pilot.click(offset=(lines[row].index("X none") + 2, row))
        await pilot.pause()
        assert "Enter refuses it all" in screen_text(pilot)


@pytest.mark.parametrize("size", [(60, 20), (200, 60)])
async def test_the_diff_and_its_keys_are_visible_at_every_size(
    review: Review, clock: Clock, size: tuple[int, int]
) -> None:
    odd = replace(CHANGE, path="/w/\u202ecart/\x1b[31mrefund.py")
    async with review(odd).run_test(size=size) as pilot:
        await readable(pilot, clock)
        text = screen_text(pilot)
        for words in ("line three", "esc no", "a accept", "Enter writes", "hunk 1/3"):
            assert words in text.replace("\u00a0", " ")
        assert "\x1b" not in text
        assert "\u202e" not in text


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Make an editor of a few lines of Python that find the file's path in `path`, and lend it the terminal."""

    def make(lines: str) -> None:
        script = tmp_path / "editor.py"
        script.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n{lines}\n")
        monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
        monkeypatch.setattr(App, "suspend", lambda _: contextlib.nullcontext())

    return make


async def opened(pilot: Pilot[Any]) -> None:
    await pilot.press("o")
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def test_what_was_saved_in_the_persons_editor_is_what_is_written(
    review: Review, desk: FakeDesk, clock: Clock, editor: Callable[[str], None]
) -> None:
    editor("assert path.name == 'refund.py'; path.write_text(path.read_text().replace('three', 'III'))")
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await pilot.press("j", "x", "k")
        await opened(pilot)
        assert "Enter writes 2 of 2 hunks as edited" in screen_text(pilot)
        await pilot.press("enter")
    (approved,) = desk.decision.approved
    assert approved.is_edited
    assert approved.after == CHANGE.select([0, 2]).replace("three", "III")


async def test_a_file_put_back_as_it_was_in_the_editor_is_a_refusal(
    review: Review, desk: FakeDesk, clock: Clock, editor: Callable[[str], None]
) -> None:
    editor(f"path.write_text({BEFORE!r})")
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await opened(pilot)
        assert "Enter refuses it all" in screen_text(pilot)
        await pilot.press("enter")
    assert desk.decision == DENY


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("sys.exit(3)", "ended with 3"),
        ("path.write_bytes(b'\\xff')", "cannot be read"),
        ("path.unlink()", "cannot be read"),
    ],
)
async def test_an_editor_that_fails_changes_nothing(
    review: Review, desk: FakeDesk, clock: Clock, editor: Callable[[str], None], lines: str, words: str
) -> None:
    editor(lines)
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await opened(pilot)
        assert words in screen_text(pilot)
        await pilot.press("enter")
    assert desk.decision.approved == (CHANGE.approve(),)


async def test_a_terminal_that_cannot_be_lent_says_so(review: Review, clock: Clock) -> None:
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await opened(pilot)
        assert "cannot be lent" in screen_text(pilot)


# --- several files ---------------------------------------------------------------------------------------------------

OTHER = FileChange.between("/w/cart/tax.py", "a\nb\n", "A\nb\n", before_hash="h2")
FRESH = FileChange.between("/w/cart/new.py", None, "x = 1\n")


async def test_enter_takes_all_files_whole_in_the_order_of_the_proposal(
    review: Review, desk: FakeDesk, clock: Clock
) -> None:
    async with review(CHANGE, OTHER, FRESH).run_test() as pilot:
        await readable(pilot, clock)
        assert "Enter writes 5 of 5 hunks in 3 of 3 files" in screen_text(pilot)
        await pilot.press("enter")
    assert desk.decision.approved == (CHANGE.approve(), OTHER.approve(), FRESH.approve())


async def test_what_is_decided_in_one_file_stays_while_another_is_looked_at(
    review: Review, desk: FakeDesk, clock: Clock
) -> None:
    async with review(CHANGE, OTHER, FRESH).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("j", "x", "n", "n", "x", "p", "p")
        await pilot.pause()
        text = screen_text(pilot)
        assert "file 1/3" in text
        assert "Enter writes 3 of 5 hunks in 2 of 3 files" in text
        await pilot.press("enter")
    assert desk.decision.approved == (CHANGE.approve([0, 2]), OTHER.approve(), FRESH.approve([]))


async def test_the_last_decision_in_a_file_goes_on_to_the_next_file(
    review: Review, desk: FakeDesk, clock: Clock
) -> None:
    async with review(CHANGE, OTHER).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("a", "a", "x")
        await pilot.pause()
        assert "file 2/2" in screen_text(pilot)
        await pilot.press("x", "enter")
    assert desk.decision.approved == (CHANGE.approve([0, 1]), OTHER.approve([]))


async def test_refusing_every_hunk_of_every_file_is_a_refusal(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review(OTHER, FRESH).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("X", "n", "X")
        await pilot.pause()
        assert "Enter refuses it all" in screen_text(pilot)
        await pilot.press("enter")
    assert desk.decision == DENY


async def test_only_the_file_that_was_edited_counts_as_edited(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review(CHANGE, OTHER).run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("n", "e")
        await pilot.pause()
        pilot.app.screen.query_one(HunkEditor).load_text("edited")
        await pilot.press("ctrl+s", "enter")
    first, second = desk.decision.approved
    assert first == CHANGE.approve()
    assert second.is_edited
    assert second.after == "edited\nb\n"


# --- comments on lines -----------------------------------------------------------------------------------------------


def flowing(pilot: Pilot[Any]) -> str:
    """Return what is on the screen as if its lines were one."""
    return " ".join(screen_text(pilot).replace("│", " ").split())


async def written(pilot: Pilot[Any], text: str) -> None:
    """Write a comment on the current line."""
    await pilot.press("c")
    pilot.app.screen.query_one(CommentEditor).load_text(text)
    await pilot.press("enter")
    await pilot.pause()


def on_line(line: int, text: str, quote: str, **fields: Any) -> LineComment:
    return LineComment(path=CHANGE.path, line=line, quote=quote, text=text, **({"side": "new"} | fields))


async def test_comments_go_along_with_what_is_applied(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await written(pilot, "why not a constant?")
        assert "┃ why not a constant?" in screen_text(pilot)
        await pilot.press("x")
        await written(pilot, "good")
        assert "with 2 comments" in flowing(pilot)
        await pilot.press("enter")
    assert desk.decision == Decision(
        behavior="allow",
        approved=(CHANGE.approve([1, 2]),),
        comments=(
            on_line(3, "why not a constant?", "line 3", side="old"),
            on_line(21, "good", "line 20 and a half"),
        ),
    )


async def test_comments_are_the_reason_of_a_refusal(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review(CHANGE, OTHER).run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("r")
        await pilot.pause()
        assert desk.answers == []
        assert "Nothing is written" in screen_text(pilot)
        await pilot.press("n")
        await written(pilot, "in the other file")
        await pilot.press("p", "down", "down")
        await written(pilot, "and here")
        await pilot.press("r")
    assert desk.decision == Decision(
        behavior="deny",
        comments=(
            on_line(3, "and here", "line three"),
            replace(on_line(1, "in the other file", "a", side="old"), path=OTHER.path),
        ),
    )


async def test_several_lines_can_be_chosen_for_one_comment(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("down", "down", "shift+down", "shift+down")
        await pilot.pause()
        assert "│line three" in screen_text(pilot)
        await written(pilot, "one thing")
        assert "on lines 3–5: one thing" in screen_text(pilot)
        await pilot.press("r")
    assert desk.decision.comments == (on_line(3, "one thing", "line three\nline 4\nline 5", last=5),)


async def test_a_comment_can_be_changed_and_taken_away(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await written(pilot, "first")
        await pilot.press("c")
        assert pilot.app.screen.query_one(CommentEditor).text == "first"
        await pilot.press("ctrl+j", "m", "escape")
        await pilot.pause()
        assert "┃ first" in screen_text(pilot)
        await written(pilot, "second")
        assert "┃ second" in screen_text(pilot)
        await pilot.press("d")
        await pilot.pause()
        assert "┃" not in screen_text(pilot)
        await written(pilot, "third")
        await written(pilot, " ")
        await pilot.press("enter")
    assert desk.decision == Decision(behavior="allow", approved=(CHANGE.approve(),))


async def test_a_plain_no_asks_before_it_drops_comments(review: Review, desk: FakeDesk, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await written(pilot, "wait")
        await pilot.press("escape")
        await pilot.pause()
        assert desk.answers == []
        assert "r refuses with 1 comment" in screen_text(pilot)
        await pilot.press("escape")
    assert desk.decision == DENY


async def test_refusing_all_hunks_and_a_refusal_with_words_take_the_comments_along(
    review: Review, desk: FakeDesk, clock: Clock
) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await written(pilot, "this")
        await pilot.press("X", "enter")
        assert desk.decision == Decision(behavior="deny", comments=(on_line(3, "this", "line 3", side="old"),))
        desk.answers.clear()
        await pilot.press("w", "n", "o", "enter")
        assert desk.decision.message == "no"
        assert [one.text for one in desk.decision.comments] == ["this"]


async def test_a_click_goes_to_a_line_and_a_click_on_a_comment_opens_it(review: Review, clock: Clock) -> None:
    async with review().run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)

        async def click(words: str) -> None:
            rows = screen_text(pilot).split("\n")
            row = next(number for number, line in enumerate(rows) if words in line)
            await pilot.click(offset=(rows[row].index(words) + 1, row))
            await pilot.pause()

        await click("line 5")
        assert "❯line 5" in screen_text(pilot)
        await written(pilot, "here")
        await click("┃ here")
        assert pilot.app.screen.query_one(CommentEditor).text == "here"
        await pilot.press("escape")
        await click("unchanged lines")
        assert "line 12" in screen_text(pilot)


async def test_files_are_listed_with_how_far_each_is_decided(review: Review, clock: Clock) -> None:
    async with review(CHANGE, OTHER, FRESH).run_test(size=(60, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("a", "x", "n", "x", "n")
        await written(pilot, "why")
        text = screen_text(pilot)
        for words in (
            "◐ cart/refund.py  +2 −2  2 of 3 decided",
            "✗ cart/tax.py  +1 −1  refused",
            "▶ ○ cart/new.py  +1 −0  new file  undecided  1 comment",
        ):
            assert words in text
        assert "3 of 5 hunks decided" in flowing(pilot)
        rows = text.split("\n")
        row = next(number for number, line in enumerate(rows) if "cart/refund.py" in line)
        await pilot.click(offset=(8, row))
        await pilot.pause()
        assert "▶ ◐ cart/refund.py" in screen_text(pilot)


async def test_the_layout_is_switched_by_a_key_and_stays_for_the_next_review(review: Review, clock: Clock) -> None:
    async with review().run_test(size=(140, 30)) as pilot:
        await readable(pilot, clock)
        assert "3 - line 3" in screen_text(pilot)
        await pilot.press("t")
        await pilot.pause()
        assert re.search(r"3 +- line 3 ", screen_text(pilot))
        assert not re.search(r"3 - line 3 ", screen_text(pilot))
        assert diff_layout(pilot.app) == "unified"
        await pilot.press("t")
        assert diff_layout(pilot.app) == "split"


async def test_plus_shows_more_of_what_does_not_change(review: Review, clock: Clock) -> None:
    async with review().run_test(size=(80, 40)) as pilot:
        await readable(pilot, clock)
        assert "line 12" not in screen_text(pilot)
        await pilot.press("plus")
        await pilot.pause()
        assert "line 12" in screen_text(pilot)


async def test_a_recording_says_that_it_has_no_more_lines(review: Review, clock: Clock) -> None:
    recorded = FileChange.from_json(CHANGE.to_json())
    async with review(recorded).run_test(size=(80, 30)) as pilot:
        await readable(pilot, clock)
        await pilot.press("plus")
        await pilot.pause()
        assert "not in the record" in screen_text(pilot)


async def test_the_hunk_to_decide_on_is_in_sight_whole(review: Review, clock: Clock) -> None:
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
        ("e", "^s take the new lines  esc give up"),
        ("c", "enter keep  ^j new line  esc give up"),
        ("2", "enter apply, with this rule  ^t where  esc back"),
        ("w", "enter no, with these words  esc back"),
    ],
)
async def test_while_something_is_written_the_foot_has_the_keys_of_that_and_no_others(
    pressed: str, foot: str, review: Review, clock: Clock
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


async def test_the_rule_of_always_does_not_narrow_the_diff(review: Review, clock: Clock) -> None:
    app = review()
    async with app.run_test() as pilot:
        await readable(pilot, clock)
        width = app.screen.query_one("#diff").size.width
        await pilot.press("2")
        await pilot.pause()
        assert app.screen.query_one("#diff").size.width == width
