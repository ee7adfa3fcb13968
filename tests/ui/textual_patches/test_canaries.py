"""A canary for each private name of Textual that the patches use: what it is, what it takes, and what it does."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import ClassVar

import pytest
from canaries import relies_on, takes
from rich.console import Console
from textual import events
from textual._compositor import Compositor, CompositorUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.css.match import _check_selectors
from textual.css.stylesheet import Stylesheet
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.widget import Widget
from textual.widgets import Label, Static

from tui_agent.ui.textual_patches.app import ReportingApp
from tui_agent.ui.textual_patches.bindings import bindings_of
from tui_agent.ui.textual_patches.scroll_bars import add_scroll_bar, resize_quietly, update_scroll_bars
from tui_agent.ui.textual_patches.style_sheets import ThriftyStylesheet


class Recorder(Compositor):
    """A compositor that says what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.partial = 0
        self.full = 0
        self.regions: list[Region] = []

    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        self.full += 1
        return super().render_full_update(simplify)

    def render_partial_update(self) -> CompositorUpdate | None:  # type: ignore[override]
        self.partial += 1
        self.regions += self._dirty_regions
        return super().render_partial_update()


class RecordedScreen(Screen[None]):
    """A screen with such a compositor, which counts its ticks."""

    def __init__(self) -> None:
        super().__init__()
        self.recorder = self._compositor = Recorder()
        self.ticks = 0
        self.idle = 0
        self.dirty: list[set[Widget]] = []

    def compose(self) -> ComposeResult:
        yield Static("one", id="one")
        yield Static("two", id="two")

    async def _on_idle(self, event: events.Idle) -> None:
        self.idle += 1

    def _on_timer_update(self) -> None:
        self.ticks += 1
        self.dirty.append(set(self._dirty_widgets))
        super()._on_timer_update()


class RecordedApp(App[None]):
    """Shows that screen."""

    def get_default_screen(self) -> RecordedScreen:
        return RecordedScreen()


@pytest.mark.usefixtures("painted")
async def test_a_screen_paints_with_its_compositor_what_waits_to_be_painted() -> None:
    app = RecordedApp()
    async with app.run_test() as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, RecordedScreen)
        relies_on(
            "Screen._compositor",
            screen.recorder.full,
            "a screen lays out and paints with whatever compositor this attribute holds after __init__",
        )
        widget = screen.query_one("#two", Static)
        partial, ticks, idle = screen.recorder.partial, screen.ticks, screen.idle
        screen.recorder.regions.clear()
        screen.dirty.clear()
        widget.refresh(Region(1, 0, 2, 1))
        await pilot.pause(0.1)
    relies_on("Screen._on_timer_update", screen.ticks > ticks, "it is called for each frame: one layout and one paint")
    relies_on(
        "Screen._on_idle",
        screen.idle > idle and takes(Screen._on_idle, "self", "event"),
        "it is called when no messages wait, that of a subclass first, and the one of Screen still runs after it",
    )
    relies_on(
        "Screen._dirty_widgets",
        any(widget in dirty for dirty in screen.dirty),
        "a set of the widgets that wait to be painted by the next tick",
    )
    relies_on(
        "Compositor.render_partial_update",
        screen.recorder.partial > partial and takes(Compositor.render_partial_update, "self"),
        "a change of a part of the screen is painted by this method",
    )
    relies_on(
        "Compositor._dirty_regions",
        Region(1, 1, 2, 1) in screen.recorder.regions,
        "the changed regions, where they are on the screen, for render_partial_update to paint and forget",
    )


def test_an_update_of_the_screen_is_what_the_patches_make() -> None:
    relies_on(
        "textual._compositor",
        takes(CompositorUpdate.render_segments, "self", "console"),
        "what an update writes to the terminal is what render_segments(console) returns",
    )
    update = LayoutUpdate([], Region(0, 0, 3, 4))
    relies_on(
        "textual._compositor",
        takes(LayoutUpdate, "strips", "region") and update.strips == [] and update.region == Region(0, 0, 3, 4),
        "an update of the whole screen has `strips`, lines of strips from the top, and the `region` it covers",
    )
    relies_on(
        "Compositor.render_full_update",
        takes(Compositor.render_full_update, "self", "simplify"),
        "a whole screen is painted by this method, which returns a LayoutUpdate",
    )


