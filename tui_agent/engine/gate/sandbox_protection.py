"""What a command that may write must not: the protected places that are there, and a look afterwards for those it made.

What is there is mounted read-only, and for a few names an empty folder stands in. Of other names a command may make new ones:
`.envrc` in some subfolder, say. They are found when it has ended and get another name, which nothing obeys. A new repository
(`git init`, `git clone`) is left alone if git runs nothing of what it holds, and so are new folders of programs (`.venv/bin`,
`node_modules/.bin`).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.git_config import GitConfigError
from tui_agent.git_dangers import git_would_run, inner_repositories, is_bare
from tui_agent.nofollow import open_folder
from tui_agent.permissions.git_state import kept_of_git, obeyed_in_git
from tui_agent.permissions.hard_links import HardLinkFinder
from tui_agent.permissions.matching_files import MatchingFiles, TooManyFilesError
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.protected_paths import AT_HOME, STAND_INS, ProtectedMatcher, hidden_at_home
from tui_agent.sandbox.path_overlays import is_stand_in, outermost
from tui_agent.settings.standard_paths import worktree_folders

__all__ = ["SandboxProtection", "repositories"]

_SHELL_FILES: Final = (
    ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bash_logout", ".profile", ".zshrc", ".zprofile", ".zshenv",
    ".zlogin", ".zlogout",
)  # fmt: skip
_ALWAYS_AT_HOME: Final = (*_SHELL_FILES, ".gitconfig", ".config/git", ".claude.json", ".ssh", ".claude")
# Signs of folders of programs, and those folders: package managers link what is in them.
_PROGRAMS: Final = frozenset({"node_modules", "pyvenv.cfg", "bin", "Scripts", ".bin"})
_MAY_BE_NEW: Final = frozenset({".git", "node_modules", "pyvenv.cfg", "HEAD"})
_SUFFIX: Final = ".made-in-sandbox"
_MOST_NAMES: Final = 100


class SandboxProtection:
    """Works out what to protect, and remembers what it saw of the folders."""

    def __init__(self) -> None:
        self._files = {is_with: MatchingFiles() for is_with in (True, False)}
        self._again = HardLinkFinder()

    def places(self, writable: Iterable[str], where: PathContext, *, with_programs: bool) -> tuple[str, ...]:
        """Return what must not be written in these folders; some of it may not exist. `with_programs`: also virtual
        environments' and packages' folders of programs, which installing something writes.

        Raises:
            TooManyFilesError: one of them has other names, and there is too much to look through for those.
        """
        folders = tuple(writable)
        found: dict[str, None] = {}
        for folder in folders:
            found.update(dict.fromkeys(f"{folder.rstrip('/')}/{name}" for name in STAND_INS))
            if os.path.lexists(git := f"{folder.rstrip('/')}/.git"):
                found.update(dict.fromkeys(kept_of_git(git)))
        for common in repositories(where):
            found.update(dict.fromkeys(_kept_of_common(common, where)))
        found.update(dict.fromkeys(f"{where.home}/{name}" for name in _ALWAYS_AT_HOME))
        at_home = (f"{where.home}/{name}" for name in AT_HOME)
        found.update(
            dict.fromkeys(place for place in at_home if os.path.lexists(place) and not where.lies_in(where.cwd, place))
        )
        found.update(dict.fromkeys(where.own_places))
        matcher = ProtectedMatcher(with_programs=with_programs)
        # Where there is too much to look through, only what lies at the top is protected.
        signs = self._signs(folders, with_programs=with_programs) or ()
        for sign in signs:
            if os.path.basename(sign) not in _PROGRAMS:  # noqa: PTH119 - text
                found.update(dict.fromkeys(matcher.places(sign)))
        again = self._again.find((*found, *_files_in(f"{where.home}/.ssh")), outermost(folders))
        programs = (place for sign in signs if os.path.basename(sign) in _PROGRAMS for place in matcher.places(sign))  # noqa: PTH119
        return tuple(dict.fromkeys((*found, *again, *programs, *_of_home(folders, where))))

    def watch(self, writable: Iterable[str], where: PathContext) -> Callable[[], tuple[str, ...]]:
        """Remember what there is, and return what finds what is new then.

        That gives each new thing another name, and returns a sentence on it.
        """
        folders = tuple(writable)
        # a first look may take too long, and a second goes on from there
        before = self._all(folders, where) or self._all(folders, where)

        def settle() -> tuple[str, ...]:
            if before is None:
                return ()
            after = self._all(folders, where)
            if after is None:
                return ("The command created too many files to check for ones that other programs run.",)
            new = sorted(path for path in after.others if after.is_new(path, before))
            said = [
                _settled(path, "other programs run or obey")
                for path in new
                if os.path.lexists(path) and not is_stand_in(path)
            ]
            known = {*before.repositories, *repositories(where)}
            made = [one for one, is_ in after.repositories.items() if before.repositories.get(one) != is_]
            for path in sorted(made, key=lambda one: (os.path.isfile(one), one)):  # noqa: PTH113 - files name folders
                if os.path.lexists(path) and (reason := git_would_run(path, known - {path})):
                    in_bare = is_bare(path) and not _is_gits(path)
                    name, about = f"{path}/HEAD" if in_bare else path, f"git may obey ({reason})"
                    said.append(_settled(name, about, known_as=after.repositories[path], of_folder=in_bare))
                else:
                    known.add(path)
            return tuple(said)

        return settle

    def _signs(self, folders: Iterable[str], *, with_programs: bool) -> tuple[str, ...] | None:
        """Return what is protected in folders; None if there is too much to look through."""
        try:
            return self._files[with_programs].find(ProtectedMatcher(with_programs=with_programs), outermost(folders))
        except TooManyFilesError:
            return None

    def _all(self, folders: tuple[str, ...], where: PathContext) -> _Found | None:
        """Return what other programs would obey, of what may come into being; None if there is too much."""
        signs = self._signs(folders, with_programs=False)
        if signs is None:
            return None
        found = _Found({}, {})
        for sign in signs:
            folder, _, name = sign.rpartition("/")
            if name not in _MAY_BE_NEW:
                found.others[sign] = frozenset()
            elif name == "HEAD":
                found.add_repository(folder)
            elif name == ".git":
                found.add_repository(sign)
        for common in repositories(where):
            found.add_repository(common)
        if _has_home(folders, where):
            home = os.path.realpath(where.home)
            named = (f"{home}/{name}" for name in AT_HOME)
            found.others.update((path, frozenset({_target(path)})) for path in named if os.path.lexists(path))
        return found


@dataclass(slots=True)
class _Found:
    """What other programs obey: repositories, each with what tells it from another one in its place, and all else.

    `others` says of each what of it is obeyed; empty where that is all that may be in it.
    """

    others: dict[str, frozenset[str]]
    repositories: dict[str, tuple[int, int]]

    def add_repository(self, git: str) -> None:
        """Add a repository and those of its submodules and worktrees."""
        paths = [git]
        if os.path.isdir(git) and not os.path.islink(git):  # noqa: PTH112, PTH114 - text
            with contextlib.suppress(GitConfigError):  # a new one with so many is not understood either
                paths += inner_repositories(git)
        for path in paths:
            with contextlib.suppress(OSError):
                about = os.lstat(path)
                self.repositories[path] = about.st_dev, about.st_ino
                self.others.update(obeyed_in_git(path) if _is_gits(path) else ())

    def is_new(self, path: str, before: _Found) -> bool:
        """Whether something was not obeyed before. What belongs to a new repository is judged with that."""
        folder = path.rpartition("/")[0]
        if path in before.others:
            return not self.others[path] <= before.others[path]
        is_known = self.repositories.get(folder) == before.repositories.get(folder)
        return is_known or bool(self.others[path])


def _has_home(folders: Iterable[str], where: PathContext) -> bool:
    """Whether home is, or lies in, one of the folders that may be written."""
    return any(where.lies_in(where.home, folder) for folder in folders)


def _of_home(folders: Iterable[str], where: PathContext) -> Iterator[str]:
    """Yield what is to be kept because it lies in home: no links, and nothing that holds a folder which may be written."""
    if _has_home(folders, where):
        named = (f"{where.home}/{name}" for name in AT_HOME if not name.startswith("."))
        for path in (*hidden_at_home(where), *filter(os.path.lexists, named)):
            is_apart = path.endswith("/.git") or os.path.islink(path)  # noqa: PTH114 - text
            if not is_apart and not any(where.lies_in(folder, path) for folder in folders):
                yield path


def _files_in(folder: str) -> list[str]:
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder)]  # noqa: PTH208 - text
    except OSError:
        return []


def _target(path: str) -> str:
    """Return what a link says; the same text for everything else."""
    try:
        return os.readlink(path)  # noqa: PTH115 - text
    except OSError:
        return ""


def repositories(where: PathContext) -> Iterator[str]:
    """Yield the git folders of the repositories that working folders are linked worktrees of: a commit writes there."""
    for folder in where.folders:
        if (found := worktree_folders(Path(folder))) is not None and not _takes_own_settings(*found):
            yield str(found[1])


def _takes_own_settings(own: Path, common: Path) -> bool:
    """Whether git would read settings of a worktree's own that are not there yet, and so cannot be kept from being made."""
    try:
        text = (common / "config").read_bytes()
    except OSError:
        return True
    return b"worktreeconfig" in text.lower() and not (own / "config.worktree").exists()


