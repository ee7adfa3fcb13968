"""How tools open files: only regular ones, never more than fits, always with what is needed to write them back.

Everything here blocks, and is called in a thread. A device or a pipe is refused before it is opened, so that nothing hangs;
sizes are checked before anything is loaded.
"""

from __future__ import annotations

import difflib
import itertools
import os
import stat
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Final, Literal

from tui_agent import nofollow
from tui_agent.changes import content_hash
from tui_agent.tools.encodings import Decoded, NotTextError, decode
from tui_agent.tools.resolved_path import MovedPath, ResolvedPath

__all__ = [
    "WHOLE_FILE_LIMIT", "FileProblem", "TextFile", "load", "load_bytes", "open_regular", "read_up_to", "shown",
    "similar_paths",
]  # fmt: skip

WHOLE_FILE_LIMIT: Final = 32 * 1024 * 1024  # bytes; a larger file is read in pages and not edited
_PIECE: Final = 1 << 16  # bytes
_MOST_NAMES: Final = 5000  # file names looked at for a suggestion

ProblemKind = Literal["missing", "folder", "not_regular", "unreadable", "too_large", "binary", "moved"]


class FileProblem(Exception):  # noqa: N818 - what is wrong with a file, not with the program
    """A file cannot be read as text; `kind` says in a word why, the message in a sentence without the path."""

    def __init__(self, kind: ProblemKind, message: str) -> None:
        super().__init__(message)
        self.kind: Final = kind
        self.message: Final = message


@dataclass(frozen=True, slots=True)
class TextFile:
    """A whole text file as it was read: its text with its own line endings, and what recognises and writes it.

    `real` is where its path led, `status` what the system said of it.
    """

    path: str
    text: str
    encoding: str
    has_bom: bool
    hash: str
    mtime_ns: int
    size: int
    real: str = ""
    status: os.stat_result | None = None


