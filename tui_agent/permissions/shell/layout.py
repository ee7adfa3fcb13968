"""The layout of a text round the nodes of its tree: what may stand between them, how words are spelled."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tui_agent.permissions.shell.spelling import Unclear, read_spelling
from tui_agent.permissions.shell.statements import Piece, Series, Simple, Spelling

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["GAP", "LINES", "UNSURE", "TextLayout"]

_MAX_DEPTH: Final = 40
GAP: Final = re.compile(r"(?:[ \t]|\\\n)*")
LINES: Final = re.compile(r"(?:[ \t\n]|\\\n)*")
UNSURE: Final = "its structure is not understood"
_IS_DESCRIPTOR: Final = re.compile(r"[0-9]+|\{[A-Za-z0-9_\[\]]*\}")
_KEYWORDS: Final = frozenset({
    "if", "then", "elif", "else", "fi", "for", "in", "while", "until", "do", "done", "case", "esac", "select", "function",
    "[[", "]]",
})  # fmt: skip
_APART: Final = " \t\n;&|()<>`"
_SUBSTITUTIONS: Final = frozenset({"command_substitution", "process_substitution", "arithmetic_expansion", "expansion"})


class TextLayout:
    """A text and its tree. Readers of statements build on it."""

    def __init__(self, source: str, root: Node) -> None:
        self._source = source
        self._depth = 0
        self._stop = ""  # what ends a word here, next to blanks
        self._substitutions: dict[int, Node] = {}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.type in _KEYWORDS and not node.is_named:
                self._keyword(node)
            if node.type in _SUBSTITUTIONS:
                # In quotes the grammar takes blanks before it for a part of it.
                text = source[node.start_byte : node.end_byte]
                self._substitutions.setdefault(node.end_byte - len(text.lstrip(" \t\n")), node)
            waiting.extend(node.children)

    def _simple(self, nodes: list[Node]) -> Simple:
        raise NotImplementedError

    def _between(self, node: Node, opening: str, closing: str) -> Series:
        raise NotImplementedError

    def _keyword(self, node: Node) -> None:
        """Check that one of the shell's own words is a word by itself."""
        before = self._source[max(node.start_byte - 1, 0) : node.start_byte]
        after = self._source[node.end_byte : node.end_byte + 1]
        if (before and before not in _APART) or (after and after not in _APART):
            raise Unclear("syntax", UNSURE)

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte]

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Unclear("too-long", "it is nested too deeply")

    def _gap(self, start: int, end: int) -> bool:
        """Check that only blanks and line breaks stand between; return whether there is a line break."""
        text = self._source[start:end]
        if text and not LINES.fullmatch(text):
            raise Unclear("syntax", UNSURE)
        return "\n" in text.replace("\\\n", "")

    def _blank(self, start: int, end: int) -> None:
        """Check that only blanks stand between, no line break."""
        if not GAP.fullmatch(self._source, start, end):
            raise Unclear("syntax", UNSURE)

    def _comment(self, node: Node) -> None:
        text = self._source[node.start_byte : node.end_byte]
        before = self._source[max(node.start_byte - 2, 0) : node.start_byte]
        if "\n" in text or before == "\\\n" or self._source[node.end_byte : node.end_byte + 1] not in {"", "\n"}:
            raise Unclear("syntax", "whether part of it is a comment is not clear")

    def _tight(self, node: Node) -> None:
        """Check that only blanks and line breaks stand between a node's children."""
        for left, right in pairwise(node.children):
            self._gap(left.end_byte, right.start_byte)

    def _spelling(self, start: int, end: int) -> Spelling:
        pieces, stop = self._read(start)
        if stop != end:
            raise Unclear("syntax", "where one of its words ends is not clear")
        raw = self._source[start:end]
        if self._source[end : end + 1] in {"<", ">"} and _IS_DESCRIPTOR.fullmatch(raw):
            raise Unclear("descriptor", "it uses a file descriptor in a way that is not understood")
        return Spelling(raw, pieces, start=start)

    def _read(self, start: int) -> tuple[tuple[Piece, ...], int]:
        return read_spelling(self._source, start, self._nested, stop=self._stop)

    def _calculation(self, node: Node, text: str) -> Piece:
        """Return arithmetic with the commands in it apart."""
        start = node.end_byte - len(text) + 3
        out, at, inner = "", start, []
        waiting = list(reversed(node.children))
        while waiting:
            child = waiting.pop()
            if child.type != "command_substitution":
                waiting.extend(reversed(child.children))
                continue
            begin = child.end_byte - len(self._text(child).lstrip(" \t\n"))
            piece, end = self._nested(begin)
            inner.append(piece)
            out += self._source[at:begin] + "$#"
            at = end
        return Piece("arithmetic", out + self._source[at : node.end_byte - 2], inner=tuple(inner))

    def _nested(self, at: int) -> tuple[Piece, int]:
        """Read the substitution that the grammar found at a position."""
        node = self._substitutions.get(at)
        if node is None:
            raise Unclear("substitution", "it holds an expansion that is not understood")
        self._deeper()
        try:
            return self._substitution(node), node.end_byte
        finally:
            self._depth -= 1

    def _substitution(self, node: Node) -> Piece:
        text = self._text(node).lstrip(" \t\n")
        if node.type == "expansion":
            return Piece("unknown")
        if node.type == "arithmetic_expansion":
            if not (text.startswith("$((") and text.endswith("))")):
                raise Unclear("arithmetic", "it holds arithmetic of an old form")
            return self._calculation(node, text)
        if node.type == "process_substitution":
            if not text.startswith("<("):
                raise Unclear("process-output", "it writes to another command that it starts")
            return Piece("file", text, code=self._between(node, "<(", ")"))
        if text.startswith("`"):
            if "\\" in text or "`" in text[1:-1]:
                raise Unclear("substitution", "a command in backticks is not understood")
            self._stop = "`"
            try:
                return Piece("code", text, code=self._between(node, "`", "`"))
            finally:
                self._stop = ""
        if text.startswith("$(("):  # in a here-document; bash takes it for arithmetic where it can
            if not text.endswith("))"):
                raise Unclear("arithmetic", "it holds an expansion that is not understood")
            return Piece("arithmetic", text[3:-2])
        inner = node.children[1:-1]
        if [child.type for child in inner] == ["file_redirect"]:  # `$(< file)`
            return Piece("code", text, code=Series(items=(self._simple(inner),)))
        return Piece("code", text, code=self._between(node, "$(", ")"))
