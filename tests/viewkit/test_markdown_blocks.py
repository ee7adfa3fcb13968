"""Markdown blocks as lines."""

from __future__ import annotations

import textwrap

import pytest
from viewing import STATE, check, lines_of

from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.palette import DARK, LIGHT, MONOCHROME
from tui_agent.viewkit.view import Hit, RenderState


def shown(source: str, width: int = 60) -> list[str]:
    view = MarkdownView(textwrap.dedent(source).strip("\n"))
    check(view.render(width, STATE), width)
    return lines_of(view, width)


def styles(source: str) -> dict[str, object]:
    rendered = MarkdownView(source).render(80, STATE)
    return {segment.text: segment.style for line in rendered.lines for segment in line.segments}


def hits(source: str, width: int = 80) -> list[Hit]:
    return list(MarkdownView(source).render(width, STATE).hits)


def test_paragraphs_wrap_and_stay_apart() -> None:
    assert shown("one two three four\nfive\n\nsix", 16) == ["one two three", "four five", "", "six"]


def test_headings_are_set_off_by_style_and_space() -> None:
    assert shown("# One\ntext\n## Two\nmore") == ["One", "text", "", "Two", "more"]
    found = styles("# One\n\n#### Four")
    assert found["One"].underline  # type: ignore[attr-defined]
    levels = ["#" * level + f" level {level}" for level in range(1, 7)]
    for palette in (DARK, LIGHT, MONOCHROME):
        rendered = MarkdownView("\n".join(levels)).render(80, RenderState(palette))
        looks = [line.segments[0].style for line in rendered.lines if line.text]
        assert len({(look.bold, look.italic, look.underline) for look in looks if look}) >= 5


def test_a_heading_underlined_in_the_source_is_one() -> None:
    assert styles("Title\n=====")["Title"].underline  # type: ignore[attr-defined]
    assert shown("Title\n-----\n\ntext") == ["Title", "", "text"]


def test_type_parameters_and_tags_stay_as_text() -> None:
    assert shown("a Vec<T> and <div>x</div>\n\n<think>\nhm\n</think>") == [
        "a Vec<T> and <div>x</div>",
        "",
        "<think>",
        "hm",
        "</think>",
    ]


def test_emphasis_code_and_strikethrough_are_styles() -> None:
    found = styles("**b** *i* `c` ~~s~~")
    assert found["b"].bold  # type: ignore[attr-defined]
    assert found["i"].italic  # type: ignore[attr-defined]
    assert found["c"] == DARK.text + DARK.code
    assert found["s"].strike  # type: ignore[attr-defined]


def test_hard_breaks_break() -> None:
    assert shown("one  \ntwo\\\nthree") == ["one", "two", "three"]


def test_lists_nest_and_wrap_under_their_text() -> None:
    source = """
    - one two three four
      - nested
        1. deep
    - last
    """
    assert shown(source, 16) == ["• one two three", "  four", "  ◦ nested", "     1. deep", "• last"]


def test_numbers_count_on_from_the_first() -> None:
    assert shown("3. a\n3. b\n3. c") == [" 3. a", " 4. b", " 5. c"]
    assert shown("1. a\n\ntext\n\n1. b") == [" 1. a", "", "text", "", " 1. b"]
    assert shown("1. a\n2) b") == [" 1. a", " 2) b"]


def test_numbers_stand_below_each_other() -> None:
    assert shown("9. nine\n10. ten words that wrap\n11. eleven", 16) == [
        " 9. nine",
        "10. ten words",
        "    that wrap",
        "11. eleven",
    ]
    assert shown("98. a\n99. b\n100. c") == [" 98. a", " 99. b", "100. c"]


def test_loose_lists_keep_their_blank_lines() -> None:
    assert shown("- a\n\n- b\n\n  c") == ["• a", "", "• b", "", "  c"]


def test_task_lists_have_boxes() -> None:
    assert shown("- [ ] open\n- [x] done\n- [y] no") == ["☐ open", "☑ done", "• [y] no"]
    assert shown("1. [x] done\n2. open") == [" 1. ☑ done", " 2. open"]


def test_an_empty_item_is_an_item() -> None:
    assert shown("- \n- a") == ["•", "• a"]


def test_code_in_a_list_belongs_to_its_item() -> None:
    source = """
    1. Run:
       ```sh
       ls

       pwd
       ```
    2. Look
    """
    assert shown(source) == [" 1. Run:", "      ls", "", "      pwd", " 2. Look"]
    assert MarkdownView(textwrap.dedent(source)).render(60, STATE).text == " 1. Run:\nls\n\npwd\n 2. Look"


def test_quotes_have_a_bar_on_every_line() -> None:
    assert shown("> one two three four\n>\n> > deep", 16) == ["▎ one two three", "▎ four", "▎", "▎ ▎ deep"]


def test_a_fence_is_coloured_by_its_language_and_copied_clean() -> None:
    source = "```python title\ndef f():\n    pass\n```"
    assert shown(source) == ["  def f():", "      pass"]
    assert styles(source)["def"] == DARK.code_block + DARK.token("k")
    assert MarkdownView(source).render(60, STATE).text == "def f():\n    pass"


