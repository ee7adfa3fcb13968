"""The judgement on one command: its program is looked up, its options read, and what it reads is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tui_agent.permissions.shell.judgement import Judgement, Loose
from tui_agent.permissions.shell.programs.call import ProgramCall, read_only, refused
from tui_agent.permissions.shell.programs.checkers import CHECKERS, JUDGES
from tui_agent.permissions.shell.programs.edits import EDITS, judge_edit, judge_sed_in_place
from tui_agent.permissions.shell.programs.options import OptionDoubt, OptionReading, read_options
from tui_agent.permissions.shell.programs.shapes import Shape, hides, literal, names_commits, part_of, shape
from tui_agent.permissions.shell.programs.table import ProgramEntry, entry_for, has_subcommands
from tui_agent.permissions.shell.words import Word

__all__ = ["judge_program"]

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_NAME: Final = re.compile(r"[\w.+-]+", re.ASCII)
_OLD_LETTERS: Final = re.compile(r"([tvxOzjJaZ]*)(f?)([tvxOzjJaZ]*)")
_SUBCOMMAND: Final = re.compile(r"[a-z][a-z-]*")
_IN_COMMIT: Final = re.compile(r":\([^)]*\)|:[0-3]:|:[/!^]*|[^:]+:")
_LEFT_OUT: Final = re.compile(r":(?:[!^]|\((?:[a-z]+,)*exclude(?:,[a-z]+)*\))")
_TRUSTED_FOLDERS: Final = frozenset({"/bin", "/usr/bin", "/sbin", "/usr/sbin"})


def judge_program(words: Sequence[Word], *, names_from: str = "") -> Judgement:
    """Judge one command's words; the first is the program.

    Args:
        words: the words as bash would hand them over. Those that are not known before it runs say so.
        names_from: for a command behind `xargs`: `work` when the names it is given are known to lie in the working folders,
            `named` when they also begin with no dash, `anywhere` when they could be any; empty when it is given none.

    Returns:
        The judgement; whatever is not fully understood is `unknown`.
    """
    if not words:
        return refused(OptionDoubt("unknown-program", "it names no program"))
    name, doubt = _program(words[0])
    if doubt is not None:
        return refused(doubt)
    entry = entry_for(name)
    if entry is not None and not names_from and _asks_about(entry, words[1:]):
        return replace(read_only(), leaves=not entry.leaves.isdisjoint({"always", words[-1].value}))
    if name in EDITS:
        return judge_edit(name, words[1:], names_from)
    if name == "sed" and not names_from and (edit := judge_sed_in_place(words[1:])) is not None:
        return edit
    if entry is None:
        return refused(OptionDoubt("unknown-program", f"`{name}` is not known to be read-only"))
    judgement = _judge(entry, words[1:], names_from)
    if entry.sockets:
        judgement = replace(judgement, sockets=entry.sockets)
    return _with_runs(judgement, name)


def _with_runs(judgement: Judgement, name: str) -> Judgement:
    """Judge what a program runs in turn: nothing but reading, and nothing that asks others."""
    for words in judgement.runs:
        inner = judge_program(words)
        if inner.kind != "read_only" or inner.sockets:
            reason = inner.reason or f"`{words[0].value}` does more than read what `{name}` finds"
            return refused(OptionDoubt(inner.check or "find-action", reason))
        reads = tuple(dict.fromkeys((*judgement.reads, *inner.reads)))
        judgement = replace(judgement, reads=reads, leaves=judgement.leaves or inner.leaves)
    return judgement


def _program(word: Word) -> tuple[str, OptionDoubt | None]:
    """Return the name to look up in the table."""
    if not word.is_known:
        return "", OptionDoubt("unknown-word", f"the program `{word.raw}` is unknown before it runs")
    if hides(word):
        return "", OptionDoubt("escaped-name", f"`{word.raw}` hides a name behind a backslash")
    folder, slash, name = word.value.rpartition("/")
    if slash and folder not in _TRUSTED_FOLDERS:
        return "", OptionDoubt("program-path", f"`{word.value}` may be another program than the `{name}` that is known")
    if not _NAME.fullmatch(name):
        return "", OptionDoubt("unknown-program", f"`{name}` is not known to be read-only")
    return name, None


def _asks_about(entry: ProgramEntry, words: Sequence[Word]) -> bool:
    """Whether a program is only asked for its version, or how it or one of its subcommands is called."""
    if not all(word.is_known and word.raw == word.value for word in words):
        return False
    values = [word.value for word in words]
    if entry.has_subcommand_help and len(values) == 2 and values[1] == "--help":
        return _SUBCOMMAND.fullmatch(values[0]) is not None
    return values in (["--version"], ["--help"])


def _judge(entry: ProgramEntry, words: Sequence[Word], names_from: str) -> Judgement:
    """Judge what follows the name of a program, going down to its subcommand where it has any."""
    before: list[Word] = []
    while has_subcommands(entry.name):
        reading = read_options(entry, words, stops_early=True)
        first = reading.operands[0] if reading.operands else None
        inner = None if first is None else _subcommand(entry, first)
        if reading.doubt is not None or first is None or (inner is None and entry.operands != ("none",)):
            break
        if inner is None:
            what = f"`{entry.called} {first.raw}`"
            return refused(OptionDoubt("subcommand", f"{what} is not known to be read-only"))
        doubt = _checked(ProgramCall(entry=entry, words=words, reading=reading, names_from=names_from))
        if doubt is not None:
            return refused(doubt)
        doubt = _address(reading.paths)
        if doubt is not None:
            return refused(doubt)
        before.extend(reading.paths)
        entry, words = inner, reading.operands[1:]
    if entry.checker in JUDGES:
        return JUDGES[entry.checker](ProgramCall(entry=entry, words=words, names_from=names_from))
    if entry.has_old_letters:
        words = _dashed(words)
    reading = read_options(entry, words)
    doubt = (
        reading.doubt
        or _missing(entry, reading)
        or _checked(ProgramCall(entry=entry, words=words, reading=reading, names_from=names_from))
    )
    if doubt is not None:
        return refused(doubt)
    reads, doubt = _operands(entry, reading, names_from)
    if doubt is not None:
        return refused(doubt)
    doubt = _address([*reading.paths, *reads])
    if doubt is not None:
        return refused(doubt)
    found = [*before, *reading.paths, *reads]
    loose = _loose(entry, reading, found, names_from)
    leaves = "always" in entry.leaves or not entry.leaves.isdisjoint(reading.given)
    judgement = read_only(found)
    return replace(judgement, loose=loose, leaves=leaves) if loose or leaves else judgement


def _loose(entry: ProgramEntry, reading: OptionReading, reads: list[Word], names_from: str) -> frozenset[Loose]:
    """Return what a call reads beside the files that it names; names that it is handed come from below where it runs."""
    kinds: tuple[tuple[Loose, frozenset[str]], ...] = (
        ("contents", entry.below),
        ("links", entry.follows),
        ("lists", entry.lists),
    )
    found = {kind for kind, options in kinds if "always" in options or not options.isdisjoint(reading.given)}
    if names_from and any(kind in {"path", "paths"} for kind in entry.operands):
        reads.append(literal("."))
        found |= {"contents", "links", "names"}
    if any(word.has_glob and "**" in word.value for word in reads):
        # The shell may go through all folders for it; or these are names that another command prints.
        found |= {"contents", "links", "names"}
    return frozenset(found)


def _subcommand(entry: ProgramEntry, word: Word) -> ProgramEntry | None:
    """Return the entry of a subcommand, or None."""
    is_name = word.is_known and not hides(word) and _NAME.fullmatch(word.value) is not None
    return entry_for(f"{entry.name} {word.value}") if is_name else None


def _dashed(words: Sequence[Word]) -> Sequence[Word]:
    """Return `tar tzf file` as `tar -tz -f file`: there the letters need no dash, and a value is the next word."""
    letters = _OLD_LETTERS.fullmatch(words[0].raw) if words and words[0].is_known else None
    if letters is None or not letters[0] or (letters[2] and len(words) < 2):
        return words
    flags = letters[1] + letters[3]
    return [
        *([literal(f"-{flags}")] if flags else []),
        *([literal("-f"), words[1]] if letters[2] else []),
        *words[2 if letters[2] else 1 :],
    ]


def _address(paths: Sequence[Word]) -> OptionDoubt | None:
    """Return whether a path is an address, which some programs would ask the network for."""
    for word in paths:
        if _ADDRESS.match(word.value):
            return OptionDoubt("network-path", f"`{word.raw}` is an address")
    return None


def _missing(entry: ProgramEntry, reading: OptionReading) -> OptionDoubt | None:
    """Return whether an option is not there without which the call does more than read."""
    if entry.is_version_only and (reading.operands or entry.needs.isdisjoint(reading.given)):
        return OptionDoubt("version-only", f"`{entry.called}` may do more than read")
    if len(reading.operands) < entry.operands_at_least:
        return OptionDoubt(
            "needed-option", f"`{entry.called}` is known to be read-only only with {entry.operands_at_least} operands"
        )
    if not entry.may_stand_alone and not reading.operands:
        return OptionDoubt("needed-option", f"`{entry.called}` by itself is not known to be read-only")
    if entry.needs and entry.needs.isdisjoint(reading.given):
        return OptionDoubt(
            "needed-option", f"`{entry.called}` is known to be read-only only with {_any_of(entry.needs)}"
        )
    if reading.operands and entry.operands_need and entry.operands_need.isdisjoint(reading.given):
        what = f"`{entry.called}` with `{reading.operands[0].raw}`"
        return OptionDoubt("needed-option", f"{what} is known to be read-only only with {_any_of(entry.operands_need)}")
    return None


def _any_of(options: frozenset[str]) -> str:
    shown = sorted(options)[:3]
    return " or ".join(f"`{option}`" for option in shown)


def _checked(call: ProgramCall) -> OptionDoubt | None:
    check = CHECKERS.get(call.entry.checker)
    return None if check is None else check(call)


def _operands(entry: ProgramEntry, reading: OptionReading, names_from: str) -> tuple[list[Word], OptionDoubt | None]:
    """Return the operands that name what is read; with none of them, the folder the program reads then."""
    kinds = list(entry.operands)
    if entry.drops_first and not entry.drops_first.isdisjoint(reading.given):
        del kinds[0]
    reads: list[Word] = []
    at = 0
    for word in reading.operands:
        kind = kinds[min(at, len(kinds) - 1)] if kinds else "none"
        is_last = kind in {"texts", "paths"}
        is_many = shape(word) in {Shape.ALIKE, Shape.ANY}
        if (
            kind == "none"
            or (at >= len(kinds) and not is_last)
            or (is_many and not _takes_many(kinds[at:] or kinds[-1:]))
        ):
            return [], _extra(entry, word, is_first=at == 0)
        if shape(word) is Shape.ALIKE and not entry.allows_globs:
            return [], OptionDoubt(
                "unquoted-glob", f"what `{word.raw}` turns into may change what `{entry.called}` does"
            )
        if entry.name.startswith("git ") and word.is_known and _LEFT_OUT.match(word.value):
            at += 1  # what git is told to leave out is not read
            continue
        committed = _in_commit(entry, word)
        if committed is not None:
            reads.append(committed)
        if entry.name.startswith("git ") and names_commits(word):
            pass  # the repository's own
        elif kind in {"path", "paths"} or (is_many and any(one in {"path", "paths"} for one in kinds[at:])):
            reads.append(word)
        elif entry.operand_shape is not None and not (word.is_known and entry.operand_shape.fullmatch(word.value)):
            return [], OptionDoubt("operand", f"`{entry.called}` is not known to be read-only with `{word.raw}`")
        at += 1
    if names_from:
        doubt = _names(entry, reading, kinds[at:] or kinds[-1:], names_from)
        if doubt is not None:
            return [], doubt
    elif entry.reads_here and not reads:
        reads.append(literal("."))
    return reads, None


def _in_commit(entry: ProgramEntry, word: Word) -> Word | None:
    """Return the file that git is asked for by `COMMIT:file` or `:(glob)file`: what speaks against it there does so here."""
    if not entry.name.startswith("git ") or entry.name == "git config" or ":" not in word.value:
        return None
    if names_commits(word):
        file = word.raw.rpartition(")")[2].partition(":")[2].strip('"')
        return literal(file) if file else None
    if not word.is_known:
        return word if entry.operands == ("texts",) else None
    match = _IN_COMMIT.match(word.value)
    return part_of(word, match.end()) if match is not None and match.end() < len(word.value) else None


def _takes_many(kinds: Sequence[str]) -> bool:
    return bool(kinds) and kinds[-1] in {"texts", "paths"}


def _extra(entry: ProgramEntry, word: Word, *, is_first: bool) -> OptionDoubt:
    if is_first:
        return OptionDoubt("operand", f"`{entry.called}` is not known to be read-only with `{word.raw}`")
    return OptionDoubt("extra-operand", f"`{entry.called}` may do more than read with `{word.raw}`")


def _names(entry: ProgramEntry, reading: OptionReading, kinds: Sequence[str], names_from: str) -> OptionDoubt | None:
    """Return why the names that `xargs` adds are not harmless for the program."""
    if not _takes_many(kinds) or entry.operand_shape is not None or not entry.allows_globs:
        return OptionDoubt("names-unknown", f"which names `{entry.called}` is given is unknown before it runs")
    if not (entry.is_safe or reading.has_ended or names_from == "named"):
        return OptionDoubt("names-unknown", f"a name that begins with a dash would be an option of `{entry.called}`")
    if names_from == "anywhere" and any(kind in {"path", "paths"} for kind in kinds):
        return OptionDoubt("names-unknown", f"which files `{entry.called}` is given to read is unknown before it runs")
    return None
