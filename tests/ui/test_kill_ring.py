from __future__ import annotations

from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.ui.prompting.editing.kill_ring import KEPT, KillRing

WORDS = st.text(alphabet="abc ", min_size=1, max_size=5)


@given(st.lists(WORDS, min_size=1, max_size=80))
def test_the_newest_comes_first_and_turning_goes_round(texts: list[str]) -> None:
    ring = KillRing()
    for text in texts:
        ring.add(text)
    kept = texts[::-1][:KEPT]
    assert len(ring) == len(kept)
    assert [ring.newest] + [ring.turn() for _ in range(len(kept) - 1)] == kept
    assert ring.turn() == kept[0]


@given(st.lists(st.tuples(WORDS, st.sampled_from(["before", "after"])), min_size=1))
def test_cuts_one_after_the_other_are_one_text_in_the_order_of_the_line(
    cuts: list[tuple[str, Literal["before", "after"]]],
) -> None:
    ring = KillRing()
    ring.add("old")
    ring.add("start")
    expected = "start"
    for text, joins in cuts:
        ring.add(text, joins=joins)
        expected = text + expected if joins == "before" else expected + text
    assert (ring.newest, len(ring)) == (expected, 2)
    assert ring.turn() == "old"


def test_nothing_cut_is_nothing_kept() -> None:
    ring = KillRing()
    ring.add("")
    assert (ring.newest, ring.turn(), len(ring)) == ("", "", 0)
