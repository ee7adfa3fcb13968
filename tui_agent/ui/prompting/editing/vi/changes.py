"""Changes that commands of vi make to a text: each takes a text and returns the next, with the cursor."""

from __future__ import annotations

from typing import Final

from tui_agent.ui.prompting.editing.offsets import first_column, line_end, line_start
from tui_agent.ui.prompting.editing.vi.registers import Register
from tui_agent.ui.prompting.editing.vi.spans import ViSpan
from tui_agent.ui.prompting.editing.vi.steps import ViStep

__all__ = [
    "CASES", "LONGEST", "cased", "deleted", "indent_of", "joined", "overtyped", "put", "put_over", "replaced", "shifted",
]  # fmt: skip

_INDENT: Final = 2  # columns
_TAB: Final = 8
LONGEST: Final = 1_000_000  # characters that a count may make
CASES: Final = {"gu": str.lower, "u": str.lower, "gU": str.upper, "U": str.upper, "g~": str.swapcase, "~": str.swapcase}


def indent_of(line: str) -> str:
    """Return the blanks a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def deleted(text: str, span: ViSpan) -> ViStep:
    """Take a part away; whole lines with a newline."""
    start, stop = span.start, span.stop
    if not span.is_lines:
        return ViStep(text[:start] + text[stop:], start)
    text = text[:start] + text[stop + 1 :] if stop < len(text) else text[: max(0, start - 1)]
    return ViStep(text, first_column(text, min(start, len(text))))


def cased(text: str, span: ViSpan, name: str) -> ViStep:
    """Make letters small or capital, or each the other. A letter that would become two stays as it is."""
    turn = CASES[name]
    chars = "".join(new if len(new := turn(char)) == 1 else char for char in span.of(text))
    return ViStep(text[: span.start] + chars + text[span.stop :], span.rest)


def shifted(text: str, span: ViSpan, by: int) -> ViStep:
    """Move the lines of a part to the right, or where `by` is negative to the left."""
    first, last = line_start(text, span.start), line_end(text, span.stop)
    lines = text[first:last].split("\n")
    if len(lines) * by * _INDENT > LONGEST:
        return ViStep(text, span.start)
    lines = [line and _indented(line, by * _INDENT) for line in lines]
    text = text[:first] + "\n".join(lines) + text[last:]
    return ViStep(text, first_column(text, first))


def _indented(line: str, columns: int) -> str:
    indent = indent_of(line)
    return " " * max(0, len(indent.expandtabs(_TAB)) + columns) + line[len(indent) :]


def replaced(text: str, cursor: int, count: int, char: str) -> ViStep:
    """Put a character in the place of so many; a newline in the place of all of them."""
    if cursor + count > line_end(text, cursor) or len(char) != 1:
        return ViStep(text, cursor)
    if char == "\n":
        indent = indent_of(text[line_start(text, cursor) : cursor])
        return ViStep(text[:cursor] + "\n" + indent + text[cursor + count :], cursor + 1 + len(indent))
    return ViStep(text[:cursor] + char * count + text[cursor + count :], cursor + count - 1)


def joined(text: str, cursor: int, count: int, *, is_plain: bool = False) -> ViStep:
    """Join so many lines to the one of the cursor, with a blank between; `is_plain` just as they are."""
    for _ in range(count):
        end = line_end(text, cursor)
        if end == len(text):
            break
        below = text[end + 1 : line_end(text, end + 1)]
        rest = below if is_plain else below.lstrip(" \t")
        needs_gap = rest and not rest.startswith(")") and end > line_start(text, cursor) and text[end - 1] not in " \t"
        gap = " " if needs_gap and not is_plain else ""
        text = text[:end] + gap + rest + text[end + 1 + len(below) :]
        cursor = end if gap or rest else max(line_start(text, end), end - 1)
    return ViStep(text, cursor)


def put(text: str, cursor: int, register: Register, count: int, *, is_before: bool) -> ViStep:
    """Put a register behind the cursor or its line, or before."""
    if not register or len(register.text) * count > LONGEST:
        return ViStep(text, cursor)
    body = register.times(count)
    if register.is_lines:
        start, end = line_start(text, cursor), line_end(text, cursor)
        if is_before:
            text = text[:start] + body + "\n" + text[start:]
            return ViStep(text, first_column(text, start))
        text = text[:end] + "\n" + body + text[end:]
        return ViStep(text, first_column(text, end + 1))
    at = cursor if is_before else min(cursor + 1, line_end(text, cursor))
    return ViStep(text[:at] + body + text[at:], at if "\n" in body else at + len(body) - 1)


def put_over(text: str, cursor: int, register: Register, count: int, span: ViSpan) -> ViStep:
    """Put a register in the place of a part."""
    if len(register.text) * count > LONGEST:
        return ViStep(text, cursor)
    body = register.times(count)
    before, behind = text[: span.start], text[span.stop :]
    if register.is_lines and not span.is_lines:
        before, behind = before + "\n", "\n" + behind
    text = before + body + behind
    if register.is_lines:
        return ViStep(text, first_column(text, len(before)))
    return ViStep(text, len(before) + (0 if "\n" in body else max(0, len(body) - 1)))


def overtyped(text: str, cursor: int, typed: str) -> ViStep:
    """Type over the text, as far as the line goes, and on behind it."""
    stop = min(cursor + len(typed), line_end(text, cursor))
    return ViStep(text[:cursor] + typed + text[stop:], cursor + len(typed))
