"""Notices when the model repeats a failing call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["RepeatedFailure"]


class RepeatedFailure:
    """Notices that the same call failed `limit` times in a row. Any success, or any other call, starts the count afresh."""

    def __init__(self, limit: int = 5) -> None:
        self.limit: Final = limit
        self._last: tuple[str, str] | None = None
        self._count = 0

    def observe(self, name: str, input: Mapping[str, Any], *, is_error: bool) -> bool:
        """Take in one finished call, in the order of the model's blocks; True when the limit is reached."""
        key = (name, json.dumps(input, sort_keys=True, default=str))
        if not is_error:
            self._last, self._count = None, 0
            return False
        self._count = self._count + 1 if key == self._last else 1
        self._last = key
        return self._count >= self.limit
