"""Views one below the other are drawn as if they were one, line by line as they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from viewing import STATE, check

from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.stacking import indented, stack
from tui_agent.viewkit.view import LinesBuilder, Rendered


def built(*texts: str) -> Rendered:
    builder = LinesBuilder()
    for text in texts:
        builder.add_text(text, STATE.palette.text)
        builder.hit(0, 1, "toggle", text)
    return builder.build()


def test_lines_text_and_hits_are_those_of_all_parts_in_order() -> None:
    whole = stack([built("a", "b"), built(), CodeView("x = 1\ny = 2\n").render(30, STATE), built("c")])
    assert whole.text == "a\nb\nx = 1\ny = 2\nc"
    assert [hit.line for hit in whole.hits] == [0, 1, 4]
    assert whole.lines[-1].text == "c"
    assert [line.text.strip() for line in whole.lines[1:3]] == ["b", "1  x = 1"]
    check(whole, 30)


def test_nothing_on_nothing_is_nothing() -> None:
    assert (len(stack([]).lines), stack([]).text) == (0, "")


def test_a_line_is_drawn_only_when_it_is_looked_at() -> None:
    looked: list[int] = []

    class Lazy(Sequence[Any]):
        def __len__(self) -> int:
            return 1000

        def __getitem__(self, index: Any) -> Any:
            looked.append(index)
            return built("x").lines[0]

        def __iter__(self) -> Iterator[Any]:
            raise AssertionError("all lines are drawn")

    whole = stack([built("a"), Rendered(Lazy(), (), "x")])
    assert whole.lines[500].text == "x"
    assert looked == [499]


def test_what_is_moved_to_the_right_keeps_its_text_and_what_can_be_clicked() -> None:
    moved = indented(built("a", "b"), 3)
    assert [line.text for line in moved.lines] == ["   a", "   b"]
    assert (moved.text, moved.length) == ("a\nb", 3)
    assert [(hit.start, hit.stop) for hit in moved.hits] == [(3, 4), (3, 4)]
    check(moved, 10)
