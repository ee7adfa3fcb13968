"""The gallery: one page that shows every picture, made of the names of the pictures and of what their test modules say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

__all__ = ["GALLERY", "gallery_text", "write_gallery"]

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "snapshots" / "README.md"
_TESTS = ROOT / "tests" / "snapshots"
# The whole screen first, the many small ones last; in between by name.
_FIRST = ("test_app", "test_recorded_pictures")
_LAST = ("test_tool_views",)
_SIZE = re.compile(r"-(\d+x\d+|narrow|wide|tui-agent-[a-z-]+)(?=-|$)")
_HEAD = """\
# Gallery

Every picture that the tests compare the program with, drawn by the program itself.
`.venv/bin/pytest tests/snapshots --snapshot-update` makes them and this page anew.
"""


def gallery_text() -> str:
    """Return the page as Markdown."""
    pictures = sorted(GALLERY.parent.glob("*.svg"), key=_place)
    parts = [_HEAD]
    for module, found in groupby(pictures, key=_module):
        parts.append(f"## {_title(module)}\n")
        parts += _rows(found)
    return "\n".join(parts)


def write_gallery() -> None:
    """Bring the page up to date."""
    text = gallery_text()
    if not GALLERY.exists() or GALLERY.read_text(encoding="utf-8") != text:
        GALLERY.write_text(text, encoding="utf-8")


def _rows(pictures: Iterable[Path]) -> Iterator[str]:
    """Yield what is shown under one title: a heading for each thing, its pictures in all sizes below."""
    for thing, found in groupby(pictures, key=_thing):
        shown = "\n".join(f"![{_label(picture)}]({picture.name})" for picture in found)
        yield f"### {thing.replace('-', ' ').replace('.', ', ')}\n\n{shown}\n"


def _place(picture: Path) -> tuple[int, str, str, int, str]:
    module = _module(picture)
    rank = _FIRST.index(module) - len(_FIRST) if module in _FIRST else 1 if module in _LAST else 0
    size = re.search(r"-(\d+)x\d+", picture.stem)
    return rank, module, _thing(picture), int(size[1]) if size else 0, picture.name


def _module(picture: Path) -> str:
    return picture.name.partition(".")[0]


def _label(picture: Path) -> str:
    return picture.stem.partition(".")[2]


def _thing(picture: Path) -> str:
    return _SIZE.sub("", _label(picture))


def _title(module: str) -> str:
    docstring = ast.get_docstring(ast.parse((_TESTS / f"{module}.py").read_text(encoding="utf-8"))) or module
    return " ".join(docstring.split("\n\n")[0].split()).removesuffix(".")
