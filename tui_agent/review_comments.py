"""What a user wrote on lines of a proposed change, and the one text in which the model is told all of it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from tui_agent.context_marks import neutral

__all__ = ["LineComment", "read_comments", "review_text"]

_HEAD: Final = (
    "The user commented on lines of the proposed change. (old) counts lines as they are before it, (new) as it would leave "
    "them."
)
_QUOTED: Final = 400  # characters of the lines that are quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class LineComment:
    """A comment on one line of a file, or on the lines up to `last`; both count from 1.

    `side` says which text is meant: the one before the change, or the one it proposes. `quote` are the lines themselves.
    """

    path: str
    line: int
    side: Literal["old", "new"]
    quote: str
    text: str
    last: int = 0

    @property
    def lines(self) -> range:
        """The numbers of the lines it is on."""
        return range(self.line, max(self.line, self.last) + 1)

    @property
    def place(self) -> str:
        """`12 (new)`, or `12-14 (new)` for several lines."""
        upto = f"-{self.last}" if self.last > self.line else ""
        return f"{self.line}{upto} ({self.side})"

    def to_json(self) -> dict[str, Any]:
        """Return it as an event and a journal hold it."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> LineComment:
        """Return the comment that `to_json` made `data` of.

        Raises:
            KeyError, TypeError, ValueError: `data` has another shape.
        """
        return cls(
            path=str(data["path"]),
            line=int(data["line"]),
            side="old" if data["side"] == "old" else "new",
            quote=str(data["quote"]),
            text=str(data["text"]),
            last=int(data.get("last", 0)),
        )


def read_comments(data: Iterable[object]) -> tuple[LineComment, ...]:
    """Return the comments that an event holds; what has another shape is left out."""
    found: list[LineComment] = []
    for item in data:
        if isinstance(item, dict):
            with contextlib.suppress(KeyError, TypeError, ValueError):
                found.append(LineComment.from_json(item))
    return tuple(found)


def review_text(comments: Sequence[LineComment]) -> str:
    """Return what the model is told: one entry a comment, `path:line (old|new): "the line" → comment`; empty without any.

    Files come in the order of the proposal, their comments in that of the lines. The quoted lines are a JSON string; further
    lines of a comment are indented.
    """
    if not comments:
        return ""
    paths = list(dict.fromkeys(comment.path for comment in comments))
    ordered = sorted(comments, key=lambda comment: (paths.index(comment.path), comment.line, comment.side == "new"))
    return "\n".join(["<review>", _HEAD, *map(_entry, ordered), "</review>"])


def _entry(comment: LineComment) -> str:
    quote = comment.quote if len(comment.quote) <= _QUOTED else comment.quote[:_QUOTED] + "…"
    quoted = neutral(json.dumps(quote, ensure_ascii=False))  # what a file holds must not end the review
    text = comment.text.strip().replace("\n", "\n  ")
    return f"{neutral(comment.path)}:{comment.place}: {quoted} → {text}"
