"""The marks that set apart, in what the model is sent, who says what; and foreign text that cannot pretend to be such a mark.

The model is told that a `<system-reminder>` comes from the program. A file, a page, a command's output or a name that holds
such a mark, or the end of one, would speak with the program's voice, or with the user's. So the first character of whatever
looks like one of these marks is written `&lt;`, in any case and with blanks or invisible characters in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["framed", "neutral", "neutral_content", "restored"]

_TAGS: Final = (
    "system-reminder", "tool_use_error", "bash-input", "bash-stdout", "bash-stderr", "attached_file", "attached_folder",
    "invoked_skill",
)  # fmt: skip
_WORDS: Final = ("review",)  # with a blank before it, or without its end, it is part of a comparison in some program
_OPENS: Final = "<\uff1c\ufe64"  # wide and small forms are read as the same
# What is not seen: soft hyphens, zero-width characters, marks of direction, tags; in a gap also blanks.
_UNSEEN: Final = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    r"\U000e0000-\U000e0fff"
)
_GAP: Final = rf"[\s{_UNSEEN}]*+"
_FIRST: Final = "".join(sorted({tag[0] for tag in _TAGS}))  # most of what opens something else ends at this
_DASH: Final = r"[-_\u2010-\u2015\u2212\ufe58\ufe63\uff0d\uff3f]?"


def _spelling(tag: str) -> str:
    return rf"[{_UNSEEN}]*+".join(rf"{_GAP}{_DASH}{_GAP}" if letter in "-_" else letter for letter in tag)


_LOOSE: Final = rf"(?:[/\\\uff0f]{_GAP}){{0,2}}+(?=[{_FIRST}])(?:{'|'.join(map(_spelling, _TAGS))})(?![A-Za-z0-9])"
_STRICT: Final = rf"/?(?:{'|'.join(_WORDS)})\s*>"
_MARK: Final = re.compile(rf"[{_OPENS}](?={_GAP}{_LOOSE}|{_STRICT})", re.IGNORECASE)
# In text of ASCII alone no mark can be without one of these.
_HINTS: Final = ("reminder", "tool", "bash", "attached", "invoked", "review")
_NEUTRAL: Final = "&lt;"
_NEUTRAL_MARK: Final = re.compile(rf"{_NEUTRAL}(?=/?(?:{'|'.join((*_TAGS, *_WORDS))})(?![A-Za-z0-9]))", re.IGNORECASE)


def framed(text: str) -> str:
    """Return text between the marks of a frame, which nothing in it can end; empty for empty text."""
    return f"<system-reminder>\n{neutral(text)}\n</system-reminder>" if text else ""


def neutral(text: str) -> str:
    """Return text in which nothing is a mark of a frame. What `neutral` returned, it leaves as it is."""
    if not any(opening in text for opening in _OPENS):
        return text
    if text.isascii():
        lower = text.lower()
        if not any(hint in lower for hint in _HINTS):
            return text
    return _MARK.sub(_NEUTRAL, text)


def neutral_content(content: str | Sequence[dict[str, Any]]) -> Any:  # noqa: ANN401 - text for text, blocks for blocks
    """Return the content of a message or a result with each of its texts made neutral."""
    if isinstance(content, str):
        return neutral(content)
    return [
        {**block, "text": neutral(block["text"])} if isinstance(block.get("text"), str) else block for block in content
    ]


def restored(text: str) -> str:
    """Return text with the marks as they were, for a model that quotes what it was given in a neutral form."""
    return _NEUTRAL_MARK.sub("<", text)
