"""The pictures as a whole: none is left behind by a module that no longer draws it, and one page shows them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gallery import GALLERY, gallery_text
from pictures import SNAPSHOTS


def test_every_picture_belongs_to_a_test_module() -> None:
    modules = {path.stem for path in Path(__file__).parent.glob("test_*.py")}
    strays = [path.name for path in SNAPSHOTS.glob("*.svg") if path.name.partition(".")[0] not in modules]
    assert not strays


def test_the_gallery_shows_every_picture(request: pytest.FixtureRequest) -> None:
    if request.config.option.update_snapshots:
        pytest.skip("it is made anew when all pictures are")
    text = GALLERY.read_text(encoding="utf-8")
    assert text == gallery_text(), "`pytest tests/snapshots --snapshot-update` makes it anew"
    assert all(f"({picture.name})" in text for picture in SNAPSHOTS.glob("*.svg"))


def test_the_pictures_of_the_readme_are_among_them() -> None:
    readme = (SNAPSHOTS.parent / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", readme)
    assert shown
    assert all((SNAPSHOTS.parent / picture).is_file() for picture in shown)
