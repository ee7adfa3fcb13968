"""The diff pane: the newest change, and the way to the others."""

from __future__ import annotations

from dialog_app import STYLES, screen_text
from recording import CHANGE, EDIT, SHOP, Recording
from textual.app import App, ComposeResult

from tui_agent import events as ev
from tui_agent.changes import FileChange
from tui_agent.ui.panes.diff import DiffPane
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.widgets.view_widget import ViewWidget


class Harness(App[None]):
    """An app with nothing but the pane."""

    CSS_PATH = [STYLES / "panes.tcss"]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.projection = Projection()

    def compose(self) -> ComposeResult:
        yield DiffPane()

    @property
    def pane(self) -> DiffPane:
        return self.query_one(DiffPane)

    def feed(self, log: Recording, taken: int = 0) -> int:
        self.pane.refresh_from(self.projection, self.projection.apply(log.events[taken:]))
        return len(log.events)


def proposed(*changes: FileChange) -> Recording:
    log = Recording()
    log.begin("go")
    log.reply()
    for number, change in enumerate(changes):
        log.use(f"u{number}", "Edit", EDIT)
        log.execute(f"u{number}")
        log.propose(f"u{number}", change)
    return log


OTHER = FileChange.between(f"{SHOP}/README.md", "old words\n", "new words\n")


async def test_it_shows_the_newest_change_and_goes_to_the_others_by_n_and_p() -> None:
    app = Harness()
    async with app.run_test(size=(80, 30)) as pilot:
        assert "No changes yet." in screen_text(pilot)
        app.feed(proposed(CHANGE, OTHER))
        app.query_one(ViewWidget).focus()
        await pilot.pause()
        assert "README.md" in screen_text(pilot)
        assert "2 of 2" in screen_text(pilot)
        await pilot.press("p", "p")
        await pilot.pause()
        assert "shop/refund.py  +3 −5  hunk 1/3" in screen_text(pilot)
        assert "1 of 2" in screen_text(pilot)
        await pilot.press("n")
        await pilot.pause()
        assert "new words" in screen_text(pilot)


async def test_the_files_of_one_proposal_are_gone_through_one_by_one() -> None:
    app = Harness()
    log = proposed(CHANGE)
    log.propose("u0", OTHER)
    async with app.run_test(size=(80, 30)) as pilot:
        taken = app.feed(log)
        app.query_one(ViewWidget).focus()
        await pilot.pause()
        assert "README.md" in screen_text(pilot)
        await pilot.press("p")
        await pilot.pause()
        assert "shop/refund.py" in screen_text(pilot)
        assert "1 of 2" in screen_text(pilot)
        log.say(ev.EditReviewed(tool_use_id="u0", path=CHANGE.path, accepted=(0,), refused=(1, 2)))
        log.say(ev.EditReviewed(tool_use_id="u0", path=OTHER.path, accepted=(), refused=(0,)))
        log.apply("u0", CHANGE.narrowed(CHANGE.approve([0])))
        app.feed(log, taken)
        await pilot.pause()
        assert "applied in part" in screen_text(pilot)
        await pilot.press("n")
        await pilot.pause()
        assert "refused" in screen_text(pilot)


async def test_j_and_k_go_from_hunk_to_hunk_and_stop_at_the_ends() -> None:
    app = Harness()
    async with app.run_test(size=(60, 14)) as pilot:
        app.feed(proposed(CHANGE))
        app.query_one(ViewWidget).focus()
        await pilot.press("j", "j", "j", "j")
        await pilot.pause()
        assert "hunk 3/3" in screen_text(pilot)
        assert "1 + TAX_RATE" in screen_text(pilot)
        await pilot.press("k", "k", "k")
        await pilot.pause()
        assert "hunk 1/3" in screen_text(pilot)


async def test_it_says_what_became_of_the_change() -> None:
    app = Harness()
    log = proposed(CHANGE)
    async with app.run_test(size=(80, 30)) as pilot:
        taken = app.feed(log)
        await pilot.pause()
        assert "proposed" in screen_text(pilot)
        log.say(ev.EditReviewed(tool_use_id="u0", path=CHANGE.path, accepted=(0, 1), refused=(2,)))
        log.apply("u0", CHANGE.narrowed(CHANGE.approve([0, 1])))
        app.feed(log, taken)
        await pilot.pause()
        assert "applied in part" in screen_text(pilot)
        assert "1 + TAX_RATE" not in screen_text(pilot)


async def test_after_a_clear_it_is_empty_again() -> None:
    app = Harness()
    log = proposed(CHANGE)
    async with app.run_test(size=(80, 30)) as pilot:
        taken = app.feed(log)
        log.say(ev.HistoryCleared())
        app.feed(log, taken)
        await pilot.pause()
        assert "No changes yet." in screen_text(pilot)
        assert "proposed" not in screen_text(pilot)


async def test_its_colours_follow_the_theme() -> None:
    app = Harness()
    async with app.run_test(size=(80, 30)) as pilot:
        app.feed(proposed(CHANGE))
        before = app.query_one(ViewWidget).state.palette.name
        app.theme = "textual-light"
        await pilot.pause()
        assert app.query_one(ViewWidget).state.palette.name != before
