"""The paths a word means: variables of the user's own, braces and globs resolved, from wherever the command may stand.

A glob is looked up on the disk, as the shell will do, so that a link in it that leads elsewhere is seen. That is bounded: what
would take longer is *not certain*, and a user is asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.paths import BadPattern, segment_regex
from tui_agent.permissions.shell.process_paths import of_process
from tui_agent.permissions.shell.words import Word

__all__ = ["Places", "expanded", "places", "possible", "stands"]

_HOME: Final = re.compile(r"\$(?:HOME|\{HOME\})(?=/|$)")
_HERE: Final = re.compile(r"\$(?:PWD|\{PWD\})(?=/|$)")
_PLAIN_BRACES: Final = re.compile(r"[\w./,{}+@%:*?-]*")
_BRACE: Final = re.compile(r"\{([^{}]*)\}")
_RANGE: Final = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})")
_QUOTING: Final = re.compile(r"['\"\\]")
_GLOB: Final = re.compile(r"[*?\[]")
_SPLIT: Final = re.compile(r"[ \t\n*?\[]")
_MOST_BRACED: Final = 64
_MOST_ENTRIES: Final = 4000
_MOST_FOUND: Final = 1000
_MOST_FOLDERS: Final = 16


@dataclass(frozen=True, slots=True)
class Places:
    """Absolute paths; where `..` stands behind a link, both what the text says and where the kernel goes.

    `is_certain` says that the word can mean no others.
    """

    paths: tuple[str, ...]
    is_certain: bool


class _TooMany(Exception):  # noqa: N818 - no error, only a bound
    """A glob would take too long to look up."""


def stands(chains: Iterable[tuple[Word, ...]], where: PathContext) -> Places:
    """Return the folders that a command may run in, behind one of these chains of `cd`s."""
    start = where.shell_cwd or where.cwd
    folders: dict[str, None] = {}
    is_certain = True
    for chain in chains:
        ends = [start]
        for word in chain:
            found: list[str] = []
            for here in ends:
                for text in _texts(word, here, where):
                    plain = _of_process(here, text, where)
                    is_certain = is_certain and plain is None
                    found.extend(_joined(here, plain or text, where))
            is_certain = is_certain and bool(found) and not word.has_glob and word.value not in {"-", ""}
            ends = list(dict.fromkeys(found)) or ends
            if len(ends) > _MOST_FOLDERS:
                return Places(tuple(ends[:_MOST_FOLDERS]), is_certain=False)
        folders.update(dict.fromkeys(ends))
    is_few = len(folders) <= _MOST_FOLDERS
    return Places(tuple(folders)[:_MOST_FOLDERS] or (start,), is_certain and is_few)


def places(word: Word, folders: Places, where: PathContext) -> Places:
    """Return what a word that names a file or a folder may mean in these folders."""
    found: list[str] = []
    is_certain = folders.is_certain
    for folder in folders.paths:
        texts = _texts(word, folder, where)
        is_certain = is_certain and bool(texts)
        for text in texts:
            plain = _of_process(folder, text, where)
            if plain is not None:
                is_certain = False
                found.extend(_joined(folder, text, where))
                text = plain
            found.extend(_joined(folder, text, where))
            if word.has_glob and _GLOB.search(text):
                try:
                    names = _matches(folder, text, where, is_quoted=_QUOTING.search(word.raw) is not None)
                    found.extend(names)
                    for name in names:
                        if (plain := _of_process(folder, name, where)) is not None:
                            found.append(plain)
                            is_certain = False
                    if word.may_split and any(_SPLIT.search(name[len(folder) :]) for name in names):
                        is_certain = False
                except _TooMany:
                    is_certain = False
    return Places(tuple(dict.fromkeys(found)), is_certain)


def possible(word: Word, folders: Places, where: PathContext) -> tuple[str, ...]:
    """Return the paths that a word may mean by its text, also where that is not certain."""
    texts = ((expanded(word, where, folder), folder) for folder in folders.paths)
    values = [_of_process(folder, text, where) or text for text, folder in texts]
    return tuple(_joined(folder, value, where)[0] for folder, value in zip(folders.paths, values, strict=True))


def _of_process(folder: str, text: str, where: PathContext) -> str | None:
    """Return what `of_process` says; without following each step where a path goes through no link."""
    whole = os.path.join(folder, text)  # noqa: PTH118 - of texts
    is_plain = "/proc" not in whole and "/dev" not in whole and not _GLOB.search(whole)
    if is_plain and where.resolve(whole) == ("/" + os.path.normpath(whole).lstrip("/")):
        return None
    return of_process(text, folder)


def _texts(word: Word, folder: str, where: PathContext) -> list[str]:
    """Return the texts that a word may become in a folder; none where that is not known."""
    if not word.is_plain:
        return []
    if word.raw.startswith("~") and not re.match(r"~(?:/|$)", word.raw):
        return []
    value = expanded(word, where, folder)
    if word.is_literal:
        return [value]
    if _has_braces(word):
        return _unbraced(value) if _PLAIN_BRACES.fullmatch(word.raw.removeprefix("~")) else []
    if "$" not in word.value:
        return [value]  # a glob
    # A dollar that quotes protect is a dollar; which of several that is cannot be told from the value.
    is_known = "'" not in word.raw and "\\" not in word.raw and "$" not in value
    return [value] if is_known else []


def _has_braces(word: Word) -> bool:
    return any("," in inner or ".." in inner for inner in _BRACE.findall(word.raw))


def expanded(word: Word, where: PathContext, here: str) -> str:
    """Return a word with what is known of `~`, `$HOME` and `$PWD` put in."""
    value = word.value
    if value.startswith("~"):
        is_home = word.raw.startswith("~") and (value == "~" or value.startswith("~/"))
        value = where.home + value[1:] if is_home else f"./{value}"
    if word.is_literal:
        return value
    return _HERE.sub(lambda _match: here, _HOME.sub(lambda _match: where.home, value))


def _unbraced(text: str) -> list[str]:
    """Return what `a{b,c}d` stands for; nothing where that is a lot, or of a kind that is not read."""
    waiting, done = [text], []
    while waiting:
        one = waiting.pop()
        brace = next((match for match in _BRACE.finditer(one) if "," in match[1] or ".." in match[1]), None)
        if brace is None:
            if "{" in one or "}" in one:
                return []
            done.append(one)
            continue
        inner = brace[1].split(",")
        if len(inner) == 1:
            span = _RANGE.fullmatch(brace[1])
            if span is None or abs(int(span[1]) - int(span[2])) > _MOST_BRACED or span[1].lstrip("-").startswith("0"):
                return []
            low, high = sorted((int(span[1]), int(span[2])))
            inner = [str(number) for number in range(low, high + 1)]
        waiting.extend(one[: brace.start()] + part + one[brace.end() :] for part in inner)
        if len(waiting) + len(done) > _MOST_BRACED:
            return []
    return done


def _joined(folder: str, text: str, where: PathContext) -> tuple[str, ...]:
    whole = os.path.join(folder, text)  # noqa: PTH118 - of texts
    path = "/" + os.path.normpath(whole).lstrip("/")
    if ".." not in text.split("/"):
        return (path,)
    real = where.resolve(whole)
    return (path,) if real == where.resolve(path) else (path, real)


def _matches(folder: str, text: str, where: PathContext, *, is_quoted: bool) -> list[str]:
    """Return what a glob finds on the disk; rather more than too little where quotes make it hard to tell.

    Raises:
        _TooMany: it would have to look at too many files, or climbs out of what it finds.
    """
    parts = text.split("/")
    first = next(index for index, part in enumerate(parts) if _GLOB.search(part))
    fixed, rest = "/".join(parts[:first]), [part for part in parts[first:] if part not in {"", "."}]
    if ".." in rest:
        raise _TooMany
    budget = _MOST_ENTRIES
    found = list(_joined(folder, fixed or ("/" if text.startswith("/") else "."), where))
    for index, part in enumerate(rest):
        if not _GLOB.search(part):
            found = [one for base in found if os.path.lexists(one := os.path.join(base, part))]  # noqa: PTH118
            continue
        try:
            fits = re.compile(".*" if is_quoted else segment_regex(part), re.DOTALL)
        except BadPattern:
            fits = re.compile(".*", re.DOTALL)  # an open bracket is a bracket; whatever there is includes it
        is_hidden = part.startswith((".", "[")) or is_quoted
        is_last = index == len(rest) - 1
        if part.startswith(".") and not is_last and fits.fullmatch(".."):
            raise _TooMany  # before bash 5.2, `.*/x` leads out by way of `..`
        more: list[str] = []
        for base in found:
            for name, is_folder in _listing(base):
                budget -= 1
                if budget < 0:
                    raise _TooMany
                if (is_last or is_folder) and (is_hidden or not name.startswith(".")) and fits.fullmatch(name):
                    path = os.path.join(base, name)  # noqa: PTH118
                    if not is_last and os.path.islink(path) and of_process(path, folder) is not None:  # noqa: PTH114
                        raise _TooMany  # only the command itself can follow it
                    more.append(path)
        if len(more) > _MOST_FOUND:
            raise _TooMany
        found = more
    return found


def _listing(folder: str) -> Iterator[tuple[str, bool]]:
    """Yield the names in a folder, and whether each may be a folder. One that cannot be read is empty to the shell too."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name, entry.is_dir() or entry.is_symlink()
    except (OSError, ValueError):
        return
