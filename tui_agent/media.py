"""Pictures and documents as bytes and as content blocks: what they are, how large, and how much of them a conversation holds.

What a request may hold of them is limited, and a conversation that has once taken in too much is refused with every request
from then on. So whoever adds some looks first at what is there (`media_in`) and at the limits here.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = [
    "IMAGE_TYPES", "MANY_IMAGES", "MOST_IMAGES", "MOST_PAGES", "REQUEST_CHARS", "Media", "document_block", "image_block",
    "image_size", "image_type", "media_in",
]  # fmt: skip

IMAGE_TYPES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")

# Limits of the Messages API, for one request.
MOST_IMAGES: Final = 100
MANY_IMAGES: Final = 20  # with more of them, no side may be longer than 2,000 pixels
MOST_PAGES: Final = 100
REQUEST_CHARS: Final = 32 * 1024 * 1024

_PAGES: Final = re.compile(r"\(pages? (\d+)(?:–(\d+))? of \d+\)\Z")
_JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True, slots=True)
class Media:
    """How much: images, pages of documents, and characters of Base64 for both."""

    images: int = 0
    pages: int = 0
    chars: int = 0

    def __add__(self, other: Media) -> Media:
        return Media(self.images + other.images, self.pages + other.pages, self.chars + other.chars)


def image_block(media_type: str, base64: str) -> dict[str, Any]:
    """Return an image as a content block."""
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": base64}}


def document_block(base64: str, name: str, first: int, last: int, total: int) -> dict[str, Any]:
    """Return pages of a PDF as a content block; its title says which pages they are, for the model and for `media_in`."""
    pages = f"page {first}" if first == last else f"pages {first}–{last}"
    source = {"type": "base64", "media_type": "application/pdf", "data": base64}
    return {"type": "document", "source": source, "title": f"{name[:200]} ({pages} of {total})"}


def media_in(content: Iterable[Mapping[str, Any]] | str) -> Media:
    """Return what content blocks hold, results of tools in them included. A document without a known title is one page."""
    total = Media()
    if isinstance(content, str):
        return total
    for block in content:
        kind = block.get("type")
        if kind == "tool_result":
            total += media_in(block.get("content") or "")
        elif kind in ("image", "document"):
            source = block.get("source")
            data = source.get("data") if isinstance(source, Mapping) else None
            chars = len(data) if isinstance(data, str) else 0
            total += Media(1, 0, chars) if kind == "image" else Media(0, _pages(block.get("title")), chars)
    return total


def _pages(title: object) -> int:
    found = _PAGES.search(title) if isinstance(title, str) else None
    return int(found[2] or found[1]) - int(found[1]) + 1 if found else 1


def image_type(data: bytes) -> str | None:
    """Return the media type that the first bytes of a file show, whatever its name says; None for what is none of the four."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels as an image's header says, without decoding it; None where it does not say."""
    try:
        match image_type(data):
            case "image/png" if data[12:16] == b"IHDR":
                return struct.unpack(">II", data[16:24])
            case "image/gif":
                return struct.unpack("<HH", data[6:10])
            case "image/webp":
                return _webp_size(data)
            case "image/jpeg":
                return _jpeg_size(data)
            case _:
                return None
    except (struct.error, IndexError):
        return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack("<I", data[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case _:
            return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # padding
            at += 1
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:  # without a length
            at += 2
        elif marker in (0xD9, 0xDA):
            return None
        else:
            at += 2 + int(struct.unpack(">H", data[at + 2 : at + 4])[0])
    return None
