"""A text that comes in pieces, masked as it comes: a secret that is cut in two at a border is hidden like any other.

A secret is a word, so the last word of what has come is held back where it may be the beginning of one, until it is known
how it goes on. What stood before is
remembered: a word may be a secret only for the name before it.
"""

from __future__ import annotations

import re
from typing import Final

from tui_agent.secrets.assignments import open_value
from tui_agent.secrets.key_blocks import (
    BEGIN,
    END,
    PUTTY,
    cut_blocks,
    key_block,
    may_be_key_line,
    open_header,
    reversed_block,
)
from tui_agent.secrets.known import begins_known
from tui_agent.secrets.masker import Masker
from tui_agent.secrets.masks import SecretSpan, mask_spans
from tui_agent.secrets.unseen import VisibleText, has_unseen

__all__ = ["MaskStream"]

_CONTEXT: Final = 400  # characters before that may say what a word is
_HELD: Final = 16_384  # characters held back at most: no secret of a known kind is longer
# From here on a text is a flood that only has to be kept: what is read of it later goes through the masker whole.
_FLOOD: Final = 32_000_000
_OPEN_KEY: Final = f"{BEGIN}PRIVATE KEY-----\n{'A' * 64}\n"
_OPEN_COLUMN: Final = {
    "left": f"{BEGIN}PRIVATE KEY-----\tx\n{'A' * 64}\tx\n",
    "right": f"x\t{BEGIN}PRIVATE KEY-----\nx\t{'A' * 64}\n",
    "both": f"{BEGIN}PRIVATE KEY-----\t{BEGIN}PRIVATE KEY-----\n{'A' * 64}\t{'A' * 64}\n",
}
_OPEN_REVERSED: Final = f"{END}PRIVATE KEY-----\n{'aB3d' * 16}\n"
_LONGEST_WIDTH: Final = 80  # characters of a line of a key
# A line behind the last line of a key: the next one tells whether this is the key with its lines reversed.
_BEHIND_FOOTER: Final = re.compile(r"PRIVATE KEY(?: BLOCK)?-----\r?\n([A-Za-z0-9+/=]{1,80}(?:\r?\n)?)\Z")
_LONGEST_LINE: Final = 600  # characters of a line that is held back
_BEGUN_LINE: Final = re.compile(
    r"\buser ?= ?\"|: PSK \"|\"random_password\"|\b(?:echo|printf)[ \t]|(?i:mnemonic)\\?[\"']?[ \t]{0,20}[:=]"
    r"|(?:^|\n|:)[A-Za-z_][\w.@-]{0,40}:!{0,2}[./0-9A-Za-z]{0,13}(?::[0-9:]{0,30})?\Z"
)
_MANIFEST: Final = re.compile(r"kind\\?[\"']?: {0,4}\\?[\"']?Secret(?![A-Za-z])")
_LAST_BREAK: Final = re.compile(r"[\s\"'`,;<>(){}|](?=[^\s\"'`,;<>(){}|]*\Z)")


