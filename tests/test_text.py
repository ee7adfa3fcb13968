"""Cleaning and revealing foreign text."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tui_agent.emoji_sequences import EMOJI_SEQUENCE
from tui_agent.text import clean, clean_line, is_odd, reveal, reveal_parts, strip_escapes

HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from("\x1b\x9b\x9d\x90\x07\x9c[]0;m\\c\r\n\t\b\x00\x7f\u202e\u2066\u200b\U000e0041ab "),
        st.sampled_from("\u200d\ufe0f\ufe0e\u20e31👩❤🏽🇩日"),
        st.characters(),
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b]52;c;ZXZpbA==\x07",
        "\x1b]0;title\x1b\\",
        "\x9b2J",
        "\x1bc",
        "\x1b#8",
        "\x1b[2J\x1b[H",
        "\x90q\x9c",
        "\x1b_hidden\x1b\\",
        "\x1b",
        "\x9d0;x",
    ],
)
def test_escape_sequences_vanish_and_the_text_around_them_stays(hostile: str) -> None:
    assert clean(f"before{hostile}\nafter") == "before\nafter"


def test_an_opener_without_its_end_hides_nothing_beyond_its_line() -> None:
    assert clean("\x1b]0;evil\nrm -rf /") == "\nrm -rf /"


def test_bidirectional_controls_vanish_from_prose_and_show_where_one_approves() -> None:
    assert clean("a\u202eb\u2066c") == "abc"
    assert reveal("a\u202eb\u2066c") == "a⟨RLO⟩b⟨LRI⟩c"


def test_line_breaks_and_tabs_stay_and_a_lone_return_breaks_the_line() -> None:
    assert clean("a\r\nb\rc\td") == "a\nb\nc\td"


def test_plain_prose_is_given_back_as_it_is() -> None:
    text = "def f(x): return x  # plain"
    assert clean(text) is text


@settings(max_examples=200)
@given(HOSTILE)
def test_cleaning_is_idempotent_and_leaves_no_control(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert not [
        character
        for character in cleaned
        if character not in "\n\t" and unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
    ]
    outside = EMOJI_SEQUENCE.sub("", cleaned)
    assert not set(outside) & set(
        "\u200b\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\ufe0e\ufe0f🏽"
    )


@settings(max_examples=200)
@given(HOSTILE)
def test_revealing_is_idempotent_and_hides_nothing(text: str) -> None:
    shown = reveal(text)
    assert reveal(shown) == shown
    assert not is_odd(shown)
    assert len(shown) >= len(text)


@settings(max_examples=100)
@given(HOSTILE)
def test_revealed_parts_say_together_what_revealing_says(text: str) -> None:
    assert "".join(piece for piece, _ in reveal_parts(text)) == reveal(text)


def test_revealed_parts_set_odd_characters_apart() -> None:
    assert reveal_parts("rm \u200bx") == [("rm ", False), ("⟨ZWSP⟩", True), ("x", False)]


@pytest.mark.parametrize(
    "picture",
    ["👨\u200d👩\u200d👧\u200d👦", "❤\ufe0f", "☕\ufe0e", "1\ufe0f\u20e3", "👍🏽", "🏳\ufe0f\u200d🌈",
     "👁\ufe0f\u200d🗨\ufe0f", "⛹🏿\u200d♂\ufe0f", "👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏽"],
)  # fmt: skip
def test_an_emoji_of_several_characters_stays_whole(picture: str) -> None:
    assert clean(f"a {picture}. {picture}{picture}\n") == f"a {picture}. {picture}{picture}\n"
    assert clean_line(picture) == picture
    assert reveal(picture) == picture
    assert not is_odd(picture)


@pytest.mark.parametrize(
    ("hostile", "cleaned"),
    [
        ("a\u200db", "ab"),
        ("👩\u200dx", "👩x"),
        ("x\ufe0fy\ufe0e", "xy"),
        ("日\ufe0f\u200d本", "日本"),
        ("❤\ufe0f\ufe0f\ufe0e", "❤\ufe0f"),
        ("1\ufe0f", "1"),
        ("\u200d👩\u200d", "👩"),
        ("👩\u200d\u200b\u200d👩", "👩👩"),
        ("👍" + "\U0001f3fd" * 100 + " fine", "👍🏽 fine"),
        ("🚗\U0001f3fd", "🚗"),
    ],
)
def test_outside_an_emoji_its_invisible_parts_are_left_out(hostile: str, cleaned: str) -> None:
    assert clean(hostile) == cleaned
    assert "⟨" in reveal(hostile)


def test_a_chain_of_joined_emoji_cannot_be_painted_over_much_more_than_it_counts_for() -> None:
    assert cell_len(clean("\u200d".join("👩" * 100))) >= 50


def test_people_and_hands_take_a_colour_of_skin_as_unicode_says() -> None:
    for code in (*range(0x2000, 0x3000), *range(0x1F000, 0x1FB00)):
        takes = regex.match(r"\p{Emoji_Modifier_Base}", chr(code)) is not None
        assert (clean(chr(code) + "\U0001f3fd") == chr(code) + "\U0001f3fd") == takes, hex(code)


def test_whatever_unicode_counts_as_a_picture_may_be_joined() -> None:
    heart = "\u200d❤\ufe0f"
    pictures = [chr(code) for code in (*range(0x80, 0x4000), *range(0x1F000, 0x1FB00))]
    known = [sign for sign in pictures if regex.match(r"\p{Emoji}(?<!\p{Emoji_Component})", sign)]
    assert len(known) > 1300
    assert [sign for sign in known if clean(sign + heart) != sign + heart] == []


def test_one_line_is_cut_at_its_limit_with_a_mark() -> None:
    assert clean_line("a\nb\tc  d") == "a b c d"
    assert clean_line("abcdef", 4) == "abc…"
    assert clean_line("abcd", 4) == "abcd"


def test_escapes_alone_can_be_stripped() -> None:
    assert strip_escapes("\x1b[31mred\x1b[0m\r") == "red\r"
