"""What a Read of each kind of file looks like when it has ended."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from pictures import Album, Stage, settle, staged
from recording import SHOP, Recording

NOTEBOOKS = runpy.run_path(str(Path(__file__).parent / "cases_notebooks.py"))
PDF = {"firstPage": 3, "lastPage": 7, "totalPages": 41, "originalSize": 2_400_000}
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "image": (
        {"file_path": f"{SHOP}/chart.png"},
        {"type": "image", "file": {**NOTEBOOKS["picture"](), "sentSize": 9_000, "sentType": "image/jpeg"}},
    ),
    "pdf": ({"file_path": f"{SHOP}/report.pdf", "pages": "3-7"}, {"type": "pdf", "file": {**PDF, "sentSize": 210_000}}),
    "pdf-text": (
        {"file_path": f"{SHOP}/scans.pdf", "pages": "3-7"},
        {
            "type": "pdf",
            "file": {
                **PDF,
                "sentSize": 0,
                "content": "--- page 3 ---\nThe year began slowly.\n\n--- page 4 ---\nIt ended well.",
                "reason": "as a document they would take 9,200,000 bytes, more than the 6,291,456 that still fit",
            },
        },
    ),
    "notebook": ({"file_path": f"{SHOP}/sales.ipynb"}, NOTEBOOKS["SHOWN"]),
    "unchanged": ({"file_path": f"{SHOP}/shop/refund.py"}, {"type": "file_unchanged", "file": {}}),
}


def play(input: dict[str, Any], data: dict[str, Any]) -> Recording:
    log = Recording()
    log.begin("What does it show?")
    log.reply()
    log.use("u1", "Read", input)
    log.end_reply()
    log.execute("u1")
    log.wait(200)
    log.result("u1", "Read", "shown", data, ms=200)
    return log


@pytest.mark.parametrize("kind", KINDS)
async def test_a_read_looks_as_it_did(kind: str, album: Album) -> None:
    async with staged(Stage(play(*KINDS[kind]).events), (100, 40)) as (app, pilot):
        app.screen.action_details()
        await settle(app, pilot)
        album.compare(app, kind)
    album.verify()
