"""A screen as text that a user can read in a diff: its rows of characters, then the styles of each row as runs.

A frame is kept as

    120x40
    <one line for each row, without blanks at its end>
    styles
    <one line for each row: `KEYxCELLS`, run after run; `*3` before a line stands for three rows that are alike>
    legend
    <KEY, a blank, the style as Rich spells it>

Keys are made from the styles, so that the same style has the same key in every frame.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from textual._context import visible_screen_stack
from textual.app import App
from textual.strip import Strip

__all__ = ["Frame", "comparison", "read_frame", "screen_frame", "screen_strips"]

_KEY_LENGTH = 5


@dataclass(frozen=True)
class Frame:
    """A screen: its size in cells, its rows, the runs of each row as pairs of a style's key and cells, and the styles."""

    size: tuple[int, int]
    rows: tuple[str, ...]
    runs: tuple[tuple[tuple[str, int], ...], ...]
    legend: dict[str, str]

    def text(self) -> str:
        """Return the frame as it is kept."""
        lines = [f"{self.size[0]}x{self.size[1]}", *self.rows, "styles"]
        for line, alike in groupby(" ".join(f"{key}x{cells}" for key, cells in row) for row in self.runs):
            count = len(list(alike))
            lines.append(f"*{count} {line}" if count > 1 else line)
        lines += ["legend", *(f"{key} {style}" for key, style in sorted(self.legend.items()))]
        return "\n".join(lines) + "\n"


def screen_strips(app: App[Any]) -> list[Strip]:
    """Return the lines of the app's screen, drawn now, with what lies behind a dialog."""
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


def screen_frame(app: App[Any], strips: list[Strip] | None = None) -> Frame:
    """Return what the app's screen shows; `strips` are its lines, where they have been drawn already."""
    rows: list[str] = []
    runs: list[tuple[tuple[str, int], ...]] = []
    legend: dict[str, str] = {}
    for strip in screen_strips(app) if strips is None else strips:
        segments = [
            (segment.text, str(segment.style or Style.null()))
            for segment in strip
            if segment.text and not segment.control
        ]
        rows.append("".join(text for text, _ in segments).rstrip())
        row: list[tuple[str, int]] = []
        for style, texts in groupby(segments, key=lambda segment: segment[1]):
            key = _key(style)
            if legend.setdefault(key, style) != style:
                raise ValueError(f"two styles have the key {key}: {legend[key]!r} and {style!r}")
            row.append((key, sum(cell_len(text) for text, _ in texts)))
        runs.append(tuple(row))
    return Frame((app.size.width, app.size.height), tuple(rows), tuple(runs), legend)


def read_frame(text: str) -> Frame:
    """Return a frame from the text that it is kept as."""
    lines = text.removesuffix("\n").split("\n")
    width, height = map(int, lines[0].split("x"))
    styles, legend = lines.index("styles", height + 1), lines.index("legend", height + 1)
    runs: list[tuple[tuple[str, int], ...]] = []
    for line in lines[styles + 1 : legend]:
        words = line.split()
        count = int(words.pop(0)[1:]) if words and words[0].startswith("*") else 1
        pairs = (word.rpartition("x") for word in words)
        runs += [tuple((key, int(cells)) for key, _, cells in pairs)] * count
    known = dict(line.split(" ", 1) for line in lines[legend + 1 :])
    return Frame((width, height), tuple(lines[1:styles]), tuple(runs), known)


def comparison(name: str, old: Frame | None, new: Frame) -> str:
    """Return a page that shows the kept frame and the new one side by side, with the rows that differ marked."""
    differing = {
        y for y in range(max(len(new.rows), len(old.rows) if old else 0)) if old is None or _row(old, y) != _row(new, y)
    }
    sides = "".join(
        f"<section><h2>{title}</h2><pre>{''.join(_painted(frame, differing)) if frame else 'none'}</pre></section>"
        for title, frame in (("kept", old), ("new", new))
    )
    return _PAGE.format(
        name=html.escape(name),
        count=f"{len(differing)} row{' differs' if len(differing) == 1 else 's differ'}",
        sides=sides,
    )


_PAGE = """<!doctype html><meta charset="utf-8"><title>{name}</title>
<style>body{{font:14px sans-serif}}main{{display:flex;flex-wrap:wrap;gap:1em}}pre{{font:12px/1.25 monospace;padding-left:6px}}
.d{{box-shadow:-6px 0 0 red}}</style><h1>{name}</h1><p>{count}, marked with a red bar.</p><main>{sides}</main>
"""


@lru_cache(maxsize=4096)
def _key(style: str) -> str:
    return base64.b32encode(hashlib.sha256(style.encode()).digest()).decode().lower()[:_KEY_LENGTH]


def _row(frame: Frame, y: int) -> object:
    if y >= len(frame.rows):
        return None
    return frame.rows[y], [(frame.legend[key], cells) for key, cells in frame.runs[y]]


def _painted(frame: Frame, differing: set[int]) -> Iterator[str]:
    for y, (row, runs) in enumerate(zip(frame.rows, frame.runs, strict=True)):
        text, out = row.ljust(frame.size[0]), ""
        for key, cells in runs:
            piece = ""
            while text and cell_len(piece) < cells:
                piece, text = piece + text[0], text[1:]
            out += f'<span style="{_css(frame.legend[key])}">{html.escape(piece)}</span>'
        yield f'<div class="{"d" if y in differing else ""}">{out}</div>'


def _css(style: str) -> str:
    parsed = Style.parse(style)
    front, back = (color.get_truecolor().hex if color else "" for color in (parsed.color, parsed.bgcolor))
    if parsed.reverse:
        front, back = back or "#000", front or "#fff"
    found = {
        "color": front,
        "background": back,
        "font-weight": "bold" if parsed.bold else "",
        "font-style": "italic" if parsed.italic else "",
        "opacity": "0.6" if parsed.dim else "",
        "text-decoration": " ".join(
            filter(None, ("underline" if parsed.underline else "", "line-through" if parsed.strike else ""))
        ),
    }
    return ";".join(f"{name}:{value}" for name, value in found.items() if value)
