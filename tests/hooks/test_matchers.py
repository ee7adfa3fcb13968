"""Matchers: lists of exact names, and expressions as JavaScript reads them, in bounded time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.hooks.matchers import BadMatcherError, parse_matcher


@pytest.mark.parametrize("text", ["", "*", "  "])
def test_nothing_and_a_star_match_everything(text: str) -> None:
    assert parse_matcher(text).matches("Bash")


@pytest.mark.parametrize(
    ("text", "name", "does"),
    [
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("bash", "Bash", False),
        ("Edit|Write", "Write", True),
        ("Edit, Write", "Write", True),
        ("Edit|Write", "MultiEdit", False),
        ("mcp__memory", "mcp__memory__read", False),
        ("mcp__memory__.*", "mcp__memory__read", True),
        ("Edit.*", "MultiEdit", True),  # unanchored
        ("^Edit", "MultiEdit", False),
        ("^(Edit|Write)$", "Write", True),
        ("Notebook.+", "NotebookEdit", True),
        ("[^]x", "ax", True),
        ("a[]", "a", False),
        ("(?<kind>Ba)sh", "Bash", True),
        (r"\d{2,3}x", "a12x", True),
        (r"\d{2,3}x", "a1x", False),
        (r"^(?!Bash).*$", "Bash", False),
        (r"^(?!Bash).*$", "Edit", True),
        (r"(?<=mcp)__x", "mcp__x", True),
        (r"(?<!mcp)__x", "mcp__x", False),
        (r"\bEdit\b", "Multi Edit", True),
        (r"Bash$", "Bash\n", False),  # the end is the end
        (r"^.$", "\n", False),
        (r"^(\w)\1", "aab", True),
        (r"[.$]x", "$x", True),
        (r"[.$]x", "ax", False),
    ],
)
def test_what_matches(text: str, name: str, does: bool) -> None:
    assert parse_matcher(text).matches(name) is does


def test_a_thing_of_several_names_is_matched_by_any() -> None:
    assert parse_matcher("Task").matches("Agent", "Task")
    assert not parse_matcher("Bash").matches("Agent", "Task")


def test_names_alone_where_expressions_mean_nothing() -> None:
    assert not parse_matcher("rate.*", is_exact=True).matches("rate_limit")


@pytest.mark.parametrize(
    "text",
    [
        "(",
        "a{2000}",
        "(((a{0,99}){99}){99}){99}b",
        "(?i)bash",
        "(?R)a",
        "(?|a)",
        "(*FAIL)a",
        "a++",
        "[z-a]",
        "x" * 2000 + ".",
        "(" * 400 + ")" * 400,
    ],
)
def test_what_cannot_be_used_says_so(text: str) -> None:
    with pytest.raises(BadMatcherError):
        parse_matcher(text)


@pytest.mark.parametrize(
    "text",
    [
        "(a+)+$",
        "(a|a)*b",
        "(.*)*x",
        "((a*)*)*b",
        ".*.*.*.*.*.*.*.*x",
        "(a{0,30}){30}b",
        "(?=(a+)+b)a",
    ],
)
def test_no_expression_takes_long(text: str) -> None:
    began = time.process_time()
    parse_matcher(text).matches("a" * 64 + "!")
    assert time.process_time() - began < 1.0


PIECES = st.recursive(
    st.sampled_from(["a", "b", "_", ".", "[ab]", "[^a]", r"\w", r"\d", "x"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+?", "?", "{1,2}"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        inner.map(lambda one: f"(?={one})"),
        inner.map(lambda one: f"^{one}"),
    ),
    max_leaves=6,
)


@given(PIECES, st.text("abx_1", max_size=8))
def test_it_agrees_with_the_expressions_of_python(text: str, name: str) -> None:
    text += "()"  # never a list of names
    assert parse_matcher(text).matches(name) is (re.search(text, name) is not None)
