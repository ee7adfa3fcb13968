"""One simple command, its words read: the program it runs behind wrappers and `xargs`, and the state it leaves the shell in."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from tui_agent.permissions.shell.builtins import BUILTINS, READ_ONLY, BuiltinOutcome, Ends, judge_builtin
from tui_agent.permissions.shell.inner_shell import SHELLS, PartsOf, judge_shell
from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.statements import Piece, Simple, Spelling
from tui_agent.permissions.shell.values import State, is_harmless_setting, joined
from tui_agent.permissions.shell.word_expansion import choices, words_of
from tui_agent.permissions.shell.words import Word, read_word
from tui_agent.permissions.shell.wrappers import IN_SHELL, WRAPPERS, unwrapped
from tui_agent.permissions.shell.xargs import behind_xargs

__all__ = ["CommandJudge", "Judge", "name_doubt", "text_of"]

Judge = Callable[..., Judgement]
"""Judges one command's words: `programs.judge_program`, or what a test puts in its place."""
_MAX_RUNS: Final = 4
_UNALIASED: Final = re.compile(r"\\(?!time$)[a-z][a-z0-9_.-]*")
_HIDDEN_FLAG: Final = re.compile(r"\\[A-Za-z0-9-]")


class CommandJudge:
    """Judges simple commands. `inner` are the words of the last one with its wrappers off, if there is just one reading."""

    def __init__(self, judge: Judge, parts_of: PartsOf) -> None:
        self._judge = judge
        self._parts_of = parts_of
        self.inner: tuple[Word, ...] = ()

    def prefixed(self, node: Simple, state: State, judgement: Judgement) -> Judgement:
        """Judge the variables that are set for one command."""
        for name, spelling in node.assignments:
            is_separator = name == "IFS" and node.words[0].raw == "read"
            if not (is_separator or is_harmless_setting(name, text_of(spelling, state))):
                return Judgement(
                    kind="unknown",
                    check="assignment",
                    reason=f"setting `{name}` may change what `{node.words[0].raw}` does",
                )
        return judgement

    def outcome(self, node: Simple, state: State, names: str) -> tuple[BuiltinOutcome, tuple[Word, ...]]:
        """Judge a command in every reading of its words, and bring the judgements together."""
        node = _unaliased(node)
        doubt = name_doubt(node.words[0]) or _flag_doubt(node.words[1:])
        readings = choices(node.words, state)
        if doubt is not None:
            words = readings[0] if len(readings) == 1 else tuple(read_word(word.raw) for word in node.words)
            self.inner = ()
            return BuiltinOutcome(doubt, *_after_unknown(state)), words
        outcomes = [self._one(reading, state, names) for reading in readings]
        first = outcomes[0]
        words = readings[0] if len(readings) == 1 else _blurred(node.words, readings)
        for other in outcomes[1:]:
            first = BuiltinOutcome(
                _merged(first.judgement, other.judgement),
                joined((first.succeeded, other.succeeded)),
                joined((first.failed, other.failed)),
                joined((first.leaves, other.leaves)),
            )
        if len(readings) > 1:
            self.inner = ()
        return first, words

    def _one(self, words: tuple[Word, ...], state: State, names: str, depth: int = 0) -> BuiltinOutcome:
        """Judge one reading of a command."""
        if not words:
            return BuiltinOutcome(
                Judgement(kind="unknown", check="dynamic-command-name", reason="it names no program"), state, state
            )
        inner, in_shell = words, True
        while inner[0].value in WRAPPERS:
            if inner[0].value == "command" and len(inner) > 1 and inner[1].raw in {"-v", "-V"}:
                self.inner = ()
                return BuiltinOutcome(READ_ONLY, state, state)
            shorter = unwrapped(inner)
            if shorter is None:
                break
            in_shell = in_shell and inner[0].value in IN_SHELL
            inner = shorter
            doubt = _hidden(inner[0])
            if doubt is not None:
                return BuiltinOutcome(doubt, *_after_unknown(state))
        self.inner = inner
        name = inner[0].value
        if name in WRAPPERS and name != "env":
            reason = f"how `{name}` runs what follows is not understood"
            return BuiltinOutcome(Judgement(kind="unknown", check="wrapper", reason=reason), state, state)
        builtin = judge_builtin(inner, state, names)
        if builtin is not None:
            if in_shell or name in {"test", "[", "true", "false", "printf"}:
                return builtin
            reason = f"`{name}` is the shell's own, and no program"
            return BuiltinOutcome(Judgement(kind="unknown", check="wrapper", reason=reason), state, state)
        if depth >= _MAX_RUNS:
            return BuiltinOutcome(
                Judgement(kind="unknown", check="wrapper", reason="it runs too much in turn"), state, state
            )
        base = name.rpartition("/")[2]
        if base in SHELLS and len(inner) > 1 and not depth and not _asks_version(inner):
            judgement = judge_shell(inner, self._parts_of)
        elif name == "xargs":
            judgement = self._xargs(inner, state, names, depth)
        else:
            judgement = self._with_runs(self._judge(inner), state, depth)
        return BuiltinOutcome(_without_devices(judgement), state, state)

    def _xargs(self, words: tuple[Word, ...], state: State, names: str, depth: int) -> Judgement:
        found = behind_xargs(words, names)
        if isinstance(found, Judgement):
            return found
        inner, names_from = found
        while inner[0].value in WRAPPERS:
            shorter = unwrapped(inner)
            if shorter is None:
                return Judgement(
                    kind="unknown", check="wrapper", reason=f"how `{inner[0].value}` runs is not understood"
                )
            inner = shorter
        doubt = _hidden(inner[0])
        if doubt is not None:
            return doubt
        name = inner[0].value
        if name == "xargs" or name in BUILTINS or judge_builtin(inner, state, "") is not None:
            return Judgement(kind="unknown", check="xargs-names", reason=f"what `{name}` is given is not known")
        return self._with_runs(self._judge(inner, names_from=names_from), state, depth)

    def _with_runs(self, judgement: Judgement, state: State, depth: int) -> Judgement:
        """Judge what a command runs in turn, too."""
        kept = self.inner
        for words in judgement.runs:
            if judgement.kind == "unknown":
                break
            doubt = _hidden(words[0]) if words else None
            inner = doubt or self._one(tuple(words), state, "", depth + 1).judgement
            judgement = replace(_merged(judgement, inner), runs=judgement.runs)
        self.inner = kept
        return judgement


