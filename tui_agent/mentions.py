"""Files and folders named in a message: `@src/app.py`, `@"my notes.md"`, `@app.py#L10-20`, `@docs/`.

A mention begins a word: what follows a letter, as in an address, is text. Where a bare name ends in punctuation, both readings
are offered, the longer first: what is there decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Mention", "MentionReading", "OpenMention", "mentions_in", "open_mention", "without_code", "written"]

_BEGIN: Final = r"(?<![A-Za-z0-9_@/\\.+-])@"  # other letters may stand right before it: not every script has blanks
_FULL_WIDTH: Final = "，。、；：！？（）【】《》「」『』“”‘’"  # ends a bare name, as no blank follows it
_MENTION: Final = re.compile(
    _BEGIN
    + rf'(?:"((?:[^"\\\n]|\\.)+)"(?:#L(\d{{1,9}})(?:-L?(\d{{1,9}}))?)?|([^\s"@{_FULL_WIDTH}][^\s"{_FULL_WIDTH}]*))'
)
_RANGE: Final = re.compile(r"(.+?)#L(\d{1,9})(?:-L?(\d{1,9}))?")
_TYPED: Final = re.compile(_BEGIN + r'(?:"((?:[^"\\\n]|\\.)*)|([^\s"]*))\Z')
_PUNCTUATION: Final = ".,;:!?)]}>'`*_"
_PLAIN: Final = re.compile(r"[\w.~+ /\\-]+")  # what is called so is no code
_ANCHORED: Final = re.compile(r"(?:~|\.{1,2})?/.|\.\w")  # begins as only paths do
_SUFFIX: Final = re.compile(r".\.(\w{1,8})\Z")
# Of files that people work with. Any word will not do: `@app.route` and `@mock.patch` are no files.
_KINDS: Final = """
    adoc bash bat bib c cc cfg clj conf cpp cs css csv cxx dart docx exs fish gradle graphql h hpp hs htm html hxx ini ipynb
    java jpeg jpg js json jsonl jsx kt kts less lua m4 md mdx mjs mm nix pdf php pl png pptx proto ps1 py pyi pyx rb rs rst
    sass scala scss sh sql srt svelte svg swift tcss tex tf toml ts tsv tsx txt vim vue webp xlsx xml yaml yml zig zsh
"""
_SUFFIXES: Final = frozenset(_KINDS.split())
_CODE: Final = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?P<span>(?<!`)`{1,8}(?!`))[^\n]*?(?<!`)(?P=span)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_BARE: Final = re.compile(rf"[^\s\"\\@{_FULL_WIDTH}][^\s\"\\{_FULL_WIDTH}]*")


@dataclass(frozen=True, slots=True)
class MentionReading:
    """One way to read a mention: a path, and the lines of it (both 1-based and included; None is all)."""

    path: str
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention in a text, from `start` to `stop`, and how it may be read, the likeliest first."""

    start: int
    stop: int
    readings: tuple[MentionReading, ...]

    @property
    def plain_path(self) -> str:
        """The path that it means by its looks, be it there or not; empty where it may be a decorator, a package or a name."""
        path = self.readings[-1].path
        if not _PLAIN.fullmatch(path):
            return ""
        suffix = _SUFFIX.search(path.rpartition("/")[2])
        is_path = (
            (suffix is not None and ("/" in path or suffix[1].lower() in _SUFFIXES))
            or _ANCHORED.match(path) is not None
            or path.count("/") > 1  # one alone may stand in the name of a package: `@types/node`
            or path[1:].endswith("/")
        )
        return path if is_path else ""


@dataclass(frozen=True, slots=True)
class OpenMention:
    """A mention that is being typed: it begins at `start`, with the `@`, and `typed` is its path as far as it stands."""

    start: int
    typed: str


def mentions_in(text: str) -> list[Mention]:
    """Return all mentions in a text."""
    return [
        Mention(found.start(), found.end(), _readings(found))
        for found in (_MENTION.finditer(text) if "@" in text else ())
    ]


def without_code(text: str) -> str:
    """Return Markdown with blanks in the place of code, in fences and in spans, so that all else stays where it is."""
    return _CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _readings(found: re.Match[str]) -> tuple[MentionReading, ...]:
    quoted, first, last, bare = found.groups()
    if quoted is not None:
        return (MentionReading(re.sub(r"\\(.)", r"\1", quoted), _lines(first, last)),)
    readings: list[MentionReading] = []
    while bare:
        readings.append(MentionReading(bare))
        ranged = _RANGE.fullmatch(bare)
        if ranged is not None:
            readings.append(MentionReading(ranged[1], _lines(ranged[2], ranged[3])))
        if bare[-1] not in _PUNCTUATION:
            break
        bare = bare[:-1]
    return tuple(readings)


def _lines(first: str | None, last: str | None) -> tuple[int, int] | None:
    if first is None:
        return None
    start = max(1, int(first))
    return start, max(start, int(last)) if last is not None else start


def open_mention(before: str) -> OpenMention | None:
    """Return the mention that a line, up to the cursor, ends in; None where it ends in none."""
    found = _TYPED.search(before) if "@" in before else None
    if found is None:
        return None
    quoted, bare = found.groups()
    return OpenMention(found.start(), bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted))


def written(path: str, *, is_open: bool = False) -> str:
    """Return a path as a mention that means it and nothing else. An open one can be typed on: a quote is not closed."""
    if _BARE.fullmatch(path) and (is_open or path[-1] not in _PUNCTUATION) and not _RANGE.fullmatch(path):
        return f"@{path}"
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'@"{escaped}' + ("" if is_open else '"')
