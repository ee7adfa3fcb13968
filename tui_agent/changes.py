"""The one model of a change to a file: proposed by a tool, judged hunk by hunk, applied, shown, and kept.

A `FileChange` is made of two texts. Its hunks are what a user accepts or refuses; `select` builds the text that any
subset of them gives (all of them: `after`; none: `before`), and `approve` turns the answer into the `ApprovedChange` that
the tool then writes, after it has checked that the file is still the one that was shown. Texts keep their own line
endings, so that what is not part of a hunk is never rewritten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tui_agent.hunks import DiffLine, Hunk, hunks_between, unified
from tui_agent.line_diff import split_lines

__all__ = ["ApprovedChange", "FileChange", "content_hash"]

_LINES_AT_ONCE: Final = 1000


@dataclass(frozen=True, slots=True)
class ApprovedChange:
    """What a user (or a rule) let through: exactly `after`, and only onto a file whose bytes hash to `before_hash`.

    `before_hash` is empty for a file that is to be made. `encoding` and `has_bom` say how the text becomes bytes.
    """

    path: str
    before_hash: str
    after: str
    accepted: tuple[int, ...] = ()
    refused: tuple[int, ...] = ()
    is_edited: bool = False
    encoding: str = "utf-8"
    has_bom: bool = False

    @property
    def is_partial(self) -> bool:
        """Whether it differs from what was proposed."""
        return bool(self.refused) or self.is_edited

    @property
    def is_nothing(self) -> bool:
        """Whether no part of the proposal was taken, so that the file stays as it is, or is not made."""
        return bool(self.refused) and not self.accepted and not self.is_edited


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file's text before and after. `before` is None for a file that is to be made.

    `before_hash` is the hash of the file's bytes as read (`content_hash`; empty for a new file). A change read back from a
    journal has its hunks but no texts: it can be shown, not selected from. `encoding` and `has_bom` say how text became
    bytes and will again.
    """

    path: str
    before: str | None
    after: str | None
    hunks: tuple[Hunk, ...]
    before_hash: str = ""
    is_new: bool = False
    encoding: str = "utf-8"
    has_bom: bool = False
    # What was made of it once and is wanted again; a large one's is made in a thread, before anybody wants it.
    derived: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def between(
        cls,
        path: str,
        before: str | None,
        after: str,
        *,
        before_hash: str = "",
        encoding: str = "utf-8",
        has_bom: bool = False,
    ) -> FileChange:
        """Compare two texts. Takes time in proportion to the size of what differs; call it off the event loop when large."""
        return cls(
            path=path,
            before=before,
            after=after,
            hunks=hunks_between(before or "", after),
            before_hash=before_hash,
            is_new=before is None,
            encoding=encoding,
            has_bom=has_bom,
        )

    @property
    def added(self) -> int:
        """How many lines come in."""
        return self._sizes[0]

    @property
    def removed(self) -> int:
        """How many lines go."""
        return self._sizes[1]

    @property
    def _sizes(self) -> tuple[int, int]:
        """How many lines come and go; counted once, as a title asks for it each time that it is drawn."""
        known: tuple[int, int] | None = self.derived.get("sizes")
        if known is None:
            kinds = "".join([line.kind for hunk in self.hunks for line in hunk.lines])
            known = self.derived["sizes"] = (kinds.count("+"), kinds.count("-"))
        return known

    def select(self, accepted: Collection[int]) -> str:
        """Return the text with only the hunks at these positions applied.

        Raises:
            ValueError: the change came from a journal and has no texts, or there is no such hunk.
        """
        if self.after is None or (self.before is None and not self.is_new):
            raise ValueError("a change read from a journal can be shown, but not applied")
        chosen = set(accepted)
        if not chosen <= set(range(len(self.hunks))):
            raise ValueError(f"no such hunk: {sorted(chosen - set(range(len(self.hunks))))}")
        lines = split_lines(self.before or "")
        out: list[str] = []
        at = 0
        for number, hunk in enumerate(self.hunks):
            if number in chosen:
                out += lines[at : hunk.before_start]
                out += hunk.added
                at = hunk.before_start + len(hunk.removed)
        out += lines[at:]
        return "".join(_join_cut_lines(out))

    def approve(self, accepted: Collection[int] | None = None, edited: str | None = None) -> ApprovedChange:
        """Return the answer that takes these hunks (None: all), or that takes `edited` in place of the proposal."""
        everything = tuple(range(len(self.hunks)))
        chosen = frozenset(everything if accepted is None else accepted)
        taken = tuple(sorted(chosen))
        if edited is not None:
            text = edited
        elif taken == everything and self.after is not None:
            text = self.after
        else:
            text = self.select(taken)
        return ApprovedChange(
            path=self.path,
            before_hash=self.before_hash,
            after=text,
            accepted=taken,
            refused=tuple(number for number in everything if number not in chosen),
            is_edited=edited is not None,
            encoding=self.encoding,
            has_bom=self.has_bom,
        )

    def narrowed(self, approved: ApprovedChange) -> FileChange:
        """Return the change that `approved` really makes."""
        if approved.after == self.after:
            return self
        return FileChange.between(
            self.path,
            self.before,
            approved.after,
            before_hash=self.before_hash,
            encoding=self.encoding,
            has_bom=self.has_bom,
        )

    def to_unified(self) -> str:
        """Return the hunks with their context as unified diff text, from the first `@@`."""
        return unified(self.hunks)

    def to_json(self) -> dict[str, Any]:
        """Return what a journal keeps: everything but the two whole texts."""
        return {
            "path": self.path,
            "is_new": self.is_new,
            "before_hash": self.before_hash,
            "encoding": self.encoding,
            "has_bom": self.has_bom,
            "hunks": [
                {
                    "before_start": hunk.before_start,
                    "after_start": hunk.after_start,
                    "lines": [line.kind + line.text for line in hunk.lines],
                    "lead": list(hunk.lead),
                    "trail": list(hunk.trail),
                }
                for hunk in self.hunks
            ],
        }

    def json_text(self) -> str:
        """Return `to_json` as JSON text. It is made in small pieces, so that other threads are not held up, and once."""
        known: str | None = self.derived.get("json")
        if known is None:
            data = self.to_json()
            hunks = data.pop("hunks")
            encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # one for all of the pieces
            pieces = (_hunk_text(hunk, encode) for hunk in hunks)
            known = f'{encode(data)[:-1]},"hunks":[{",".join(pieces)}]}}'
            self.derived["json"] = known
        return known

    @classmethod
    def from_json(cls, data: Any) -> FileChange:  # noqa: ANN401 - JSON from a journal, checked here
        """Return the change that `to_json` made `data` of, without its texts.

        Raises:
            KeyError, TypeError, ValueError: `data` has another shape.
        """
        return cls(
            path=str(data["path"]),
            before=None,
            after=None,
            hunks=tuple(
                Hunk(
                    before_start=int(item["before_start"]),
                    after_start=int(item["after_start"]),
                    lines=tuple(_read_line(line) for line in item["lines"]),
                    lead=tuple(map(str, item.get("lead", ()))),
                    trail=tuple(map(str, item.get("trail", ()))),
                )
                for item in data["hunks"]
            ),
            before_hash=str(data.get("before_hash", "")),
            is_new=bool(data.get("is_new", False)),
            encoding=str(data.get("encoding", "utf-8")),
            has_bom=bool(data.get("has_bom", False)),
        )


