"""What is in a folder: the files that ripgrep lists, and from the disk what it does not tell (links, empty folders, sizes)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tui_agent import nofollow
from tui_agent.tools.files import shown
from tui_agent.tools.ls.ignored import IgnoreRules
from tui_agent.tools.shared_search.globs import matches

__all__ = ["Folder", "Listing", "TreeEntry", "grow", "take", "why_unreadable"]

_MOST_SCANNED: Final = 1000  # entries of a folder without listed files, until it counts as ignored
_DEEPEST: Final = 100  # levels of folders that are looked into; each is held open


@dataclass(slots=True)
class Folder:
    """One folder as ripgrep's list tells it. `count` is the number of all files below it."""

    folders: dict[bytes, Folder] = field(default_factory=dict)
    files: list[bytes] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One line of a listing. `depth` is 0 for what lies in the listed folder itself.

    `size` is in bytes, for files; `target` where a link leads; `count` the number of files in a folder that is not opened;
    `problem` why a folder cannot be, or why it is not known what a thing is.
    """

    name: str
    kind: Literal["file", "folder", "link", "other"]
    depth: int
    size: int = 0
    target: str = ""
    count: int | None = None
    problem: str = ""


@dataclass(slots=True)
class Listing:
    """The entries in the order they are shown, and how many more the folder has that are not."""

    path: str
    entries: list[TreeEntry] = field(default_factory=list)
    left_out: int = 0
    is_timed_out: bool = False
    is_all_ignored: bool = False
    problems: str = ""


def take(root: Folder, paths: Sequence[bytes]) -> None:
    """Put files into the tree, by their paths relative to the root."""
    for path in paths:
        *parents, name = path.split(b"/")
        at = root
        at.count += 1
        for parent in parents:
            at = at.folders.setdefault(parent, Folder())
            at.count += 1
        at.files.append(name)


@dataclass(slots=True)
class _Node:
    """An entry with what lies in it, where it is a folder."""

    entry: TreeEntry
    path: str
    folder: Folder | None = None
    children: list[_Node] | None = None


class _Grower:
    def __init__(
        self,
        top: str,
        real: str,
        ignore: Sequence[str],
        is_hidden: Callable[[str], bool],
        rules: IgnoreRules | None,
    ) -> None:
        self._top: Final = top.rstrip("/") + "/"
        self._real: Final = real.rstrip("/") + "/"
        self._ignore: Final = ignore
        self._is_hidden: Final = is_hidden
        self._rules: Final = rules

    def children(self, folder: Folder, path: str, depth: int) -> list[_Node]:
        """Return what lies in one folder: folders first, each kind by name."""
        real = (self._real + path.removeprefix(self._top.rstrip("/")).removeprefix("/")).rstrip("/") or "/"
        try:
            handle = nofollow.open_folder(real, is_listed=True)
        except OSError:
            return []
        try:
            return self._children(folder, path, depth, handle)
        finally:
            os.close(handle)

    def _children(self, folder: Folder, path: str, depth: int, handle: int) -> list[_Node]:
        nodes: list[_Node] = []
        listed = {os.fsdecode(name) for name in folder.files}
        for status in _entries(handle):
            inside = f"{path.rstrip('/')}/{status.name}"
            below = folder.folders.get(os.fsencode(status.name))
            if self._is_hidden(inside):
                continue
            if status.is_symlink():
                if not self._is_ignored(inside, is_folder=False):
                    nodes.append(
                        _Node(TreeEntry(shown(status.name), "link", depth, target=_target(status.name, handle)), inside)
                    )
            elif status.is_dir(follow_symlinks=False):
                problem = "" if below is not None else why_unreadable(status.name, handle)
                if problem and not self._is_ignored(inside, is_folder=True):
                    nodes.append(_Node(TreeEntry(shown(status.name), "folder", depth, problem=problem), inside))
                    continue
                if below is None and status.name != ".git" and not self._is_ignored(inside, is_folder=True):
                    below = Folder() if _is_bare(status.name, handle) else None
                if below is not None:
                    nodes.append(
                        _Node(TreeEntry(shown(status.name), "folder", depth, count=below.count), inside, below)
                    )
            elif status.name in listed:
                nodes.append(_Node(_file(status, depth), inside))
        return sorted(
            nodes, key=lambda node: (node.entry.kind != "folder", node.entry.name.casefold(), node.entry.name)
        )

    def _is_ignored(self, path: str, *, is_folder: bool) -> bool:
        relative = path.removeprefix(self._top)
        if any(matches(glob, relative, is_folder=is_folder) for glob in self._ignore):
            return True
        return self._rules is not None and self._rules.covers(path, is_folder=is_folder)


def grow(
    root: Folder,
    path: str,
    real: str,
    *,
    limit: int,
    depth: int | None,
    ignore: Sequence[str],
    is_hidden: Callable[[str], bool],
    rules: IgnoreRules | None = None,
) -> Listing:
    """Return the listing of a folder, which is really at `real`.

    Level by level each folder is opened as long as all in it fits within `limit` entries.

    `depth` is how many levels are opened at most, None for all. `ignore` are globs of what is left out, `is_hidden` says
    what must not be told of, `rules` hold for links and empty folders. Blocks.
    """
    grower = _Grower(path, real, ignore, is_hidden, rules)
    top = grower.children(root, path, 0)
    listing = Listing(path)
    kept = top[:limit]
    room = limit - len(kept)
    level, closed = kept, 0
    at = 1
    while level and (depth is None or at < depth):
        opened: list[_Node] = []
        for node in level:
            if node.folder is None:
                continue
            size = len(node.folder.folders) + len(node.folder.files)
            children = grower.children(node.folder, node.path, at) if size <= room else None
            if children is None or len(children) > room:
                closed += node.folder.count
                continue
            node.children = children
            room -= len(children)
            opened += children
        level = opened
        at += 1
    listing.entries = list(_flat(kept))
    dropped = top[limit:]
    listing.left_out = closed + len(dropped) + sum(node.folder.count for node in dropped if node.folder is not None)
    return listing


def _flat(nodes: Sequence[_Node]) -> Iterator[TreeEntry]:
    for node in nodes:
        entry = node.entry
        if node.children is None:
            yield entry
        else:
            yield TreeEntry(entry.name, entry.kind, entry.depth, count=None if node.children else 0)
            yield from _flat(node.children)


def _entries(handle: int) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(handle) as entries:
            return list(entries)
    except OSError:
        return []


def why_unreadable(name: str, folder: int) -> str:
    """Return why what is in a folder cannot be listed, in a few words; nothing where it can. `name` is relative to `folder`."""
    try:
        os.close(os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder))
        os.stat(f"{name}/.", dir_fd=folder)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return ""


def _file(status: os.DirEntry[str], depth: int) -> TreeEntry:
    try:
        found = status.stat(follow_symlinks=False)
    except OSError as error:
        return TreeEntry(shown(status.name), "other", depth, problem=(error.strerror or str(error)).lower())
    kind: Literal["file", "other"] = "file" if stat.S_ISREG(found.st_mode) else "other"
    return TreeEntry(shown(status.name), kind, depth, size=found.st_size if kind == "file" else 0)


def _target(name: str, folder: int) -> str:
    try:
        return shown(os.readlink(name, dir_fd=folder))
    except OSError:
        return ""


def _is_bare(name: str, folder: int) -> bool:
    """Whether a folder that no file is listed of holds none at all: else what it holds is ignored, and so is the folder."""
    left = _MOST_SCANNED
    handles: list[int] = []
    waiting = [(0, name)]
    try:
        while waiting:
            depth, name = waiting.pop()
            while len(handles) > depth:
                os.close(handles.pop())
            if depth == _DEEPEST:
                return False
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK
            handles.append(os.open(name, flags, dir_fd=handles[-1] if handles else folder))
            with os.scandir(handles[-1]) as entries:
                for entry in entries:
                    left -= 1
                    if not left or not entry.is_dir(follow_symlinks=False):
                        return left == 0
                    waiting.append((depth + 1, entry.name))
    except OSError:  # it is gone, or closed
        return False
    finally:
        for handle in handles:
            os.close(handle)
    return True
