from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from fake_engine import FakeEngine
from screen_text import screen_text, until
from textual.events import AppFocus, Event, Key, Paste
from textual.widgets import Input

from tui_agent.boundary import Engine
from tui_agent.events import Notice, RetryScheduled, ToolProgressed
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.short_path import short_path
from tui_agent.ui.widgets.key_hints import fit_hints
from tui_agent.ui.widgets.prompt import Prompt

HOSTILE = "\x1b]52;c;aGFjaw==\x07\x1b]0;owned\x07\x9b31m\x1bc[@click=app.quit]x[/]\u202eevil\u2066\x00\x7f"


def app_on(engine: FakeEngine, **options: object) -> TuiAgentApp:
    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    return TuiAgentApp(connect, **options)  # type: ignore[arg-type]


def test_the_first_frame_needs_none_of_the_heavy_libraries() -> None:
    code = (
        "import sys, tui_agent.cli, tui_agent.ui.app, tui_agent.ui.startup; "
        "heavy = ('anthropic', 'pydantic', 'markdown_it', 'tree_sitter_bash', 'pygments', 'rapidfuzz', 'httpx', 'mcp', "
        "'tui_agent.engine.session.session', 'tui_agent.events', 'tui_agent.changes', 'tui_agent.model.prices', "
        "'tui_agent.permissions.verdict', 'tui_agent.viewkit.diff', 'tui_agent.ui.dialogs.dialog'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_the_first_frame_shows_before_the_engine_is_there() -> None:
    may_connect = asyncio.Event()
    engine = FakeEngine()

    async def connect(prompter: StartupPrompter) -> Engine:
        await may_connect.wait()
        return engine

    app = TuiAgentApp(connect, initial_prompt="begin")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "What should we work on?" in screen_text(app))
        await pilot.press("h", "i", "enter")
        assert engine.asked == []
        may_connect.set()
        await until(pilot, lambda: len(engine.asked) == 3)
        assert engine.asked == [("start",), ("submit", "begin"), ("submit", "hi")]


async def test_a_session_that_cannot_start_says_so_on_a_screen_that_works() -> None:
    async def connect(prompter: StartupPrompter) -> Engine:
        raise OSError("no such [red]folder[/]")

    app = TuiAgentApp(connect)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "The session cannot start: no such [red]folder[/]" in screen_text(app))
        await pilot.press("x")
        assert "❯ x" in screen_text(app)


async def test_a_person_who_declines_to_connect_leaves() -> None:
    async def connect(prompter: StartupPrompter) -> None:
        return None

    app = TuiAgentApp(connect)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: not app.is_running)


async def test_panes_open_beside_the_conversation_in_wide_terminals_and_over_it_in_narrow_ones() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(160, 30)) as pilot:
        await until(pilot, lambda: "What should we work on?" in screen_text(app))
        assert "Tools" not in screen_text(app)
        await pilot.press("f2")
        await until(pilot, lambda: "No tool has run yet" in screen_text(app))
        assert "What should we work on?" in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "No tool has run yet" not in screen_text(app))
        await pilot.press("f2")
        await until(pilot, lambda: "No tool has run yet" in screen_text(app))
        assert "What should we work on?" not in screen_text(app)
        await pilot.press("f3")
        await until(pilot, lambda: "No changes yet" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "What should we work on?" in screen_text(app))
        await pilot.press("x")
        await until(pilot, lambda: "❯ x" in screen_text(app))


@pytest.mark.parametrize("size", [(19, 30), (80, 4), (1, 1), (20, 5), (60, 20), (300, 90)])
async def test_no_size_is_too_small_or_too_large(size: tuple[int, int]) -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.reply("# Title\n\n| a | b |\n|---|---|\n| c | d |\n\n```python\nprint(1)\n```\n")
        use = engine.call("Bash", {"command": "ls"})
        engine.result(use, "Bash", "x")
        await pilot.resize_terminal(*size)
        await until(pilot, lambda: app.size == size)
        await pilot.pause()
        is_small = size[0] < 20 or size[1] < 5
        assert app.screen.query_one("#too-small").display == is_small
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "✓ Bash" in screen_text(app))


