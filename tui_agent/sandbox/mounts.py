"""What bubblewrap mounts where: the options that lay out the disk as one command is to see it.

Where only some places are visible, they are mounted into an empty root. Otherwise the whole root is, read-only. What may be
written is mounted over that, and what may not read-only over that again. Folders on the way to the latter are mounted onto
themselves: a folder that something is mounted on cannot be renamed, so nobody moves `.git` aside and makes another one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tui_agent.sandbox.limits import SandboxLimits, SandboxStartError
from tui_agent.sandbox.path_overlays import OverlayFiles, between, is_inside, link_on_the_way, links_of, outermost, real
from tui_agent.sandbox.sockets import listening

__all__ = ["mounts"]

_EMPTY: Final = str(Path(__file__).with_name("empty"))
_SHARED_MEMORY: Final = 64 << 20  # bytes, for semaphores and the like of commands that only look


def mounts(limits: SandboxLimits, stand_ins: OverlayFiles, *, has_own_proc: bool, has_sizes: bool) -> list[str]:
    """Return the options; what has to be put on the disk for them is left with `stand_ins`.

    Raises:
        SandboxStartError: these limits cannot be held.
    """
    writable = [path for path in real(limits.writable) if os.path.lexists(path)]
    if limits.visible is None:
        shown: tuple[str, ...] = ("/",)
        out = ["--bind" if "/" in writable else "--ro-bind", "/", "/", "--dev", "/dev"]
        out += ["--proc", "/proc"] if has_own_proc else []
    else:
        named = (*limits.visible, *limits.sockets)
        shown = outermost(path for path in named if os.path.exists(path))  # noqa: PTH110 - text
        out = list(_places(named, shown, has_own_proc=has_own_proc))
    for path in writable:
        if path != "/":
            out += ["--bind", path, path]
    anchored = set(writable)
    for path in _kept_from(limits.unwritable, writable, stand_ins):
        home = max((folder for folder in writable if is_inside(path, (folder,))), key=len)
        for folder in between(home, path):
            if folder not in anchored:
                anchored.add(folder)
                out += ["--bind", folder, folder]
        out += ["--ro-bind", path, path]
    out += _covers(limits, (*shown, *writable))
    if limits.sockets:
        for path in sorted(listening() - set(real(limits.sockets))):
            out += ["--ro-bind", "/dev/null", path] if is_inside(path, (*shown, *writable)) else []
    if limits.scratch:
        size = ["--size", str(limits.scratch_bytes)] if has_sizes else []
        out += [*size, "--tmpfs", os.path.realpath(limits.scratch)]
    if limits.visible is not None:
        size = ["--size", str(_SHARED_MEMORY)] if has_sizes else []
        out += [*size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--remount-ro", "/"]  # noqa: S108
    return out


def _places(visible: Iterable[str], shown: Iterable[str], *, has_own_proc: bool) -> Iterator[str]:
    """Yield what makes these places, and the links that lead to them, in an empty root."""
    yield from ("--dev", "/dev")
    yield from ("--proc", "/proc") if has_own_proc else ("--ro-bind", "/proc", "/proc")
    for path in shown:
        yield from ("--ro-bind", path, path)
    links = dict(link for path in visible for link in links_of(path))
    for link, target in links.items():
        if not is_inside(link, shown):
            yield from ("--symlink", target, link)


def _kept_from(unwritable: tuple[str, ...], writable: Sequence[str], stand_ins: OverlayFiles) -> list[str]:
    """Return what has to be made read-only, with something there to lay it over; nothing that lies in another of them.

    Raises:
        SandboxStartError: one of them is reached through a link, which could be replaced.
    """
    found: set[str] = set()
    for path in sorted(unwritable):
        link = link_on_the_way(path, writable)
        if link:
            raise SandboxStartError(f"{link} is a link, so what it leads to cannot be kept from being replaced")
        place = os.path.realpath(path)
        if not is_inside(place, writable) or place in writable:
            found.update({place} & set(writable))
        elif (
            stand_ins.share(place) or os.path.lexists(place) or (not is_inside(place, found) and stand_ins.make(place))
        ):
            found.add(place)
    # Binding the folders on the way to an inner one would let the outer one be written again.
    return list(outermost(found))


def _covers(limits: SandboxLimits, shown: Sequence[str]) -> Iterator[str]:
    """Yield what hides what must not be read. A hidden folder says that it may not be looked at, rather than be empty."""
    readable = [path for path in real(limits.readable) if os.path.lexists(path)]
    emptied = frozenset(real(limits.emptied))
    for path in real(limits.unreadable):
        if path == "/":
            raise SandboxStartError("everything would be unreadable, programs too")
        if not os.path.exists(path) or not (is_inside(path, shown) or any(is_inside(one, (path,)) for one in shown)):  # noqa: PTH110
            continue
        if not os.path.isdir(path):  # noqa: PTH112
            # A device cannot be opened there, an empty file can.
            yield from ("--ro-bind", _EMPTY if path in emptied else "/dev/null", path)
            continue
        inside = [again for again in readable if again != path and is_inside(again, (path,))]
        yield from ("--perms", "0111" if inside else "0000", "--tmpfs", path)
        for again in inside:
            yield from ("--bind" if is_inside(again, real(limits.writable)) else "--ro-bind", again, again)
        yield from ("--remount-ro", path)
