"""Lines that are too long to show: the part with the match in it, and what stands around it.

ripgrep shows the beginning of a long line. Where the match is not in there, which is usual in minified files and in records of
one line, the few lines that are shown are searched once more, for the match together with its neighbourhood.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Iterable
from dataclasses import replace
from typing import Final

from tui_agent.tools.grep.findings import Findings
from tui_agent.tools.grep.input import LINE_BYTES, GrepInput
from tui_agent.tools.shared_search.ripgrep import COMMON, RipgrepError, Search, without_dot
from tui_agent.tools.shared_search.search_root import SearchRoot

__all__ = ["CUT", "beginning", "show_matches"]

CUT: Final = "…"
_AROUND: Final = 300  # characters shown in front of a match and behind it
_MATCH: Final = 400  # of the match itself
_MOST_BYTES: Final = 20_000_000  # that are read to find them; what is not found by then keeps its beginning
_TIME_S: Final = 5.0
_REMARK: Final = re.compile(r" \[\.\.\. (?:omitted end of long line|[0-9]+ more match(?:es)?)\]\Z")
_PARTING: Final = "\x1f\x1e\x1f"  # between what stands in front, the match, and what stands behind
_META: Final = re.compile(r"[\\.+*?()|\[\]{}^$#&\-~]")
_IN_IGNORE_FILES: Final = re.compile(r"[\\*?\[\]{}!#\s]")
_FOUND: Final = re.compile(rb"([^\0\n]*)\0([0-9]+):([0-9]+):([^\n]*)\n")


def beginning(text: str) -> str | None:
    """Return what ripgrep shows of a line that is too long, with a sign for the rest; None for a line that is whole."""
    if len(text) < LINE_BYTES // 4:  # a character takes four bytes at most
        return None
    remark = _REMARK.search(text)
    return None if remark is None else text[: remark.start()] + CUT


async def show_matches(
    found: Findings, input: GrepInput, place: SearchRoot, extra: Iterable[str], *, time_s: float
) -> None:
    """Put the part with the first match into each line that was cut; those that cannot be had stay as they are."""
    wanted = {(path, found.lines[at].number): at for at, path in found.cut.items()}
    if not wanted or input.only_matching or input.multiline or "\n" in input.pattern:
        return
    search = Search(
        [*extra, *_arguments(input, place)],
        place,
        timeout_s=min(_TIME_S, time_s),
        ignore="" if place.is_file else _only({path for path, _ in wanted}),
    )
    chunks = search.chunks()
    try:
        await _take(chunks, wanted, found, place)
    except RipgrepError:
        return  # a pattern that cannot stand in a group, say: the lines keep their beginning
    finally:
        await chunks.aclose()


async def _take(
    chunks: AsyncGenerator[bytes], wanted: dict[tuple[bytes, int], int], found: Findings, place: SearchRoot
) -> None:
    rest, size = b"", 0
    async for chunk in chunks:
        size += len(chunk)
        rest += chunk
        end = rest.rfind(b"\n") + 1
        for match in _FOUND.finditer(rest[:end]):
            path = next(iter(wanted))[0] if place.is_file and wanted else match[1]
            at = wanted.pop((path, int(match[2])), None)
            if at is not None and await asyncio.to_thread(_is_settled, place, path, match[4]):
                text = _excerpt(match[4].decode("utf-8", "replace"), is_start=match[3] == b"1")
                found.lines[at] = replace(found.lines[at], text=text)
        rest = rest[end:]
        if not wanted or size > _MOST_BYTES:
            return


def _is_settled(place: SearchRoot, path: bytes, found: bytes) -> bool:
    """Whether what was found is the file's own, behind no link that came since."""
    name, text = os.fsdecode(without_dot(path)), found.replace(_PARTING.encode(), b"")
    return place.settled is None or place.settled.holds(name, [text])


def _excerpt(text: str, *, is_start: bool) -> str:
    """Return what is shown of a line, given as what stands in front, the match and what stands behind it."""
    before, parting, rest = text.partition(_PARTING)
    match, _, after = rest.rpartition(_PARTING)
    if not parting:
        return text[: 2 * _AROUND] + CUT
    shown = ("" if is_start else CUT) + before
    if len(match) > _MATCH:
        return shown + match[:_MATCH] + CUT
    is_end = len(after) <= _AROUND
    return shown + match + (after.removesuffix("\r") if is_end else after[:_AROUND] + CUT)


def _arguments(input: GrepInput, place: SearchRoot) -> list[str]:
    pattern = _META.sub(r"\\\g<0>", input.pattern) if input.literal else input.pattern
    near = f"(?P<tui_before>.{{0,{_AROUND}}}?)(?P<tui_match>{pattern})(?P<tui_after>.{{0,{_AROUND + 1}}})"
    shown = _PARTING.join(("${tui_before}", "${tui_match}", "${tui_after}"))
    out = [
        *COMMON,
        "--with-filename",
        "--no-heading",
        "--line-number",
        "--column",
        "--only-matching",
        f"--replace={shown}",
    ]
    if input.ignore_case:
        out.append("--ignore-case")
    return [*out, "-e", near, "--", place.target]


def _only(paths: set[bytes]) -> str:
    """Return an ignore file that leaves nothing but these files, and of the folders only those on the way to them."""
    lines = ["*"]
    for path in sorted(paths):
        parts = [_IN_IGNORE_FILES.sub(r"\\\g<0>", part) for part in os.fsdecode(without_dot(path)).split("/")]
        lines += [f"!/{'/'.join(parts[:depth])}/" for depth in range(1, len(parts))]
        lines.append(f"!/{'/'.join(parts)}")
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))
