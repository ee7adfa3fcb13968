"""Pages of texts against plain slicing of lines, for random texts, encodings, endings and ranges; large files like small."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from pathlib import Path
from threading import Event

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_bench import Bench

from tui_agent.tools import files
from tui_agent.tools.files import FileProblem
from tui_agent.tools.read import streaming
from tui_agent.tools.read.pages import LINE_CHARS, TextPage, page_of
from tui_agent.tools.read.streaming import Given, stream_page
from tui_agent.tools.read.texts import read_text
from tui_agent.tools.resolved_path import resolve
from tui_agent.tools.shared_read.content_cache import ContentCache

BUDGET = 29_000
LINES = st.lists(st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=12), max_size=30)
ENDINGS = st.sampled_from(["\n", "\r\n"])
OFFSETS = st.integers(1, 40)
LIMITS = st.none() | st.integers(1, 40)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"])


def expect(page: TextPage, lines: list[str], offset: int, limit: int | None) -> None:
    """What a list of lines says."""
    wanted = lines[offset - 1 :][:limit]
    assert list(page.lines) == wanted
    assert page.start == offset
    assert page.has_more == bool(lines[offset - 1 + len(wanted) :] and wanted)
    assert page.is_complete
    assert not page.is_cut


@settings(deadline=None)
@given(lines=LINES, ending=ENDINGS, is_ended=st.booleans(), encoding=ENCODINGS, offset=OFFSETS, limit=LIMITS)
def test_a_page_is_a_slice_of_the_lines(
    lines: list[str], ending: str, is_ended: bool, encoding: str, offset: int, limit: int | None
) -> None:
    text = ending.join(lines) + (ending if is_ended and lines else "")
    if lines and not is_ended and not lines[-1]:
        lines = lines[:-1]  # an end without a line after it
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(text.encode(encoding))
        cache = ContentCache()
        for _ in range(2):
            page, record = read_text(resolve(str(path)), offset, limit, BUDGET, cache, Event())
            expect(page, lines, offset, limit)
            assert page.total == record.total_lines == len(lines)
            assert record.is_partial == (lines != list(page.lines))
        if encoding in ("utf-8", "utf-8-sig"):
            page, _ = stream_page(resolve(str(path)), offset, limit, BUDGET, Event())
            assert list(page.lines) == lines[offset - 1 :][:limit]
            assert page.has_more == bool(page.lines and lines[offset - 1 + len(page.lines) :])
            assert page.total == (None if page.lines else len(lines))


LONG_LINES = st.lists(st.sampled_from(["", "short", "é" * 700, "x" * 2500, "y" * 30_000]), min_size=1, max_size=40)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(lines=LONG_LINES, offset=st.integers(1, 40), limit=LIMITS, budget=st.sampled_from([4000, 29_000]))
def test_what_does_not_fit_is_cut_by_line_and_then_by_page(
    lines: list[str], offset: int, limit: int | None, budget: int
) -> None:
    text = "\n".join(lines) + "\n"
    page = page_of(text, offset, limit, budget)
    wanted = lines[offset - 1 :][:limit]
    assert len(page.numbered()) <= budget + LINE_CHARS
    assert page.is_complete == (len(page.lines) == len(wanted))
    for line, whole in zip(page.lines, wanted, strict=False):
        assert line == whole or line.startswith(f"{whole[:LINE_CHARS]}… [line cut: {LINE_CHARS:,} of {len(whole):,}")
    if sum(len(line) + 8 for line in wanted) <= budget:
        assert list(page.lines) == wanted
    if wanted:
        assert page.lines
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_text(text, encoding="utf-8")
        streamed, _ = stream_page(resolve(str(path)), offset, limit, budget, Event())
        assert len(streamed.lines) == len(page.lines)
        assert [line.partition("…")[0] for line in streamed.lines] == [line.partition("…")[0] for line in page.lines]
        assert streamed.has_more == page.has_more


def test_lines_across_the_pieces_of_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    lines = [f"{number} " + "é" * (number % 23) for number in range(400)]
    path.write_text("\n".join(lines), encoding="utf-8")
    for size in (1, 2, 7, 64):
        monkeypatch.setattr(streaming, "_PIECE", size)
        for offset in (1, 2, 57, 399, 400, 401):
            page, _ = stream_page(resolve(str(path)), offset, 9, BUDGET, Event())
            assert list(page.lines) == lines[offset - 1 :][:9]


def test_a_search_nobody_waits_for_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a\n" * 100)
    stopped = Event()
    stopped.set()
    with pytest.raises(Given):
        stream_page(resolve(str(path)), 50, 1, BUDGET, stopped)


def test_a_large_file_in_an_old_encoding_is_shown_as_text(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes("Größe: 3 €\nMaß\n".encode("cp1252"))
    page, _ = stream_page(resolve(str(path)), 1, None, BUDGET, Event())
    assert page.lines == ("Größe: 3 €", "Maß")
    path.write_bytes(b"text\n" * 5000 + b"\0\0\0\n")
    with pytest.raises(FileProblem, match="control characters"):
        stream_page(resolve(str(path)), 5000, 2, BUDGET, Event())


async def test_bytes_come_as_base64_when_asked_for(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, result_chars=2000)
    data = bytes(range(256)) * 8
    runtime.write("f", data, is_read=False)
    wanted = {"file_path": "f", "encoding": "base64"}
    small = await runtime.run("Read", {**wanted, "offset": 3, "limit": 5})
    assert small.text == f"{b64encode(data[2:7]).decode()}\n\n[PARTIAL view: bytes 3–7 of 2048. Read on with offset=8.]"
    first = await runtime.run("Read", wanted)
    assert first.text.partition("\n")[0] == b64encode(data[:750]).decode()
    assert first.data["file"]["numBytes"] == 750
    assert "byte 4000 is past its end" in (await runtime.run("Read", {**wanted, "offset": 4000})).text
    runtime.write("tiny", b"\0\1", is_read=False)
    assert (await runtime.run("Read", {**wanted, "file_path": "tiny"})).text == "AAE="
    assert (await runtime.run("Read", {**wanted, "file_path": "."})).code == "folder"
    assert runtime.files.get(str(tmp_path / "f")) is None


async def test_what_the_kernel_makes_up_is_read_without_waiting(tmp_path: Path) -> None:
    runtime = Bench(tmp_path)
    assert "MemTotal" in (await runtime.run("Read", {"file_path": "/proc/meminfo"})).text
    assert (await runtime.run("Read", {"file_path": "/proc/sys/kernel/ostype"})).text == "1\tLinux"
    assert (await runtime.run("Read", {"file_path": "/proc/self/mem"})).is_error
    assert (await runtime.run("Read", {"file_path": "/dev/tty"})).code in ("not_regular", "missing")


async def test_a_file_larger_than_its_limit_is_paged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "WHOLE_FILE_LIMIT", 10)
    monkeypatch.setattr(files.load, "__defaults__", (10,))
    runtime = Bench(tmp_path)
    runtime.write("f", "one\ntwo\nthree\nfour\n", is_read=False)
    ran = await runtime.run("Read", {"file_path": "f", "offset": 3})
    assert ran.text == "3\tthree\n4\tfour\n\n[PARTIAL view: lines 3–4, the file is too large to count the rest.]"
    known = runtime.files.get(str(tmp_path / "f"))
    assert known is not None
    assert known.hash == ""
