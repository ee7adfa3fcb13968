"""Secrets that can be told by their looks: keys as their issuers shape them, key blocks, passwords in addresses, headers.

Each kind is found by a few literal characters first, which is fast in text of any size, and only then judged by a pattern
that reads a bounded piece from there. What names no issuer (a git hash, a UUID, a checksum of a lock file) is never taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from tui_agent.secrets.assignments import assigned
from tui_agent.secrets.checked_keys import begins_checked, checked_keys
from tui_agent.secrets.formats import FORMATS, HASHES, in_context
from tui_agent.secrets.issuers import ISSUERS
from tui_agent.secrets.key_blocks import BEGIN, END, PUTTY, cut_blocks, key_block, keys_without_headers, reversed_block
from tui_agent.secrets.long_words import LongWords
from tui_agent.secrets.manifests import in_manifests
from tui_agent.secrets.masks import SecretSpan
from tui_agent.secrets.program_options import in_commands

__all__ = ["begins_known", "issued_spans", "known_spans", "places"]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of key: what it is called, and the pattern of the whole. Group 1, where there is one, is the secret part.

    `is_word` says that it cannot begin in the middle of a word.
    """

    label: str
    pattern: str
    is_word: bool

    @property
    def compiled(self) -> re.Pattern[str]:
        return _compiled(self.pattern)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, compiled when the first text needs it: there are many, and most are never met."""
    return re.compile(pattern)


_WORD: Final = "[A-Za-z0-9_-]"
_END: Final = "(?![A-Za-z0-9_-])"
# Looked for where only what is most common is.
_BRIEF: Final = ("sk-", "sk-ant-", "AKIA", "eyJ", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_")
_SIGNS: Final = {sign: re.compile(rf"{re.escape(sign)}(?=[A-Za-z0-9_/+-]{{12}})") for sign in "_-."}


def _kinds() -> Iterator[tuple[str, _Kind]]:
    """Yield each beginning with the kind that it is of."""
    for label, beginnings, rest in (*ISSUERS, *FORMATS, *HASHES):
        body = rest.replace("{w}", _WORD).replace("{end}", _END)
        for beginning in beginnings.split():
            anchor = beginning.replace("&", " ")
            yield anchor, _Kind(label, f"{re.escape(anchor)}{body}", is_word=re.search(r"\((?!\?)", body) is None)


_KINDS: Final = tuple(_kinds())
# Where many kinds begin with the same few characters, they are looked for together.
_BY_ANCHOR: Final[dict[str, list[_Kind]]] = {}
# Those that end in a sign are looked for by that sign, all at once: by their last three characters, then as a whole.
_BY_SIGN: Final[dict[str, dict[str, list[str]]]] = {sign: {} for sign in _SIGNS}
for _anchor, _one in _KINDS:
    if _anchor not in _BY_ANCHOR and _anchor[-1] in _SIGNS and _one.is_word and len(_anchor) > 2:
        _BY_SIGN[_anchor[-1]].setdefault(_anchor[-3:], []).append(_anchor)
    _BY_ANCHOR.setdefault(_anchor, []).append(_one)
_SIGNED: Final = {anchor for tails in _BY_SIGN.values() for anchors in tails.values() for anchor in anchors}
# These may stand in short words, or have blanks in them or behind them; the rest stands in long words alone.
_IN_SHORT_WORDS: Final = frozenset(
    ("://", "earer", "EARER", "uthorization", "UTHORIZATION", "rapidapi-key", "github-oauth", "gitlab-oauth", "gitlab-token",
     "<auth-user-pass>", "iscord", "ISCORD", ".dockerconfigjson", ".dockercfg", "jdbc:oracle:thin:", "jdbc:oracle:oci:",
     "otpauth://", "$argon2id$", "$argon2i$", "$argon2d$", "$scrypt$")
)  # fmt: skip
_ANYWHERE: Final = {anchor: kinds for anchor, kinds in _BY_ANCHOR.items() if " " in anchor or anchor in _IN_SHORT_WORDS}
_IN_LONG_WORDS: Final = {anchor: kinds for anchor, kinds in _BY_ANCHOR.items() if anchor not in {*_SIGNED, *_ANYWHERE}}
_BEGUN_BLOCKS: Final = (BEGIN, PUTTY)
# What the kinds begin with, the shortest first, save where words before a value make it one: those are told by a value being
# put behind them.
_ANCHORS: Final = sorted(
    (*(anchor for anchor in _BY_ANCHOR if "earer" not in anchor.lower() and " " not in anchor), *_BEGUN_BLOCKS), key=len
)
# Their beginnings, and whether such a beginning counts in the middle of a word.
_BEGINNINGS: Final[dict[str, bool]] = {}
for _anchor, _one in (*_KINDS, *((block, _Kind("", "", is_word=False)) for block in _BEGUN_BLOCKS)):
    for _size in range(1, len(_anchor)):
        _BEGINNINGS[_anchor[:_size]] = _BEGINNINGS.get(_anchor[:_size], False) or not _one.is_word
_LONGEST_BEGINNING: Final = max(map(len, _BEGINNINGS))
# The last word may be one of these, though nothing at its beginning tells.
_OPEN: Final = re.compile(r"[Aa]sic[ \t]{1,4}[A-Za-z0-9+/=]*\Z|ASIC[ \t]{1,4}[A-Za-z0-9+/=]*\Z")
_PROBE: Final = "aB3dE5fG7hJ9kL2mN4pQ6rS8"  # what looks random, whatever stands before it
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]{0,20}m$")


def known_spans(text: str, *, is_brief: bool = False) -> list[SecretSpan]:
    """Return where secrets of known kinds stand in `text`; in no particular order, and some may overlap.

    `is_brief` looks for the most common kinds only, several times as fast.
    """
    if is_brief:
        brief = (
            span for anchor in _BRIEF for at in places(text, anchor) for span in _of_kinds(_BY_ANCHOR[anchor], text, at)
        )
        return [*brief, *_blocks(text)]
    words = LongWords(text)
    found = [*_signed(text, words), *_anchored(text, words), *checked_keys(words)]
    found += [*in_context(text), *in_commands(text), *in_manifests(text)]
    return [*found, *_blocks(text), *keys_without_headers(text, words), *assigned(text)]


def issued_spans(text: str) -> list[SecretSpan]:
    """Return where keys stand in `text` that their own looks tell, whatever stands around them."""
    words = LongWords(text)
    return [*_signed(text, words), *_anchored(text, words), *checked_keys(words)]


def begins_known(text: str, word: int) -> bool:
    """Whether the last word of `text`, which starts at `word`, may be the beginning of a secret of a known kind."""
    last = text[word:]
    if _holds_anchor(last) or begins_checked(last) or _OPEN.search(text, max(0, word - 10)) is not None:
        return True
    for size in range(1, min(len(last), _LONGEST_BEGINNING) + 1):
        is_free = _BEGINNINGS.get(last[-size:])
        if is_free or (is_free is False and _begins_word(text, len(text) - size)):
            return True
    return any(span.start < len(text) < span.end for span in known_spans(text + _PROBE))


def _holds_anchor(word: str) -> bool:
    for anchor in _ANCHORS:
        if len(anchor) > len(word):
            return False
        if anchor in word:
            return True
    return False


def places(text: str, literal: str) -> Iterator[int]:
    """Yield where a literal stands."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def _signed(text: str, words: LongWords) -> Iterable[SecretSpan]:
    """Yield the secrets whose beginning ends in a sign."""
    for sign, pattern in _SIGNS.items():
        tails = _BY_SIGN[sign]
        after = 0
        for found in pattern.finditer(words.text):
            end = found.end()
            for anchor in tails.get(words.text[max(0, end - 3) : end], ()):
                start = end - len(anchor)
                if start >= after and words.text.startswith(anchor, start):
                    for span in _of_kinds(_BY_ANCHOR[anchor], text, words.original(start)):
                        after = max(after, end + span.end - words.original(end - 1) - 1)
                        yield span


