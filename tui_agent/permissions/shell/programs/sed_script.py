"""sed scripts: whether one does nothing but change text on its way through.

Read as GNU sed does. A script that is not understood to its last character is not harmless; neither is one that reads or
writes files or runs programs (`r`, `R`, `w`, `W`, `e`, and the flags `e` and `w` of `s`).
"""

from __future__ import annotations

import re
from typing import Final

from tui_agent.permissions.shell.programs.brackets import end_of_bracket
from tui_agent.permissions.shell.programs.options import OptionDoubt

__all__ = ["sed_doubt"]

_BLANKS: Final = re.compile(r"[ \t]*")
_BETWEEN: Final = re.compile(r"[ \t\n;]*")
_NUMBER: Final = re.compile(r"\d+(?:~\d+)?")
_SECOND: Final = re.compile(r"[+~]?\d+")
_REGEX_FLAGS: Final = re.compile(r"[IM]*")
_LABEL: Final = re.compile(r"[ \t]*[A-Za-z0-9_.-]*[ \t]*")
_SUBSTITUTE_FLAGS: Final = re.compile(r"[gpiIm0-9M]*")
_COUNT: Final = re.compile(r"[ \t]*\d*")
_PLAIN: Final = frozenset("=dDgGhHnNpPxzF")
_TEXT: Final = frozenset("aic")
# No sed knows a command, or a flag of `s`, that is one of these.
_NO_COMMAND: Final = frozenset("])(*+.^|/-_,")
_NO_FLAG: Final = frozenset("])(*+.^|/-_,:xXaAbBoOuUyYzZ")
_FILES: Final = frozenset("rRwW")


class _NotUnderstoodError(Exception):
    """The script is not harmless, or not understood; says why."""

    def __init__(self, check: str, reason: str) -> None:
        super().__init__(reason)
        self.doubt = OptionDoubt(check, reason)


class _NeverRunsError(Exception):
    """Every sed that reads the script like this refuses it before it does anything."""


def sed_doubt(script: str) -> OptionDoubt | None:
    """Return why a script may do more than change text on its way through, or None.

    To most programs a delimiter in brackets does not end a pattern, to some it does: the script must be harmless to both, or
    such that the latter refuse it.
    """
    try:
        _Script(script, keeps_brackets=True).run()
        _Script(script, keeps_brackets=False).run()
    except _NotUnderstoodError as stopped:
        return stopped.doubt
    except _NeverRunsError:
        return None
    return None


def _odd(what: str) -> _NotUnderstoodError:
    return _NotUnderstoodError("sed-script", f"the sed script is not understood: {what}")


class _Script:
    def __init__(self, text: str, *, keeps_brackets: bool) -> None:
        self._text = text
        self._keeps_brackets = keeps_brackets
        self._at = 0

    def run(self) -> None:
        if "\r" in self._text or "\0" in self._text:
            raise _odd("it holds a control character")
        while True:
            self._skip(_BETWEEN)
            if self._at >= len(self._text):
                return
            self._address()
            self._command()

    def _skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match[0]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        char = self._peek()
        self._at += 1
        return char

    def _address(self) -> None:
        if self._one_address():
            self._skip(_BLANKS)
            if self._peek() == ",":
                self._at += 1
                self._skip(_BLANKS)
                if not self._skip(_SECOND) and not self._one_address():
                    raise _odd("an address is not complete")
        self._skip(_BLANKS)
        while self._peek() == "!":
            self._at += 1
            self._skip(_BLANKS)

    def _one_address(self) -> bool:
        char = self._peek()
        if char.isascii() and char.isdigit():
            self._skip(_NUMBER)
            return True
        if char == "$":
            self._at += 1
            return True
        if char == "/":
            self._at += 1
            self._delimited("/", is_regex=True)
        elif char == "\\":
            self._at += 1
            self._delimited(self._delimiter(), is_regex=True)
        else:
            return False
        self._skip(_REGEX_FLAGS)
        return True

    def _delimiter(self) -> str:
        char = self._next()
        # A letter, a digit or a bracket means other things behind a backslash, and versions differ in which.
        if char not in frozenset("/|,:;!#%@_~&+=\"'<>-"):
            raise _odd(f"`{char}` marks the end of a pattern")
        return char

    def _delimited(self, end: str, *, is_regex: bool) -> None:
        """Skip to behind the next `end` that no backslash hides."""
        while True:
            char = self._next()
            if char == end:
                return
            if char == "\\":
                hidden = self._next()
                if is_regex and hidden == "\n":
                    raise _odd("a line ends in a pattern")
            elif char == "[" and is_regex and self._keeps_brackets:
                close = end_of_bracket(self._text, self._at)
                if close is None:
                    raise _odd("a bracket in a pattern does not end")
                self._at = close
            elif not char or char == "\n":
                raise _odd("a pattern does not end")

    def _command(self) -> None:
        char = self._next()
        if char in {"{", "}"}:
            if char == "}":
                self._end()
            return
        if char == "#":
            if self._at == 1 and self._peek() == "n":
                raise _odd("it begins with #n")
            self._line()
        elif char in _PLAIN and char:
            self._end()
        elif char in {"q", "Q", "l", "L"} and char:
            self._skip(_COUNT)
            self._end()
        elif char in {"b", "t", "T", ":"} and char:
            self._skip(_LABEL)
            self._end()
        elif char in _TEXT and char:
            self._added_text()
        elif char == "s":
            self._substitute()
        elif char == "y":
            end = self._delimiter()
            self._delimited(end, is_regex=False)
            self._delimited(end, is_regex=False)
            self._end()
        elif char in _FILES and char:
            raise _NotUnderstoodError("sed-write", f"`{char}` in a sed script reads or writes a file")
        elif char == "e":
            raise _NotUnderstoodError("sed-write", "`e` in a sed script runs a program")
        elif char in _NO_COMMAND and not self._keeps_brackets:
            raise _NeverRunsError
        else:
            raise _odd(f"`{char}` is not a known command")

    def _end(self) -> None:
        """A command ends at a line's end, a semicolon, a brace or a comment."""
        self._skip(_BLANKS)
        char = self._peek()
        if char in {"", "\n", ";"}:
            self._at += 1
        elif char not in {"}", "#"}:
            raise _odd(f"`{char}` stands behind a command")

    def _line(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end + 1

    def _added_text(self) -> None:
        """Skip the text of `a`, `i` or `c`: to the end of the first line that no backslash carries on."""
        while True:
            end = self._text.find("\n", self._at)
            line = self._text[self._at : len(self._text) if end < 0 else end]
            self._at = len(self._text) if end < 0 else end + 1
            if end < 0 or (len(line) - len(line.rstrip("\\"))) % 2 == 0:
                return

    def _substitute(self) -> None:
        end = self._delimiter()
        self._delimited(end, is_regex=True)
        self._delimited(end, is_regex=False)
        self._skip(_SUBSTITUTE_FLAGS)
        flag = self._peek()
        if flag in {"e", "w"}:
            what = "runs what it makes" if flag == "e" else "writes a file"
            raise _NotUnderstoodError("sed-write", f"the flag `{flag}` of `s` in a sed script {what}")
        if flag in _NO_FLAG and not self._keeps_brackets:
            raise _NeverRunsError
        self._end()
