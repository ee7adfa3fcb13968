"""Notebooks are shown as cells: by Read, as far as they fit, and by NotebookRead, one of them with all it has."""

from __future__ import annotations

import io
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tool_bench import Bench

from tui_agent.media import Media
from tui_agent.tools.shared_read.notebook_cells import MOST_PICTURES, OUTPUT_CHARS


def png() -> str:
    out = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(out, "PNG")
    return b64encode(out.getvalue()).decode()


def display(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "metadata": {}, "data": data}


def stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


def code(source: str, cell_id: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 7,
        "id": cell_id,
        "metadata": {},
        "outputs": list(outputs),
        "source": source,
    }


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps(
        {"cells": cells, "metadata": {"language_info": {"name": "julia"}}, "nbformat": 4, "nbformat_minor": 5}
    )


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


ERROR = {"output_type": "error", "ename": "E", "evalue": "no", "traceback": ["\x1b[31mE\x1b[0m: no"]}


@pytest.mark.parametrize(("tool", "field"), [("Read", "file_path"), ("NotebookRead", "notebook_path")])
async def test_cells_come_with_ids_types_sources_and_outputs(runtime: Bench, tool: str, field: str) -> None:
    words = {"cell_type": "markdown", "id": "w", "metadata": {}, "source": ["# T\n", "text"]}
    runtime.write("n.ipynb", notebook(words, code("x = 1", "c", stream("one\ntwo\n"), ERROR)), is_read=False)
    ran = await runtime.run(tool, {field: "n.ipynb"})
    assert ran.text == (
        "A notebook of 2 cells, in julia, format 4.5.\n\n"
        '<cell id="w" type="markdown">\n# T\ntext\n</cell>\n'
        '<cell id="c" type="code" executed="7">\nx = 1\n</cell>\n'
        '<output cell="c">\none\ntwo\n</output>\n'
        '<output cell="c">\nE: no\n</output>'
    )
    assert ran.data["type"] == "notebook"
    assert [cell["cell_id"] for cell in ran.data["file"]["cells"]] == ["w", "c"]
    known = runtime.files.get(str(runtime.folder / "n.ipynb"))
    assert known is not None
    assert (known.is_partial, known.total_lines) == (False, 2)


async def test_pictures_are_shown_as_pictures_within_a_bound(runtime: Bench) -> None:
    outputs = [display(**{"image/png": png() + "\n", "text/plain": "<Figure>"}) for _ in range(MOST_PICTURES + 1)]
    runtime.write("n.ipynb", notebook(code("plot", "c", *outputs, display(**{"image/png": "bm8="}))), is_read=False)
    ran = await runtime.run("Read", {"file_path": "n.ipynb"})
    kinds = [block["type"] for block in ran.content if isinstance(block, dict)]
    assert kinds.count("image") == MOST_PICTURES
    assert ran.text.count("left out: no more fit here") == 2
    assert runtime.files.media["toolu_1"].images == MOST_PICTURES
    runtime.files.media = {"other": Media(chars=24 * 1024 * 1024 - 2_100_000)}
    ran = await runtime.run("NotebookRead", {"notebook_path": "n.ipynb"})
    assert ran.text.count("left out: no more fit here") == MOST_PICTURES + 1


async def test_a_broken_picture_is_said_to_be_one(runtime: Bench) -> None:
    runtime.write("n.ipynb", notebook(code("plot", "c", display(**{"image/png": "bm8="}))), is_read=False)
    ran = await runtime.run("Read", {"file_path": "n.ipynb"})
    assert "[a picture (image/png) that cannot be shown: it is not a PNG, JPEG, GIF or WebP image]" in ran.text


async def test_long_outputs_are_cut_but_for_a_cell_alone(runtime: Bench) -> None:
    runtime.write("n.ipynb", notebook(code("loop", "c", stream("x" * 9000))), is_read=False)
    ran = await runtime.run("Read", {"file_path": "n.ipynb"})
    assert f"[output cut: {OUTPUT_CHARS:,} of 9,000 characters]" in ran.text
    assert "x" * 9000 in (await runtime.run("NotebookRead", {"notebook_path": "n.ipynb", "cell_id": "c"})).text


