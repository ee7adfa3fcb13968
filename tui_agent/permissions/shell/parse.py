"""A command text as commands: every simple command anywhere in its syntax tree, and whether the tree can be believed.

The tree is the bash grammar's. Where it and bash are known to read a text differently (line continuations inside words,
here-documents, comments) the text is checked again by hand, and a disagreement means *not understood*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tui_agent.permissions.shell import parse_validation
from tui_agent.permissions.shell.words import Word, read_word

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

__all__ = ["MAX_LENGTH", "Assignment", "ParsedCommand", "ParsedScript", "Redirect", "parse", "tree"]

MAX_LENGTH: Final = 10_000
_BLANK_GAP: Final = re.compile(r"(?:[ \t]|\\\n)*[ \t](?:[ \t]|\\\n)*")
_RESERVED: Final = frozenset({
    "!", "{", "}", "[[", "]]", "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case",
    "esac", "select", "function", "time", "coproc", "in",
})  # fmt: skip
_OUTPUT: Final = frozenset({">", ">>", "&>", "&>>", ">|", ">&", "<>"})
_DUPLICATED: Final = re.compile(r"\d+|-|\d+-")


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable set for one command, or, where the command has no words, for the shell."""

    name: str
    value: Word


@dataclass(frozen=True, slots=True)
class Redirect:
    """One redirection. `target` is None for here-documents and here-strings, which name no file."""

    operator: str
    target: Word | None

    @property
    def is_free(self) -> bool:
        """Whether it touches no file: `2>&1`, `>&-`, `> /dev/null`, `< /dev/null`."""
        if self.target is None:
            return False
        if self.operator in {">&", "<&"} and _DUPLICATED.fullmatch(self.target.raw):
            return True
        return self.target.is_known and self.target.value == "/dev/null"

    @property
    def is_output(self) -> bool:
        """Whether it can create or change a file."""
        return self.operator in _OUTPUT and not self.is_free


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """One simple command: what is set for it, its words (the first is its name), its redirections."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedScript:
    """A parsed command text.

    `problem` says why the text is not understood, and `check` names the check it fails; both are empty for one that is.
    `commands` are all commands wherever they stand, also where it is not understood (then there may be more). `single` is the
    command if the text is one simple command, each word of which was read completely, and nothing else.
    """

    source: str
    commands: tuple[ParsedCommand, ...]
    redirects: tuple[Redirect, ...]
    single: ParsedCommand | None
    check: str = ""
    problem: str = ""
    may_run_hidden_code: bool = False

    @property
    def is_understood(self) -> bool:
        """Whether the tree accounts for the whole text."""
        return not self.problem


@lru_cache(maxsize=512)
def parse(source: str) -> ParsedScript:
    """Parse a command text. Never raises; what cannot be parsed is *not understood*."""
    if len(source) > MAX_LENGTH:
        return ParsedScript(source, (), (), None, "too-long", f"longer than {MAX_LENGTH:,} characters")
    if _SURROGATE.search(source):
        return ParsedScript(source, (), (), None, "syntax", "not valid text")
    root = tree(source)
    reading = _Reading(source, root)
    commands, redirects = reading.commands, reading.redirects
    joined = source.replace("\\\n", "")
    if joined != source:
        # bash drops a backslash before a line break even inside a word; the grammar ends the word there.
        other = _Reading(joined, tree(joined))
        commands, redirects = commands + other.commands, redirects + other.redirects
    check, problem = parse_validation.problem(root, source)
    single = None if problem else _single(root, source)
    hides_code = not problem and parse_validation.may_run_hidden_code(root, source)
    return ParsedScript(source, tuple(commands), tuple(redirects), single, check, problem, hides_code)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_LOST: Final = re.compile(r"(?<=[ \t])-(?=[ \t][^\n]*<<|<<)")


def tree(source: str) -> Node:
    """Return the root of the text's syntax tree, whose byte offsets are positions of characters in `source`.

    To bash, whatever is not ASCII is part of a word; so it is to the grammar, once each such character is a `%`. The grammar's
    scanner reads beyond its tables, and may crash the process, when it meets the characters themselves. A lone `-` before a
    here-document, which the grammar would pass over, is one as well.
    """
    text = _BEYOND_ASCII.sub("%", source)
    return _parser().parse(_LOST.sub("%", text).encode("ascii")).root_node


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


class _Reading:
    """Collects the commands and redirections of a tree."""

    def __init__(self, source: str, root: Node) -> None:
        self._source = source
        self.commands: list[ParsedCommand] = []
        self.redirects: list[Redirect] = []
        for node in parse_validation.nodes(root):
            if node.type in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
                self.redirects.append(self._redirect(node)[0])
            elif node.type in _COMMANDS:
                self.commands.append(self.command(node))
            elif node.type == "variable_assignment" and (node.parent is None or node.parent.type not in _COMMANDS):
                self.commands.append(ParsedCommand((), (self._assignment(node),)))
            elif node.type == "redirected_statement":
                self.commands.extend(self._misplaced(node))

    def _misplaced(self, node: Node) -> Iterator[ParsedCommand]:
        """Yield what words behind a redirection may belong to, where the tree hung it on more than one simple command.

        In `a | rm > log -rf x` the options are those of `rm`; in `A=1 > log rm x` they are a command of their own.
        """
        body = node.child_by_field_name("body")
        late = [word for child in node.children_by_field_name("redirect") for word in self._redirect(child)[1]]
        if not late or (body is not None and body.type == "command"):
            return
        yield ParsedCommand(tuple(self._words(late)))
        last = [inner for inner in parse_validation.nodes(body) if inner.type in _COMMANDS] if body is not None else []
        if last:
            yield ParsedCommand((*self.command(last[-1]).words, *self._words(late)))

    def command(self, node: Node) -> ParsedCommand:
        parts: list[Node] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        late: list[Node] = []
        for child in node.children:
            if child.type == "variable_assignment" and node.type == "command":
                assignments.append(self._assignment(child))
            elif child.type.endswith("_redirect"):
                redirect, more = self._redirect(child)
                redirects.append(redirect)
                late.extend(more)
            else:
                parts.append(child)
        outer = node.parent
        if outer is not None and outer.type == "redirected_statement" and outer.child_by_field_name("body") == node:
            for child in outer.children_by_field_name("redirect"):
                redirect, more = self._redirect(child)
                redirects.append(redirect)
                late.extend(more)
        return ParsedCommand(tuple(self._words([*parts, *late])), tuple(assignments), tuple(redirects))

    def _words(self, nodes: list[Node]) -> Iterator[Word]:
        """Yield a word for each run of nodes that touch: nothing between them means that bash reads one word."""
        start: int | None = None
        end = 0
        for node in nodes:
            if start is not None and node.start_byte != end:
                yield read_word(self._text(start, end))
                start = None
            if start is None:
                start = node.start_byte
            end = node.end_byte
        if start is not None:
            yield read_word(self._text(start, end))

    def _redirect(self, node: Node) -> tuple[Redirect, list[Node]]:
        """Return the redirection, and words of the command that the tree put behind it."""
        operator = next((child.type for child in node.children if not child.is_named), "")
        if node.type != "file_redirect":
            return Redirect(operator, None), node.children_by_field_name("argument")
        targets = node.children_by_field_name("destination")
        if not targets:
            return Redirect(operator, None), []
        first, rest = [targets[0]], targets[1:]
        while rest and rest[0].start_byte == first[-1].end_byte:
            first.append(rest.pop(0))
        return Redirect(operator, read_word(self._text(first[0].start_byte, first[-1].end_byte))), rest

    def _assignment(self, node: Node) -> Assignment:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        return Assignment(
            "" if name is None else self._text(name.start_byte, name.end_byte),
            read_word("" if value is None else self._text(value.start_byte, value.end_byte)),
        )

    def _text(self, start: int, end: int) -> str:
        return self._source[start:end]


_COMMANDS: Final = frozenset({"command", "declaration_command", "unset_command", "test_command"})


def _single(root: Node, source: str) -> ParsedCommand | None:
    """Return the one simple command that the whole text is, if that is certain without trusting the tree alone."""
    if root.named_child_count != 1 or len(root.children) != 1:
        return None
    node = root.named_children[0]
    if source[: node.start_byte].strip(" \t") or source[node.end_byte :].strip(" \t\n"):
        return None
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        if body is None or body.type != "command":
            return None
        pieces = [*body.children, *(child for child in node.children if child != body)]
        node = body
    elif node.type == "command":
        pieces = list(node.children)
    else:
        return None
    pieces.sort(key=lambda piece: piece.start_byte)
    for left, right in pairwise(pieces):
        gap = source[left.end_byte : right.start_byte]
        if gap and not _BLANK_GAP.fullmatch(gap):
            return None
    command = _Reading(source, node).command(node)
    words = command.words
    if not words or not all(word.is_plain for word in words) or not words[0].is_known:
        return None
    if words[0].raw in _RESERVED - {"time"} or "=" in words[0].raw:
        return None
    if any(redirect.target is None or not redirect.target.is_plain for redirect in command.redirects):
        return None
    if not all(assignment.value.is_plain and assignment.name.isidentifier() for assignment in command.assignments):
        return None
    return command
