"""How Read and the notebook tools are drawn: cells, pictures and pages, whatever the data holds."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from rich.style import Style
from viewing import STATE, check

from tui_agent.tools.notebook_edit.view import View as EditView
from tui_agent.tools.notebook_read.view import View as NotebookView
from tui_agent.tools.read.view import View as ReadView
from tui_agent.viewkit.palette import DARK, MONOCHROME
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import Rendered, RenderState

BASE = "/w/shop"
HOSTILE = "a\x1b]0;x\x07\u202eb\n[@click=app.quit]c[/]\t\x9b2J"


def use(name: str, input: dict[str, Any], **known: Any) -> ToolUse:
    return ToolUse(id="u", name=name, input=input, is_input_whole=True, base=BASE, **{"phase": "yielded"} | known)


def texts(rendered: Rendered) -> list[str]:
    return [line.text.rstrip() for line in rendered.lines]


def preview(width: int = 4, height: int = 3, rgb: bytes | None = None) -> dict[str, Any]:
    pixels = bytes(at % 256 for at in range(width * height * 3)) if rgb is None else rgb
    return {"width": width, "height": height, "rgb": b64encode(pixels).decode()}


def picture(**fields: Any) -> dict[str, Any]:
    size = {"originalWidth": 9000, "originalHeight": 30, "displayWidth": 2000, "displayHeight": 7}
    known = {"mediaType": "image/png", "originalSize": 1_234_567, "dimensions": size, "sentType": "image/jpeg"}
    return {**known, "sentSize": 20_000, "preview": preview(), **fields}


def cell(**fields: Any) -> dict[str, Any]:
    known = {"cell_id": "a1", "cellType": "code", "source": "x = 1", "execution_count": 3, "language": "python"}
    return {**known, "outputs": [], **fields}


def read(kind: str, **file: Any) -> ToolUse:
    return use("Read", {"file_path": f"{BASE}/f"}, data={"type": kind, "file": file})


def title(view: ToolView, tool: ToolUse) -> str:
    return view.title(tool, 90, STATE).text


def body(view: ToolView, tool: ToolUse, width: int = 60) -> list[str]:
    return texts(view.body(tool, width, STATE))


def test_an_image_is_told_and_drawn_in_half_blocks() -> None:
    tool = read("image", **picture())
    assert title(ReadView(), tool) == "Read f · 9000 × 30 PNG, 1.2 MB"
    assert body(ReadView(), tool) == [
        "9000 × 30 PNG, 1.2 MB",
        "shown to the model as 2000 × 7 JPEG",
        "▀▀▀▀",
        "▀▀▀▀",
    ]
    last = ReadView().body(tool, 60, STATE).lines[-1].segments[0].style
    assert isinstance(last, Style)
    assert last.bgcolor is None, "there is no row below the last"


@pytest.mark.parametrize("state", [RenderState(DARK, is_ascii=True), RenderState(MONOCHROME)])
def test_without_colours_a_picture_is_only_told(state: RenderState) -> None:
    assert len(ReadView().body(read("image", **picture()), 60, state).lines) == 2


@pytest.mark.parametrize(
    "broken",
    [None, "x", {}, preview(4, 3, b"xx"), preview(0, 0), preview(90, 1), {**preview(), "rgb": "é"}, preview(300, 300)],
)
def test_a_preview_that_cannot_be_drawn_is_left_out(broken: object) -> None:
    assert len(body(ReadView(), read("image", **picture(preview=broken)))) == 2


PAGES = {"firstPage": 3, "lastPage": 7, "totalPages": 41}
TITLES: dict[str, tuple[ToolUse, str]] = {
    "pages": (read("pdf", **PAGES), "pages 3–7 of 41"),
    "pages as text": (read("pdf", **PAGES, content="x", reason="too large"), "pages 3–7 of 41, as text"),
    "one page": (read("pdf", firstPage=3, lastPage=3, totalPages=41), "page 3 of 41"),
    "all pages": (read("pdf", firstPage=1, lastPage=4, totalPages=4), "4 pages"),
    "cells": (read("notebook", cells=[cell()], totalCells=9), "1 cell of 9"),
    "bytes": (read("base64", numBytes=5, originalSize=2048), "5 bytes of 2,048"),
    "nothing new": (read("file_unchanged"), "unchanged"),
}


@pytest.mark.parametrize("name", TITLES)
def test_a_title_says_what_was_read(name: str) -> None:
    tool, said = TITLES[name]
    assert title(ReadView(), tool) == f"Read f · {said}"


def test_pages_that_are_asked_for_stand_in_the_title_and_the_question() -> None:
    tool = use("Read", {"file_path": f"{BASE}/x.pdf", "pages": "3-7"}, phase="waiting")
    assert title(ReadView(), tool) == "Read x.pdf pages 3-7"
    assert texts(ReadView().request(tool, 60, STATE)) == ["file   x.pdf", "pages  3-7"]


def test_cells_are_drawn_with_their_outputs() -> None:
    outputs = [{"output_type": "stream", "text": "one\ntwo"}, {"output_type": "display_data", "image": picture()}]
    tool = use(
        "NotebookRead",
        {"notebook_path": f"{BASE}/n.ipynb"},
        data={"file": {"cells": [cell(outputs=outputs), cell(cellType="markdown", source="# T")], "totalCells": 2}},
    )
    assert title(NotebookView(), tool) == "NotebookRead n.ipynb · 2 cells"
    assert body(NotebookView(), tool) == [
        "code a1 [3]",
        "x = 1",
        "│ one",
        "│ two",
        "│ 9000 × 30 PNG, 1.2 MB",
        "│ ▀▀▀▀",
        "│ ▀▀▀▀",
        "",
        "markdown a1 [3]",
        "# T",
    ]


EDIT = {"notebook_path": f"{BASE}/n.ipynb", "cell_id": "a1", "new_source": "x = 2"}
DONE = {"cell_id": "a1", "cell_type": "code", "language": "python", "old_source": "x = 1", "new_source": "x = 2"}


def test_an_edit_shows_the_cell_and_not_its_json() -> None:
    done = use("NotebookEdit", EDIT, data={**DONE, "edit_mode": "replace"})
    assert title(EditView(), done) == "NotebookEdit n.ipynb a1 · replaced"
    assert [line.split() for line in body(EditView(), done)] == [
        ["code", "a1"],
        ["1", "-", "x", "=", "1"],
        ["1", "+", "x", "=", "2"],
    ]
    new = use("NotebookEdit", {**EDIT, "edit_mode": "insert"}, data={**DONE, "old_source": "", "edit_mode": "insert"})
    assert title(EditView(), new) == "NotebookEdit n.ipynb after a1 · inserted"
    gone = use("NotebookEdit", {**EDIT, "edit_mode": "delete"}, data={**DONE, "new_source": "", "edit_mode": "delete"})
    assert title(EditView(), gone) == "NotebookEdit n.ipynb a1 · deleted"
    first = use(
        "NotebookEdit", {"notebook_path": "n.ipynb", "edit_mode": "insert", "cell_type": "code", "new_source": "y"}
    )
    assert "at the beginning" in title(EditView(), first)


def test_a_question_spells_the_new_source_out() -> None:
    waiting = use("NotebookEdit", {**EDIT, "new_source": "rm\u200b -rf", "cell_type": "code"}, phase="waiting")
    asked = texts(EditView().request(waiting, 60, STATE))
    assert asked == ["notebook  n.ipynb", "mode      replace", "code a1", "rm⟨ZWSP⟩ -rf"]
    goes = use("NotebookEdit", {**EDIT, "edit_mode": "delete"}, phase="waiting")
    assert "goes, with its outputs" in texts(EditView().request(goes, 60, STATE))


ODD: list[Any] = [
    {"file": {"cells": [cell(source=HOSTILE, cell_id=HOSTILE, cellType=HOSTILE, language=HOSTILE)], "totalCells": 1}},
    {"file": {"cells": [cell(outputs=[{"output_type": "error", "text": HOSTILE}, {"image": {}}, 3])], "totalCells": 1}},
    {"file": {"cells": ["x", {}, cell(outputs=7, source=None)], "totalCells": "many"}},
    {"type": "image", "file": picture(mediaType=HOSTILE, dimensions={"originalWidth": HOSTILE})},
    {"type": "pdf", "file": {"firstPage": 1, "lastPage": 2, "totalPages": 3, "content": HOSTILE, "reason": HOSTILE}},
    {"type": "notebook", "file": {"cells": "x"}},
    {"type": "base64", "file": 3},
    {**DONE, "old_source": HOSTILE, "cell_id": HOSTILE, "language": HOSTILE},
    {},
    None,
]


@pytest.mark.parametrize("data", ODD)
@pytest.mark.parametrize("view", [ReadView(), NotebookView(), EditView()])
def test_whatever_the_data_is_it_stays_in_its_place(view: ToolView, data: Any) -> None:
    for phase in ("streaming", "waiting", "yielded"):
        tool = use(
            "X",
            {
                "file_path": HOSTILE,
                "notebook_path": HOSTILE,
                "cell_id": HOSTILE,
                "new_source": HOSTILE,
                "pages": HOSTILE,
            },
            data=data,
            content=HOSTILE,
            phase=phase,
        )
        for width in (8, 30, 100):
            check(view.body(tool, width, STATE), width)
            check(view.request(tool, width, STATE), width)
            assert view.title(tool, width, STATE).width <= width
