"""Commands that can run in a sandbox of their own, and whether the shell around them does nothing but start them.

Where a text mixes commands that need the user's rights with others that were let through because they only read, one sandbox
for all would be too narrow or too wide. The shell then runs with the user's rights and each reading command is started in a
sandbox. What the shell itself works out must be plain then: no expansion that evaluates or assigns, no builtin that does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tui_agent.permissions.shell.conditions import NUMBERS
from tui_agent.permissions.shell.part import Part
from tui_agent.permissions.shell.statements import (  # fmt: skip
    AndOr,
    Case,
    Condition,
    For,
    Group,
    If,
    Piece,
    Pipeline,
    Series,
    Simple,
    Spelling,
    Statement,
    While,
)

__all__ = [
    "RunOrder", "expansions", "has_loop", "is_plain_builtin", "is_plain_shell", "runs_out_of_order", "start_of_program",
]  # fmt: skip

_BUILTINS: Final = frozenset({
    ".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "compopt",
    "continue", "coproc", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false", "fc", "fg",
    "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd",
    "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend", "test", "time", "times", "trap",
    "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
})  # fmt: skip
"""What bash runs itself, so that nothing can be put in front of it."""
_PLAIN_BUILTINS: Final = frozenset({
    ":", "[", "break", "cd", "continue", "echo", "exit", "export", "false", "printf", "pwd", "set", "shopt", "test", "true",
    "type",
})  # fmt: skip
"""Builtins that evaluate nothing and set no variable to what a command has printed."""
_GLOB: Final = re.compile(r"[*?\[]")
_IN_SHELL: Final = {"time": frozenset({"-p"}), "command": frozenset({"-p"})}
_PLAIN_PIECES: Final = frozenset({"text", "glob", "brace", "home", "variable", "number", "unknown", "code", "file"})


def start_of_program(part: Part) -> int:
    """Return where in the text the program of a command begins, behind `time` and `command`; -1 where bash itself runs it."""
    words = part.command.words
    if len(words) != len(part.starts):
        return -1
    at = 0
    while at < len(words) and words[at].raw in _IN_SHELL:
        options = _IN_SHELL[words[at].raw]
        at += 1
        while at < len(words) and words[at].raw in options:
            at += 1
    if at == len(words):
        return -1
    word = words[at]
    is_name = word.is_known and word.raw == word.value and not word.raw.startswith("-") and "=" not in word.raw
    return part.starts[at] if is_name and word.raw not in _BUILTINS else -1


def is_plain_builtin(part: Part) -> bool:
    """Whether a command is one that bash runs itself and that evaluates nothing. Assignments alone count as one."""
    words = part.command.words
    tells = [word.raw for word in words[:2]] in (["command", "-v"], ["command", "-V"])
    return not words or tells or words[0].raw in _PLAIN_BUILTINS


def is_plain_shell(script: Series) -> bool:
    """Whether a shell that runs a script works out nothing that could run or assign anything, apart from plain variables."""
    return all(map(_is_plain, _statements(script)))


def has_loop(script: Series) -> bool:
    """Whether commands may run again after others that stand behind them."""
    return any(isinstance(one, For | While) for one in _statements(script))


class RunOrder:
    """Which commands of a text may run before, or at the same time as, which others. The text is looked through once.

    Args:
        script: the text that the commands are of.
    """

    def __init__(self, script: Series) -> None:
        self._is_unknown = has_loop(script) or _runs_beside(script)
        self._piped = tuple(_piped_together(script))

    def may_run_before(self, first: Part, second: Part, *, is_earlier: bool) -> bool:
        """Whether a command may run before another, or at the same time.

        Args:
            first: the one that may run before.
            second: the other.
            is_earlier: whether `first` stands before `second` in the order in which bash reads them.
        """
        if is_earlier or self._is_unknown:
            return True
        starts = [part.starts[0] if part.starts else -1 for part in (first, second)]
        return any(all(start < 0 or start in piped for start in starts) for piped in self._piped)


def runs_out_of_order(script: Series) -> bool:
    """Whether commands may run after others that stand behind them, or beside them for longer than a pipe begins."""
    pipelines = (one.items for one in _statements(script) if isinstance(one, Pipeline) and len(one.items) > 1)
    has_compound = any(not isinstance(item, Simple) for items in pipelines for item in items)
    return has_compound or has_loop(script) or _runs_beside(script)


def _runs_beside(script: Series) -> bool:
    """Whether something goes on running beside later commands: what stands in `<( … )` does."""
    pieces = (piece for one in _statements(script) for spelling in _spellings(one) for piece in spelling.pieces)
    return any(piece.kind == "file" for piece in pieces)


def _piped_together(script: Series) -> Iterator[frozenset[int]]:
    """Yield, for each pipeline, where the words of its commands begin: they run at the same time."""
    for one in _statements(script):
        if isinstance(one, Pipeline) and len(one.items) > 1:
            yield frozenset(
                word.start for inner in _within(one.items) if isinstance(inner, Simple) for word in inner.words[:1]
            )


def expansions(script: Series) -> Iterator[tuple[int, Spelling]]:
    """Yield each word that the shell may look up as a pattern of names, with where its command, or its loop's list, begins."""
    statements = list(_statements(script))
    values = (value.raw for one in statements if isinstance(one, Simple) for _name, value in one.assignments)
    kinds = {"glob"} | ({"variable"} if any(map(_GLOB.search, values)) else set())
    for one in statements:
        words = one.words if isinstance(one, Simple) else (one.words or ()) if isinstance(one, For) else ()
        for word in words:
            if any(piece.kind in kinds and not piece.is_quoted for piece in word.pieces):
                yield words[0].start, word


