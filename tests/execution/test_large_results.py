"""Results too large for the model: kept whole, shown in part."""

from __future__ import annotations

import errno
import re
import tempfile
from pathlib import Path

import pytest
from fake_tools import Bench, FakeTool, rest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.events import Event, Notice
from tui_agent.execution import results
from tui_agent.execution.results import ResultStore


def stored_path(text: str) -> Path:
    found = re.search(r"the whole text is in (.+?)\] …", text)
    assert found, text
    return Path(found[1])


async def test_a_result_at_the_limit_is_passed_on_as_it_is(tmp_path: Path) -> None:
    store = ResultStore(tmp_path, lambda event: event)
    assert await store.fit("x" * 500, tool_use_id="t", limit=500) == ("x" * 500, None)
    assert list(tmp_path.iterdir()) == []


async def test_a_large_result_is_stored_whole_and_cut_to_equal_head_and_tail(tmp_path: Path) -> None:
    text = "".join(f"line {number}\r\n" for number in range(5_000))
    cut = (
        await ResultStore(tmp_path / "results", lambda event: event).fit(text, tool_use_id="toolu_1", limit=2_000)
    ).content
    assert isinstance(cut, str)
    assert len(cut) <= 2_000
    assert stored_path(cut).read_bytes() == text.encode()
    head, tail = cut.split("\n\n… [")[0], cut.split("] …\n\n")[1]
    assert len(head) == len(tail) > 500
    assert text.startswith(head)
    assert text.endswith(tail)
    assert f"{len(text) - len(head) - len(tail):,} of {len(text):,} characters left out" in cut


@given(st.binary(min_size=300, max_size=600))
@settings(max_examples=30, deadline=None)
async def test_bytes_that_are_no_utf_8_come_back_as_they_were(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    with tempfile.TemporaryDirectory() as folder:
        store = ResultStore(Path(folder), lambda event: event)
        cut = (await store.fit(text, tool_use_id="t", limit=len(text) - 1)).content
        assert isinstance(cut, str)
        assert stored_path(cut).read_bytes() == data


async def test_text_blocks_are_cut_and_others_kept(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"data": "A" * 9_000}}
    blocks = [{"type": "text", "text": "a" * 900}, image, {"type": "text", "text": "b" * 900}]
    fitted = (await ResultStore(tmp_path, lambda event: event).fit(blocks, tool_use_id="t", limit=1_000)).content
    assert isinstance(fitted, list)
    assert fitted[1:] == [image]
    assert stored_path(fitted[0]["text"]).read_text() == "a" * 900 + "\n" + "b" * 900


async def test_a_full_disk_costs_the_rest_of_the_text_and_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        path.write_bytes(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(results, "_write_bytes", full)
    events: list[Event] = []
    cut = (await ResultStore(tmp_path, events.append).fit("x" * 5_000, tool_use_id="t", limit=1_000)).content
    assert isinstance(cut, str)
    assert "could not be kept" in cut
    assert len(cut) <= 1_000
    (notice,) = events
    assert isinstance(notice, Notice)
    assert "No space left on device" in notice.text
    assert list(tmp_path.iterdir()) == [], "half a file must not look like a whole one"


async def test_an_id_cannot_lead_out_of_the_folder_and_nothing_is_overwritten(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results", lambda event: event)
    first = (await store.fit("a" * 500, tool_use_id="../../evil", limit=300)).content
    second = (await store.fit("b" * 500, tool_use_id="../../evil", limit=300)).content
    assert isinstance(first, str)
    assert isinstance(second, str)
    assert stored_path(first).parent == stored_path(second).parent == tmp_path / "results"
    assert stored_path(first).read_text() == "a" * 500
    assert stored_path(second).read_text() == "b" * 500


async def test_the_tools_own_limit_and_the_general_one_both_count(tmp_path: Path) -> None:
    small, large = FakeTool("Small", max_result_chars=1_000), FakeTool("Large", max_result_chars=90_000)
    bench = Bench(tmp_path, small, large)
    async with bench.executor() as executor:
        executor.add("t1", "Small", {"note": "x" * 1_001})
        executor.add("t2", "Large", {"note": "y" * 30_001})
        executor.add("t3", "Large", {"note": "z" * 30_000})
        outcomes = await rest(executor)
    assert all(len(outcome.content) <= limit for outcome, limit in zip(outcomes, (1_000, 30_000, 30_000), strict=True))
    assert stored_path(str(outcomes[0].content)).read_text() == "x" * 1_001
    assert stored_path(str(outcomes[1].content)).read_text() == "y" * 30_001
    assert outcomes[2].content == "z" * 30_000


async def test_without_a_folder_the_text_is_only_cut(tmp_path: Path) -> None:
    cut = (await ResultStore(None, lambda event: event).fit("x" * 5_000, tool_use_id="t", limit=1_000)).content
    assert isinstance(cut, str)
    assert "could not be kept" in cut
