"""One call of a program of the table, as the functions see it that judge what the table cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.programs.options import OptionDoubt, OptionReading
from tui_agent.permissions.shell.programs.table import ProgramEntry
from tui_agent.permissions.shell.words import Word

__all__ = ["ProgramCall", "read_only", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCall:
    """A call: `words` behind the program's name (and subcommand), and what its options were read as.

    `reading` is empty for programs whose options are not read by the table's rules.
    """

    entry: ProgramEntry
    words: Sequence[Word]
    names_from: str = ""
    reading: OptionReading = field(default_factory=OptionReading)

    def has(self, *options: str) -> bool:
        """Whether one of these options was given."""
        return any(option in self.reading.given for option in options)


def refused(doubt: OptionDoubt) -> Judgement:
    """Return the judgement on a call that is not known to be harmless."""
    return Judgement(kind="unknown", check=doubt.check, reason=doubt.reason)


def read_only(reads: Sequence[Word] = ()) -> Judgement:
    """Return the judgement on a call that only reads, and only these files."""
    return Judgement(kind="read_only", reads=tuple(reads))
