"""The messages that slash commands such as `/init` and `/review` send to the model, for all front ends."""

from __future__ import annotations

from typing import Final

__all__ = ["PROMPTS", "prompt_of"]

_INIT: Final = """\
Look at this project and write a CLAUDE.md in its root for whoever works here next. If there is one already, improve it. Say:
- which commands build, test and check it, and how to run a single test;
- how it is put together, as far as several files have to be read to see it;
- rules that are easy to break.
Leave out what every developer knows and what a file listing shows. Use AGENTS.md, .cursor/rules and the README, if any."""
_REVIEW: Final = """\
Review {what}. Read the changes and the code around them, then list what is wrong, the worst first, each with file and line: \
bugs, cases that are not handled, missing tests, unclear code. Say so if there is nothing. Change nothing."""
_SECURITY: Final = """\
Review the uncommitted changes here, or if there are none those of this branch, for security problems: injection, \
access without a check, secrets, unsafe files and deserialization, weak cryptography. List only what somebody could exploit, \
each with file, line, how, and a fix. Change nothing."""
_ALL_CHANGES: Final = "the uncommitted changes here, or if there are none those of this branch"
PROMPTS: Final = ("init", "review", "security-review")


def prompt_of(name: str, more: str) -> str:
    """Return the message of a command in `PROMPTS`; `more` is what followed its name."""
    if name == "review":
        return _REVIEW.format(what=more or _ALL_CHANGES)
    text = _INIT if name == "init" else _SECURITY
    return f"{text}\n\n{more}" if more else text
