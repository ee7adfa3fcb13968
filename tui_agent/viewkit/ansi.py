r"""Program output as styled lines: colours become styles, progress lines end as they stood last, all else is removed.

Understood are the colour sequences (SGR), carriage return, backspace and "erase line" within one line, which is how programs
draw progress bars. Every other sequence and every control is dropped by `text.clean`; nothing here passes through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rich.color import Color
from rich.style import Style

from tui_agent.text import clean
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.view import LinesBuilder, Palette
from tui_agent.viewkit.wrap import expand_tabs

__all__ = ["HEAD_LINES", "TAIL_LINES", "add_output", "ansi_lines"]

HEAD_LINES: Final = 120
TAIL_LINES: Final = 280
_KNOWN: Final = re.compile(r"(?:\x1b\[|\x9b)([0-9;:]*)([mK])")
_LONGEST_LINE: Final = 4000  # characters; the rest of a longer line is left out
_ATTRIBUTES: Final = {
    1: {"bold": True}, 2: {"dim": True}, 3: {"italic": True}, 4: {"underline": True}, 7: {"reverse": True},
    9: {"strike": True}, 21: {"underline": True}, 22: {"bold": False, "dim": False}, 23: {"italic": False},
    24: {"underline": False}, 27: {"reverse": False}, 29: {"strike": False},
}  # fmt: skip

Cell = tuple[str, Style]


def ansi_lines(text: str, base: Style) -> Iterator[list[Run]]:
    """Yield the lines of a program's output as runs over the style `base`. Colours carry over from line to line."""
    style = Style()
    for line in re.sub(r"\r+\n", "\n", text).split("\n"):
        if len(line) > _LONGEST_LINE:
            line = line[:_LONGEST_LINE] + "…"
        if line.isascii() and line.isprintable():
            yield [Run(line, base + style)] if line else []
            continue
        pieces, style = _pieces(line, style)
        if "\r" in line or "\b" in line or any(kind == "K" for kind, _, _ in pieces):
            yield _settle(pieces, base)
        else:
            yield [Run(shown, base + look) for _, raw, look in pieces if (shown := expand_tabs(_single(raw)))]


def add_output(
    builder: LinesBuilder,
    text: str,
    width: int,
    palette: Palette,
    *,
    head: int = HEAD_LINES,
    tail: int = TAIL_LINES,
) -> None:
    """Add a program's output in its own colours; of a long one its first `head` and last `tail` lines."""
    lines = text.strip("\n").split("\n")
    hidden = len(lines) - head - tail
    if hidden <= 1:
        _add(builder, "\n".join(lines), width, palette)
        return
    if head:
        _add(builder, "\n".join(lines[:head]), width, palette)
    builder.add_text(f"… {hidden:,} lines left out"[:width], palette.faint)
    if tail:
        _add(builder, "\n".join(lines[-tail:]), width, palette)


def _add(builder: LinesBuilder, text: str, width: int, palette: Palette) -> None:
    has_colours = palette.error.color is not None
    for runs in ansi_lines(text, palette.text):
        shown = runs if has_colours else [Run(run.text, run.style.without_color) for run in runs]
        add_runs(builder, shown, width, is_cut=True)


def _pieces(line: str, style: Style) -> tuple[list[tuple[str, str, Style]], Style]:
    """Split a line at the sequences that mean something: (`""` or `K`, text or argument, style), and the style after it."""
    pieces: list[tuple[str, str, Style]] = []
    at = 0
    for match in _KNOWN.finditer(line):
        if match.start() > at:
            pieces.append(("", line[at : match.start()], style))
        at = match.end()
        if match[2] == "K":
            pieces.append(("K", match[1], style))
        else:
            style = _restyle(style, match[1])
    if at < len(line):
        pieces.append(("", line[at:], style))
    return pieces, style


def _settle(pieces: Sequence[tuple[str, str, Style]], base: Style) -> list[Run]:
    """Return a line that was written over, as it looks in the end."""
    cells: list[Cell] = []
    at = 0
    for kind, raw, style in pieces:
        if kind == "K":
            match raw:
                case "2":
                    cells = []
                case "1":
                    cells[:at] = [(" ", base)] * min(at, len(cells))
                case _:
                    del cells[at:]
            continue
        for part in re.split("([\r\b])", raw):
            if part == "\r":
                at = 0
            elif part == "\b":
                at = max(0, at - 1)
            else:
                for character in expand_tabs(_single(part)):
                    cells += [(" ", base)] * (at - len(cells))
                    cells[at : at + 1] = [(character, base + style)]
                    at += 1
    runs: list[Run] = []
    for character, look in cells:
        if runs and runs[-1].style == look:
            runs[-1] = Run(runs[-1].text + character, look)
        else:
            runs.append(Run(character, look))
    return runs


def _single(text: str) -> str:
    """Clean a piece of one line; what is left of its line breaks would break the layout."""
    return clean(text).replace("\n", "")


def _restyle(style: Style, arguments: str) -> Style:
    """Return `style` changed as one colour sequence says; what is not understood changes nothing."""
    codes = _codes(arguments)
    for code in codes:
        if code == 0:
            style = Style()
        elif code in _ATTRIBUTES:
            style += Style(**_ATTRIBUTES[code])  # type: ignore[arg-type]
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style += Style(color=Color.from_ansi(code - 30 if code < 90 else code - 82))
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style += Style(bgcolor=Color.from_ansi(code - 40 if code < 100 else code - 92))
        elif code in {38, 48}:
            colour = _colour(codes)
            if colour is not None:
                style += Style(color=colour) if code == 38 else Style(bgcolor=colour)
        elif code == 39:
            style = Style.combine([style.without_color, Style(bgcolor=style.bgcolor)])
        elif code == 49:
            style = Style.combine([style.without_color, Style(color=style.color)])
    if style.color is not None and style.color == style.bgcolor:
        return style.without_color  # text that nobody can see is text that hides
    return style


def _codes(arguments: str) -> Iterator[int]:
    if ":" in arguments:
        # The colon form: `4:0` ends an underline, `4:3` curls it; `38:2::r:g:b` has a place for a colour space.
        arguments = ";".join(_uncolon(part) for part in arguments.split(";"))
    return iter([min(int(part), 1000) if part else 0 for part in arguments[:200].split(";") if len(part) < 5])


def _uncolon(part: str) -> str:
    fields = part.split(":")
    if fields[0] in {"38", "48"} and fields[1:2] == ["2"] and len(fields) >= 6:
        return ";".join([fields[0], "2", *(field or "0" for field in fields[3:6])])
    if fields[0] in {"38", "48"}:
        return ";".join(field or "0" for field in fields)
    return "24" if fields[:2] == ["4", "0"] else fields[0]


def _colour(codes: Iterator[int]) -> Color | None:
    match next(codes, None):
        case 5:
            number = next(codes, 256)
            return Color.from_ansi(number) if number < 256 else None
        case 2:
            red, green, blue = next(codes, 256), next(codes, 256), next(codes, 256)
            return Color.from_rgb(red, green, blue) if max(red, green, blue) < 256 else None
        case _:
            return None
