"""Where a secret stands in a text, and the mask that takes its place: `[secret: GITHUB_TOKEN]`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

__all__ = ["MASK", "SecretSpan", "mask_for", "mask_spans", "merge_spans"]

MASK: Final = re.compile(r"\[secret: ([^\[\]\n]{1,60})\]")
_LONGEST_LABEL: Final = 60
_NOT_IN_LABELS: Final = re.compile(r"[^A-Za-z0-9_. -]")


class SecretSpan(NamedTuple):
    """One secret: the characters from `start` up to `end`, and what it is in a few words."""

    start: int
    end: int
    label: str


def mask_for(label: str) -> str:
    """Return the mask for a secret that is called so."""
    return f"[secret: {_NOT_IN_LABELS.sub('_', label)[:_LONGEST_LABEL] or 'value'}]"


def merge_spans(spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Return spans in order; where some overlap, one that covers them all, called as the first of the longest is."""
    out: list[SecretSpan] = []
    widths: list[int] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if out and span.start < out[-1].end:
            last, width = out[-1], span.end - span.start
            label = span.label if width > widths[-1] else last.label
            out[-1] = SecretSpan(last.start, max(last.end, span.end), label)
            widths[-1] = max(widths[-1], width)
        else:
            out.append(span)
            widths.append(span.end - span.start)
    return out


def mask_spans(text: str, spans: Iterable[SecretSpan]) -> str:
    """Return `text` with a mask in the place of each of the spans, which are in order and do not overlap."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span.start], mask_for(span.label))
        at = span.end
    return "".join((*parts, text[at:])) if parts else text
