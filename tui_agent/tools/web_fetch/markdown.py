"""HTML to text that reads like Markdown: headings, lists, links, tables and code stay; what a reader never sees goes.

The parser (libxml2) hands over tags and text one after the other and keeps no tree, and `blocks` writes as they come. So the
work is in proportion to the page, however deeply or brokenly it nests, and can be stopped between two pieces.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from tui_agent.tools.web_fetch.blocks import BLANKS, BlockWriter, Link, ListState, Table, link_address

__all__ = ["Readable", "readable"]

MAX_CHARS: Final = 2_000_000
MAX_SECONDS: Final = 8.0
_PIECE: Final = 32_768
_LONGEST_LINK: Final = 500

_SKIPPED: Final = frozenset({
    "script", "style", "template", "svg", "math", "iframe", "object", "embed", "audio", "video", "canvas", "select",
    "datalist", "frameset",
})  # fmt: skip
_BLOCKS: Final = frozenset({
    "address", "article", "aside", "body", "center", "dd", "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "header", "html", "legend", "main", "nav", "p", "search", "section", "summary", "caption",
})  # fmt: skip
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MARKS: Final = {
    "b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "del": "~~", "s": "~~", "code": "`", "kbd": "`", "samp": "`",
    "tt": "`",
}  # fmt: skip
_VOID: Final = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
})  # fmt: skip
_ENDS_A_TABLE: Final = frozenset({"table", "pre", "ul", "ol", "blockquote", "hr", *_HEADINGS})
_UNSEEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LANGUAGE: Final = re.compile(r"(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*)([\w+#.-]{1,30})")


@dataclass(frozen=True, slots=True)
class Readable:
    """A page as text. `left_out` says in a sentence why there is no more of it, empty where this is all."""

    text: str
    title: str
    left_out: str = ""


def readable(html: str, base: str, stop: threading.Event | None = None) -> Readable:
    """Return the readable text of a page; links are completed with `base`, the page's own address.

    Takes at most a few seconds and ends early when `stop` is set.
    """
    from lxml import etree  # type: ignore[import-untyped]

    writer = _Page(base)
    parser = etree.HTMLParser(target=writer, remove_comments=True, remove_pis=True)
    due = time.monotonic() + MAX_SECONDS
    left_out = ""
    for start in range(0, len(html), _PIECE):
        if writer.size > MAX_CHARS:
            left_out = f"only its first {MAX_CHARS:,} characters of text are here"
        elif time.monotonic() > due or (stop is not None and stop.is_set()):
            left_out = f"reading it was stopped after {start:,} of {len(html):,} characters of HTML"
        if left_out:
            break
        try:
            parser.feed(html[start : start + _PIECE].replace("\0", ""))
        except etree.LxmlError as error:  # the parser gives up on few things; what came before stays
            left_out = f"the rest of its HTML cannot be read ({error})"
            break
    else:
        with contextlib.suppress(etree.LxmlError):  # it complains of a page without any tag or text
            parser.close()
    writer.finish()
    return Readable(writer.text(), writer.title, left_out)


class _Page(BlockWriter):
    """Takes tags and text in the order of the page (lxml's parser target)."""

    def __init__(self, base: str) -> None:
        super().__init__(base)
        self._unseen: list[str] = []  # open tags from the outermost one that is not shown
        self._in_title = False

    # --- what the parser says ----------------------------------------------------------------------------------------

    def start(self, tag: object, attributes: Mapping[str, str]) -> None:
        """A tag opens."""
        if not isinstance(tag, str):
            return
        if self._unseen or tag in _SKIPPED or _is_hidden(attributes):
            if tag not in _VOID:
                self._unseen.append(tag)
            return
        if self._pre is not None:
            self._start_in_pre(tag, attributes)
        elif tag in _MARKS:
            self._open_mark(_MARKS[tag])
        elif tag in _BLOCKS:
            self._end_block()
            self._nav_depth += tag == "nav"
        elif tag in _HEADINGS:
            self._start_structure(tag)
            self._has_h1 = self._has_h1 or tag == "h1"
            self._prefix = "#" * int(tag[1]) + " "
        elif tag == "title":
            self._in_title = not self.title
            if not self._in_title:
                self._unseen.append(tag)
        else:
            self._start_other(tag, attributes)

    def end(self, tag: object) -> None:
        """A tag closes."""
        if not isinstance(tag, str):
            return
        if self._unseen:
            if self._unseen[-1] == tag:
                self._unseen.pop()
            elif tag in self._unseen[-8:]:
                while self._unseen.pop() != tag:
                    pass
            return
        if self._pre is not None and tag != "pre":
            return
        if tag in _MARKS:
            self._close_mark(_MARKS[tag])
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._end_block()
            self._nav_depth -= tag == "nav" and self._nav_depth > 0
        else:
            self._end_other(tag)

    def data(self, text: str) -> None:
        """Text comes."""
        if self._unseen:
            return
        if self._pre is not None:
            self._pre.append(text)
            self.size += len(text)
            return
        if self._in_title:
            self.title = (self.title + text)[:1000]
            return
        if "\n" in text or "\t" in text or "  " in text or "\r" in text or "\xa0" in text:
            text = BLANKS.sub(" ", text)
        if text.startswith(" "):
            self._has_gap = True
            text = text[1:]
        if not text:
            return
        is_ended = text.endswith(" ")
        self._put(text[:-1] if is_ended else text)
        self._has_gap = is_ended

    def close(self) -> None:
        """The page ends."""

    # --- tags --------------------------------------------------------------------------------------------------------

    def _start_other(self, tag: str, attributes: Mapping[str, str]) -> None:
        match tag:
            case "table" | "tr" | "td" | "th":
                self._start_in_table(tag, attributes)
            case "a":
                self._close_link()
                self._close_gap()
                self._links.append(Link(len(self._inline), attributes.get("href", "")))
            case "br":
                self._inline.append("\n")
                self._has_gap = False
            case "img":
                self._add_image(attributes)
            case "ul" | "ol" | "menu" | "dir":
                self._start_structure(tag)
                self._lists.append(ListState(tag == "ol", _number(attributes.get("start", ""), 1)))
                self._containers.append("")
            case "li":
                self._start_item()
            case "blockquote":
                self._start_structure(tag)
                self._containers.append("> ")
            case "pre":
                self._start_structure(tag)
                self._pre, self._language = [], _language(attributes)
            case "hr":
                self._start_structure(tag)
                self._add_block("---")
            case "q":
                self._put("“")
            case "button" | "option" | "textarea":
                self._has_gap = True
            case "base":
                self._base = urljoin(self._base, attributes.get("href", "")[:_LONGEST_LINK])
            case _:
                pass

    def _end_other(self, tag: str) -> None:
        match tag:
            case "a":
                self._close_link()
            case "title":
                self._in_title = False
                self.title = BLANKS.sub(" ", self.title).strip()
            case "ul" | "ol" | "menu" | "dir":
                self._end_block()
                if self._lists:
                    self._lists.pop()
                    self._containers.pop()
                self._bullet = ""
            case "li":
                self._end_block()
                self._bullet = ""
            case "blockquote":
                self._end_block()
                if self._containers and self._containers[-1] == "> ":
                    self._containers.pop()
            case "pre":
                self._end_pre()
            case "td" | "th":
                self._end_cell()
            case "tr":
                self._end_block()
            case "table":
                self._end_table()
            case "q":
                self._has_gap = False
                self._put("”")
            case "button" | "option" | "textarea":
                self._has_gap = True
            case _:
                pass

    def _start_structure(self, tag: str) -> None:
        """Begin something that a cell of a table cannot hold: such a table is there for the layout."""
        if self._table is not None and tag in _ENDS_A_TABLE:
            self._spread_table()
        self._end_block()

    def _add_image(self, attributes: Mapping[str, str]) -> None:
        words = BLANKS.sub(" ", attributes.get("alt", "")).strip()
        if not words:
            return
        address = link_address(self._base, attributes.get("src", ""))
        self._put(f"![{words}]({address})" if address and not self._links else words)

    def _start_in_pre(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "br" and self._pre is not None:
            self._pre.append("\n")
        self._language = self._language or _language(attributes)

    def _start_in_table(self, tag: str, attributes: Mapping[str, str]) -> None:
        is_nested = tag == "table" and self._table is not None
        if is_nested:
            self._spread_table()
        self._end_block()
        if tag == "table":
            self._table = None if is_nested else Table()
        elif self._table is not None and tag == "tr":
            self._table.rows.append([])
        elif self._table is not None:
            self._table.span = min(_number(attributes.get("colspan", ""), 1), 20)


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    if not attributes:
        return False
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    style = attributes.get("style", "")
    return bool(style) and _UNSEEN.search(style) is not None


def _number(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else default


def _language(attributes: Mapping[str, str]) -> str:
    match = _LANGUAGE.search(attributes.get("class", "")[:500])
    return match[1] if match else ""
