"""The files in which git keeps its own state, looked at before git runs: it reads many of them whole, whatever they are.

A link to a device without end, or a sparse file, would have git take all memory; a pipe would have it wait. Links are followed:
tools that keep several checkouts of one repository make them. What lies among the repository's files, such as a `.gitignore`
further down, and objects, are not looked at.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from tui_agent.git_config import GitConfigError, common_folder, module_folders, own_folder

__all__ = ["why_git_cannot_read"]

_MOST_BYTES: Final = 16 << 20
# What grows with the number of files, refs or objects. Graphs and indexes of packs are mapped, not read.
_MOST_BYTES_OF: Final = {
    "index": 1 << 30,
    "packed-refs": 1 << 30,
    "FETCH_HEAD": 128 << 20,
    "commit-graph": 8 << 30,
    "multi-pack-index": 8 << 30,
}
_KEPT: Final = {
    "": (
        "HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "AUTO_MERGE",
        "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_NAMES",
        "config", "config.worktree", "commondir", "gitdir", "index", "packed-refs", "shallow", "description",
    ),
    "info": ("attributes", "exclude", "grafts", "refs", "sparse-checkout"),
    "objects/info": ("alternates", "http-alternates", "packs", "commit-graph"),
    "objects/info/commit-graphs": ("commit-graph-chain",),
    "objects/pack": ("multi-pack-index",),
    "logs": ("HEAD",),
    "logs/refs": ("stash",),
    "refs": ("stash",),
    "sequencer": ("todo", "head", "opts"),
    "rebase-merge": ("git-rebase-todo", "done", "head-name", "onto", "orig-head", "stopped-sha"),
    "rebase-apply": ("head-name", "onto", "next", "last"),
}  # fmt: skip
_FOLDED: Final = {folder: frozenset(map(str.casefold, names)) for folder, names in _KEPT.items()}
_FEW: Final = 1  # up to so many names are asked for one by one, and their folder is not listed: it may hold many files
_AT_TOP: Final = (".gitignore", ".gitattributes", ".gitmodules", ".mailmap")
_LISTED: Final = ("refs", "logs")
_MOST_LISTED: Final = 4000  # names in a folder, or of refs, that are looked at; the sandbox bounds memory for the rest
_MOST_FOLDERS: Final = 64  # of submodules


def why_git_cannot_read(folder: str) -> str:
    """Return, as a clause, why git should not run in a folder: which file of its own is none that git wrote.

    Empty where there is none, and outside of repositories. Looks at names and sizes, and reads nothing but where git's own
    folder lies. Blocks for less than a millisecond in most repositories.
    """
    for above in (folder, *map(str, Path(folder).parents)):
        marker = f"{above.rstrip('/')}/.git"
        if not os.path.lexists(marker):
            continue
        try:
            own = own_folder(marker)
            common = common_folder(own)
            folders = list(dict.fromkeys((own, common)))
            for module in module_folders(f"{common}/modules"):
                folders.append(module)
                if len(folders) > _MOST_FOLDERS:
                    break
        except GitConfigError as error:
            return str(error)
        candidates = (*(f"{above.rstrip('/')}/{name}" for name in _AT_TOP), *_files(folders))
        if found := next(filter(None, map(_why, candidates)), ""):
            return found
    return ""


def _files(folders: list[str]) -> Iterator[str]:
    for folder in folders:
        at_top = _entries(folder)
        for below, names in _KEPT.items():
            if at_top is not None and below and below.partition("/")[0] not in at_top:
                continue
            path = f"{folder}/{below}" if below else folder
            there = at_top if not below else _entries(path) if len(names) > _FEW else None
            if there is None:
                yield from (f"{path}/{name}" for name in names)
            else:
                yield from (f"{path}/{name}" for known, name in there.items() if known in _FOLDED[below])
        for name in _LISTED:
            yield from _odd_below(f"{folder}/{name}")


def _entries(folder: str) -> dict[str, str] | None:
    """Return the names in a folder by what they are where case counts for nothing; None where they cannot all be told.

    To list a folder costs less than to ask for each name that may be in it, of which few are.
    """
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, _MOST_LISTED)]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError):
        return None
    found = {name.casefold(): name for name in names}
    is_whole = len(names) < _MOST_LISTED and len(found) == len(names)
    # Some file systems take other letters for those of ASCII, or pass them over.
    return found if is_whole and all(map(str.isascii, names)) else None


def _odd_below(folder: str) -> Iterator[str]:
    """Yield what is neither a file nor a folder below a folder, as far as that is looked at."""
    left = _MOST_LISTED
    waiting = [folder]
    while waiting and left > 0:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif not entry.is_file(follow_symlinks=False):
                        yield entry.path
        except OSError:
            continue


def _why(path: str) -> str:
    try:
        found = os.stat(path)  # noqa: PTH116 - text, and there are many
    except (OSError, ValueError):
        return ""
    if stat.S_ISDIR(found.st_mode):
        return ""
    if not stat.S_ISREG(found.st_mode):
        return f"{path} is not a regular file"
    name = os.path.basename(path)  # noqa: PTH119
    is_read_whole = "/logs/" not in path  # those are read in pieces, from the end
    if is_read_whole and found.st_size > _MOST_BYTES_OF.get(name, _MOST_BYTES):
        return f"{path} is too large"
    return ""