class Failing(ReportingApp):
    """Fails at once."""

    def on_mount(self) -> None:
        raise LookupError("a fault of its own")

    def fault_report(self) -> str:
        return "reported: " + super().fault_report().splitlines()[-1]


def test_a_fault_that_ends_an_app_is_reported_by_the_patch_alone() -> None:
    app = Failing()
    said = io.StringIO()
    app.error_console = Console(file=said, width=200)
    app.run(headless=True)
    relies_on(
        "App._fatal_error",
        takes(App._fatal_error, "self") and "reported: LookupError: a fault of its own" in said.getvalue(),
        "it is called, without arguments, while the exception that ends the app is being handled",
    )
    relies_on(
        "App._exit_renderables",
        said.getvalue().strip() == "reported: LookupError: a fault of its own",
        "what stands in this list, and nothing else, is printed to the error console when the app has ended",
    )
    relies_on(
        "App._close_messages_no_wait",
        takes(App._close_messages_no_wait, "self") and app.return_code == 1,
        "it ends the app, and returns at once",
    )


async def test_an_app_has_its_driver_while_it_runs() -> None:
    app = App[None]()
    what = "the Driver that has the terminal, with write and flush; None before the app runs"
    relies_on("App._driver", app._driver is None, what)
    async with app.run_test():
        relies_on("App._driver", isinstance(app._driver, Driver), what)
        relies_on("App._driver", takes(Driver.write, "self", "data") and takes(Driver.flush, "self"), what)


class Base(Widget):
    """Binds one key."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f8,f9", "base", "Base")]


class Derived(Base):
    """Binds another."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f10", "derived", "Derived")]


def test_a_widget_knows_the_bindings_of_its_classes() -> None:
    widget = Derived()
    relies_on(
        "DOMNode._bindings",
        [binding.action for key in ("f9", "f10", "f11") for binding in bindings_of(widget, key)] == ["base", "derived"],
        "a BindingsMap whose key_to_bindings has the node's own bindings and those of its base classes, a list for each key",
    )


class Scrolled(ScrollView):
    """Scrolls over what it is told."""

    DEFAULT_CSS = "Scrolled { overflow-y: auto; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.own_bar: ScrollBar | None = None

    def give_own_bar(self) -> None:
        self.own_bar = ScrollBar(vertical=True, name="vertical", thickness=1)
        add_scroll_bar(self, self.own_bar)


