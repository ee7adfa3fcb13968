"""The order of the checks of a decision, the modes, and what a verdict tells."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import MODES, Mode
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.protected_paths import protected_reason
from tui_agent.permissions.rules import RuleSet, RuleSource
from tui_agent.permissions.shell.programs.table import entry_for
from tui_agent.permissions.verdict import PerCommand, ReadOnlyWithSockets, ToolCall, ToolOpinion, Verdict

WHERE = PathContext(
    cwd="/w",
    project_root="/w",
    home="/h",
    additional_dirs=("/more",),
    free_reads=("/state/results",),
    resolve=lambda path: path,
)


def judged(call: ToolCall, mode: Mode = "default", hook: ToolOpinion | None = None, **lists: list[str]) -> Verdict:
    return decide(call, rules=RuleSet.from_lists(**lists), mode=mode, where=WHERE, hook=hook)  # type: ignore[arg-type]


def bash(command: str, **rest: object) -> ToolCall:
    return ToolCall(tool="Bash", input={"command": command}, command=command, **rest)  # type: ignore[arg-type]


EDIT = call_from_input("Edit", {"file_path": "/w/a.py"}, WHERE)


def test_a_verdict_tells_each_check_up_to_the_one_that_decided() -> None:
    verdict = judged(bash("npm test"), allow=["Bash(npm test *)"])
    names = [step.check for step in verdict.steps]
    assert names[:2] == ["hooks refuse", "deny rules"]
    assert (names[-1], verdict.steps[-1].outcome) == ("commands", "allow")
    assert (names[-2], verdict.steps[-2].outcome) == ("part: npm test", "allow: `Bash(npm test *)` allows it")
    assert all(step.outcome == "no match" for step in verdict.steps[:-2])
    assert (verdict.by, verdict.rule, verdict.source) == ("rule", "Bash(npm test *)", "session")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("a", "no rule allows this command"),
        ("safe > f", "it writes `f`"),
        ("safe > /x/f", "it writes `/x/f`"),
        ("safe > $F", "unknown before it runs"),
        ("a 'b", "syntax"),
        ("rm -rf ~", "removes the home folder"),
    ],
)
def test_a_question_says_why_it_is_asked(command: str, words: str) -> None:
    assert words in judged(bash(command), allow=["Bash(safe *)"]).reason


def test_a_question_names_files_from_the_folder_of_the_session() -> None:
    assert judged(EDIT).reason == "it changes `a.py`"
    outside = call_from_input("Edit", {"file_path": "/wide/a.py"}, WHERE)
    assert judged(outside).reason == "it changes `/wide/a.py`, outside the working folders"
    assert judged(EDIT, ask=["Edit(/a.py)"]).reason == "`Edit(/a.py)` asks about `a.py`"


def test_a_question_about_several_files_names_one_that_asks_and_counts_the_others() -> None:
    def changing(*paths: str) -> ToolCall:
        return call_from_input("MultiEdit", {"edits": [{"file_path": path, "edits": []} for path in paths]}, WHERE)

    assert judged(changing("/w/a.py", "/w/b.py")).reason == "it changes `a.py` and 1 other file"
    assert judged(changing("/w/a.py", "/w/b.py"), allow=["Edit(/a.py)"]).reason == "it changes `b.py`"
    outside = judged(changing("/w/a.py", "/w/b.py", "/wide/c.py")).reason
    assert outside == "it changes `/wide/c.py`, outside the working folders, and 2 other files"


def test_plan_mode_refuses_whatever_may_change_something_whatever_allows_it_or_asks() -> None:
    for allow, ask in ((["Bash"], []), ([], ["Bash"]), ([], [])):
        verdict = judged(bash("npm test"), "plan", allow=allow, ask=ask)
        assert (verdict.behavior, verdict.by) == ("deny", "mode")
    new = ToolCall(tool="mcp__a__b", input={})
    assert judged(new, "plan", allow=["mcp__a__b"]).behavior == "deny"
    assert judged(ToolCall(tool="TodoWrite", input={}), "plan").behavior == "allow"
    assert judged(bash("ls", is_read_only=True), "plan", allow=["Bash(ls *)"]).behavior == "allow"
    assert judged(EDIT, "plan", ask=["Edit"]).behavior == "deny"
    assert judged(call_from_input("Read", {"file_path": "/w/a"}, WHERE), "plan").behavior == "allow"


def test_a_command_that_only_reads_is_let_through_and_held_to_it() -> None:
    verdict = judged(bash("ls -la; cat README.md | head -3"))
    assert (verdict.behavior, verdict.by, verdict.confinement) == ("allow", "classifier", "read_only")
    assert verdict.is_read_only
    assert judged(bash("ls"), allow=["Bash(ls)"]).confinement is None


def test_what_only_reads_is_held_to_it_under_a_rule_as_well_where_files_are_to_stay_hidden() -> None:
    """`grep -r` names none of the files that it shows."""
    search = bash("grep -r KEY .")
    assert judged(search, allow=["Bash"]).confinement is None
    held = judged(search, allow=["Bash"], deny=["Read(.env)"])
    assert (held.behavior, held.by, held.rule, held.confinement) == ("allow", "rule", "Bash", "read_only")
    assert judged(bash("make"), allow=["Bash"], deny=["Read(.env)"]).confinement is None
    outside = call_from_input("Bash", {"command": "grep -r KEY .", "dangerouslyDisableSandbox": True}, WHERE)
    assert judged(outside, allow=["Bash"], deny=["Read(.env)"]).confinement is None
    assert judged(search, "bypassPermissions").confinement is None
    assert judged(search, "bypassPermissions", deny=["Read(.env)"]).confinement == "read_only"


def test_files_whose_names_another_command_prints_are_read_only_where_the_hidden_ones_stay_hidden() -> None:
    for command in ("cat $(git ls-files)", "cat `find .`", "for f in $(ls); do cat $f; done", "find . | xargs cat"):
        assert judged(bash(command), deny=["Read(.env)"]).confinement == "read_only", command
        assert judged(bash(command), "bypassPermissions", deny=["Read(.env)"]).confinement == "read_only", command
        loose = call_from_input("Bash", {"command": command, "dangerouslyDisableSandbox": True}, WHERE)
        assert judged(loose, "bypassPermissions", deny=["Read(.env)"]).behavior == "ask", command
        assert judged(loose, "bypassPermissions").behavior == "allow", command


def test_what_asks_a_program_of_this_machine_can_reach_that_one_alone() -> None:
    docker = entry_for("docker")
    assert docker is not None
    asking = ReadOnlyWithSockets(docker.sockets)
    assert asking.sockets[0] == "/var/run/docker.sock"
    assert judged(bash("docker ps")).confinement == asking
    assert judged(bash("timeout 5 docker ps")).confinement == asking
    piped = judged(bash("docker ps | head")).confinement
    assert piped == PerCommand("docker ps | head", ((0, asking), (12, "read_only")))
    assert isinstance(judged(bash("systemctl status nginx")).confinement, ReadOnlyWithSockets)
    assert judged(bash("git status | head")).confinement == "read_only"


def test_a_socket_is_not_opened_for_what_stands_beside_its_client() -> None:
    for command in (
        "docker ps; echo $((1 + 2))",
        "echo a | xargs docker inspect",
        "docker ps; read x",
        "time docker ps; : $((2))",
    ):
        assert judged(bash(command)).behavior == "ask", command


def test_a_rule_that_allows_a_file_of_a_command_is_named() -> None:
    for command, rule in (("echo hi > out.txt", "Edit(./out.txt)"), ("cat /etc/hosts", "Read(//etc/**)")):
        verdict = judged(bash(command), allow=[rule])
        assert (verdict.behavior, verdict.by, verdict.rule) == ("allow", "rule", rule)
        assert verdict.confinement == (None if ">" in command else "read_only")
    assert judged(bash("echo hi > out.txt"), "acceptEdits").by == "mode"


def test_reading_is_free_in_working_folders_and_in_stored_results() -> None:
    for path, expected in {
        "/w/x": "allow", "/more/x": "allow", "/state/results/x": "allow", "/state/x": "ask", "/wx": "ask", "/w/../h/x": "ask",
    }.items():  # fmt: skip
        assert judged(call_from_input("Read", {"file_path": path}, WHERE)).behavior == expected, path


def test_a_deny_rule_reaches_stored_results_and_added_folders() -> None:
    call = call_from_input("Read", {"file_path": "/state/results/x"}, WHERE)
    assert judged(call, deny=["Read(//state/**)"]).behavior == "deny"


def test_a_tool_that_is_not_known_to_be_harmless_asks() -> None:
    for call in (ToolCall(tool="New", input={}), ToolCall(tool="New", input={}, is_read_only=True)):
        assert judged(call).behavior == "ask"
        assert judged(call, allow=["New"]).behavior == "allow"
        assert judged(call).suggestions == ("New",)


def test_the_tools_own_refusal_stands_in_every_mode() -> None:
    call = ToolCall(tool="New", input={}, opinion=ToolOpinion("deny", "never"))
    for mode in MODES:
        verdict = judged(call, mode, allow=["New"])
        assert verdict.behavior == "deny"
        assert verdict.reason == "never" or mode == "plan"


def test_the_tools_own_question_beats_allow_rules() -> None:
    call = ToolCall(tool="New", input={}, opinion=ToolOpinion("ask", "sure?", ("New(x:1)",)))
    verdict = judged(call, allow=["New"])
    assert (verdict.behavior, verdict.by, verdict.suggestions) == ("ask", "tool", ("New(x:1)",))
    assert judged(call, "bypassPermissions").behavior == "allow"


def test_the_tools_own_approval_beats_no_rule_that_forbids() -> None:
    call = ToolCall(tool="New", input={}, opinion=ToolOpinion("allow"))
    assert judged(call).behavior == "allow"
    assert judged(call, ask=["New"]).behavior == "ask"
    assert judged(call, deny=["New"]).behavior == "deny"


def test_a_hook_that_asks_beats_allow_rules_and_no_deny_rule() -> None:
    hook = ToolOpinion("ask", "look at this")
    assert judged(bash("ls"), hook=hook, allow=["Bash"]).reason == "look at this"
    assert judged(bash("ls"), hook=hook, deny=["Bash(ls)"]).behavior == "deny"


def test_a_hook_cannot_approve_what_nobody_can_approve_in_advance() -> None:
    hook = ToolOpinion("allow")
    assert judged(bash("rm -rf ~"), hook=hook).behavior == "ask"
    assert judged(call_from_input("Edit", {"file_path": "/w/.git/config"}, WHERE), hook=hook).behavior == "ask"


def test_nothing_is_offered_for_good_where_the_call_cannot_be_undone() -> None:
    assert judged(bash("npm test", is_destructive=True)).suggestions == ()


def test_what_nobody_is_asked_is_refused_with_the_reason_it_would_have_been_asked_for() -> None:
    verdict = judged(bash("npm test"), "dontAsk")
    assert verdict.behavior == "deny"
    assert "no rule allows this command" in verdict.reason


def test_bypass_goes_everywhere_but_where_rules_forbid_or_ask() -> None:
    assert judged(bash("a; b > /etc/x"), "bypassPermissions").behavior == "allow"
    assert judged(bash("a 'b"), "bypassPermissions").behavior == "ask"
    assert judged(bash("a > .env"), "bypassPermissions", deny=["Edit(.env)"]).behavior == "deny"


def test_a_denied_file_is_denied_to_commands_that_read_it() -> None:
    for command in ("cat .env", "cat ./.env", "cat 'x' sub/.env", "cat < .env", "head -n1 .env", "grep -f .env x",
                    "cat /w/.env", "sed -n 1p .env", "cp .env b", "a; (cat .env)", "cat .e'nv'", "dd if=.env"):  # fmt: skip
        assert judged(bash(command), "bypassPermissions", deny=["Read(.env)"]).behavior == "deny", command
    for command in ("cat $X", 'cat "$(echo .env)"', "make $(cat $X)"):
        assert judged(bash(command), "bypassPermissions", deny=["Read(.env)"]).behavior == "ask", command
    assert judged(bash("cat env"), "bypassPermissions", deny=["Read(.env)"]).behavior == "allow"


def test_relative_paths_of_a_command_start_where_the_shell_stands() -> None:
    where = PathContext(cwd="/w", project_root="/w", home="/h", shell_cwd="/w/sub", resolve=lambda path: path)
    rules = RuleSet.from_lists(deny=["Read(/sub/key)"], source=RuleSource("project", "p", "/w"))
    assert decide(bash("cat key"), rules=rules, mode="default", where=where).behavior == "deny"


def test_a_change_of_folder_hides_no_denied_file() -> None:
    rules = RuleSet.from_lists(deny=["Read(/sub/key)", "Edit(/sub/out)"], source=RuleSource("project", "p", "/w"))
    for command, expected in {
        "cd sub && cat key": "deny",
        "cd sub; cd ..; cat sub/key": "deny",
        "(cd /w/sub && echo x > out)": "deny",
        "cd sub && cp a out": "deny",
        "cd $X && cat key": "ask",
        "echo x > $F": "ask",
        "rm $F": "ask",
        "cd other && cat key": "allow",
        "echo x > out": "allow",
    }.items():
        assert decide(bash(command), rules=rules, mode="bypassPermissions", where=WHERE).behavior == expected, command


def test_links_on_the_disk_are_followed(tmp_path: Path) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    (work / "out").symlink_to(other)
    where = PathContext(cwd=str(work), project_root=str(work), home="/h")
    call = call_from_input("Edit", {"file_path": str(work / "out/new.txt")}, where)
    assert decide(call, rules=RuleSet(), mode="acceptEdits", where=where).behavior == "ask"
    inside = call_from_input("Edit", {"file_path": str(work / "new.txt")}, where)
    assert decide(inside, rules=RuleSet(), mode="acceptEdits", where=where).behavior == "allow"


def test_a_working_folder_reached_by_a_link_is_still_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    where = PathContext(cwd=os.fspath(tmp_path / "link"), project_root="/x", home="/h")
    call = call_from_input("Read", {"file_path": str(tmp_path / "link/a")}, where)
    assert decide(call, rules=RuleSet(), mode="default", where=where).behavior == "allow"


@pytest.mark.parametrize(
    "path",
    ["/w/.git/config", "/w/sub/.git/hooks/x", "/w/.GIT/config", "/w/.tui-agent/settings.json", "/w/.claude/settings.json",
     "/h/.bashrc", "/h/.config/git/ignore", "/w/lefthook.yml", "/w/.vscode/tasks.json"],
)  # fmt: skip
def test_a_protected_place_is_known(path: str) -> None:
    assert protected_reason(path, WHERE)


@pytest.mark.parametrize(
    "path", ["/w/git/config", "/w/.github/x", "/w/.claude/worktrees/a/b.py", "/w/.gitignore", "/w/a.py"]
)
def test_an_ordinary_place_is_not(path: str) -> None:
    assert protected_reason(path, WHERE) is None
