"""Bytes to text and back, so that what an edit does not touch keeps every byte.

UTF-8 is the rule. Anything else is read only when a byte order mark says what it is, or when writing the text back gives the
very same bytes; a file for which neither holds is not text here. Where two encodings would do, it is the one with fewer
characters: a new one that it lacks is refused rather than guessed. Line endings are left as they are.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Decoded", "NotTextError", "UnencodableError", "decode", "encode", "is_binary", "is_lost"]

_BOMS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE: Final = 8192
# What text does not hold: C0 controls but backspace, tab, line feed, form feed, carriage return and escape; and DEL.
_CONTROLS: Final = bytes([*range(8), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_UNPRINTED: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffe\uffff]")
_ASIAN: Final = ("cp932", "euc_jp", "gb18030", "big5", "euc_kr")
_LONG_RUN: Final = re.compile(rb"[\xa0-\xff]{4,}")  # two letters in a row of the double-byte kind, rare in Western text
# Bytes of 0x80–0x9F that Western text really uses: euro, ellipsis, curly quotes, bullet, dashes, trademark, Š Œ Ž š œ ž Ÿ.
_WESTERN: Final = frozenset(b"\x80\x85\x8a\x8c\x8e\x91\x92\x93\x94\x95\x96\x97\x99\x9a\x9c\x9e\x9f")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text, without its byte order mark, and how to make bytes of it again."""

    text: str
    encoding: str
    has_bom: bool


class NotTextError(ValueError):
    """The bytes are not text that can be read and written back unchanged; the message says why."""


class UnencodableError(ValueError):
    """A text holds a character that the file's encoding lacks."""

    def __init__(self, character: str, encoding: str) -> None:
        super().__init__(f"the file's encoding, {encoding}, has no {character!r} (U+{ord(character):04X})")
        self.character: Final = character
        self.encoding: Final = encoding


def is_binary(sample: bytes) -> bool:
    """Whether the beginning of a file is not text: a NUL, or more than a tenth control characters."""
    if any(sample.startswith(bom) for bom, _ in _BOMS):
        return False
    if b"\0" in sample:
        return True
    return len(sample) - len(sample.translate(None, _CONTROLS)) > len(sample) / 10


def decode(data: bytes) -> Decoded:
    """Return the text of a whole file.

    Raises:
        NotTextError: binary, or in an encoding that cannot be told for sure.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _decode_marked(data, bom, encoding)
    if b"\0" in data:
        if (found := _unmarked_utf_16(data)) is not None:
            return found
        raise NotTextError("it holds control characters that text does not")
    if is_binary(data[:_SAMPLE]):
        raise NotTextError("it holds control characters that text does not")
    try:
        return Decoded(data.decode("utf-8"), "utf-8", has_bom=False)
    except UnicodeDecodeError:
        pass
    for encoding in _candidates(data):
        try:
            text = data.decode(encoding)
            if text.encode(encoding) == data:
                return Decoded(text, encoding, has_bom=False)
        except UnicodeError:
            continue
    raise NotTextError("it is not UTF-8, and its encoding cannot be told for sure")


def encode(text: str, encoding: str, *, has_bom: bool) -> bytes:
    """Return the bytes of a text, with the byte order mark where there was one.

    Raises:
        UnencodableError: the encoding lacks one of its characters.
    """
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        raise UnencodableError(text[error.start], encoding) from error
    if has_bom:
        return next(bom for bom, name in _BOMS if name == encoding) + data
    return data


def is_lost(text: str, data: bytes, encoding: str) -> bool:
    """Whether bytes that `encode` made of a text would be taken for binary, or another text, because of control characters."""
    if "\0" in text:  # a short one may pass for UTF-16
        return True
    if not encoding.startswith("utf"):
        return is_binary(data[:_SAMPLE])
    try:
        decode(data)
    except NotTextError:
        return True
    return False


def _decode_marked(data: bytes, bom: bytes, encoding: str) -> Decoded:
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise NotTextError(f"its byte order mark says {encoding}, which the rest of it is not") from error
    if "\0" in text:
        raise NotTextError("it holds control characters that text does not")
    return Decoded(text, encoding, has_bom=True)


def _unmarked_utf_16(data: bytes) -> Decoded | None:
    """Return the text of UTF-16 without a byte order mark: mostly Western, so that half of all bytes are NUL."""
    if len(data) % 2:
        return None
    low, high = data[::2], data[1::2]
    for encoding, zeros, others in (("utf-16-le", high, low), ("utf-16-be", low, high)):
        if b"\0" not in others and zeros.count(0) * 2 > len(zeros):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            if not _UNPRINTED.search(text) and text.encode(encoding) == data:
                return Decoded(text, encoding, has_bom=False)
    return None


def _candidates(data: bytes) -> list[str]:
    """Return the encodings that data which is not UTF-8 may be in, the likeliest first."""
    high = data.translate(None, bytes(range(0x80)))
    is_odd = any(byte < 0xA0 and byte not in _WESTERN for byte in set(high))
    if is_odd or sum(map(len, _LONG_RUN.findall(data))) * 2 > len(high):
        from charset_normalizer import from_bytes  # 40 ms to import, and hardly ever needed

        found = [match.encoding for match in from_bytes(data, cp_isolation=list(_ASIAN))]
        if found:
            return found
    if not any(byte < 0xA0 for byte in set(high)):
        return ["latin-1"]  # the same in both, so nothing may come in that only the larger of them has
    # Latin-1 maps every byte, so it would take anything: only where the rest of Western text fails for an unused code
    return ["cp1252"] if is_odd else ["cp1252", "latin-1"]
