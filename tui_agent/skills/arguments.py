"""Puts arguments into the text of a skill, in one pass: what was put in is never looked at again.

`$ARGUMENTS` is all of them as they were typed, `$ARGUMENTS[N]` and `$N` one of them (from 0, split as a shell would), `$name`
one that the header declares. `\\$` keeps a dollar as it is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["ArgumentValues"]


@dataclass(frozen=True, slots=True)
class ArgumentValues:
    """What placeholders stand for.

    `names` are declared arguments; `variables` are those in braces, such as `${CLAUDE_SKILL_DIR}`.
    """

    text: str
    names: Sequence[str] = ()
    variables: Mapping[str, str] | None = None

    @property
    def words(self) -> list[str]:
        """The arguments one by one."""
        try:
            return shlex.split(self.text)
        except ValueError:  # a quote that is not closed
            return self.text.split()

    def _pattern(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, sorted(self.names, key=len, reverse=True)))
        named = rf"|(?P<name>{names})(?![A-Za-z0-9_])" if names else ""
        return re.compile(
            rf"(?P<escape>\\)?\$(?:ARGUMENTS\[(?P<index>\d+)\]|(?P<all>ARGUMENTS)(?![A-Za-z0-9_])"
            rf"|(?P<number>\d+)(?![A-Za-z0-9_]){named}|\{{(?P<variable>[A-Za-z_]+)\}})"
        )

    def is_used_in(self, text: str) -> bool:
        """Whether a text has a place for arguments."""
        return any(not found["escape"] and not found["variable"] for found in self._pattern().finditer(text))

    def put_into(self, text: str) -> str:
        """Return a text with all placeholders filled. A missing argument stays as it is written; a declared one is empty."""
        words, variables = self.words, self.variables or {}

        def value(found: re.Match[str]) -> str:
            if found["escape"]:
                return found[0][1:]
            if found["all"]:
                return self.text
            if number := found["index"] or found["number"]:
                at = int(number) if len(number) < 6 else len(words)
                return words[at] if at < len(words) else found[0]
            if (name := found.groupdict().get("name")) is not None:
                at = list(self.names).index(name)
                return words[at] if at < len(words) else ""
            return variables.get(found["variable"], found[0])

        return self._pattern().sub(value, text)
