"""Which folders are trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.settings.trust import is_trusted, trust


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_nothing_is_trusted_at_first(tmp_path: Path, state: Path) -> None:
    assert not is_trusted(tmp_path, home=state)


def test_trust_is_for_the_whole_repository(tmp_path: Path, state: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/a/b").mkdir(parents=True)
    assert trust(tmp_path / "repo/a", home=state) == tmp_path / "repo"
    assert is_trusted(tmp_path / "repo", home=state)
    assert is_trusted(tmp_path / "repo/a/b", home=state)
    assert not is_trusted(tmp_path, home=state)


def test_trust_in_a_folder_covers_what_is_below_but_no_repository_of_its_own(tmp_path: Path, state: Path) -> None:
    (tmp_path / "top/plain").mkdir(parents=True)
    (tmp_path / "top/cloned/.git").mkdir(parents=True)
    (tmp_path / "top/cloned/deep").mkdir()
    trust(tmp_path / "top", home=state)
    assert is_trusted(tmp_path / "top/plain", home=state)
    assert not is_trusted(tmp_path / "top/cloned", home=state)
    assert not is_trusted(tmp_path / "top/cloned/deep", home=state)


def test_a_link_is_trusted_as_what_it_leads_to(tmp_path: Path, state: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    trust(tmp_path / "link", home=state)
    assert is_trusted(tmp_path / "real", home=state)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(tmp_path)
    assert not is_trusted(tmp_path / "link", home=state)


def test_trust_adds_up(tmp_path: Path, state: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        trust(tmp_path / name, home=state)
    assert is_trusted(tmp_path / "a", home=state)
    assert is_trusted(tmp_path / "b", home=state)
    assert [file.name for file in state.iterdir()] == ["trust.json"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"folders": 3}', '{"folders": [1, null]}', "[" * 100_000])
def test_a_damaged_record_trusts_nothing_and_can_be_written_again(tmp_path: Path, state: Path, content: str) -> None:
    state.mkdir()
    (state / "trust.json").write_text(content)
    assert not is_trusted(tmp_path, home=state)
    trust(tmp_path, home=state)
    assert is_trusted(tmp_path, home=state)


def test_no_file_in_a_folder_borrows_the_trust_of_another(tmp_path: Path, state: Path) -> None:
    """Published as GHSA-q5hj-mxqh-vv77."""
    (tmp_path / "own/.git/worktrees/w").mkdir(parents=True)
    trust(tmp_path / "own", home=state)
    for name, text in (("commondir", f"{tmp_path}/own/.git\n"), ("gitdir", f"{tmp_path}/own/.git\n")):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / name).write_text(text)
        assert not is_trusted(tmp_path / name, home=state)
    (tmp_path / "file").mkdir()
    (tmp_path / "file/.git").write_text(f"gitdir: {tmp_path}/own/.git/worktrees/w\n")
    assert not is_trusted(tmp_path / "file", home=state)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").symlink_to(tmp_path / "own/.git")
    assert not is_trusted(tmp_path / "linked", home=state)
