"""Whatever Markdown says is shown: every word, in order, at any width, and nothing of it is lost on the way of a copy."""

from __future__ import annotations

import re
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viewing import STATE, check

from tui_agent.viewkit.markdown import MarkdownStream, MarkdownView
from tui_agent.viewkit.palette import LIGHT, MONOCHROME
from tui_agent.viewkit.view import RenderState

# `@` stands for a word; each becomes one of its own.
INLINES = st.sampled_from(
    [
        "@", "*@*", "**@ @**", "`@`", "``@ ` @``", "~~@~~", "[@](https://@.example/@)", "![@](@.png)", "<https://@.example>",
        "https://@.example/@", "\\*@\\*", "&amp;@", "$@_@$", "Vec<@>", "<b>@</b>", "@_@_@", "***@** @*", "[@][@]", "[^@]",
        "@|@", "@日本@", "@ 🇩🇪 @", "(@)",
    ]
)  # fmt: skip
TEXTS = st.lists(INLINES, min_size=1, max_size=5).map(" ".join)
STARTS = st.sampled_from(
    [
        "",
        "",
        "# ",
        "### ",
        "- ",
        "* ",
        "1. ",
        "7) ",
        "> ",
        "> - ",
        "- > ",
        "- - ",
        "- [ ] ",
        "- [x] ",
        "    ",
        "  ",
        "   ",
    ]
)
LINES = st.builds("{}{}".format, STARTS, TEXTS)
BLOCKS = (
    LINES
    | st.just("")
    | TEXTS.map(lambda text: f"```py\n{text}\n```")
    | TEXTS.map(lambda text: f"| @ | {text.replace('|', '')} |\n|---|:-:|\n| @ | @ @ @ |\n")
    | TEXTS.map(lambda text: f"- @\n\n  {text}\n  ```\n  @\n  ```\n")
    | TEXTS.map(lambda text: f"{text}\n===")
    | TEXTS.map(lambda text: f"> {text}\n>\n> 1. @\n")
)
DOCUMENTS = st.lists(BLOCKS, max_size=7).map("\n".join)
WIDTHS = st.sampled_from([16, 20, 33, 40, 58, 80, 116])
STATES = st.sampled_from([STATE, RenderState(LIGHT), RenderState(MONOCHROME, is_ascii=True)])


def numbered(source: str) -> str:
    numbers = count(1)
    return re.sub("@", lambda _: f"w{next(numbers)}q", source)


def words(text: str) -> list[str]:
    return re.findall(r"w\d+q", text)


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, WIDTHS, STATES)
def test_every_word_is_shown_in_order(source: str, width: int, state: RenderState) -> None:
    source = numbered(source)
    check(MarkdownView(source).render(width, state), width)
    rendered = MarkdownView(source).render(
        300 if "|---|" in source else width, state
    )  # a table's cells wrap by themselves
    assert words(rendered.text) == words(source)


@settings(max_examples=25, deadline=None)
@given(DOCUMENTS, WIDTHS, st.integers(1, 30))
def test_every_word_that_has_come_is_shown_at_once_or_with_its_line(source: str, width: int, step: int) -> None:
    source, width = numbered(source), 300 if "|---|" in source else width
    stream = MarkdownStream()
    for at in range(0, len(source), step):
        stream.feed(source[at : at + step])
        parts = [*stream.parts, *([stream.tail] if stream.tail else [])]
        shown = "\n".join(part.render(width, STATE).text for part in parts)
        come = source[: at + step]
        whole = come[: come.rfind("\n") + 1]
        assert set(words(whole)) <= set(words(shown))


@pytest.mark.parametrize(
    ("source", "copied"),
    [
        ("# Title\n\none *two* three four five six seven", "Title\n\none two three four five six seven"),
        ("- a\n  - b\n\n1. c", "- a\n  - b\n\n 1. c"),
        ("> quoted\n> words", "quoted words"),
        ("| a | b |\n|---|--:|\n| x | 1 |", "a | b\n--|--\nx | 1"),
        ("- x\n\n  ```py\n  if a:\n      b\n  ```", "- x\n\nif a:\n    b"),
        ("a\n\n---", "a\n\n----------------"),
    ],
)
def test_what_is_copied_is_plain_markdown_without_bars_and_indentation(source: str, copied: str) -> None:
    assert MarkdownView(source).render(16, STATE).text == copied
