"""How one word is spelled: read character by character as bash reads it, into pieces that are literal, expanded or run.

This is a second reading, next to that of the grammar. The two must agree on where a word ends and on what is a substitution;
where they do not, or where a spelling is one that this reader does not know, the text is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal

from tui_agent.permissions.shell.statements import Piece

__all__ = ["Nested", "Unclear", "read_body", "read_spelling"]


class Unclear(Exception):  # noqa: N818 - nothing went wrong; a user is asked
    """The text is not understood: by which check, and why, as a clause for a user."""

    def __init__(self, check: str, reason: str) -> None:
        super().__init__(reason)
        self.check = check
        self.reason = reason


Nested = Callable[[int], "tuple[Piece, int]"]
"""Reads the substitution that begins at a position: what it is, and where it ends."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN: Final = re.compile(r"[^\s\x00-\x1f\x7f'\"\\$`*?\[\]{},~;&|<>()#=:]+")
_IN_QUOTES: Final = re.compile(r'[^"\\$`]+')
_IN_BODY: Final = re.compile(r"[^\\$`]+")
_LENGTH: Final = re.compile(r"\$\{#(?:[A-Za-z_][A-Za-z0-9_]*(?:\[[@*]\])?|[@*0-9]|)\}")
_PARAMETER: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*?#$!-])")
_ELEMENT: Final = re.compile(r"\[([@*]|[0-9]+)\]")
_SLICE: Final = re.compile(r":(?: ?-?[0-9]+| -[0-9]+)(?::-?[0-9]+)?(?=\})")
_OPERAND: Final = re.compile(r"(?::[-+?]|[-+?]|##?|%%?|//?|/[#%]|\^\^?|,,?)(?:[^'\"\\$`{}\n<>&;|]|\\[/.])*(?=\})")
_ENDS: Final = " \t\n;&|<>()"
_ANSI: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_UNCLEAR_END: Final = "where one of its words ends is not clear"


def read_spelling(source: str, start: int, nested: Nested, *, stop: str = "") -> tuple[tuple[Piece, ...], int]:
    """Read the word that begins at `start`; return its pieces and where it ends.

    `stop` is a character that ends it too: the backtick, inside backticks.

    Raises:
        Unclear: it is spelled in a way that is not known.
    """
    pieces: list[Piece] = []
    at = start
    while at < len(source):
        char = source[at]
        if char == stop:
            break
        if char in _ENDS:
            if char in "<>" and source[at + 1 : at + 2] == "(":
                if pieces:
                    raise Unclear("substitution", "a process substitution stands inside a word")
                piece, at = nested(at)
                pieces.append(piece)
                continue
            if char == "(":
                raise Unclear("unknown-construct", "it holds a bracket that is not understood")
            break
        at = _read_piece(source, start, at, pieces, nested)
    if at == start:
        raise Unclear("syntax", _UNCLEAR_END)
    return tuple(_settled(pieces)), at


def _read_piece(source: str, start: int, at: int, pieces: list[Piece], nested: Nested) -> int:
    """Read what stands at `at`, which is not the end of the word."""
    char = source[at]
    match = _PLAIN.match(source, at)
    if match:
        pieces.append(Piece("text", match[0]))
        return match.end()
    if char in "'\"\\$`":
        return _read_quoted(source, at, pieces, nested)
    if char in "*?[":
        pieces.append(Piece("glob", char))
    elif char in "{},":
        pieces.append(Piece("brace", char))
    elif char == "~":
        pieces.append(_tilde(source, start, at))
    elif char == "#" and at == start:
        raise Unclear("syntax", "whether part of it is a comment is not clear")
    elif char in "]=:#":
        pieces.append(Piece("text", char))
    elif ord(char) > 127:  # a blank elsewhere, but part of a word to bash
        pieces.append(Piece("text", char, is_quoted=True))
    else:
        raise Unclear("control-characters", "it holds a control character")
    return at + 1


def _read_quoted(source: str, at: int, pieces: list[Piece], nested: Nested) -> int:
    """Read quotes, an escaped character, or what is expanded."""
    char = source[at]
    if char == "'":
        end = source.find("'", at + 1)
        if end < 0:
            raise Unclear("syntax", "a quote is not closed")
        pieces.append(Piece("text", source[at + 1 : end], is_quoted=True))
        return end + 1
    if char == '"':
        pieces.append(Piece("text", "", is_quoted=True))
        inside, end = _read_until(source, at + 1, _IN_QUOTES, '$`"\\\n', '"', nested)
        pieces.extend(inside)
        return end + 1
    if char == "\\":
        if at + 1 >= len(source) or source[at + 1] == "\n":
            raise Unclear("syntax", _UNCLEAR_END)
        pieces.append(Piece("text", source[at + 1], is_quoted=True))
        return at + 2
    if source.startswith("$'", at):
        text, end = _ansi(source, at + 2)
        pieces.append(Piece("text", text, is_quoted=True))
        return end
    if source.startswith('$"', at):
        raise Unclear("unknown-construct", "it holds a translated string")
    piece, end = _expansion(source, at, nested, is_quoted=False)
    is_bare = piece.text == "$" or (piece.kind == "variable" and source[at + 1] != "{")
    in_braces = any(before.kind == "brace" and before.text == "{" for before in pieces)
    if is_bare and source[end : end + 1] in ({"{", "}", ","} if in_braces else {"{"}):
        # Braces are expanded first, as text: `$x{1,2}` is `$x1 $x2`.
        raise Unclear("unknown-construct", "a variable beside braces is not understood")
    pieces.append(piece)
    return end


def _tilde(source: str, start: int, at: int) -> Piece:
    if at == start:
        is_home = at + 1 >= len(source) or source[at + 1] in _ENDS + "/"
        return Piece("home", "~") if is_home else Piece("unknown", "~")
    # It may come to stand at the start once braces are expanded, or where a variable is set.
    return Piece("unknown", "~") if source[at - 1] in "=:{," else Piece("text", "~")


def _read_until(
    source: str, at: int, plain: re.Pattern[str], escapable: str, stop: str, nested: Nested, *, end: int | None = None
) -> tuple[list[Piece], int]:
    """Read what double quotes or a here-document hold, up to `stop` or to `end`."""
    pieces: list[Piece] = []
    limit = len(source) if end is None else end
    while at < limit:
        match = plain.match(source, at, limit)
        if match:
            pieces.append(Piece("text", match[0], is_quoted=True))
            at = match.end()
        elif source[at] == stop:
            return pieces, at
        elif source[at] == "\\":
            following = source[at + 1 : at + 2]
            if following and following in escapable:
                pieces.append(Piece("text", "" if following == "\n" else following, is_quoted=True))
            else:
                pieces.append(Piece("text", "\\" + following, is_quoted=True))
            at += 2
        else:
            piece, at = _expansion(source, at, nested, is_quoted=True)
            pieces.append(piece)
    if end is None or at != end:
        raise Unclear("syntax", "a quote is not closed")
    return pieces, at


def read_body(source: str, start: int, end: int, nested: Nested) -> tuple[Piece, ...]:
    """Read the lines of a here-document that bash expands."""
    return tuple(_read_until(source, start, _IN_BODY, "$`\\\n", "", nested, end=end)[0])


def _expansion(source: str, at: int, nested: Nested, *, is_quoted: bool) -> tuple[Piece, int]:
    """Read what a `$` or a backtick begins."""
    following = source[at + 1 : at + 2]
    if source[at] == "`" or following == "(":
        piece, end = nested(at)
        return Piece(piece.kind, piece.text, is_quoted=is_quoted, code=piece.code, inner=piece.inner), end
    if following == "{":
        return _parameter(source, at, nested, is_quoted=is_quoted)
    name = _NAME.match(source, at + 1)
    if name:
        if source[name.end() : name.end() + 1] == "[":
            raise Unclear("subscript", "what looks like a subscript is read differently by different shells")
        return Piece("variable", name[0], is_quoted=is_quoted), name.end()
    if following and following in "?#$!":
        if following == "$" and source[at + 2 : at + 3] in {*"({$[", *("" if is_quoted else "'\"")}:
            raise Unclear("substitution", "where an expansion begins is not clear")
        return Piece("number", following, is_quoted=is_quoted), at + 2
    if following and following in "@*":
        return Piece("many", is_quoted=is_quoted), at + 2
    if following and following in "0123456789-":
        return Piece("unknown", is_quoted=is_quoted), at + 2
    if following == "[":
        raise Unclear("arithmetic", "it holds arithmetic of an old form")
    return Piece("text", "$", is_quoted=True), at + 1


def _parameter(source: str, at: int, nested: Nested, *, is_quoted: bool) -> tuple[Piece, int]:
    """Read `${…}`. Only forms whose operand neither runs nor evaluates anything are known."""
    length = _LENGTH.match(source, at)
    if length:
        return Piece("number", is_quoted=is_quoted), length.end()
    head = _PARAMETER.match(source, at)
    if head is None:
        raise Unclear("substitution", "it holds an expansion that is not understood")
    name, end = head[1], head.end()
    kind: Literal["many", "unknown"] = "many" if name in {"@", "*"} else "unknown"
    element = _ELEMENT.match(source, end)
    if element:
        kind, end = ("many" if element[1] in {"@", "*"} else "unknown"), element.end()
    elif source[end : end + 1] == "[":
        raise Unclear("subscript", "a subscript is evaluated before it runs")
    if source[end : end + 1] == "}":
        if element and kind == "many":
            return Piece(kind, name, is_quoted=is_quoted), end + 1
        if not element and _NAME.fullmatch(name):
            return Piece("variable", name, is_quoted=is_quoted), end + 1
        return Piece(kind, is_quoted=is_quoted), end + 1
    more = _SLICE.match(source, end) or _OPERAND.match(source, end)
    if more is None:
        raise Unclear("substitution", "it holds an expansion that is not understood")
    if nested(at)[1] != more.end() + 1:
        raise Unclear("substitution", "where an expansion ends is not clear")
    return Piece(kind, is_quoted=is_quoted), more.end() + 1


def _ansi(source: str, at: int) -> tuple[str, int]:
    """Read what stands in `$'…'`."""
    out: list[str] = []
    while at < len(source):
        char = source[at]
        if char == "'":
            return "".join(out), at + 1
        if char != "\\":
            out.append(char)
            at += 1
            continue
        following = source[at + 1 : at + 2]
        coded = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3}))").match(source, at)
        if following in _ANSI and following:
            out.append(_ANSI[following])
            at += 2
        elif coded:
            code = int(coded[1] or coded[2] or coded[3], 8 if coded[3] else 16)
            if not 0 < code < 128:
                raise Unclear("control-characters", "it holds a coded character that is not understood")
            out.append(chr(code))
            at = coded.end()
        else:
            raise Unclear("syntax", "it holds a coded character that is not understood")
    raise Unclear("syntax", "a quote is not closed")


def _settled(pieces: list[Piece]) -> list[Piece]:
    """Make text of glob characters that cannot be one: a `[` that nothing closes."""
    last = max((at for at, piece in enumerate(pieces) if piece.kind == "text" and piece.text == "]"), default=-1)
    return [
        Piece("text", piece.text) if piece.kind == "glob" and piece.text == "[" and at > last else piece
        for at, piece in enumerate(pieces)
    ]
