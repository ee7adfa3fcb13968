"""A typed line taken apart as a shell would: words, operators, and Python objects where variables hold some.

Nothing is run and no shell is asked. Quotes and backslashes mean what they mean to a POSIX shell, `$NAME` and `${NAME}` are
the caller's variables, and everything else that a shell knows (globs, `~`, `$(…)`, comments) is plain text here. A value is
never split into several words. Of a variable that holds an object a part can be picked: `$NAME.field`, `$NAME.list.0`,
`$NAME[0]`, `$NAME["a field"]`, `${NAME.field}`.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["OPERATORS", "MissingPartError", "Operator", "WordsError", "split_words", "variables"]

OPERATORS: Final = ("||", "&&", ";;", "|&", ">>", ";", "|", ">", "<", "&", "(", ")")
_BLANKS: Final = " \t\r\n"
_SPECIAL_IN_DOUBLE: Final = '$`"\\'
_STEP: Final = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*|[0-9]+)|\[(?:(-?[0-9]+)|\"([^\"]*)\"|'([^']*)')\]")
_VARIABLE: Final = re.compile(
    rf"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{{([A-Za-z_][A-Za-z0-9_]*)((?:{re.sub(r'[(](?![?])', '(?:', _STEP.pattern)})*)\}})"
)
_MOST_NAMED: Final = 20  # fields that an error names


class WordsError(ValueError):
    """The line ends in the middle of something. `position` is where that began, in characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} at character {position + 1}")
        self.position = position


class MissingPartError(WordsError):
    """A part was picked that is not there; the text names those that are."""


@dataclass(frozen=True, slots=True)
class Operator:
    """One of `OPERATORS`, written outside quotes."""

    text: str


def split_words(line: str, env: Mapping[str, object]) -> list[object]:
    """Return the words of a line: a `str` for text, an `Operator`, and any other value for an object out of `env`.

    A variable whose value is a `str` becomes part of its word; one that is not there is empty, and a word of nothing else
    (and no quotes) is no word. Any other value comes out as it is where it is the whole word; `--name=$VALUE` is two words,
    `--name` and the value. In the middle of other text a value is written as JSON. Steps behind a variable (`.field`, `[0]`)
    are taken as long as they lead into an object or a list; behind text they are text.

    Raises:
        WordsError: a quote is not closed, or nothing follows the last backslash.
        MissingPartError: a step leads nowhere.
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
        name, began = match[1] or match[2], self._at
        self._at = match.end()
        value = self._value(name)
        if match[2]:
            value = self._picked(value, f"${name}", match[3], began, is_whole=True)[0]
        else:
            value, self._at = self._picked(value, f"${name}", self._line, began, at=self._at)
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

    def _picked(
        self, value: object, name: str, steps: str, began: int, *, at: int = 0, is_whole: bool = False
    ) -> tuple[object, int]:
        """Take the steps that stand in a text from `at` on; return what they lead to, and where they end.

        `is_whole` says that the text holds nothing else, so that each step has to lead somewhere.
        """
        while (step := _STEP.match(steps, at)) is not None:
            if not isinstance(value, Mapping | list | tuple):
                if is_whole and value != "":
                    raise MissingPartError(f"{name} is no object and has no {step[0]}", began)
                break
            key = next(group for group in step.groups() if group is not None)
            inside: Mapping[object, object] | Sequence[object] = value
            try:
                value = inside[key] if isinstance(inside, Mapping) else inside[int(key)]
            except (KeyError, IndexError, ValueError):
                raise MissingPartError(f"{name} has no {step[0]}; it has {_parts_of(inside)}", began) from None
            name += step[0]
            at = step.end()
        return value, at

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


def _parts_of(value: Mapping[object, object] | Sequence[object]) -> str:
    """Say what can be picked."""
    if not isinstance(value, Mapping):
        return f"{len(value)} items" if len(value) != 1 else "1 item"
    named = [str(key) for key in list(value)[:_MOST_NAMED]]
    more = ", …" if len(value) > len(named) else ""
    return ", ".join(named) + more if named else "no fields"


def _as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
