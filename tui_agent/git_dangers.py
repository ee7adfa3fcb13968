"""What a repository that a command made would have git run, read from its files without running git."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tui_agent.git_config import GitConfigError, common_folder, module_folders, own_folder, read_own_names
from tui_agent.neutral_git import names_of_programs

__all__ = ["git_would_run", "inner_repositories", "is_bare", "program_here"]

_LINKS_REFUSED: Final = ("HEAD", "config", "config.worktree", "commondir", "hooks", "modules", "worktrees")
_SAMPLE: Final = ".sample"
_MOST_WORKTREES: Final = 256


def is_bare(folder: str) -> bool:
    """Whether git takes a folder for a repository though its name is not `.git`."""
    if not os.path.lexists(f"{folder}/HEAD"):
        return False
    return os.path.lexists(f"{folder}/commondir") or all(
        os.path.lexists(f"{folder}/{one}") for one in ("objects", "refs")
    )


def inner_repositories(git: str) -> Iterator[str]:
    """Yield git's own folders of submodules and of linked worktrees in a repository's.

    Raises:
        GitConfigError: there are too many.
    """
    for folder in (git, *module_folders(f"{git}/modules")):
        if folder != git:
            yield folder
        names = _names(f"{folder}/worktrees")
        if len(names) > _MOST_WORKTREES:
            raise GitConfigError("too many worktrees")
        yield from (f"{folder}/worktrees/{name}" for name in names)


def program_here(folder: str) -> str:
    """Return, as a clause, what git runs in a folder because the repository says so; empty where that is nothing.

    What its configuration includes from elsewhere, and how it gets passwords, is the user's own.
    """
    markers = (f"{above.rstrip('/')}/.git" for above in (folder, *map(str, Path(folder).parents)))
    marker = next(filter(os.path.lexists, markers), "")
    if not marker:
        return ""
    try:
        own = own_folder(marker)
        common = common_folder(own)
        names = read_own_names((f"{common}/config", f"{own}/config.worktree"))
        programs = [one for one in names_of_programs(names) if not one.startswith(("include", "credential."))]
        if programs:
            return f"it sets `{programs[0]}`"
        hook = next((name for name in _names(f"{common}/hooks") if _is_hook(f"{common}/hooks/{name}")), "")
    except (GitConfigError, OSError) as error:
        return f"it is not understood: {error}"
    return f"it has the hook `{hook}`" if hook else ""


def git_would_run(git: str, known: Iterable[str]) -> str:
    """Return, as a clause, why git may run what a repository holds; empty where it runs nothing.

    `git` is a `.git`, a bare repository or one of `inner_repositories`. `known` are git's folders of other repositories, which
    it may belong to. What cannot be understood counts as running something, and so does what leads to files that may change
    later.
    """
    try:
        if os.path.islink(git):  # noqa: PTH114 - text
            return "it is a link"
        if not os.path.isdir(git):  # noqa: PTH112 - text
            return _of_marker(git, known)
        if reason := _of_folder(git, known):
            return reason
        inner = (_of_folder(folder, (git, *known)) for folder in inner_repositories(git))
        return next(filter(None, inner), "")
    except (GitConfigError, OSError) as error:
        return f"it is not understood: {error}"


def _of_marker(marker: str, known: Iterable[str]) -> str:
    """Return why a `.git` that is a file is not harmless: it may name none but a known repository's own folders."""
    own = os.path.realpath(own_folder(marker))
    owner = next((one for one in map(os.path.realpath, known) if own == one or own.startswith(f"{one}/")), "")
    place = own[len(owner) :].split("/")[1:2]
    if not owner or place not in ([], ["modules"], ["worktrees"]):
        return "it names a folder that commands may change"
    return "" if not place else _of_folder(own, (owner,))


def _of_folder(folder: str, known: Iterable[str]) -> str:
    """Return why one folder of git's is not harmless; those inside of it are not looked at."""
    for name in _LINKS_REFUSED:
        if os.path.islink(f"{folder}/{name}"):  # noqa: PTH114 - text
            return f"its `{name}` is a link"
    if os.path.lexists(f"{folder}/commondir"):
        common = os.path.realpath(common_folder(folder))
        places = {os.path.realpath(one) for one in known}
        is_inner = any(common == one or common.startswith(f"{one}/modules/") for one in places)
        if not is_inner or os.path.realpath(folder) == common or not _is_listed(folder, common):
            return "it takes its settings from another folder"
    elif os.path.basename(os.path.dirname(folder)) == "worktrees" and os.path.lexists(f"{folder}/config"):  # noqa: PTH119, PTH120
        return "it is no worktree, and has settings of its own"
    names = read_own_names((f"{folder}/config", f"{folder}/config.worktree"))
    if programs := names_of_programs(names):
        return f"it sets `{programs[0]}`"
    hook = next((name for name in _names(f"{folder}/hooks") if _is_hook(f"{folder}/hooks/{name}")), "")
    return f"it has the hook `{hook}`" if hook else ""


def _is_listed(folder: str, common: str) -> bool:
    return os.path.dirname(os.path.realpath(folder)) == f"{common}/worktrees"  # noqa: PTH120 - text


def _is_hook(path: str) -> bool:
    if path.endswith(_SAMPLE):
        return False
    mode = os.lstat(path).st_mode
    return not stat.S_ISREG(mode) or bool(mode & 0o111)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - text
    except (FileNotFoundError, NotADirectoryError):
        return []
