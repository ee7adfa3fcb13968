"""Results too large for the model: kept whole, shown in part."""

from __future__ import annotations

import errno
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from fake_tools import Bench, FakeInput, FakeTool, rest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.events import Event, Notice
from tui_agent.execution import results
from tui_agent.execution.errors import unwrap
from tui_agent.execution.execution_context import ToolOutcome
from tui_agent.execution.results import REPLY_CHARS, ResultStore, allot, text_chars
from tui_agent.tools.base import Invalid, Result, ToolContext


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
    runtime = Bench(tmp_path, small, large)
    async with runtime.executor() as executor:
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


# --- errors ----------------------------------------------------------------------------------------------------------


async def test_a_failing_result_over_ten_thousand_characters_loses_its_middle_and_is_kept_whole(tmp_path: Path) -> None:
    async def body(input: FakeInput, ctx: ToolContext) -> Any:
        yield Result(f"Exit code 1\n{'x' * 12_000}END", is_error=True)

    runtime = Bench(tmp_path, FakeTool(body=body))
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {})
        (outcome,) = await rest(executor)
    inner = unwrap(str(outcome.content))
    assert inner is not None
    assert len(inner) <= 10_000
    assert inner.startswith("Exit code 1\n")
    assert inner.endswith("END")
    assert stored_path(inner).read_text().endswith("END")


async def test_an_error_of_any_stage_is_cut_in_the_middle(tmp_path: Path) -> None:
    long = "a" * 30_000
    tools = (FakeTool("Raises", validate=ValueError(long)), FakeTool("Refuses", validate=Invalid(long, "long")))
    runtime = Bench(tmp_path, *tools)
    async with runtime.executor() as executor:
        executor.add("t1", "Raises", {})
        executor.add("t2", "Refuses", {})
        executor.add("t3", long, {})
        outcomes = await rest(executor)
    assert all(len(str(outcome.content)) < 10_200 for outcome in outcomes)


async def test_output_that_a_tool_kept_itself_is_not_stored_again(tmp_path: Path) -> None:
    kept = tmp_path / "own.txt"
    kept.write_text("everything")

    class Keeping(FakeTool):
        def to_data(self, output: str) -> dict[str, Any]:
            return {"persistedOutputPath": str(kept)}

    runtime = Bench(tmp_path, Keeping())
    async with runtime.executor() as executor:
        executor.add("t1", "Fake", {"note": "x" * 40_000})
        (outcome,) = await rest(executor)
    assert outcome.kept_in == str(kept)
    assert str(kept) in str(outcome.content)
    assert not (tmp_path / "results").exists()


# --- all results of one reply ----------------------------------------------------------------------------------------


def outcome(number: int, content: Any, **more: Any) -> ToolOutcome:
    return ToolOutcome(tool_use_id=f"t{number}", name="Fake", content=content, **more)


@given(st.lists(st.integers(0, 30_000), max_size=40), st.integers(1, 250_000))
def test_what_is_allotted_fits_and_the_largest_give_first(lengths: list[int], limit: int) -> None:
    allowed = allot(lengths, limit)
    assert sum(allowed) <= limit or sum(lengths) <= limit
    assert all(0 <= kept <= length for kept, length in zip(allowed, lengths, strict=True))
    if sum(lengths) <= limit:
        assert allowed == lengths
    cut = [length for kept, length in zip(allowed, lengths, strict=True) if kept < length]
    whole = [length for kept, length in zip(allowed, lengths, strict=True) if kept == length]
    assert not cut or not whole or max(whole, default=0) <= max(min(cut), 4_000)


async def test_together_over_the_limit_the_largest_go_to_disk_and_the_rest_stays(tmp_path: Path) -> None:
    sizes = [30_000, 29_000, 28_000, 30_000, 27_000, 26_000, 25_000, 24_000]
    outcomes = [outcome(number, chr(97 + number) * size) for number, size in enumerate(sizes)]
    shorter = await ResultStore(tmp_path, lambda event: event).fit_together(outcomes)
    assert list(shorter) == ["t0"], "219,000 characters: one preview in the place of 30,000 is enough"
    text = str(shorter["t0"])
    assert len(text) <= 4_000
    assert stored_path(text).read_text() == "a" * 30_000
    head, tail = text.split("\n\n… [")[0], text.split("] …\n\n")[1]
    assert head == tail == "a" * len(head)


async def test_what_lies_on_disk_already_is_named_and_not_stored_again(tmp_path: Path) -> None:
    outcomes = [outcome(number, "x" * 30_000, kept_in=f"/kept/{number}") for number in range(8)]
    store = ResultStore(tmp_path, lambda event: event)
    shorter = await store.fit_together(outcomes)
    assert "the whole text is in /kept/0]" in str(shorter["t0"])
    assert list(tmp_path.iterdir()) == []


async def test_an_error_stays_an_error_and_other_blocks_stay_as_they_are(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"data": "A" * 9_000}}
    outcomes = [
        outcome(0, f"<tool_use_error>{'e' * 30_000}</tool_use_error>", is_error=True),
        outcome(1, [image, {"type": "text", "text": "t" * 30_000}]),
    ]
    shorter = await ResultStore(tmp_path, lambda event: event).fit_together(outcomes, 20_000)
    assert unwrap(str(shorter["t0"])) is not None
    assert len(str(shorter["t0"])) <= 4_000
    content = shorter["t1"]
    assert isinstance(content, list)
    assert content[1] == image


@given(st.lists(st.integers(0, 3_000), min_size=1, max_size=60), st.integers(100, 4_000))
@settings(max_examples=40, deadline=None)
async def test_however_many_there_are_they_stay_within_the_limit(sizes: list[int], limit: int) -> None:
    outcomes = [outcome(number, "x" * size) for number, size in enumerate(sizes)]
    with tempfile.TemporaryDirectory() as folder:
        shorter = await ResultStore(Path(folder), lambda event: event).fit_together(outcomes, limit)
    total = sum(text_chars(shorter.get(one.tool_use_id, one.content)) for one in outcomes)
    assert total <= max(limit, 0)
    assert REPLY_CHARS == 200_000


async def test_on_a_full_disk_results_are_cut_all_the_same_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(results, "_write_bytes", full)
    events: list[Event] = []
    outcomes = [outcome(number, "x" * 30_000) for number in range(9)]
    shorter = await ResultStore(tmp_path, events.append).fit_together(outcomes)
    assert len(shorter) == 3
    assert all("could not be kept" in str(text) for text in shorter.values())
    assert [type(event) for event in events] == [Notice], "once is enough"
