"""Reading a command's words as its program would: options, their values, operands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tui_agent.permissions.shell.programs.shapes import (
    Shape,
    beginning,
    hides,
    is_surely_operand,
    names_commits,
    part_of,
    shape,
)
from tui_agent.permissions.shell.programs.table import ProgramEntry
from tui_agent.permissions.shell.words import Word

__all__ = ["OptionDoubt", "OptionReading", "read_options"]

_NUMBER: Final = re.compile(r"-[0-9]+")


@dataclass(frozen=True, slots=True)
class OptionDoubt:
    """Why a call is not known to be harmless: the id of the check, and a clause."""

    check: str
    reason: str


@dataclass(slots=True)
class OptionReading:
    """What was read. `given` are the options by name, each with its last value; `paths` the values that name files."""

    given: dict[str, Word | None] = field(default_factory=dict)
    values: list[tuple[str, Word]] = field(default_factory=list)
    paths: list[Word] = field(default_factory=list)
    operands: list[Word] = field(default_factory=list)
    has_ended: bool = False
    """Whether no word that is added at the end could be an option."""
    doubt: OptionDoubt | None = None


def read_options(entry: ProgramEntry, words: Sequence[Word], *, stops_early: bool = False) -> OptionReading:
    """Read the words behind a program's name; stops at the first that is not known to be harmless.

    With `stops_early` all words from the first operand on are operands, as for a program whose subcommand comes next.
    """
    return _Reader(entry, words, order="first" if stops_early else entry.order).run()


class _Reader:
    def __init__(self, entry: ProgramEntry, words: Sequence[Word], *, order: str) -> None:
        self._entry = entry
        self._order = order
        self._is_git = entry.name.startswith("git ")
        self._words = list(words)
        self._at = 0
        self._found = OptionReading()

    def run(self) -> OptionReading:
        found = self._found
        while self._at < len(self._words) and found.doubt is None:
            word = self._words[self._at]
            self._at += 1
            if self._entry.reads_arguments and (beginning(word) or "@").startswith("@"):
                self._stop("argument-file", f"`{word.raw}` may stand for options that are read from a file")
            elif found.has_ended or is_surely_operand(word) or (self._is_git and names_commits(word)):
                found.operands.append(word)
                found.has_ended = found.has_ended or self._order == "first"
            elif self._order == "unsure" and found.operands:
                self._stop("option-order", f"`{word.raw}` behind an operand is an option to some, and none to others")
            elif word.is_known and word.value == "--":
                found.has_ended = True
            else:
                self._option_or_unknown(word)
        return found

    def _option_or_unknown(self, word: Word) -> None:
        start = beginning(word)
        if word.is_known and hides(word):
            self._stop("escaped-name", f"`{word.raw}` hides an option behind a backslash")
        elif start.startswith("-") and (word.is_known or shape(word) is not Shape.ANY or self._entry.is_safe):
            self._option(word, start)
        elif self._entry.is_safe:
            self._found.operands.append(word)
            self._found.has_ended = self._found.has_ended or self._order == "first"
        elif shape(word) is Shape.ALIKE:
            self._stop("unquoted-glob", f"`{word.raw}` may turn into an option of `{self._entry.called}`")
        else:
            self._stop("unknown-word", f"`{word.raw}` may turn into an option of `{self._entry.called}`")

    def _option(self, word: Word, start: str) -> None:
        """Read a word that begins with a dash; `start` is what is certain of it."""
        options = self._entry.options
        if word.is_known and "-#" in options and _NUMBER.fullmatch(start):
            self._found.given["-#"] = word
        elif self._entry.style == "words":
            self._word(word, start)
        elif start.startswith("--"):
            self._long(word, start)
        else:
            self._cluster(word, start)

    def _long(self, word: Word, start: str) -> None:
        name, equals, _ = start.partition("=")
        kind = self._entry.options.get(name)
        if kind is None or not (equals or word.is_known) or (equals and kind not in {"=", "@", "?"}):
            self._unlisted(name if equals or word.is_known else word.raw)
        elif equals:
            self._keep(name, kind, part_of(word, len(name) + 1))
        elif kind in {"", "?"}:
            self._found.given[name] = None
        else:
            self._take(name, kind)

    def _word(self, word: Word, start: str) -> None:
        """Read an option that is a whole word behind one dash, or one letter with a number (`-l64`)."""
        letter = start[:2]
        if word.is_known and self._entry.options.get(letter) == "=" and _NUMBER.fullmatch("-" + start[2:]):
            self._keep(letter, "=", part_of(word, 2))
        else:
            self._long(word, start)

    def _cluster(self, word: Word, start: str) -> None:
        at = 1
        while at < len(start):
            name = f"-{start[at]}"
            kind = self._entry.options.get(name)
            at += 1
            if kind is None:
                self._unlisted(name)
                return
            if kind == "":
                self._found.given[name] = None
                continue
            if kind == ":" and not (word.is_known and (at == len(start) or start[at:].isdecimal())):
                self._stop("unknown-option", f"what `{word.raw}` takes for values is not clear")
                return
            if at < len(start) or not word.is_known:  # the rest of the word is the value
                self._keep(name, kind, part_of(word, at))
                return
            if kind == "?":
                self._found.given[name] = None
            else:
                self._take(name, kind)
            return
        opens_files = any("@" in kind for kind in self._entry.options.values())
        if not word.is_known and (opens_files or not self._entry.is_safe):
            self._stop("unknown-word", f"`{word.raw}` may turn into other options")

    def _take(self, name: str, kind: str) -> None:
        """Take the next word, or the next two, as the option's value."""
        for one in kind.rjust(1):
            if self._at >= len(self._words):
                self._stop("unknown-option", f"`{name}` lacks its value")
                return
            value = self._words[self._at]
            self._at += 1
            if shape(value) not in {Shape.KNOWN, Shape.ONE}:
                check = "unquoted-glob" if shape(value) is Shape.ALIKE else "unknown-word"
                self._stop(check, f"`{value.raw}` may turn into more than the value of `{name}`")
                return
            if not self._entry.is_safe and self._may_be_option(value):
                # Should the program, in some version, take no value here, this would be an option of its own.
                self._stop("unknown-option", f"whether `{value.raw}` is the value of `{name}` is unclear")
                return
            self._keep(name, one, value)

    def _may_be_option(self, value: Word) -> bool:
        """Whether a value that stands by itself would do harm, or might, as an option."""
        text = value.value if value.is_known else value.known
        if text.startswith("--"):
            return len(text) > 2
        left_out = self._entry.writes | self._entry.runs
        return text.startswith("-") and (text in left_out or any(f"-{letter}" in left_out for letter in text[1:]))

    def _keep(self, name: str, kind: str, value: Word) -> None:
        self._found.given[name] = value
        self._found.values.append((name, value))
        if "@" in kind:
            self._found.paths.append(value)

    def _unlisted(self, name: str) -> None:
        program = self._entry.called
        if name in self._entry.writes:
            self._stop("output-option", f"`{name}` makes `{program}` write a file")
        elif name in self._entry.runs:
            self._stop("program-option", f"`{name}` makes `{program}` run a program")
        else:
            self._stop("unknown-option", f"`{name}` is not a known harmless option of `{program}`")

    def _stop(self, check: str, reason: str) -> None:
        self._found.doubt = self._found.doubt or OptionDoubt(check, reason)
