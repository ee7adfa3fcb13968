"""A typed line taken apart as a shell would: words, operators, and Python objects where variables hold some.

Nothing is run and no shell is asked. Quotes and backslashes mean what they mean to a POSIX shell, `$NAME` and `${NAME}` are
the caller's variables, and everything else that a shell knows (globs, `~`, `$(…)`, comments) is plain text here. A value is
never split into several words.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["OPERATORS", "Operator", "WordsError", "split_words", "variables"]

OPERATORS: Final = ("||", "&&", ";;", "|&", ">>", ";", "|", ">", "<", "&", "(", ")")
_BLANKS: Final = " \t\r\n"
_SPECIAL_IN_DOUBLE: Final = '$`"\\'
_VARIABLE: Final = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")


class WordsError(ValueError):
    """The line ends in the middle of something. `position` is where that began, in characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} at character {position + 1}")
        self.position = position


@dataclass(frozen=True, slots=True)
class Operator:
    """One of `OPERATORS`, written outside quotes."""

    text: str


def split_words(line: str, env: Mapping[str, object]) -> list[object]:
    """Return the words of a line: a `str` for text, an `Operator`, and any other value for an object out of `env`.

    A variable whose value is a `str` becomes part of its word; one that is not there is empty, and a word of nothing else
    (and no quotes) is no word. Any other value comes out as it is where it is the whole word; `--name=$VALUE` is two words,
    `--name` and the value. In the middle of other text a value is written as JSON.

    Raises:
        WordsError: a quote is not closed, or nothing follows the last backslash.
    """
    return _Reader(line, env).read()


def variables(line: str) -> list[str]:
    """Return the names of the variables that a line uses, each once, in order.

    Raises:
        WordsError: as for `split_words`.
    """
    names: dict[str, None] = {}

    class Names(dict[str, object]):
        def __missing__(self, name: str) -> object:
            names[name] = None
            return ""

    _Reader(line, Names()).read()
    return list(names)


class _Reader:
    """One pass over one line. Objects travel through the text as marks that nobody can write beforehand."""

    def __init__(self, line: str, env: Mapping[str, object]) -> None:
        self._line = line
        self._env = env
        self._at = 0
        self._words: list[object] = []
        self._word: list[str] = []
        self._is_open = False  # a word has begun, though there may be nothing in it yet: `''`
        self._objects: list[object] = []
        token = secrets.token_hex(16)
        self._mark = f"\ue000{token}:{{}}\ue001"
        self._whole = re.compile(f"(?:(--?[^=\ue000]+)=)?\ue000{token}:(\\d+)\ue001", re.DOTALL)
        self._part = re.compile(f"\ue000{token}:(\\d+)\ue001")

    def read(self) -> list[object]:
        quotes: dict[str, Callable[[], None]] = {"'": self._single, '"': self._double, "\\": self._escape}
        line = self._line
        while self._at < len(line):
            character = line[self._at]
            if character in _BLANKS:
                self._end_word()
                self._at += 1
            elif character in quotes:
                quotes[character]()
            elif operator := next((one for one in OPERATORS if line.startswith(one, self._at)), None):
                self._end_word()
                self._words.append(Operator(operator))
                self._at += len(operator)
            else:
                self._take()
        self._end_word()
        return self._words

    def _single(self) -> None:
        end = self._line.find("'", self._at + 1)
        if end < 0:
            raise WordsError("the ' is not closed", self._at)
        self._word.append(self._line[self._at + 1 : end])
        self._is_open = True
        self._at = end + 1

    def _double(self) -> None:
        began = self._at
        self._is_open = True
        self._at += 1
        while self._at < len(self._line):
            character = self._line[self._at]
            if character == '"':
                self._at += 1
                return
            following = self._line[self._at + 1 : self._at + 2]
            if character == "\\" and following and following in _SPECIAL_IN_DOUBLE + "\n":
                self._word.append("" if following == "\n" else following)
                self._at += 2
            else:
                self._take()
        raise WordsError('the " is not closed', began)

    def _escape(self) -> None:
        following = self._line[self._at + 1 : self._at + 2]
        if not following:
            raise WordsError("nothing follows the \\", self._at)
        if following != "\n":  # else the line goes on
            self._word.append(following)
            self._is_open = True
        self._at += 2

    def _take(self) -> None:
        """Take one character, or a variable."""
        match = _VARIABLE.match(self._line, self._at)
        if match is None:
            self._word.append(self._line[self._at])
            self._is_open = True
            self._at += 1
            return
        self._at = match.end()
        value = self._value(match[1] or match[2])
        if not isinstance(value, str):
            self._objects.append(value)
            value = self._mark.format(len(self._objects) - 1)
        if value:
            self._word.append(value)
            self._is_open = True

    def _value(self, name: str) -> object:
        try:
            return self._env[name]
        except KeyError:
            return ""

    def _end_word(self) -> None:
        if not self._is_open:
            return
        text = "".join(self._word)
        self._word.clear()
        self._is_open = False
        whole = self._whole.fullmatch(text)
        if whole is None:
            self._words.append(self._part.sub(lambda mark: _as_text(self._objects[int(mark[1])]), text))
            return
        if whole[1] is not None:
            self._words.append(whole[1])
        self._words.append(self._objects[int(whole[2])])


def _as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
