"""A rough reading of a command line, good for advice and labels only; nothing is ever let through because of it.

It knows simple commands, operators and quotes. What it does not understand it passes over: then nothing is refused, and no
exit code excused. What a command may do is judged elsewhere, on the real syntax tree.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["SimpleCommand", "git_verb", "is_answer", "simple_commands"]

_OPERATORS: Final = "();<>|&\n"
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_KEYWORDS: Final = frozenset({"do", "then", "else", "elif", "if", "while", "until", "!", "{", "time"})
# Programs that run the command behind their own options; of these options, the ones whose value is a word of its own.
_WRAPPERS: Final[dict[str, frozenset[str]]] = {
    name: frozenset(valued.split())
    for name, valued in {
        "sudo": "-u -g -h -p -C -D -R -T -U --user --group --chdir", "doas": "-u -C", "env": "-u -C -S --unset --chdir",
        "nice": "-n --adjustment", "stdbuf": "-i -o -e --input --output --error", "timeout": "-k -s --kill-after --signal",
        "ionice": "-c -n -p", "exec": "-a", "xargs": "-n -I -P -L -d -s -a -E --max-args --max-procs --arg-file",
        "chrt": "-T -P -D", "command": "", "builtin": "", "nohup": "", "setsid": "", "caffeinate": "-t -w",
    }.items()
}  # fmt: skip
_ANSWERS: Final = frozenset({"grep", "egrep", "fgrep", "rg", "find", "diff", "test", "["})


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One command with its arguments, without assignments, redirections and wrappers such as `timeout 5`.

    `operator` stands before it (empty at the start); `has_input` says that its standard input comes from a pipe or a file.
    """

    words: tuple[str, ...]
    operator: str = ""
    has_input: bool = False

    @property
    def program(self) -> str:
        """The program's name without its folder."""
        return self.words[0].rsplit("/", 1)[-1]


def simple_commands(command: str) -> list[SimpleCommand]:
    """Return the commands of a line in order, those in substitutions and subshells too; none where it is not understood."""
    text = command.replace("\\\n", " ")
    before, here, rest = text.partition("<<")
    if here:  # the lines of a here-document are no commands; what comes after it is not worth the trouble
        text = before + here + rest.partition("\n")[0]
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        return []
    if "case" in tokens or "function" in tokens:
        return []
    return _split(tokens)


def git_verb(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return git's subcommand and what follows it, from the words after `git`; empty where there is none."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-c", "-C", "--git-dir", "--work-tree") else 1
    return (words[at], words[at + 1 :]) if at < len(words) else ("", ())


def is_answer(command: str, exit_code: int, *, has_stderr: bool) -> bool:
    """Whether this exit code is an answer rather than a failure: 1 of a search or comparison that found nothing, or something.

    In `a && b` the 1 may be the first one's: then it is an answer only where nothing was complained about.
    """
    commands = simple_commands(command)
    if exit_code != 1 or not commands:
        return False
    last = commands[-1]
    if last.operator == "||" or (last.operator == "&&" and has_stderr) or last.operator.startswith(("(", ")")):
        return False
    if last.program == "git":
        return git_verb(last.words[1:])[0] in ("diff", "grep")
    return last.program in _ANSWERS


def _split(tokens: Sequence[str]) -> list[SimpleCommand]:
    out: list[SimpleCommand] = []
    words: list[str] = []
    operator, has_input, is_target, is_comment = "", False, False, False
    for token in [*tokens, "\n"]:
        if is_comment and "\n" not in token:
            continue
        is_comment = False
        if not token or set(token) - set(_OPERATORS):
            if is_target:
                is_target = False
            elif token.startswith("#"):
                is_comment = True
            else:
                words.append(token)
            continue
        if "<" in token or ">" in token:
            has_input = has_input or "<" in token
            is_target = not token.endswith((")", "("))
            if words and words[-1].isdigit():
                words.pop()  # the number of the redirected descriptor
            if not token.startswith((")", "|", ";", "&")) and "(" not in token:
                continue
        stripped = _strip(words)
        if stripped and not (token.startswith("(") and len(words) == 1):
            out.append(SimpleCommand(stripped, operator, has_input or operator in ("|", "|&")))
        words, operator, has_input, is_target = [], token.strip("\n") or "\n", False, False
    return out


def _strip(words: Sequence[str]) -> tuple[str, ...]:
    """Drop keywords, assignments and wrappers with their options from the front."""
    rest = list(words)
    while rest:
        first = rest[0].rsplit("/", 1)[-1]
        if _ASSIGNMENT.match(rest[0]) or first in _KEYWORDS:
            rest.pop(0)
        elif first in _WRAPPERS and len(rest) > 1:
            rest.pop(0)
            while rest and rest[0].startswith("-"):
                if rest.pop(0) in _WRAPPERS[first] and rest:
                    rest.pop(0)
            if first == "timeout" and rest:
                rest.pop(0)
        else:
            break
    return tuple(rest)
