"""The screens that lie over the conversation and ask no permission: welcome, trust, links, lists, keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from dialog_app import Clock, DialogApp, screen_text
from textual import events
from textual.binding import Binding
from textual.widgets import Input

from tui_agent.model.prices import ModelInfo, ModelTable, Rates
from tui_agent.settings.withheld_settings import WithheldSetting
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.local_servers import find_servers
from tui_agent.ui.screen_text.model_text import aliases, described
from tui_agent.ui.screen_text.sections import section
from tui_agent.ui.screens.choosers import ChooserItem, ChosenModel, ModeChooser, ModelChooser, ThemeChooser
from tui_agent.ui.screens.help import HelpScreen
from tui_agent.ui.screens.link import LinkScreen, can_open
from tui_agent.ui.screens.trust import TrustScreen
from tui_agent.ui.screens.welcome import UseDemo, UseEndpoint, UseKey, WelcomeScreen


async def nothing_found() -> list[str]:
    return []


async def one_found() -> list[str]:
    return ["http://127.0.0.1:1234"]


@pytest.mark.parametrize(
    ("keys", "choice"),
    [
        (["s", "k", "1", "enter"], UseKey("sk1", keep=True)),
        (["f2", "s", "k", "1", "enter"], UseKey("sk1", keep=False)),
        (["down", "down", "enter"], UseDemo()),
        (["tab", *"http://h:1/", "enter"], UseEndpoint("http://h:1")),
        (["escape"], None),
    ],
)
async def test_each_way_on_from_the_welcome_screen(keys: list[str], choice: object) -> None:
    app = DialogApp(WelcomeScreen(find=nothing_found))
    async with app.run_test() as pilot:
        await app.workers.wait_for_complete()
        await pilot.press(*(key.replace(":", "colon").replace("/", "slash") for key in keys))
        assert app.result == choice


@pytest.mark.parametrize(
    ("keys", "words"),
    [(["enter"], "has no spaces"), (["é", "enter"], "punctuation"), (["down", "f", "o", "o", "enter"], "http://")],
)
async def test_what_is_no_key_or_address_is_said_and_nothing_else_happens(keys: list[str], words: str) -> None:
    app = DialogApp(WelcomeScreen(find=nothing_found))
    async with app.run_test() as pilot:
        await app.workers.wait_for_complete()
        await pilot.press(*keys)
        await pilot.pause()
        assert words in screen_text(pilot)
        assert app.result == "not dismissed"


async def test_a_local_server_that_was_found_is_offered_and_the_demo_can_be_clicked() -> None:
    app = DialogApp(WelcomeScreen(find=one_found))
    async with app.run_test() as pilot:
        await app.workers.wait_for_complete()
        assert app.dialog.query_one("#endpoint", Input).value == "http://127.0.0.1:1234"
        await pilot.click("#demo")
        await pilot.pause()
        assert app.result == UseDemo()


async def test_a_key_is_never_readable_on_the_screen_nor_in_a_repr() -> None:
    app = DialogApp(WelcomeScreen(find=nothing_found))
    async with app.run_test() as pilot:
        await pilot.press(*"secret")
        await pilot.pause()
        assert "secret" not in screen_text(pilot)
    assert "secret" not in repr(UseKey("secret", keep=True))


@pytest.fixture
async def server() -> AsyncIterator[int]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        yield listener.sockets[0].getsockname()[1]


async def test_only_ports_that_answer_for_models_are_servers(server: int) -> None:
    silent = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    async with silent:
        port = silent.sockets[0].getsockname()[1]
        assert await find_servers((port, server)) == [f"http://127.0.0.1:{server}"]


async def test_keys_that_come_in_one_go_each_count_on_the_welcome_screen() -> None:
    app = DialogApp(WelcomeScreen(find=nothing_found))
    async with app.run_test() as pilot:
        await pilot.pause()
        for key in ("down", "down", "enter"):
            app.post_message(events.Key(key, None))
        await pilot.pause()
        assert app.result == UseDemo()


@pytest.mark.parametrize(
    ("keys", "is_trusted"),
    [(["1"], True), (["2"], False), (["escape"], False), (["enter"], False), (["up", "enter"], True)],
)
async def test_a_folder_is_trusted_only_when_the_person_says_so(
    grace: InputGrace, clock: Clock, keys: list[str], is_trusted: bool
) -> None:
    app = DialogApp(
        TrustScreen("/w", [WithheldSetting("rule", "\x1b[31mBash(*)", "/w/.claude/settings.json", 3)], grace=grace)
    )
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("1")
        assert app.result == "not dismissed"
        assert "⟨ESC⟩[31mBash(*)  .claude/settings.json:3" in screen_text(pilot)
        clock.pass_guard()
        await pilot.press(*keys)
        assert app.result is is_trusted


async def test_everything_that_is_wished_can_be_read_before_the_answer(grace: InputGrace, clock: Clock) -> None:
    withheld = [WithheldSetting("environment", f"NAME_{number}=1", "/w/a.json", number) for number in range(40)]
    app = DialogApp(
        TrustScreen("/w", [*withheld, WithheldSetting("hook", "Stop: ./evil.sh", "/w/a.json", 1)], grace=grace)
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Stop: ./evil.sh" in screen_text(pilot), "what can do most harm stands first"
        assert "NAME_39" not in screen_text(pilot)
        assert "pgdn" in screen_text(pilot)
        assert "Yes, I trust it" in screen_text(pilot)
        await pilot.press(*["pagedown"] * 8)
        await pilot.pause()
        assert "NAME_39" in screen_text(pilot)
        await pilot.press(*["pageup"] * 8)
        await pilot.pause()
        assert "NAME_39" not in screen_text(pilot)


@pytest.mark.parametrize(
    ("withheld", "words"),
    [([], "its settings run commands"), ([WithheldSetting("hook", "x", "/w/a", 1)], "do such things")],
)
async def test_what_trust_allows_is_said_also_where_nothing_is_wished_yet(
    withheld: list[WithheldSetting], words: str, grace: InputGrace
) -> None:
    app = DialogApp(TrustScreen("/w", withheld, grace=grace))
    async with app.run_test(size=(110, 24)) as pilot:
        await pilot.pause()
        assert words in " ".join(screen_text(pilot).split())


async def test_a_click_trusts_too(grace: InputGrace, clock: Clock) -> None:
    app = DialogApp(TrustScreen("/w", [], grace=grace))
    async with app.run_test() as pilot:
        await pilot.pause()
        clock.pass_guard()
        await pilot.click("#yes", offset=(4, 0))
        await pilot.pause()
        assert app.result is True


@pytest.mark.parametrize(
    ("address", "may_open"),
    [
        ("https://example.org/a", True),
        ("mailto:someone@example.org", True),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("https://", False),
        ("http://[broken", False),
        ("-x", False),
    ],
)
async def test_only_web_and_mail_addresses_open(address: str, may_open: bool) -> None:
    assert can_open(address) == may_open
    app = DialogApp(LinkScreen(address))
    async with app.run_test() as pilot:
        await pilot.press("enter")
        assert app.result == (address if may_open else "not dismissed")


async def test_the_whole_address_is_shown_with_odd_characters_spelled_out() -> None:
    async with DialogApp(LinkScreen("https://good.example\u202e@evil.example/x")).run_test(size=(90, 20)) as pilot:
        await pilot.pause()
        assert "https://good.example⟨RLO⟩@evil.example/x" in screen_text(pilot)


async def test_a_chooser_gives_what_was_chosen_or_nothing() -> None:
    for keys, chosen in ((["down", "enter"], "acceptEdits"), (["escape"], None)):
        app = DialogApp(ModeChooser(current="default"))
        async with app.run_test() as pilot:
            await pilot.press(*keys)
            assert app.result == chosen


async def test_what_is_said_of_the_choices_stands_in_one_column() -> None:
    app = DialogApp(ModeChooser(current="plan"))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        lines = screen_text(pilot).splitlines()
        starts = {
            line.index(words)
            for line in lines
            for words in ("asks before", "edits files", "read-only")
            if words in line
        }
        assert len(starts) == 1


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 30)])
async def test_a_long_list_leaves_no_empty_lines_below_the_keys(size: tuple[int, int]) -> None:
    models = [ChooserItem(f"claude-opus-{number}") for number in range(30)]
    app = DialogApp(ModelChooser(models, current="claude-opus-1"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        box = app.screen.query_one("#dialog")
        assert app.screen.query_one("#keys").region.bottom == box.region.bottom - box.gutter.bottom


async def test_any_model_may_be_named() -> None:
    app = DialogApp(ModelChooser([ChooserItem("one"), ChooserItem("two")], current="two"))
    async with app.run_test() as pilot:
        await pilot.press("tab", *"three", "enter")
        assert app.result == ChosenModel("three", is_kept=False)


@pytest.mark.parametrize(("key", "is_kept"), [("enter", True), ("s", False)])
async def test_a_model_is_kept_or_for_this_session_only(key: str, is_kept: bool) -> None:
    app = DialogApp(ModelChooser([ChooserItem("one"), ChooserItem("two")], current="two"))
    async with app.run_test() as pilot:
        await pilot.press("up", key)
        assert app.result == ChosenModel("one", is_kept)


async def test_where_nothing_is_kept_the_choice_is_for_this_session() -> None:
    app = DialogApp(ModelChooser([ChooserItem("one"), ChooserItem("two")], current="two", can_keep=False))
    async with app.run_test() as pilot:
        assert "enter use it in this session" in screen_text(pilot)
        await pilot.press("up", "enter")
        assert app.result == ChosenModel("one", is_kept=False)


async def test_the_model_under_the_cursor_is_described() -> None:
    models = [ChooserItem("claude-sonnet-5-5"), ChooserItem("claude-haiku-5-5"), ChooserItem("qwen-local")]
    async with DialogApp(ModelChooser(models, current="claude-sonnet-5-5")).run_test(size=(110, 30)) as pilot:
        await pilot.pause()
        text = screen_text(pilot)
        assert "● claude-sonnet-5-5" in text
        assert "1,000,000 tokens, replies up to 128,000" in text
        assert "also called sonnet" in text
        assert "the default where nothing is set" in text
        await pilot.press("down")
        await pilot.pause()
        assert "$0.10 sent" in screen_text(pilot)
        await pilot.press("down")
        await pilot.pause()
        assert "Unknown model" in screen_text(pilot)


def test_other_prices_for_long_prompts_and_prices_that_are_not_known_are_said() -> None:
    table = ModelTable.builtin()
    assert "for prompts of more than 100,000 tokens" in described("haiku", table).plain
    half = ModelTable({"half": ModelInfo("half", context_size=8_000, rates=Rates(input=1.0, cache_read=0.075))})
    assert "$1 sent · unknown received" in described("half", half).plain
    assert "$0.075 read" in described("half", half).plain


def test_short_names_stand_for_one_model_each() -> None:
    table = ModelTable.builtin()
    named = [name for model in table.models for name in aliases(model, table)]
    assert len(named) == len(set(named))
    assert {"opus", "sonnet", "haiku"} <= set(named)


async def test_a_theme_is_tried_on_at_once_and_taken_back_on_escape() -> None:
    app = DialogApp(ThemeChooser(["nord", "textual-dark"], current="textual-dark"))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("up")
        await pilot.pause()
        await pilot.pause()
        assert app.theme == "nord"
        assert "return amount.quantize(CENT)" in screen_text(pilot)
        await pilot.press("escape")
        assert app.theme == "textual-dark"
        assert app.result is None


async def test_help_lists_the_keys_of_the_bindings_themselves() -> None:
    title, rows = section(
        "Here", [Binding("ctrl+o,f2", "open", "Open it"), Binding("x", "hidden", "")], [("q", "Leave")]
    )
    assert (title, rows) == ("Here", [("^o F2", "Open it"), ("q", "Leave")])
    app: DialogApp = DialogApp(HelpScreen([("Here", rows)]))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Open it" in screen_text(pilot)
        await pilot.press("escape")
        assert app.result is None