async def test_the_narrow_screen_says_in_one_line_what_runs() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        done = engine.call("Bash", {"command": "true"})
        engine.result(done, "Bash", "")
        engine.call("Bash", {"command": "pytest -q"})
        engine.call("Bash", {"command": "git diff"}, is_running=False)
        await until(pilot, lambda: "1 done · 1 queued" in screen_text(app))
        line = next(line for line in screen_text(app).split("\n") if "1 done" in line)
        assert "Bash pytest -q" in line


@pytest.mark.parametrize("size", [(80, 24), (120, 24)])
async def test_a_jump_leads_to_the_tool_use_also_where_the_pane_lay_over_the_conversation(
    size: tuple[int, int],
) -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.reply("\n\n".join(f"before {number}" for number in range(8)))
        use = engine.call("Bash", {"command": "ls the-one"})
        engine.result(use, "Bash", "x")
        engine.reply("that was all")
        await until(pilot, lambda: "that was all" in screen_text(app))
        await pilot.press("f2")
        await until(pilot, lambda: "done" in screen_text(app))
        await pilot.press("enter")
        # The mark of the block cursor stands at it.
        await until(pilot, lambda: "▌ ▸ ✓ Bash ls the-one" in screen_text(app))


async def test_the_status_line_shows_mode_folder_branch_model_context_and_cost() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(120, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.end()
        await until(pilot, lambda: "$0.42" in screen_text(app))
        line = screen_text(app).rstrip().split("\n")[-1]
        assert line.startswith(" default  /home/dev/src/shop  main●2  ")
        assert line.endswith("sonnet-5.5 · 31% ctx · $0.42")


async def test_a_retry_is_shown_with_its_reason() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.say(RetryScheduled(request_id="r1", attempt=2, max_attempts=10, delay_s=30.0, reason="overloaded"))
        await until(pilot, lambda: "try 2 of 10 in" in screen_text(app))
        assert "overloaded" in screen_text(app)


async def test_hostile_text_stays_text_wherever_it_comes_from() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin(HOSTILE)
        engine.think(HOSTILE)
        engine.reply(f"model says {HOSTILE}\n\n```{HOSTILE}\n{HOSTILE}\n```\n\n[{HOSTILE}](javascript:x)")
        use = engine.call(f"Tool{HOSTILE}", {"command": HOSTILE, HOSTILE: HOSTILE})
        engine.say(ToolProgressed(tool_use_id=use, data={"tail": [HOSTILE], "message": HOSTILE}))
        engine.say(Notice(level="warning", text=HOSTILE, hint=HOSTILE))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "model says" in screen_text(app))
        painted = "".join(segment.text for strip in app.screen._compositor.render_strips(app.size) for segment in strip)
        assert not [character for character in painted if ord(character) < 32 or 0x7F <= ord(character) < 0xA0]
        assert not set("\u202e\u2066") & set(painted)
        assert not any(
            "@click" in str(segment.style and segment.style.meta)
            for strip in app.screen._compositor.render_strips(app.size)
            for segment in strip
        )


async def test_no_colour_is_used_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.reply("some **bold** words and `code`")
        await until(pilot, lambda: "some bold words" in screen_text(app))
        colours = {
            tuple(colour.triplet or ())
            for strip in app.screen._compositor.render_strips(app.size)
            for segment in strip.apply_filter(app._filters[0], app.screen.background_colors[1])
            if segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None
        }
        assert all(len(set(colour)) <= 1 for colour in colours)


