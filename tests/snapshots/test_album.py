"""The pictures as a whole: none is left behind by a module that no longer draws it."""

from __future__ import annotations

from pathlib import Path

from pictures import SNAPSHOTS


def test_every_picture_belongs_to_a_test_module() -> None:
    modules = {path.stem for path in Path(__file__).parent.glob("test_*.py")}
    strays = [path.name for path in SNAPSHOTS.iterdir() if path.name.partition(".")[0] not in modules]
    assert not strays
