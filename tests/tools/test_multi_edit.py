"""MultiEdit changes many files or none, each edit in what the ones before have left, lines counted as they were read."""

from __future__ import annotations

import asyncio
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tool_bench import Bench, plan_of

from tui_agent.changes import FileChange
from tui_agent.tools.base import ToolError
from tui_agent.tools.multi_edit.input import MultiEditInput
from tui_agent.tools.multi_edit.tool import MultiEditTool

FAR = "\n" * 9
TEN = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def swap(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old_string": old, "new_string": new, **more}


def lines(first: int, last: int, new: str) -> dict[str, Any]:
    return {"start_line": first, "end_line": last, "new_string": new}


def edits(**files: list[dict[str, Any]]) -> dict[str, Any]:
    return {"edits": [{"file_path": name, "edits": own} for name, own in files.items()]}


async def take(runtime: Bench, raw: dict[str, Any], *taken: set[int] | None) -> tuple[str, dict[str, Any]]:
    """Run it with some hunks of each file taken (None: all)."""
    tool, input = MultiEditTool(), MultiEditInput.model_validate(raw)
    plan = await plan_of(tool, input, runtime.context())
    proposals = await tool.propose(input, plan, runtime.context())
    approved = [change.approve(some) for change, some in zip(proposals, taken, strict=True)]
    (result,) = [item async for item in tool.call(input, plan, runtime.context(*approved))]
    return result.output.text, result.output.data  # type: ignore[union-attr]


# --- what is written


async def test_many_files_are_one_change(runtime: Bench) -> None:
    a, b = runtime.write("a", "one\ntwo\n"), runtime.write("b", "one\n")
    ran = await runtime.run(
        "MultiEdit", edits(a=[swap("one", "1"), swap("two", "2")], b=[swap("one", "uno")], c=[swap("", "new\n")])
    )
    assert (a.read_text(), b.read_text(), (runtime.folder / "c").read_text()) == ("1\n2\n", "uno\n", "new\n")
    assert ran.text.startswith("All 3 files have been written.\n\n")
    assert f"The file {a} has been updated by 2 edits.\n\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n" in ran.text
    assert f"Created the new file {runtime.folder}/c." in ran.text
    assert [change.path for change in ran.proposals] == [str(runtime.folder / name) for name in "abc"]
    assert [file["filePath"] for file in ran.data["files"]] == [change.path for change in ran.proposals]
    assert not (await runtime.run("Edit", swap("new", "newer") | {"file_path": "c"})).is_error, "it counts as read"


async def test_the_old_shape_for_one_file_is_understood(runtime: Bench) -> None:
    path = runtime.write("f", "a b a\n")
    raw = {"file_path": "f", "edits": [swap("a", "x", replace_all="true"), swap("b", "y")]}
    ran = await runtime.run("MultiEdit", raw)
    assert path.read_text() == "x y x\n"
    assert ran.text.startswith(f"The file {path} has been updated by 2 edits.")
    assert (ran.data["filePath"], ran.data["matches"]) == (str(path), [2, 1])
    assert raw["file_path"] == "f", "what the model sent is left alone"


async def test_an_edit_works_in_what_the_ones_before_have_left(runtime: Bench) -> None:
    path = runtime.write("f", "a\n")
    await runtime.run("MultiEdit", edits(f=[swap("a", "b c"), swap("c", "d"), swap("b d", "e")]))
    assert path.read_text() == "e\n"


async def test_line_numbers_are_those_of_the_file_as_it_was_read(runtime: Bench) -> None:
    path = runtime.write("f", TEN)
    await runtime.run(
        "MultiEdit",
        edits(f=[swap("line 2\n", "two\nand a half\n"), lines(9, 10, "end\n"), lines(4, 5, ""), swap("line 6", "six")]),
    )
    assert path.read_text() == "line 1\ntwo\nand a half\nline 3\nsix\nline 7\nline 8\nend\n"


async def test_new_lines_get_the_endings_of_the_file(runtime: Bench) -> None:
    path = runtime.write("f", "a\r\nb\r\nc")
    await runtime.run("MultiEdit", edits(f=[lines(2, 2, "x\ny"), lines(3, 3, "z")]))
    assert path.read_bytes() == b"a\r\nx\r\ny\r\nz"


async def test_the_last_line_alone_may_be_left_out(runtime: Bench) -> None:
    path = runtime.write("f", TEN)
    await runtime.run("MultiEdit", edits(f=[{"start_line": 3, "new_string": "three"}]))
    assert path.read_text().split("\n")[1:4] == ["line 2", "three", "line 4"]


# --- what is refused


REFUSED = [
    ("no_change", edits(a=[swap("x", "x")])),
    ("bad_path", {"edits": [{"file_path": "a/", "edits": [swap("x", "y")]}]}),
    ("is_notebook", {"edits": [{"file_path": "a.ipynb", "edits": [swap("x", "y")]}]}),
    ("not_read", edits(a=[swap("line 1\n", "x")], unread=[swap("x", "y")])),
    ("missing", edits(a=[swap("line 1\n", "x")], gone=[swap("x", "y")])),
    ("exists", edits(a=[swap("", "x")])),
    ("exists", edits(a=[swap("line 1\n", "x"), swap("", "y")])),
    ("not_found", edits(a=[swap("line 1\n", "x"), swap("line 1\n", "y")])),
    ("not_unique", edits(a=[swap("line", "x")])),
    ("no_change", edits(a=[swap("line 1\n", "x\n"), swap("x\n", "line 1\n")])),
    ("no_change", edits(a=[lines(2, 3, "line 2\nline 3\n")])),
    ("bad_range", edits(a=[lines(9, 11, "x")])),
    ("bad_range", edits(new=[swap("", "x\ny\n"), lines(1, 1, "z")])),
    ("overlap", edits(a=[lines(2, 4, "x\n"), lines(4, 5, "y\n")])),
    ("overlap", edits(a=[swap("3\nline 4", "x"), lines(4, 4, "y\n")])),
    ("same_file", {"edits": [{"file_path": name, "edits": [swap("line 1\n", "x")]} for name in ("a", "./a")]}),
    ("same_file", edits(a=[swap("line 1\n", "x")], link=[swap("line 2\n", "y")])),
    ("bad_path", edits(**{"new/deep/file": [swap("", "x")], "new": [swap("", "y")]})),
]


@pytest.mark.parametrize(("code", "raw"), REFUSED)
async def test_one_edit_that_cannot_be_made_leaves_every_file_alone(
    code: str, raw: dict[str, Any], runtime: Bench
) -> None:
    path, other = runtime.write("a", TEN), runtime.write("b", "old\n")
    (runtime.folder / "link").symlink_to("a")
    runtime.know(runtime.folder / "link")
    runtime.write("unread", "x", is_read=False)
    runtime.write("gone", "x").unlink()
    raw = {"edits": [{"file_path": "b", "edits": [swap("old", "new")]}, *raw["edits"]]}
    ran = await runtime.run("MultiEdit", raw)
    assert (ran.code, ran.kind) == (code, "validation")
    assert (path.read_text(), other.read_text()) == (TEN, "old\n")


async def test_a_refusal_names_the_edit_and_the_file(runtime: Bench) -> None:
    path = runtime.write("a", "x\n")
    ran = await runtime.run("MultiEdit", edits(a=[swap("x", "y"), swap("z", "y")]))
    assert ran.text.startswith(f"Edit 2 of 2: old_string was not found in {path}.")
    assert ran.text.endswith("No file was changed.")


async def test_a_new_file_cannot_lie_in_another(runtime: Bench) -> None:
    ran = await runtime.run("MultiEdit", edits(**{"new/file": [swap("", "x")], "new": [swap("", "y")]}))
    assert (
        ran.text
        == f"{runtime.folder}/new is to be a file, and {runtime.folder}/new/file would lie in it. No file was changed."
    )
    assert not (runtime.folder / "new").exists()


@pytest.mark.parametrize(
    "edit",
    [
        {"new_string": "x"},
        {"old_string": "a", "start_line": 1, "new_string": "x"},
        {"old_string": "a", "end_line": 1, "new_string": "x"},
        {"start_line": 3, "end_line": 2, "new_string": "x"},
        {"start_line": 0, "new_string": "x"},
        {"start_line": 1, "new_string": "x", "replace_all": True},
        {"start_line": 1, "new_string": "x", "lines": 2},
    ],
)
async def test_an_edit_is_one_or_the_other(edit: dict[str, Any], runtime: Bench) -> None:
    runtime.write("a", "a\n")
    assert (await runtime.run("MultiEdit", edits(a=[edit]))).kind == "invalid_input"
    assert (await runtime.run("MultiEdit", {"edits": []})).kind == "invalid_input"


async def test_a_denied_path_refuses_them_all(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, denied={"secret": "Edit(secret)"})
    path = runtime.write("a", "a\n")
    runtime.write("secret", "a\n")
    ran = await runtime.run("MultiEdit", edits(a=[swap("a", "b")], secret=[swap("a", "b")]))
    assert (ran.code, path.read_text()) == ("denied_path", "a\n")


async def test_a_file_that_changed_after_it_was_shown_stops_them_all(runtime: Bench) -> None:
    a, b = runtime.write("a", "a\n"), runtime.write("b", "b\n")
    tool, input = MultiEditTool(), MultiEditInput.model_validate(edits(a=[swap("a", "x")], b=[swap("b", "y")]))
    plan = await plan_of(tool, input, runtime.context())
    proposals = await tool.propose(input, plan, runtime.context())
    b.write_text("theirs\n")
    with pytest.raises(ToolError) as caught:
        [_ async for _ in tool.call(input, plan, runtime.context(*(change.approve() for change in proposals)))]
    assert caught.value.data["code"] == "changed_on_disk"
    assert (a.read_text(), b.read_text()) == ("a\n", "theirs\n")


# --- parts of it


async def test_what_is_taken_is_chosen_file_by_file_and_the_model_is_told(runtime: Bench) -> None:
    a, b = runtime.write("a", f"a{FAR}b\n"), runtime.write("b", "b\n")
    raw = edits(a=[swap("a", "A"), swap("b", "B")], b=[swap("b", "B")], c=[swap("", "c\n")])
    text, data = await take(runtime, raw, {1}, set(), set())
    assert (a.read_text(), b.read_text(), (runtime.folder / "c").exists()) == (f"a{FAR}B\n", "b\n", False)
    assert text.startswith("1 of 3 files have been written.")
    assert "Of its 2 hunks, accepted: 2; refused: 1." in text
    assert f"Nothing was written to {b}: no part of the proposal was accepted." in text
    assert [file["refusedHunks"] for file in data["files"]] == [[0], [0], [0]]
    assert data["userModified"] is True
    assert not (await runtime.run("Edit", swap("b", "x") | {"file_path": "b"})).is_error, "it is as it was read"


# --- against references


PIECE = st.sampled_from(["a", "b", "ab", "\n", "a\n", "b\n\n", "c d", "é"])
TEXT = st.lists(PIECE, max_size=14).map("".join)


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Files by name: their text, and edits of which most can be made."""
    found: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for name in draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=3, unique=True)):
        text = draw(TEXT.filter(bool))
        own: list[dict[str, Any]] = []
        now = text
        for _ in range(draw(st.integers(1, 3))):
            start = draw(st.integers(0, max(0, len(now) - 1)))
            old = now[start : start + draw(st.integers(1, 6))] if draw(st.integers(0, 9)) else "nowhere"
            edit = swap(old or "a", draw(TEXT), replace_all=draw(st.booleans()))
            own.append(edit)
            now = now.replace(edit["old_string"], edit["new_string"], -1 if edit["replace_all"] else 1)
        found[name] = (text, own)
    return found


def expected(text: str, own: list[dict[str, Any]]) -> str | None:
    """What the edits of one file come to, by plain string replacing; None where they cannot be made."""
    now = text
    for edit in own:
        old, new = edit["old_string"], edit["new_string"]
        if old == new or old not in now:
            return None
        if not edit["replace_all"] and sum(now.startswith(old, at) for at in range(len(now))) != 1:
            return None
        now = now.replace(old, new)
    return None if now == text else now


@given(jobs(), st.data())
@settings(max_examples=120, deadline=None)
def test_any_edits_of_any_files_do_what_plain_replacing_does(
    job: dict[str, tuple[str, list[dict[str, Any]]]], data: st.DataObject
) -> None:
    wanted = {name: expected(text, own) for name, (text, own) in job.items()}

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            runtime = Bench(Path(folder))
            paths = {name: runtime.write(name, text) for name, (text, _) in job.items()}
            raw = edits(**{name: own for name, (_, own) in job.items()})
            if None in wanted.values():
                assert (await runtime.run("MultiEdit", raw)).is_error
                assert {name: path.read_text() for name, path in paths.items()} == {n: t for n, (t, _) in job.items()}
                return
            changes = [FileChange.between(name, job[name][0], after or "") for name, after in wanted.items()]
            some = [data.draw(st.sets(st.sampled_from(range(len(change.hunks))))) for change in changes]
            await take(runtime, raw, *some)
            for change, taken in zip(changes, some, strict=True):
                assert paths[change.path].read_text() == change.select(taken)
                if taken == set(range(len(change.hunks))):
                    assert paths[change.path].read_text() == wanted[change.path]
                if not taken:
                    assert paths[change.path].read_text() == job[change.path][0]

    asyncio.run(run())


@st.composite
def ranges(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    """A text and ranges of its lines that do not overlap, in any order, with what to put there."""
    count = draw(st.integers(1, 9))
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    text = "".join(f"l{number}{ending}" for number in range(1, count + 1))
    if draw(st.booleans()):
        text = text.removesuffix(ending)
    cuts = sorted(draw(st.sets(st.integers(1, count + 1), min_size=2, max_size=6)) | {1, count + 1})
    spans = [(first, last - 1) for first, last in pairwise(cuts)]
    chosen = draw(st.lists(st.sampled_from(spans), min_size=1, unique=True))
    new = st.sampled_from(["", "x", "x\n", "x\ny", "\n", "x\n\ny\n"])
    return text, [(first, last, draw(new)) for first, last in chosen]


@pytest.mark.parametrize("whole", ["one\r\ntwo", "one\rtwo", "one\ntwo"])
async def test_the_files_line_endings_count_where_an_edit_before_took_the_last_of_them(
    whole: str, tmp_path: Path
) -> None:
    runtime = Bench(tmp_path)
    path = runtime.write("f", whole)
    first = swap("one\n", "")
    ran = await runtime.run("MultiEdit", edits(f=[first, swap("two", "three\nfour")]))
    assert not ran.is_error, ran.text
    assert path.read_bytes().decode() == whole.replace("one", "three").replace("two", "four")


async def test_of_endings_that_differ_none_counts_once_the_edits_before_took_all(tmp_path: Path) -> None:
    runtime = Bench(tmp_path)
    path = runtime.write("f", "one\r\ntwo\nthree")
    ran = await runtime.run("MultiEdit", edits(f=[swap("one\n", ""), swap("two\n", ""), swap("three", "x\ny")]))
    assert not ran.is_error, ran.text
    assert path.read_bytes() == b"x\ny"


@given(ranges(), st.data())
@settings(max_examples=120, deadline=None)
def test_ranges_of_lines_do_what_slices_of_a_list_do_whatever_is_edited_around_them(
    job: tuple[str, list[tuple[int, int, str]]], data: st.DataObject
) -> None:
    text, spans = job
    parts = text.splitlines(keepends=True)
    there = list(parts)
    ending = "\r\n" if "\r\n" in text else "\n"
    for first, last, new in spans:
        put = new.replace("\n", ending) if "\n" in text else new
        if put and there[last - 1].endswith("\n") and not put.endswith("\n"):
            put += ending
        there[first - 1 : last] = [put] + [""] * (last - first)  # so that the others keep their numbers
    same = any("".join(parts[first - 1 : last]) == "".join(there[first - 1 : last]) for first, last, _ in spans)
    own = [lines(*span) for span in spans]
    free = [number for number in range(1, len(parts) + 1) if not any(a <= number <= b for a, b, _ in spans)]
    for number in data.draw(st.lists(st.sampled_from(free), unique=True, max_size=2)) if free else ():
        own.insert(data.draw(st.integers(0, len(own))), swap(f"l{number}", f"more\nand l{number}"))
        more = f"more\nand l{number}".replace("\n", ending if "\n" in text else "\n")
        there[number - 1] = there[number - 1].replace(f"l{number}", more)
    wanted = "".join(there)

    async def run() -> str | None:
        with tempfile.TemporaryDirectory() as folder:
            runtime = Bench(Path(folder))
            path = runtime.write("f", text)
            ran = await runtime.run("MultiEdit", edits(f=own))
            return None if ran.is_error else path.read_bytes().decode()

    assert asyncio.run(run()) == (None if same or wanted == text else wanted)
