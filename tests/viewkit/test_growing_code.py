"""Colours of code that is still being written: those of the whole, a line at a time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.viewkit.code import tokenize
from tui_agent.viewkit.growing_code import GrowingCode

SAMPLES = {
    "python": 'def f(x):\n    """Say\n\n    it."""\n    return f"{x}"  # why\n\n@wraps\nclass A: pass',
    "js": "/**\n * Words.\n */\nfunction f(a) {\n  return `x ${a}\n  more`; // done\n}",
    "tsx": "const a = <p>{b}</p>;\nlet c: string = 'x';",
    "go": '/* a\n b */\nfunc f() string { return "x" }',
    "rust": "/* a\n b */ fn f<'a>(x: &'a str) -> u8 { 1 }",
    "java": "/** a\n * b\n */\n@Override public int f() { return 1; }",
    "json": '{\n "a": [1, true],\n "b": null\n}',
    "yaml": "a: 1\nb:\n  - c # x",
    "bash": 'for x in *; do\n  echo "$x"  # y\ndone',
    "sql": "select 1; -- x\n/* a\nb */ select 2",
    "php": "function f($a) { return 1; }\n/* a\n*/\necho $a;",
    "rb": "def f(x)\n  x + 1 # y\nend",
    "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y",
    "html": '<!-- a\n b -->\n<p class="x">t</p>',
    "toml": "[a]\nb = 1",
    "no-such-language": "a b\nc",
}


def looks(line: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each character with its kind; kinds of comments, and of blanks, look the same."""
    return [
        (character, "c" if name.startswith("c") else name)
        for name, text in line
        for character in text
        if character != " "
    ]


@pytest.mark.parametrize("language", SAMPLES)
def test_lines_have_the_colours_that_the_whole_has(language: str) -> None:
    growing = GrowingCode(language)
    lines = SAMPLES[language].split("\n")
    shown = []
    for line in lines:
        for at in range(0, len(line), 3):
            growing.line(line[:at], is_partial=True)
        shown.append(growing.line(line))
    whole = tokenize(SAMPLES[language], language)
    assert [looks(line) for line in shown] == [looks(list(line)) for line in whole]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(alphabet="ab0'\"`/*-#<>{}()$\\ \t=:;é", max_size=24), max_size=8),
    st.sampled_from(
        [*SAMPLES, "c++", "c", "swift", "css", "lua", "elixir", "make", "xml", "haskell", "perl", "markdown", "vue"]
    ),
)
def test_any_lines_are_shown_as_they_are(lines: list[str], language: str) -> None:
    growing = GrowingCode(language)
    for line in lines:
        assert "".join(text for _, text in growing.line(line)) == line
