"""Editing what is proposed while reviewing it, in place and in the user's own editor."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dialog_app import Clock, Dialog, FakeQueue, readable, screen_text
from reviews import BEFORE, CHANGE, DENY
from textual.app import App
from textual.pilot import Pilot

from tui_agent.permissions.verdict import Decision
from tui_agent.ui.widgets.review_editors import HunkEditor


async def test_a_hunk_can_be_edited_in_place(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e")
        editor = pilot.app.screen.query_one(HunkEditor)
        assert editor.text == "line three"
        editor.load_text("line 3, edited")
        await pilot.press("ctrl+s", "j", "x", "enter")
        (approved,) = queue.decision.approved
        assert approved.is_edited
        assert (approved.accepted, approved.refused) == ((0, 2), (1,))
        assert approved.after == CHANGE.select([0, 2]).replace("line three", "line 3, edited")


async def test_an_edit_that_is_given_up_changes_nothing(review: Dialog, queue: FakeQueue, clock: Clock) -> None:
    async with review().run_test() as pilot:
        await readable(pilot, clock)
        await pilot.press("e", "z", "escape", "enter")
        assert queue.decision == Decision(behavior="allow", approved=(CHANGE.approve(),))


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
    review: Dialog, queue: FakeQueue, clock: Clock, editor: Callable[[str], None]
) -> None:
    editor("assert path.name == 'refund.py'; path.write_text(path.read_text().replace('three', 'III'))")
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await pilot.press("j", "x", "k")
        await opened(pilot)
        assert "Enter writes 2 of 2 hunks as edited" in screen_text(pilot)
        await pilot.press("enter")
    (approved,) = queue.decision.approved
    assert approved.is_edited
    assert approved.after == CHANGE.select([0, 2]).replace("three", "III")


async def test_a_file_put_back_as_it_was_in_the_editor_is_a_refusal(
    review: Dialog, queue: FakeQueue, clock: Clock, editor: Callable[[str], None]
) -> None:
    editor(f"path.write_text({BEFORE!r})")
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await opened(pilot)
        assert "Enter refuses everything" in screen_text(pilot)
        await pilot.press("enter")
    assert queue.decision == DENY


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("sys.exit(3)", "ended with 3"),
        ("path.write_bytes(b'\\xff')", "cannot be read"),
        ("path.unlink()", "cannot be read"),
    ],
)
async def test_an_editor_that_fails_changes_nothing(
    review: Dialog, queue: FakeQueue, clock: Clock, editor: Callable[[str], None], lines: str, words: str
) -> None:
    editor(lines)
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await opened(pilot)
        assert words in screen_text(pilot)
        await pilot.press("enter")
    assert queue.decision.approved == (CHANGE.approve(),)


async def test_a_terminal_that_cannot_be_lent_says_so(review: Dialog, clock: Clock) -> None:
    async with review().run_test(size=(80, 24)) as pilot:
        await readable(pilot, clock)
        await opened(pilot)
        assert "cannot run an editor" in screen_text(pilot)
