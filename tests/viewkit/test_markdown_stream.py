"""Streaming Markdown: the pieces do not matter, closed parts stay, and only what is open costs."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viewing import STATE, check

from tui_agent.viewkit.markdown import MarkdownPart, MarkdownStream, MarkdownView
from tui_agent.viewkit.view import LinesBuilder

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


def test_the_document_is_split_into_blocks_and_items() -> None:
    stream = fed(DOCUMENT, [])
    assert [part.opening.kind for part in stream.parts] == [
        "heading", "text", "item", "item", "item", "item", "item", "text", "text", "fence", "text",
    ]  # fmt: skip
    assert "".join(part.source for part in stream.parts).replace("\n", "") == DOCUMENT.replace("\n", "")


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


def test_an_open_fence_is_plain_and_coloured_when_it_closes() -> None:
    stream = MarkdownStream("```python\ndef f(): pass\n")
    assert stream.tail is not None
    part = stream.tail
    plain = part.render(40, STATE)
    words = [segment.text for line in plain.lines for segment in line.segments]
    assert "def f(): pass" in words
    stream.feed("```\n")
    assert stream.parts == [part]
    coloured = part.render(40, STATE)
    assert "def" in [segment.text for line in coloured.lines for segment in line.segments]
    assert [line.text for line in coloured.lines] == [line.text for line in plain.lines]


def test_an_open_fence_draws_only_its_new_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    from tui_agent.viewkit.markdown import fence

    drawn: list[str] = []
    original = fence.add_code
    monkeypatch.setattr(fence, "add_code", lambda builder, code, *rest, **options: (
        drawn.append(code), original(builder, code, *rest, **options)
    ))  # fmt: skip
    stream = MarkdownStream("```\n")
    for number in range(200):
        stream.feed(f"line {number}\n")
        assert stream.tail is not None
        assert len(stream.tail.render(40, STATE).lines) == number + 1
    assert len(drawn) == 200


def test_only_the_open_part_is_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from tui_agent.viewkit.markdown import render

    parsed: list[str] = []
    original = render.parse
    monkeypatch.setattr(render, "parse", lambda source: parsed.append(source) or original(source))
    stream = MarkdownStream()
    for number in range(100):
        stream.feed(f"- item {number} with some words\n")
        assert stream.tail is not None
        stream.tail.render(40, STATE)
    assert max(map(len, parsed)) < 100


@pytest.mark.parametrize(
    "source",
    [
        "word " * 12_000,
        ("word " * 15 + "\n") * 800,
        "> quoted words\n" * 2_000,
        "| a | b |\n|-|-|\n" + "| 1 | 2 |\n" * 2_000,
    ],
    ids=["one line", "lines without a blank one", "quote", "table"],
)
def test_text_that_goes_on_and_on_is_parsed_in_bounded_pieces(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tui_agent.viewkit.markdown import render

    parsed: list[int] = []
    original = render.parse
    monkeypatch.setattr(render, "parse", lambda text: parsed.append(len(text)) or original(text))
    stream = MarkdownStream()
    for at in range(0, len(source), 500):
        stream.feed(source[at : at + 500])
        if stream.tail is not None:
            stream.tail.render(80, STATE)
    assert max(parsed) <= 9_000
    stream.finish()
    words = " ".join("\n".join(part.render(80, STATE).text for part in stream.parts).split())
    assert words.count("word") == source.count("word")


def test_parts_together_look_like_the_document_parsed_whole() -> None:
    from tui_agent.viewkit.markdown.render import render_markdown

    whole = LinesBuilder()
    render_markdown(whole, DOCUMENT, 60, STATE)
    split = [line.text for line in MarkdownView(DOCUMENT).render(60, STATE).lines]
    assert [text.rstrip() for text in split if text.strip()] == [
        line.text.rstrip() for line in whole.lines if line.text.strip()
    ]


def test_hostile_text_is_cleaned_on_its_way_in() -> None:
    stream = MarkdownStream()
    for character in "a\x1b]52;c;xyz\x07b \x9b2Jc\n\n```\n\x1b[31mred\n```\n":
        stream.feed(character)
    stream.finish()
    assert [text.strip() for text in lines(stream.parts)] == ["ab c", "", "red"]
