"""Private keys as blocks of base64 between `-----BEGIN …-----` and `-----END …-----`, on lines or on one line with `\\n`.

Only what is key is masked, line by line: line numbers, diff signs and quotes around the lines stay, and so does their count.

A key whose header is not there (`tail -n +2`, a part of a file) is told by how it begins, or by two lines of base64 of a width
that programs break keys at. Certificates and public keys look the same; their own headers tell them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from tui_agent.secrets.long_words import LongWords
from tui_agent.secrets.masks import SecretSpan

__all__ = [
    "BEGIN", "END", "LABEL", "PUTTY", "KeyBlock", "cut_blocks", "key_block", "keys_without_headers", "may_be_key_line",
    "open_header", "reversed_block",
]  # fmt: skip

BEGIN: Final = "-----BEGIN "
END: Final = "-----END "
PUTTY: Final = "Private-Lines: "  # PuTTY's own kind of block: a number of lines instead of an end
LABEL: Final = "private key"
_HEADER: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?-----|PR[IVATEKY -]{0,14}(?=\r?\n))"  # whole, or cut off on the right
    r"|-----BEGIN OpenVPN Static key V1-----|Private-Lines: [0-9]{1,3}(?=[\s\\])"
)
_FOOTER: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_WHOLE_LINE: Final = re.compile(r"(?=[^\n]{0,63}[A-Z])(?=[^\n]{0,63}[a-z])(?=[^\n]{0,63}[0-9])[A-Za-z0-9+/]{40,}")
# Between two lines of a key: line ends, real or escaped, and what stands before and after lines in listings and literals.
_BETWEEN: Final = re.compile(
    r"(?:(?<=\n)[^\n:]{0,150}[:-](?:[0-9]{1,7}[:-])?(?!END\b)(?=[A-Za-z0-9+/=]{0,4000}[ \t\r]*(?:\n|$))"  # the file's name
    r"|\s|\$(?=\n)|\\[nr]|[\"'`,;|>→│:#*]|(?<=\n)[ \t]*[+-](?!-)|(?<![A-Za-z0-9+/=])[0-9]{1,7}(?=[\s→|:│-])|(?<=[0-9])-(?!-)"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]{0,200}){0,80}"
)
_LINE: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
_LAST_LINE: Final = re.compile(r"(?=[a-z]{0,15}[A-Z0-9+/=])[A-Za-z0-9+/=]{1,15}(?=[\s\\\"',$]|$)")

# The end of a header that is cut off on the left, and what may stand before it.
_HEADER_ENDS: Final = ("KEY-----", "KEY BLOCK-----")
_CUT_HEADER: Final = re.compile(r"(?!-*(?:E?N)?D )(?:-{0,4}B?E?G?I?N? )?(?:[A-Z0-9 ]{0,24} )?P?R?I?V?A?T?E? ?")
_LONGEST_HEADER: Final = 60
# Lines of a key in one of two columns, as `diff -y` and `paste` print them: the first word, or the last one.
_LEFT: Final = re.compile(r"([A-Za-z0-9+/]{1,100}={0,2})(?=[ \t\r\n]|\Z)[^\n]{0,1000}(?:\n|\Z)")
_RIGHT: Final = re.compile(r"[^\n]{0,1000}?(?<![^\s])([A-Za-z0-9+/]{1,100}={0,2})[ \t\r]*(?:\n|\Z)")
_BESIDE_LEFT: Final = re.compile(r"[ \t]+[^ \t\r\n][^\n]{0,1000}\n")
_BEFORE_RIGHT: Final = ("\t", "  ", "| ", "> ", "< ")
_SHORTEST_LINE: Final = 16  # characters of a key's line that is not its last

# The beginnings of keys of OpenSSH, RSA, elliptic curves and Ed25519, alone and in PKCS #8.
_BEGINS_KEY: Final = re.compile(
    r"(?:b3BlbnNzaC1rZXktdjEA|MII[A-Za-z0-9+/]{3}IBA(?:AK[BC]|DANBgkqhkiG)|MHcCAQEE|MIG(?:HAgEAMBMG|2AgEAMBAG|kAgEBBD)"
    r"|MIH(?:uAgEAMBAG|cAgEBBE)|MC4CAQAwBQYDK2V)[A-Za-z0-9+/]{12,}={0,2}"
)
_RANDOM: Final = r"(?=[^\n]{0,63}[A-Z])(?=[^\n]{0,63}[a-z])(?=[^\n]{0,63}[0-9])"
_BODY: Final = r"(?:[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{64})"
_BODY_LINE: Final = re.compile(rf"(?<![A-Za-z0-9+/=])\+?{_RANDOM}({_BODY})(?![A-Za-z0-9+/=])")
_ENDS_IN_LINE: Final = re.compile(rf"(?<![A-Za-z0-9+/=])\+?{_RANDOM}{_BODY}[\"'`,;\\]{{0,3}}\r?\n\Z")
_BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_SHORTEST_WORD: Final = 12  # characters of a last word that may be the beginning of a key's line
_ENDS_IN_WORD: Final = re.compile(
    rf"(?<![A-Za-z0-9+/=])(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9])[A-Za-z0-9+/]{{{_SHORTEST_WORD},76}}\Z"
)
_LONGEST_BETWEEN: Final = 200
_OPEN_HEADER: Final = re.compile(r"-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE KEY|OpenVPN)[A-Z0-9 ]{1,40}-----")


class KeyBlock(NamedTuple):
    """The lines of a key, whether it may go on behind the end of the text, and the column of two that it stands in, if so."""

    spans: list[SecretSpan]
    is_open: bool
    column: Literal["", "left", "right"] = ""


def key_block(text: str, at: int) -> KeyBlock:
    """Return the key whose header begins at `at`: nothing where that is not the header of a private key."""
    header = _HEADER.match(text, at)
    spans: list[SecretSpan] = []
    if header is None:
        return KeyBlock(spans, is_open=False)
    if (beside := _BESIDE_LEFT.match(text, header.end())) is not None:
        block = _column(text, beside.end(), _LEFT)
        if block.spans or block.is_open:
            return block._replace(column="left")
    line = text.rfind("\n", max(0, at - 1000), at) + 1
    before = text[line:at]
    if before.endswith(_BEFORE_RIGHT) and before.strip() and text[header.end() : header.end() + 1] in {"", "\n"}:
        block = _column(text, header.end() + 1, _RIGHT)
        if len(block.spans) > 1 or block.is_open:
            return block._replace(column="right")
    return _lines(text, header.end(), spans)


def cut_blocks(text: str) -> Iterator[KeyBlock]:
    """Yield the keys whose header has lost its beginning, as in what `cut -c2-` prints."""
    for ending in _HEADER_ENDS:
        at = text.find(ending)
        while at >= 0:
            line = text.rfind("\n", max(0, at - _LONGEST_HEADER), at) + 1
            end = at + len(ending)
            rest = text[line:at]
            is_whole_line = (line > 0 or at < _LONGEST_HEADER) and text[end : end + 1] in {"", "\n", "\r"}
            # At least this much of PRIVATE is there: where it may be PUBLIC nobody can tell.
            if is_whole_line and rest.endswith("E ") and _CUT_HEADER.fullmatch(rest) is not None:
                yield _lines(text, end, [])
            at = text.find(ending, end)


def _column(text: str, position: int, pattern: re.Pattern[str]) -> KeyBlock:
    """Return the lines of a key in one of two columns, from the line on that begins at `position`."""
    spans: list[SecretSpan] = []
    while position < len(text):
        line = pattern.match(text, position)
        is_begun = text.find("\n", position) < 0
        if is_begun and pattern is _RIGHT and (line is None or len(line[1]) < _SHORTEST_LINE):
            break  # what stands in its column may be still to come
        if line is None or (not spans and len(line[1]) < _SHORTEST_LINE):
            return KeyBlock(spans, is_open=False)
        spans.append(SecretSpan(line.start(1), line.end(1), LABEL))
        if len(line[1]) < _SHORTEST_LINE:
            return KeyBlock(spans, is_open=False)
        position = line.end()
    return KeyBlock(spans, is_open=True)


def reversed_block(text: str, at: int) -> KeyBlock:
    """Return the key whose last line is at `at` and whose other lines follow, the last one first, as `tac` prints them."""
    footer = _FOOTER.match(text, at)
    if footer is None:
        return KeyBlock([], is_open=False)
    block = _lines(text, footer.end(), [], is_short=True)
    border = text.find(BEGIN, footer.end())
    if border >= 0:
        block = KeyBlock([span for span in block.spans if span.end <= border], is_open=False)
    return block if any(_WHOLE_LINE.match(text, span.start) for span in block.spans) else KeyBlock([], is_open=False)


def _lines(text: str, position: int, spans: list[SecretSpan], *, is_short: bool = False) -> KeyBlock:
    """Return the lines of a key from `position` on, behind those that are known; `is_short`: a short line may be the first."""
    while True:
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
        line = _LINE.match(text, position) or (_LAST_LINE.match(text, position) if spans or is_short else None)
        if line is None:
            return KeyBlock(spans, is_open=position >= len(text))
        spans.append(SecretSpan(line.start(), line.end(), LABEL))
        position = line.end()


def keys_without_headers(text: str, words: LongWords) -> Iterator[SecretSpan]:
    """Yield the lines of keys that no header tells of."""
    after = 0
    for found in _BEGINS_KEY.finditer(words.text):
        start = words.original(found.start())
        if start >= after:
            spans = _lines(text, start, []).spans
            yield from spans
            after = spans[-1].end if spans else after
    lines = [words.original(found.start(1)) for found in _BODY_LINE.finditer(words.text)]
    for first, second in pairwise(lines):
        if first < after:
            continue
        end = _width(text, first)
        if _width(text, second) - second == end - first and _are_neighbours(text[end : min(second, end + 250)]):
            block = _lines(text, first, [])
            after = block.spans[-1].end if block.spans else after
            if open_header(text[max(0, first - _LONGEST_BETWEEN) : first]) is None:
                yield from block.spans


def open_header(text: str) -> str | None:
    """Return the header of the block that a text ends in, where that is none of a private key; None where it ends in none."""
    at = text.rfind(BEGIN)
    header = _OPEN_HEADER.match(text, at) if at >= 0 else None
    return None if header is None or "-----END" in text[at:] else header[0]


def may_be_key_line(text: str, end: int) -> int | None:
    """Return where the last line, or word, of a text up to `end` begins that may be the first line of a key; else None."""
    begin = max(0, end - 90)
    last = text[begin:end]
    if last.endswith("\n"):
        found = _ENDS_IN_LINE.search(last)
    elif len(last.rstrip(_BASE64)) <= len(last) - _SHORTEST_WORD:
        found = _ENDS_IN_WORD.search(last)
    else:
        return None
    return None if found is None else begin + found.start()


def _width(text: str, start: int) -> int:
    """Return where the word of base64 ends that begins at `start`."""
    line = _LINE.match(text, start)
    return start if line is None else line.end()


def _are_neighbours(between: str) -> bool:
    """Whether only the end of a line, and what listings put around lines, stands between two."""
    if len(between) > _LONGEST_BETWEEN:
        return False
    return between.count("\n") == 1 or ("\n" not in between and between.count("\\n") == 1 and len(between) < 12)
