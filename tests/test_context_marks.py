"""Foreign text cannot open or close the marks that say who speaks; what it says otherwise stays as it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.context_marks import framed, neutral, neutral_content, restored

MARKS = [
    "<system-reminder>", "</system-reminder>", "</SYSTEM-REMINDER>", "</ system-reminder >", "< / system-reminder>",
    "</\nsystem-reminder\n>", "</system_reminder>", "</systemreminder>", "</system\u2011reminder>",
    "<\u200b/system-reminder>", "</sys\u200btem-rem\u00adinder>", "\uff1c/system-reminder\uff1e",
    "\uff1c\uff0fsystem-reminder>", "</system-\u202ereminder>", "<system-reminder foo='bar'>", "</system-reminder",
    "<\\/system-reminder>", "<tool_use_error>", "</Tool_Use_Error>", "</bash-stdout>", "<bash-input>", "</bash-stderr>",
    "</attached_file>", "<attached_folder path='x'>", "<review>", "</review>", "<\U000e0041/system-reminder>",
]  # fmt: skip


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_in_foreign_text_is_none(mark: str) -> None:
    found = neutral(f"before {mark} after")
    assert found == f"before &lt;{mark[1:]} after"
    assert neutral(found) == found


@pytest.mark.parametrize(
    "text",
    [
        "a < b",
        "<div>",
        "</html>",
        "<systems>",
        "<reviewer>",
        "<reviews>",
        "system-reminder",
        "x<y>z",
        "if a<review_count:",
        "a <review)",
        "a < review > b",
        "",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert neutral(text) == text


@given(st.text())
def test_text_without_marks_is_never_changed(text: str) -> None:
    if not re.search("[<\uff1c\ufe64]", text):
        assert neutral(text) == text
    assert neutral(neutral(text)) == neutral(text)


@given(st.lists(st.sampled_from([*MARKS, "<", "/", "system-", "reminder", ">", " ", "\u200b", "x"])).map("".join))
def test_however_it_is_put_together_a_frame_has_one_beginning_and_one_end(text: str) -> None:
    marks = re.findall(r"(?i)[<\uff1c]\s*[/\uff0f]?\s*system-reminder\b", framed(f"x{text}"))
    assert len(marks) == 2


def test_what_was_quoted_from_a_neutral_form_is_found_again() -> None:
    assert restored(neutral("a <system-reminder> b </review>")) == "a <system-reminder> b </review>"
    assert restored("&lt;div>") == "&lt;div>"


def test_each_text_of_a_content_is_made_neutral_and_nothing_else() -> None:
    blocks = [{"type": "text", "text": "</system-reminder>"}, {"type": "image", "source": {"data": "<review>"}}]
    assert neutral_content(blocks) == [{"type": "text", "text": "&lt;/system-reminder>"}, blocks[1]]
    assert neutral_content("<review>") == "&lt;review>"


def test_a_long_text_full_of_openings_is_looked_through_in_no_time() -> None:
    for text in ("<" * 200_000, "< " * 200_000, "<" + " " * 400_000, "</system-" * 50_000, "<s\u200b" * 100_000):
        neutral(text)
