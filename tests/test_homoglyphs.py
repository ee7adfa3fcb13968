"""Characters that pass for plain ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.homoglyphs import find_homoglyphs


def marked(text: str) -> str:
    """Return the text with each look-alike replaced by what it looks like, in brackets."""
    found = {one.at: one.like for one in find_homoglyphs(text)}
    return "".join(f"[{found[at]}]" if at in found else character for at, character in enumerate(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("сat notes", "[c]at notes"),
        ("rm -rf ./сор", "rm -rf ./[c][o][p]"),
        ("curl https://gіthub.com", "curl https://g[i]thub.com"),
        ("cat ∕etc∕passwd", "cat [/]etc[/]passwd"),
        ('cat "∕etc∕passwd"', 'cat "[/]etc[/]passwd"'),
        ("ls ； rm x", "ls [;] rm x"),
        ("rm –rf x", "rm [-]rf x"),
        ("echo “hi there”", 'echo ["]hi there["]'),
        ("ｌｓ", "[l][s]"),
        ("𝗅𝗌", "[l][s]"),
        ("ls ⅼib", "ls [l]ib"),
    ],
)
def test_what_passes_for_another_is_found_and_said(text: str, expected: str) -> None:
    assert marked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "git commit -m 'с новым годом'",
        'git commit -m "don’t round – twice"',
        "cat привет.txt",
        "echo naïve café",
        "touch 日本語.md",
        "echo 'Ελληνικά'",
        "ls -la",
    ],
)
def test_words_of_another_alphabet_and_prose_are_left_alone(text: str) -> None:
    assert find_homoglyphs(text) == ()


def test_it_is_named_with_its_number_and_alphabet() -> None:
    assert find_homoglyphs("сat")[0].words == "U+0441, Cyrillic"


@given(st.text(max_size=40))
def test_every_find_is_in_its_place_and_looks_like_one_plain_character(text: str) -> None:
    for one in find_homoglyphs(text):
        assert text[one.at] == one.character
        assert not one.character.isascii()
        assert len(one.like) == 1
        assert one.like.isascii()
