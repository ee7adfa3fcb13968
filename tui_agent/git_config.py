"""The names that git's configuration files set, read without running git.

The parser takes what git's own takes (`git_parse_source` in git's config.c) and refuses the rest: where git fails, so does it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from tui_agent.git_index import inner_links
from tui_agent.regular_files import TooLargeError, read_regular

__all__ = [
    "GitConfigError", "common_folder", "config_files", "git_folders", "included", "module_folders", "own_folder",
    "personal_paths", "points_back", "read_git_file", "read_names", "read_own_names", "read_settings",
]  # fmt: skip

_MOST_BYTES: Final = 1 << 20
_MOST_FILES: Final = 64  # of one question, included ones too
_MOST_MODULES: Final = 256
_NAMING_FILES: Final = frozenset({"core.excludesfile", "core.attributesfile", "mailmap.file"})
_SPACE: Final = " \t\n\r"  # what git takes for it
_ESCAPES: Final = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}

Entry = tuple[str, str]


class GitConfigError(ValueError):
    """A configuration file cannot be read, is too large, or is not one; the text says which."""


def config_files(folder: str, environment: dict[str, str]) -> list[str]:
    """Return the configuration files that git reads in `folder`, of submodules too; they may not exist.

    Raises:
        GitConfigError: there are too many, or one that leads to another cannot be read.
    """
    home = environment.get("HOME", "")
    found = [environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"]
    if "GIT_CONFIG_GLOBAL" in environment:
        found.append(environment["GIT_CONFIG_GLOBAL"])
    elif home:
        configured = environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
        found += [f"{configured}/git/config", f"{home}/.gitconfig"]
    for above in (folder, *map(str, Path(folder).parents)):
        marker = f"{above.rstrip('/')}/.git"
        if os.path.lexists(marker):
            found += _of_repository(marker)
        elif os.path.lexists(f"{above}/HEAD") and os.path.lexists(f"{above}/objects"):
            found.append(f"{above}/config")
    return [path for path in found if path]


def read_names(files: Iterable[str], environment: dict[str, str]) -> set[str]:
    """Return every name that these files and those that they include set: `diff.png.textconv`, section and key in lower case.

    Conditions of `includeIf` are taken to hold. Missing files set nothing.

    Raises:
        GitConfigError: see the class.
    """
    return {name for _, name, _ in read_settings(files, environment)}


def read_settings(files: Iterable[str], environment: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield file, name and value of all that these files and those that they include set; see `read_names`.

    Raises:
        GitConfigError: see the class.
    """
    waiting = list(files)
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        if len(seen) > _MOST_FILES + _MOST_MODULES:
            raise GitConfigError("too many configuration files")
        for name, value in _entries(path):
            yield path, name, value
            if name == "include.path" or (name.startswith("includeif.") and name.endswith(".path")):
                waiting.append(included(value, path, environment))


def read_own_names(files: Iterable[str]) -> set[str]:
    """Return every name that these files set themselves, also those by which they include others.

    Raises:
        GitConfigError: see the class.
    """
    return {name for path in files for name, _ in _entries(path)}


def git_folders(folder: str) -> tuple[str, ...]:
    """Return what git needs to read of `folder`'s repository where it lies outside: of a worktree or submodule.

    A `.git` file may have come with foreign files: it is believed where what it names points back. A `.git` that is a link and
    other repositories whose objects this one borrows say nothing of it, so they are not among it.
    """
    markers = (f"{above.rstrip('/')}/.git" for above in (folder, *map(str, Path(folder).parents)))
    marker = next(filter(os.path.lexists, markers), "")
    if not marker or os.path.islink(marker):  # noqa: PTH114
        return ()
    try:
        own = own_folder(marker)
        common = common_folder(own)
        is_own = own != marker and points_back(own, common, marker)
    except GitConfigError:
        return ()
    return tuple(dict.fromkeys(map(os.path.normpath, (marker, own, common) if is_own else (marker,))))


def personal_attributes(environment: dict[str, str]) -> str:
    """Return the path of the user's own list of git's attributes; it may not exist.

    Raises:
        GitConfigError: see the class.
    """
    home = environment.get("HOME", "")
    found = f"{environment.get('XDG_CONFIG_HOME') or f'{home}/.config'}/git/attributes"
    for path in config_files("/", environment):
        for name, value in _entries(path):
            if name == "core.attributesfile":
                found = os.path.normpath(included(value, path, environment))
    return found


