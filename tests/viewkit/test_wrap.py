"""Breaking text by cells."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from viewing import STATE, check, lines_of

from tui_agent.text import clean
from tui_agent.viewkit.plain import TextView
from tui_agent.viewkit.wrap import cut_cells, expand_tabs, wrap_cells

TEXT = st.text(alphabet=st.sampled_from("ab  中é\u0301x-/"), max_size=60) | st.text(max_size=40)


def pieces(text: str, width: int, wrap: Callable[[str, int], list[tuple[int, int]]] = wrap_cells) -> list[str]:
    return [text[start:stop] for start, stop in wrap(text, width)]


def test_prose_breaks_at_blanks_and_drops_them() -> None:
    assert pieces("foo bar  baz", 7) == ["foo bar", "baz"]


def test_indentation_stays() -> None:
    assert pieces("    indented text", 14) == ["    indented", "text"]


def test_a_long_word_begins_a_line_and_is_cut() -> None:
    assert pieces("see https://example.com/a/b/c now", 12) == ["see", "https://exam", "ple.com/a/b/", "c now"]


def test_ideographs_part_anywhere_and_never_in_half() -> None:
    assert pieces("日本語のテキスト", 5) == ["日本", "語の", "テキ", "スト"]


def test_a_character_wider_than_the_line_stands_alone() -> None:
    assert pieces("日本", 1) == ["日", "本"]


def test_code_is_cut_at_the_width() -> None:
    assert pieces("return a + b", 8, cut_cells) == ["return a", " + b"]


def test_blanks_at_a_cut_of_code_are_kept_between_the_pieces() -> None:
    assert cut_cells("ab   cd", 4) == [(0, 2), (4, 7)]


def test_tabs_become_blanks_up_to_the_next_stop() -> None:
    assert expand_tabs("a\tb\t\tc") == "a   b       c"
    assert expand_tabs("日\tx") == "日  x"


@pytest.mark.parametrize("wrap", [wrap_cells, cut_cells])
@settings(max_examples=150)
@given(text=TEXT, width=st.integers(1, 20))
def test_pieces_fit_and_lose_nothing_but_blanks(
    wrap: Callable[[str, int], list[tuple[int, int]]], text: str, width: int
) -> None:
    line = clean(text).replace("\n", "").replace("\t", "")
    end = 0
    for start, stop in wrap(line, width):
        assert not line[end:start].strip(" ")
        piece = line[start:stop]
        assert cell_len(piece) <= width or sum(1 for character in piece if cell_len(character)) == 1
        end = stop
    assert not line[end:].strip(" ")


@settings(max_examples=100)
@given(text=st.text(max_size=80), width=st.integers(1, 30))
def test_a_text_view_fits_any_width_and_copies_what_it_shows(text: str, width: int) -> None:
    rendered = TextView(text).render(width, STATE)
    if width >= 4:
        check(rendered, width)
    else:
        assert all(line.width <= width for line in rendered.lines)


def test_copied_text_has_no_wrapping() -> None:
    text = "one two three four five six"
    assert TextView(text).render(9, STATE).text == text


def test_a_limited_text_says_how_much_more_there_is() -> None:
    assert lines_of(TextView("a\nb\nc\nd", limit=2)) == ["a", "b", "… 2 more lines"]
