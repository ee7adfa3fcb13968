"""From the bytes of an answer to text: what kind it is, in which encoding, and HTML made readable."""

from __future__ import annotations

import codecs
import mimetypes
import re
import threading
from dataclasses import dataclass
from typing import Final, Literal

from tui_agent.tools.web_fetch.charsets import likeliest
from tui_agent.tools.web_fetch.markdown import readable

__all__ = ["WebPage", "read_page"]

_SAMPLE: Final = 65_536  # bytes that are looked at where nothing says what they are
_TEXT_TYPES: Final = frozenset({
    "application/json", "application/javascript", "application/ecmascript", "application/xml", "application/yaml",
    "application/toml", "application/x-yaml", "application/x-sh", "application/x-httpd-php", "application/sql",
    "application/graphql", "application/rtf", "application/x-javascript", "application/x-ndjson", "application/jsonlines",
    "application/x-www-form-urlencoded", "message/rfc822",
})  # fmt: skip
_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_UNSAID_TYPES: Final = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/x-unknown", "unknown/unknown"}
)
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_META: Final = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML: Final = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_HTML_START: Final = re.compile(
    rb"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
# What is declared by these names is, on the web, always the larger set; and some codecs are no character sets at all.
_MEANT: Final = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
_NO_CHARSETS: Final = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7", "mbcs", "oem"}
)

Kind = Literal["html", "text", "binary"]


@dataclass(frozen=True, slots=True)
class WebPage:
    """An answer as text. `text` of a binary one is empty; `media_type` is what it was sent as, `note` what is not there."""

    kind: Kind
    media_type: str
    text: str = ""
    title: str = ""
    note: str = ""

    @property
    def suffix(self) -> str:
        """An ending for a file that holds it."""
        return mimetypes.guess_extension(self.media_type) or ".bin"


def read_page(body: bytes, content_type: str, url: str, stop: threading.Event | None = None) -> WebPage:
    """Return what the bytes are. Takes a few seconds at most; `stop` ends it early."""
    media_type, _, parameters = content_type.partition(";")
    media_type = media_type.strip().lower()
    kind = _kind(body, media_type)
    if kind == "binary":
        return WebPage(kind, media_type or "application/octet-stream")
    text = _decode(body, _parameter(parameters, "charset"), is_html=kind == "html" or "xml" in media_type)
    if kind == "text":
        return WebPage(kind, media_type or "text/plain", text)
    found = readable(text, url, stop)
    return WebPage(kind, media_type or "text/html", found.text, found.title, found.left_out)


def _kind(body: bytes, media_type: str) -> Kind:
    if media_type in _HTML_TYPES:
        return "html"
    if (
        media_type.startswith("text/")
        or media_type in _TEXT_TYPES
        or media_type.endswith(("+json", "+xml", "+yaml", "+text"))
    ):
        return "text"
    if media_type in _UNSAID_TYPES and _is_text(body[:_SAMPLE], is_whole=len(body) <= _SAMPLE):
        return "html" if _HTML_START.match(body[:_SAMPLE]) else "text"
    return "binary"


def _is_text(sample: bytes, *, is_whole: bool) -> bool:
    if any(sample.startswith(mark) for mark, _ in _BOMS):
        return True
    if b"\0" in sample:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=is_whole)
    except UnicodeDecodeError:
        return _HTML_START.match(sample) is not None
    return True


def _parameter(parameters: str, name: str) -> str:
    match = re.search(rf"(?:^|;)\s*{name}\s*=\s*\"?([^\";]+)", parameters, re.IGNORECASE)
    return match[1].strip() if match else ""


def _decode(body: bytes, declared: str, *, is_html: bool) -> str:
    """Decode by byte order mark, header, the page's own word, UTF-8, or the likeliest; what does not fit becomes U+FFFD."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body.decode(name, "replace")
    encoding = _known(declared)
    if encoding is None and is_html and (own := _META.search(body[:4096]) or _XML.match(body)) is not None:
        encoding = _known(own[1].decode("ascii"))
        if encoding is not None and encoding.startswith(("utf-16", "utf-32")):
            encoding = "utf-8"  # it could not have been read if that were true
    if encoding is not None:
        return body.decode(encoding, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode(likeliest(body), "replace")


def _known(name: str) -> str | None:
    """Return the codec of a character set, None where there is none."""
    if not name:
        return None
    try:
        found = codecs.lookup(name.strip().strip("'\"")).name
        b"a".decode(found)  # refuses codecs that are not about text
    except (LookupError, ValueError, UnicodeError):
        return None
    found = found.lower()
    return None if found.replace("-", "_") in _NO_CHARSETS or found in _NO_CHARSETS else _MEANT.get(found, found)