def personal_paths(environment: dict[str, str]) -> list[str]:
    """Return the files that a user's own configuration of git includes or names: lists of what to ignore, attributes.

    Raises:
        GitConfigError: see the class.
    """
    waiting = config_files("/", environment)
    found: list[str] = []
    while waiting and len(found) < _MOST_FILES:
        path = waiting.pop()
        for name, value in _entries(path):
            if (
                name in _NAMING_FILES
                or name == "include.path"
                or (name.startswith("includeif.") and name.endswith(".path"))
            ):
                target = os.path.normpath(included(value, path, environment))
                if target not in found:
                    found.append(target)
                    waiting += [] if name in _NAMING_FILES else [target]
    return found


def own_folder(marker: str) -> str:
    """Return the folder that a `.git` is or names.

    Raises:
        GitConfigError: it cannot be read, or names none.
    """
    if os.path.isdir(marker):  # noqa: PTH112
        return marker
    line = read_git_file(marker).rstrip("\r\n")
    named = line.removeprefix("gitdir: ")
    if named == line or not named or named != named.strip():  # git takes blanks for a part of the name
        raise GitConfigError(f"{marker} names no folder")
    return os.path.join(os.path.dirname(marker), named)  # noqa: PTH118, PTH120


def common_folder(own: str) -> str:
    """Return git's folder that a worktree shares with others; its own where it shares none.

    Raises:
        GitConfigError: what says so cannot be read.
    """
    text = read_git_file(f"{own}/commondir").rstrip("\r\n") if os.path.lexists(f"{own}/commondir") else ""
    return os.path.join(own, text) if text else own  # noqa: PTH118


def points_back(own: str, common: str, marker: str) -> bool:
    """Whether git's own folder says that it belongs to the folder that the `.git` lies in."""
    tree = os.path.dirname(os.path.realpath(marker))  # noqa: PTH120
    if own != common:  # a linked worktree
        back = os.path.join(own, read_git_file(f"{own}/gitdir").strip())  # noqa: PTH118
        is_listed = os.path.dirname(os.path.realpath(own)) == os.path.realpath(f"{common}/worktrees")  # noqa: PTH120
        return is_listed and os.path.realpath(back) == os.path.realpath(marker)
    trees = [value for name, value in _entries(f"{own}/config") if name == "core.worktree"]
    return bool(trees) and os.path.realpath(os.path.join(own, trees[-1])) == tree  # noqa: PTH118


def _of_repository(marker: str, seen: set[str] | None = None) -> Iterator[str]:
    """Yield the files of the repository that a `.git` belongs to, and of those that git looks into with it.

    Those are submodules, and other repositories that the index names: they may lie among the files, settings and all.
    """
    seen = set() if seen is None else seen
    seen.add(os.path.realpath(marker))
    if len(seen) > _MOST_MODULES:
        raise GitConfigError("too many repositories in one another")
    own = own_folder(marker)
    common = common_folder(own)
    yield from (f"{common}/config", f"{common}/config.worktree", f"{own}/config.worktree")
    for module in module_folders(f"{common}/modules"):
        yield from (f"{module}/config", f"{module}/config.worktree")
    links = inner_links(own)
    if links is None:
        raise GitConfigError(f"the index of {own} is not understood")
    for link in links:
        inner = os.path.join(os.path.dirname(marker), link, ".git")  # noqa: PTH118, PTH120
        if os.path.lexists(inner) and os.path.realpath(inner) not in seen:
            yield from _of_repository(inner, seen)


def module_folders(folder: str) -> Iterator[str]:
    """Yield the repositories of submodules in a `modules`, where they lie in one another and below folders of any name.

    Raises:
        GitConfigError: there are too many.
    """
    waiting = [folder]
    visited = 0
    while waiting:
        folder = waiting.pop()
        try:
            inside = sorted(os.listdir(folder))  # noqa: PTH208
        except OSError:
            continue
        visited += len(inside) or 1
        if visited > _MOST_MODULES * 64:
            raise GitConfigError("too many submodules")
        if "HEAD" in inside or "config" in inside or "commondir" in inside:
            yield folder
            waiting.append(f"{folder}/modules")
        else:
            waiting += [f"{folder}/{name}" for name in inside if os.path.isdir(f"{folder}/{name}")]  # noqa: PTH112


