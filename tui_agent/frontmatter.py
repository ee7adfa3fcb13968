"""The YAML header of skills, commands, agents and rules: Markdown files that begin with a block between two `---` lines.

These files come from many hands, so reading is lenient: what cannot be read costs no more than itself, and is said. Nothing in
a header can construct objects, repeat itself without end (no anchors or aliases) or nest without end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tui_agent.text import clean_line

if TYPE_CHECKING:
    import yaml

__all__ = ["FrontMatter", "HeaderFields", "read_front_matter"]

MAX_HEADER_CHARS: Final = 64_000
_MOST_DEPTH: Final = 20
_FENCE: Final = re.compile(r"---[ \t]*")
_PLAIN_ENTRY: Final = re.compile(r"([A-Za-z0-9_-]+):[ \t]+(\S.*)")
_TRUE: Final = frozenset({"true", "yes", "on"})
_FALSE: Final = frozenset({"false", "no", "off"})
_GLOB: Final = re.compile(r"(?:[^\s,{}]|\{[^{}]*\})+")
_SPLIT: Final = re.compile(r"[^\s,()]*\([^()]*\)|[^\s,]+")


class _TooMuchError(ValueError):
    """The header is well-formed YAML of a kind that is not read; the text says which."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file in its two parts. `body_line` is the line, from 1, that the body begins on.

    `problem` says what is wrong with the header, empty where nothing is. With `is_repaired` its lines were read one by one, as
    plain text, because the whole is not YAML; then it says nothing that could grant anything.
    """

    values: Mapping[str, Any]
    body: str
    body_line: int = 1
    problem: str = ""
    is_repaired: bool = False


def read_front_matter(text: str) -> FrontMatter:
    """Take a file's text apart. Never raises."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return FrontMatter({}, text)
    end = next((at for at, line in enumerate(lines[1:], 1) if _FENCE.fullmatch(line)), None)
    if end is None:
        return FrontMatter({}, text, problem="line 1: the header that begins here has no end (`---`)")
    header, body = "\n".join(lines[1:end]), "\n".join(lines[end + 1 :])
    if len(header) > MAX_HEADER_CHARS:
        return FrontMatter({}, body, end + 2, f"the header is longer than {MAX_HEADER_CHARS:,} characters")
    try:
        values = _parsed(header)
    except _TooMuchError as error:
        return FrontMatter({}, body, end + 2, str(error))
    except ValueError as error:
        repaired = dict(_line_by_line(header.split("\n")))
        return FrontMatter(repaired, body, end + 2, f"{error}; its lines are read as plain text", is_repaired=True)
    if values is None:
        return FrontMatter({}, body, end + 2)
    if not isinstance(values, dict):
        return FrontMatter({}, body, end + 2, "line 2: the header is not a list of `key: value` lines")
    return FrontMatter({str(key): value for key, value in values.items()}, body, end + 2)


def _parsed(header: str) -> Any:  # noqa: ANN401 - YAML is any value
    """Return what a header says.

    Raises:
        ValueError: it is not YAML, or YAML of a kind that is not read.
    """
    import yaml

    try:
        # Looked at event by event first: to compose what nests without end would run out of stack.
        _check(yaml.parse(header, Loader=_loader()))
        return yaml.load(header, Loader=_loader())  # noqa: S506 - a safe loader
    except _TooMuchError:
        raise
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 2}: " if mark is not None else ""
        said = getattr(error, "problem", None) or "it nests too deep"
        raise ValueError(f"{line}the header is not YAML: {clean_line(str(said), 200)}") from error
    except (ValueError, OverflowError) as error:  # a date that is none
        raise ValueError(f"the header is not plain YAML: {clean_line(str(error), 200)}") from error


def _loader() -> Any:  # noqa: ANN401 - a class of one of two modules
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _check(events: Iterable[yaml.Event]) -> None:
    """Refuse what a header never needs: references from one value to another, and deep nesting.

    Raises:
        _TooMuchError: it has some.
    """
    import yaml

    depth = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        is_reference = isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None
        if is_reference or depth > _MOST_DEPTH:
            why = "anchors and aliases are not read in a header" if is_reference else "the header nests too deep"
            mark = event.start_mark
            raise _TooMuchError(f"line {mark.line + 2}: {why}" if mark is not None else why)


def _line_by_line(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the entries of a header that is not YAML, as far as they stand on lines of their own."""
    for line in lines:
        if found := _PLAIN_ENTRY.fullmatch(line.rstrip()):
            yield found[1], found[2].strip("\"'")


@dataclass(slots=True)
class HeaderFields:
    """Reads the fields of one header, each in the shape it should have; `problems` says of which it had another."""

    header: FrontMatter
    problems: list[str] = field(default_factory=list)

    def text(self, key: str) -> str:
        """Return a text on one line; numbers and lists count as what stands there."""
        value = self.header.values.get(key)
        match value:
            case None:
                return ""
            case str():
                return " ".join(value.split())
            case bool():
                return "true" if value else "false"
            case int() | float():
                return str(value)
            case list() if all(isinstance(one, str | int | float) for one in value):
                return f"[{', '.join(map(str, value))}]"  # `[issue]`, which YAML takes for a list
            case _:
                self.problems.append(f"`{key}` must be text; ignored")
                return ""

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a switch: also `yes`, `no`, `on` and `off`."""
        value = self.header.values.get(key)
        if value is None:
            return default
        word = str(value).strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        self.problems.append(f"`{key}` must be true or false, not {clean_line(word, 40)}; ignored")
        return default

    def words(self, key: str) -> tuple[str, ...] | None:
        """Return a list: a YAML one, or text with blanks or commas between; None where the key is absent.

        Blanks and commas within brackets belong to the word: `Bash(git add *)`.
        """
        value = self.header.values.get(key)
        match value:
            case None:
                return None if key not in self.header.values else ()
            case str():
                return tuple(_SPLIT.findall(value))
            case list() if all(isinstance(one, str | int | float) for one in value):
                return tuple(str(one).strip() for one in value if str(one).strip())
            case _:
                self.problems.append(f"`{key}` must be text or a list of texts; ignored")
                return ()

    def globs(self, key: str) -> tuple[str, ...]:
        """Return a list of globs; commas and blanks within braces belong to one: `*.{ts,tsx}`."""
        value = self.header.values.get(key)
        return tuple(_GLOB.findall(value)) if isinstance(value, str) else self.words(key) or ()

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return an object, empty where there is none."""
        value = self.header.values.get(key)
        if isinstance(value, dict):
            return {str(name): part for name, part in value.items()}
        if value is not None:
            self.problems.append(f"`{key}` must be an object; ignored")
        return {}
