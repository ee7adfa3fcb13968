"""No tool writes a text that nobody could read as text again, however much of the change is taken."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_bench import Bench

from tui_agent.tools.encodings import decode
from tui_agent.tools.file_changes.checks import RefusedChange, check_result

FAR = "\n" * 9
MARK = "\ufeff"
GOOD = "one\n" + FAR + "two\n"


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def by_edit(path: Path, before: str, after: str) -> tuple[str, dict[str, Any]]:
    return "Edit", {"file_path": str(path), "old_string": before, "new_string": after}


def by_write(path: Path, _before: str, after: str) -> tuple[str, dict[str, Any]]:
    return "Write", {"file_path": str(path), "content": after}


def by_multi_edit(path: Path, before: str, after: str) -> tuple[str, dict[str, Any]]:
    edits = [{"old_string": before, "new_string": after}]
    return "MultiEdit", {"edits": [{"file_path": str(path), "edits": edits}]}


WAYS = [by_edit, by_write, by_multi_edit]


@pytest.mark.parametrize("way", WAYS)
async def test_a_nul_is_refused_with_its_line_and_the_file_stays_readable(way: Any, runtime: Bench) -> None:
    path = runtime.write("f", GOOD)
    ran = await runtime.run(*way(path, GOOD, GOOD.replace("two", "t\0wo")))
    assert (ran.code, ran.kind, path.read_text()) == ("binary", "validation", GOOD)
    assert "NUL character in line 11" in ran.text
    assert not (await runtime.run("Read", {"file_path": str(path)})).is_error
    assert not (await runtime.run(*way(path, GOOD, GOOD.replace("two", "2")))).is_error


@pytest.mark.parametrize("way", [by_edit, by_write])
async def test_a_new_file_is_refused_as_well(way: Any, runtime: Bench) -> None:
    path = runtime.folder / "new"
    assert (await runtime.run(*way(path, "", "a\0"))).code == "binary"
    assert not path.exists()


@pytest.mark.parametrize("way", WAYS)
async def test_many_control_characters_are_as_bad_as_a_nul(way: Any, runtime: Bench) -> None:
    path = runtime.write("f", GOOD)
    ran = await runtime.run(*way(path, GOOD, "\1\2\3 and a word"))
    assert (ran.code, path.read_text()) == ("binary", GOOD)
    assert "control characters" in ran.text


@pytest.mark.parametrize("way", WAYS)
async def test_what_the_person_makes_of_the_change_is_looked_at_too(way: Any, runtime: Bench) -> None:
    path = runtime.write("f", GOOD)
    ran = await runtime.run(*way(path, GOOD, GOOD.replace("two", "2")), edited="a\0b")
    assert (ran.code, path.read_text()) == ("binary", GOOD)


async def test_a_part_may_be_binary_where_the_whole_is_not(runtime: Bench) -> None:
    text = "\1" * 9 + "\n" + FAR + "two\n"
    path = runtime.write("f", "one\n" + FAR + "two\n")
    name, raw = by_write(path, "", text + "word " * 99)
    assert (await runtime.run(name, raw, accepted={0})).code == "binary"
    assert path.read_text() == GOOD


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, b""])
async def test_sixteen_bits_a_character_are_no_control_characters(mark: bytes, runtime: Bench) -> None:
    path = runtime.write("f", mark + GOOD.encode("utf-16-le"))
    assert not (await runtime.run(*by_edit(path, "two", "2"))).is_error
    assert (await runtime.run(*by_edit(path, "one", "o\0ne"))).code == "binary"
    assert path.read_bytes() == mark + GOOD.replace("two", "2").encode("utf-16-le")


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.just("utf-8"))
def test_what_passes_can_be_read_again(text: str, encoding: str) -> None:
    try:
        data = check_result("/f", text, encoding)
    except RefusedChange:
        return
    assert decode(data).text.removeprefix(MARK) == text.removeprefix(MARK)
