"""Pipes, devices, endless files and links where the program expects files of a few lines: nothing waits, nothing leads out."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from settings_desk import Desk

from tui_agent.checkouts import branch_of, worktree_folders
from tui_agent.engine.hooks.env_file import EnvFile
from tui_agent.journal.load import JournalError, read_ending, read_events
from tui_agent.journal.store import list_sessions
from tui_agent.permissions.save import SaveError, save_rule
from tui_agent.settings.keybindings.load import load_keymap
from tui_agent.settings.standard_paths import local_root, user_settings_file
from tui_agent.settings.trust import is_trusted, trust
from tui_agent.ui import themes
from tui_agent.ui.prompting.history import PromptHistory

Make = Callable[[Path], object]


def endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


def huge(file: Path) -> None:
    with file.open("wb") as out:
        out.truncate(1 << 36)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk(tmp_path)
    for name in ("XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(desk.home))
    return desk


@pytest.mark.parametrize("make", [os.mkfifo, endless, huge, Path.mkdir], ids=["pipe", "endless", "huge", "folder"])
async def test_nothing_waits_for_what_is_no_file(desk: Desk, tmp_path: Path, make: Make) -> None:
    began = time.monotonic()
    state = Path(os.environ["TUI_AGENT_HOME"])
    for name in ("local", "project", "user", "claude-local", "claude-project", "claude-user"):
        desk.file(name).parent.mkdir(parents=True, exist_ok=True)
        make(desk.file(name))
    for is_known in (True, False):
        settings = desk.load(is_trusted=is_known)
        assert settings.rules == ()
        assert len(settings.problems) == (2 if make is endless else 6), "links to one place are one file"
    user_settings_file().parent.mkdir(parents=True, exist_ok=True)
    make(user_settings_file())
    assert themes.kept() is None
    for scope in ("local", "project", "user"):
        with pytest.raises((SaveError, OSError)):
            save_rule("Bash(a)", scope, start_dir=desk.project, config_dir=desk.config, home=desk.home)  # type: ignore[arg-type]
    keys = tmp_path / "keybindings.json"
    make(keys)
    assert len(load_keymap([keys]).problems) == 1
    state.mkdir()
    for name in ("trust.json", "confirmed.json"):
        make(state / name)
    assert not is_trusted(desk.project)
    assert desk.load(is_trusted=None).rules == ()
    session = state / "sessions/x/y"
    session.mkdir(parents=True)
    if make is not huge:  # one line that does not end is for the journal's own tests
        make(session / "journal.jsonl")
        assert list_sessions(state) == []
        assert read_ending(session / "journal.jsonl") == []
        with pytest.raises(JournalError):
            read_events(session / "journal.jsonl")
        history = PromptHistory(keys)
        history.add("x")
    variables = await EnvFile.make()
    variables.path.unlink()
    make(variables.path)
    try:
        assert await variables.variables(os.environ) == {}
        assert time.monotonic() - began < 5
    finally:
        variables.remove()
    assert not variables.path.parent.exists()


@pytest.mark.parametrize("make", [os.mkfifo, endless, huge, Path.mkdir], ids=["pipe", "endless", "huge", "folder"])
@pytest.mark.parametrize("name", [".git", ".git/HEAD", "own/gitdir", "own/commondir"])
def test_nothing_of_git_is_waited_for(tmp_path: Path, make: Make, name: str) -> None:
    if name.startswith("own"):
        (tmp_path / "own").mkdir()
        for other in ("gitdir", "commondir"):
            (tmp_path / "own" / other).write_text(".\n")
        (tmp_path / ".git").write_text("gitdir: own\n")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).unlink(missing_ok=True)
    make(tmp_path / name)
    began = time.monotonic()
    assert branch_of(tmp_path) == ""
    assert worktree_folders(tmp_path) is None
    assert local_root(tmp_path) == tmp_path
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("name", ["local", "project", "claude-local", "claude-project"])
@pytest.mark.parametrize("is_folder", [True, False])
def test_settings_that_lie_elsewhere_are_neither_read_nor_written_without_trust(
    desk: Desk, tmp_path: Path, name: str, is_folder: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    theirs = outside / desk.file(name).name
    theirs.write_text(json.dumps({"model": "theirs"}))
    if is_folder:
        desk.file(name).parent.symlink_to(outside)
    else:
        desk.file(name).parent.mkdir()
        desk.file(name).symlink_to(theirs)
    settings = desk.load(is_trusted=False)
    assert settings.values.model is None
    assert [problem.text for problem in settings.problems] == [
        "is a link that leads out of this folder, which is not trusted; the file is ignored"
    ]
    if not name.startswith("claude"):
        with pytest.raises(SaveError, match="link to settings elsewhere"):
            save_rule("Bash(a)", name, start_dir=desk.project, home=desk.home)  # type: ignore[arg-type]
    assert theirs.read_text() == json.dumps({"model": "theirs"})
    trust(desk.project)
    assert desk.load(is_trusted=None).values.model == "theirs"


def test_links_within_the_folder_and_the_users_own_are_followed(desk: Desk, tmp_path: Path) -> None:
    (desk.project / "shared.json").write_text('{"model": "inside"}')
    desk.file("project").parent.mkdir()
    desk.file("project").symlink_to("../shared.json")
    (tmp_path / "dotfiles.json").write_text('{"permissions": {"allow": ["Bash(a)"]}}')
    desk.file("user").symlink_to(tmp_path / "dotfiles.json")
    settings = desk.load(is_trusted=False)
    assert settings.problems == ()
    assert settings.values.model == "inside"
    assert settings.values.permissions.allow == ("Bash(a)",)
