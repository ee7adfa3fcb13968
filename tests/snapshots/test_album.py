"""The pictures as a whole: none is left behind by a module that no longer draws it, and one page shows them all."""

from __future__ import annotations

import re
from pathlib import Path

import pictures
import pytest
from frames import read_frame, screen_frame
from gallery import GALLERY, gallery_text
from pictures import SNAPSHOTS, Album, Stage, is_illustrated, staged
from recording import fix_a_bug


def test_every_picture_belongs_to_a_test_module() -> None:
    modules = {path.stem for path in Path(__file__).parent.glob("test_*.py")}
    kept = [path for suffix in ("frame", "svg") for path in SNAPSHOTS.glob(f"*.{suffix}")]
    strays = [path.name for path in kept if path.name.partition(".")[0] not in modules]
    assert not strays


def test_the_screens_that_people_look_at_are_kept_as_svg_and_no_others() -> None:
    illustrated = {path.stem for path in SNAPSHOTS.glob("*.frame") if is_illustrated(path.stem)}
    assert {path.stem for path in SNAPSHOTS.glob("*.svg")} == illustrated
    assert len(illustrated) < 120


def test_the_gallery_shows_every_picture(request: pytest.FixtureRequest) -> None:
    if request.config.option.snapshot_update:
        pytest.skip("it is made anew when all pictures are")
    text = GALLERY.read_text(encoding="utf-8")
    assert text == gallery_text(), "`pytest tests/snapshots --snapshot-update` makes it anew"
    assert all(f"({picture.name})" in text for picture in SNAPSHOTS.glob("*.svg"))


def test_the_pictures_of_the_readme_are_among_them() -> None:
    readme = (SNAPSHOTS.parent / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", readme)
    assert shown
    assert all((SNAPSHOTS.parent / picture).is_file() for picture in shown)


async def test_a_frame_holds_the_text_and_the_styles_of_a_screen() -> None:
    async with staged(Stage(fix_a_bug(until="asked").events), (60, 20)) as (app, _):
        frame = screen_frame(app)
    assert read_frame(frame.text()) == frame
    assert frame.size == (60, 20)
    assert len(frame.rows) == len(frame.runs) == 20
    assert all(sum(cells for _, cells in row) == 60 for row in frame.runs)


async def test_a_picture_that_differs_is_shown_beside_the_one_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "SNAPSHOTS", tmp_path)
    monkeypatch.setattr(pictures, "REPORTS", tmp_path / "reports")
    async with staged(Stage(fix_a_bug(until="asked").events), (60, 20)) as (app, _):
        Album("test_album", is_update=True).compare(app, "one")
        kept = tmp_path / "test_album.one.frame"
        text = kept.read_text(encoding="utf-8")
        kept.write_text(text.replace("Run", "Rum", 1), encoding="utf-8")
        album = Album("test_album", is_update=False)
        album.compare(app, "one")
        assert album.problems == [f"{kept.name} differs: see {tmp_path}/reports/test_album.one.html"]
        page = (tmp_path / "reports" / "test_album.one.html").read_text(encoding="utf-8")
        assert "Rum" in page
        assert "Run" in page
        assert "1 row differs" in page
        kept.write_text(text, encoding="utf-8")
        agreeing = Album("test_album", is_update=False)
        agreeing.compare(app, "one")
        assert not agreeing.problems
