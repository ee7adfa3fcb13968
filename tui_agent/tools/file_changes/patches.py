"""Changes of several files as one patch that `git apply` takes, whatever the files hold: it makes the very bytes again.

Texts are compared as bytes (each read as the character of the same number), so encodings and line ends do not matter. What git
would not take for text goes in as a binary patch.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tui_agent.changes import FileChange

__all__ = ["PatchedFile", "make_patch"]

_LINE: Final = 52  # bytes of a binary patch in one line
_SHORT: Final = 26  # lengths up to which are written as capital letters


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """One file of a patch: its name, with forward slashes, and its content before and after; None where there is no file."""

    name: str
    before: bytes | None
    after: bytes | None
    is_executable: bool = False


def make_patch(files: Iterable[PatchedFile]) -> bytes:
    """Return the patch; files that do not differ are left out. Takes time for large files; blocks."""
    return b"".join(_one(file) for file in files if file.before != file.after)


def _one(file: PatchedFile) -> bytes:
    before, after = file.before, file.after
    if b"\0" in (before or b"") or b"\0" in (after or b""):
        return _head(file).encode("ascii") + _binary(before or b"", after or b"")
    change = FileChange.between(
        file.name, None if before is None else before.decode("latin-1"), (after or b"").decode("latin-1")
    )
    names = ""
    if change.hunks:
        old = "/dev/null" if before is None else _marked("a/", file.name)
        new = "/dev/null" if after is None else _marked("b/", file.name)
        names = f"--- {old}\n+++ {new}\n"
    return (_head(file) + names).encode("ascii") + change.to_unified().encode("latin-1")


def _head(file: PatchedFile) -> str:
    mode = "100755" if file.is_executable else "100644"
    lines = [f"diff --git {_quoted('a/' + file.name)} {_quoted('b/' + file.name)}"]
    if file.before is None:
        lines.append(f"new file mode {mode}")
    elif file.after is None:
        lines.append(f"deleted file mode {mode}")
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    """Quote a path the way git reads it back, when it holds anything that would be misread."""
    if name.isascii() and name.isprintable() and '"' not in name and "\\" not in name:
        return name
    out = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in (0x22, 0x5C) else f"\\{byte:03o}"
        for byte in name.encode("utf-8", "surrogateescape")
    )
    return f'"{out}"'


def _marked(prefix: str, name: str) -> str:
    """Return a name as the lines `---` and `+++` have it: with a tab behind it where it holds blanks."""
    quoted = _quoted(prefix + name)
    return f"{quoted}\t" if " " in quoted and not quoted.startswith('"') else quoted


def _binary(before: bytes, after: bytes) -> bytes:
    index = f"index {_blob(before)}..{_blob(after)}\n".encode()
    return index + b"GIT binary patch\n" + _literal(after) + b"\n" + _literal(before) + b"\n"


def _blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()  # noqa: S324 - git's own name of a content


def _literal(data: bytes) -> bytes:
    packed = zlib.compress(data)
    out = [b"literal %d\n" % len(data)]
    for at in range(0, len(packed), _LINE):
        piece = packed[at : at + _LINE]
        length = len(piece)
        mark = chr(ord("A") + length - 1) if length <= _SHORT else chr(ord("a") + length - _SHORT - 1)
        padded = piece + b"\0" * (-length % 4)
        out.append(mark.encode() + base64.b85encode(padded) + b"\n")
    return b"".join(out)