def test_a_fence_holds_shorter_fences_and_may_stay_open() -> None:
    assert shown("````\n```\nx\n```\n````\nafter") == ["  ```", "  x", "  ```", "", "after"]
    assert shown("~~~\nx\n\ny") == ["  x", "", "  y"]


def test_indented_code_is_code() -> None:
    assert shown("text\n\n    code\n\n    more\n\ntext") == ["text", "", "  code", "", "  more", "", "text"]


def test_rules_are_lines() -> None:
    assert shown("a\n\n---\n\nb", 10) == ["a", "", "─" * 10, "", "b"]


def test_a_table_shares_the_width_and_wraps_its_cells() -> None:
    source = """
    | a | text | n |
    |---|:----:|--:|
    | x | one two three four | 12 |
    """
    assert shown(source, 40) == [
        "a │        text        │  n",
        "──┼────────────────────┼───",
        "x │ one two three four │ 12",
    ]
    assert shown(source, 20) == [
        "a │    text     │  n",
        "──┼─────────────┼───",
        "x │   one two   │ 12",
        "  │ three four  │",
    ]


def test_a_table_with_no_room_becomes_fields() -> None:
    source = "|name|size|kind|owner|\n|-|-|-|-|\n|readme|12 KB|text|me|\n|b|1|bin|you|"
    assert shown(source, 16) == [
        "name: readme",
        "size: 12 KB",
        "kind: text",
        "owner: me",
        "",
        "name: b",
        "size: 1",
        "kind: bin",
        "owner: you",
    ]


def test_a_link_shows_where_it_leads() -> None:
    assert shown("see [docs](https://example.org/a) now") == ["see docs (https://example.org/a) now"]
    assert shown("<https://example.org>") == ["https://example.org"]
    assert shown("[https://good.example](https://evil.example)") == ["https://good.example (https://evil.example)"]


def test_links_can_be_clicked_and_lead_where_they_say() -> None:
    assert [(hit.action, hit.argument) for hit in hits("[docs](https://example.org/a)")] == [
        ("link", "https://example.org/a")
    ] * 2
    assert [hit.argument for hit in hits("see https://example.org/x, ok.")] == ["https://example.org/x"]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "cart/refund.py"])
def test_nothing_but_web_and_mail_addresses_can_be_clicked(address: str) -> None:
    source = f"[x]({address})"
    assert hits(source) == []
    assert address in "".join(shown(source))


def test_link_definitions_do_not_vanish() -> None:
    source = "see [docs][1]\n\n[1]: https://example.org/x"
    assert shown(source) == ["see [docs][1]", "", "[1]: https://example.org/x"]
    assert [hit.argument for hit in hits(source)] == ["https://example.org/x"]


def test_pictures_are_named_and_not_loaded() -> None:
    assert shown("![a cat](https://example.org/c.png)") == ["[image: a cat] (https://example.org/c.png)"]


def test_character_references_bring_no_controls() -> None:
    assert shown("a&#x202e;b&#27;c&lt;d") == ["ab\ufffdc<d"]


def test_a_terminal_without_symbols_gets_plain_signs() -> None:
    state = RenderState(DARK, is_ascii=True)
    lines = lines_of(MarkdownView("- a\n- [x] b\n\n> q"), 40, state)
    assert lines == ["- a", "- [x] b", "", "| q"]
    rows = lines_of(MarkdownView("|a|b|\n|-|-|\n|1|2|\n\n---"), 40, state)
    assert rows == ["a | b", "--|--", "1 | 2", "", "-" * 40]


def test_deep_nesting_leaves_room_for_text() -> None:
    rendered = shown("> " * 30 + "words that matter", 30)
    assert "words" in "".join(rendered)


@pytest.mark.parametrize("marker", ["> ", "- ", "1. "])
def test_what_is_nested_too_deep_to_parse_is_shown_as_it_stands(marker: str) -> None:
    assert "words" in "".join(shown(marker * 60 + "words", 80))


def test_copied_prose_has_no_wrapping() -> None:
    source = "one two three four five\n\n- six seven eight nine ten"
    assert MarkdownView(source).render(10, STATE).text == "one two three four five\n\n- six seven eight nine ten"


def test_rows_of_a_table_are_ruled_apart_only_where_cells_wrap() -> None:
    short = ["| a | b |", "|---|---|", "| one | two |", "| three | four |"]
    assert not any("┄" in line for line in shown("\n".join(short), 40))
    tall = [*short[:2], "| one | " + "two " * 12 + "|", "| three | four |", "| five | six |"]
    lines = shown("\n".join(tall), 40)
    assert [line.startswith("┄") for line in lines].count(True) == 2
    assert "┄" not in MarkdownView("\n".join(tall)).render(40, STATE).text
    assert "\n\n" not in MarkdownView("\n".join(tall)).render(40, STATE).text


@pytest.mark.parametrize("width", [24, 40, 60])
def test_code_breaks_inside_no_word_that_fits_on_a_line(width: int) -> None:
    code = "    result = first_function(argument_one, argument_two) + second_function(argument_three, 4)  # a comment"
    lines = shown(f"```python\n{code}\n```", width)
    pieces = {piece for line in lines for piece in line.replace("↳", " ").split()}
    assert {word for word in code.split() if len(word) < width - 4} <= pieces
