"""Simple commands: assignments, words and redirections, brought into the order of the text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tui_agent.permissions.shell.layout import GAP, LINES, UNSURE, TextLayout
from tui_agent.permissions.shell.spelling import Unclear, read_body
from tui_agent.permissions.shell.statements import Condition, Piece, Redirection, Simple, Spelling, Statement

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Commands"]

_RESERVED: Final = frozenset({
    "!", "{", "}", "[[", "]]", "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case",
    "esac", "select", "function", "coproc", "in",
})  # fmt: skip
_DELIMITER: Final = re.compile(r"([A-Za-z0-9_.!-]+)|'([A-Za-z0-9_.! -]+)'|\"([A-Za-z0-9_.! -]+)\"|\\([A-Za-z0-9_.!-]+)")
_OTHER_SHELL: Final = re.compile(r"=[^=~]")
_REGEX: Final = re.compile(r"(?:\$(?![({])|[A-Za-z0-9_^.*+?\[\](){}|/:,=@%#~!-]|\\[^\sA-Za-z0-9])+")


def _timed(words: list[Spelling]) -> str:
    """Return the word in which what `time` times begins, as it is written; empty where nothing follows."""
    return next((word.raw for word in words if word.raw not in {"time", "-p", "--", "!"}), "")


class Commands(TextLayout):
    """Reads simple commands, conditions and redirections."""

    def _simple(self, nodes: list[Node]) -> Simple:
        """Read a command from its own nodes and the redirections that stand behind it."""
        pieces: list[Node] = []
        for node in nodes:
            if node.type in {"command", "declaration_command", "unset_command", "variable_assignments"}:
                pieces.extend(child for child in node.children if child.end_byte > child.start_byte)
            else:
                pieces.append(node)
        is_plain = nodes[0].type not in {"declaration_command", "unset_command"}
        words: list[Spelling] = []
        assignments: list[tuple[str, Spelling]] = []
        redirects: list[Redirection] = []
        run: list[Node] = []
        at = pieces[0].start_byte if pieces else nodes[0].start_byte

        def close() -> None:
            if run:
                words.append(self._spelling(run[0].start_byte, run[-1].end_byte))
                run.clear()

        for piece, redirect, end in self._spread(pieces):
            if piece.start_byte < at:
                raise Unclear("syntax", UNSURE)
            if run and (piece.start_byte > at or redirect is not None):
                close()
            self._blank(at, piece.start_byte)
            at = end
            if redirect is not None:
                redirects.append(redirect)
            elif piece.type == "variable_assignment" and is_plain and not words and not run:
                assignments.append(self._assignment(piece))
            else:
                run.append(piece)
        close()
        if words and words[0].raw in _RESERVED and not assignments:
            raise Unclear("syntax", UNSURE)
        if words and words[0].raw == "time" and not assignments and not any(word.raw[0] != "-" for word in words[1:]):
            raise Unclear("syntax", UNSURE)
        if words and words[0].raw == "time" and not assignments and _timed(words) in _RESERVED:
            raise Unclear("syntax", UNSURE)  # bash times a whole pipeline, groups and loops too; the grammar a command
        if any(_OTHER_SHELL.match(word.raw) for word in words):
            raise Unclear("unknown-construct", "a word beginning with `=` is read differently by different shells")
        return Simple(words=tuple(words), assignments=tuple(assignments), redirects=tuple(redirects))

    def _spread(self, nodes: list[Node]) -> list[tuple[Node, Redirection | None, int]]:
        """Return a command's pieces in the order of the text, with where each ends; words behind a redirection apart."""
        out: list[tuple[Node, Redirection | None, int]] = []
        for node in self._flat(nodes):
            if not node.type.endswith("_redirect"):
                out.append((node, None, node.end_byte))
                continue
            redirect, late = self._redirect(node)
            end = node.end_byte
            if node.type == "heredoc_redirect":
                end = next(child for child in node.children if child.type == "heredoc_start").end_byte
            elif late:
                end = next(child for child in reversed(node.children) if child.end_byte <= late[0].start_byte).end_byte
            out.append((node, redirect, end))
            out.extend((word, None, word.end_byte) for word in late)
        return sorted(out, key=lambda item: item[0].start_byte)

    def _assignment(self, node: Node) -> tuple[str, Spelling]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        operator = next((child for child in node.children if not child.is_named), None)
        if name is None or operator is None or operator.type != "=" or name.type != "variable_name":
            raise Unclear("assignment", "it sets a variable in a way that is not understood")
        text = self._text(name)
        if not text.isidentifier() or not text.isascii() or self._source[name.end_byte] != "=":
            raise Unclear("assignment", "it sets a variable in a way that is not understood")
        at = name.end_byte + 1
        following = self._source[at : at + 1]
        if at == node.end_byte:
            if following and following not in " \t\n;&|)<>`":
                raise Unclear("syntax", UNSURE)
            return text, Spelling("", ())
        if value is not None and value.type == "array":
            return f"{text}[]", self._array(value, at)
        return text, self._spelling(at, node.end_byte)

    def _array(self, node: Node, at: int) -> Spelling:
        """Read `(…)` behind `name=`: words, none of which may set an element by its subscript."""
        if node.start_byte != at or not self._text(node).startswith("(") or not self._text(node).endswith(")"):
            raise Unclear("assignment", "it sets an array in a way that is not understood")
        items: list[Spelling] = []
        at, end = at + 1, node.end_byte - 1
        while True:
            gap = LINES.match(self._source, at, end)
            at = gap.end() if gap else at
            if at >= end:
                return Spelling(self._text(node), (), tuple(items))
            pieces, stop = self._read(at)
            raw = self._source[at:stop]
            if stop > end or raw.startswith("["):
                raise Unclear("subscript", "a subscript is evaluated before it runs")
            items.append(Spelling(raw, pieces))
            at = stop

    def _test(self, node: Node) -> Statement:
        opening = node.children[0].type
        if opening == "[":
            return Simple(words=tuple(self._words(node.start_byte, node.end_byte)))
        if opening != "[[" or node.children[-1].type != "]]":
            raise Unclear("unknown-construct", "it holds a condition that is not understood")
        return Condition(
            source=self._text(node), words=self._condition(node.children[0].end_byte, node.children[-1].start_byte)
        )

    def _words(self, start: int, end: int) -> list[Spelling]:
        words: list[Spelling] = []
        at = start
        while at < end:
            gap = GAP.match(self._source, at, end)
            at = gap.end() if gap else at
            if at < end:
                pieces, stop = self._read(at)
                words.append(Spelling(self._source[at:stop], pieces, start=at))
                at = stop
        if at != end or len(words) < 2 or words[-1].raw != "]":
            raise Unclear("syntax", UNSURE)
        return words

    def _condition(self, start: int, end: int) -> tuple[Spelling | str, ...]:
        """Split what stands between `[[` and `]]` into operators, kept as text, and words."""
        out: list[Spelling | str] = []
        at = start
        while True:
            gap = LINES.match(self._source, at, end)
            after = gap.end() if gap else at
            if after >= end:
                break
            at = after
            two, one = self._source[at : at + 2], self._source[at]
            if out and out[-1] == "=~":
                pattern = _REGEX.match(self._source, at, end)
                if pattern is None or pattern[0].count("(") != pattern[0].count(")"):
                    raise Unclear("test-expression", "the pattern of a condition is not understood")
                out.append(Spelling(pattern[0], (Piece("text", pattern[0], is_quoted=True),)))
                at = pattern.end()
                if at < end and self._source[at] not in " \t\n":
                    raise Unclear("test-expression", "the pattern of a condition is not understood")
            elif two in {"&&", "||"}:
                out.append(two)
                at += 2
            elif one in "()<>" and two not in {"<(", ">("}:
                out.append(one)
                at += 1
            else:
                pieces, at = self._read(at)
                if at > end:
                    raise Unclear("syntax", UNSURE)
                raw = self._source[at - len(self._source[after:at]) : at]
                out.append("=~" if raw == "=~" else Spelling(raw, pieces))
        return tuple(out)

    def _flat(self, redirects: list[Node]) -> list[Node]:
        """Return redirections with those that stand behind a here-document's delimiter, in the order of the text."""
        out: list[Node] = []
        for one in redirects:
            out.append(one)
            if one.type == "heredoc_redirect":
                out.extend(one.children_by_field_name("redirect"))
        return out

    def _redirect(self, node: Node) -> tuple[Redirection, list[Node]]:
        """Return a redirection, and words of the command that the grammar put behind it."""
        operator = next((child for child in node.children if not child.is_named), None)
        if operator is None:
            raise Unclear("syntax", UNSURE)
        if node.type == "heredoc_redirect":
            return self._document(node, operator), node.children_by_field_name("argument")
        if node.type == "herestring_redirect":
            inside = [child for child in node.children if child.start_byte >= operator.end_byte]
            if node.children[0] != operator or not inside:
                raise Unclear("syntax", UNSURE)
            self._blank(operator.end_byte, inside[0].start_byte)
            return Redirection("<<<", body=self._spelling(inside[0].start_byte, node.end_byte)), []
        descriptor = node.child_by_field_name("descriptor")
        targets = node.children_by_field_name("destination")
        if len(targets) + 1 + (descriptor is not None) != len(node.children):
            raise Unclear("syntax", UNSURE)
        number = ""
        if descriptor is not None:
            number = self._text(descriptor)
            if not number.isdecimal() or descriptor.end_byte != operator.start_byte:
                raise Unclear("descriptor", "it uses a file descriptor in a way that is not understood")
        if operator.type in {">&-", "<&-"} and not targets:
            return Redirection(operator.type[:2], number, Spelling("-", (Piece("text", "-"),))), []
        if not targets or operator.type not in {"<", ">", ">>", ">|", "&>", "&>>", ">&", "<&"}:
            raise Unclear("descriptor", "it redirects in a way that is not understood")
        count = 1
        while count < len(targets) and targets[count].start_byte == targets[count - 1].end_byte:
            count += 1
        self._blank(operator.end_byte, targets[0].start_byte)
        target = self._spelling(targets[0].start_byte, targets[count - 1].end_byte)
        return Redirection(operator.type, number, target), targets[count:]

    def _document(self, node: Node, operator: Node) -> Redirection:
        """Read a here-document whose end is the first line that is its delimiter, as bash has it."""
        parts = {child.type: child for child in node.children if child.type.startswith("heredoc_")}
        start, body, end = (parts.get(name) for name in ("heredoc_start", "heredoc_body", "heredoc_end"))
        unclear = Unclear("here-document", "where its here-document ends is not clear")
        if start is None or end is None or operator.type not in {"<<", "<<-"} or node.children[0] != operator:
            raise unclear
        delimiter = _DELIMITER.fullmatch(self._text(start))
        if delimiter is None:
            raise unclear
        self._blank(operator.end_byte, start.start_byte)
        word = next(filter(None, delimiter.groups()))
        is_literal = delimiter[1] is None
        first = self._source.find("\n", start.end_byte) + 1
        if not first or any(
            child.end_byte > first - 1 for child in node.children if not child.type.startswith("heredoc_")
        ):
            raise unclear
        for left, right in pairwise(
            child for child in node.children if child.type not in {"heredoc_body", "heredoc_end"}
        ):
            self._blank(left.end_byte, right.start_byte)
        rest = [child for child in node.children if child.end_byte < first]
        self._blank(rest[-1].end_byte, first - 1)
        at = first
        while at < len(self._source):
            stop = self._source.find("\n", at)
            stop = len(self._source) if stop < 0 else stop
            line = self._source[at:stop]
            if (line.lstrip("\t") if operator.type == "<<-" else line) == word:
                break
            at = stop + 1
        if end.end_byte != at + len(self._source[at:].partition("\n")[0]) or not at <= end.start_byte <= end.end_byte:
            raise unclear
        text = self._source[first:at]
        if is_literal:
            return Redirection("<<", body=Spelling(text, (Piece("text", text, is_quoted=True),)))
        if "\\\n" in text or (body is None and text.strip()):
            raise unclear
        return Redirection("<<", body=Spelling(text, read_body(self._source, first, at, self._nested)))
