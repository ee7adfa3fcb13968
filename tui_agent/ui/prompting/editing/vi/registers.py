"""What vi keeps of what was yanked and deleted."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Final, Protocol

__all__ = ["REGISTERS", "Register", "RegisterClipboard", "Registers"]

_CLIPBOARD: Final = frozenset("+*")
_NOWHERE: Final = "_"
_YANKED: Final = "0"
_DELETED: Final = "1"
_SMALL: Final = "-"
REGISTERS: Final = frozenset({*ascii_letters, *digits, *_CLIPBOARD, _NOWHERE, _SMALL, '"'})


@dataclass(frozen=True, slots=True)
class Register:
    """A text that was kept; whole lines are without the newline behind the last."""

    text: str = ""
    is_lines: bool = False

    def __bool__(self) -> bool:
        return bool(self.text) or self.is_lines

    def times(self, count: int) -> str:
        """Return the text so many times over."""
        return ("\n" if self.is_lines else "").join([self.text] * count)

    def __add__(self, other: Register) -> Register:
        is_lines = self.is_lines or other.is_lines
        gap = "\n" if is_lines else ""
        return Register(f"{self.text}{gap}{other.text}", is_lines)


class RegisterClipboard(Protocol):
    """What `"+` and `"*` are."""

    def read(self) -> str:
        """Return what was copied last; empty where nothing was."""
        ...

    def write(self, text: str) -> None:
        """Copy a text."""
        ...


class Registers:
    """Registers by name. No name is the one that was written last.

    What is yanked without a name goes into `"0`. What is deleted goes into `"-`, or where it is of more than one line into
    `"1`, and what was there moves up, as far as `"9`.
    """

    def __init__(self, clipboard: RegisterClipboard | None = None) -> None:
        self._kept: dict[str, Register] = {}
        self._last = _YANKED
        self._clipboard = clipboard

    def read(self, name: str = "") -> Register:
        """Return what a register has."""
        name = (self._last if name in ("", '"') else name).lower()
        if name in _CLIPBOARD and self._clipboard is not None:
            text = self._clipboard.read()
            return Register(text.removesuffix("\n"), is_lines=text.endswith("\n"))
        return self._kept.get(name, Register())

    def yank(self, register: Register, name: str = "") -> None:
        """Keep what was yanked."""
        self._write(_YANKED if name in ("", '"') else name, register)

    def delete(self, register: Register, name: str = "", *, is_large: bool = False) -> None:
        """Keep what was deleted. `is_large` counts for more than a line in any case."""
        if name == _NOWHERE:
            return
        is_named = name not in ("", '"')
        if is_named:
            self._write(name, register)
        if is_large or register.is_lines or "\n" in register.text:
            for number in range(9, 1, -1):
                if (before := self._kept.get(str(number - 1))) is not None:
                    self._kept[str(number)] = before
            last = self._last
            self._write(_DELETED, register)
            self._last = last if is_named else _DELETED
        elif not is_named:
            self._write(_SMALL, register)

    def _write(self, name: str, register: Register) -> None:
        """Write a register; a capital adds to what it has."""
        if name == _NOWHERE:
            return
        small = name.lower()
        if small != name and small in self._kept:
            register = self._kept[small] + register
        self._last = small
        self._kept[small] = register
        if small in _CLIPBOARD and self._clipboard is not None:
            self._clipboard.write(register.text + ("\n" if register.is_lines else ""))
