"""`find`: harmless with tests, printing, and programs that only read what was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tui_agent.permissions.shell.judgement import Judgement, Loose
from tui_agent.permissions.shell.programs.call import ProgramCall, read_only, refused
from tui_agent.permissions.shell.programs.find_exec import commands_run, ending
from tui_agent.permissions.shell.programs.options import OptionDoubt
from tui_agent.permissions.shell.programs.shapes import Shape, beginning, hides, literal, shape
from tui_agent.permissions.shell.words import Word

__all__ = ["judge_find"]

_ACTIONS: Final = frozenset({"-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-rm"})
_OPERATORS: Final = frozenset({"(", ")", "!", ","})
_FOLLOWS: Final = frozenset({"-L", "-H", "-follow"})
_BEFORE_PATHS: Final = frozenset({"-H", "-L", "-P", "-E", "-X", "-x", "-s"})


def judge_find(call: ProgramCall) -> Judgement:
    """Judge the words behind `find`."""
    expression = _Expression(call.entry.options, list(call.words))
    doubt = expression.run()
    if doubt is None and call.names_from:
        doubt = OptionDoubt("names-unknown", "a name that begins with a dash would be an action of `find`")
    if doubt is None and expression.runs and expression.follows:
        doubt = OptionDoubt("find-action", "`find` follows links, and runs a program on what they lead to")
    if doubt is not None:
        return refused(doubt)
    loose: set[Loose] = {"contents", "links"} if expression.runs else set()
    if expression.follows:
        loose.add("links")
    reads = read_only(expression.reads or [literal(".")])
    return replace(reads, runs=tuple(expression.runs), loose=frozenset(loose))


class _Expression:
    """Reads where `find` looks, then its tests and actions."""

    def __init__(self, options: dict[str, str], words: list[Word]) -> None:
        self._options = options
        self._waiting = words[::-1]
        self._has_begun = False
        self._roots: list[Word] = []
        self.reads: list[Word] = []
        self.runs: list[tuple[Word, ...]] = []
        self.follows = False  # `-H` behind `-exec grep` is an option of `grep`

    def run(self) -> OptionDoubt | None:
        while self._waiting:
            doubt = self._step(self._waiting.pop())
            if doubt is not None:
                return doubt
        return None

    def _step(self, word: Word) -> OptionDoubt | None:
        start = beginning(word)
        is_path = start[:1] not in {"", *"-(!,)"} and not self._has_begun
        if shape(word) is Shape.ALIKE and not is_path:
            return OptionDoubt("unquoted-glob", f"what `{word.raw}` turns into may change what `find` does")
        if not word.is_known and (not start or start[0] in "-(!,)") and not _is_folder(word):
            return OptionDoubt("unknown-word", f"`{word.raw}` may turn into an action of `find`")
        if start in _OPERATORS:
            self._has_begun = True
            return None
        if start[:1] in {"-", "(", ")", "!", ","} and start != "-":
            return self._test(word, start)
        if self._has_begun:
            return OptionDoubt("operand", f"`find` takes no path such as `{word.raw}` here")
        self._roots.append(word)
        self.reads.append(word)
        return None

    def _test(self, word: Word, name: str) -> OptionDoubt | None:
        if hides(word):
            return OptionDoubt("escaped-name", f"`{word.raw}` hides an option behind a backslash")
        if name in _ACTIONS:
            return OptionDoubt("find-action", f"`find {name}` does more than read")
        if name == "-exec":
            return self._exec()
        self.follows = self.follows or name in _FOLLOWS
        kind = self._kind(name)
        if kind is None:
            return OptionDoubt("unknown-option", f"`{word.raw}` is not a known read-only action of `find`")
        self._has_begun = self._has_begun or name not in _BEFORE_PATHS
        if not kind:
            return None
        if not self._waiting:
            return OptionDoubt("unknown-option", f"`{name}` lacks its value")
        value = self._waiting.pop()
        if shape(value) not in {Shape.KNOWN, Shape.ONE}:
            check = "unquoted-glob" if shape(value) is Shape.ALIKE else "unknown-word"
            return OptionDoubt(check, f"`{value.raw}` may turn into more than the value of `{name}`")
        if kind == "@":
            self.reads.append(value)
        return None

    def _exec(self) -> OptionDoubt | None:
        self._has_begun = True
        words = self._waiting[::-1]
        end = ending(words)
        if end < 0:
            return OptionDoubt("find-action", "where the command behind `find -exec` ends is not clear")
        self._waiting = words[:end:-1]
        runs, doubt = commands_run(words[:end], self._roots, is_many=words[end].value == "+")
        self.runs.extend(runs)
        return doubt

    def _kind(self, name: str) -> str | None:
        """Return how a test takes a value, as the table says it, or None where it is not known."""
        if name in self._options:
            return self._options[name]
        if name.startswith("-newer") and len(name) == len("-newerXY"):
            return "=" if name.endswith("t") else "@"
        return "" if name[:2] == "-O" and name[2:].isdecimal() else None


def _is_folder(word: Word) -> bool:
    """Whether a word ends with a slash, as no test, action or operator does: the `$d` of `for d in */`."""
    return shape(word) is Shape.ONE and word.value.endswith("/")