def included(value: str, path: str, environment: dict[str, str]) -> str:
    """Return the file that a setting's value in the file `path` names.

    Raises:
        GitConfigError: it is none that is known.
    """
    if value.startswith("%(prefix)"):
        raise GitConfigError(f"{path} includes a file of git's own")
    if value.startswith("~/"):
        value = environment.get("HOME", "") + value[1:]
    elif value.startswith("~"):
        value = os.path.expanduser(value)  # noqa: PTH111
    return os.path.join(os.path.dirname(path), value)  # noqa: PTH118, PTH120


def read_git_file(path: str) -> str:
    """Return a file's text; empty where there is none.

    Raises:
        GitConfigError: it is no file, too large, or cannot be read.
    """
    if path == os.devnull:  # how people say that there is none
        return ""
    try:
        return read_regular(path, _MOST_BYTES, follow_links=True).decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except TooLargeError as error:
        raise GitConfigError(f"{path} is too large") from error
    except OSError as error:
        raise GitConfigError(f"{path} cannot be read") from error


def _entries(path: str) -> tuple[Entry, ...]:
    text = read_git_file(path)
    if "\0" in text:
        raise GitConfigError(f"{path} holds a NUL")
    try:
        return parse(text)
    except GitConfigError as error:
        raise GitConfigError(f"{path}: {error}") from error


@lru_cache(maxsize=64)
def parse(text: str) -> tuple[Entry, ...]:
    """Return the names and values of a configuration file's text; a name without a value has an empty one.

    Raises:
        GitConfigError: git would refuse it too.
    """
    return tuple(_Parser(text).entries())


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._at = 0

    def entries(self) -> Iterator[Entry]:
        section = ""
        while char := self._next():
            if char in "#;":
                self._skip_line()
            elif char == "[":
                section = self._section() + "."
            elif char.isascii() and char.isalpha():
                yield section + self._key(char), self._value()
            elif char not in _SPACE:
                raise GitConfigError("it is not understood")

    def _next(self) -> str:
        """Return the next character; empty at the end."""
        char = self._text[self._at : self._at + 1]
        self._at += 1
        return char

    def _skip_line(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end + 1

    def _section(self) -> str:
        out = ""
        while (char := self._next()) != "]":
            if char and char in _SPACE:
                return f"{out}.{self._subsection(char)}"
            if not _is_key(char) and char != ".":
                raise GitConfigError("a section is not understood")
            out += char.lower()
        return out

    def _subsection(self, char: str) -> str:
        while char and char in _SPACE and char != "\n":
            char = self._next()
        if char != '"':
            raise GitConfigError("a section is not understood")
        out = ""
        while (char := self._next()) != '"':
            if char == "\\":
                char = self._next()
            if char in ("", "\n"):
                raise GitConfigError("a section does not end")
            out += char
        if self._next() != "]":
            raise GitConfigError("a section does not end")
        return out

    def _key(self, char: str) -> str:
        start = self._at - 1
        while _is_key(char):
            char = self._next()
        self._at -= 1
        return self._text[start : self._at].lower()

    def _value(self) -> str:
        while (char := self._next()) in (" ", "\t"):
            pass
        if char in ("", "\n"):
            return ""
        if char != "=":
            raise GitConfigError("a line is not understood")
        return self._text_of_value()

    def _text_of_value(self) -> str:
        out = ""
        blanks = ""
        is_quoted = False
        while (char := self._next()) not in ("", "\n"):
            if not is_quoted and char in _SPACE:
                blanks += char if out else ""
                continue
            if not is_quoted and char in "#;":
                self._skip_line()
                return out
            out += blanks
            blanks = ""
            if char == '"':
                is_quoted = not is_quoted
            elif char != "\\":
                out += char
            elif (char := self._next()) not in ("", "\n"):  # which it joins with the next
                if char not in _ESCAPES:
                    raise GitConfigError("a value is not understood")
                out += _ESCAPES[char]
        if is_quoted:
            raise GitConfigError("a value does not end")
        return out


def _is_key(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "-")
