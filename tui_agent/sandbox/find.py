"""Which sandbox this machine has. Looked for when it is first asked about: that starts a program or two."""

from __future__ import annotations

import sys
import threading
from typing import Final

from tui_agent.sandbox.limits import Sandbox

__all__ = ["find_sandbox"]

_lock: Final = threading.Lock()
_found: list[Sandbox | None] = []


def find_sandbox() -> Sandbox | None:
    """Return the best sandbox that was tried and works here, or None. The first call may take some tens of milliseconds."""
    if not _found:
        with _lock:  # asked from two threads at once, it is still looked for once
            if not _found:
                _found.append(_detect())
    return _found[0]


def _detect() -> Sandbox | None:
    if sys.platform == "darwin":
        from tui_agent.sandbox.seatbelt import find_seatbelt

        return find_seatbelt()
    if sys.platform != "linux":
        return None
    from tui_agent.sandbox.bubblewrap import find_bubblewrap
    from tui_agent.sandbox.landlock import find_landlock

    return find_bubblewrap() or find_landlock()