def _unaliased(node: Simple) -> Simple:
    """Return a command without the backslash that keeps its name from being an alias: there never are any here."""
    first = node.words[0]
    if not first.raw.startswith("\\") or not _UNALIASED.fullmatch(first.raw):
        return node
    name = replace(first, raw=first.raw[1:], pieces=(Piece("text", first.raw[1:]),))
    return replace(node, words=(name, *node.words[1:]))


def _asks_version(words: Sequence[Word]) -> bool:
    return len(words) == 2 and words[1].raw in {"--version", "--help"}


def text_of(spelling: Spelling, state: State) -> str | None:
    """Return the text that a variable is set to, if there is just one."""
    readings = words_of(spelling, state, splits=False)
    if len(readings) != 1 or len(readings[0]) != 1:
        return "" if not spelling.pieces else None
    return readings[0][0].value if readings[0][0].is_known else None


def _after_unknown(state: State) -> Ends:
    """Return the states after a command that may have been anything, one of the shell's own too."""
    unknown = Word("$_", "$_", "", is_plain=True, is_literal=False, may_split=True)
    lost = state.forgetting().entering([unknown])
    return lost, lost


def name_doubt(spelling: Spelling) -> Judgement | None:
    """Return why the name of a command, as it is spelled, is not surely the one that it seems to be."""
    if all(piece.kind == "text" and not piece.is_quoted for piece in spelling.pieces):
        return None
    if all(piece.kind == "text" for piece in spelling.pieces):
        reason = f"the name `{spelling.raw}` is spelled with quotes or backslashes"
        return Judgement(kind="unknown", check="escaped-name", reason=reason)
    reason = f"the program `{spelling.raw}` is unknown before it runs"
    return Judgement(kind="unknown", check="dynamic-command-name", reason=reason)


def _hidden(word: Word) -> Judgement | None:
    """Return why a name behind a wrapper is not surely the one that it seems to be."""
    if word.is_known and word.raw == word.value:
        return None
    return Judgement(
        kind="unknown",
        check="dynamic-command-name",
        reason=f"the program `{word.raw}` is unknown before it runs",
    )


def _flag_doubt(words: Sequence[Spelling]) -> Judgement | None:
    """Return why an option is hidden: `-\\delete` means what `-delete` does and looks like something else."""
    for word in words:
        if "\\" not in word.raw:
            continue
        start = "".join(piece.text for piece in word.pieces if piece.kind == "text")
        bare = re.split(r"['\"]", word.raw)[0]
        if start.startswith("-") and (bare.startswith("\\") or _HIDDEN_FLAG.search(bare)):
            return Judgement(
                kind="unknown", check="escaped-name", reason=f"`{word.raw}` hides an option behind a backslash"
            )
    return None


def _blurred(spellings: Sequence[Spelling], readings: Sequence[tuple[Word, ...]]) -> tuple[Word, ...]:
    """Return a command's words where there are several readings: those that all share, the others as unknown."""
    if len({len(reading) for reading in readings}) > 1:
        return tuple(
            replace(word, may_split=True) if index else word
            for index, word in enumerate(read_word(spelling.raw) for spelling in spellings)
        )
    return tuple(
        same[0]
        if len(set(same)) == 1
        else Word(same[0].raw, "$_", "", is_plain=True, is_literal=False, may_split=False)
        for same in zip(*readings, strict=True)
    )


_RANK: Final = {"read_only": 0, "edit": 1, "unknown": 2}


def _merged(left: Judgement, right: Judgement) -> Judgement:
    """Return the judgement on two commands of which either, or both, run."""
    worse = left if _RANK[left.kind] >= _RANK[right.kind] else right
    return replace(
        worse,
        reads=tuple(dict.fromkeys((*left.reads, *right.reads))),
        writes=tuple(dict.fromkeys((*left.writes, *right.writes))),
        runs=tuple(dict.fromkeys((*left.runs, *right.runs))),
        sockets=tuple(dict.fromkeys((*left.sockets, *right.sockets))),
        loose=left.loose | right.loose,
        leaves=left.leaves or right.leaves,
    )


def _without_devices(judgement: Judgement) -> Judgement:
    """Leave out of what is read the `<(…)`, whose commands are parts of their own."""
    if not any(word.raw.startswith("<(") for word in judgement.reads):
        return judgement
    return replace(judgement, reads=tuple(word for word in judgement.reads if not word.raw.startswith("<(")))
