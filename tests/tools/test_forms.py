"""Forms as data: there and back, and what counts as an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.tools.forms import WORDS, Answers, Form, FormField, Option, field_problem, form_problem, words_of

TEXT = st.text(max_size=20)
OPTIONS = st.builds(Option, label=TEXT, description=TEXT, preview=TEXT)
FIELDS = st.builds(
    FormField,
    key=TEXT,
    question=TEXT,
    header=TEXT,
    options=st.lists(OPTIONS, max_size=4).map(tuple),
    is_multiple=st.booleans(),
    allows_other=st.booleans(),
    is_required=st.booleans(),
    max_length=st.integers(0, 50),
    check=st.sampled_from(["", "email", "postcode"]),
)
FORMS = st.builds(
    Form,
    title=TEXT,
    fields=st.lists(FIELDS, max_size=4).map(tuple),
    about=TEXT,
    takes_words=st.booleans(),
    is_private=st.booleans(),
)


@given(FORMS)
def test_a_form_comes_back_from_json_as_it_was(form: Form) -> None:
    assert Form.from_json(json.loads(json.dumps(form.to_json()))) == form


@given(FIELDS, st.none() | TEXT | st.lists(TEXT, max_size=3))
def test_an_answer_without_a_problem_is_one_that_the_field_allows(
    field: FormField, answer: str | list[str] | None
) -> None:
    problem = field_problem(field, answer)
    given_texts = [text for text in ([answer] if isinstance(answer, str) else answer or []) if text.strip()]
    labels = {option.label for option in field.options}
    if not given_texts:
        assert bool(problem) == field.is_required
        return
    reasons = [
        len(given_texts) > 1 and not field.is_multiple,
        any(len(text) > field.max_length for text in given_texts),
        bool(labels) and not field.allows_other and not set(given_texts) <= labels,
    ]
    assert not any(reasons) or problem
    assert not problem or any(reasons) or field.check


@pytest.mark.parametrize("mail", ["a@b.c", " ada@example.org ", "a.b+c@sub.domain.example", "ä@ö.de"])
def test_an_address_for_mail_is_taken(mail: str) -> None:
    assert field_problem(FormField(key="m", question="Mail", check="email"), mail) == ""


@pytest.mark.parametrize("mail", ["a", "a@b", "@b.c", "a b@c.d", "a@b..c", "a@b@c.d", "a@.c"])
def test_what_is_no_address_is_refused(mail: str) -> None:
    assert field_problem(FormField(key="m", question="Mail", check="email"), mail) == "That is not an e-mail address."


@pytest.mark.parametrize(
    ("code", "is_good"), [("12345", True), ("SW1A 1AA", True), ("K1-2", True), ("1", False), ("a,b", False)]
)
def test_a_postcode_is_checked(code: str, is_good: bool) -> None:
    assert (field_problem(FormField(key="p", question="Postcode", check="postcode"), code) == "") == is_good


FORM = Form(
    title="t",
    fields=(
        FormField(key="a", question="a", options=(Option(label="x"), Option(label="y"))),
        FormField(key="b", question="b", is_required=False),
    ),
    takes_words=True,
)


@pytest.mark.parametrize(
    "answers", [{"a": "x"}, {"a": "y", "b": ""}, {"a": ["x"], "b": "anything"}, {WORDS: "ask me later"}]
)
def test_whole_answers_are_taken(answers: Answers) -> None:
    assert form_problem(FORM, answers) == ""


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"b": "x"},
        {"a": "z"},
        {"a": ["x", "y"]},
        {"a": "x", "c": "x"},
        {WORDS: " "},
        {WORDS: "w", "a": "x"},
        {WORDS: ["w"]},
    ],
)
def test_other_answers_are_not(answers: Answers) -> None:
    assert form_problem(FORM, answers)


def test_words_are_for_forms_that_take_them() -> None:
    assert form_problem(Form(title="t", fields=()), {WORDS: "later"})
    assert words_of({WORDS: "later"}) == "later"
    assert words_of({"a": "x"}) == ""
