"""How WebFetch is drawn: what is asked for is seen, and nothing of what came can be more than text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from viewing import STATE, check

from tui_agent.tools.web_fetch.view import View
from tui_agent.viewkit.tool_use import ToolUse

VIEW = View()
HOSTILE = "\x1b]0;x\x07\x9b31m\u202eevil\u2066 [b]x[/b]"


def use(url: str = "https://x.org/a", *, phase: Any = "yielded", is_error: bool = False, **known: Any) -> ToolUse:
    input = {"url": url, **known.pop("input", {})}
    return ToolUse(id="u", name="WebFetch", input=input, is_input_whole=True, phase=phase, is_error=is_error, **known)


def data(text: str = "# Hi\n\nBody", **more: Any) -> dict[str, Any]:
    return {
        "code": 200,
        "codeText": "OK",
        "bytes": 1234,
        "result": text,
        "contentType": "text/html",
        "title": "Hi",
        **more,
    }


def title(tool: ToolUse) -> str:
    return VIEW.title(tool, 80, STATE).text


def body(tool: ToolUse, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in VIEW.body(tool, width, STATE).lines]


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({}, "WebFetch x.org/a · 200 · 1.2 KB"),
        ({"bytes": 7}, "WebFetch x.org/a · 200 · 7 bytes"),
        ({"bytes": 3_400_000}, "WebFetch x.org/a · 200 · 3.4 MB"),
        ({"isAnswer": True}, "WebFetch x.org/a · 200 · 1.2 KB · answered"),
        ({"savedTo": "/r/u.pdf"}, "WebFetch x.org/a · 200 · 1.2 KB · kept"),
        ({"code": 301, "redirectUrl": "https://b.org/c"}, "WebFetch x.org/a · leads to b.org"),
    ],
)
def test_the_title_says_what_came_of_it(more: dict[str, Any], shown: str) -> None:
    assert title(use(data=data(**more))) == shown


def test_a_failure_is_a_status_or_the_words() -> None:
    failed = use(
        is_error=True, error_kind="execution", data=data("HTTP error: 404 Not Found", code=404, codeText="Not Found")
    )
    assert title(failed) == "WebFetch x.org/a · 404 Not Found"
    words = use(is_error=True, error_kind="execution", content="<tool_use_error>No way.</tool_use_error>")
    assert title(words) == "WebFetch x.org/a · No way."


def test_a_page_is_drawn_as_what_it_is_and_cut() -> None:
    assert body(use(data=data("# Hi\n\n*Body*"))) == ["Hi", "", "Body"]
    assert body(use(data=data('{"a": "*b*"}', contentType="application/json", title=""))) == ['{"a": "*b*"}']
    assert body(use(data=data("Body", title="Title")))[0] == "Title"
    long = body(use(data=data("\n".join(f"{n}" for n in range(100)), contentType="text/plain", title="")))
    assert (long[39], long[40]) == ("39", "… 180 more characters")
    fenced = body(use(data=data("```\n" + "x\n" * 100, title="")))
    assert fenced[-1].startswith("… ")


def test_the_question_shows_the_whole_address_and_the_host_that_is_meant() -> None:
    tool = use("http://0x7f.1/\u202ex", phase="executing", input={"prompt": "How?", "max_length": 5})
    shown = "\n".join(line.text for line in VIEW.request(tool, 60, STATE).lines)
    assert "http://0x7f.1/⟨RLO⟩x" in shown
    assert "127.0.0.1" in shown
    assert "How?" in shown
    assert "at most" in shown
    plain = "\n".join(line.text for line in VIEW.request(use(phase="executing"), 60, STATE).lines)
    assert "host" not in plain


@given(st.text(max_size=80), st.sampled_from(["", HOSTILE]), st.booleans(), st.integers(10, 90))
def test_nothing_that_came_draws_outside(text: str, hostile: str, is_page: bool, width: int) -> None:
    kind = "text/html" if is_page else "text/plain"
    tool = use(
        f"https://x.org/{hostile}{text}",
        input={"prompt": hostile},
        data=data(hostile + text, contentType=kind, title=text),
    )
    check(VIEW.body(tool, width, STATE), width)
    check(VIEW.request(tool, width, STATE), width)
    assert VIEW.title(tool, width, STATE).width <= width