class MaskStream:
    """Masks one text. What `feed` and at last `finish` return, put together, is the masked text."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._before = ""
        self._held = ""
        self._fed = 0

    def feed(self, text: str) -> str:
        """Take the next piece and return what can be shown now."""
        return self._give(text, is_last=False) if text else ""

    def finish(self) -> str:
        """No more will come: return what was held back."""
        return self._give("", is_last=True)

    def _give(self, more: str, *, is_last: bool) -> str:
        start = len(self._before)
        text = f"{self._before}{self._held}{more}"
        cut = len(text) if is_last else self._cut(text, start)
        self._fed += len(more)
        found = self._masker.spans(text, is_brief=self._fed > _FLOOD)
        spans = [span for span in found if span.end > start]
        for span in spans:
            if span.start < cut < span.end:
                cut = max(start, span.start)
        shown = [SecretSpan(max(start, span.start), span.end, span.label) for span in spans if span.end <= cut]
        self._masker.note(shown)
        out = mask_spans(text[:cut], shown)[start:]
        self._held = text[cut:]
        self._before = "" if is_last else self._remembered(text[:cut])
        return out

    def _cut(self, text: str, start: int) -> int:
        """Return up to where the text can be shown: the last blank, its end where the last word is none to wait for.

        Where there is no blank for long, any other border will do.
        """
        cut = max(start, _last_blank(text, start, len(text)) + 1)
        while cut > start and text.endswith(("\\\n", "\\\r\n"), 0, cut):  # the word may go on in the next line
            cut = max(start, _last_blank(text, start, cut - 1) + 1)
        if cut < len(text) and not self._may_go_on(text, max(cut, len(text) - _HELD)):
            cut = len(text)
        elif cut <= start and len(text) - start >= _HELD:
            found = _LAST_BREAK.search(text, max(start, len(text) - _HELD))
            cut = found.end() if found else len(text) - _HELD // 2
        cut = max(cut, start)
        if self._masker.is_on and self._fed <= _FLOOD and (begun := open_value(text)) is not None:
            cut = min(cut, max(begun, start))
        if self._masker.is_on and self._fed <= _FLOOD and (line := _begun_line(text)) is not None:
            cut = min(cut, max(line, start))
        for needle, _ in self._masker.needles:
            at = text.find(needle[0], max(start, len(text) - len(needle) + 1), cut)
            if at >= 0:
                cut = _begun(text, at, cut, needle)
        if self._masker.is_on and self._fed <= _FLOOD and (line := may_be_key_line(text, cut)) is not None:
            cut = line
        return max(cut, start)

    def _may_go_on(self, text: str, word: int) -> bool:
        """Whether the last word, which starts at `word`, may be the beginning of a secret of a known kind."""
        if not self._masker.is_on:
            return False
        nearby = max(0, word - _CONTEXT)
        if has_unseen(text[nearby:]):
            plain = VisibleText(text[nearby:]).text
            if begins_known(plain, max((plain.rfind(blank) for blank in " \n\t\r"), default=-1) + 1):
                return True
        return begins_known(text[nearby:], word - nearby) or self._remembered(text[:word]).startswith(
            (_OPEN_KEY, _OPEN_REVERSED, *_OPEN_COLUMN.values())
        )

    def _remembered(self, text: str) -> str:
        at = max(text.rfind(BEGIN), text.rfind(PUTTY))
        if at >= 0 and (block := key_block(text, at)).is_open:
            line = text.rfind("\n") + 1
            if line <= at:  # whether the key stands in a column shows at the end of its header's line
                return text[-_CONTEXT:]
            is_both = block.column == "right" and BEGIN in text[text.rfind("\n", 0, at) + 1 : at]
            column = "both" if is_both else block.column
            return _OPEN_KEY if not column else f"{_OPEN_COLUMN[column]}{text[line:]}"
        if any(block.is_open for block in cut_blocks(text)):
            return _OPEN_KEY
        at = text.rfind(END)
        if at >= 0 and (block := reversed_block(text, at)).spans and block.is_open:
            return _OPEN_REVERSED
        if (header := open_header(text)) is not None:
            return f"{header}\n{text[-_CONTEXT:]}" if header not in text[-_CONTEXT:] else text[-_CONTEXT:]
        return text[-_CONTEXT:]


def _begun_line(text: str) -> int | None:
    """Return where the last line begins, where only its end tells whether it holds a secret, or where the file's kind does."""
    last = _BEHIND_FOOTER.search(text, max(0, len(text) - 2 * _LONGEST_WIDTH))
    if last is not None:
        return last.start(1)
    line = text.rfind("\n", max(0, len(text) - _LONGEST_LINE)) + 1
    if line < len(text) - _LONGEST_LINE or line == len(text):
        return None
    is_begun = _BEGUN_LINE.search(text, line) is not None or _MANIFEST.search(text, max(0, line - _CONTEXT)) is not None
    return line if is_begun else None


def _last_blank(text: str, start: int, end: int) -> int:
    """Return where the last blank stands; a return alone is none, as what follows may be put to the word before it."""
    return max(text.rfind(blank, start, end) for blank in " \n\t")


def _begun(text: str, at: int, cut: int, needle: str) -> int:
    """Return where `needle` may have begun, from `at` to `cut`, so that its end is still to come; `cut` where it has not.

    Args:
        text: the text.
        at: where the first character of `needle` stands.
        cut: where to stop.
        needle: what is looked for.
    """
    first = needle[0]
    while at >= 0:
        if needle.startswith(text[at : at + len(needle)]) and at + len(needle) > len(text):
            return at
        at = text.find(first, at + 1, cut)
    return cut