def _anchored(text: str, words: LongWords) -> Iterable[SecretSpan]:
    if words.text:
        for anchor, kinds in _IN_LONG_WORDS.items():
            if anchor in words.text:
                yield from _apart(kinds, text, words.places(anchor))
    for anchor, kinds in _ANYWHERE.items():
        if anchor in text:
            yield from _apart(kinds, text, places(text, anchor))


def _apart(kinds: Sequence[_Kind], text: str, found: Iterable[int]) -> Iterable[SecretSpan]:
    """Yield the secrets that begin at these places, without what begins within one of them."""
    after = 0
    for at in found:
        if at >= after:
            for span in _of_kinds(kinds, text, at):
                after = max(after, span.end)
                yield span


def _of_kinds(kinds: Iterable[_Kind], text: str, at: int) -> Iterable[SecretSpan]:
    for kind in kinds:
        if kind.is_word and not _begins_word(text, at):
            continue
        found = kind.compiled.match(text, at)
        if found is not None:
            group = 0 if kind.is_word else 1
            yield SecretSpan(found.start(group), found.end(group), kind.label)


def _begins_word(text: str, at: int) -> bool:
    r"""Whether what begins here is no word's middle. The `n` of an escaped `\n`, or the end of a colour code, is no word."""
    if not at or not (text[at - 1].isalnum() and text[at - 1].isascii()):
        return True
    before = text[max(0, at - 24) : at]
    if before[-2:-1] == "\\" and before[-1] in "nrtbf":
        return True
    return before[-3:-2] == "%" or (before[-1] == "m" and _COLOUR.search(before) is not None)


def _blocks(text: str) -> Iterable[SecretSpan]:
    for begin in _BEGUN_BLOCKS:
        for at in places(text, begin):
            yield from key_block(text, at).spans
    for block in cut_blocks(text):
        yield from block.spans
    for at in places(text, END):
        yield from reversed_block(text, at).spans
