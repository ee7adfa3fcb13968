"""`bash -c 'text'` and `bash -n file`: a shell started by a command, judged by the very text that it is given.

The text is gone through like any other, by itself: nothing of the outer shell's variables counts in it. What it is given
behind the text (`$0`, `$1` …) is unknown there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from tui_agent.permissions.shell.judgement import Judgement, Loose
from tui_agent.permissions.shell.part import Part
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.words import Word

__all__ = ["SHELLS", "PartsOf", "judge_shell"]

SHELLS: Final = frozenset({"bash", "sh"})
PartsOf = Callable[[str], tuple[Part, ...]]
"""Goes through a text and returns its simple commands; raises `Unclear`."""

# A login shell reads the user's own profile first, as each of their terminals does. No command may write these files.
_LETTERS: Final = re.compile(r"-(?:[celnuvxf]+o?|o)")
_LONG: Final = frozenset({"--norc", "--noprofile", "--login"})
_SETTINGS: Final = frozenset({"errexit", "nounset", "pipefail", "xtrace", "noglob", "noclobber", "verbose"})
# Other shells than bash, which `sh` often is, read these otherwise: `ls &> x` leaves `ls` running and empties `x`.
_ONLY_BASH: Final = re.compile(
    r"\[\[\s|\[\^|\(\(|&>|>&[^0-9-]|\|&|<<<|[<>]\(|\$['\"]|\{[^}]*(?:,|\.\.)[^}]*\}|=\(|\$\{[^}]*[/^,:@\[]"
)
_ONLY_BASH_COMMANDS: Final = frozenset({
    "declare", "typeset", "local", "export", "readonly", "mapfile", "readarray", "let", "shopt", "pushd", "popd", "time",
    "builtin", "read", "function",
})  # fmt: skip
_SENDING: Final = ("-C", "-R", "--cwd", "--repository", "--git-dir", "--work-tree")


def judge_shell(words: Sequence[Word], parts_of: PartsOf) -> Judgement:
    """Judge `bash` or `sh` and what it is given; only reading passes."""
    name = words[0].value.rpartition("/")[2]
    if words[0].value not in {name, f"/bin/{name}", f"/usr/bin/{name}"}:
        return _refused("program-path", f"`{words[0].value}` may be another program than the `{name}` that is known")
    letters, rest = _options(words[1:])
    if letters is None:
        return _refused("unknown-option", f"how `{name}` is called is not known to be harmless")
    if "n" in letters:
        if "l" in letters or "c" in letters or not rest:
            return _refused("unknown-option", f"`{name} -n` is known to be read-only only with a single file")
        return Judgement(kind="read_only", reads=tuple(rest[:1]))
    if "c" not in letters or not rest:
        return _refused("unknown-program", f"`{name}` runs what stands in a file or on its input")
    text = rest[0]
    if not text.is_known:
        return _refused("unknown-word", f"what `{name} -c` runs is unknown before it runs")
    if name == "sh" and _ONLY_BASH.search(text.value):
        return _refused("unknown-construct", "what `sh -c` is given means something else where `sh` is not bash")
    try:
        parts = parts_of(text.value)
    except Unclear as error:
        return _refused(error.check, error.reason)
    return _together(parts, name)


def _options(words: Sequence[Word]) -> tuple[str | None, list[Word]]:
    """Return the letters of a shell's options and the words behind them, or None for options that are not known."""
    letters, rest = "", list(words)
    while rest:
        word = rest[0]
        if not word.is_known or word.raw.startswith("\\"):
            # What is not known may be an option, unless something certain stands first in it.
            is_option = not word.known or word.known[:1] in {"-", "+"}
            return (None if is_option else letters), rest
        if word.value in {"-", "--"} or word.value[:1] not in {"-", "+"}:
            return letters, rest[1:] if word.value in {"-", "--"} else rest
        rest.pop(0)
        if word.value in _LONG:
            letters += "l" * (word.value == "--login")
        elif not _LETTERS.fullmatch(word.value):
            return None, rest
        elif word.value.endswith("o"):
            setting = rest.pop(0) if rest else None
            if setting is None or not setting.is_known or setting.value not in _SETTINGS:
                return None, rest
            letters += word.value[1:-1]
        else:
            letters += word.value[1:]
    return letters, rest


def _together(parts: Sequence[Part], name: str) -> Judgement:
    """Return one judgement on all commands of a text."""
    reads: list[Word] = []
    runs: list[tuple[Word, ...]] = []
    loose: frozenset[Loose] = frozenset()
    for part in parts:
        judgement = part.judgement
        if judgement.kind != "read_only":
            reason = judgement.reason or f"`{name} -c` changes files"
            return _refused(judgement.check or "edits-files", reason)
        if name == "sh" and part.words and part.words[0].value in _ONLY_BASH_COMMANDS:
            return _refused("unknown-construct", f"`{part.words[0].value}` is not the same for every `sh`")
        if judgement.sockets:
            return _refused("wrapper", f"`{name} -c` asks another program on this machine")
        if part.runs_git and (part.folder or any(word.value.startswith(_SENDING) for word in part.words)):
            return _refused("cd-git", "`git` may run programs that another folder's settings name")
        if any(redirect.is_output for redirect in part.redirects):
            return _refused("output-redirection", f"`{name} -c` writes to a file")
        inputs = [one.target for one in part.redirects if one.target is not None and not one.is_free]
        for word in (*judgement.reads, *inputs):
            found = [_below(chain, word) for chain in part.folders]
            if None in found:
                return _refused("cd-unknown", f"where `{name} -c` reads `{word.raw}` is unclear")
            reads.extend(one for one in found if one is not None)
        runs.extend(judgement.runs)
        loose |= judgement.loose
    return Judgement(
        kind="read_only",
        reads=tuple(dict.fromkeys(reads)),
        runs=tuple(dict.fromkeys(runs)),
        loose=loose,
        leaves=any(part.judgement.leaves for part in parts),
    )


def _below(chain: tuple[Word, ...], word: Word) -> Word | None:
    """Return what a word means behind a chain of `cd`s as one word, or None where that cannot be written."""
    if not chain:
        return word
    if not all(one.is_known and not one.raw.startswith("~") for one in chain):
        return None
    if word.raw.startswith("~") or not word.is_literal or word.may_split:
        return None
    folder = ""
    for one in chain:
        folder = one.value if one.value.startswith("/") else f"{folder}{one.value}"
        folder = f"{folder.rstrip('/')}/"
    if word.value.startswith("/"):
        return word
    return replace(word, raw=f"{folder}{word.raw}", value=f"{folder}{word.value}", known=f"{folder}{word.known}")


def _refused(check: str, reason: str) -> Judgement:
    return Judgement(kind="unknown", check=check, reason=reason)
