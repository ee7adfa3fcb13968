"""Tricks with places: links, globs, names of other case, protected files, and harmless paths that look like these."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from attack_room import AttackRoom
from judging import WHERE, judged

from tui_agent.execution.single_use import run_one
from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext, SandboxTerms, names_fold
from tui_agent.permissions.protected_paths import protected_reason
from tui_agent.permissions.rules import RuleSet


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a.py", "allow"),
        ("cat *.py", "allow"),
        ("wc -l */c.py", "allow"),
        ("cat link/x.py", "ask"),
        ("cat sub/far.py", "ask"),
        ("cat sub/*.py", "ask"),
        ("cat */*.py", "ask"),
        ("ls l*", "ask"),
        ("cat link/*", "ask"),
        ("cat {a,b}.py", "allow"),
        ("cat sub/{c,far}.py", "ask"),
        ("cd jump && cat ../c.py", "allow"),
        ("cd jump && cat ../../../h/x", "ask"),
        ("cat jump/../../a.py", "ask"),
        ("cd link && ls", "ask"),
        ("cat [!x]*.py", "allow"),
        ("cat $PWD/a.py", "allow"),
        ("cat $HOME/x", "ask"),
        ("HOME=/etc; cat $HOME/passwd", "ask"),
        ("cat .*/x", "ask"),
        ("cat .?/x", "ask"),
        ("ls -d .*", "allow"),
        ("cat $(pwd)/a.py", "allow"),
        ("cat $(pwd)/../a.py", "ask"),
        ("cat $(ls /etc)", "ask"),
        ("wc -l $(git ls-files)", "ask"),
    ],
)
def test_links_and_globs_are_followed_on_the_disk(disk: PathContext, command: str, expected: str) -> None:
    assert judged(command, where=disk).behavior == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git show HEAD:.env", "deny"), ("git cat-file -p HEAD:.env", "deny"),
        ("cat .env", "deny"), ("cat ./.env", "deny"), ("cat .e*", "deny"), ("cat .[e]nv", "deny"), ("cat {a.py,.env}", "deny"),
        ("cat $PWD/.env", "deny"), ("cd sub && cat ../.env", "deny"), ("F=.env; cat $F", "deny"), ("cat < .env", "deny"),
        ("head -n1 a.py .env", "deny"), ("for f in .env; do cat $f; done", "deny"), ("cp .env x", "deny"),
        ("ls; (cat .env)", "deny"),
        ("echo $(cat .env)", "deny"), ("bash -c 'cat .env'", "deny"), ("sudo cat .env", "deny"), ("timeout 5 cat .env", "deny"),
        ("echo x > .env", "deny"), ("dd if=.env", "deny"), ("diff a.py .env", "deny"), ("sed -n 1p .env", "deny"),
        ("cat *", "ask"), ("cat *.py", "allow"), ("ls *.py", "allow"), ("wc -l sub/c.py", "allow"), ("cat {a,b}.py", "allow"),
        ("cat $X", "ask"), ("cp $X y", "ask"), ("cat a.py | grep x", "allow"), ("find . -name '*.py' | xargs wc -l", "allow"),
    ],
)  # fmt: skip
def test_a_denied_file_is_found_and_nothing_else_is_held_up(disk: PathContext, command: str, expected: str) -> None:
    assert judged(command, where=disk, deny=["Read(.env)"]).behavior == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mkdir -p x/y && touch x/y/z", "allow"), ("cp a.py b.py", "allow"), ("mv a.py sub/", "allow"), ("rm a.py", "allow"),
        ("rm a.py b.py", "allow"), ("LANG=C timeout 5 mkdir x", "allow"), ("cd sub && touch new", "allow"),
        ("echo x > new", "allow"),
        ("cp a.py link/", "ask"), ("cp a.py copy", "ask"), ("touch link/x", "ask"), ("touch sub/far.py", "ask"),
        ("cp /etc/hosts x", "ask"), ("cp a.py /tmp/x", "ask"), ("mv a.py ../x", "ask"), ("touch $X", "ask"),
        ("rm -rf .git", "ask"),
        ("touch .envrc", "ask"), ("mkdir .tui-agent", "ask"), ("cp a.py .git/hooks/x", "ask"), ("rm -rf .", "ask"),
        ("echo x > link/y", "ask"), ("echo x > ~/y", "ask"), ("echo x > *.py", "ask"), ("chmod +x a.py", "ask"),
        ("cd $X && touch a", "ask"), ("mv .git x", "ask"), ("sudo mkdir x", "ask"), ("mkdir x; evil", "ask"),
    ],
)  # fmt: skip
def test_accepted_edits_stay_in_the_work(disk: PathContext, command: str, expected: str) -> None:
    assert judged(command, "acceptEdits", disk).behavior == expected
    assert judged(command).behavior == "ask"


def test_a_new_file_behind_a_linked_folder_is_judged_where_it_would_lie(disk: PathContext) -> None:
    call = call_from_input("Write", {"file_path": f"{disk.cwd}/link/new.txt"}, disk)
    assert decide(call, rules=RuleSet(), mode="acceptEdits", where=disk).behavior == "ask"
    rules = RuleSet.from_lists(deny=[f"Edit(/{Path(disk.cwd).parent}/out/**)"])
    assert decide(call, rules=rules, mode="bypassPermissions", where=disk).behavior == "deny"


def test_names_from_elsewhere_may_be_those_of_denied_files() -> None:
    rules = {"allow": ["Bash(git ls-files)", "Bash(xargs *)", "Bash(cat *)"], "deny": ["Read(.env)"]}
    assert judged("git ls-files | xargs cat", **rules).confinement == "read_only"
    bare = replace(WHERE, sandbox=SandboxTerms(is_there=False, read_only_without=True))
    assert judged("git ls-files | xargs cat", where=bare, **rules).behavior == "ask"
    assert judged("git ls-files | xargs prettier", **rules).behavior == "allow"
    assert judged("git ls-files | xargs cat", allow=rules["allow"]).behavior == "allow"


# Names that differ in case only

BLIND = replace(WHERE, is_case_blind=True)


def test_where_case_does_not_count_rules_that_forbid_look_past_it() -> None:
    for where, expected in ((BLIND, "deny"), (WHERE, "allow")):
        call = call_from_input("Read", {"file_path": "/w/pkg/NOTES.txt"}, where)
        assert (
            decide(call, rules=RuleSet.from_lists(deny=["Read(notes.txt)"]), mode="default", where=where).behavior
            == expected
        )
    call = call_from_input("Read", {"file_path": "/W/Secrets/x"}, BLIND)
    assert (
        decide(call, rules=RuleSet.from_lists(deny=["Read(/w/secrets/**)"]), mode="default", where=BLIND).behavior
        == "allow"
    )
    assert (
        decide(call, rules=RuleSet.from_lists(deny=["Read(./secrets/**)"]), mode="default", where=BLIND).behavior
        == "deny"
    )
    assert judged("rm -rf /H", where=BLIND, allow=["Bash"]).behavior == "ask"
    assert judged("rm -rf /W/Sub", where=replace(BLIND, cwd="/w/sub"), allow=["Bash"]).behavior == "ask"
    # To allow takes the very name.
    assert judged("cat /etc/HOSTS", where=BLIND, allow=["Read(//etc/hosts)"]).behavior == "ask"


def test_with_home_as_the_workspace_its_hidden_files_are_protected() -> None:
    home = PathContext(cwd="/h", project_root="/h", home="/h", resolve=lambda path: path)
    for name in (".muttrc", ".config/whatever/rc", ".local/share/new/plugins/x.lua", ".xbindkeysrc", ".Xresources"):
        assert protected_reason(f"/h/{name}", home), name
        assert protected_reason(f"/h/src/{name}", home) is None, name
    for name in ("notes.txt", ".cache/x", "src/a.py"):
        assert protected_reason(f"/h/{name}", home) is None, name


def test_where_a_hidden_folder_of_home_is_worked_on_it_is_no_more_protected_than_others() -> None:
    inside = PathContext(cwd="/h/.dotfiles/x", project_root="/h/.dotfiles", home="/h", resolve=lambda path: path)
    assert protected_reason("/h/.dotfiles/x/a.py", inside) is None
    assert protected_reason("/h/.muttrc", inside)
    added = PathContext(
        cwd="/h/src", project_root="/h/src", home="/h", additional_dirs=("/h/.notes",), resolve=lambda path: path
    )
    assert protected_reason("/h/.notes/a.md", added) is None


async def test_no_hidden_file_of_home_is_written_in_accept_edits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = AttackRoom(tmp_path, monkeypatch, "none")
    monkeypatch.setenv("HOME", str(room.work))
    room.begin(mode="acceptEdits")
    for name in (".muttrc", ".config/new/rc.lua", "notes.txt"):
        await run_one(room.runtime.execution_context, "Write", {"file_path": str(room.work / name), "content": "x\n"})
    assert [path.name for path in room.work.rglob("*") if path.is_file()] == ["notes.txt"]


SETTINGS_OF_EDITORS_AND_TOOLCHAINS = (
    ".helix/languages.toml", ".fleet/run.json", ".config/mise/config.toml", ".config/mise/conf.d/x.toml", "mise.local.toml",
    ".mise.local.toml", ".rtx.toml", "sub/.helix/config.toml", "sub/.config/mise/config.toml", "sub/mise.local.toml",
)  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS_OF_EDITORS_AND_TOOLCHAINS)
def test_settings_by_which_editors_and_toolchains_run_programs_are_protected(name: str) -> None:
    assert protected_reason(f"/w/{name}", WHERE)
    for command in (f"cp x {name}", f"echo x > {name}", f"mv x {name}", f"sed -i s/a/b/ {name}"):
        found = decide(
            call_from_input("Bash", {"command": command}, WHERE),
            rules=RuleSet.from_lists(),
            mode="acceptEdits",
            where=WHERE,
        )
        assert found.behavior == "ask", command
    edit = call_from_input("Write", {"file_path": f"/w/{name}"}, WHERE)
    found = decide(edit, rules=RuleSet.from_lists(), mode="acceptEdits", where=WHERE)
    assert (found.behavior, found.by) == ("ask", "protected_path")


@pytest.mark.parametrize(
    "name", ["src/helix/a.py", "fleet/run.json", ".config/other/a", "config/mise/a", "mise.py", "rtx.toml"]
)
def test_names_that_are_only_alike_are_not(name: str) -> None:
    assert protected_reason(f"/w/{name}", WHERE) is None


def test_protected_names_are_known_in_any_case() -> None:
    assert protected_reason("/w/.GIT/config", WHERE)
    assert protected_reason("/w/.Mcp.Json", WHERE)


def test_whether_case_counts_is_tried(tmp_path: Path) -> None:
    folder = tmp_path / "Folder"
    folder.mkdir()
    assert names_fold(str(folder)) is (tmp_path / "fOLDER").exists()