class ScrollApp(App[None]):
    """Shows such a widget."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Scrolled()


class Styled(App[None]):
    """Two labels, one in a box, whose looks go by where they stand, their classes and the focus."""

    CSS = """
    Label { color: red; }
    #box Label { color: green; padding: 1; }
    #box > Label.marked { background: blue; }
    .marked:disabled, Vertical .marked:disabled { text-style: bold; }
    .soft { transition: offset 500ms; offset: 3 0; }
    """

    def compose(self) -> ComposeResult:
        yield Label("a", id="a")
        with Vertical(id="box"):
            yield Label("b", id="b")


async def test_styles_that_are_looked_up_thriftily_are_those_of_textual() -> None:
    relies_on("Stylesheet._check_rule", takes(Stylesheet._check_rule, "rule_set", "css_path_nodes"), "it is overridden")
    relies_on("match._check_selectors", takes(_check_selectors, "selectors", "css_path_nodes"), "it checks a selector")

    async def looks(kind: type[Stylesheet]) -> list[dict[str, str]]:
        app = Styled()
        app.stylesheet = kind(variables=app.get_css_variables())
        found: list[dict[str, str]] = []
        async with app.run_test() as pilot:
            a, b = app.query_one("#a"), app.query_one("#b")
            for change in (
                lambda: None, lambda: b.add_class("marked"), lambda: a.add_class("marked"), lambda: b.set_class(True, "soft"),
                lambda: setattr(a, "disabled", True), lambda: setattr(b, "disabled", True), lambda: b.remove_class("marked"),
                lambda: b.set_class(False, "soft"), lambda: setattr(app, "theme", "textual-light"),
            ):  # fmt: skip
                change()
                await pilot.pause()
                await pilot.wait_for_animation()
                rules = [one.styles.base._rules for one in app.screen.walk_children(with_self=True)]
                found += [{name: str(value) for name, value in one.items()} for one in rules]
        return found

    thrifty = await looks(ThriftyStylesheet)
    relies_on("Styles._rules", thrifty == await looks(Stylesheet), "the rules of a node by name")
    assert len({one.get("color") for one in thrifty}) > 2
    assert any("text_style" in one for one in thrifty)
    assert any("background" in one for one in thrifty)


async def test_scroll_bars_follow_without_a_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ScrollApp()
    async with app.run_test(size=(40, 10)) as pilot:
        widget = app.query_one(Scrolled)
        await pilot.pause()
        layouts: list[object] = []
        monkeypatch.setattr(app.screen, "_refresh_layout", lambda *arguments, **_: layouts.append(arguments))
        resize_quietly(widget, Size(40, 100))
        relies_on(
            "Widget._refresh_scrollbars",
            takes(Widget._refresh_scrollbars, "self") and widget.show_vertical_scrollbar,
            "it shows the bars where virtual_size needs them, and hides them where not",
        )
        bar = widget.vertical_scrollbar
        relies_on(
            "Widget._scroll_update",
            takes(Widget._scroll_update, "self", "virtual_size") and bar.window_virtual_size == 100,
            "it tells the bars what there is to scroll over",
        )
        layouts.clear()
        update_scroll_bars(widget, Size(40, 70))
        relies_on("Widget._scroll_update", bar.window_virtual_size == 70 and not layouts, "it lays nothing out")


async def test_a_widget_may_have_another_bar() -> None:
    app = ScrollApp()
    async with app.run_test(size=(40, 10)) as pilot:
        widget = app.query_one(Scrolled)
        widget.give_own_bar()
        await pilot.pause()
        bar = widget.own_bar
        assert bar is not None
        relies_on(
            "Widget._vertical_scrollbar", widget.vertical_scrollbar is bar, "the bar that the widget uses, once set"
        )
        relies_on(
            "App._start_widget",
            takes(App._start_widget, "self", "parent", "widget")
            and bar.is_running
            and bar.parent is widget
            and bar not in widget.children,
            "it attaches a widget to its parent and has it hear messages, without making it a child",
        )


def test_the_driver_finds_its_parser_and_its_decoder_in_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def made(name: str) -> object:
        def make(*_: object) -> object:
            asked.append(name)
            raise StopIteration(name)

        return make

    class Reading:
        """As much of a driver as reads."""

        fileno = 0
        _debug = False

    monkeypatch.setattr("selectors.SelectSelector.register", lambda *_: None)
    for name in ("XTermParser", "getincrementaldecoder"):
        with monkeypatch.context() as patched:
            patched.setattr(linux_driver, name, made(name))
            with pytest.raises(StopIteration):
                linux_driver.LinuxDriver.run_input_thread(Reading())  # type: ignore[arg-type]
    relies_on(
        "linux_driver.XTermParser",
        asked == ["XTermParser", "getincrementaldecoder"],
        "the thread that reads the terminal makes XTermParser and getincrementaldecoder as its module has them then",
    )


def test_every_sequence_becomes_keys_in_one_place() -> None:
    sequences: list[tuple[str, bool]] = []

    class Listening(XTermParser):
        def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
            sequences.append((sequence, alt))
            return super()._sequence_to_key_events(sequence, alt)

    keys = [event for event in Listening().feed("a\x1b[A\x1b[1;5C") if isinstance(event, events.Key)]
    relies_on(
        "XTermParser._sequence_to_key_events",
        takes(XTermParser._sequence_to_key_events, "self", "sequence", "alt")
        and [key.key for key in keys] == ["a", "up", "ctrl+right"]
        and {("a", False), ("\x1b[A", False), ("\x1b[1;5C", False)} <= set(sequences),
        "all keys that the parser yields come from it, sequence by sequence",
    )


async def test_the_driver_writes_by_a_thread_of_its_own_into_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[object] = []

    class Writer:
        """Stands for the thread that writes."""

        def __init__(self, file: object) -> None:
            files.append(file)

        def start(self) -> None:
            raise LookupError

    monkeypatch.setattr(linux_driver, "WriterThread", Writer)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("os.isatty", lambda _: False)
    driver = linux_driver.LinuxDriver(App[None]())
    what = "the thread that writes, made anew of _file by start_application_mode; None before that"
    relies_on("LinuxDriver._writer_thread", driver._writer_thread is None, what)
    driver._file = file = io.StringIO()  # type: ignore[assignment]
    with pytest.raises(LookupError):
        driver.start_application_mode()
    relies_on("LinuxDriver._file", files == [file], "the file that everything is written to, set by __init__")
    relies_on("LinuxDriver._writer_thread", isinstance(driver._writer_thread, Writer), what)
