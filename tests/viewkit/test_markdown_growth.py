"""What a stream of Markdown costs: counted as characters parsed, lines laid out and characters coloured, never as time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from viewing import STATE

from tui_agent.viewkit import code as code_module
from tui_agent.viewkit.markdown import MarkdownStream, MarkdownView, inline
from tui_agent.viewkit.view import LinesBuilder

WIDTH = 80
STEP = 240  # characters between two drawings
GROWING: dict[str, Callable[[int], str]] = {
    "fence": lambda count: "```python\n" + "def f(x): return x\n" * count,
    "fence in an item": lambda count: "1. Look:\n   ```python\n" + "   def f(x): return x\n" * count,
    "fence in quoted items": lambda count: "> - a\n>   - b\n>     ```\n" + ">     some code\n" * count,
    "indented code": lambda count: "text\n\n" + "    some code\n" * count,
    "table": lambda count: "| a | b |\n|---|---|\n" + "| cell one | `two` and more |\n" * count,
    "table that widens": lambda count: (
        "| a | b |\n|---|---|\n" + "".join(f"| {'w' * (n * 60 // count)} | x |\n" for n in range(count))
    ),
    "table in an item": lambda count: "- Rows:\n\n  | a | b |\n  |---|---|\n" + "  | 1 | *two* |\n" * count,
    "records": lambda count: (
        "|" + "header |" * 20 + "\n|" + "-|" * 20 + "\n" + ("|" + "value |" * 20 + "\n") * (count // 8)
    ),
    "list": lambda count: "- an *item* of some words\n" * count,
    "numbers with paragraphs": lambda count: "1. first\n\n   and `second`\n\n" * count,
    "nested lists": lambda count: "- a\n  - b\n    - c\n      1. d *e*\n" * (count // 4),
    "quote": lambda count: "> some *quoted* words\n" * count,
    "paragraph": lambda count: "some *words* and more of them\n" * count,
    "paragraphs": lambda count: "some *words* and more of them\n\n" * count,
    "one line": lambda count: "some *words* and more of them, " * count,
    "one line of code": lambda count: "```\n" + "some = code + " * count,
    "one word": lambda count: "letters, and no blank; ".replace(" ", "-") * (count * 2),
}


@dataclass
class Work:
    """What was done."""

    parsed: int = 0
    laid: int = 0
    coloured: int = 0


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Counts."""
    done = Work()
    parse, add, tokenize = inline.parse_inline, LinesBuilder.add, code_module._tokenize.__wrapped__

    def parsing(source: str) -> object:
        done.parsed += len(source)
        return parse(source)

    def adding(*args: object, **options: object) -> object:
        done.laid += 1
        return add(*args, **options)  # type: ignore[arg-type]

    def tokenizing(code: str, language: str) -> object:
        done.coloured += len(code)
        return tokenize(code, language)

    monkeypatch.setattr(inline, "parse_inline", parsing)
    monkeypatch.setattr(LinesBuilder, "add", adding)
    monkeypatch.setattr(code_module, "_tokenize", tokenizing)
    return done


def streamed(source: str) -> MarkdownStream:
    """Feed it in small pieces, drawing what is open again and again, and each part when it is whole."""
    stream = MarkdownStream()
    drawn = 0
    for at in range(0, len(source), STEP):
        stream.feed(source[at : at + STEP])
        for part in stream.parts[drawn:]:
            part.render(WIDTH, STATE)
        drawn = len(stream.parts)
        if stream.tail is not None:
            stream.tail.render(WIDTH, STATE)
    return stream


@pytest.mark.parametrize("name", GROWING)
def test_twice_as_much_costs_about_twice_as_much(name: str, work: Work) -> None:
    streamed(GROWING[name](250))
    half = Work(work.parsed, work.laid, work.coloured)
    streamed(GROWING[name](500))
    assert work.parsed - half.parsed <= 2.4 * half.parsed + 20_000
    assert work.laid - half.laid <= 2.4 * half.laid + 200
    assert work.coloured - half.coloured <= 2.4 * half.coloured + 2_000


