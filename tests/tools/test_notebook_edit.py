"""NotebookEdit changes one cell as Jupyter would, and leaves every other byte of the file alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tool_bench import Bench, Ran


def code(source: str, cell_id: str = "", **fields: Any) -> dict[str, Any]:
    cell = {
        "cell_type": "code",
        "execution_count": 3,
        "id": cell_id,
        "metadata": {"tags": ["x"]},
        "outputs": [{"name": "stdout", "output_type": "stream", "text": ["hello\n"]}],
        "source": source.splitlines(keepends=True),
        **fields,
    }
    return cell if cell_id else {key: value for key, value in cell.items() if key != "id"}


def markdown(source: str, cell_id: str = "") -> dict[str, Any]:
    cell = {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell if cell_id else {key: value for key, value in cell.items() if key != "id"}


def notebook(*cells: dict[str, Any], minor: int = 5, **fields: Any) -> dict[str, Any]:
    return {
        "cells": list(cells),
        "metadata": {"language_info": {"name": "python"}, "mine": {"kept": 1e5}},
        "nbformat": 4,
        "nbformat_minor": minor,
        **fields,
    }


NOTEBOOK = notebook(markdown("# Title", "intro"), code("a = 1\nprint(a)\n", "first"), code("b", "second"))


def dumped(data: dict[str, Any]) -> str:
    """As Jupyter writes it."""
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    runtime = Bench(tmp_path)
    runtime.write("n.ipynb", dumped(NOTEBOOK))
    return runtime


async def edit(runtime: Bench, source: str = "", name: str = "n.ipynb", **fields: Any) -> Ran:
    options = {key: fields.pop(key) for key in ("accepted", "edited") if key in fields}
    return await runtime.run("NotebookEdit", {"notebook_path": name, "new_source": source, **fields}, **options)


def cells(runtime: Bench) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((runtime.folder / "n.ipynb").read_text())["cells"]
    return found


async def test_a_source_is_replaced_and_its_outputs_stay_as_in_jupyter(runtime: Bench) -> None:
    ran = await edit(runtime, "a = 2\nprint(a)\n", cell_id="first")
    assert not ran.is_error, ran.text
    changed = {**NOTEBOOK["cells"][1], "source": ["a = 2\n", "print(a)\n"]}
    assert (runtime.folder / "n.ipynb").read_text() == dumped(
        notebook(NOTEBOOK["cells"][0], changed, NOTEBOOK["cells"][2])
    )
    assert "outputs are still those of the old source" in ran.text
    assert ran.data["old_source"] == "a = 1\nprint(a)\n"
    assert (ran.data["new_source"], ran.data["cell_type"], ran.data["language"]) == (
        "a = 2\nprint(a)\n",
        "code",
        "python",
    )
    assert ran.proposal is not None
    assert (ran.proposal.added, ran.proposal.removed) == (1, 1)


async def test_another_type_clears_what_it_does_not_have(runtime: Bench) -> None:
    ran = await edit(runtime, "words", cell_id="first", cell_type="markdown")
    assert "outputs were cleared" in ran.text
    assert cells(runtime)[1] == {
        "cell_type": "markdown",
        "id": "first",
        "metadata": {"tags": ["x"]},
        "source": ["words"],
    }
    await edit(runtime, "1", cell_id="intro", cell_type="code")
    assert cells(runtime)[0] == {
        "cell_type": "code",
        "execution_count": None,
        "id": "intro",
        "metadata": {},
        "outputs": [],
        "source": ["1"],
    }


@pytest.mark.parametrize(("after", "place"), [(None, 0), ("intro", 1), ("first", 2), ("second", 3)])
async def test_a_cell_is_inserted_after_the_one_that_is_named_or_first(
    runtime: Bench, after: str | None, place: int
) -> None:
    ran = await edit(runtime, "new", cell_type="code", edit_mode="insert", **({"cell_id": after} if after else {}))
    new = cells(runtime)[place]
    assert new == {
        "cell_type": "code",
        "execution_count": None,
        "id": ran.data["cell_id"],
        "metadata": {},
        "outputs": [],
        "source": ["new"],
    }
    rest = list(NOTEBOOK["cells"])
    rest.insert(place, new)
    assert (runtime.folder / "n.ipynb").read_text() == dumped(notebook(*rest))
    assert len({cell["id"] for cell in cells(runtime)}) == 4


@pytest.mark.parametrize("number", [0, 1, 2])
async def test_a_cell_is_deleted(runtime: Bench, number: int) -> None:
    await edit(runtime, cell_id=NOTEBOOK["cells"][number]["id"], edit_mode="delete")
    rest = [cell for at, cell in enumerate(NOTEBOOK["cells"]) if at != number]
    assert (runtime.folder / "n.ipynb").read_text() == dumped(notebook(*rest))


async def test_pictures_that_go_with_a_cell_do_not_swell_the_data(runtime: Bench) -> None:
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 200_000}}
    runtime.write("n.ipynb", dumped(notebook(code("plot", "p", outputs=[picture]))))
    ran = await edit(runtime, cell_id="p", edit_mode="delete")
    assert cells(runtime) == []
    assert len(json.dumps(ran.data)) < 5000


async def test_all_cells_can_go_and_new_ones_come(runtime: Bench) -> None:
    for cell_id in ("intro", "second", "first"):
        assert not (await edit(runtime, cell_id=cell_id, edit_mode="delete")).is_error
    assert (runtime.folder / "n.ipynb").read_text() == dumped(notebook())
    await edit(runtime, "x", cell_type="markdown", edit_mode="insert")
    assert [cell["source"] for cell in cells(runtime)] == [["x"]]
    assert (runtime.folder / "n.ipynb").read_text() == dumped(notebook(*cells(runtime)))


async def test_an_empty_file_becomes_a_notebook(runtime: Bench) -> None:
    runtime.write("n.ipynb", "")
    await edit(runtime, "x = 1", cell_type="code", edit_mode="insert")
    assert [cell["source"] for cell in cells(runtime)] == [["x = 1"]]


async def test_a_format_without_ids_keeps_its_version_and_names_cells_by_place(runtime: Bench) -> None:
    old = notebook(markdown("a"), code("b"), minor=2)
    runtime.write("n.ipynb", dumped(old))
    ran = await edit(runtime, "c", cell_id="cell-0", cell_type="code", edit_mode="insert")
    assert ran.data["cell_id"] == "cell-1"
    data = json.loads((runtime.folder / "n.ipynb").read_text())
    assert data["nbformat_minor"] == 2
    assert [("".join(cell["source"]), "id" in cell) for cell in data["cells"]] == [
        ("a", False),
        ("c", False),
        ("b", False),
    ]
    assert (await edit(runtime, "d", cell_id="cell-9")).code == "no_cell"


ODD = (
    '{"nbformat":4,"nbformat_minor":5,"x":1.50,"cells":[{"cell_type":"raw","source":"a\\u003cb","id":"r","metadata":{}}'
    ',{"source":["k\\u00e9pt\\n","gone"],"id":"c","zz":[ 1,2 ],"cell_type":"code","metadata":{},"outputs":[],'
    '"execution_count":null}],"metadata":{}}'
)


async def test_a_file_on_one_line_stays_on_one_and_keeps_its_ways(runtime: Bench) -> None:
    runtime.write("n.ipynb", ODD)
    await edit(runtime, "képt\nhere", cell_id="c")
    assert (runtime.folder / "n.ipynb").read_text() == ODD.replace('"gone"', '"here"')
    await edit(runtime, "plain é", cell_id="r")
    assert (runtime.folder / "n.ipynb").read_text() == ODD.replace('"gone"', '"here"').replace(
        "a\\u003cb", "plain \\u00e9"
    )
    await edit(runtime, "m", cell_id="c", cell_type="markdown", edit_mode="insert")
    assert (runtime.folder / "n.ipynb").read_text().count("\n") == 0


async def test_lines_that_stay_are_not_written_anew(runtime: Bench) -> None:
    text = dumped(notebook(code("first\nA/B é\nlast", "a"))).replace("A/B é", r"\u0041\/B é")
    runtime.write("n.ipynb", text)
    await edit(runtime, "FIRST\nA/B é\nlast\nmore <é>", cell_id="a")
    after = text.replace('"first', '"FIRST').replace('"last"', '"last\\n",\n    "more <é>"')
    assert (runtime.folder / "n.ipynb").read_text() == after


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", ["\t", "    ", " "])
async def test_indentation_and_line_endings_are_the_files_own(runtime: Bench, indent: str, ending: str) -> None:
    def text(data: dict[str, Any]) -> bytes:
        return b"\xef\xbb\xbf" + json.dumps(data, indent=indent, ensure_ascii=False).replace("\n", ending).encode()

    runtime.write("n.ipynb", text(NOTEBOOK))
    await edit(runtime, "a = 1\nprint(b)\nmore", cell_id="first")
    await edit(runtime, "", cell_id="second")
    await edit(runtime, cell_id="intro", edit_mode="delete")
    kept = [
        {**NOTEBOOK["cells"][1], "source": ["a = 1\n", "print(b)\n", "more"]},
        {**NOTEBOOK["cells"][2], "source": []},
    ]
    assert (runtime.folder / "n.ipynb").read_bytes() == text({**NOTEBOOK, "cells": kept})


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown cell": ({"cell_id": "nope"}, "no_cell"),
    "no cell to replace": ({}, "no_cell_id"),
    "no type to insert": ({"edit_mode": "insert"}, "no_cell_type"),
    "the same source": ({"cell_id": "second", "new_source": "b"}, "no_change"),
    "another kind of file": ({"notebook_path": "f.py", "cell_id": "a"}, "not_a_notebook"),
    "a file that was not read": ({"notebook_path": "unread.ipynb", "cell_id": "a"}, "not_read"),
    "a file that has changed": ({"notebook_path": "changed.ipynb", "cell_id": "first"}, "changed_on_disk"),
    "no JSON": ({"notebook_path": "broken.ipynb", "cell_id": "first"}, "bad_notebook"),
    "no notebook": ({"notebook_path": "data.ipynb", "cell_id": "first"}, "bad_notebook"),
    "an old format": ({"notebook_path": "old.ipynb", "cell_id": "cell-0"}, "old_format"),
    "two cells of one id": ({"notebook_path": "twice.ipynb", "cell_id": "a"}, "no_cell"),
    "a denied file": ({"notebook_path": "denied.ipynb", "cell_id": "a"}, "denied_path"),
    "a file that is gone": ({"notebook_path": "gone.ipynb", "cell_id": "a"}, "missing"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_done_is_refused_and_nothing_written(tmp_path: Path, name: str) -> None:
    runtime = Bench(tmp_path, denied={"denied.ipynb": "Edit(denied.ipynb)"})
    runtime.write("n.ipynb", dumped(NOTEBOOK))
    runtime.write("unread.ipynb", dumped(NOTEBOOK), is_read=False)
    runtime.write("denied.ipynb", dumped(NOTEBOOK))
    runtime.write("changed.ipynb", dumped(NOTEBOOK)).write_text(dumped(NOTEBOOK) + "\n")
    runtime.write("broken.ipynb", '{"cells": [')
    runtime.write("data.ipynb", '{"nbformat": 4, "cells": [1]}')
    runtime.write("old.ipynb", json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}))
    runtime.write("twice.ipynb", dumped(notebook(markdown("a", "a"), markdown("b", "a"))))
    runtime.write("gone.ipynb", dumped(NOTEBOOK)).unlink()
    raw, expected = REFUSED[name]
    before = {path: path.read_bytes() for path in tmp_path.glob("*.ipynb")}
    ran = await runtime.run("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "x", **raw})
    assert (ran.is_error, ran.code) == (True, expected), ran.text
    assert {path: path.read_bytes() for path in tmp_path.glob("*.ipynb")} == before


async def test_a_cell_that_was_not_seen_is_not_changed(tmp_path: Path) -> None:
    runtime = Bench(tmp_path)
    runtime.write("n.ipynb", dumped(NOTEBOOK), is_read=False)
    await runtime.run("NotebookRead", {"notebook_path": "n.ipynb", "cell_id": "first"})
    assert (await edit(runtime, "x", cell_id="second")).code == "partial_view"
    await edit(runtime, "new", cell_id="first", cell_type="code", edit_mode="insert")
    assert (await edit(runtime, "x", cell_id="second")).code == "partial_view"
    assert not (await edit(runtime, "x", cell_id="first")).is_error
    assert not (await edit(runtime, "y", cell_id="cell-2")).is_error
    await edit(runtime, "top", cell_type="code", edit_mode="insert")
    assert (await edit(runtime, "x", cell_id="intro")).code == "partial_view"
    assert not (await edit(runtime, "x2", cell_id="first")).is_error
    assert not (await edit(runtime, "y2", cell_id="cell-3")).is_error
    await edit(runtime, cell_id="cell-0", edit_mode="delete")
    await edit(runtime, cell_id="first", edit_mode="delete")
    assert (await edit(runtime, "x", cell_id="second")).code == "partial_view"
    assert not (await edit(runtime, "z", cell_id="cell-1")).is_error


async def test_what_is_left_of_a_proposal_must_still_be_a_notebook(runtime: Bench) -> None:
    before = (runtime.folder / "n.ipynb").read_text()
    ran = await edit(runtime, "1", cell_id="intro", cell_type="code", accepted={0})
    assert (ran.is_error, ran.code) == (True, "bad_notebook")
    ran = await edit(runtime, "x", cell_id="first", edited=before.replace("cells", "cell"))
    assert (ran.is_error, ran.code) == (True, "bad_notebook")
    assert (runtime.folder / "n.ipynb").read_text() == before


async def test_a_part_of_a_proposal_that_is_a_notebook_is_written_and_told(runtime: Bench) -> None:
    runtime.write("n.ipynb", dumped(notebook(code("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight", "a"))))
    ran = await edit(runtime, "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\nEIGHT", cell_id="a", accepted={0})
    assert not ran.is_error, ran.text
    assert "".join(cells(runtime)[0]["source"]) == "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight"
    assert "Refused hunk 2" in ran.text
    ran = await edit(runtime, "ten", cell_id="a", accepted=set())
    assert "Nothing was written" in ran.text


async def test_a_notebook_that_was_not_valid_before_need_not_be_afterwards(runtime: Bench) -> None:
    odd = notebook(code("a\nb", "a", execution_count="three"), markdown("m", "m"))
    runtime.write("n.ipynb", dumped(odd))
    ran = await edit(runtime, "A\nb", cell_id="a", edited=dumped(odd).replace('"a\\n"', '"A\\n"'))
    assert not ran.is_error, ran.text
