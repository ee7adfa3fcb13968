"""What commands may do follows from settings and rules, and what cannot be held is never let through for want of a sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tui_agent.engine.gate.sandbox_policy import SandboxPolicy
from tui_agent.engine.gate.sandbox_status import sandbox_label, sandbox_notices, sandbox_terms
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.sandbox.bubblewrap import Bubblewrap
from tui_agent.sandbox.confined import Confined, Unconfined
from tui_agent.sandbox.landlock import Landlock
from tui_agent.sandbox.limits import Sandbox, SandboxLimits
from tui_agent.sandbox.visible import system_secrets
from tui_agent.settings.load import load_settings
from tui_agent.settings.schema import SandboxValues
from tui_agent.tools.base import ToolError

BUBBLEWRAP = Bubblewrap("/usr/bin/bwrap")
Make = Callable[..., SandboxPolicy]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path / "home" / "state"))
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    return tmp_path


@pytest.fixture
def make(place: Path) -> Make:
    def build(
        found: Sandbox | None = BUBBLEWRAP, /, *, is_trusted: bool = True, folder: str = "work", **values: object
    ) -> SandboxPolicy:
        settings = load_settings(
            place / "work",
            home=place / "home",
            inline=json.dumps(values),
            is_trusted=is_trusted,
            policy_dir=place / "none",
        )
        where = PathContext(
            cwd=str(place / folder),
            project_root=str(settings.project_root),
            home=str(place / "home"),
            additional_dirs=(str(place / "more"),),
            is_trusted=is_trusted,
        )
        rules = RuleSet.from_entries(settings.rules)
        return SandboxPolicy(settings, rules=lambda: rules, where=lambda: where, find=lambda: found)

    return build


def working(sandbox_policy: SandboxPolicy) -> SandboxLimits:
    confined = sandbox_policy.confine("workspace")
    assert confined
    return confined.limits


def test_looking_writes_nothing_and_takes_no_locks(make: Make) -> None:
    confined = make().confine("read_only")
    assert confined
    assert confined.limits == SandboxLimits(is_read_only=True)
    assert confined.neutral_in is not None
    assert confined.temp == ""


def test_settings_that_widen_work_do_not_widen_looking(make: Make) -> None:
    confined = make(
        permissions={"allow": ["Edit(~/notes/**)"]},
        sandbox={"filesystem": {"disabled": True}, "network": {"enabled": True}},
    ).confine("read_only")
    assert confined
    assert confined.limits == SandboxLimits(is_read_only=True)


def test_what_was_let_through_without_terms_runs_without(make: Make) -> None:
    assert make().confine(None) is None


def test_work_writes_the_working_folders_and_a_temporary_one_that_lasts(make: Make, place: Path) -> None:
    sandbox_policy = make()
    assert working(sandbox_policy).writable == (str(place / "work"), str(place / "more"))
    first, second = sandbox_policy.confine("workspace"), sandbox_policy.confine("workspace")
    assert first
    assert second
    assert first.temp == second.temp
    assert Path(first.temp).stat().st_mode & 0o777 == 0o700
    assert first.environment("/scratch")["TMPDIR"] == first.temp


def test_a_temporary_folder_that_was_removed_is_made_anew(make: Make) -> None:
    sandbox_policy = make()
    first = sandbox_policy.confine("workspace")
    assert first
    Path(first.temp).rmdir()
    again = sandbox_policy.confine("workspace")
    assert again
    assert Path(again.temp).is_dir()


def test_what_other_programs_obey_is_kept(make: Make, place: Path) -> None:
    (place / "work" / ".bashrc").write_text("")
    kept = set(working(make()).unwritable)
    work = place / "work"
    for name in (".claude", ".tui-agent", ".vscode", ".idea", ".mcp.json", ".git/hooks", ".git/config", ".bashrc"):
        assert str(work / name) in kept, name
    assert str(place / "more" / ".mcp.json") in kept
    for name in (".bashrc", ".zshrc", ".gitconfig", ".claude", ".config/tui-agent", "state", ".ssh"):
        assert str(place / "home" / name) in kept, name
    assert str(work / ".zshrc") not in kept  # there is none, and shells read those of home only


def test_where_git_is_a_file_that_is_kept(make: Make, place: Path) -> None:
    (place / "work" / ".git").rmdir()
    (place / "work" / ".git").write_text("gitdir: /x\n")
    assert str(place / "work" / ".git") in working(make()).unwritable


def test_in_a_linked_worktree_the_repository_can_be_written_but_not_what_git_obeys(make: Make, place: Path) -> None:
    git = _link_worktree(place)
    limits = working(make())
    assert str(git) in limits.writable
    kept = {path.removeprefix(f"{git}/") for path in limits.unwritable}
    assert kept >= {"hooks", "config", "worktrees/work/gitdir", "worktrees/work/commondir", "worktrees/other"}
    assert str(place / "work/.git") in limits.unwritable
    (git / "config").write_text("[extensions]\n\tworktreeConfig = true\n")  # a file that is not there could be made
    assert str(git) not in working(make()).writable
    (git / "worktrees/work/config.worktree").write_text("")
    limits = working(make())
    assert str(git) in limits.writable
    assert str(git / "worktrees/work/config.worktree") in limits.unwritable


def test_a_repository_that_does_not_know_of_the_worktree_is_not_written(make: Make, place: Path) -> None:
    git = _link_worktree(place)
    (git / "worktrees/work/gitdir").write_text(f"{place}/elsewhere/.git\n")
    assert str(git) not in working(make()).writable


def _link_worktree(place: Path) -> Path:
    """Make the working folder a worktree of a repository elsewhere, and return that one's git folder."""
    git = place / "main/.git"
    own = git / "worktrees/work"
    own.mkdir(parents=True)
    (git / "worktrees/other").mkdir()
    (git / "config").write_text("[core]\n")
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{place}/work/.git\n")
    (place / "work/.git").rmdir()
    (place / "work/.git").write_text(f"gitdir: {own}\n")
    return git