@pytest.mark.parametrize(
    "name", ["fence", "fence in an item", "fence in quoted items", "indented code", "table", "table in an item", "list"]
)
def test_an_open_block_costs_its_new_lines(name: str, work: Work) -> None:
    source = GROWING[name](1_000)
    streamed(source)
    lines, steps = source.count("\n"), len(source) // STEP
    assert (
        work.laid <= 2.5 * lines + 12 * steps + 100
    )  # drawn while open and once more as a whole, and the unfinished line
    assert work.parsed <= 3 * len(source)
    assert work.coloured <= 3 * len(source)


def test_a_frame_costs_the_same_wherever_in_a_long_block_it_is(work: Work) -> None:
    for opening, line in (("```\n", "code\n"), ("| a |\n|---|\n", "| *b* |\n"), ("> - a\n", "> - b\n"), ("", "word\n")):
        costs = []
        for length in (200, 2_000):
            stream = MarkdownStream(opening + line * length)
            assert stream.tail is not None
            stream.tail.render(WIDTH, STATE)
            before = work.laid + work.parsed
            stream.feed(line)
            assert stream.tail is not None
            stream.tail.render(WIDTH, STATE)
            costs.append(work.laid + work.parsed - before)
        assert costs[1] <= max(2 * costs[0], 8_000)


@pytest.mark.parametrize("name", GROWING)
def test_no_part_is_large(name: str) -> None:
    stream = MarkdownStream(GROWING[name](1_000))
    stream.finish()
    assert max(part.leaf.size for part in stream.parts) <= 35_000


def test_code_is_cut_where_its_colours_can_start_anew() -> None:
    function = "def f(x):\n    '''Say\n\n    it.'''\n\n    return x\n\n\n"
    source = "```python\n" + function * 60 + "```\n"
    stream = MarkdownStream(source)
    stream.finish()
    assert len(stream.parts) > 3
    assert all(part.leaf.lines[0] == "def f(x):" for part in stream.parts)
    assert not any(part.leaf.gap for part in stream.parts[1:])
    assert "\n".join(part.render(WIDTH, STATE).text for part in stream.parts) == (function * 60).removesuffix("\n")


def test_a_line_of_code_of_any_length_is_copied_as_one() -> None:
    line = "x" * 9_000 + " " * 30 + "y" * 9_000
    for source in (f"```\na\n{line}\nb\n```", f"- i\n\n  ```\n  a\n  {line}\n  b"):
        stream = MarkdownStream()
        for at in range(0, len(source), 700):
            stream.feed(source[at : at + 700])
        stream.finish()
        copied = "\n".join(part.render(40, STATE).text for part in stream.parts)
        assert copied.split("\n")[-3:] == ["a", line, "b"]


def test_what_is_drawn_does_not_jump_when_it_closes() -> None:
    """What an open block looks like, line for line, is what it looks like when it is whole; only colours come."""
    for source in (
        "```python\ndef f():\n    return 1  # done\n```\n",
        "- item\n\n  ```sh\n  ls\n  ```\n- next\n",
        "> quoted *words*\n> and more\n\n",
        "| a | b |\n|---|--:|\n| one | 1 |\n| three words here | 20 |\n\n",
        "    indented\n\n    code\n\ntext",
        "$$\na = b\n$$\n",
        "Title\n=====\n",
    ):
        *whole, _last = source.split("\n")
        stream = MarkdownStream("\n".join(whole[:-1]) + "\n")
        before = [
            *(part.render(40, STATE) for part in stream.parts),
            *([stream.tail.render(40, STATE)] if stream.tail else []),
        ]
        shown = [line.text.rstrip() for rendered in before for line in rendered.lines]
        after = [line.text.rstrip() for line in MarkdownView("\n".join(whole[:-1])).render(40, STATE).lines]
        assert shown == after


