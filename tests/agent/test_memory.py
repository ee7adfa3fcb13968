from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_agent.agent import memory
from tui_agent.agent.memory import load_memory


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(cwd: Path, home: Path, below: Path) -> list[str]:
    return [str(Path(file.path).relative_to(below)) for file in load_memory(cwd, home).files]


def test_files_are_read_from_the_persons_own_down_to_the_working_folder(home: Path, tmp_path: Path) -> None:
    work = tmp_path / "home" / "project" / "sub"
    work.mkdir(parents=True)
    write(home / ".claude" / "CLAUDE.md", "own")
    write(home / "project" / "CLAUDE.md", "project")
    write(home / "project" / ".claude" / "CLAUDE.md", "project, hidden")
    write(work / "CLAUDE.local.md", "mine here")
    write(work / "AGENTS.md", "not read beside the others")
    write(work / "below" / "CLAUDE.md", "not read from below")
    assert found(work, home, home) == [
        ".claude/CLAUDE.md",
        "project/CLAUDE.md",
        "project/.claude/CLAUDE.md",
        "project/sub/CLAUDE.local.md",
    ]
    text = load_memory(work, home).text
    positions = [text.index(part) for part in ("\n\nown", "\n\nproject\n", "project, hidden", "mine here")]
    assert positions == sorted(positions)


def test_agents_files_are_read_where_no_folder_has_others(home: Path) -> None:
    work = home / "project"
    write(home / ".claude" / "CLAUDE.md", "own")
    write(home / "AGENTS.md", "above")
    write(work / "AGENTS.md", "here")
    assert found(work, home, home) == [".claude/CLAUDE.md", "AGENTS.md", "project/AGENTS.md"]
    write(home / "CLAUDE.md", "now there is one")
    assert found(work, home, home) == [".claude/CLAUDE.md", "CLAUDE.md"]


def test_a_file_with_two_names_is_read_once(home: Path) -> None:
    write(home / "CLAUDE.md", "once")
    (home / "CLAUDE.local.md").symlink_to(home / "CLAUDE.md")
    assert found(home, home, home) == ["CLAUDE.md"]


def test_nothing_found_is_nothing_said(home: Path) -> None:
    write(home / "CLAUDE.md", "  \n")
    empty = load_memory(home, home)
    assert empty.text == ""
    assert empty.problems == ()


def test_what_cannot_be_used_is_reported_and_the_rest_is_read(home: Path) -> None:
    work = home / "project"
    (home / "CLAUDE.md").mkdir()
    (home / "CLAUDE.local.md").write_bytes(b"caf\xe9")
    work.mkdir(parents=True)
    os.mkfifo(work / "CLAUDE.md")
    write(work / "CLAUDE.local.md", "fine")
    (work / ".claude").write_text("a file where a folder could be")
    loaded = load_memory(work, home)
    assert [file.text for file in loaded.files] == ["fine"]
    assert [problem.partition(": ")[2] for problem in loaded.problems] == [
        "not a regular file",
        "not UTF-8 text (byte 3)",
        "not a regular file",
    ]


def test_an_unreadable_file_is_reported(home: Path) -> None:
    write(home / "CLAUDE.md", "secret").chmod(0)
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    assert "ermission" in load_memory(home, home).problems[0]


def test_a_file_that_is_too_long_is_cut_at_a_line_and_reported(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_FILE_BYTES", 20)
    write(home / "CLAUDE.md", "first line\nsecond é line that is long\n")
    loaded = load_memory(home, home)
    assert loaded.files[0].text == "first line"
    assert loaded.files[0].is_cut
    assert "only the first 20 of 39 bytes" in loaded.problems[0]


def test_all_files_together_are_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_TOTAL_BYTES", 25)
    work = home / "project"
    write(home / "CLAUDE.md", "a" * 19 + "\n")
    write(work / "CLAUDE.md", "b" * 10)
    loaded = load_memory(work, home)
    assert sum(len(file.text) for file in loaded.files) <= 25
    assert len(loaded.problems) == 1


def test_comments_on_lines_of_their_own_are_for_human_readers(home: Path) -> None:
    write(
        home / "CLAUDE.md",
        "a\n<!-- one -->\nb <!-- stays -->\n<!-- two\nlines -->\nc\n```html\n<!-- code -->\n```\nd\n",
    )
    assert load_memory(home, home).files[0].text == "a\nb <!-- stays -->\nc\n```html\n<!-- code -->\n```\nd\n"