@pytest.mark.parametrize(
    ("first", "then"), [("dark-ansi", None), ("light-ansi", None), (None, "dark-ansi"), ("dark-ansi", "dark")]
)
async def test_without_colours_words_differ_from_their_ground_in_every_theme(
    monkeypatch: pytest.MonkeyPatch, first: str | None, then: str | None
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    engine = FakeEngine()
    app = app_on(engine, theme=first)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        if then is not None:
            assert app.apply_theme(then)
            await pilot.pause()
        engine.begin()
        engine.reply("some **bold** words and `code`")
        await until(pilot, lambda: "some bold words" in screen_text(app))
        shown = [
            segment
            for strip in app.screen._compositor.render_strips(app.size)
            for segment in strip
            if segment.text.strip()
        ]
        assert any("bold" in segment.text for segment in shown)
        for segment in shown:
            style = segment.style
            if style is None or style.color is None or style.bgcolor is None:
                continue
            # The terminal's own, whichever they are, or two shades of grey.
            is_own = style.color.is_default and style.bgcolor.is_default
            assert is_own or style.color.get_truecolor() != style.bgcolor.get_truecolor(foreground=False), segment
            assert is_own or len(set(style.color.get_truecolor())) == 1, segment


async def test_an_idle_app_paints_nothing_and_has_no_timer_running() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        engine.reply("done")
        await until(pilot, lambda: "done" in screen_text(app))
        assert ticking(app)
        engine.end()
        await until(pilot, lambda: "12.3s" in screen_text(app))
        await until(pilot, lambda: not ticking(app))


def ticking(app: TuiAgentApp) -> list[str]:
    """Return the names of timers that run; those that Textual itself keeps for a screen do nothing while nothing is dirty."""
    nodes = list(app.screen.walk_children(with_self=False))
    return [timer.name for node in (app, *nodes) for timer in node._timers if timer._active.is_set()]


async def test_themes_can_be_changed_while_it_runs() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        engine.begin()
        await until(pilot, lambda: "the totals" in screen_text(app))
        for theme in ("tui-agent-light", "ansi-dark", "textual-dark"):
            app.theme = theme
            await pilot.pause()
            assert "❯ the totals" in screen_text(app)


async def test_a_chosen_theme_is_kept_and_the_person_told_where_it_cannot_be() -> None:
    kept: list[str] = []

    def keep(name: str) -> None:
        if kept:
            raise OSError("the disk is full")
        kept.append(name)

    engine = FakeEngine()
    app = app_on(engine, keep_theme=keep)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        for theme in ("ansi-dark", "ansi-light"):
            app.screen.query_one(Prompt).post_message(Prompt.CommandGiven("theme", theme))
            await until(pilot, lambda theme=theme: app.theme == theme)  # type: ignore[misc]
        await until(pilot, lambda: "to this run only: the disk is full" in screen_text(app))
        assert kept == ["ansi-dark"]


async def test_the_help_lists_commands_and_keys() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 70)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        await pilot.press("f1")
        await until(pilot, lambda: "/theme [name]" in screen_text(app))
        await pilot.press(*"permission", "space", *"mode")
        await until(pilot, lambda: "⇧⇥" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "/theme [name]" not in screen_text(app))


def test_a_long_path_loses_its_beginning_first() -> None:
    assert short_path("/srv/projects/very/deep/folder", 20) == "…/very/deep/folder"
    assert short_path("/srv", 20) == "/srv"


@pytest.mark.parametrize(("room", "kept"), [(100, ["a", "b", "c"]), (16, ["a", "c"]), (8, ["c"]), (1, [])])
def test_of_hints_that_do_not_all_fit_the_last_one_stays_longest(room: int, kept: list[str]) -> None:
    hints = [("a", "one"), ("b", "two"), ("c", "six")]
    assert [key for key, _ in fit_hints(hints, room)] == kept


async def test_a_fault_in_drawing_is_said_once_and_the_session_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        real = app._main.tools.refresh_from

        def broken(*_: object) -> None:
            raise RuntimeError("a broken pane")

        monkeypatch.setattr(app._main.tools, "refresh_from", broken)
        engine.begin()
        await until(pilot, lambda: "RuntimeError: a broken pane" in screen_text(app))
        monkeypatch.setattr(app._main.tools, "refresh_from", real)
        engine.reply("and on it goes")
        await until(pilot, lambda: "and on it goes" in screen_text(app))
        assert screen_text(app).count("a broken pane") == 1


async def test_the_surroundings_are_looked_at_again_when_the_person_comes_back() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        app.post_message(AppFocus())
        await until(pilot, lambda: ("refresh",) in engine.asked)


@pytest.mark.parametrize("come_back", [AppFocus(), Key("x", "x"), Paste("x")])
async def test_a_program_started_behind_other_windows_can_be_typed_into(come_back: Event) -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        app.screen.set_focus(None)  # what the terminal says comes before there is a focus
        app.app_focus = False
        app.post_message(come_back)
        await pilot.press("y", "enter")
        await until(pilot, lambda: any(name == "submit" for name, *_ in engine.asked))
        assert ("submit", "y" if isinstance(come_back, AppFocus) else "xy") in engine.asked


async def test_the_palette_has_our_commands() -> None:
    engine = FakeEngine()
    app = app_on(engine)
    async with app.run_test(size=(80, 40)) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "begin a new session" in screen_text(app))
        assert not any(field.cursor_blink for field in app.screen.query(Input))
