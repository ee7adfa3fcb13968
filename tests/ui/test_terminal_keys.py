"""Keys as terminals without a keyboard protocol send them."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from tui_agent.ui.terminal.keys import _layer, for_field, pressed_after_escape, read_alt


def keys(data: str) -> list[tuple[str, str | None]]:
    parser = _layer(XTermParser)()
    found = [*parser.feed(data), *parser.feed("")]
    return [(event.key, event.character) for event in found if isinstance(event, events.Key)]


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ("\x1b\r", "alt+enter"),
        ("\x1b\n", "alt+ctrl+j"),
        ("\x1bb", "alt+b"),
        ("\x1bB", "alt+shift+b"),
        ("\x1b$", "alt+dollar_sign"),
        ("\x1b.", "alt+full_stop"),
        ("\x1b0", "alt+0"),
        ("\x1b\x7f", "alt+backspace"),
        ("\x1b[27;2;13~", "shift+enter"),
        ("\x1b[13;2u", "shift+enter"),
        ("\x1b[98;3u", "alt+b"),
        ("\x1b[1;5C", "ctrl+right"),
        ("\x1b[A", "up"),
        ("\x1bOA", "up"),
        ("\x1f", "ctrl+underscore"),
        ("é", "é"),
    ],
)
def test_each_stays_what_was_pressed(data: str, key: str) -> None:
    assert [name for name, _ in keys(data)] == [key]


def test_escape_and_a_row_of_keys_are_all_told() -> None:
    assert keys("\x1bOfoo")[0][0] == "alt+shift+o"
    assert [character for _, character in keys("\x1bOfoo")] == ["O", "f", "o", "o"]
    assert [name for name, _ in keys("\x1b\x1b[A")] == ["escape", "up"]


def test_only_what_a_terminal_without_protocol_sends_may_have_been_escape() -> None:
    both = pressed_after_escape(events.Key("alt+b", "b"))
    assert both is not None
    assert (both.key, both.character) == ("b", "b")
    assert pressed_after_escape(events.Key("alt+b", None)) is None  # told by the protocol: it was Alt
    assert pressed_after_escape(events.Key("alt+enter", "\r")) is None
    assert pressed_after_escape(events.Key("b", "b")) is None


def test_a_text_field_gets_no_character_of_a_key_with_alt() -> None:
    assert (for_field(events.Key("alt+b", "b")).key, for_field(events.Key("alt+x", "x")).character) == (
        "ctrl+left",
        None,
    )
    plain = events.Key("b", "b")
    assert for_field(plain) is plain


def test_reading_keys_this_way_twice_changes_nothing() -> None:
    from textual.drivers import linux_driver

    read_alt()
    parser = vars(linux_driver)["XTermParser"]
    read_alt()
    assert vars(linux_driver)["XTermParser"] is parser
