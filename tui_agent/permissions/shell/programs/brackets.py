"""Bracket expressions in patterns. Programs differ in whether what would end a pattern does so in brackets."""

from __future__ import annotations

__all__ = ["closes_brackets", "end_of_bracket"]


def closes_brackets(pattern: str) -> bool:
    """Whether each bracket expression ends within the pattern, be a backslash in brackets itself or an escape."""
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 2 if char == "\\" else 1
        if char == "[":
            end = end_of_bracket(pattern, at)
            if end is None:
                return False
            at = end
    return True


def end_of_bracket(text: str, start: int) -> int | None:
    """Return the place behind a bracket expression that begins before `start`; None where that is not certain."""
    end = _end(text, start, escapes=True)
    return end if end == _end(text, start, escapes=False) else None


def _end(text: str, at: int, *, escapes: bool) -> int | None:
    if text[at : at + 1] == "^":
        at += 1
    if text[at : at + 1] == "]":
        at += 1
    while text[at : at + 1] != "]":
        inner = text[at : at + 2]
        if not inner or inner[0] == "\n":
            return None
        if inner in {"[:", "[.", "[="}:
            close = text.find(inner[1] + "]", at + 2)
            if close < 0 or "\n" in text[at:close]:
                return None
            at = close + 2
        else:
            at += 2 if escapes and inner[0] == "\\" else 1
    return at + 1
