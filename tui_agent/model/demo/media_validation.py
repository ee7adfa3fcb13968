"""What the Messages API refuses of images and documents: their sources, their bytes, and how many of them there are.

A file that is refused once stays in the conversation and is refused with each request; so what passes here is really decoded,
as it is there. The decoders are imported when the first image or document comes in.
"""

from __future__ import annotations

import binascii
import io
import logging
from base64 import b64decode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from tui_agent.media import IMAGE_TYPES, MANY_IMAGES, MOST_IMAGES, MOST_PAGES, image_size, image_type

__all__ = ["MAX_IMAGE_CHARS", "MAX_SIDE", "MAX_SIDE_OF_MANY", "media_problem", "source_problem"]

MAX_IMAGE_CHARS: Final = 5 * 1024 * 1024  # of Base64
MAX_SIDE: Final = 8000  # pixels
MAX_SIDE_OF_MANY: Final = 2000

# Fields of each kind of source, without `type`.
_SOURCES: Final[dict[str, dict[str, frozenset[str]]]] = {
    "image": {
        "base64": frozenset({"media_type", "data"}),
        "url": frozenset({"url"}),
        "file": frozenset({"file_id"}),
    },
    "document": {
        "base64": frozenset({"media_type", "data"}),
        "text": frozenset({"media_type", "data"}),
        "content": frozenset({"content"}),
        "url": frozenset({"url"}),
        "file": frozenset({"file_id"}),
    },
}
_known: dict[
    bytes, int | str
] = {}  # by hash: pages of a document, or what is wrong with a file; each is sent many times


def source_problem(kind: str, source: object, where: str) -> str:
    """Return what is wrong with the source of an image or document block, in the API's words; empty when nothing is."""
    if not isinstance(source, Mapping):
        return f"{where}.{kind}.source: Input should be an object"
    form = source.get("type")
    fields = _SOURCES[kind].get(str(form))
    if fields is None:
        tags = ", ".join(f"'{tag}'" for tag in _SOURCES[kind])
        return f"{where}.{kind}.source: Input tag {form!r} found using 'type' does not match any of the expected tags: {tags}"
    place = f"{where}.{kind}.source.{form}"
    if missing := fields - set(source):
        return f"{place}.{min(missing)}: Field required"
    if extra := set(source) - fields - {"type"}:
        return f"{place}.{min(extra)}: Extra inputs are not permitted"
    for name in fields - {"content"}:
        if not isinstance(source[name], str) or not source[name]:
            return f"{place}.{name}: Input should be a valid string"
    if form == "text" and source["media_type"] != "text/plain":
        return f"{place}.media_type: Input should be 'text/plain'"
    if form != "base64":
        return ""
    types = IMAGE_TYPES if kind == "image" else ("application/pdf",)
    if source["media_type"] not in types:
        return f"{place}.media_type: Input should be {' or '.join(map(repr, types))}"
    if kind == "image" and len(source["data"]) > MAX_IMAGE_CHARS:
        return f"{place}: image exceeds 5 MB maximum: {len(source['data'])} bytes > {MAX_IMAGE_CHARS} bytes"
    try:
        data = b64decode(source["data"], validate=True)
    except (binascii.Error, ValueError):
        return f"{place}.data: Invalid base64 data"
    if kind == "document":
        return "" if isinstance(_pages(data), int) else f"{place}.data: {_pages(data)}"
    return _image_problem(data, source["media_type"], place)


def media_problem(body: Mapping[str, Any]) -> str:
    """Return what is wrong with the number of images and pages in a request whose blocks are right; empty when nothing is."""
    images = pages = 0
    largest = 0
    for block in _media_blocks(body.get("messages")):
        source = block["source"]
        if source.get("type") != "base64":
            continue
        data = b64decode(source["data"])
        if block["type"] == "image":
            images += 1
            largest = max(largest, *(image_size(data) or (0,)))
        else:
            count = _pages(data)
            pages += count if isinstance(count, int) else 0
    if images > MOST_IMAGES:
        return f"messages: too many images and documents: {images} > {MOST_IMAGES}"
    if images > MANY_IMAGES and largest > MAX_SIDE_OF_MANY:
        return f"messages: image dimensions exceed max allowed size for many-image requests: {MAX_SIDE_OF_MANY} pixels"
    if pages > MOST_PAGES:
        return f"messages: A maximum of {MOST_PAGES} PDF pages may be provided."
    return ""


def _media_blocks(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _media_blocks(item)
    elif isinstance(value, Mapping):
        if value.get("type") in ("image", "document"):
            yield value
        elif "content" in value:
            yield from _media_blocks(value["content"])


def _image_problem(data: bytes, media_type: str, place: str) -> str:
    kind, size = image_type(data), image_size(data)
    if kind is None or size is None or 0 in size:
        return f"{place}.data: Could not process image"
    if kind != media_type:
        return f"{place}.data: Image does not match the provided media type {media_type}"
    if max(size) > MAX_SIDE:
        return f"{place}.data: At least one of the image dimensions exceed max allowed size: {MAX_SIDE} pixels"
    key = sha256(data).digest()
    if key not in _known:
        from PIL import Image

        try:
            with Image.open(io.BytesIO(data)) as image:
                image.load()
            _known[key] = 1
        except Exception:  # noqa: BLE001 - whatever a decoder stumbles over, the image is at fault
            _known[key] = "Could not process image"
    return "" if _known[key] == 1 else f"{place}.data: {_known[key]}"


def _pages(data: bytes) -> int | str:
    """Return how many pages a PDF has, or what is wrong with it."""
    key = sha256(data).digest()
    if key not in _known:
        from pypdf import PdfReader

        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        try:
            reader = PdfReader(io.BytesIO(data))
            _known[key] = "The PDF specified is password protected." if reader.is_encrypted else len(reader.pages)
        except Exception:  # noqa: BLE001 - whatever the parser stumbles over, the file is at fault
            _known[key] = "The PDF specified was not valid."
        if not data.startswith(b"%PDF-") or _known[key] == 0:
            _known[key] = "The PDF specified was not valid."
    return _known[key]
