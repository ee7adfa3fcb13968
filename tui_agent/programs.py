"""Finding the programs that this program runs by itself."""

from __future__ import annotations

import os
import shutil

__all__ = ["find_program"]


def find_program(name: str, path: str | None = None) -> str | None:
    """Return where a program is, None where it is not installed. `path` is the search path, by default the process's own.

    Entries of the search path that are relative are left out: in a foreign folder they would find what lies there.
    """
    entries = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(entry for entry in entries if os.path.isabs(entry)))  # noqa: PTH117
