"""The table of programs: read from `read_only.toml` when the first command is judged, each entry worked out on first use.

An entry's `options` lists the harmless ones, and with each of them how it takes a value:

    -abc        three flags, which may stand together in one word
    --long      a flag
    -x= --x=    takes a value, in the same word or the next
    -x@ --x@    the same, and the value is a path that is read
    -x? --x?    takes a value in the same word only, or none
    -x:         takes the next word as its value, whatever the letters behind it (those read digits as the value at most)
    --x== --x=@ takes two words as values (the second of which may be a path)
    -#          a number with a dash before it, as in `head -5`

What is not listed is not known to be harmless. `operands` says what the other words are, in order: `text`, `path`, and last
`texts` or `paths` for any number of them; `none` for programs that take none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["ProgramEntry", "entry_for", "has_subcommands", "names", "options_of"]

_OPTION: Final = re.compile(r"(-{1,2}[^\s=]+?)(=@|==|=|@|:|\?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEntry:
    """One program, or one subcommand of a program, and how it may be called."""

    name: str
    """Its name in the table; another name that it was looked up by is `called`."""
    why: str
    """Why the calls that fit are harmless; a clause."""
    called: str
    options: dict[str, str]
    """The harmless options, each with how it takes a value: nothing, `=`, `@`, `?`, `:`, `==`, `=@`."""
    operands: tuple[str, ...] = ("none",)
    """What the operands are; the last may be `texts` or `paths`."""
    writes: frozenset[str] = frozenset()
    """Options known to write a file."""
    runs: frozenset[str] = frozenset()
    """Options known to run a program."""
    is_safe: bool = False
    """Whether no option of the program, listed or not, can do harm: then a word may be unknown before it runs."""
    reads_here: bool = False
    """Whether it reads the folder it runs in where no operand names a path."""
    reads_arguments: bool = False
    """Whether `@file` stands for options read from a file."""
    order: str = "any"
    """Where options may stand: `any`, or `first`, where words behind the first operand are operands, or `unsure`.

    Systems differ in it. So options must come first where much hangs on which there are, or on how many operands: then a
    word behind an operand that may be an option is neither.
    """
    style: str = "getopt"
    """`getopt`, or `words` where options are whole words with one dash (`-text`, `-in file`)."""
    needs: frozenset[str] = frozenset()
    """Options of which one must be there; empty where none need be."""
    operands_at_least: int = 0
    """How many operands there must be."""
    operands_need: frozenset[str] = frozenset()
    """Options of which one must be there if there is an operand."""
    drops_first: frozenset[str] = frozenset()
    """Options that take the place of the first operand, as `-e` does in `grep -e pattern`."""
    operand_shape: re.Pattern[str] | None = None
    """What each operand that is text must look like."""
    allows_globs: bool = True
    """Whether an unquoted glob may stand where a path is read."""
    may_stand_alone: bool = True
    """Whether it is harmless with no operand, or, where it has subcommands, without one of them."""
    is_version_only: bool = False
    """Whether nothing of it is known but how to ask for its version."""
    has_subcommand_help: bool = False
    """Whether any subcommand with `--help` alone only prints."""
    sockets: tuple[str, ...] = ()
    """The local sockets through which it asks another program on this machine; said once, of the program itself."""
    has_old_letters: bool = False
    """Whether its first word may be letters of options without a dash, as in `tar tf`."""
    below: frozenset[str] = frozenset()
    """Options with which it shows what is in the files below the folders that it reads; `always` where it does anyway."""
    follows: frozenset[str] = frozenset()
    """Options with which it follows links that it meets below these folders; `always` where it does anyway."""
    lists: frozenset[str] = frozenset()
    """Options with which it reads files that other files name; `always` where it does anyway."""
    leaves: frozenset[str] = frozenset()
    """Options with which it writes caches, logs or settings of its own; `always` where it does anyway."""
    checker: str = ""
    """The name of the function that judges the rest (`checkers.CHECKERS`, `checkers.JUDGES`), or nothing."""


@cache
def _raw() -> dict[str, dict[str, object]]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("read_only.toml").read_text("utf-8"))


@cache
def _aliases() -> dict[str, str]:
    found = {name: name for name in _raw()}
    for name, fields in _raw().items():
        if name.startswith("%"):  # a group of options that entries include
            del found[name]
        for other in str(fields.get("also", "")).split():
            # The other name of a subcommand stands alone: `["git log"]` says `also = 'whatchanged'`.
            found[f"{name.rpartition(' ')[0]} {other}".strip()] = name
        if "as_program" in fields:  # a subcommand that is also a program of its own
            found[str(fields["as_program"])] = name
    return found


@cache
def _parents() -> frozenset[str]:
    return frozenset(name.rpartition(" ")[0] for name in _aliases() if " " in name)


def names() -> tuple[str, ...]:
    """Return the names of all entries, in the order of the file."""
    return tuple(name for name in _raw() if not name.startswith("%"))


def has_subcommands(name: str) -> bool:
    """Whether the table knows subcommands of this program or subcommand."""
    return name in _parents()


@cache
def entry_for(name: str) -> ProgramEntry | None:
    """Return the entry of a program, or of a subcommand (`git log`), or None."""
    own = _aliases().get(name)
    if own is None:
        return None
    fields = _raw()[own]
    shaped = fields.get("operand_shape")
    operands = str(fields.get("operands", "none")).split()
    needs = str(fields.get("needs", "")).split()
    is_safe = bool(fields.get("safe", False))
    is_finite = bool(needs) or (operands != ["none"] and operands[-1] not in {"texts", "paths"})
    return ProgramEntry(
        name=own,
        called=name,
        why=str(fields["why"]),
        options=_all_options(fields),
        writes=frozenset(str(fields.get("writes", "")).split()),
        runs=frozenset(str(fields.get("runs", "")).split()),
        operands=tuple(operands),
        is_safe=is_safe,
        reads_here=bool(fields.get("here", False)),
        reads_arguments=bool(fields.get("argument_files", False)),
        order=str(fields.get("order", "unsure" if is_finite and not is_safe else "any")),
        style=str(fields.get("style", "getopt")),
        needs=frozenset(needs),
        operands_at_least=int(str(fields.get("operands_at_least", 0))),
        operands_need=frozenset(str(fields.get("operands_need", "")).split()),
        drops_first=frozenset(str(fields.get("drops_first", "")).split()),
        operand_shape=re.compile(str(shaped)) if shaped else None,
        allows_globs=bool(fields.get("globs", True)),
        may_stand_alone=bool(fields.get("alone", True)),
        has_subcommand_help=bool(fields.get("subcommand_help", False)),
        is_version_only=bool(fields.get("is_version_only", False)),
        sockets=tuple(str(fields.get("sockets", "")).split()),
        has_old_letters=bool(fields.get("old_letters", False)),
        below=frozenset(str(fields.get("below", "")).split()),
        follows=frozenset(str(fields.get("follows", "")).split()),
        lists=frozenset(str(fields.get("lists", "")).split()),
        leaves=frozenset(str(fields.get("leaves", "")).split()),
        checker=str(fields.get("checker", "")),
    )


def _all_options(fields: dict[str, object]) -> dict[str, str]:
    words = fields.get("style") == "words"
    found: dict[str, str] = {}
    for group in str(fields.get("include", "")).split(", "):
        if group:
            found.update(options_of(str(_raw()[f"%{group}"]["options"])))
    return found | options_of(str(fields.get("options", "")), words=words)


def options_of(text: str, *, words: bool = False) -> dict[str, str]:
    """Return the options that a text in the notation above lists, each with how it takes a value.

    With `words` an option of several letters behind one dash is one option.
    """
    found: dict[str, str] = {}
    for token in text.split():
        match = _OPTION.fullmatch(token)
        if match is None:
            raise ValueError(f"not an option: {token!r}")
        name, kind = match[1], match[2] or ""
        if not kind and not words and not name.startswith("--") and len(name) > 2:
            found.update((f"-{letter}", "") for letter in name[1:])
        else:
            found[name] = kind
    return found
