"""The block structure of Markdown, compared with what markdown-it makes of the same text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tui_agent.viewkit.markdown.blocks import BlockParser
from tui_agent.viewkit.markdown.leaf import split_row

REFERENCE = MarkdownIt("commonmark", {"html": False, "maxNesting": 60}).enable("table").disable("reference")
LINES = st.sampled_from(
    """\
# h|text a|- item|  nested|  - sub|1. one|2. two|```py|```|~~~|    ind|> quote|---|===|* * *|\ttab|tail|-|  ```|+ plus|10) ten|>
> - q|>> d|   three|1.|-   wide|-     code|> ```|      deep|>     qc|## h ##|- - x|- > y|1. - z|  > lazy| |   - s3|     para
- # hd|- ```|-\ttab|>\t> tabs|  1. in|#|####### seven|***|`````|   ````||""".replace("\n", "|").split("|")
)
Block = tuple[tuple[object, ...], str, str]


def own(source: str) -> list[Block]:
    parser = BlockParser()
    for line in source.split("\n"):
        parser.take(line)
    parser.finish()
    blocks: list[Block] = []
    for leaf in parser.closed:
        around = tuple("quote" if one.is_quote else (one.number,) for one in leaf.containers)
        text = "\n".join(leaf.lines)
        match leaf.kind:
            case "text":
                blocks.append((around, "text", unindented(text)))
            case "heading":
                blocks.append((around, f"h{leaf.level}", text))
            case "fence" | "code":
                blocks.append((around, leaf.kind, spaced(text)))
            case "table":
                blocks.append((around, "table", str(len(leaf.lines) - 1)))
            case kind:
                blocks.append((around, kind, ""))
    return blocks


def theirs(source: str) -> list[Block]:  # noqa: C901 - one case for each token
    blocks: list[Block] = []
    around: list[object] = []
    numbers: list[int | None] = []
    first: list[int] = []  # how many blocks there were before each open item
    tokens = REFERENCE.parse(source)
    for index, token in enumerate(tokens):
        text = tokens[index + 1].content if index + 1 < len(tokens) else ""
        match token.type:
            case "blockquote_open":
                around.append("quote")
            case "blockquote_close":
                around.pop()
            case "bullet_list_open":
                numbers.append(None)
            case "ordered_list_open":
                numbers.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                numbers.pop()
            case "list_item_open":
                number = numbers[-1]
                around.append((number,))
                first.append(len(blocks))
                numbers[-1] = None if number is None else number + 1
            case "list_item_close":
                if first.pop() == len(blocks):
                    blocks.append((tuple(around), "empty", ""))
                around.pop()
            case "paragraph_open":
                blocks.append((tuple(around), "text", unindented(text)))
            case "heading_open":
                blocks.append((tuple(around), token.tag, unindented(text).replace("\n", " ")))
            case "fence":
                blocks.append((tuple(around), "fence", spaced(token.content)))
            case "code_block":
                blocks.append((tuple(around), "code", spaced(token.content)))
            case "hr":
                blocks.append((tuple(around), "rule", ""))
            case "tr_open" if blocks[-1:] and blocks[-1][1] == "rows":
                blocks[-1] = (blocks[-1][0], "rows", str(int(blocks[-1][2]) + 1))
            case "table_open":
                blocks.append((tuple(around), "rows", "0"))
            case "table_close":
                blocks[-1] = (blocks[-1][0], "table", blocks[-1][2])
            case _:
                pass
    return blocks


def spaced(code: str) -> str:
    """Return code with one blank for several: tabs behind a quote's sign become blanks here."""
    return re.sub(r"[ \t]+", " ", code).rstrip()


def unindented(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n")).strip()


@settings(max_examples=120, deadline=None)
@given(st.lists(LINES, max_size=8).map("\n".join))
def test_blocks_are_those_of_commonmark(source: str) -> None:
    assert own(source) == theirs(source)


@pytest.mark.parametrize(
    "source",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "text\n| a | b |\n|---|:-:|\n| 1 |\nmore",
        "| a |\n|---|---|\n| 1 |",
        "a | b\n-- | --\n1 | 2\n\n3 | 4",
        "> | a | b |\n> |---|---|\n> | 1 | 2 |\ntext",
        "- | a | b |\n  |---|---|\n  | 1 | 2 |\n- next",
        "| a | b |\n|---|---|\n| 1 | 2 |\n# heading",
        "| a | b |\n|---|---|\n| 1 | 2 |\n- item",
        "| a | b |\n|---|---|",
        "|---|---|\ntext",
    ],
)
def test_tables_are_those_of_github(source: str) -> None:
    assert own(source) == theirs(source)


def test_the_cells_of_a_row() -> None:
    assert split_row("| a | b |") == ["a", "b"]
    assert split_row("a|b") == ["a", "b"]
    assert split_row(r"| a \| b | `c \| d` |") == ["a | b", "`c | d`"]
    assert split_row("| a || c |") == ["a", "", "c"]
    assert split_row("|") == [""]


def blocks(source: str) -> list[tuple[str, str]]:
    return [(kind, text) for _, kind, text in own(source)]


def test_fields_above_a_document_are_its_front_matter() -> None:
    assert blocks("---\ntitle: x\ntags: [a]\n---\ntext") == [("fence", "title: x\ntags: [a]"), ("text", "text")]
    assert blocks("---\nNote: this\n\ntext") == [("fence", "Note: this"), ("text", "text")]
    assert [kind for kind, _ in blocks("---\ntext\n\n---\na: b")] == ["rule", "text", "rule", "text"]


def test_lines_between_signs_of_mathematics_are_no_lists() -> None:
    assert blocks("$$\na\n- b\n= c\n$$\ntext") == [("math", ""), ("text", "text")]
    assert blocks("\\[\nx\n\\]\n\n$$\nopen\n\ntext")[-1] == ("text", "text")
