from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.mentions import MentionReading, mentions_in, open_mention, written

NAMES = st.text(
    st.characters(exclude_characters="\n\r\0", exclude_categories=("Cs",)) | st.sampled_from(' "\\#L1-.,()@/'),
    min_size=1,
).filter(lambda name: not any(letter in name for letter in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))


@given(NAMES, st.text("ab ,.(", max_size=5), st.text(" \n", min_size=1, max_size=2), st.text(string.printable))
def test_a_path_that_was_written_is_read_again(name: str, before: str, blank: str, after: str) -> None:
    before = f"{before} " if before else ""
    mention = mentions_in(f"{before}{written(name)}{blank}")[0]
    assert mention.start == len(before)
    assert mention.readings == (MentionReading(name),)
    found = mentions_in(f"{before}{written(name)}{blank}{after}")
    assert found[0].readings[0] == MentionReading(name)


@given(NAMES.filter(lambda name: '"' not in name))
def test_a_path_can_be_typed_on_where_it_was_left_open(name: str) -> None:
    found = open_mention(f"see {written(name, is_open=True)}")
    assert found is not None
    assert (found.start, found.typed) == (4, name)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("@a.py", ["a.py"]),
        ("see @src/a.py, and @b", ["src/a.py", "b"]),
        ("(@a.py) [@b.md]: '@c'", ["a.py", "b.md", "c"]),
        ("请看@src/a.py，谢谢", ["src/a.py"]),
        ("me@example.org x@y", []),
        ("@@a `git@host:a` a/@b", []),
        ('@"my file.py" @"a \\" b"', ["my file.py", 'a " b']),
        ("@~/x @../y @/etc/hosts @./z", ["~/x", "../y", "/etc/hosts", "./z"]),
        ("@ alone, and @\nnext", []),
    ],
)
def test_mentions_are_told_from_text(text: str, paths: list[str]) -> None:
    assert [mention.readings[-1].path for mention in mentions_in(text)] == paths


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("@a.py#L10-20", [("a.py#L10-20", None), ("a.py", (10, 20))]),
        ("@a.py#L7.", [("a.py#L7.", None), ("a.py#L7", None), ("a.py", (7, 7))]),
        ('@"a b.py"#L3-L4', [("a b.py", (3, 4))]),
        ("@a.py#L9-2", [("a.py#L9-2", None), ("a.py", (9, 9))]),
        ("@what?!", [("what?!", None), ("what?", None), ("what", None)]),
    ],
)
def test_what_may_be_meant_is_offered_the_longest_first(
    text: str, readings: list[tuple[str, tuple[int, int] | None]]
) -> None:
    (mention,) = mentions_in(text)
    assert [(reading.path, reading.lines) for reading in mention.readings] == readings


@given(st.text())
def test_any_text_is_looked_through(text: str) -> None:
    for mention in mentions_in(text):
        assert text[mention.start] == "@"
        assert mention.readings
    open_mention(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("@src/nope.py", "src/nope.py"), ("@nope.PY, please", "nope.PY"), ("(@docs/x.md#L3-4).", "docs/x.md"),
        ("@docs/", "docs/"), ("@a/b/c", "a/b/c"), ("@./x @y", "./x"), ("@../x", "../x"), ("@~/notes", "~/notes"),
        ("@/etc/hosts", "/etc/hosts"), ("@.env!", ".env"), ('@"my notes.txt"', "my notes.txt"),
        ("@conf/app.unheard", "conf/app.unheard"), ("@名前/資料.md", "名前/資料.md"),
        ("@property", ""), ("@app.route('/x')", ""), ("@app.get(", ""), ("@pytest.mark.parametrize", ""),
        ("@functools.cache", ""), ("@mock.patch", ""),
        ("@user.setter", ""), ("@Override", ""), ("@someone said", ""), ("@types/node", ""),
        ("@angular/core@17.1", ""), ("@and/or", ""), ('@"hello"', ""), ("@v1.2.3", ""), ("@...", ""), ("@/", ""),
        ("@what?!", ""), ("@x/$HOME/y", ""), ("@\0/a/b.py", ""),
    ],
)  # fmt: skip
def test_only_what_looks_like_a_path_is_taken_for_one_that_must_be_there(text: str, path: str) -> None:
    assert mentions_in(text)[0].plain_path == path


@given(st.text())
def test_what_is_taken_for_a_path_is_one_of_its_readings(text: str) -> None:
    for mention in mentions_in(text):
        assert mention.plain_path in ("", mention.readings[-1].path)
