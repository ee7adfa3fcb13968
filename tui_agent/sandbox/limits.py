"""What a command may do in a sandbox, said without regard to how that is brought about."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

__all__ = ["MEMORY_BYTES", "Launch", "Sandbox", "SandboxLimits", "SandboxName", "SandboxStartError"]

SandboxName = Literal["bubblewrap", "landlock", "seatbelt"]


_GIB: Final = 1 << 30
_MACHINE: Final = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # what it has of memory
MEMORY_BYTES: Final = min(max(_MACHINE // 8, _GIB), 2 * _GIB)
"""What each process of a command that only looks may take for its data. Files that it maps, and address space that it reserves
without use, do not count: git's packs, the heap that node may come to need."""


class SandboxStartError(Exception):
    """The sandbox cannot be set up as asked; the text says why. The command must not run without it instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """The limits of one command. Paths are absolute; a folder stands for all that is in it.

    With `visible`, nothing is there but these places, what may be written, and the usual devices; paths may be links, which
    are there too. Without it everything may be read. Of that, `unreadable` is hidden, except what `readable` names again
    inside of it. Of the files in `unreadable`, those in `emptied` look empty rather than forbidden where the sandbox can do
    that, so that a search through their folder does not fail. Nothing may be written but `writable`, less `unwritable` inside
    of it, and the usual devices (`/dev/null` …); of `unwritable`, what does not exist may not be made either. `network` false
    means no network of any kind that the sandbox can prevent. `unix_sockets` are the local ones: with them a command can have
    other programs act for it. `sockets` are the paths of single ones to be reached,
    and no others, by a command that `is_read_only`.

    `is_read_only` is for commands that are to change nothing: they can open no socket (but local ones with `unix_sockets`), and
    change no file's mode, owner or times even where they may write, but see the machine's processes and connections as they
    are. Without it a command has processes, and without `network` a loopback device, of its own.

    `scratch` is a folder for temporary files that may hold at most `scratch_bytes`, which no single file may exceed either.

    `memory_bytes` is what each process may take for its data, as far as the sandbox can bound it; 0 for no limit.
    """

    visible: tuple[str, ...] | None = None
    writable: tuple[str, ...] = ()
    unwritable: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    network: bool = False
    unix_sockets: bool = False
    sockets: tuple[str, ...] = ()
    is_read_only: bool = False
    scratch: str = ""
    scratch_bytes: int = 0
    memory_bytes: int = 0


@dataclass(slots=True)
class Launch:
    """A command line that runs in the sandbox, with the descriptors it has to inherit and the environment to start it in.

    `environment` is that of the program which sets the sandbox up, and not the command's: a library that is named in a
    variable would be loaded while nothing is confined yet. None is for the command's own, where there is no such program.
    `holds_processes` says that nothing the command starts can outlive its process group. `made` are empty folders that are to
    be removed should this program be killed before it can call `clean`.
    `watched` is a folder that the sandbox cannot bound: whoever started it ends the command once it holds `most_bytes`.
    Whoever starts it calls `close` once it has started, or could not be, and `clean` when nothing of it runs any more.
    """

    argv: tuple[str, ...]
    fds: tuple[int, ...] = ()
    environment: Mapping[str, str] | None = None
    on_clean: Callable[[], None] | None = None
    holds_processes: bool = False
    made: tuple[str, ...] = ()
    watched: str = ""
    most_bytes: int = 0
    on_end: Callable[[], tuple[str, ...]] | None = None

    def settle(self) -> tuple[str, ...]:
        """Give what the command made that it must not another name; return a sentence for each. Blocks for a moment.

        To be called when it has ended; may be called twice.
        """
        on_end, self.on_end = self.on_end, None
        return () if on_end is None else on_end()

    def close(self) -> None:
        """Close the descriptors on this side."""
        fds, self.fds = self.fds, ()
        for fd in fds:
            with contextlib.suppress(OSError):
                os.close(fd)

    def clean(self) -> None:
        """Take away what was put on the disk for it. Blocks for a moment; may be called twice."""
        on_clean, self.on_clean = self.on_clean, None
        if on_clean is not None:
            on_clean()


class Sandbox(Protocol):
    """One way of confining commands."""

    @property
    def name(self) -> SandboxName:
        """Which one it is, as people know it."""
        ...

    @property
    def gaps(self) -> tuple[str, ...]:
        """What it cannot prevent, a clause each, for `doctor`."""
        ...

    @property
    def holds_inside(self) -> bool:
        """Whether `unwritable` is held: single files and folders inside of what may be written."""
        ...

    @property
    def holds_sockets(self) -> bool:
        """Whether `sockets` is held: these local sockets can be reached and no others."""
        ...

    def wrap(
        self, argv: tuple[str, ...], limits: SandboxLimits, *, folder: str, environment: Mapping[str, str] | None
    ) -> Launch:
        """Return what runs `argv` in `folder`, with this environment, under these limits. Blocks for a moment.

        With None for the environment it may be run several times, by whoever hands it the content of its descriptors anew: each
        time with the environment it is then started in, and with what stands behind it on its command line as more arguments.

        Raises:
            SandboxStartError: these limits cannot be held here.
        """
        ...
