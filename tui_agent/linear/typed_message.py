"""A message of several lines, put together from what is typed line by line."""

from __future__ import annotations

from typing import Final

__all__ = ["TypedMessage"]

_FENCE: Final = '"""'


class TypedMessage:
    """Takes lines and gives messages: a line that ends with a backslash goes on, as does what follows three quotes."""

    def __init__(self) -> None:
        self._parts: list[str] | None = None  # as far as it is typed
        self._is_fenced = False

    @property
    def is_begun(self) -> bool:
        """Whether a message is being typed that goes on."""
        return self._parts is not None

    def drop(self) -> None:
        """Forget what was typed of it."""
        self._parts, self._is_fenced = None, False

    def take(self, line: str) -> str | None:
        """Take a line in; return the message once it is whole."""
        parts = self._parts or []
        if line.strip() == _FENCE and "\n" not in line:
            if self._is_fenced:
                self.drop()
                return "\n".join(parts)
            self._parts, self._is_fenced = parts, True
            return None
        if self._is_fenced:
            self._parts = [*parts, line]
            return None
        if line.endswith("\\") and not line.endswith("\\\\"):
            self._parts = [*parts, line[:-1]]
            return None
        self._parts = None
        return "\n".join([*parts, line])