async def test_a_long_notebook_is_shown_from_its_start_and_on(runtime: Bench) -> None:
    cells = [code(f"{number}\n" + "x" * 5000, f"c{number}") for number in range(12)]
    runtime.write("n.ipynb", notebook(*cells), is_read=False)
    first = await runtime.run("Read", {"file_path": "n.ipynb"})
    assert first.text.endswith("[PARTIAL view: cells 1–5 of 12. Read on with offset=6.]")
    second = await runtime.run("Read", {"file_path": "n.ipynb", "offset": 6, "limit": 2})
    assert [cell["cell_id"] for cell in second.data["file"]["cells"]] == ["c5", "c6"]
    known = runtime.files.get(str(runtime.folder / "n.ipynb"))
    assert known is not None
    assert (known.is_partial, known.seen) == (True, ((0, 7),))
    past = await runtime.run("Read", {"file_path": "n.ipynb", "offset": 99})
    assert "cell 99 is past its end" in past.text


async def test_a_notebook_of_an_old_version_is_read(runtime: Bench) -> None:
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [
            {
                "metadata": {},
                "cells": [
                    {
                        "cell_type": "code",
                        "collapsed": False,
                        "input": ["print 1"],
                        "language": "python",
                        "metadata": {},
                        "outputs": [{"output_type": "stream", "stream": "stdout", "text": ["1\n"]}],
                        "prompt_number": 1,
                    },
                    {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["H"]},
                ],
            }
        ],
    }
    runtime.write("n.ipynb", json.dumps(old), is_read=False)
    ran = await runtime.run("NotebookRead", {"notebook_path": "n.ipynb"})
    assert not ran.is_error, ran.text
    assert "print 1" in ran.text
    assert "## H" in ran.text
    assert [cell["cell_id"] for cell in ran.data["file"]["cells"]] == ["cell-0", "cell-1"]
    alone = await runtime.run("NotebookRead", {"notebook_path": "n.ipynb", "cell_id": "cell-1"})
    assert "## H" in alone.text
    assert "print 1" not in alone.text


BROKEN = {
    "no JSON": ("{", "not JSON"),
    "no object": ("[]", "of which version"),
    "no cells": ('{"nbformat": 4}', "no list of cells"),
    "a cell of nothing": ('{"nbformat": 4, "cells": [{}]}', "cell 0 has no type"),
    "an old one that is broken": ('{"nbformat": 3, "worksheets": 7}', "old version"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_what_is_no_notebook_is_an_error_that_says_so(runtime: Bench, name: str) -> None:
    text, expected = BROKEN[name]
    runtime.write("n.ipynb", text, is_read=False)
    for tool, field in (("Read", "file_path"), ("NotebookRead", "notebook_path")):
        ran = await runtime.run(tool, {field: "n.ipynb"})
        assert (ran.is_error, ran.code, expected in ran.text) == (True, "bad_notebook", True), ran.text


async def test_an_empty_notebook_has_no_cells(runtime: Bench) -> None:
    runtime.write("n.ipynb", "", is_read=False)
    assert "A notebook of 0 cells" in (await runtime.run("Read", {"file_path": "n.ipynb"})).text


async def test_a_cell_or_a_file_that_is_not_there_is_an_error_that_helps(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, denied={"secret.ipynb": "Read(secret.ipynb)"})
    runtime.write("n.ipynb", notebook(code("x", "a"), code("y", "b")), is_read=False)
    ran = await runtime.run("NotebookRead", {"notebook_path": "n.ipynb", "cell_id": "c"})
    assert (ran.code, "its cells are a, b" in ran.text) == ("no_cell", True)
    ran = await runtime.run("NotebookRead", {"notebook_path": "m.ipynb"})
    assert (ran.code, "n.ipynb?" in ran.text) == ("missing", True)
    assert (await runtime.run("NotebookRead", {"notebook_path": "f.py"})).code == "not_a_notebook"
    assert (await runtime.run("NotebookRead", {"notebook_path": "secret.ipynb"})).code == "denied_path"
    assert (await runtime.run("NotebookRead", {"notebook_path": " "})).code == "bad_path"
