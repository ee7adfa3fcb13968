"""Path patterns of rules: gitignore's language with four anchors, each compiled once.

`//p` starts at the root of the file system, `~/p` at home, `/p` at the folder of the settings that hold the rule, and `p`
or `./p` at the folder the session was started in. Nothing above its anchor matches, except where a rule that forbids or asks
begins with `..`. As in gitignore, a pattern without a slash matches at any depth, and what matches a folder matches everything
in it. Unlike there, `{a,b}` is either.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from tui_agent.permissions.path_context import PathContext

__all__ = ["BadPattern", "PathPattern", "escape", "is_wild", "segment_regex", "translate"]

Anchor = Literal["root", "home", "source", "cwd"]
_STARS: Final = re.compile(r"(?<![^/])\*{2,}(?:/\*{2,})*(?![^/])")  # git takes any such run for two stars


_WILD: Final = re.compile(r"(?<!\\)[*?\[]")
_BRACE: Final = re.compile(r"(?<!\\)\{([^{}]*)(?<!\\)\}")
_COMMA: Final = re.compile(r"(?<!\\),")
_MOST_ALTERNATIVES: Final = 64
_ESCAPED: Final = re.compile(r"\\(.)")


class BadPattern(ValueError):  # noqa: N818 - the name says what is wrong
    """A pattern that cannot mean anything; the message says why."""


def escape(path: str) -> str:
    """Return `path` as a pattern that matches it alone (and what is in it)."""
    return "".join("\\" + char if char in "\\*?[]!{}" else char for char in path)


@dataclass(frozen=True)
class PathPattern:
    """One compiled pattern.

    `base` is where `/p` starts. Rules that forbid reach a little further than rules that allow: `src/**` allows the one
    `src` at the top and forbids each `src` below, and a forbidden folder's own listing is forbidden too.
    """

    text: str
    base: str | None
    is_allow: bool
    anchor: Anchor
    regex: re.Pattern[str]
    rest: str
    """What follows the anchor, without `..`."""
    ups: int = 0
    """How many folders above its anchor it starts."""

    @classmethod
    def parse(cls, text: str, *, base: str | None, is_allow: bool) -> PathPattern:
        """Compile a rule's specifier.

        Raises:
            BadPattern: it is empty, a negation, or climbs where that cannot be told, or may not be.
        """
        anchor, rest = _anchored(text)
        if rest.startswith("!"):
            raise BadPattern("a path rule cannot begin with `!`")
        ups = 0
        if ".." in rest.split("/"):
            if is_allow:
                raise BadPattern("`..` cannot be used in a path rule that allows; use `//` with the whole path")
            ups, rest = _climbed(rest)
        is_dotted = anchor == "cwd" and text.startswith("./")
        if not rest.strip("/"):
            rest = "**"
        regexes = (
            translate(_tied(one, anchor, is_allow=is_allow, is_dotted=is_dotted, is_above=ups > 0), is_strict=is_allow)
            for one in _alternatives(rest)
        )
        regex = "|".join(f"(?:{one})" for one in dict.fromkeys(regexes))
        return cls(text, base, is_allow, anchor, re.compile(regex, re.DOTALL), rest, ups)

    def matches(self, path: str, where: PathContext) -> bool:
        """Whether an absolute, normal path lies under the pattern."""
        # Where `.ENV` is the same file as `.env`, a rule that forbids the one forbids the other.
        is_folded = where.is_case_blind and not self.is_allow
        return any(self._matches_from(base, path, is_folded=is_folded) for base in where.bases(self.start(where)))

    def start(self, where: PathContext) -> str:
        """Return the folder that the pattern starts at."""
        start = {"root": "/", "home": where.home, "source": self.base or where.cwd, "cwd": where.cwd}[self.anchor]
        for _ in range(self.ups):
            start = os.path.dirname(start)  # noqa: PTH120 - text
        return start

    def place(self, where: PathContext) -> str:
        """Return the one path that the pattern means, where it has no wildcards; else an empty text."""
        rest = self.rest.removesuffix("/**").strip("/")
        if not rest or is_wild(rest):
            return ""
        return self.start(where).rstrip("/") + "/" + _ESCAPED.sub(r"\1", rest)

    def fixed(self) -> Iterator[tuple[str, str]]:
        """Yield the folders or the file that the pattern spells out behind its start, and the pattern below those.

        There is one for each alternative of its braces. The first is empty for what may be anywhere below the start.
        """
        for one in _alternatives(self.rest):
            parts = [part for part in one.split("/") if part]
            at = next((index for index, part in enumerate(parts) if _WILD.search(part)), len(parts))
            yield _ESCAPED.sub(r"\1", "/".join(parts[:at])), "/".join(parts[at:])

    def _matches_from(self, base: str, path: str, *, is_folded: bool) -> bool:
        prefix = base.rstrip("/") + "/"
        if path == base:  # the anchor itself: only a pattern for everything in it concerns it
            return self.covers_all
        head, rest = path[: len(prefix)], path[len(prefix) :]
        if is_folded:
            return head.casefold() == prefix.casefold() and self._folded.fullmatch(rest) is not None
        return head == prefix and self.regex.fullmatch(rest) is not None

    @cached_property
    def _folded(self) -> re.Pattern[str]:
        return re.compile(self.regex.pattern, re.DOTALL | re.IGNORECASE)

    @cached_property
    def covers_all(self) -> bool:
        """Whether the pattern matches whatever is below its anchor."""
        return self.regex.fullmatch("\0/\0") is not None and self.regex.fullmatch("\0") is not None


def _anchored(text: str) -> tuple[Anchor, str]:
    if text.startswith("//"):
        return "root", text[2:]
    if text == "~" or text.startswith("~/"):
        return "home", text[2:]
    if text.startswith("/"):
        return "source", text[1:]
    return "cwd", text.removeprefix("./")


def is_wild(text: str) -> bool:
    """Whether a pattern may stand for several names."""
    return _WILD.search(text) is not None or len(_alternatives(text)) > 1


def _climbed(rest: str) -> tuple[int, str]:
    """Return how many folders a path climbs at its beginning, and what then follows.

    Raises:
        BadPattern: `..` stands behind a pattern, which may be of any depth.
    """
    ups = 0
    kept: list[str] = []
    for part in rest.split("/"):
        if part != "..":
            kept += [] if part == "." else [part]
        elif not kept:
            ups += 1
        elif is_wild(kept[-1]) or "{" in kept[-1]:
            raise BadPattern("`..` cannot stand behind a pattern in a path rule")
        else:
            kept.pop()
    return ups, "/".join(kept)


def _tied(rest: str, anchor: Anchor, *, is_allow: bool, is_dotted: bool, is_above: bool) -> str:
    """Return a pattern with what ties it to its anchor, or lets it match at any depth below."""
    if is_above:
        return "/" + rest
    is_loose = not is_allow and anchor == "cwd" and rest.count("/") == 1 and rest.endswith("/**")
    if is_loose or (is_dotted and not is_allow and "/" not in rest.rstrip("/")):
        return "**/" + rest
    if anchor != "cwd" or (is_dotted and "/" not in rest.rstrip("/")):
        return "/" + rest
    return rest


def _alternatives(text: str) -> list[str]:
    """Return what a text with `{a,b}` stands for; braces without a comma are themselves.

    Raises:
        BadPattern: that is a lot.
    """
    waiting, done = [text], []
    while waiting:
        one = waiting.pop()
        brace = next((match for match in _BRACE.finditer(one) if _COMMA.search(match[1])), None)
        if brace is None:
            done.append(one)
        else:
            waiting += (one[: brace.start()] + part + one[brace.end() :] for part in _COMMA.split(brace[1]))
        if len(waiting) + len(done) > _MOST_ALTERNATIVES:
            raise BadPattern("its braces stand for too many paths")
    return done


def translate(pattern: str, *, is_strict: bool = False) -> str:
    """Return a regular expression for what a gitignore pattern matches, and for everything below that.

    Args:
        pattern: one pattern; a leading slash, or a slash in its middle, ties it to the top.
        is_strict: take a pattern that ends in a slash as folders only: then only what is in one matches. Else the
            folder's own name matches too, since whether it is a folder cannot be seen from the name.
    """
    is_folder = pattern.endswith("/")
    body = pattern.rstrip("/") if is_folder else pattern
    is_tied = "/" in body
    body = body.removeprefix("/")
    body = _STARS.sub("**", body)
    # `x/**` is all that is in x; a rule that forbids it forbids listing x as well.
    is_content = body.endswith("/**") and not is_folder
    segments = (body[:-3] if is_content else body).split("/")
    out = "" if is_tied else "(?:.*/)?"
    for index, segment in enumerate(segments):
        is_last = index == len(segments) - 1
        if segment == "**":
            out += ".*" if is_last else "(?:.*/)?"
        else:
            out += segment_regex(segment) + ("" if is_last else "/")
    if is_content or (is_folder and is_strict):
        return out + ("/.*" if is_strict else "(?:/.*)?")
    return out + "(?:/.*)?"


def segment_regex(text: str) -> str:
    """Translate what stands between two slashes.

    Raises:
        BadPattern: a bracket is open, or it ends in a lone backslash.
    """
    out, index = "", 0
    while index < len(text):
        char = text[index]
        index += 1
        if char == "*":
            while text[index : index + 1] == "*":
                index += 1
            out += "[^/]*"
        elif char == "?":
            out += "[^/]"
        elif char == "\\":
            if index == len(text):
                raise BadPattern("a path ends in a lone backslash")
            out += re.escape(text[index])
            index += 1
        elif char == "[":
            part, index = _bracket(text, index)
            out += part
        else:
            out += re.escape(char)
    return out


_CLASSES: Final = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
    "punct": "!-/:-@\\[-`{-~",
}


def _bracket(text: str, start: int) -> tuple[str, int]:
    """Translate a `[…]` whose bracket stands before `start`; return the expression and where it ends."""
    index = start
    is_negative = text[index : index + 1] in {"!", "^"}
    index += is_negative
    out, is_first = "", True
    while True:
        if index >= len(text):
            raise BadPattern("a `[` in a path has no `]`")
        char = text[index]
        if char == "]" and not is_first:
            break
        is_first = False
        named = re.match(r"\[:(\w+):\]", text[index:])
        if named and named[1] in _CLASSES:
            out += _CLASSES[named[1]]
            index += named.end()
            continue
        if char == "\\" and index + 1 < len(text):
            index += 1
            char = text[index]
        index += 1
        if text[index : index + 1] == "-" and text[index + 1 : index + 2] not in {"", "]"}:
            index += 1
            end = text[index]
            if end == "\\" and index + 1 < len(text):
                index += 1
                end = text[index]
            index += 1
            if char <= end:
                out += f"{re.escape(char)}-{re.escape(end)}"
        else:
            out += re.escape(char)
    if is_negative:
        return f"(?!/)[^{out}]" if out else "[^/]", index + 1
    return f"(?!/)[{out}]" if out else "(?!)", index + 1
