"""Edits of files in any encoding, with any line endings and quotes, against a plain reference that works unit by unit."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tool_bench import Bench

from tui_agent.tools.edit.matching import NoEffectError, NotFoundError, NotUniqueError, replace

SINGLE, DOUBLE = "'‘’′", '"“”″'
ENCODINGS = {
    "utf-8": ("", "é文😀"),
    "utf-8-bom": ("utf-8", "é文😀"),
    "utf-16-le": ("utf-16-le", "é文😀"),
    "utf-16-be": ("utf-16-be", "é文"),
    "utf-32-le": ("utf-32-le", "é😀"),
    "cp1252": ("", "éß"),
}
BOMS = {
    "utf-8-bom": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\0\0",
}


class RefusalError(Exception):
    """The reference refuses an edit."""


def units(text: str) -> list[str]:
    """Characters, but a Windows line ending is one unit."""
    out: list[str] = []
    for character in text:
        if character == "\n" and out and out[-1] == "\r":
            out[-1] = "\r\n"
        else:
            out.append(character)
    return out


def plain(unit: str, *, quotes: bool) -> str:
    if unit == "\r\n":
        return "\n"
    if quotes and unit in SINGLE:
        return "'"
    return '"' if quotes and unit in DOUBLE else unit


def reference(text: str, old: str, new: str, every: bool) -> str:
    """Search and replace, one position after the other."""
    there = units(text)
    for by_quotes in (False, True):
        flat = [plain(unit, quotes=by_quotes) for unit in there]
        wanted = [plain(unit, quotes=by_quotes) for unit in units(old)]
        starts = [at for at in range(len(flat)) if flat[at : at + len(wanted)] == wanted]
        if starts:
            break
    else:
        raise RefusalError("not_found")
    if len(starts) > 1 and not every:
        raise RefusalError("not_unique")
    out: list[str] = []
    at = 0
    while at < len(there):
        if at not in starts:
            out.append(there[at])
            at += 1
            continue
        matched = there[at : at + len(wanted)]
        put = units(new)
        if by_quotes:
            for family in (SINGLE, DOUBLE):
                put = in_family(put, [unit for unit in matched if unit in family], family)
        out += [ending_near(there, at, unit) if unit in ("\n", "\r\n") else unit for unit in put]
        at += len(wanted)
    if "".join(out) == text:
        raise RefusalError("no_change")
    return "".join(out)


def in_family(put: list[str], there: list[str], family: str) -> list[str]:
    own = [unit for unit in put if unit in family]
    if not there:
        return put
    if len(own) == len(there):
        kinds = list(there)
        return [kinds.pop(0) if unit in family else unit for unit in put]
    straight, opening, closing, prime = family
    out: list[str] = []
    for index, unit in enumerate(put):
        if unit not in family:
            out.append(unit)
        elif opening in there or closing in there:
            before = out[index - 1] if index else " "
            opens = before in " \n\t\r\n([{<—–-/=“‘\"'"
            out.append(opening if opens else closing)
        else:
            out.append(prime if prime in there else straight)
    return out


def ending_near(there: list[str], at: int, written: str) -> str:
    after = [unit for unit in there[at:] if unit in ("\n", "\r\n")]
    before = [unit for unit in there[:at] if unit in ("\n", "\r\n")]
    return after[0] if after else before[-1] if before else written


CHARACTERS = st.sampled_from(["a", "b", " ", "\n", "\n", "'", '"', "‘", "’", "“", "”", "′", "″", "("])


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str, str, bool]:
    """A text, a piece of it as a model may write it, and what to put in its place."""
    style = draw(st.sampled_from(["\n", "\r\n", "mixed"]))
    text = ""
    for character in draw(st.lists(CHARACTERS, min_size=1, max_size=40)):
        if character == "\n":
            character = draw(st.sampled_from(["\n", "\r\n"])) if style == "mixed" else style
        text += character
    there = units(text)
    start = draw(st.integers(0, len(there) - 1))
    stop = draw(st.integers(start + 1, len(there)))
    straightens = draw(st.booleans())
    old = "".join(plain(unit, quotes=straightens) for unit in there[start:stop])
    new = "".join(draw(st.lists(CHARACTERS, max_size=12)))
    if draw(st.booleans()):
        new = new.replace("\n", "\r\n")
    return text, old, new, draw(st.booleans())


@given(edits())
@settings(max_examples=400)
def test_replacing_does_what_the_reference_does(edit: tuple[str, str, str, bool]) -> None:
    text, old, new, every = edit
    try:
        expected = reference(text, old, new, every)
    except RefusalError as refused:
        kinds = {"not_found": NotFoundError, "not_unique": NotUniqueError, "no_change": NoEffectError}
        with pytest.raises(kinds[str(refused)]):
            replace(text, old, new, every=every)
        return
    assert replace(text, old, new, every=every).text == expected


@given(edits(), st.sampled_from(sorted(ENCODINGS)), st.data())
@settings(max_examples=60, deadline=None)
def test_an_edit_keeps_every_byte_outside_the_change(
    edit: tuple[str, str, str, bool], encoding: str, data: st.DataObject
) -> None:
    text, old, new, every = edit
    codec, extra = ENCODINGS[encoding]
    codec = codec or ("cp1252" if encoding == "cp1252" else "utf-8")
    if encoding == "cp1252":  # no primes there
        text, old, new = (piece.replace("′", "'").replace("″", '"') for piece in (text, old, new))
    # something that only this encoding writes so, before and after; far enough from the edit not to take part in it
    text = f"{data.draw(st.sampled_from(list(extra)))}x{text}x{extra}"
    bom = BOMS.get(encoding, b"")
    before = bom + text.encode(codec)
    if encoding == "cp1252" and not any(0x80 <= byte < 0xA0 for byte in before):
        codec = "latin-1"  # the two write it alike, and Latin-1 is taken to be meant: it has none of the others' extras
    try:
        expected: bytes | None = bom + reference(text, old, new, every).encode(codec)
    except (RefusalError, UnicodeEncodeError):
        expected = None

    async def run() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            runtime = Bench(Path(folder))
            path = runtime.write("f.txt", before)
            ran = await runtime.run(
                "Edit", {"file_path": str(path), "old_string": old, "new_string": new, "replace_all": every}
            )
            assert ran.is_error == (expected is None or old == new), ran.text
            return path.read_bytes()

    assert asyncio.run(run()) == (before if expected is None or old == new else expected)


def test_an_old_macintosh_file_keeps_its_endings() -> None:
    assert replace("a\rb\rc", "a\nb", "a\nx\nb", every=False).text == "a\rx\rb\rc"


def test_places_that_overlap_are_not_one_place() -> None:
    with pytest.raises(NotUniqueError):
        replace("aaa", "aa", "b", every=False)


def test_quotes_of_the_new_text_take_the_kind_of_those_they_replace() -> None:
    text = "say “it’s ‘fine’” and 6′ 2″"
    assert replace(text, "\"it's 'fine'\"", "\"it's 'good'\"", every=False).text == "say “it’s ‘good’” and 6′ 2″"
    assert replace(text, "6' 2\"", "5' 11\"", every=False).text == "say “it’s ‘fine’” and 5′ 11″"
    assert replace("f('a', ‘b’)", "('a', 'b')", "('a')", every=False).text == "f(‘a’)"


def test_quotes_are_left_alone_where_the_text_is_there_as_written() -> None:
    replaced = replace("“a” and b", "b", "'b'", every=False)
    assert (replaced.text, replaced.is_by_quotes) == ("“a” and 'b'", False)


def test_every_place_is_replaced_and_counted() -> None:
    replaced = replace("a b a b a", "a", "aa", every=True)
    assert (replaced.text, replaced.count) == ("aa b aa b aa", 3)
