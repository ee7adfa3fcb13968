"""Cleaning of foreign text: whatever a model, a tool, a file or a server wrote, on its way to a screen.

A terminal obeys what it is sent. An escape sequence in a file name can retitle the window, fill the clipboard or
redraw a dialog; a bidirectional control can make one command look like another. Two functions decide what such text may
look like, and nothing foreign reaches a widget by any other way:

* `clean` for prose and output: controls vanish, line breaks and tabs stay;
* `reveal` for what a user is asked to approve: nothing vanishes, everything odd is spelled out.

Both leave emoji whole, also those of several characters.

Both are idempotent. Colours in program output are the business of `viewkit.ansi`, which understands the few harmless
sequences and passes the rest through here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tui_agent.emoji_sequences import EMOJI_PARTS, EMOJI_SEQUENCE, JOINER

__all__ = ["clean", "clean_line", "escaped_json", "is_odd", "reveal", "reveal_parts", "sound_json", "strip_escapes"]

# Sequences introduced by ESC or by their one-byte C1 forms. Strings (OSC, DCS, SOS, PM, APC) end at BEL or ST; an
# unterminated one swallows nothing beyond its line, so that a hostile opener cannot hide what follows.
_ESCAPES: Final = re.compile(
    r"""
    (?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?                                   # CSI
    | (?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?   # OSC, DCS, SOS, PM, APC
    | \x1b[ -/]*[0-~]?                                                  # two and three byte sequences, or a lone ESC
    """,
    re.VERBOSE,
)
# C0 without tab and newline, DEL, C1.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Characters that reorder or hide text: bidirectional controls, zero-width marks, line separators, tags, BOM, surrogates.
# Joiners (U+200D), variation selectors and colours of skin count among them, except within an emoji.
_HIDERS: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff\ud800-\udfff]"
)
_EMOJI_PARTS: Final = re.compile(f"[{''.join(sorted(EMOJI_PARTS))}]")
_C1: Final = re.compile(r"[\x80-\x9f]")
_ODD: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff\ud800-\udfff]"
)
_EMOJI_OR_ODD: Final = re.compile(f"{EMOJI_SEQUENCE.pattern}|(?P<odd>{_ODD.pattern})")
_NAMES: Final = {
    "\x00": "NUL", "\x07": "BEL", "\x08": "BS", "\x0b": "VT", "\x0c": "FF", "\r": "CR", "\x1b": "ESC", "\x7f": "DEL",
    "\xa0": "NBSP", "\xad": "SHY", "\u200b": "ZWSP", "\u200c": "ZWNJ", "\u200d": "ZWJ", "\u200e": "LRM", "\u200f": "RLM",
    "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
    "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\ufeff": "BOM",
}  # fmt: skip


def strip_escapes(text: str) -> str:
    """Remove terminal escape sequences, terminated or not; other characters stay."""
    return _ESCAPES.sub("", text) if "\x1b" in text or _C1.search(text) else text


def clean(text: str) -> str:
    """Return `text` fit for the screen: no escape sequences, no controls but newline and tab, nothing that reorders.

    A carriage return before a newline is dropped; alone it becomes a newline, as a program that redraws its line means it.
    """
    if text.isprintable():  # the common case: a delta of prose
        return text if text.isascii() else _without_hiders(text)
    text = strip_escapes(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _without_hiders(_CONTROLS.sub("", text))


def _without_hiders(text: str) -> str:
    """Return `text` without what reorders or hides it; what makes one picture of several characters stays."""
    if _EMOJI_PARTS.search(text) is None:
        return _HIDERS.sub("", text)
    kept: list[str] = []
    at = 0
    for picture in EMOJI_SEQUENCE.finditer(text):
        kept += (_HIDERS.sub("", text[at : picture.start()]), picture[0])
        at = picture.end()
    return "".join(kept) + _HIDERS.sub("", text[at:])


def clean_line(text: str, limit: int | None = None) -> str:
    """Return `text` cleaned and on one line: breaks and tabs become spaces; at most `limit` characters, the cut marked."""
    line = " ".join(clean(text if limit is None else text[: 8 * limit + 256]).split())
    return line if limit is None or len(line) <= limit else line[: max(0, limit - 1)].rstrip(JOINER) + "…"


def is_odd(text: str) -> bool:
    """Whether `text` holds a character that a user would not see as what it is."""
    return next(_odd_characters(text), None) is not None


def reveal(text: str) -> str:
    r"""Return `text` with every odd character spelled out, as `⟨ESC⟩` or `⟨U+202E⟩`; newlines and tabs stay."""
    if _ODD.search(text) is None:
        return text
    return "".join([piece for piece, _ in reveal_parts(text)])


def reveal_parts(text: str) -> list[tuple[str, bool]]:
    """Return what `reveal` does, in pieces: each with whether it spells out a character, so that it can be set apart."""
    if text.isascii() and text.isprintable():
        return [(text, False)] if text else []
    parts: list[tuple[str, bool]] = []
    at = 0
    for match in _odd_characters(text):
        if match.start() > at:
            parts.append((text[at : match.start()], False))
        parts.append((_name(match[0]), True))
        at = match.end()
    if at < len(text):
        parts.append((text[at:], False))
    return parts


def _odd_characters(text: str) -> Iterator[re.Match[str]]:
    if _EMOJI_PARTS.search(text) is None:
        return _ODD.finditer(text)
    return (match for match in _EMOJI_OR_ODD.finditer(text) if match["odd"] is not None)


def _name(character: str) -> str:
    return f"⟨{_NAMES.get(character) or f'U+{ord(character):04X}'}⟩"


def escaped_json(text: str) -> str:
    r"""Return JSON text with every odd character written as `\uXXXX`: the same JSON, and nothing that a terminal obeys."""
    if text.isascii() and "\x7f" not in text:
        return text  # below the blank there are only the line breaks between values: JSON has no other raw ones
    return _ODD.sub(lambda match: json.dumps(match[0])[1:-1] if match[0] != "\x7f" else "\\u007f", text)


def sound_json(value: Any) -> Any:  # noqa: ANN401 - JSON is any value
    """Return JSON with U+FFFD for every half of a surrogate pair in its texts, which no file and no request can carry.

    Raises:
        RecursionError: it is nested too deeply.
    """
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case list():
            return [sound_json(item) for item in value]
        case dict():
            return {sound_json(key): sound_json(item) for key, item in value.items()}
        case _:
            return value