def _statements(script: Series) -> Iterator[Statement]:
    return _within((script,))


def _within(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield statements and all that are in them, substitutions included."""
    waiting = list(statements)
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(_children(one))
        for spelling in _spellings(one):
            waiting.extend(_codes(spelling.pieces))


def _codes(pieces: Iterable[Piece]) -> Iterator[Series]:
    for piece in pieces:
        if piece.code is not None:
            yield piece.code
        yield from _codes(piece.inner)


def _children(node: Statement) -> Iterator[Statement]:
    match node:
        case Series() | Pipeline():
            yield from node.items
        case AndOr():
            yield node.first
            yield from (item for _operator, item in node.rest)
        case Group():
            yield node.body
        case If():
            for branch in node.branches:
                yield from branch
            if node.otherwise is not None:
                yield node.otherwise
        case For():
            yield node.body
        case While():
            yield from (node.condition, node.body)
        case Case():
            yield from (body for _patterns, body in node.arms)
        case _:
            body = getattr(node, "body", None)  # of `for ((…))`
            if isinstance(body, Series):
                yield body


def _spellings(node: Statement) -> Iterator[Spelling]:
    """Yield the words of a statement itself, those of its redirections included."""
    for redirect in node.redirects:
        yield from (one for one in (redirect.target, redirect.body) if one is not None)
    match node:
        case Simple():
            yield from node.words
            for _name, value in node.assignments:
                yield from (value, *value.items)
        case For():
            yield from node.words or ()
        case Case():
            yield node.word
            yield from (pattern for patterns, _body in node.arms for pattern in patterns)
        case Condition():
            yield from (token for token in node.words if isinstance(token, Spelling))


def _is_plain(node: Statement) -> bool:
    """Whether one statement, those within it apart, is plain."""
    match node:
        case Simple():
            if any(name.endswith("[]") or value.items for name, value in node.assignments):
                return False
        case For():
            if node.words is None or node.name == "_":
                return False
        case Condition():
            if any((token if isinstance(token, str) else token.raw) in NUMBERS for token in node.words):
                return False
        case Series() | AndOr() | Pipeline() | Group() | If() | While() | Case():
            pass
        case _:
            return False
    return all(piece.kind in _PLAIN_PIECES for spelling in _spellings(node) for piece in spelling.pieces)