def _hunk_text(hunk: dict[str, Any], encode: Callable[[object], str]) -> str:
    """Return a hunk as JSON text; the lines of a large one are encoded some at a time, as each call holds up all threads."""
    lines = hunk["lines"]
    if len(lines) <= _LINES_AT_ONCE:
        return encode(hunk)
    rest = {name: value for name, value in hunk.items() if name != "lines"}
    some = (encode(lines[at : at + _LINES_AT_ONCE])[1:-1] for at in range(0, len(lines), _LINES_AT_ONCE))
    return f'{encode(rest)[:-1]},"lines":[{",".join(some)}]}}'


def content_hash(data: bytes) -> str:
    """Return the hash by which a file's content is recognised (SHA-256, hexadecimal)."""
    return hashlib.sha256(data).hexdigest()


def _join_cut_lines(lines: list[str]) -> Iterable[str]:
    r"""A last line without `\n` that is no longer last would run into its successor: give it the ending it lacks."""
    last = len(lines) - 1
    ending = "\r\n" if any(line.endswith("\r\n") for line in lines[:1]) else "\n"
    for index, line in enumerate(lines):
        yield line if index == last or line.endswith("\n") else line + ending


def _read_line(line: str) -> DiffLine:
    match line[:1]:
        case " " | "-" | "+" as kind:
            return DiffLine(kind, line[1:])
        case _:
            raise ValueError(f"a diff line begins with space, - or +, not {line[:1]!r}")
