"""Code as lines: numbers beside it, colours in it, nothing lost."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
from viewing import STATE, check, lines_of

from tui_agent.viewkit.code import CodeView, code_runs, language_of, shown_code, tokenize
from tui_agent.viewkit.palette import DARK

PYTHON = 'def f(x):\n    """Say\n    it."""\n    return "s"  # why\n'


def test_lines_are_numbered_from_where_the_code_starts() -> None:
    assert lines_of(CodeView("a\nb", start=9)) == [" 9  a", "10  b"]


def test_copying_leaves_the_numbers_out_and_joins_cut_lines() -> None:
    rendered = CodeView("x = 1\nlong = '" + "y" * 40 + "'").render(20, STATE)
    assert rendered.text == "x = 1\nlong = '" + "y" * 40 + "'"
    check(rendered, 20)


def test_a_known_language_is_coloured() -> None:
    rendered = CodeView(PYTHON, filename="a.py").render(60, STATE)
    styles = {segment.text: segment.style for line in rendered.lines for segment in line.segments}
    assert styles["def"] == DARK.token("k")
    assert styles["# why"] == DARK.token("c1")


def test_tokens_carry_over_lines() -> None:
    lines = tokenize(PYTHON, "python")
    assert {name for name, _ in lines[2]} >= {"sd"}
    assert ["".join(text for _, text in line) for line in lines] == PYTHON.split("\n")


def test_an_unknown_language_and_code_too_large_are_plain() -> None:
    assert tokenize("a b", "no-such-language") == [[("", "a b")]]
    large = "x = 1\n" * 30_000
    assert all(name == "" for line in tokenize(large, "python") for name, _ in line)
    wide = "x" * 5_000 + "\nif x: pass"
    assert tokenize(wide, "python")[1] == [("", "if x: pass")]


def test_languages_are_told_by_name_and_ending() -> None:
    assert language_of("/src/a.py") == "python"
    assert language_of("Makefile") in {"make", "makefile", "basemake"}
    assert language_of("x.rs") == "rust"
    assert language_of("notes.unknown") == ""
    assert language_of("") == ""


def test_revealed_code_tells_tabs_from_blanks_and_marks_what_passes_for_a_plain_character() -> None:
    rendered = CodeView("сat\tx", language="bash", has_numbers=False, is_revealed=True).render(40, STATE)
    [line] = rendered.lines
    assert line.text.startswith("сat⇥")
    assert [segment.text for segment in line.segments if segment.style == STATE.palette.odd] == ["с"]
    assert "⇥" not in CodeView("a\tb", language="bash", has_numbers=False).render(40, STATE).lines[0].text


def test_revealed_code_spells_out_what_would_not_show() -> None:
    view = CodeView("ls\u202e -la\r\nrm\u00a0x", language="bash", has_numbers=False, is_revealed=True)
    assert lines_of(view) == ["ls⟨RLO⟩ -la⟨CR⟩", "rm⟨NBSP⟩x"]


def test_a_limit_counts_the_rest() -> None:
    assert lines_of(CodeView("a\nb\nc", limit=1)) == ["1  a", "   … 2 more lines"]


def test_marks_cut_tokens_where_they_begin_and_end() -> None:
    mark = DARK.added_word
    runs = code_runs((("k", "return"), ("", " value")), DARK, marks=((3, 8),), mark=mark)
    assert [(run.text, run.style == mark) for run in runs] == [
        ("ret", False),
        ("urn", True),
        (" v", True),
        ("alue", False),
    ]


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["python", "bash", "json", "html", "c", "rust", "markdown", "yaml"]))
def test_tokens_cover_any_text_exactly_and_never_fail(text: str, language: str) -> None:
    lines = tokenize(text, language)
    assert ["".join(part for _, part in line) for line in lines] == text.split("\n")
    shown = "".join(run.text for run in code_runs(lines[0], DARK))
    assert shown == shown_code(text.split("\n")[0])


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.integers(12, 40), st.booleans())
def test_any_code_fits_its_room(text: str, width: int, is_revealed: bool) -> None:
    check(CodeView(text, language="python", is_revealed=is_revealed).render(width, STATE), width)


def test_importing_the_kit_imports_neither_parser_nor_lexers() -> None:
    modules = "tool_view, diff, code, ansi, plain, markdown, palette, view"
    code = (
        f"import sys\nfrom tui_agent.viewkit import {modules}\n"
        "late = ('markdown_it', 'pygments.lexers', 'pygments.lexer', 'pydantic', 'rapidfuzz', 'anthropic')\n"
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
