"""The terminal that tests look at shows what pyte's own screen shows."""

from __future__ import annotations

import contextlib

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_screen import QuickScreen

WORDS = st.text(st.sampled_from("ab ~│─▟●日é\u0301\u200b\t\r\n\b"), max_size=12)
ORDERS = st.sampled_from(
    ["\x1b[1;31m", "\x1b[0m", "\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[2J", "\x1b[K", "\x1b[3;9H", "\x1b[A",
     "\x1b[2@", "\x1b[P", "\x1b[L", "\x1b(0", "\x1b(B", "\x0e", "\x0f", "\x1b[2;3r", "\x1bM"]
)  # fmt: skip


def cells(screen: pyte.Screen) -> list[list[pyte.screens.Char]]:
    return [[screen.buffer[row][column] for column in range(screen.columns)] for row in range(screen.lines)]


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS | ORDERS, max_size=20))
def test_it_shows_what_pyte_shows(pieces: list[str]) -> None:
    screens = (QuickScreen(10, 4), pyte.Screen(10, 4))
    for screen in screens:
        stream = pyte.ByteStream(screen)
        for piece in pieces:
            stream.feed(piece.encode())
    quick, plain = screens
    with contextlib.suppress(
        IndexError
    ):  # pyte's own cannot show the right half of a character whose left half is gone
        assert quick.display == plain.display
    assert cells(quick) == cells(plain)
    assert (quick.cursor.x, quick.cursor.y, quick.cursor.attrs) == (plain.cursor.x, plain.cursor.y, plain.cursor.attrs)
    assert quick.dirty == plain.dirty
