"""`sed -i 's/…/…/' FILE`, read to the last character, and done in Python exactly as GNU sed would do it.

Only what is certain is understood: one substitution, one file, and of regular expressions what both sides read alike. There
is no alternation and nothing repeats a group, so that the first match Python finds is the longest one that sed looks for.
Anything else is left to sed, unseen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tui_agent.tools.bash.plain_words import plain_words

__all__ = ["Sed", "read_sed"]

_DELIMITERS: Final = frozenset("/|#,:@%~!;=_")
_FLAGS: Final = re.compile(r"[giI]*")
_CLASSES: Final = {
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "upper": "A-Z", "lower": "a-z", "xdigit": "0-9A-Fa-f",
    "space": r" \t\n\r\f\v", "blank": r" \t",
}  # fmt: skip
_INTERVAL: Final = re.compile(r"(\d{1,3})(,)?(\d{1,3})?")
_FEW: Final = 9  # a part that may repeat more often counts as one without limit
_MOST_COST: Final = 30_000_000  # steps that matching may take at worst; Python cannot be stopped in it


@dataclass(frozen=True, slots=True)
class Sed:
    """One substitution in one file. `pattern` matches within a line, which is without its line feed.

    `replacement` holds text and, as numbers, groups (0 is the whole match). `tries` says how matching grows at worst with the
    length of a line: as which power of it. `is_bytewise` says that the pattern would also match single bytes of a character,
    where sed's locale has a say.
    """

    path: str
    pattern: re.Pattern[str]
    replacement: tuple[str | int, ...]
    is_global: bool
    tries: int
    is_bytewise: bool

    def suits(self, text: str) -> bool:
        """Whether the outcome is certain on this text, and comes in good time."""
        if self.is_bytewise and not text.isascii():
            return False
        cost = 0
        for line in text.split("\n"):
            cost += len(line) ** max(1, self.tries)
            if cost > _MOST_COST:
                return False
        return True

    def apply(self, text: str) -> str:
        """Return the text after the substitution."""
        return "\n".join(map(self._line, text[:-1].split("\n"))) + "\n" if text.endswith("\n") else self._last(text)

    def _last(self, text: str) -> str:
        """A text whose last line has no line feed; an empty one has no line at all."""
        return "\n".join(map(self._line, text.split("\n"))) if text else text

    def _line(self, line: str) -> str:
        out: list[str] = []
        at = copied = 0
        last_end = -1
        while at <= len(line):
            match = self.pattern.search(line, at)
            if match is None:
                break
            start, end = match.span()
            if start == end == last_end:  # nothing is replaced by nothing right behind a match
                at = end + 1
                continue
            out += [line[copied:start], self._filled(match)]
            copied = last_end = end
            at = end if end > start else end + 1
            if not self.is_global:
                break
        return "".join(out) + line[copied:]

    def _filled(self, match: re.Match[str]) -> str:
        return "".join(part if isinstance(part, str) else match[part] or "" for part in self.replacement)


class _UnsureError(Exception):
    """Something that is not certain to mean the same here as there."""


def read_sed(command: str) -> Sed | None:
    """Return what the command would do, or None where it is anything but one substitution that is understood."""
    words = plain_words(command)
    if words is None or len(words) < 4 or words[0] != "sed":
        return None
    try:
        return _read(words[1:])
    except (_UnsureError, IndexError, re.error):
        return None


def _read(arguments: list[str]) -> Sed:
    is_extended = is_in_place = False
    script: str | None = None
    files: list[str] = []
    rest = iter(arguments)
    for word in rest:
        match word:
            case "-i" | "--in-place":
                is_in_place = True
            case "-E" | "-r" | "--regexp-extended":
                is_extended = True
            case "-Ei" | "-ri":
                is_extended = is_in_place = True
            case "-e" | "--expression" if script is None and not files:
                script = next(rest, None)
            case _ if word.startswith("-") or not word:
                raise _UnsureError(word)
            case _ if script is None:
                script = word
            case _:
                files.append(word)
    if not is_in_place or script is None or len(files) != 1:
        raise _UnsureError("not one file in place")
    return _substitution(script, files[0], is_extended=is_extended)


def _substitution(script: str, path: str, *, is_extended: bool) -> Sed:
    script = script.strip(" \t")
    if len(script) < 4 or script[0] != "s" or script[1] not in _DELIMITERS or not script.isascii() or "\n" in script:
        raise _UnsureError(script)
    delimiter = script[1]
    expression, at = _part(script, 2, delimiter, in_pattern=True)
    replacement, at = _part(script, at, delimiter, in_pattern=False)
    flags = script[at:]
    if not _FLAGS.fullmatch(flags) or flags.count("g") > 1 or not expression:
        raise _UnsureError(flags)
    ignores_case = "i" in flags.lower()
    reader = _Expression(expression, is_extended=is_extended)
    pattern = re.compile(reader.read(), re.ASCII | (re.IGNORECASE if ignores_case else re.NOFLAG))
    is_global = "g" in flags
    fits_nothing = is_global and not reader.is_anchored and pattern.search("") is not None
    return Sed(
        path=path,
        pattern=pattern,
        replacement=_replacement(replacement, pattern.groups),
        is_global=is_global,
        tries=reader.open_ends + (not reader.is_anchored),
        is_bytewise=reader.is_bytewise or ignores_case or fits_nothing,
    )


def _part(script: str, at: int, delimiter: str, *, in_pattern: bool) -> tuple[str, int]:
    """Return the text up to the next delimiter that counts, and where the text after it begins."""
    out, is_in_brackets = "", False
    while True:
        char = script[at]
        if char == "\\":
            following = script[at + 1]
            if following == delimiter:
                if delimiter == "|":  # an escaped bar is an operator of its own, in one reading
                    raise _UnsureError(script)
                out += delimiter
            else:
                out += char + following
            at += 2
            continue
        if char == delimiter:
            if is_in_brackets:  # which of the two ends the other differs between versions
                raise _UnsureError(script)
            return out, at + 1
        if in_pattern and char == "[" and not is_in_brackets:
            is_in_brackets = True
        elif in_pattern and char == "]":
            is_in_brackets = False
        out += char
        at += 1


def _replacement(text: str, groups: int) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "&":
            parts.append(0)
        elif char == "\\":
            at += 1
            escaped = text[at]
            if escaped.isdigit() and 0 < int(escaped) <= groups:
                parts.append(int(escaped))
            elif escaped in "nt":
                parts.append({"n": "\n", "t": "\t"}[escaped])
            elif escaped in "&\\" or escaped in _DELIMITERS | set(".*[]^$\"'-+?(){} "):
                parts.append(escaped)
            else:
                raise _UnsureError(text)
        else:
            parts.append(char)
        at += 1
    return tuple(parts)


class _Expression:
    """Turns a POSIX regular expression, basic or extended, into one of Python's that finds the same."""

    def __init__(self, text: str, *, is_extended: bool) -> None:
        self._text = text
        self._is_extended = is_extended
        self._at = 0
        self._depth = 0
        self.open_ends = 0
        self.is_anchored = False
        self.is_bytewise = False

    def read(self) -> str:
        """Return Python's expression.

        Raises:
            _UnsureError: it holds something that is not known to mean the same.
        """
        out: list[str] = []
        previous = "start"  # what stands before: start, atom, repeat, open, close
        while self._at < len(self._text):
            token = self._token()
            piece, kind = self._translate(token, previous)
            out.append(piece)
            previous = kind
        if self._depth:
            raise _UnsureError(self._text)
        return "".join(out)

    def _token(self) -> str:
        """Return what comes next in basic notation: an operator with its backslash where extended notation has none."""
        char = self._text[self._at]
        self._at += 1
        if char != "\\":
            return "\\" + char if self._is_extended and char in "(){}+?|" else char
        escaped = self._text[self._at]
        self._at += 1
        if self._is_extended and escaped in "(){}+?|":
            return escaped
        return "\\" + escaped

    def _translate(self, token: str, previous: str) -> tuple[str, str]:  # noqa: C901 - one flat match over the notation
        match token:
            case "^" if previous == "start":
                self.is_anchored = True
                return r"\A", "anchor"
            case "$" if self._at == len(self._text):
                return r"\Z", "anchor"
            case "^" | "$":
                raise _UnsureError(self._text)
            case "*":
                return self._repeat("*", previous)
            case r"\+" | r"\?":
                return self._repeat(token[1], previous)
            case r"\{":
                return self._repeat(self._interval(), previous)
            case r"\(":
                self._depth += 1
                return "(", "open"
            case r"\)":
                self._depth -= 1
                if self._depth < 0 or previous == "open":
                    raise _UnsureError(self._text)
                return ")", "close"
            case ".":
                self.is_bytewise = True
                return ".", "atom"
            case "[":
                return self._bracket(), "atom"
            case r"\w" | r"\W" | r"\s" | r"\S":
                self.is_bytewise = True
                return token, "atom"
            case r"\t":
                return r"\t", "atom"
            case _ if len(token) == 2 and (token[1].isalnum() or token[1] in "<>`'|}"):
                raise _UnsureError(token)
            case _:
                return re.escape(token[-1]), "atom"

    def _repeat(self, operator: str, previous: str) -> tuple[str, str]:
        if previous != "atom":
            raise _UnsureError(self._text)
        self.open_ends += operator in ("*", "+") or operator.endswith(",}")
        return operator, "repeat"

    def _interval(self) -> str:
        match = _INTERVAL.match(self._text, self._at)
        if match is None:
            raise _UnsureError(self._text)
        end = "}" if self._is_extended else r"\}"
        if not self._text.startswith(end, match.end()):
            raise _UnsureError(self._text)
        self._at = match.end() + len(end)
        low, comma, high = match.groups()
        self.open_ends += bool(high) and int(high) > _FEW
        if (high and int(high) < int(low)) or (high == "0" or (low == "0" and not comma)):
            raise _UnsureError(self._text)
        return f"{{{low}{comma or ''}{high or ''}}}"

    def _bracket(self) -> str:
        """Return a bracket expression; one that is negated also matches what is not ASCII."""
        text, out = self._text, ""
        if text[self._at] == "^":
            self._at += 1
            self.is_bytewise = True
            out = "^"
        members: list[str] = []
        while text[self._at] != "]" or not members:
            if text.startswith("[:", self._at):
                name, found, _ = text[self._at + 2 :].partition(":]")
                if not found or name not in _CLASSES:
                    raise _UnsureError(text)
                members.append(_CLASSES[name])
                self._at += len(name) + 4
                continue
            low = self._member()
            if text[self._at] == "-" and text[self._at + 1] != "]":
                self._at += 1
                high = self._member()
                if not (low.isalnum() and high.isalnum() and low <= high and _same_kind(low, high)):
                    raise _UnsureError(text)
                members.append(f"{low}-{high}")
            else:
                members.append(re.escape(low))
        self._at += 1
        return f"[{out}{''.join(members)}]"

    def _member(self) -> str:
        char = self._text[self._at]
        if char == "\\" or self._text[self._at : self._at + 2] in ("[.", "[=", "[:"):
            raise _UnsureError(self._text)
        self._at += 1
        return char


def _same_kind(low: str, high: str) -> bool:
    kinds: tuple[Callable[[str], bool], ...] = (str.isdigit, str.islower, str.isupper)
    return any(kind(low) and kind(high) for kind in kinds)
