"""A stand-in for the table of programs: enough of them to try the structure of commands with."""

from __future__ import annotations

from collections.abc import Sequence

from tui_agent.permissions.shell.analysis import Analysis, analyse_with
from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.words import Word

__all__ = ["judged", "only_reads"]

READERS = frozenset({
    "ls", "cat", "echo", "grep", "rg", "head", "tail", "wc", "sort", "uniq", "pwd", "find", "fd", "cut", "tr", "diff", "date",
    "basename", "dirname", "printf", "sleep", "seq", "git", "stat", "file", "which", "type", "jq", "sed", "awk", "nproc", "tac",
    "nl",
})  # fmt: skip
"""Programs that only read here, whatever their options."""


def stand_in(words: Sequence[Word], *, names_from: str = "") -> Judgement:
    """Judge a command by its name alone; what is not an option counts as read."""
    name = words[0]
    if not name.is_known or name.value not in READERS:
        return Judgement(kind="unknown", check="unknown-program", reason="it is not known to be read-only")
    if names_from == "anywhere" and name.value not in {"echo", "printf"}:
        return Judgement(kind="unknown", check="names-unknown", reason="names from anywhere")
    if name.value in {"sed", "find", "sort"} and any(
        word.value.startswith(("-i", "-delete", "-exec"))
        or (word.value == "-o" and name.value == "sort")
        or not (word.is_known or word.known)
        for word in words[1:]
    ):
        return Judgement(kind="unknown", check="unknown-option", reason="an option")
    if name.value in {"echo", "printf", "seq", "sleep", "date"}:
        return Judgement(kind="read_only")
    return Judgement(kind="read_only", reads=tuple(word for word in words[1:] if not word.value.startswith("-")))


def judged(source: str) -> Analysis:
    """Analyse a command with the stand-in."""
    return analyse_with(source, stand_in)


def only_reads(source: str) -> bool:
    """Whether a command is taken to only read."""
    return not judged(source).doubts