GROWS = """\
# A title
Some *prose* with `code`, **bold words** and a [link](https://example.org),
over two lines that wrap.

1. one
2. two
   - nested **bold**

   ```py
   return 1
   ```
> a quote
>
> - with a list

| Function | What it does | Cost |
|:---------|:------------:|-----:|
| `open()` | opens a file and gives back what reads it | 1.50 |
| read | reads | 12 |
| close | closes it, as far as it is open | 3 |

---

    indented

$$
a = b
$$

The end.
"""


@pytest.mark.parametrize("width", [24, 40, 80])
@pytest.mark.parametrize("step", [1, 3, 7])
def test_what_was_shown_keeps_its_place_while_more_comes(width: int, step: int) -> None:
    stream = MarkdownStream()
    shown: list[str] = []
    closed: list[str] = []
    counted = shrunk = 0
    for at in range(0, len(GROWS), step):
        stream.feed(GROWS[at : at + step])
        for part in stream.parts[counted:]:
            closed += [line.text for line in part.render(width, STATE).lines]
        counted = len(stream.parts)
        now = closed + ([line.text for line in stream.tail.render(width, STATE).lines] if stream.tail else [])
        shrunk += len(now) < len(shown)
        assert len(now) >= len(shown) - 1
        shown = now
    assert shrunk <= 6  # what is not sure yet took a line more: the address of a link that was still text


def test_the_columns_of_a_long_table_stand_still_between_its_fits() -> None:
    stream = MarkdownStream("| a | b |\n|---|---|\n" + "| one | two |\n" * 30)
    widths = set()
    for number in range(40):
        stream.feed(f"| {'w' * number} | x |\n")
        assert stream.tail is not None
        lines = stream.tail.render(WIDTH, STATE).lines
        widths.add(lines[1].width)
    assert len(widths) <= 4


HOSTILE = {
    "stars": "*" * 4_000,
    "emphasis that never ends": "**a *b " * 600,
    "underscores": "_a" * 2_000,
    "brackets": "[" * 4_000,
    "links in links": "[a](" * 1_000,
    "images": "![" * 2_000,
    "ticks": "x" + "`" * 4_000,
    "ticks of all lengths": "x" + "".join("`" * (n % 50) + " " for n in range(300)),
    "quotes": "> " * 2_000 + "x",
    "bullets": "- " * 2_000 + "x",
    "tabs": "\t" * 4_000 + "x",
    "blanks": " " * 4_000 + "x",
    "dollars": "$a " * 1_300,
    "backslashes": "\\(" * 2_000,
    "angles": "<" * 4_000,
    "tags": "<div " * 800,
    "addresses": "https://a.b/" + "(" * 3_900,
    "references": "&#x202e;" * 1_000,
    "marks on one letter": "e" + "\u0301" * 4_000,
    "pipes": "|a" * 1_000 + "\n" + "|-" * 1_000 + "\n" + "|x" * 1_000,
    "comments that never end": "```c\n" + '/* "\n' * 800,
    "templates in templates": "```js\n" + "`${" * 600,
    "lines of one letter": "a\n" * 2_000,
    "nested quotes": ("> " * 20 + "x\n") * 95,
    "nested lists": "".join("  " * depth + "- a\n" for depth in range(88)),
}


@pytest.fixture(scope="module")
def ordinary() -> float:
    """The processor seconds that as much ordinary text takes."""
    return min(
        seconds("Some *words*, `code` and [links](https://example.org), as in any answer. " * 55) for _ in range(3)
    )


def seconds(source: str) -> float:
    before = time.process_time()
    stream = MarkdownStream()
    for at in range(0, len(source), 1_000):
        stream.feed(source[at : at + 1_000])
        if stream.tail is not None:
            stream.tail.render(WIDTH, STATE)
    stream.finish()
    for part in stream.parts:
        part.render(WIDTH, STATE)
    return time.process_time() - before


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_out_of_all_proportion_long(name: str, ordinary: float) -> None:
    assert any(seconds(HOSTILE[name]) < 20 * ordinary for _ in range(3))
