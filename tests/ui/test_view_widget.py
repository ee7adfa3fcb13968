"""The widget that hosts a view: scrolling, clicking, and no layout when what it shows changes."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Offset, Size
from textual.selection import Selection

from tui_agent.ui.widgets.view_widget import ViewWidget
from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.view import RenderState, View

LONG = TextView("\n".join(f"line {number}" for number in range(100)))


class Host(App[None]):
    CSS = "#auto { height: auto; max-height: 6; }"

    def __init__(self, view: View, widget_id: str = "full") -> None:
        super().__init__()
        self.animation_level = "none"
        self.widget = ViewWidget(view, id=widget_id)
        self.clicks: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_view_widget_hit_clicked(self, event: ViewWidget.HitClicked) -> None:
        self.clicks.append((event.action, event.argument))

    def shown(self) -> list[str]:
        return [self.widget.render_line(y).text.rstrip() for y in range(self.widget.size.height)]


async def test_it_paints_the_view_and_scrolls_by_keys() -> None:
    app = Host(LONG)
    async with app.run_test(size=(30, 10)) as pilot:
        assert app.shown()[0] == "line 0"
        app.widget.focus()
        await pilot.press("pagedown")
        await pilot.pause()
        assert app.shown()[0] == "line 10"
        await pilot.press("end")
        await pilot.pause()
        assert app.shown()[-1] == "line 99"
        await pilot.press("home", "down")
        await pilot.pause()
        assert app.shown()[0] == "line 1"


async def test_a_click_on_a_hit_says_what_to_do() -> None:
    app = Host(MarkdownView("see [docs](https://example.org)"))
    async with app.run_test(size=(60, 5)) as pilot:
        await pilot.click(ViewWidget, offset=(5, 0))
        await pilot.click(ViewWidget, offset=(1, 0))
        await pilot.pause()
        assert app.clicks == [("link", "https://example.org")]


async def test_a_click_finds_its_line_when_scrolled() -> None:
    app = Host(MarkdownView("\n\n".join(f"[link {number}](https://example.org/{number})" for number in range(40))))
    async with app.run_test(size=(60, 5)) as pilot:
        app.widget.scroll_to_line(60, margin=0)
        await pilot.pause()
        await pilot.click(ViewWidget, offset=(2, 0))
        await pilot.pause()
        assert app.clicks == [("link", "https://example.org/30")]


async def test_another_width_wraps_anew() -> None:
    app = Host(TextView("word " * 40))
    async with app.run_test(size=(60, 10)) as pilot:
        wide = app.widget.line_count
        await pilot.resize_terminal(30, 10)
        await pilot.pause()
        assert app.widget.line_count > wide
        assert app.widget.text == ("word " * 40).rstrip()


async def test_showing_something_else_lays_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Host(LONG)
    async with app.run_test(size=(30, 10)) as pilot:
        app.widget.show(TextView("first"))  # the scroll bar has its first styles now
        app.widget.show(LONG)
        await pilot.pause()
        layouts: list[object] = []
        original = app.screen._refresh_layout
        monkeypatch.setattr(
            app.screen, "_refresh_layout", lambda *args, **kw: (layouts.append(args), original(*args, **kw))
        )
        app.widget.show(TextView("\n".join(["other"] * 300)))
        await pilot.pause()
        assert app.shown()[0] == "other"
        assert app.widget.max_scroll_y == 290
        assert layouts == []


async def test_a_shorter_view_is_never_scrolled_out_of_sight() -> None:
    app = Host(LONG)
    async with app.run_test(size=(30, 10)) as pilot:
        app.widget.scroll_to_line(90)
        await pilot.pause()
        app.widget.show(TextView("short"))
        await pilot.pause()
        assert app.shown()[0] == "short"


async def test_where_its_height_is_auto_it_is_as_high_as_the_view() -> None:
    app = Host(TextView("a\nb"), "auto")
    async with app.run_test(size=(30, 20)) as pilot:
        assert app.widget.size.height == 2
        app.widget.show(LONG)
        await pilot.pause()
        assert app.widget.size.height == 6
        app.widget.show(TextView("a"))
        await pilot.pause()
        assert app.widget.size.height == 1


async def test_selected_text_is_copied_without_numbers_and_wrapping() -> None:
    app = Host(CodeView("first\n" + "x" * 40 + "\nlast", start=8))
    async with app.run_test(size=(25, 10)) as pilot:
        # from within "first" over the number of the cut line to its second half
        app.screen.selections = {app.widget: Selection(Offset(6, 0), Offset(9, 2))}
        await pilot.pause()
        assert app.screen.get_selected_text() == "rst\n" + "x" * 25
        painted = app.widget.render_line(1)
        marked = [s.text for s in painted if s.style and s.style.bgcolor == DARK.selection.bgcolor]
        assert marked == ["x" * 20]


async def test_dragging_the_mouse_selects() -> None:
    app = Host(TextView("one two three"))
    async with app.run_test(size=(30, 4)) as pilot:
        await pilot.mouse_down(ViewWidget, offset=(4, 0))
        await pilot.hover(ViewWidget, offset=(7, 0))
        await pilot.mouse_up(ViewWidget, offset=(7, 0))
        assert app.screen.get_selected_text() in {"two", "two "}


async def test_nothing_to_show_is_fine() -> None:
    app = Host(LONG)
    async with app.run_test(size=(30, 4)) as pilot:
        app.widget.show(None, RenderState(app.widget.state.palette))
        await pilot.pause()
        assert app.shown() == ["", "", "", ""]
        assert app.widget.view is None


async def test_a_width_that_a_layout_only_tries_out_changes_nothing_on_the_screen() -> None:
    app = Host(TextView("one two three four five six"), "auto")
    async with app.run_test(size=(16, 10)) as pilot:
        await pilot.pause()
        before = app.shown()
        assert len(before) > 1
        wide = Size(40, 10)
        assert app.widget.get_content_height(wide, wide, 40) == 1
        assert app.shown() == before
