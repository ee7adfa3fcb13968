"""The text object between tags, as HTML has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["tagged"]

_TAG: Final = re.compile(r"<(?P<closes>/?)(?P<name>[^\s/<>]+)(?:[^<>]*[^/<>])?>")


class _Pair(NamedTuple):
    start: int
    inner_start: int
    inner_stop: int
    stop: int


def tagged(text: str, at: int, count: int, *, is_around: bool) -> tuple[int, int] | None:
    """Return what stands in the pair of tags around a place, and with `is_around` these too; None where there is no such pair.

    `count` takes the pairs from the inside out.
    """
    around = sorted((pair for pair in _pairs(text) if pair.start <= at < pair.stop), key=lambda pair: -pair.start)
    if len(around) < count:
        return None
    pair = around[count - 1]
    return (pair.start, pair.stop) if is_around else (pair.inner_start, pair.inner_stop)


def _pairs(text: str) -> Iterator[_Pair]:
    """Yield each tag with the one that closes it; a tag that nothing closes is passed over."""
    opened: list[re.Match[str]] = []
    for tag in _TAG.finditer(text):
        if not tag["closes"]:
            opened.append(tag)
            continue
        place = next(
            (at for at in range(len(opened) - 1, -1, -1) if opened[at]["name"].lower() == tag["name"].lower()), None
        )
        if place is not None:
            yield _Pair(opened[place].start(), opened[place].end(), tag.start(), tag.end())
            del opened[place:]
