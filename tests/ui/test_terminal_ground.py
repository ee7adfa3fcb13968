"""What a terminal answers is not a key; the ground it tells gives the theme `auto` its side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser

from tui_agent.ui.terminal.background import Answers, BackgroundReported, _parser

TYPED = st.text("ab1;\x1b]", max_size=6)
COLOUR = st.sampled_from(["rgb:ffff/ffff/ffff", "rgb:00/10/20", "rgba:0000/0000/0000/ffff"])
ANSWER = st.builds(
    "\x1b]{};{}{}".format, st.sampled_from(["11", "10", "12", "4;7"]), COLOUR, st.sampled_from(["\x07", "\x1b\\"])
)


@given(st.lists(st.tuples(TYPED.filter(lambda text: not text.endswith(("\x1b", "]"))), ANSWER), max_size=4), st.data())
def test_answers_are_taken_out_however_they_were_cut(pieces: list[tuple[str, str]], data: st.DataObject) -> None:
    stream = "".join(typed + answer for typed, answer in pieces) + "x"
    keys = {at + behind for at in range(len(stream)) for behind in (1, 2) if stream.startswith("\x1b]", at)}
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=8)) - keys)  # where the rest may be a key
    answers = Answers()
    typed, told = "", 0
    for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        more, grounds = answers.take(stream[start:stop])
        typed, told = typed + more, told + len(grounds)
    assert typed == "".join(typed for typed, _ in pieces) + "x"
    assert told == sum(answer.startswith("\x1b]11") for _, answer in pieces)


@given(
    st.lists(st.text("ab\x1b]1;rg:f/\\", max_size=8), max_size=6).filter(lambda chunks: "rgb:" not in "".join(chunks))
)
def test_what_is_typed_is_never_lost(chunks: list[str]) -> None:
    answers = Answers()
    assert "".join(answers.take(chunk)[0] for chunk in [*chunks, "x"]) == "".join(chunks) + "x"


@pytest.mark.parametrize(
    ("colour", "is_light"),
    [
        ("rgb:ffff/ffff/ffff", True),
        ("rgb:fd/f6/e3", True),
        ("rgb:0000/0000/0000", False),
        ("rgb:1e1e/1e1e/2e2e", False),
        ("rgb:0/0/f", False),
        ("rgba:f/f/f/0", True),
    ],
)
def test_the_ground_is_light_or_dark(colour: str, is_light: bool) -> None:
    tokens = list(_parser(XTermParser)().feed(f"a\x1b]11;{colour}\x1b\\b"))
    assert [token.key for token in tokens if isinstance(token, events.Key)] == ["a", "b"]
    assert [token.is_light for token in tokens if isinstance(token, BackgroundReported)] == [is_light]
