"""awk programs: whether one does nothing but print what it makes of its input.

The text is split into tokens as awk does, which needs to know where a `/` divides and where it begins a pattern; where that
is not certain, the program is not understood, and so not harmless. Looked for are pipes, redirections of `print`, `getline`
from files, `system`, extensions, and changes to the list of files that is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.shell.programs.brackets import closes_brackets
from tui_agent.permissions.shell.programs.options import OptionDoubt

__all__ = ["awk_doubt"]

_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_WORD: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NUMBER: Final = re.compile(r"0[xX][0-9A-Fa-f]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_OPERATOR: Final = re.compile(r"\|\||&&|\|&|>>|\+\+|--|[<>=!+*/%^-]=|\*\*=?|!~|[-{}()\[\];,+*/%^!<>|?:~$=\n]")
_GAP: Final = re.compile(r"(?:[ \t\r]|\\\r?\n|#[^\n]*)+")
# Words after which a value follows, so that a `/` begins a pattern.
_BEFORE_VALUE: Final = frozenset({"print", "printf", "return", "in", "case", "do", "else", "exit"})
_CONDITIONS: Final = frozenset({"if", "while", "for", "switch"})
_UNCLEAR: Final = frozenset({"length", "getline", "next", "nextfile", "delete", "func", "function"})
_HARMFUL: Final = {
    "system": "runs programs",
    "ARGV": "may change which files are read",
    "ARGC": "may change which files are read",
    "SYMTAB": "may change any variable",
    "extension": "loads a library",
}
_STANDARD: Final = frozenset({'"/dev/stdout"', '"/dev/stderr"', '"/dev/null"'})


@dataclass(slots=True)
class _Token:
    kind: str
    """`word`, `number`, `string`, `pattern` or `operator`."""
    text: str


class _NotUnderstoodError(Exception):
    pass


def awk_doubt(program: str) -> OptionDoubt | None:
    """Return why a program may do more than print what it makes of its input, or None."""
    try:
        tokens = _tokens(program)
    except _NotUnderstoodError as stopped:
        return OptionDoubt("awk-script", f"the awk program is not understood: {stopped}")
    reason = _harm(tokens)
    return OptionDoubt("awk-script", f"the awk program {reason}") if reason else None


def _tokens(program: str) -> list[_Token]:
    found: list[_Token] = []
    conditions: list[bool] = []  # for each open parenthesis whether it holds the condition of a statement
    closed_condition = False
    at = 0
    while at < len(program):
        gap = _GAP.match(program, at)
        if gap is not None:
            if re.search(r"#[^\n]*\\(?:\r?\n|$)", gap[0]):
                raise _NotUnderstoodError("whether a comment goes on is not clear")
            at = gap.end()
            continue
        char = program[at]
        if char == '"':
            token = _one(_STRING, program, at, "string")
        elif char == "/" and _begins_pattern(found, closed_condition):
            token = _pattern(program, at)
        elif _NUMBER.match(program, at):
            token = _one(_NUMBER, program, at, "number")
        elif char.isascii() and (char.isalpha() or char == "_"):
            token = _one(_WORD, program, at, "word")
        else:
            token = _one(_OPERATOR, program, at, "operator")
        closed_condition = False
        if token.text == "(" and token.kind == "operator":
            conditions.append(bool(found) and found[-1].kind == "word" and found[-1].text in _CONDITIONS)
        elif token.text == ")" and token.kind == "operator":
            if not conditions:
                raise _NotUnderstoodError("its parentheses do not match")
            closed_condition = conditions.pop()
        found.append(token)
        at += len(token.text)
    return found


def _one(pattern: re.Pattern[str], program: str, at: int, kind: str) -> _Token:
    match = pattern.match(program, at)
    if match is None:
        raise _NotUnderstoodError(f"`{program[at]}` is not known")
    return _Token(kind, match[0])


def _begins_pattern(before: list[_Token], closed_condition: bool) -> bool:
    """Whether a `/` here begins a pattern, rather than dividing."""
    if not before or closed_condition:
        return True
    last = before[-1]
    if last.kind == "word":
        if last.text in _UNCLEAR:
            raise _NotUnderstoodError(f"whether a pattern follows `{last.text}` is unclear")
        return last.text in _BEFORE_VALUE
    if last.kind == "operator":
        if last.text in {"++", "--", "$"}:
            raise _NotUnderstoodError(f"whether a pattern follows `{last.text}` is unclear")
        return last.text not in {")", "]"}
    return False


def _pattern(program: str, at: int) -> _Token:
    """Read a pattern between slashes; a slash in brackets ends it for some awks and not for others."""
    position = at + 1
    while program[position : position + 1] != "/":
        if program[position : position + 1] in {"", "\n"} or program[position : position + 2] == "\\\n":
            raise _NotUnderstoodError("a pattern in it does not end")
        position += 2 if program[position] == "\\" else 1
    if not closes_brackets(program[at + 1 : position]):
        raise _NotUnderstoodError("a bracket in a pattern does not end")
    return _Token("pattern", program[at : position + 1])


def _harm(tokens: list[_Token]) -> str:
    """Return what the program does besides printing, or nothing."""
    for index, token in enumerate(tokens):
        following = tokens[index + 1 :]
        if token.kind == "operator" and token.text in {"|", "|&"}:
            return "pipes to or from a program"
        if token.kind != "word":
            continue
        if token.text in _HARMFUL:
            return f"{_HARMFUL[token.text]}: `{token.text}`"
        if token.text == "getline" and not _reads_input(following):
            return "may read a file with `getline`"
        if token.text in {"print", "printf"} and _redirects(following):
            return "writes a file"
    return ""


def _reads_input(following: list[_Token]) -> bool:
    """Whether `getline`, with these tokens behind it, surely reads the next line of the input."""
    rest = following
    if rest and rest[0].kind == "word":
        rest = rest[1:]
    return not rest or rest[0].text in {";", "}", "\n", ")", "&&", "||"}


def _redirects(following: list[_Token]) -> bool:
    """Whether a `print` with these tokens behind it writes to anything but the standard streams."""
    depth = 0
    for index, token in enumerate(following):
        if token.kind != "operator":
            continue
        if token.text in {"(", "["}:
            depth += 1
        elif token.text in {")", "]"}:
            depth -= 1
        elif depth <= 0 and (token.text in {";", "}"} or (token.text == "\n" and _ends_line(following[:index]))):
            return False
        elif depth <= 0 and token.text in {">", ">>"}:
            target = following[index + 1 : index + 3]
            is_standard = bool(target) and target[0].kind == "string" and target[0].text in _STANDARD
            if not is_standard or (len(target) == 2 and target[1].text not in {";", "}", "\n"}):
                return True
    return False


def _ends_line(before: list[_Token]) -> bool:
    """Whether a line's end behind these tokens of a statement ends it; behind a comma or an operator it goes on."""
    return not before or before[-1].kind != "operator" or before[-1].text in {")", "]", "++", "--"}
