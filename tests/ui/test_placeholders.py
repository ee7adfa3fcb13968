"""Stand-ins for characters that do not show, while a text is edited."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui_agent.text import is_odd
from tui_agent.ui.placeholders import Placeholders, places

TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("\t\n\r\x1b\u202e\u200b\x85\u2028\U0010f000\U0010f001\U0010fffdab ")),
    max_size=40,
)


@given(TEXTS)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    stand_ins = Placeholders()
    assert stand_ins.restore(stand_ins.hide(text)) == text


@given(TEXTS)
def test_what_is_held_and_painted_is_harmless_and_as_long(text: str) -> None:
    stand_ins = Placeholders()
    held = stand_ins.hide(text)
    painted = "".join(map(stand_ins.mark, held))
    assert len(painted) == len(text)
    assert not is_odd(held)
    assert not is_odd(painted)
    assert held.splitlines() == held.split("\n")[: len(held.splitlines())]
    for character, shown in zip(held, painted, strict=True):
        assert cell_len(character) == cell_len(shown) or shown == "\n"


@given(TEXTS, TEXTS)
def test_a_second_text_shares_the_stand_ins(first: str, second: str) -> None:
    stand_ins = Placeholders()
    held = stand_ins.hide(first) + stand_ins.hide(second)
    assert stand_ins.restore(held) == first + second


def test_it_says_where_what_does_not_show_is() -> None:
    assert places("a\u202eb\tc") == "⟨RLO⟩ in column 2"
    assert places("a\nb\u200b\x1b\x07\x00") == (
        "⟨ZWSP⟩ in line 2, column 2, ⟨ESC⟩ in line 2, column 3, ⟨BEL⟩ in line 2, column 4 and 1 more"
    )
    assert places("plain\ttext\n") == ""
