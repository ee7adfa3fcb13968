"""Edits of random notebooks against a model that knows nothing of text: a list of cells in plain Python."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_bench import Bench

SOURCES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=4).map("\n".join)
OUTPUTS = st.sampled_from(
    [
        [],
        [{"output_type": "stream", "name": "stdout", "text": ["x\n", '{[]}"\\']}],
        [{"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mt"]}],
        [
            {
                "output_type": "display_data",
                "metadata": {},
                "data": {"text/plain": "p", "application/json": {"source": [1]}},
            }
        ],
    ]
)


@st.composite
def cells(draw: st.DrawFn, cell_id: str) -> dict[str, Any]:
    source = draw(SOURCES)
    cell: dict[str, Any] = {
        "cell_type": draw(st.sampled_from(["code", "markdown", "raw"])),
        "metadata": draw(st.sampled_from([{}, {"tags": ["a"]}, {"unknown": {"cells": [{"source": "x"}]}}])),
        "source": draw(st.sampled_from([source, source.splitlines(keepends=True)])),
    }
    if cell_id:
        cell["id"] = cell_id
    if cell["cell_type"] == "code":
        cell |= {"execution_count": draw(st.sampled_from([None, 1])), "outputs": draw(OUTPUTS)}
    return dict(draw(st.permutations(list(cell.items()))))


@st.composite
def notebooks(draw: st.DrawFn) -> dict[str, Any]:
    minor = draw(st.sampled_from([2, 5]))
    names = draw(st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), unique=True, max_size=4))
    fields = {
        "cells": [draw(cells(name if minor == 5 else "")) for name in names],
        "metadata": draw(st.sampled_from([{}, {"language_info": {"name": "julia"}}, {"cells": []}])),
        "nbformat": 4,
        "nbformat_minor": minor,
    }
    return dict(draw(st.permutations(list(fields.items()))))


MANNERS = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 0, 1, 2, "\t"]),
        "ensure_ascii": st.booleans(),
        "separators": st.sampled_from([(",", ":"), (", ", ": ")]),
    }
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["replace", "insert", "delete"]),
        st.integers(0, 9),
        SOURCES,
        st.sampled_from([None, "code", "markdown"]),
    ),
    min_size=1,
    max_size=4,
)


def joined(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "source": "".join(cell["source"])}


def expect(model: list[dict[str, Any]], step: tuple[str, int, str, str | None], cell_id: str | None) -> None:
    """Do to plain cells what the edit should do."""
    mode, number, source, kind = step
    if mode == "insert":
        new: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
        if kind == "code":
            new |= {"execution_count": None, "outputs": []}
        if cell_id is not None:
            new["id"] = cell_id
        model.insert(number, new)
    elif mode == "delete":
        del model[number]
    else:
        cell = model[number]
        if kind is not None and kind != cell["cell_type"]:
            cell = {key: value for key, value in cell.items() if key not in ("outputs", "execution_count")}
            cell |= {"outputs": [], "execution_count": None} if kind == "code" else {}
            cell["cell_type"] = kind
        model[number] = {**cell, "source": source}


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    notebook=notebooks(),
    manner=MANNERS,
    steps=STEPS,
    ending=st.sampled_from(["\n", "\r\n"]),
    tail=st.sampled_from(["", "\n"]),
)
def test_edits_do_what_a_list_of_cells_would(
    notebook: dict[str, Any],
    manner: dict[str, Any],
    steps: list[tuple[str, int, str, str | None]],
    ending: str,
    tail: str,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder), notebook, manner, steps, ending, tail))


async def run(
    folder: Path,
    notebook: dict[str, Any],
    manner: dict[str, Any],
    steps: list[tuple[str, int, str, str | None]],
    ending: str,
    tail: str,
) -> None:
    runtime = Bench(folder)
    text = (json.dumps(notebook, **manner) + tail).replace("\n", ending)
    path = runtime.write("n.ipynb", text)
    model = [joined(cell) for cell in notebook["cells"]]
    has_ids = notebook["nbformat_minor"] == 5
    for mode, place, source, kind in steps:
        if mode == "insert":
            number, kind = place % (len(model) + 1), kind or "code"
            target = number - 1
        elif not model:
            continue
        else:
            number = target = place % len(model)
        raw: dict[str, Any] = {"notebook_path": "n.ipynb", "new_source": source, "edit_mode": mode}
        if target >= 0:
            raw["cell_id"] = model[target].get("id") or f"cell-{target}"
        if kind is not None:
            raw["cell_type"] = kind
        is_same = mode == "replace" and model[number]["source"] == source and kind in (None, model[number]["cell_type"])
        ran = await runtime.run("NotebookEdit", raw)
        if is_same:
            assert ran.code == "no_change"
            continue
        assert not ran.is_error, ran.text
        expect(model, (mode, number, source, kind), ran.data["cell_id"] if mode == "insert" and has_ids else None)
    after = path.read_bytes().decode()
    data = json.loads(after)
    assert [joined(cell) for cell in data["cells"]] == model
    assert {**data, "cells": 0} == {**notebook, "cells": 0}
    assert list(data) == list(notebook)
    assert after.endswith("\n") == bool(tail)
    assert ("\r\n" in after) == (ending == "\r\n" and ("\n" in text))
    nbformat.validate(nbformat.from_dict(data))


@pytest.mark.parametrize("minor", [4, 5])
async def test_what_jupyter_wrote_comes_back_as_jupyter_writes_it(tmp_path: Path, minor: int) -> None:
    made = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("a\nb", outputs=[nbformat.v4.new_output("stream", text="x\n")]),
            nbformat.v4.new_markdown_cell("# é <b>"),
        ]
    )
    made.nbformat_minor = minor
    for cell in made.cells if minor < 5 else ():
        del cell["id"]
    runtime = Bench(tmp_path)
    path = runtime.write("n.ipynb", nbformat.writes(made))
    await runtime.run("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "a\nc\n", "cell_id": "cell-0"})
    made.cells[0].source = "a\nc\n"
    assert path.read_text() == nbformat.writes(made)
    await runtime.run(
        "NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "", "cell_id": "cell-0", "edit_mode": "delete"}
    )
    del made.cells[0]
    assert path.read_text() == nbformat.writes(made)