def _kept_of_common(git: str, where: PathContext) -> Iterator[str]:
    """Yield what to keep in a repository with worktrees, and the worktrees of others."""
    yield from kept_of_git(git)
    owns = {found[0] for folder in where.folders if (found := worktree_folders(Path(folder))) is not None}
    worktrees = Path(git, "worktrees")
    if worktrees.is_dir():
        yield from (str(one) for one in worktrees.iterdir() if one not in owns)


def _is_gits(path: str) -> bool:
    """Whether a folder is a `.git` or one of those that git keeps in it."""
    return ".git" in path.split("/")


def _settled(path: str, why: str, *, known_as: tuple[int, int] | None = None, of_folder: bool = False) -> str:
    """Give what a command made another name; return what there is to say.

    `known_as` is what told it, or with `of_folder` the folder that it lies in, from others when it was found. A folder on the
    way may have become a link since then, or another folder: what lies there is left alone.
    """
    said = f"The command created `{path}`, which {why}."
    folder, _, name = path.rpartition("/")
    try:
        handle = open_folder(folder)
    except OSError as error:
        return f"{said} It could not be renamed: {error.strerror}."
    try:
        found = os.fstat(handle) if of_folder else os.stat(name, dir_fd=handle, follow_symlinks=False)
        if known_as not in (None, (found.st_dev, found.st_ino)):
            return f"{said} It could not be renamed: something else is there now."
        for number in range(_MOST_NAMES):
            other = f"{name}{_SUFFIX}{number or ''}"
            if not _is_in_folder(other, handle):
                os.rename(name, other, src_dir_fd=handle, dst_dir_fd=handle)
                return f"{said} It is now `{folder}/{other}`; the file tools can write the intended one, after asking."
    except OSError as error:
        return f"{said} It could not be renamed: {error.strerror}."
    finally:
        os.close(handle)
    return said


def _is_in_folder(name: str, handle: int) -> bool:
    try:
        os.stat(name, dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
