"""What `xargs` runs, and where the names come from that it hands over."""

from __future__ import annotations

import re
from typing import Final

from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.words import Word

__all__ = ["behind_xargs"]

_ALONE: Final = re.compile(
    r"-[0rtx]+|-[nPLs][0-9]+|-d(?:\\?.|'.')|-I\S+|-i|--(?:null|no-run-if-empty|verbose|exit|delimiter=.*"
    r"|max-args=[0-9]+|max-procs=[0-9]+|max-lines=[0-9]+|replace=\S+)"
)
_WHOLE: Final = frozenset({"-0", "-0r", "-r0", "--null"})  # with which a name is not split
_VALUED: Final = re.compile(r"-0?r?[nPLs]|--(?:max-args|max-procs|max-lines)")


def behind_xargs(words: tuple[Word, ...], names: str) -> tuple[tuple[Word, ...], str] | Judgement:
    """Return the command that `xargs` runs and what is known of the names it gets, or why that is not known.

    Args:
        words: the whole command, `xargs` first.
        names: a glob that all names which it is given lie under, or empty.
    """
    rest, mark, is_whole = list(words[1:]), "", False
    while rest and rest[0].is_known and rest[0].value.startswith("-"):
        word = rest.pop(0)
        option = word.value
        if option == "--":
            break
        is_whole = (is_whole or option in _WHOLE) and not option.startswith(("-d", "--d"))
        following = rest[0].value if rest and rest[0].is_known else None
        if _VALUED.fullmatch(option) and following is not None and following.isdecimal():
            rest.pop(0)
        elif option == "-I" and following:
            mark = following
            rest.pop(0)
        elif option in {"-d", "--delimiter"} and following:
            rest.pop(0)
        elif not _ALONE.fullmatch(option):
            return Judgement(
                kind="unknown", check="xargs-option", reason=f"`xargs {option}` is not known to be harmless"
            )
        elif option.startswith("-I"):
            mark = option[2:]
        elif option.startswith("--replace="):
            mark = option.partition("=")[2]
        elif option == "-i":
            mark = "{}"
    names_from = "work" if names else "anywhere"
    if names[:1] not in {"", "*", "[", "-"} and is_whole and names.isprintable():
        names_from = "named"  # each begins as the glob does
    if not rest:
        rest = [Word("echo", "echo", "echo", is_plain=True, is_literal=True)]
    if not mark:
        return tuple(rest), names_from
    return _marked(rest, mark, names_from)


def _marked(words: list[Word], mark: str, names_from: str) -> tuple[tuple[Word, ...], str] | Judgement:
    """Put what is not known in place of the mark that `xargs -I` replaces."""
    if mark in words[0].value:
        return Judgement(
            kind="unknown",
            check="dynamic-command-name",
            reason="which program `xargs` runs is unknown before it runs",
        )
    last = len(words)
    while last > 1 and words[last - 1].is_known and words[last - 1].value == mark:
        last -= 1
    if not any(mark in word.value for word in words[:last]):
        # Only at the end, where names go anyway.
        return tuple(words[:last]), names_from if last < len(words) else ""
    unknown = tuple(
        Word(f'"${{{mark}}}"', "$_", "", is_plain=True, is_literal=False) if mark in word.value else word
        for word in words
    )
    return unknown, ""
