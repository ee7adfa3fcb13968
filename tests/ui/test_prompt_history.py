from __future__ import annotations

from pathlib import Path

from tui_agent.ui.prompting.history import PromptHistory


def test_going_back_and_forward_returns_to_the_draft(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "history.jsonl")
    history.add("one")
    history.add("two")
    assert [history.back("draft"), history.back("two"), history.back("one")] == ["two", "one", None]
    assert [history.forward(shown) for shown in ("one", "two", "draft")] == ["two", "draft", None]


def test_what_was_made_of_an_earlier_prompt_is_kept_until_one_is_sent() -> None:
    history = PromptHistory(None)
    history.add("one")
    history.add("two")
    assert [history.back(""), history.back("two, but other")] == ["two", "one"]
    assert [history.forward("one"), history.forward("two, but other")] == ["two, but other", ""]
    assert history.back("") == "two, but other"
    history.add("three")
    assert [history.back(""), history.back("three")] == ["three", "two"]


def test_another_start_knows_what_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history.jsonl"
    PromptHistory(path).add("zwei\nZeilen")
    assert PromptHistory(path).back("") == "zwei\nZeilen"


def test_concurrent_sessions_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    first, second = PromptHistory(path), PromptHistory(path)
    for number in range(20):
        first.add(f"first {number}")
        second.add(f"second {number}")
    again = PromptHistory(path)
    found = {again.back("") for _ in range(40)}
    assert found == {f"{name} {number}" for name in ("first", "second") for number in range(20)}


def test_a_line_that_is_broken_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b'{"text": "good"}\n{"text": 3}\n\xff\xfe\n[]\n{"te')
    history = PromptHistory(path)
    assert [history.back(""), history.back("")] == ["good", None]


def test_the_same_prompt_twice_in_a_row_is_one_entry(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "history.jsonl")
    for text in ("same", "same", "  ", ""):
        history.add(text)
    assert [history.back(""), history.back("")] == ["same", None]


def test_a_folder_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = PromptHistory(tmp_path / "file" / "history.jsonl")
    history.add("kept for this run")
    assert history.back("") == "kept for this run"
