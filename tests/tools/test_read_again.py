"""What was read is kept in bounds, and not sent again while the model has it before it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_bench import Bench, Ran

from tui_agent.engine.conversation.history import History
from tui_agent.media import Media, document_block, image_block, media_in
from tui_agent.tools.resolved_path import resolve
from tui_agent.tools.services import Services
from tui_agent.tools.shared_read import cached_files
from tui_agent.tools.shared_read.cached_files import load_cached
from tui_agent.tools.shared_read.content_cache import ContentCache, Stamp


@dataclass
class Talk:
    """A bench whose results enter a history, each under an id of its own."""

    runtime: Bench
    history: History = field(default_factory=History)
    ids: Iterator[int] = field(default_factory=lambda: iter(range(1, 1000)))

    def __post_init__(self) -> None:
        self.runtime.services = replace(self.runtime.services, conversation=self.history)

    async def run(self, name: str, **raw: Any) -> Ran:
        use_id = self.runtime.tool_use_id = f"toolu_{next(self.ids)}"
        self.history.add_user("go")
        ran = await self.runtime.run(name, raw)
        self.history.add_reply([{"type": "tool_use", "id": use_id, "name": name, "input": raw}])
        self.history.add_result(use_id, ran.content or ran.text, is_error=ran.is_error)
        return ran

    async def is_unchanged(self, **raw: Any) -> bool:
        return (await self.run("Read", **raw)).data.get("type") == "file_unchanged"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    runtime = Bench(tmp_path)
    runtime.write("f", "".join(f"line {number}\n" for number in range(20)), is_read=False)
    return Talk(runtime)


async def test_the_same_read_again_says_only_that_nothing_changed(talk: Talk) -> None:
    assert not await talk.is_unchanged(file_path="f")
    again = await talk.run("Read", file_path="f", offset=1)
    assert again.data == {
        "type": "file_unchanged",
        "file": {"filePath": str(talk.runtime.folder / "f"), "toolUseId": "toolu_1"},
    }
    assert "unchanged" in again.text
    assert await talk.is_unchanged(file_path="f", limit=100)
    assert not await talk.is_unchanged(file_path="f", offset=3)
    assert await talk.is_unchanged(file_path="f", offset=3)
    assert await talk.is_unchanged(file_path="f")
    known = talk.runtime.files.get(str(talk.runtime.folder / "f"))
    assert known is not None
    assert not known.is_partial


async def test_another_time_of_the_same_content_is_no_change(talk: Talk) -> None:
    await talk.run("Read", file_path="f")
    os.utime(talk.runtime.folder / "f", (1, 1))
    assert await talk.is_unchanged(file_path="f")


async def test_changed_content_is_shown(talk: Talk) -> None:
    path = talk.runtime.folder / "f"
    await talk.run("Read", file_path="f")
    before = path.read_text()
    path.write_text(before.replace("line 3", "LINE 3"))
    assert "LINE 3" in (await talk.run("Read", file_path="f")).text
    path.write_text(before)
    assert not await talk.is_unchanged(file_path="f"), "what was written in between would be believed to be there"


async def test_after_an_edit_the_file_is_shown(talk: Talk) -> None:
    await talk.run("Read", file_path="f")
    await talk.run("Edit", file_path="f", old_string="line 3\n", new_string="LINE 3\n")
    assert "LINE 3" in (await talk.run("Read", file_path="f")).text


async def test_what_the_model_has_no_more_is_shown(talk: Talk) -> None:
    await talk.run("Read", file_path="f")
    talk.history.clear()
    assert not await talk.is_unchanged(file_path="f")
    assert await talk.is_unchanged(file_path="f")
    talk.runtime.files.clear()
    assert not await talk.is_unchanged(file_path="f")


async def test_a_result_that_was_cut_since_is_shown_again(talk: Talk) -> None:
    await talk.run("Read", file_path="f")
    talk.history.shrink("toolu_1", "[an earlier result]")
    assert not await talk.is_unchanged(file_path="f")


async def test_a_file_with_lines_that_were_cut_may_be_edited_and_not_overwritten(talk: Talk) -> None:
    talk.runtime.write("f", "short\n" + "x" * 40_000, is_read=False)
    await talk.run("Read", file_path="f")
    ran = await talk.run("Write", file_path="f", content="short\n")
    assert (ran.is_error, ran.code) == (True, "partial_view")
    assert not (await talk.run("Edit", file_path="f", old_string="short", new_string="long")).is_error
    assert (await talk.run("Write", file_path="f", content="short\n")).code == "partial_view"


async def test_without_a_conversation_nothing_is_taken_for_known(tmp_path: Path) -> None:
    runtime = Bench(tmp_path)
    runtime.write("f", "a")
    for _ in range(2):
        assert (await runtime.run("Read", {"file_path": "f"})).text == "1\ta"


def test_a_history_counts_its_pictures_and_pages() -> None:
    history = History()
    history.add_user("go")
    blocks = [image_block("image/png", "AAAA"), document_block("BBBBBBBB", "x (y).pdf", 3, 7, 40)]
    history.add_reply([{"type": "tool_use", "id": "a", "name": "Read", "input": {}}])
    history.add_result("a", blocks, is_error=False)
    history.add_result("early", blocks, is_error=False)
    assert history.media() == Media(images=1, pages=5, chars=12)
    assert media_in([document_block("", "x", 4, 4, 9), {"type": "document", "source": {}}]) == Media(pages=2)
    assert history.result_of("a") == blocks
    assert history.result_of("early") is None
    history.clear()
    assert history.media() == Media()


# The cache

STAMP = Stamp(1, 2, 3, 4, 5)


class Clock:
    def __init__(self) -> None:
        self.now = 100_000_000_000

    def __call__(self) -> int:
        return self.now


def test_a_file_is_known_by_its_stamp_and_else_by_its_hash() -> None:
    cache = ContentCache(clock=Clock())
    cache.keep("f", "text", "made", 10, stamp=STAMP, hash="h")
    assert cache.find("f", "text", stamp=STAMP) == "made"
    assert cache.find("f", "text", hash="h") == "made"
    assert cache.find("f", "text", stamp=STAMP._replace(ctime_ns=6)) is None
    assert cache.find("f", "text", hash="i") is None
    assert cache.find("f", "image", stamp=STAMP) is None
    assert cache.find("f", "text") is None


def test_a_file_that_has_just_changed_may_change_again_unseen() -> None:
    clock = Clock()
    cache = ContentCache(clock=clock)
    fresh = STAMP._replace(ctime_ns=clock.now - 1_000_000)
    cache.keep("f", "text", "made", 10, stamp=fresh, hash="h")
    assert cache.find("f", "text", stamp=fresh) is None
    assert cache.find("f", "text", hash="h") == "made"


@given(
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 70)), max_size=40),
    limit=st.integers(1, 120),
)
def test_the_cache_stays_within_its_bound_and_drops_what_was_used_longest_ago(
    steps: list[tuple[bool, int, int]], limit: int
) -> None:
    cache = ContentCache(limit, clock=Clock())
    model: dict[str, int] = {}  # in the order of use
    for is_keep, number, cost in steps:
        name = f"f{number}"
        if is_keep:
            cache.keep(name, "text", name, cost, stamp=STAMP, hash="")
            model.pop(name, None)
            if cost <= limit:
                model[name] = cost
            while sum(model.values()) > limit:
                del model[next(iter(model))]
        else:
            assert (cache.find(name, "text", stamp=STAMP) == name) == (name in model)
            if name in model:
                model[name] = model.pop(name)
        assert cache.size == sum(model.values()) <= limit


def test_a_session_keeps_at_most_64_megabytes() -> None:
    cache = Services().contents
    for number in range(200):
        cache.keep(f"f{number}", "text", "x", 1024 * 1024, stamp=STAMP, hash="")
    assert cache.size == 64 * 1024 * 1024


def test_a_text_is_not_opened_again_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_text("one")
    clock = Clock()
    clock.now = path.stat().st_ctime_ns + 10_000_000_000
    cache = ContentCache(clock=clock)
    first = load_cached(resolve(str(path)), cache)
    opened: list[str] = []
    real = cached_files.load
    monkeypatch.setattr(cached_files, "load", lambda name: (opened.append(name), real(name))[1])
    assert load_cached(resolve(str(path)), cache) is first
    assert not opened
    assert cache.size > 3
    path.write_text("two")
    assert load_cached(resolve(str(path)), cache).text == "two"
    path.chmod(0o600)
    load_cached(resolve(str(path)), cache)
    assert len(opened) == 2