def test_paths_of_the_settings_and_of_rules_count(make: Make, place: Path) -> None:
    limits = working(
        make(
            sandbox={
                "filesystem": {"allowWrite": ["~/cache", "/opt/x", "out"], "denyWrite": ["./gen"], "denyRead": ["~/keys"],
                               "allowRead": ["~/keys/public"]},
            },
            permissions={
                "allow": ["Edit(~/notes/**)", "Edit(//srv/data/**)", "Edit(name)", "Edit(~/x/*.md)"],
                "deny": ["Edit(~/notes/old/**)", "Edit(lib/generated/**)", "Read(~/.ssh/**)", "Read(.env)", "Read(**/*.pem)"],
            },
        )
    )  # fmt: skip
    home, work = place / "home", place / "work"
    assert set(limits.writable) == {
        str(work), str(place / "more"), str(home / "cache"), "/opt/x", str(work / "out"), str(home / "notes"), "/srv/data",
    }  # fmt: skip
    assert {str(work / "gen"), str(home / "notes/old"), str(work / "lib/generated")} <= set(limits.unwritable)
    assert set(limits.unreadable) - set(system_secrets()) == {
        str(home / "keys"),
        str(home / ".ssh"),
        str(work / ".env"),
    }
    assert limits.readable == (str(home / "keys/public"),)


def test_what_must_not_be_read_is_hidden_from_looking_too(make: Make, place: Path) -> None:
    confined = make(permissions={"deny": ["Read(~/.ssh/**)"]}).confine("read_only")
    assert confined
    assert confined.limits.unreadable == (str(place / "home" / ".ssh"),)


def test_where_no_file_may_be_edited_none_is_written(make: Make) -> None:
    assert working(make(permissions={"deny": ["Edit"]})).writable == ()


