"""Reading a file as what it is: text, an image, a PDF, a notebook, bytes. Blocks; called in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Final, TypeVar

from tui_agent.media import Media, image_type
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.read.input import ReadInput
from tui_agent.tools.read.pdfs import MOST_FILE_BYTES, PdfPages, PdfProblem, is_pdf, read_pages
from tui_agent.tools.read.results import BytesRead, ImageRead, PdfRead, ReadOutput, TextRead
from tui_agent.tools.read.texts import read_bytes, read_text
from tui_agent.tools.resolved_path import ResolvedPath
from tui_agent.tools.shared_read.cached_files import read_head, read_whole, stamp_of
from tui_agent.tools.shared_read.content_cache import ContentCache
from tui_agent.tools.shared_read.images import ImageProblem, Picture, fit_image, other_image
from tui_agent.tools.shared_read.media_limits import pictures_in
from tui_agent.tools.shared_read.notebook_reading import NotebookRequest, read_notebook
from tui_agent.tools.shared_read.notebooks import is_notebook

__all__ = ["FileReading", "read_file"]

# Four such documents fit a request. The text of heavier pages, mostly scans, is worth more than a quarter of it.
_DOCUMENT_BYTES: Final = 4_500_000
_IMAGE_FILE_BYTES: Final = 64 * 1024 * 1024

MadeT = TypeVar("MadeT")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """One read: of which file, what of it, and within which bounds. `budget` is in characters of text.

    `room` is what the conversation still takes of pictures and pages; `stopped` says that nobody waits any more.
    """

    place: ResolvedPath
    input: ReadInput
    budget: int
    room: Media
    cache: ContentCache
    stopped: Event = field(default_factory=Event)

    @property
    def path(self) -> str:
        """The file as it is named."""
        return self.place.path

    @property
    def offset(self) -> int:
        """The first line, cell or byte, from 1."""
        return max(1, self.input.offset or 1)


def read_file(reading: FileReading) -> tuple[ReadOutput, FileRecord | None]:
    """Read, and return what to remember for later edits; None where the file is of a kind that is not edited.

    Raises:
        FileProblem, NotebookProblem, PdfProblem, ImageProblem: it cannot be read so.
    """
    path, place, input = reading.path, reading.place, reading.input
    if input.encoding == "base64":
        return BytesRead(path, read_bytes(place, reading.offset, input.limit, reading.budget)), None
    head = read_head(place)
    if is_pdf(path, head):
        return _read_pdf(reading), None
    if input.pages and input.pages.strip():
        raise PdfProblem("not_a_pdf", "pages are for PDF files; use offset and limit")
    if image_type(head) and b"\0" in head:  # a text may begin like an image
        return _read_image(reading), None
    if b"\0" in head and (kind := other_image(head)):
        raise ImageProblem(
            f"it is an image, but of the kind {kind}; PNG, JPEG, GIF and WebP can be shown. Convert it with Bash to PNG (for "
            'example with ImageMagick, ffmpeg or Pillow) and read that, or read its bytes with encoding="base64"'
        )
    if is_notebook(path):
        wish = NotebookRequest(offset=reading.offset, limit=input.limit)
        return read_notebook(place, wish, reading.budget, reading.cache, most_pictures=pictures_in(reading.room))
    page, record = read_text(place, reading.offset, input.limit, reading.budget, reading.cache, reading.stopped)
    return TextRead(path, page), record


def _read_image(reading: FileReading) -> ImageRead:
    picture = _made(
        reading, "image", Picture, _IMAGE_FILE_BYTES, fit_image, lambda made: len(made.data) + len(made.preview)
    )
    return ImageRead(reading.path, picture)


def _read_pdf(reading: FileReading) -> PdfRead:
    pages, room = reading.input.pages, reading.room
    most_bytes = min(_DOCUMENT_BYTES, room.chars // 4 * 3)

    def make(data: bytes) -> PdfPages:
        return read_pages(
            data,
            pages,
            most_bytes=most_bytes,
            most_pages=room.pages,
            budget=reading.budget,
            stopped=reading.stopped,
        )

    # a text takes the place of pages only in this conversation as it is now, so the bounds are part of what was made
    variant = f"pdf {pages} {most_bytes if most_bytes < _DOCUMENT_BYTES else ''} {min(room.pages, 20)} {reading.budget}"
    made = _made(reading, variant, PdfPages, MOST_FILE_BYTES, make, lambda made: len(made.data) + 4 * len(made.text))
    stamp = stamp_of(reading.place)
    return PdfRead(reading.path, made, stamp.size if stamp else 0)


def _made(
    reading: FileReading,
    variant: str,
    kind: type[MadeT],
    most_bytes: int,
    make: Callable[[bytes], MadeT],
    cost: Callable[[MadeT], int],
) -> MadeT:
    """Return what `make` makes of the file's bytes; from the cache where they are the same as then."""
    cache, path, place = reading.cache, reading.path, reading.place
    stamp = stamp_of(place)
    known = cache.find(path, variant, stamp=stamp)
    if isinstance(known, kind):
        return known
    data, hash = read_whole(place, most_bytes)
    unmoved = stamp if stamp_of(place) == stamp else None
    known = cache.find(path, variant, hash=hash)
    made = known if isinstance(known, kind) else make(data)
    cache.keep(path, variant, made, cost(made) + 500, stamp=unmoved, hash=hash)
    return made
