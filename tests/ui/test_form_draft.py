"""What is filled in of a form, whatever is done to it in whatever order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.tools.forms import Form, FormField, Option, form_problem
from tui_agent.ui.form_draft import FormDraft

ONE = FormField(key="one", question="?", options=(Option(label="a"), Option(label="b")), allows_other=True)
MANY = FormField(
    key="many", question="?", options=(Option(label="a"), Option(label="b")), allows_other=True, is_multiple=True
)
TEXT = FormField(key="text", question="?", is_required=False)
FIELDS = {field.key: field for field in (ONE, MANY, TEXT)}
STEPS = st.lists(
    st.tuples(st.sampled_from(["one", "many"]), st.sampled_from(["a", "b"]))
    | st.tuples(
        st.sampled_from(["one", "many", "text"]), st.sampled_from(["", " ", "own", "a"]).map(lambda t: f"write:{t}")
    ),
    max_size=12,
)


@given(STEPS)
def test_the_answers_are_what_was_done_last(steps: list[tuple[str, str]]) -> None:
    draft = FormDraft(Form(title="t", fields=tuple(FIELDS.values())))
    one: str | None = None
    text = {"one": "", "many": "", "text": ""}
    many: set[str] = set()
    for key, what in steps:
        field = FIELDS[key]
        if what.startswith("write:"):
            text[key] = what.removeprefix("write:")
            draft.write(field, text[key])
            if key == "one" and text[key].strip():
                one = None
        else:
            draft.choose(field, what)
            if key == "one":
                one = what
            else:
                many ^= {what}
    expected_one = one or text["one"].strip() or None
    expected_many = list(dict.fromkeys([*sorted(many), *([text["many"]] if text["many"].strip() else [])]))
    assert draft.answer(ONE) == expected_one
    assert draft.answer(MANY) == (expected_many or None)
    assert draft.answer(TEXT) == (text["text"].strip() or None)
    assert draft.is_touched == bool(one or many or any(value.strip() for value in text.values()))
    is_whole = expected_one is not None and bool(expected_many)
    assert is_whole == (form_problem(draft.form, draft.answers()) == "")
    assert is_whole == (not any(draft.problem(field) for field in FIELDS.values()))
