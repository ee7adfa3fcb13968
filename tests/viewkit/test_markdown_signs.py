"""Signs that are more than a character, wider than a cell, or not to be seen, in prose, tables and code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size, split_graphemes
from rich.style import Style
from viewing import STATE, check

from tui_agent.emoji_sequences import behind_emoji
from tui_agent.text import clean
from tui_agent.viewkit.code import code_runs
from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.view import LinesBuilder
from tui_agent.viewkit.wrap import cells_to, cut_cells, is_narrow, wrap_cells

SAMPLES = {
    "Chinese": "四舍五入只应做一次，因为半分钱的两半会变成一整分钱。",
    "Japanese": "丸めは一度だけ。カタカナとひらがな、ﾊﾝｶｸも。",
    "Korean": "반올림은 한 번만 하세요. \u1112\u1161\u11ab\u1100\u1173\u11af",
    "family": "a 👩\u200d👩\u200d👧\u200d👦 family 👨\u200d💻 at work",
    "skin": "👍🏽 👋🏿 ☝🏻 fine",
    "flags": "🇩🇪🇫🇷🇯🇵🇧🇷🇮🇳🇰🇪🇳🇴🇵🇪",
    "variations": "❤\ufe0f ☀\ufe0f ✔\ufe0e 1\ufe0f\u20e3 #\ufe0f\u20e3",
    "marks": "e\u0301 n\u0303 Z\u0351\u0352\u0353a\u0325\u0326l\u0300\u0301g\u0308o\u030b",
    "Hindi": "हिन्दी में क्षत्रिय और विद्यार्थी लिखते हैं",
    "Thai": "ภาษาไทยไม่มีช่องว่างระหว่างคำและมีสระบนล่าง",
    "Arabic": "التقريب مرة واحدة فقط 123 والباقي",
    "Hebrew": "עיגול פעם אחת בלבד (456) והשאר",
    "Western": "naïve café “quotes” — 1 234,50 € … → ½",
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 20])
def test_no_sign_is_cut_in_two(name: str, width: int) -> None:
    text = clean(SAMPLES[name])
    inside = {at for start, stop, _ in split_graphemes(text)[0] for at in range(start + 1, stop)}
    for wrap in (wrap_cells, cut_cells):
        edges = {edge for span in wrap(text, width) for edge in span}
        assert not edges & inside
        assert all(cell_len(text[start:stop]) <= max(width, 2) for start, stop in wrap(text, width))


def test_a_flag_stays_whole() -> None:
    flags = SAMPLES["flags"]
    for width in (2, 3, 5, 7):
        pieces = [flags[start:stop] for start, stop in cut_cells(flags, width)]
        assert all(len(piece) % 2 == 0 for piece in pieces)
        assert "".join(pieces) == flags
    assert cells_to("a🇩🇪", 0, 2) == 1


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("abcd 日本。", 8, ["abcd 日", "本。"]),
        ("and 👍.", 6, ["and", "👍."]),
        ("日本語、そして", 6, ["日本", "語、そ", "して"]),
        ("a🇩🇪.", 3, ["a", "🇩🇪."]),
        ("🇩🇪.", 2, ["🇩🇪", "."]),  # there is no room for more than the sign
        ("。。。", 4, ["。。", "。"]),
    ],
)
def test_what_closes_a_sentence_stands_at_no_lines_beginning(text: str, width: int, lines: list[str]) -> None:
    assert [text[start:stop] for start, stop in wrap_cells(text, width)] == lines


def test_an_emoji_stays_in_one_run_whatever_colours_or_marks_its_parts() -> None:
    family = SAMPLES["family"].split()[1]
    builder = LinesBuilder()
    red, blue = Style(color="red"), Style(color="blue")
    add_runs(builder, [Run("a" + family[:3], red), Run(family[3:5], blue), Run(family[5:] + "b", blue)], 20)
    line = builder.build().lines[0]
    assert [segment.text for segment in line.segments] == ["a" + family, "b"]
    assert line.width == 4
    assert behind_emoji("e\u0301" + family, [0, 1, 2, 3, 8, 9]) == [0, 1, 2, 9, 9, 9]
    marked = code_runs([("", f"x = '{family}'")], DARK, marks=[(5, 7)], mark=red)
    assert "".join(run.text for run in marked) == f"x = '{family}'"


def test_narrow_characters_take_one_cell() -> None:
    for code in range(0x20, 0x3000):
        if clean(chr(code)) and is_narrow(chr(code)):
            assert get_character_cell_size(chr(code)) == 1
    assert is_narrow(SAMPLES["Western"])
    assert not is_narrow("日")
    assert not is_narrow("e\u0301")


@settings(max_examples=80)
@given(st.text(alphabet="ab  –é", max_size=50), st.integers(1, 14))
def test_narrow_text_wraps_like_any_other(text: str, width: int) -> None:
    """One that is not narrow takes the general way: the same words with a mark on each letter break at the same places."""
    marked = "".join(character if character == " " else character + "\u0301" for character in text)
    plain = [text[start:stop] for start, stop in wrap_cells(text, width)]
    assert [marked[start:stop].replace("\u0301", "") for start, stop in wrap_cells(marked, width)] == plain


@pytest.mark.parametrize("width", [16, 20, 40, 58, 80, 116])
def test_the_columns_of_a_table_stand_below_each_other_whatever_is_in_them(width: int) -> None:
    rows = "".join(f"| {name} | {text} | {number} |\n" for number, (name, text) in enumerate(SAMPLES.items()))
    rendered = MarkdownView("| script | sample | no |\n|---|:-:|--:|\n" + rows).render(width, STATE)
    check(rendered, width)
    table = [line.text for line in rendered.lines if " │ " in line.text]
    if table:
        bars = {tuple(cell_len(text[:at]) for at, character in enumerate(text) if character == "│") for text in table}
        assert len(bars) == 1
    shown = "".join("".join(line.text for line in rendered.lines).split())
    for name in SAMPLES:
        assert name in shown


@pytest.mark.parametrize("width", [16, 20, 40, 58, 80, 116])
@pytest.mark.parametrize(
    "around", ["{}", "# {}", "- {}", "> {}", "1. > - {}", "```\n{}\n```", "**{}**", "[{}](https://example.org)"]
)
def test_every_sample_fits_and_is_all_there(around: str, width: int) -> None:
    for text in SAMPLES.values():
        rendered = MarkdownView(around.format(text)).render(width, STATE)
        check(rendered, width)
        assert "".join(clean(text).split()) in "".join(rendered.text.split())


HOSTILE = [
    "a\u202egnp.exe", "\u2066x\u2069y", "\u200fabc\u200e", "a\u200bb\ufeffc", "\x1b[31mred\x1b[0m", "a\x07b\x08c",
    "tag\U000e0041\U000e007f", "&#x202e;x", "&#27;[2J", "&rlm;x&zwj;y", "\u061cx", "nul\x00l", "c1\x9b2J",
]  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize(
    "around",
    ["{}", "# {}", "- {}", "| {} |\n|---|\n| {} |", "```{}\n{}\n```", "`{}`", "[{}](https://example.org/{})", "![{}]({})", "<https://e.org/{}>",
     "~~~ title=\"{}\"\nx\n~~~"],
)  # fmt: skip
def test_nothing_reorders_hides_or_drives_the_terminal(around: str, hostile: str) -> None:
    rendered = MarkdownView(around.replace("{}", hostile)).render(40, STATE)
    check(rendered, 40)
    for text in (rendered.text, *(line.text for line in rendered.lines)):
        assert not set(text) & set(
            "\x00\x07\x08\x1b\x9b\u200b\u200d\u200e\u200f\u061c\u202e\u2066\u2069\ufeff\U000e0041"
        )
