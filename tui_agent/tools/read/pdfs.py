"""Pages of PDF files: cut out as a PDF of their own, which the model sees as pages, or as their text where that is too large.

The API refuses a broken or an encrypted PDF, and would again with every later request: so the pages are always written anew
from what was parsed. pypdf takes its time and is imported when the first PDF is read; everything here blocks.
"""

from __future__ import annotations

import io
import logging
import re
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pypdf import PdfReader

__all__ = [
    "MOST_FILE_BYTES", "MOST_PAGES_A_READ", "WHOLE_PAGES", "PdfPages", "PdfProblem", "is_pdf", "parse_pages", "read_pages",
]  # fmt: skip

WHOLE_PAGES: Final = 10  # shown without asking for them
MOST_PAGES_A_READ: Final = 20
MOST_FILE_BYTES: Final = 256 * 1024 * 1024
_PAGES: Final = re.compile(r"\s*(\d+)\s*(?:(-|–)\s*(\d*)\s*)?\Z")


class PdfProblem(Exception):  # noqa: N818 - what is wrong with a file or a range, not with the program
    """Pages cannot be shown; `code` names what is wrong, the message is a sentence without the file's name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code: Final = code


@dataclass(frozen=True, slots=True)
class PdfPages:
    """Pages `first` to `last` (1-based) of `total`: as a PDF (`data`), or as text, with what kept it from being a PDF."""

    first: int
    last: int
    total: int
    data: bytes = b""
    text: str = ""
    reason: str = ""
    shown_last: int = 0  # the last page whose text is there

    @property
    def count(self) -> int:
        """How many pages they are."""
        return self.last - self.first + 1


def is_pdf(path: str, head: bytes) -> bool:
    """Whether a file that begins so is a PDF; where its name says so too, a little may stand before the mark."""
    return head.startswith(b"%PDF-") or (path.lower().endswith(".pdf") and b"%PDF-" in head[:1024])


def parse_pages(pages: str, total: int) -> tuple[int, int]:
    """Return the first and the last page (1-based) that a range such as `3`, `1-5` or `7-` names.

    Raises:
        PdfProblem: `bad_pages`: not such a range, or not of a document with `total` pages.
    """
    match = _PAGES.match(pages)
    if match is None:
        raise PdfProblem("bad_pages", f'pages is {pages[:40]!r}; give a page or a range, such as "3", "1-5" or "7-"')
    has = f"it has {_count(total)}"
    first, last = int(match[1]), int(match[3]) if match[3] else total if match[2] else int(match[1])
    if first < 1 or (last < first and bool(match[3])):
        raise PdfProblem("bad_pages", f"there are no pages {pages.strip()}: {has}, the first is 1")
    if first > total:
        raise PdfProblem("bad_pages", f"there is no page {first}: {has}")
    last = min(last, total)
    if last - first + 1 > MOST_PAGES_A_READ:
        raise PdfProblem(
            "too_many_pages",
            f"these are {last - first + 1} pages ({has}); up to {MOST_PAGES_A_READ} can be read at once, "
            f'for example pages "{first}-{first + MOST_PAGES_A_READ - 1}"',
        )
    return first, last


def read_pages(
    data: bytes, pages: str | None, *, most_bytes: int, most_pages: int, budget: int, stopped: Event
) -> PdfPages:
    """Return pages of a PDF file: those that `pages` names, or all of a short one.

    Args:
        data: the file.
        pages: see `parse_pages`; None for all.
        most_bytes: a larger PDF of these pages, which the conversation cannot hold, is given as text.
        most_pages: more pages than the conversation still takes are given as text too.
        budget: characters that the text may have.
        stopped: gives the reading up between two pages.

    Raises:
        PdfProblem: encrypted, broken, without a text where only that would do; or the range is not right.
    """
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    logging.getLogger("pypdf").setLevel(
        logging.CRITICAL
    )  # it tells of each flaw it mends, on a screen that is not its own
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise PdfProblem("encrypted", "it is encrypted, and opens only with a password")
        total = len(reader.pages)
        if not total:
            raise PdfProblem("broken", "it is a broken PDF: it has no pages")
        first, last = _range(pages, total)
        part = _cut(reader, first, last) if last - first + 1 <= most_pages else b""
        if part and len(part) <= most_bytes:
            return PdfPages(first, last, total, data=part)
        reason = (
            f"as a document they would take {len(part):,} bytes, more than the {most_bytes:,} that still fit"
            if part
            else f"the conversation can take {most_pages} more pages of documents"
        )
        text, shown = _text(reader, first, last, budget, stopped)
    except DependencyError as error:
        raise PdfProblem("encrypted", "it is encrypted in a way that cannot be opened here") from error
    except PdfProblem:
        raise
    except Exception as error:  # whatever the parser stumbles over, the file is at fault
        raise PdfProblem("broken", f"it is a broken PDF: {str(error)[:200] or type(error).__name__}") from error
    if not text:
        raise PdfProblem("too_large", f"{reason}; and they hold no text (scanned?). Read fewer pages at once")
    return PdfPages(first, last, total, text=text, reason=reason, shown_last=shown)


def _range(pages: str | None, total: int) -> tuple[int, int]:
    if pages is not None and pages.strip():
        return parse_pages(pages, total)
    if total > WHOLE_PAGES:
        raise PdfProblem(
            "too_many_pages",
            f"it has {_count(total)}, and only up to {WHOLE_PAGES} are shown unasked. Say which with pages, for example "
            f'"1-{min(total, MOST_PAGES_A_READ)}"; up to {MOST_PAGES_A_READ} at once',
        )
    return 1, total


def _cut(reader: PdfReader, first: int, last: int) -> bytes:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.append(reader, pages=(first - 1, last), import_outline=False)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _text(reader: PdfReader, first: int, last: int, budget: int, stopped: Event) -> tuple[str, int]:
    """Return the text of pages as far as it fits, each under its number, empty where there is none; and the last page of it."""
    parts: list[str] = []
    used = 0
    has_text = False
    for number in range(first, last + 1):
        if stopped.is_set():
            break
        body = reader.pages[number - 1].extract_text().strip()
        has_text = has_text or bool(body)
        part = f"--- page {number} ---\n{body}"
        if parts and used + len(part) > budget:
            break
        if len(part) > budget:
            part = f"{part[:budget]}… [page cut: {budget:,} of {len(part):,} characters]"
        parts.append(part)
        used += len(part) + 2
    return "\n\n".join(parts) if has_text else "", first + len(parts) - 1


def _count(pages: int) -> str:
    return "1 page" if pages == 1 else f"{pages} pages"
