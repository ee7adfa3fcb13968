"""Arguments read while they stream in."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.viewkit.partial_json import last_text, read_partial

VALUES = st.one_of(st.text(max_size=12), st.booleans(), st.none(), st.integers(), st.lists(st.integers(), max_size=3))


def test_the_text_being_written_counts_as_far_as_it_has_come() -> None:
    assert read_partial('{"file_path": "/src/a.py", "old_string": "def f') == {
        "file_path": "/src/a.py",
        "old_string": "def f",
    }


def test_an_escape_cut_in_half_is_left_out() -> None:
    assert read_partial('{"a": "x\\') == {"a": "x"}
    assert read_partial('{"a": "x\\u00') == {"a": "x"}
    assert read_partial('{"a": "x\\n\\u00e9') == {"a": "x\né"}


def test_a_number_counts_only_when_it_has_ended() -> None:
    assert read_partial('{"n": 12') == {}
    assert read_partial('{"n": 12,') == {"n": 12}


def test_nothing_readable_gives_nothing() -> None:
    for text in ("", "{", "[1]", '{"a', '{"a"', '{"a":', "nonsense", '{"a": {"b": 1'):
        assert read_partial(text) == {}


@settings(max_examples=150)
@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), st.data())
def test_a_whole_object_reads_as_json_does_and_a_part_of_it_never_says_otherwise(
    fields: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(fields, ensure_ascii=data.draw(st.booleans()))
    assert read_partial(text) == fields
    part = read_partial(text[: data.draw(st.integers(0, len(text)))])
    for key, value in part.items():
        whole = fields[key]
        if isinstance(value, str) and isinstance(whole, str):
            # half a surrogate pair may stand at the end of what has come so far
            assert whole.startswith((value, value[:-1]))
        else:
            assert value == whole


@settings(max_examples=100)
@given(st.text(alphabet=st.sampled_from('{}[]",:\\u0a1tfn \n'), max_size=40))
def test_no_text_makes_it_fail(text: str) -> None:
    read_partial(text)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(["a", '"', "\\", "\n", "\\n", "é", "\t"]), max_size=60), st.data())
def test_the_last_lines_of_a_text_that_arrives_are_read_from_its_end(pieces: list[str], data: st.DataObject) -> None:
    content = "".join(pieces)
    text = json.dumps({"file_path": "f", "content": content})
    part = text[: data.draw(st.integers(len('{"file_path": "f", "content": "'), len(text)))]
    shown = last_text(part, 20)
    whole = read_partial(part).get("content", "")
    assert whole.endswith(shown)
    assert not shown or whole == shown or whole[: -len(shown)].endswith("\n"), "it begins with a line"