@pytest.mark.parametrize(
    ("network", "is_on"),
    [
        ({}, False),
        ({"enabled": True}, True),
        ({"allowedDomains": ["*"]}, True),
        ({"allowedDomains": ["*.org", "x.com"]}, False),
    ],
)
def test_the_network_is_on_or_off(make: Make, network: dict[str, object], is_on: bool) -> None:
    limits = working(make(sandbox={"network": network}))
    assert (limits.network, limits.unix_sockets) == (is_on, False)


def test_local_sockets_are_let_in_all_or_none(make: Make) -> None:
    assert working(make(sandbox={"network": {"allowAllUnixSockets": True}})).unix_sockets
    assert not working(make(sandbox={"network": {"allowUnixSockets": ["/run/x"]}})).unix_sockets


def test_files_can_be_left_to_themselves(make: Make) -> None:
    limits = working(make(sandbox={"filesystem": {"disabled": True}}))
    assert (limits.writable, limits.unwritable, limits.network) == (("/",), (), False)


def test_who_may_not_leave_is_told_so(make: Make) -> None:
    confined = make(sandbox={"allowUnsandboxedCommands": False}).confine("read_only")
    assert isinstance(confined, Confined)
    assert not confined.may_leave


@pytest.mark.parametrize("confinement", ["read_only", "workspace"])
def test_without_a_sandbox_nothing_runs_that_was_to_have_one(make: Make, confinement: str) -> None:
    with pytest.raises(ToolError, match="no sandbox works on this machine"):
        make(None).confine(confinement)  # type: ignore[arg-type]


def test_reading_may_do_without_where_the_user_says_so(make: Make, place: Path) -> None:
    sandbox_policy = make(None, sandbox={"readOnlyWithout": True})
    held = sandbox_policy.confine("read_only")
    assert isinstance(held, Unconfined)
    assert str(place / "work") in held.neutral_in, "git runs nothing that the repository names"
    with pytest.raises(ToolError):
        sandbox_policy.confine("workspace")


@pytest.mark.parametrize("confinement", [None, "read_only", "workspace"])
def test_nothing_at_all_runs_where_a_sandbox_is_a_must(make: Make, confinement: str | None) -> None:
    values = {"enabled": True, "failIfUnavailable": True, "readOnlyWithout": True}
    with pytest.raises(ToolError, match="failIfUnavailable"):
        make(None, sandbox=values).confine(confinement)  # type: ignore[arg-type]


def test_decisions_know_what_the_machine_has() -> None:
    on = SandboxValues.model_validate({"enabled": True, "excludedCommands": ["docker *"]})
    terms = sandbox_terms(on, lambda: BUBBLEWRAP)
    assert (terms.is_there, terms.is_enabled, terms.auto_allow, terms.excluded) == (True, True, True, ("docker *",))
    without = sandbox_terms(on, lambda: None)
    assert (without.is_there, without.is_enabled, without.auto_allow) == (False, False, False)


def test_what_cannot_keep_hooks_from_being_written_lets_nothing_through_by_itself() -> None:
    terms = sandbox_terms(SandboxValues.model_validate({"enabled": True}), lambda: Landlock(7))
    assert (terms.is_there, terms.is_enabled, terms.auto_allow) == (True, True, False)


@pytest.mark.parametrize(
    ("sandbox", "enabled", "label"),
    [(None, True, "none"), (BUBBLEWRAP, False, "bubblewrap"), (Landlock(7), True, "landlock, on")],
)
def test_the_label_names_it(sandbox: Sandbox | None, enabled: bool, label: str) -> None:
    assert sandbox_label(SandboxValues.model_validate({"enabled": enabled}), lambda: sandbox) == label


def test_a_session_says_when_the_sandbox_is_missing_that_was_asked_for() -> None:
    on = SandboxValues.model_validate({"enabled": True})
    must = SandboxValues.model_validate({"enabled": True, "failIfUnavailable": True})
    assert "ask as usual" in sandbox_notices(on, lambda: None)[0]
    assert "no command will run" in sandbox_notices(must, lambda: None)[0]
    assert sandbox_notices(on, lambda: BUBBLEWRAP) == ()
    assert sandbox_notices(SandboxValues(), lambda: None) == ()
