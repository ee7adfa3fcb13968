"""Private keys as blocks of base64 between `-----BEGIN …-----` and `-----END …-----`, on lines or on one line with `\\n`.

Only what is key is masked, line by line: line numbers, diff signs and quotes around the lines stay, and so does their count.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tui_agent.secrets.marks import SecretSpan

__all__ = ["BEGIN", "LABEL", "PUTTY", "KeyBlock", "key_block"]

BEGIN: Final = "-----BEGIN "
PUTTY: Final = "Private-Lines: "  # PuTTY's own kind of block: a number of lines instead of an end
LABEL: Final = "private key"
_HEADER: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|-----BEGIN OpenVPN Static key V1-----|Private-Lines: [0-9]{1,3}(?=[\s\\])"
)
# Between two lines of a key: line ends, real or escaped, and what stands before and after lines in listings and literals.
_BETWEEN: Final = re.compile(
    r"(?:(?<=\n)[^\n:]{0,150}[:-](?:[0-9]{1,7}[:-])?(?!END\b)(?=[A-Za-z0-9+/=]{0,4000}[ \t\r]*(?:\n|$))"  # the file's name
    r"|\s|\\[nr]|[\"'`,;|>→│:#*]|(?<=\n)[ \t]*[+-](?!-)|(?<![A-Za-z0-9+/=])[0-9]{1,7}(?=[\s→|:│-])|(?<=[0-9])-(?!-)"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]{0,200}){0,80}"
)
_LINE: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
_LAST_LINE: Final = re.compile(r"(?=[a-z]{0,15}[A-Z0-9+/=])[A-Za-z0-9+/=]{1,15}(?=[\s\\\"',]|$)")


class KeyBlock(NamedTuple):
    """The lines of a key, and whether it may go on behind the end of the text."""

    spans: list[SecretSpan]
    is_open: bool


def key_block(text: str, at: int) -> KeyBlock:
    """Return the key whose header begins at `at`: nothing where that is not the header of a private key."""
    header = _HEADER.match(text, at)
    spans: list[SecretSpan] = []
    if header is None:
        return KeyBlock(spans, is_open=False)
    position = header.end()
    while True:
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
        line = _LINE.match(text, position) or (_LAST_LINE.match(text, position) if spans else None)
        if line is None:
            return KeyBlock(spans, is_open=position >= len(text))
        spans.append(SecretSpan(line.start(), line.end(), LABEL))
        position = line.end()
