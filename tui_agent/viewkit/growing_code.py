"""Syntax colours for code that is still being written, a line at a time.

Pygments wants all of a text, and tells nothing about where it stands at its end. Here its rules are followed from the state in
which the line above ended, so that a line is looked at once. What a rule could only see with the lines that follow is missed,
except for comments and the like over several lines; the whole is coloured again, and exactly, when it is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tui_agent.viewkit.code import LONGEST_LINE, Token, lexer_of, short_name

__all__ = ["GrowingCode"]

_LIKE_C: Final = frozenset(
    {
        "c", "cpp", "csharp", "css", "dart", "go", "groovy", "java", "javascript", "jsx", "kotlin", "less", "objective-c",
        "php", "rust", "scala", "scss", "sql", "swift", "tsx", "typescript",
    }
)  # fmt: skip
# What goes over several lines and is one rule, which needs all of them: how it begins and ends, its kind, the languages.
_SPANS: Final = (
    (re.compile(r"/\*(?!.*\*/)"), "*/", "cm", _LIKE_C),
    (re.compile(r"<!--(?!.*-->)"), "-->", "cm", frozenset({"html", "xml"})),
    (re.compile(r'(?<!\S)"""(?!.*""")'), '"""', "sd", frozenset({"python"})),
    (re.compile(r"(?<!\S)'''(?!.*''')"), "'''", "sd", frozenset({"python"})),
)
_MOST_STEPS: Final = 12  # for each character; rules that match nothing must not go on for ever


class GrowingCode:
    """Colours lines in the order in which they come."""

    def __init__(self, language: str) -> None:
        lexer = lexer_of(language, has_tags=False)
        self._lexer: Any = lexer
        self._stack = ["root"]
        self._has_states = lexer is not None and _has_states(lexer)
        aliases = frozenset(lexer.aliases) if lexer is not None else frozenset()
        if "php" in aliases:
            self._stack.append("php")  # as if it began within the tags
        self._spans = [span for span in _SPANS if span[3] & aliases]
        self._ends: tuple[str, str] | None = None  # what ends the span that the next line is in, and its kind

    def line(self, text: str, *, is_partial: bool = False) -> list[Token]:
        """Return the tokens of the next line; one that is partial will come again."""
        if self._lexer is None or len(text) > LONGEST_LINE:
            return [("", text)] if text else []
        before = list(self._stack), self._ends
        try:
            return self._line(text)
        finally:
            if is_partial:
                self._stack, self._ends = before

    def _line(self, text: str) -> list[Token]:
        out: list[Token] = []
        rest = text
        if self._ends is not None:
            closes, kind = self._ends
            inside, end, rest = text.partition(closes)
            out = [(kind, inside + end)] if inside or end else []
            if not end:
                return out
            self._ends = None
        for opens, closes, kind, _ in self._spans:
            found = opens.search(rest)
            if (
                found is None
                or (kind == "sd" and rest[: found.start()].strip())
                or rest.count('"', 0, found.start()) % 2
            ):
                continue
            self._ends = closes, kind
            return [*out, *self._tokens(rest[: found.start()]), (kind, rest[found.start() :])]
        return [*out, *self._tokens(rest + "\n")]

    def _tokens(self, text: str) -> list[Token]:
        """Return the tokens of text of one line, without its end."""
        found = self._match(text) if self._has_states else self._lexer.get_tokens_unprocessed(text)
        out = [(short_name(kind), piece.rstrip("\n")) for _, kind, piece in found]
        shown = text.rstrip("\n")
        whole = [token for token in out if token[1]]
        return whole if "".join(piece for _, piece in whole) == shown else [("", shown)] if shown else []

    def _match(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Follow the lexer's rules over `text`, from the state the last one ended in."""
        rules, stack = self._lexer._tokens, self._stack  # noqa: SLF001 - no public way to go on in a state
        at = steps = 0
        while at < len(text) and steps < _MOST_STEPS * len(text) + 100:
            steps += 1
            for matches, action, following in rules[stack[-1]]:
                found = matches(text, at)
                if found is None:
                    continue
                if callable(action) and not isinstance(action, tuple):
                    yield from action(self._lexer, found)
                elif action is not None:
                    yield at, action, found[0]
                at = found.end()
                _move(stack, following)
                break
            else:
                if text[at] == "\n":
                    stack[:] = ["root"]
                yield at, (), text[at]
                at += 1


def _has_states(lexer: Any) -> bool:  # noqa: ANN401 - Pygments types its lexers loosely
    from pygments.lexer import ExtendedRegexLexer, RegexLexer  # imported with the lexer

    return isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer)


def _move(stack: list[str], following: Any) -> None:  # noqa: ANN401 - as Pygments writes its transitions
    """Change the stack of states as a rule says."""
    steps = following if isinstance(following, tuple) else () if following is None else (following,)
    for step in steps:
        if isinstance(step, int):
            del stack[max(1, len(stack) + step) :]
        elif step == "#pop":
            del stack[max(1, len(stack) - 1) :]
        elif step == "#push":
            stack.append(stack[-1])
        else:
            stack.append(step)
