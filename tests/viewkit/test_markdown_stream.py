"""Streaming Markdown: the pieces do not matter, closed parts stay, and only what is open costs."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viewing import STATE, check

from tui_agent.viewkit.markdown import MarkdownPart, MarkdownStream
from tui_agent.viewkit.markdown.inline import GrowingText, inline_lines
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.runs import Run

DOCUMENT = """\
# A title
Some *prose* with `code` and a [link](https://example.org),
over two lines.

- one
- two
  with more

  ```sh
  ls
  ```
- three

1. first

2. second
> a quote
> goes on

| a | b |
|---|---|
| 1 | 2 |

```python
def f(x):
    return x

```
Last words — 日本語.
"""
BLOCKS = st.sampled_from(
    [
        "# h\n", "text *em* and more\n", "\n", "- item\n", "  nested text\n", "  - sub\n", "1. one\n", "2. two\n", "```py\n",
        "```\n",
        "~~~\n", "    indented\n", "> quote\n", "---\n", "===\n", "| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "* * *\n",
        "[x](http://a.b)\n", "\t\n", "tail", "\r\n", "-\n", "  ```\n", "a\rb\n", "+ plus\n", "10) ten\n",
    ]
)  # fmt: skip
SOURCES = st.lists(BLOCKS, max_size=16).map("".join) | st.text(max_size=80)


def lines(parts: list[MarkdownPart] | tuple[MarkdownPart, ...], width: int = 40) -> list[str]:
    return [line.text for part in parts for line in part.render(width, STATE).lines]


def fed(source: str, cuts: list[int], *, width: int = 40, draws: bool = False) -> MarkdownStream:
    stream = MarkdownStream()
    at = 0
    for cut in sorted({*cuts, len(source)}):
        stream.feed(source[at:cut])
        at = cut
        if draws and stream.tail is not None:
            stream.tail.render(width, STATE)
    stream.finish()
    return stream


def kinds(stream: MarkdownStream) -> list[str]:
    return [part.kind for part in stream.parts]


def test_the_document_is_split_into_blocks_and_items() -> None:
    stream = fed(DOCUMENT, [])
    assert kinds(stream) == [
        "heading", "text", "text", "text", "fence", "text", "text", "text", "text", "table", "fence", "text",
    ]  # fmt: skip
    shown = " ".join(lines(stream.parts, 200))
    assert all(word in shown for word in re.findall(r"\w+", DOCUMENT) if word not in {"python", "sh"})


def test_any_pieces_give_the_same_lines() -> None:
    whole = lines(fed(DOCUMENT, []).parts)
    rng = random.Random(7)
    for _ in range(20):
        cuts = [rng.randrange(len(DOCUMENT)) for _ in range(rng.randrange(60))]
        assert lines(fed(DOCUMENT, cuts, draws=True).parts) == whole
    assert lines(fed(DOCUMENT, list(range(len(DOCUMENT))), draws=True).parts) == whole


@settings(max_examples=120, deadline=None)
@given(SOURCES, st.lists(st.integers(0, 120), max_size=12), st.integers(16, 50))
def test_pieces_of_any_text_give_the_same_lines_and_fit(source: str, cuts: list[int], width: int) -> None:
    whole = fed(source, [])
    pieces = fed(source, [cut for cut in cuts if cut < len(source)], width=width, draws=True)
    assert lines(pieces.parts, width) == lines(whole.parts, width)
    for part in pieces.parts:
        check(part.render(width, STATE), width)


@settings(max_examples=80, deadline=None)
@given(SOURCES, st.integers(1, 40))
def test_the_open_part_can_be_drawn_at_any_moment(source: str, width: int) -> None:
    stream = MarkdownStream()
    for at in range(0, len(source), 3):
        stream.feed(source[at : at + 3])
        if stream.tail is not None:
            rendered = stream.tail.render(width, STATE)
            assert all(line.width <= width for line in rendered.lines)
            if width >= 16:
                check(rendered, width)


def test_closed_parts_do_not_change() -> None:
    stream = MarkdownStream()
    seen: list[tuple[MarkdownPart, int]] = []
    for character in DOCUMENT:
        stream.feed(character)
        assert [part for part, _ in seen] == stream.parts[: len(seen)]
        assert all(part.version == version for part, version in seen)
        seen = [(part, part.version) for part in stream.parts]
    assert not any(part.is_open for part in stream.parts)


def test_every_feed_shows_as_a_new_version_of_the_open_part() -> None:
    stream = MarkdownStream("Hello")
    assert stream.tail is not None
    before = stream.tail.version
    stream.feed(" there")
    assert stream.tail.version > before


def test_the_line_being_written_is_seen() -> None:
    stream = MarkdownStream("# Title\n\nSome wor")
    assert stream.tail is not None
    assert [line.text for line in stream.tail.render(40, STATE).lines] == ["", "Some wor"]
    stream = MarkdownStream("```py\nx = 1\nprint(")
    assert stream.tail is not None
    assert [line.text.strip() for line in stream.tail.render(40, STATE).lines] == ["x = 1", "print("]


def test_a_dash_below_a_paragraph_does_not_flash_up_as_a_heading() -> None:
    stream = MarkdownStream("The steps:\n-")
    assert stream.tail is not None
    assert not any(s.style.underline for line in stream.tail.render(40, STATE).lines for s in line.segments if s.style)
    assert [line.text for line in stream.tail.render(40, STATE).lines] == ["The steps:"]


def test_the_closing_ticks_of_a_fence_do_not_flash_up_as_code() -> None:
    stream = MarkdownStream("```\nx\n``")
    assert stream.tail is not None
    assert [line.text.strip() for line in stream.tail.render(40, STATE).lines] == ["x"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("so **bold te", "so bold te"),
        ("so **", "so"),
        ("so **bold*", "so bold"),
        ("so **bold** and", "so bold and"),
        ("so `co", "so co"),
        ("so `", "so"),
        ("so `a**b` and", "so a**b and"),
        ("2 ** 3 is", "2 ** 3 is"),
        ("so *slan", "so slan"),
        ("so *", "so"),
        ("so *slanted. ", "so slanted."),
        ("so *slanted* and", "so slanted and"),
        ("so *slanted.*", "so slanted."),
        ("so **bold** and *slan", "so bold and slan"),
        ("2 * 3 is", "2 * 3 is"),
        ("2*3 is", "2*3 is"),
        ("any *args" + " word" * 20, "any *args" + " word" * 20),
        ("see [the page](", "see the page"),
        ("see [the page](https://exa", "see the page (https://exa)"),
        ("see [the page](https://example.com) and", "see the page (https://example.com) and"),
        ("see [the `code`](https://exa", "see the code (https://exa)"),
        ("see [1](one two", "see [1](one two"),
        ("f[0](x", "f0 (x)"),
        ("a ` b" + " word" * 40, "a ` b" + " word" * 40),
    ],
)
def test_signs_of_what_has_just_begun_do_not_flash_up(written: str, shown: str) -> None:
    stream = MarkdownStream(written)
    assert stream.tail is not None
    assert stream.tail.render(400, STATE).text == shown


@pytest.mark.parametrize("above", ["", "Of it:\n\n", "Of it:\n"])
def test_the_bars_of_a_table_that_is_begun_do_not_flash_up(above: str) -> None:
    stream = MarkdownStream(above)
    for character in "| line | price |\n|:-----|------:|\n| tea | 3.35 |\n":
        stream.feed(character)
        if stream.tail is not None:
            assert "|" not in "".join(line.text for line in stream.tail.render(40, STATE).lines)


@pytest.mark.parametrize("written", ["|x| is never", "| one | two\n| three", "so\n\n| one |\nand"])
def test_bars_that_make_no_table_are_shown(written: str) -> None:
    stream = MarkdownStream(written)
    assert stream.tail is not None
    assert "|" in stream.tail.render(40, STATE).text


def test_an_open_fence_has_its_colours_already() -> None:
    source = '```python\ndef f():\n    """Say\n    it."""\n    return 1  # one\n'
    stream = MarkdownStream(source)
    assert stream.tail is not None
    growing = [line.segments for line in stream.tail.render(40, STATE).lines]
    stream.feed("```\n")
    assert [line.segments for line in stream.parts[0].render(40, STATE).lines] == growing


def test_hostile_text_is_cleaned_on_its_way_in() -> None:
    stream = MarkdownStream()
    for character in "a\x1b]52;c;xyz\x07b \x9b2Jc\n\n```\n\x1b[31mred\n```\n":
        stream.feed(character)
    stream.finish()
    assert [text.strip() for text in lines(stream.parts)] == ["ab c", "", "red"]


PIECES = st.sampled_from(
    [
        "word ", "*em* ", "**bold** ", "`code` ", "a_b ", "_x ", "* ", "[l](http://a.b) ", "[", "] ", "$a$ ", "$5 ", "<", "> ",
        "\n", "  \n", "\\", "\\\n", "~~s~~ ", "~~", "&amp; ", "&", "http://x.y/z ", "日本 ", "x" * 40, ". ",
    ]
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.lists(PIECES, min_size=30, max_size=160), st.integers(1, 9))
def test_a_growing_paragraph_reads_as_if_it_were_whole(pieces: list[str], step: int) -> None:
    growing = GrowingText()
    for count in range(0, len(pieces), step):
        source = "".join(pieces[:count]).strip()
        seen = growing.lines(source, DARK.text, DARK)
        whole = inline_lines(source, DARK.text, DARK)
        assert [looks(line) for line in seen] == [looks(line) for line in whole]


def looks(line: list[Run]) -> list[tuple[str, object, object]]:
    return [(character, run.style, run.hit) for run in line for character in run.text]
