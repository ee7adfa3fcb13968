"""What a Read gives, by the kind of file: to the model as text or blocks, to programs as data."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Protocol

from tui_agent.media import Media, document_block
from tui_agent.tools.read.pages import TextPage
from tui_agent.tools.read.pdfs import PdfPages
from tui_agent.tools.read.texts import Bytes
from tui_agent.tools.shared_read.images import Picture

__all__ = ["BytesRead", "ImageRead", "PdfRead", "ReadOutput", "TextRead", "Unchanged"]

Content = str | list[dict[str, Any]]


class ReadOutput(Protocol):
    """What was read. `media` are the pictures and pages that the result puts into the conversation."""

    @property
    def media(self) -> Media: ...

    def content(self) -> Content:
        """Return what the model gets."""
        ...

    def data(self) -> dict[str, Any]:
        """Return what hooks and scripts get; pictures and documents themselves are left out, they are in the content."""
        ...


@dataclass(frozen=True, slots=True)
class TextRead:
    """A page of a text file."""

    path: str
    page: TextPage

    @property
    def media(self) -> Media:
        return Media()

    def content(self) -> str:
        page = self.page
        if not page.lines:
            if page.total == 0:
                return "(the file is empty)"
            return f"(the file has {_count(page.total or 0, 'line')}; line {page.start} is past its end)"
        text = page.numbered()
        if page.is_whole:
            return text
        total = f" of {page.total}" if page.total is not None else ", the file is too large to count the rest"
        rest = f" Read on with offset={page.last + 1}." if page.has_more else ""
        return f"{text}\n\n[PARTIAL view: lines {page.start}–{page.last}{total}.{rest}]"

    def data(self) -> dict[str, Any]:
        page = self.page
        return {
            "type": "text",
            "file": {
                "filePath": self.path,
                "content": "\n".join(page.lines),
                "numLines": len(page.lines),
                "startLine": page.start,
                "totalLines": page.total,
            },
        }


@dataclass(frozen=True, slots=True)
class BytesRead:
    """Bytes of any file."""

    path: str
    bytes: Bytes

    @property
    def media(self) -> Media:
        return Media()

    def content(self) -> str:
        part = self.bytes
        if not part.count:
            return f"(the file has {_count(part.total, 'byte')}" + (
                f"; byte {part.start} is past its end)" if part.total else ")"
            )
        last = part.start + part.count - 1
        if part.start == 1 and last >= part.total:
            return part.base64
        rest = f" Read on with offset={last + 1}." if last < part.total else ""
        return f"{part.base64}\n\n[PARTIAL view: bytes {part.start}–{last} of {part.total}.{rest}]"

    def data(self) -> dict[str, Any]:
        part = self.bytes
        return {
            "type": "base64",
            "file": {
                "filePath": self.path,
                "base64": part.base64,
                "startByte": part.start,
                "numBytes": part.count,
                "originalSize": part.total,
            },
        }


@dataclass(frozen=True, slots=True)
class ImageRead:
    """An image."""

    path: str
    picture: Picture

    @property
    def media(self) -> Media:
        return Media(images=1, chars=_base64_chars(self.picture.data))

    def content(self) -> Content:
        picture = self.picture
        said = f"{PurePath(self.path).name}: {picture.original_type}, {_pixels(picture.original_size)}"
        if not picture.is_original:
            said += f", shown as {picture.media_type}, {_pixels(picture.size)}"
        return [{"type": "text", "text": said}, picture.to_block()]

    def data(self) -> dict[str, Any]:
        return {"type": "image", "file": {"filePath": self.path, **self.picture.to_data()}}


@dataclass(frozen=True, slots=True)
class PdfRead:
    """Pages of a PDF; `size` is the file's, in bytes."""

    path: str
    pages: PdfPages
    size: int

    @property
    def media(self) -> Media:
        return Media(pages=self.pages.count, chars=_base64_chars(self.pages.data)) if self.pages.data else Media()

    def content(self) -> Content:
        pages = self.pages
        said = f"{PurePath(self.path).name}: pages {pages.first}–{pages.last} of {pages.total}"
        if pages.data:
            block = document_block(
                b64encode(pages.data).decode("ascii"), PurePath(self.path).name, pages.first, pages.last, pages.total
            )
            return [{"type": "text", "text": said}, block]
        rest = ""
        if pages.shown_last < pages.last:
            on = f'Read on with pages="{pages.shown_last + 1}-{pages.last}".'
            rest = f"\n\n[PARTIAL view: pages {pages.first}–{pages.shown_last}. {on}]"
        return f"{said}, as text only: {pages.reason}.\n\n{pages.text}{rest}"

    def data(self) -> dict[str, Any]:
        pages = self.pages
        file: dict[str, Any] = {
            "filePath": self.path,
            "originalSize": self.size,
            "firstPage": pages.first,
            "lastPage": pages.last,
            "totalPages": pages.total,
            "sentSize": len(pages.data),
        }
        if pages.text:
            file |= {"content": pages.text, "reason": pages.reason}
        return {"type": "pdf", "file": file}


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The conversation holds the very result already."""

    path: str
    tool_use_id: str

    @property
    def media(self) -> Media:
        return Media()

    def content(self) -> str:
        return (
            f"(unchanged: {self.path} is as it was when you read the same part of it before ({self.tool_use_id}); that result "
            "is still in the conversation and holds)"
        )

    def data(self) -> dict[str, Any]:
        return {"type": "file_unchanged", "file": {"filePath": self.path, "toolUseId": self.tool_use_id}}


def _base64_chars(data: bytes) -> int:
    return (len(data) + 2) // 3 * 4


def _pixels(size: tuple[int, int]) -> str:
    return f"{size[0]} × {size[1]} pixels"


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