def open_regular(path: ResolvedPath) -> tuple[int, os.stat_result]:
    """Open a regular file for reading and return its descriptor and status.

    Raises:
        FileProblem: missing, a folder, a device or pipe, not readable, or the path leads elsewhere than when it was judged.
    """
    try:
        _check_kind(path.status())
        # the name may have come to mean something else since: opening a pipe must not wait for its writer
        handle = path.open(os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except MovedPath as moved:
        raise FileProblem("moved", moved.reason) from moved
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileProblem("missing", "there is no such file") from error
    except PermissionError as error:
        raise FileProblem("unreadable", "the permission to read it is missing") from error
    except (OSError, ValueError) as error:
        raise FileProblem("unreadable", f"it cannot be opened ({getattr(error, 'strerror', None) or error})") from error
    try:
        status = os.fstat(handle)
        _check_kind(status)
    except BaseException:
        os.close(handle)
        raise
    return handle, status


def load(path: ResolvedPath, limit: int = WHOLE_FILE_LIMIT) -> TextFile:
    """Read a whole text file of at most `limit` bytes.

    Raises:
        FileProblem: it cannot be read as text.
    """
    data, status = load_bytes(path, limit)
    decoded = _decode(data)
    return TextFile(
        path=path.path,
        text=decoded.text,
        encoding=decoded.encoding,
        has_bom=decoded.has_bom,
        hash=content_hash(data),
        mtime_ns=status.st_mtime_ns,
        size=len(data),
        real=path.real,
        status=status,
    )


def load_bytes(path: ResolvedPath, limit: int = WHOLE_FILE_LIMIT) -> tuple[bytes, os.stat_result]:
    """Read a whole file of at most `limit` bytes, and return its status as it was when it had been read.

    Raises:
        FileProblem: it cannot be read, or is too large.
    """
    handle, status = open_regular(path)
    with open(handle, "rb") as file:  # noqa: PTH123
        if status.st_size > limit:
            raise FileProblem(
                "too_large", f"it has {status.st_size:,} bytes, more than the {limit:,} that can be edited"
            )
        try:
            data = read_up_to(file, limit + 1, status.st_size)
            status = os.fstat(file.fileno())
        except OSError as error:
            raise FileProblem("unreadable", f"it cannot be read ({error.strerror})") from error
    if len(data) > limit:
        raise FileProblem("too_large", f"it has more than the {limit:,} bytes that can be edited")
    return data, status


def read_up_to(file: BufferedReader, most: int, size: int) -> bytes:
    """Read at most `most` bytes of a file that says to have `size` bytes.

    What the kernel makes up as it is read says 0, and is read piece by piece: it refuses a large buffer, and what it has not
    got yet is None.

    Raises:
        OSError: it cannot be read.
    """
    if size:
        return file.read(most) or b""
    data = bytearray()
    while len(data) < most and (piece := file.read1(min(_PIECE, most - len(data)))):
        data += piece
    return bytes(data)


def _decode(data: bytes) -> Decoded:
    """Decode, with what is wrong told as a `FileProblem`."""
    try:
        return decode(data)
    except NotTextError as error:
        raise FileProblem("binary", f"it is not text: {error}") from error


def shown(path: str) -> str:
    """Return a path as it can be told: bytes in a name that are no text become `�`, for JSON cannot carry them."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def similar_paths(path: str, root: str, is_hidden: Callable[[str], bool]) -> list[str]:
    """Return up to three existing files that a missing path may have meant, as absolute paths, the likeliest first.

    They are looked for in the same folder, then by the same name below `root`; upper and lower case count as one. `is_hidden`
    says which must not be named.
    """
    folder, name = os.path.split(path)
    names = [entry for entry in _names(folder) if not is_hidden(os.path.join(folder, entry))]  # noqa: PTH118
    lower = {entry.lower(): entry for entry in names}
    near = [os.path.join(folder, lower[match]) for match in difflib.get_close_matches(name.lower(), lower, n=3)]  # noqa: PTH118
    stem = name.rsplit(".", 1)[0]
    near += [os.path.join(folder, entry) for entry in names if entry.rsplit(".", 1)[0] == stem]  # noqa: PTH118
    below = [
        entry
        for entry in _below(root)
        if os.path.basename(entry).lower() == name.lower() and not is_hidden(entry)  # noqa: PTH119
    ]
    below.sort(key=lambda entry: _shared_end(entry, path), reverse=True)
    found = [entry for entry in below if entry.lower() == path.lower()] + near + below
    return [entry for entry in dict.fromkeys(found) if entry not in (path, "") and shown(entry) == entry][:3]


def _shared_end(one: str, other: str) -> int:
    """Return how many names two paths have in common, from their ends on."""
    pairs = zip(reversed(one.lower().split("/")), reversed(other.lower().split("/")), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _names(folder: str) -> list[str]:
    try:
        return [name for name, is_folder in _listed(os.path.realpath(folder), _MOST_NAMES) if not is_folder]
    except (OSError, ValueError):
        return []


def _listed(folder: str, most: int) -> list[tuple[str, bool]]:
    """Return the names in a folder whose path has no links, and which are folders.

    Raises:
        OSError: it cannot be listed.
    """
    handle = nofollow.open_folder(folder, is_listed=True)
    try:
        with os.scandir(handle) as entries:
            return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in itertools.islice(entries, most)]
    finally:
        os.close(handle)


def _below(root: str) -> Iterator[str]:
    """Yield files below a folder, nearest first, without those that tools make for themselves."""
    real = os.path.realpath(root)
    waiting = deque([""])
    left = _MOST_NAMES
    while waiting and left > 0:
        folder = waiting.popleft()
        try:
            listed = _listed(real + folder, left)
        except OSError:
            continue
        left -= len(listed)
        for name, is_folder in sorted(listed):
            if not is_folder:
                yield f"{root.rstrip('/')}{folder}/{name}"
            elif not name.startswith(".") and name != "node_modules":
                waiting.append(f"{folder}/{name}")


def _check_kind(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise FileProblem("folder", "it is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise FileProblem("not_regular", "it is a device, a pipe or a socket, not a regular file")
