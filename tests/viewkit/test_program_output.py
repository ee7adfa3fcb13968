"""Program output: colours understood, progress lines settled, everything else gone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color
from rich.style import Style
from viewing import check

from tui_agent.viewkit.ansi import add_output, ansi_lines
from tui_agent.viewkit.palette import DARK, MONOCHROME
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.view import LinesBuilder

PLAIN = Style()


def runs(text: str) -> list[list[Run]]:
    return list(ansi_lines(text, PLAIN))


def shown(text: str) -> list[str]:
    return ["".join(run.text for run in line) for line in runs(text)]


def style_of(text: str) -> Style:
    return runs(text)[0][0].style


def test_colours_become_styles_and_carry_over_lines() -> None:
    first, second = runs("\x1b[31mred\nstill\x1b[0m plain")
    assert first[0].style.color == Color.from_ansi(1)
    assert second[0].style.color == Color.from_ansi(1)
    assert second[1] == Run(" plain", PLAIN)


def test_attributes_are_set_and_reset() -> None:
    line = runs("\x1b[1;4mloud\x1b[22mless\x1b[24mplain")[0]
    assert (line[0].style.bold, line[0].style.underline) == (True, True)
    assert not line[1].style.bold
    assert not line[2].style.underline


def test_the_256_and_the_true_colours_are_known_in_both_notations() -> None:
    assert style_of("\x1b[38;5;208mx").color == Color.from_ansi(208)
    assert style_of("\x1b[38;2;1;2;3mx").color == Color.from_rgb(1, 2, 3)
    assert style_of("\x1b[38:2::1:2:3mx").color == Color.from_rgb(1, 2, 3)
    assert style_of("\x1b[48:5:17mx").bgcolor == Color.from_ansi(17)
    assert style_of("\x1b[97mx").color == Color.from_ansi(15)


def test_a_colour_can_be_taken_back_alone() -> None:
    line = runs("\x1b[31;44;1ma\x1b[39mb\x1b[49mc")[0]
    assert line[1].style.color is None
    assert line[1].style.bgcolor == Color.from_ansi(4)
    assert line[2].style.bgcolor is None
    assert line[2].style.bold


def test_text_in_the_colour_of_its_ground_is_shown() -> None:
    style = style_of("\x1b[30;40mhidden")
    assert style.color is None
    assert style.bgcolor is None


def test_a_progress_line_shows_its_last_state() -> None:
    assert shown("10%\r50%\r100%\ndone") == ["100%", "done"]


def test_a_shorter_state_leaves_the_rest_of_a_longer_one_unless_it_is_erased() -> None:
    assert shown("downloading\rdone") == ["doneloading"]
    assert shown("downloading\r\x1b[Kdone") == ["done"]
    assert shown("downloading\x1b[2K\rdone") == ["done"]


def test_backspace_moves_back() -> None:
    assert shown("|\b/\b-") == ["-"]


def test_windows_line_ends_are_line_ends() -> None:
    assert shown("a\r\nb\r\r\nc") == ["a", "b", "c"]


def test_other_sequences_are_removed() -> None:
    assert shown("\x1b]0;title\x07a\x1b[2Jb\x1bcc\x1b[?25l\x9b5nd\x1b[31") == ["abcd"]


def test_a_long_output_shows_head_and_tail() -> None:
    builder = LinesBuilder()
    add_output(builder, "\n".join(f"line {n}" for n in range(100)), 40, DARK, head=2, tail=3)
    assert [line.text for line in builder.lines] == [
        "line 0",
        "line 1",
        "… 95 lines left out",
        "line 97",
        "line 98",
        "line 99",
    ]


def test_without_colours_the_program_has_none_either() -> None:
    builder = LinesBuilder()
    add_output(builder, "\x1b[1;31mred\x1b[0m", 40, MONOCHROME)
    (segment,) = builder.lines[0].segments
    assert segment.style == Style(bold=True)


@settings(max_examples=200)
@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("\x1b\x9b[];:0123458mKHJ\r\b\n\tab\x07\u202e"), st.characters()), max_size=60
    ),
    st.integers(8, 40),
)
def test_no_output_drives_the_terminal_or_leaves_its_room(text: str, width: int) -> None:
    builder = LinesBuilder()
    add_output(builder, text, width, DARK)
    check(builder.build(), width)
