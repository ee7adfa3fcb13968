"""What a command does that a user should see first: it deletes, sends something out, needs more rights, runs any code.

The table is `dangers.toml`. It makes a question clearer and more careful, and never lets anything run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, Final

from tui_agent.permissions.shell.effective_command import EffectiveCommand, base_name, reached
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.shell.runners import SHELLS, WRAPPERS
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.verdict import Effect

__all__ = ["Danger", "danger_of", "is_careful", "unseen_of", "worst_of"]

_ORDER: Final[tuple[Effect, ...]] = ("destroys", "sends", "escalates", "runs")
_LONGEST: Final = 60
_MOST: Final = 200
# What they print may have come from another computer, or is written so that nobody can read it.
_DOWNLOADERS: Final = frozenset({"curl", "wget", "fetch", "http", "https", "xh", "aria2c", "lynx", "scp", "nc", "ncat"})
_DECODERS: Final = frozenset({"base64", "base32", "xxd", "openssl", "uudecode"})
_CODE_READERS: Final = re.compile(
    r"(?:python|pypy|ruby|perl|lua|php|node|tclsh|julia)[\d.]*|nodejs|deno|bun|Rscript|osascript"
)
# They run on another computer, or in a container, what stands somewhere among their words.
_REMOTE: Final = frozenset(
    {"ssh", "mosh", "docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "incus", "vagrant", "multipass"}
)
_NO_SHELLS: Final = frozenset({"su", "newgrp"})
_UNSEEN_WORDS: Final = "runs what it downloads, before anybody has read it"
_DECODED_WORDS: Final = "runs code that is written so that nobody can read it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """One thing that a command does.

    `part` is the text in the command that does it, `shown` the same in few characters, and `says` what it does: the rest of a
    sentence. `is_final` says that it cannot be undone, `is_unseen` that it runs code from elsewhere.
    """

    effect: Effect
    part: str
    shown: str
    says: str
    is_final: bool = False
    is_unseen: bool = False

    @property
    def reason(self) -> str:
        """The whole sentence, without a full stop."""
        return f"`{self.shown}` {self.says}"

    @property
    def is_careful(self) -> bool:
        """Whether a user should be asked each time, with No as the answer that is chosen."""
        return self.is_final or self.is_unseen

    @property
    def weight(self) -> tuple[bool, int]:
        """How soon it is told: the lower, the sooner."""
        return not self.is_careful, _ORDER.index(self.effect)


@dataclass(frozen=True, slots=True)
class _Row:
    calls: tuple[tuple[str, ...], ...]
    with_: tuple[str, ...]
    without: tuple[str, ...]
    value: re.Pattern[str] | None
    effect: Effect
    says: str
    is_final: bool
    is_unseen: bool


@lru_cache(maxsize=512)
def is_careful(source: str) -> bool:
    """Whether something in a command text cannot be undone, or runs code that nobody has seen. Never raises."""
    worst = danger_of(source)
    return worst is not None and worst.is_careful


@lru_cache(maxsize=512)
def danger_of(source: str) -> Danger | None:
    """Return the worst thing that a command text may do, wherever in it that stands; None where the table knows nothing."""
    commands = reached(parse(source))[:_MOST]
    found = (_unseen(source, commands), worst_of(commands), _elsewhere(source, commands))
    return min(filter(None, found), key=lambda one: one.weight, default=None)


def unseen_of(source: str) -> Danger | None:
    """Return that a command text downloads something and runs it at once; None where it does not."""
    return _unseen(source, reached(parse(source))[:_MOST])


def worst_of(commands: Iterable[EffectiveCommand]) -> Danger | None:
    """Return the worst thing that one of these commands does by itself."""
    found = (danger for one in commands for danger in _dangers(one.words))
    return min(found, key=lambda one: one.weight, default=None)


def _dangers(words: Sequence[Word]) -> Iterator[Danger]:
    name = base_name(words[0])
    rows = _rows_of(name, words[0].value)
    if not rows:
        return
    values = [word.value for word in words]
    operands = _operands(name, values)
    for row, call in rows:
        last = _matched(row, call, values, operands)
        if last is None:
            continue
        part = " ".join(word.raw for word in words[: last + 1])
        yield Danger(
            effect=row.effect,
            part=part,
            shown=_short(part),
            says=row.says,
            is_final=row.is_final,
            is_unseen=row.is_unseen,
        )


def _matched(row: _Row, call: tuple[str, ...], values: list[str], operands: list[int]) -> int | None:
    """Return the number of the last word that makes a row fit; None where it does not."""
    wanted = call[1:]
    if len(operands) < len(wanted):
        return None
    if not all(fnmatchcase(values[at], pattern) for at, pattern in zip(operands, wanted, strict=False)):
        return None
    last = operands[len(wanted) - 1] if wanted else 0
    rest = range(1, len(values))
    if any(_is_option(values[at], option) for at in rest for option in row.without):
        return None
    if row.with_:
        at = next((at for at in rest if any(_is_option(values[at], option) for option in row.with_)), None)
        if at is None:
            return None
        last = max(last, at)
    if row.value is not None:
        at = next((at for at in rest if row.value.search(values[at])), None)
        if at is None:
            return None
        last = max(last, at)
    return last


def _is_option(word: str, option: str) -> bool:
    """Whether a word is this option: alone, with its value in the same word, or, for a letter, among others."""
    if word == option:
        return True
    if option.startswith("--"):
        return len(option) > 2 and word.startswith(f"{option}=")
    if len(option) != 2 or not word.startswith("-") or word.startswith("--"):
        return False
    return word.startswith(option) or (word[1:].isalpha() and option[1] in word)


def _operands(name: str, values: list[str]) -> list[int]:
    """Return which words are neither options nor, as far as is known, values of options."""
    valued = _table()[1].get(name, frozenset())
    found: list[int] = []
    is_value = False
    for at, value in enumerate(values[1:], 1):
        if is_value:
            is_value = False
        elif value.startswith("-"):
            is_value = value in valued
        else:
            found.append(at)
    return found


def _elsewhere(source: str, commands: Sequence[EffectiveCommand]) -> Danger | None:
    """Return what is surely destroyed on another computer, or in a container, if what may be a command there is one."""
    if not any(base_name(one.words[0]) in _REMOTE for one in commands):
        return None
    guesses = (one for one in reached(parse(source), guesses=True)[:_MOST] if one.is_guess)
    found = (danger for one in guesses for danger in _dangers(one.words) if danger.is_final)
    return min(found, key=lambda one: one.weight, default=None)


# --- code from elsewhere -------------------------------------------------------------------------------------------------


def _unseen(source: str, commands: Sequence[EffectiveCommand]) -> Danger | None:
    """Return that something is downloaded, or decoded, and run at once: in a pipe, a substitution, or one after the other."""
    downloads = [one for one in commands if base_name(one.words[0]) in _DOWNLOADERS]
    decodes = [one for one in commands if base_name(one.words[0]) in _DECODERS]
    if not downloads and not decodes:
        return None
    kept = {PurePosixPath(word.value).name for one in downloads for word in one.words[1:]}
    kept |= {PurePosixPath(target.value).name for one in parse(source).redirects if (target := one.target) is not None}
    for one in commands:
        is_from_elsewhere = _runs_input(one)
        if not is_from_elsewhere and not (one.runs_file and downloads and _file_run(one) in kept):
            continue
        origin = (downloads or decodes)[0]
        first, last = base_name(origin.words[0]), base_name(one.words[0])
        return Danger(
            effect="runs",
            part=_between(source, origin, one),
            shown=f"{first} … | {last}" if _is_piped(source, origin, one) else f"{last} … {first}",
            says=_UNSEEN_WORDS if downloads else _DECODED_WORDS,
            is_unseen=True,
        )
    return None


def _runs_input(one: EffectiveCommand) -> bool:
    """Whether a command runs what another one prints."""
    name = base_name(one.words[0])
    if name in {"eval", "source", "."}:
        return one.is_opaque
    if name in SHELLS:
        return one.is_opaque and name not in _NO_SHELLS and name not in WRAPPERS
    if _CODE_READERS.fullmatch(name):
        return one.reads_input or any("$(" in word.raw or "`" in word.raw or "<(" in word.raw for word in one.words[1:])
    return False


def _file_run(one: EffectiveCommand) -> str:
    """Return the name of the file that a command runs."""
    if "/" in one.words[0].value and base_name(one.words[0]) not in SHELLS:
        return base_name(one.words[0])
    return next((PurePosixPath(word.value).name for word in one.words[1:] if not word.value.startswith("-")), "")


def _is_piped(source: str, origin: EffectiveCommand, one: EffectiveCommand) -> bool:
    start, end = source.find(origin.words[0].raw), source.rfind(one.words[0].raw)
    return 0 <= start < end and "|" in source[start:end]


def _between(source: str, origin: EffectiveCommand, one: EffectiveCommand) -> str:
    """Return the text from what downloads to what runs, whichever of them comes first."""
    start, end = source.find(origin.words[0].raw), source.rfind(one.words[0].raw)
    if start < 0 or end < 0:
        return source.strip()
    if end < start:
        return source[end:].strip()
    return source[start : end + len(one.words[0].raw)]


# --- the table -----------------------------------------------------------------------------------------------------------


def _short(part: str) -> str:
    line = " ".join(part.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


@lru_cache(maxsize=512)
def _rows_of(name: str, path: str) -> tuple[tuple[_Row, tuple[str, ...]], ...]:
    """Return the rows about a program, in the order of the table, each with the call that is about it."""
    return tuple(
        (row, call)
        for row in _table()[0]
        for call in row.calls
        if call[0] == name or fnmatchcase(path if "/" in call[0] else name, call[0])
    )


@cache
def _table() -> tuple[tuple[_Row, ...], dict[str, frozenset[str]]]:
    import tomllib

    data = tomllib.loads(Path(__file__).with_name("dangers.toml").read_text("utf-8"))
    valued = {name: frozenset(options) for name, options in data["valued"].items()}
    return tuple(map(_row, data["does"])), valued


def _row(data: dict[str, Any]) -> _Row:
    calls = (call.split() for call in data["calls"])
    return _Row(
        # What is an option is one wherever it stands: `python -m twine upload` is a call with the words `twine upload`.
        calls=tuple((call[0], *(word for word in call[1:] if not word.startswith("-"))) for call in calls),
        with_=tuple(data.get("with", ())),
        without=tuple(data.get("without", ())),
        value=re.compile(data["value"]) if "value" in data else None,
        effect=data["effect"],
        says=data["says"],
        is_final=data.get("final", False),
        is_unseen=data.get("unseen", False),
    )
