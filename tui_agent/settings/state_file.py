"""Small JSON files of the program's own state, such as which folders are trusted: read with care, replaced in one step."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from tui_agent.private_folders import make_private
from tui_agent.regular_files import read_regular

__all__ = ["change_state", "read_state", "strings"]

_MOST_BYTES: Final = 16 * 1024 * 1024


def read_state(file: Path) -> Mapping[str, Any]:
    """Return what a state file says; one that is missing, damaged or no regular file says nothing."""
    try:
        data = json.loads(read_regular(file, _MOST_BYTES, follow_links=True))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def change_state(file: Path, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
    """Replace what a state file says by what `change` makes of it. Other processes that do the same wait meanwhile.

    Raises:
        OSError: the state folder cannot be written.
    """
    make_private(file.parent)
    with _alone(file.parent):
        data = change(read_state(file))
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.stem}-")  # 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump(data, out, indent=2, ensure_ascii=False)
                out.write("\n")
                out.flush()
                os.fsync(out.fileno())
            Path(temporary).replace(file)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def strings(value: object) -> list[str]:
    """Return the texts in what should be a list of them."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


@contextlib.contextmanager
def _alone(folder: Path) -> Any:  # noqa: ANN401 - what the decorator makes of it
    """Hold a lock on the state folder, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # a file system without locks: the last one to write wins
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
