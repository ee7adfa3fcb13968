"""What one program call is: harmless to run, a plain change of files, or not known to be either; and by which check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.permissions.shell.words import Word

__all__ = ["Judgement", "Loose"]

Loose = Literal["contents", "links", "names", "lists"]
"""What a command may read beside the files that it names: `contents` of files below the folders that it reads; what `links`
that it meets there lead to; files whose `names` another command prints; files that `lists` in other files name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One command's words, judged by what is known of the program.

    `read_only` writes nothing, opens no connection and leaves no process, whatever its operands turn out to be; `edit` is one
    of the few commands that do nothing but change the files they name (`mkdir`, `mv` …); all else is `unknown`.

    `check` is the id of the check that decided (`checks.CHECKS`) and `reason` a clause for a user, both empty where nothing
    stood in the way. `reads` and `writes` are the words that name files and folders: whoever asks resolves them against the
    folder the command runs in and judges the places; words that are no paths are not among them. `runs` are commands that it
    runs in turn, each to be judged for itself. `sockets` are the local sockets through which it asks another program on this
    machine; they may begin with `~` or `$XDG_RUNTIME_DIR`. `loose` says what it may read beside the
    files that `reads` names. `leaves` says that it keeps caches, logs or settings of its own where nothing holds it.
    """

    kind: Literal["read_only", "edit", "unknown"]
    check: str = ""
    reason: str = ""
    reads: tuple[Word, ...] = ()
    writes: tuple[Word, ...] = ()
    runs: tuple[tuple[Word, ...], ...] = ()
    sockets: tuple[str, ...] = ()
    loose: frozenset[Loose] = frozenset()
    leaves: bool = False
