"""Variables in the entries of servers: `${NAME}`, and `${NAME:-what it is otherwise}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["Expander"]

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}")


class Expander:
    """Puts the values of variables into texts, and remembers the names of those that are not set."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._unset: dict[str, None] = {}

    @property
    def unset(self) -> tuple[str, ...]:
        """The variables that were wanted, are not set and have no default; they stay in the text as written."""
        return tuple(self._unset)

    def expand(self, text: str) -> str:
        """Return `text` with variables replaced, once: what a value says is not expanded again."""
        return _VARIABLE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        name, has_default, default = match[1], match[2] is not None, match[3] or ""
        value = self._environment.get(name)
        if value:
            return value
        if has_default:
            return default
        if value is not None:
            return value
        self._unset[name] = None
        return match[0]
