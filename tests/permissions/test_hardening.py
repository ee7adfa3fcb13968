"""Tricks that must not get past a decision, and harmless things that must not be stopped by fear of them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from attack_room import AttackRoom

from tui_agent.execution.single_use import run_one
from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext, SandboxTerms, names_fold
from tui_agent.permissions.protected_paths import protected_reason
from tui_agent.permissions.rules import RuleSet, parse_rule
from tui_agent.permissions.verdict import ToolOpinion, Verdict

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


def judged(
    command: str, mode: Mode = "default", where: PathContext = WHERE, extra: dict[str, Any] | None = None, **lists: Any
) -> Verdict:
    call = call_from_input("Bash", {"command": command, **(extra or {})}, where)
    return decide(call, rules=RuleSet.from_lists(**lists), mode=mode, where=where)


@pytest.mark.parametrize(
    "command",
    [
        "\\l\\s", "l\\s -la", "'ls'", "find . -\\delete", "find . \\-delete", "[[ x =~ $(evil) ]]", "echo x > /dev/tcp/h/80",
        "cat < /dev/udp/h/80", "PATH=x", "PATH=. ls", "LD_PRELOAD=./x ls", "help -m $(evil)", "man -P evil ls",
        "ls; evil", "ls\nevil", "ls && evil", "ls & evil", "ls | evil", "ls $(evil)", "ls `evil`", 'ls "$(evil)"', "ls <(evil)",
        "ls > f", "ls >> f", "ls >| f", "ls &> f", "ls 2> f", "ls > $F", "ls > ~/f", "ls > *", "ls >&f", "ls 3> f",
        "echo x <> f",
        "cat <<E\n$(evil)\nE", "cat <<E | evil\nE", "cat <<E; evil\nE", "ls \\\n; evil", "ls # \\\nevil\nevil",
        "f() { evil; }; f", "alias ls=evil; ls", "eval ls", "source f", ". f", "exec ls", "trap ls EXIT", "env -i ls",
        "sudo ls",
        "git -c core.pager=evil log", "git --exec-path=. log", "git diff --ext-diff", "git log --output=f", "git branch new",
        "find . -exec evil ;", "find . -fprint f", "sort -o f x", "sed -n 'w f' x", "sed -i s/a/b/ f", "sed 's/a/b/e' f",
        "xargs rm", "ls | xargs rm", "awk 'BEGIN{system(\"evil\")}'", "awk '{print > \"f\"}' x", "rg --pre evil x", "tee f",
        "cat ../x", "cat ../../etc/passwd", "cat /etc/passwd", "cat ~/x", "cat $HOME/x", "cat ~root/x", "ls /", "cd / && ls",
        "cd /etc; cat passwd", "cat sub/../../x", "cd sub && cat ../../x", "cat $X", 'cat "$X"', "cat x $X",
        "diff a /etc/passwd",
        "grep -f /etc/passwd x", "grep -r p /etc", "wc -l --files0-from=/etc/x", "cd sub && git status", "cd sub; git log",
        "(cd sub && git diff)", "cd .. && ls", "cd - && ls", "cd $X && ls", "cat {a,/etc/passwd}", "cat {/etc,a}/passwd",
        "docker -H x ps", "file -m f x", "date -s x", "hostname x", "test -v 'a[$(evil)]'", "printf -v PATH x", "echo ${x:=y}",
        "echo ${x@P}", "let x=1", "((a[$(evil)]))", "ls\u00a0-la", "ls\u200b", "ls \x1b[2J", "ls 'x", "ls $(", "x" * 10_001,
    ],
)  # fmt: skip
def test_what_is_not_surely_harmless_asks(command: str) -> None:
    assert judged(command).behavior == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m \"$(cat <<'EOF'\nFix: it's `x` && rm -rf / # no; > f\n\nMore (50 %)\nEOF\n)\"",
        "git commit -m 'a; b && c | d > e'", 'git commit -m "100% # no comment"',
        "git commit -m $'x' --quiet || true; git commit",
        "git commit \\\n  -m 'two\nlines'", "git commit -m '--dashes -x'", "git commit -am \"it's\" && git log -1",
    ],
)  # fmt: skip
def test_what_quotes_hold_is_text(command: str) -> None:
    verdict = judged(command, allow=["Bash(git commit *)"])
    assert verdict.behavior == "allow" or "$'" in command, verdict


@pytest.mark.parametrize(
    "command",
    ["npm test <<< 'x; rm -rf /'", "npm test << 'E'\nrm -rf /\nE\n", "cat <<'E'\nrm -rf ~\nE\n", "echo 'rm -rf /'"],
)
def test_a_text_for_a_command_is_no_command(command: str) -> None:
    assert judged(command, allow=["Bash(npm test *)"]).behavior == "allow"


@pytest.mark.parametrize(
    "command", ["python3 - <<'E'\nx\nE\n", "bash <<< evil", "psql <<'E'\nDROP\nE\n", "python3.11 <<'E'\nx\nE\n"]
)
def test_a_text_for_an_interpreter_is_a_program_that_no_rule_names(command: str) -> None:
    rules = ["Bash(python3 *)", "Bash(python3.11 *)", "Bash(bash *)", "Bash(psql *)"]
    verdict = judged(command, allow=rules)
    assert verdict.behavior == "ask"
    assert not verdict.offers


def test_an_ask_rule_holds_within_a_longer_command_in_every_mode() -> None:
    modes: tuple[Mode, ...] = ("default", "acceptEdits", "bypassPermissions")
    for mode in modes:
        for command in ("ls && git push", "(git push)", "echo $(git push)", "timeout 5 git push", "X=1 git push"):
            assert judged(command, mode, allow=["Bash"], ask=["Bash(git push *)"]).behavior == "ask"


def test_a_hooks_question_weakens_no_refusal() -> None:
    call = call_from_input("Bash", {"command": "rm x"}, WHERE)
    for said in ("ask", "allow"):
        hook = ToolOpinion(said)  # type: ignore[arg-type]
        verdict = decide(call, rules=RuleSet.from_lists(deny=["Bash(rm *)"]), mode="default", where=WHERE, hook=hook)
        assert verdict.behavior == "deny"


# The sandbox

BOXED = replace(WHERE, sandbox=SandboxTerms(is_enabled=True, excluded=("docker *",)))


def test_leaving_the_sandbox_goes_the_usual_way() -> None:
    leave = {"dangerouslyDisableSandbox": True}
    assert judged("npm test", where=BOXED).behavior == "allow"
    assert judged("npm test", where=BOXED, extra=leave).behavior == "ask"
    assert judged("npm test", where=BOXED, extra=leave, ask=["Bash"], allow=["Bash(npm *)"]).by == "rule"
    allowed = judged("npm test", where=BOXED, extra=leave, allow=["Bash(npm *)"])
    assert (allowed.behavior, allowed.confinement) == ("allow", None)
    # What only reads would be held to reading; who wants out is asked about.
    assert judged("ls", where=BOXED, extra=leave).behavior == "ask"
    kept = replace(BOXED, sandbox=replace(BOXED.sandbox, may_leave=False))
    verdict = judged("npm test", where=kept, extra=leave, ask=["Bash"])
    assert (verdict.behavior, verdict.confinement) == ("allow", "workspace")


def test_what_is_kept_out_of_the_sandbox_goes_the_usual_way() -> None:
    for command in (
        "docker build .",
        "npm test && docker build .",
        "timeout 5 docker build .",
        "echo $(docker build .)",
    ):
        verdict = judged(command, where=BOXED)
        assert (verdict.behavior, verdict.confinement) == ("ask", None), command
        assert judged(command, where=BOXED, ask=["Bash"], allow=["Bash"]).by == "rule"
    assert judged("docker build .", where=BOXED, allow=["Bash(docker *)"]).confinement is None


def test_the_sandbox_spares_no_question_that_stands_for_itself() -> None:
    assert judged("rm -rf ~", where=BOXED).behavior == "ask"
    assert judged("echo $(rm -rf /)", where=BOXED).behavior == "ask"
    assert judged("npm 'test", where=BOXED).behavior == "ask"
    assert judged("npm test > .git/hooks/x", where=BOXED).by == "protected_path"
    assert judged("npm test", where=BOXED, deny=["Bash(npm *)"]).behavior == "deny"
    assert judged("npm test > x", where=BOXED, ask=["Edit(x)"]).behavior == "ask"
    assert judged("make", where=BOXED, extra={"timeout": 5}, ask=["Bash(timeout:5)"]).behavior == "ask"
    asking = replace(BOXED, sandbox=replace(BOXED.sandbox, auto_allow=False))
    assert judged("npm test", where=asking).behavior == "ask"
    assert judged("ls", where=BOXED).confinement == "read_only"
    assert judged("npm test", "plan", BOXED).behavior == "deny"


def test_without_a_sandbox_reading_needs_a_rule_or_consent() -> None:
    bare = replace(WHERE, sandbox=SandboxTerms(is_there=False))
    verdict = judged("ls", where=bare)
    assert verdict.behavior == "ask"
    assert "no sandbox" in verdict.reason
    assert judged("ls", where=bare, allow=["Bash(ls *)"]).behavior == "allow"
    consent = replace(bare, sandbox=replace(bare.sandbox, read_only_without=True))
    assert judged("ls", where=consent).behavior == "allow"
    assert judged("ls", "plan", bare).behavior == "ask"  # it changes nothing


# Places


@pytest.fixture
def disk(tmp_path: Path) -> PathContext:
    top = Path(os.path.realpath(tmp_path))
    for folder in ("w/sub/deep", "out/secret", "h"):
        (top / folder).mkdir(parents=True)
    for file in ("w/a.py", "w/b.py", "w/sub/c.py", "w/.env", "out/secret/key", "out/x.py"):
        (top / file).write_text("")
    (top / "w/link").symlink_to(top / "out")
    (top / "w/sub/far.py").symlink_to(top / "out/x.py")
    (top / "w/jump").symlink_to(top / "w/sub/deep")
    (top / "w/copy").mkdir()
    (top / "w/copy/a.py").symlink_to(top / "out/x.py")
    return PathContext(cwd=str(top / "w"), project_root=str(top / "w"), home=str(top / "h"))


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


# Rules


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("run_shell", "Bash"), ("BashTool", "Bash"), ("read_file", "Read"), ("FileRead", "Read"), ("FileReadTool", "Read"),
        ("edit_file", "Edit"), ("FileWrite", "Write"), ("list_files", "Glob"), ("grep_search", "Grep"), ("Task", "Agent"),
        ("KillShell", "TaskStop"), ("web_fetch", "WebFetch"), ("ListMcpResourcesTool", "ListMcpResourcesTool"),
        ("mcp__x__yTool", "mcp__x__yTool"), ("bash", "bash"),
    ],
)  # fmt: skip
def test_a_tool_may_be_named_by_any_of_its_names(alias: str, name: str) -> None:
    assert parse_rule(alias, "deny").tool == name


def test_a_rule_under_another_name_works() -> None:
    assert judged("rm x", deny=["run_shell(rm *)"]).behavior == "deny"
    assert judged("cat .env", deny=["read_file(.env)"]).behavior == "deny"
    assert RuleSet.from_lists(deny=["BashTool"]).denied_tools() == {"Bash"}


def test_a_tool_that_runs_commands_obeys_the_rules_for_commands() -> None:
    call = call_from_input("Monitor", {"command": "tail -f log; rm x"}, WHERE)
    for lists, expected in (
        ({"deny": ["Bash(rm *)"]}, "deny"),
        ({"ask": ["Bash"]}, "ask"),
        ({"allow": ["Bash"]}, "allow"),
    ):
        assert decide(call, rules=RuleSet.from_lists(**lists), mode="default", where=WHERE).behavior == expected


@pytest.mark.parametrize(
    ("rule", "behavior", "tool", "input", "hits"),
    [
        ("Agent(Explore)", "deny", "Agent", {"subagent_type": "Explore"}, True),
        ("Agent(Explore)", "deny", "Agent", {"subagent_type": "explore"}, False),
        ("Agent(general-purpose)", "deny", "Agent", {"prompt": "x"}, True),
        ("Task(Explore)", "deny", "Agent", {"subagent_type": "Explore"}, True),
        ("Agent(model:op*)", "deny", "Agent", {"model": "opus"}, True),
        ("Agent(run_in_background:true)", "deny", "Agent", {"run_in_background": True}, True),
        ("Agent(run_in_background:true)", "deny", "Agent", {"run_in_background": [True]}, False),
        ("Skill(plugin:deploy)", "deny", "Skill", {"skill": "plugin:deploy"}, True),
        ("Skill(deploy)", "deny", "Skill", {"skill": "deploy", "args": "prod"}, True),
        ("Skill(deploy)", "allow", "Skill", {"skill": "deploy", "args": "prod"}, False),
        ("Skill(deploy *)", "allow", "Skill", {"skill": "deploy", "args": "prod"}, True),
        ("Skill(deploy *)", "allow", "Skill", {"skill": "deployment"}, False),
        ("mcp__plugin_a_b__x", "allow", "mcp__plugin_a_b__x", {}, True),
        ("mcp__a__*", "allow", "mcp__a__x", {}, True),
        ("mcp__a", "allow", "mcp__ab__x", {}, False),
        ("mcp__a__x(force:true)", "deny", "mcp__a__x", {"force": True}, True),
        ("*", "deny", "Anything", {}, True),
        ("Web*", "deny", "WebFetch", {"url": "https://x"}, True),
        ("WebFetch( domain:x )", "deny", "WebFetch", {"url": "https://x"}, True),
        ("toString", "allow", "toString", {}, True),
    ],
)  # fmt: skip
def test_what_stands_in_brackets(rule: str, behavior: str, tool: str, input: dict[str, Any], hits: bool) -> None:
    call = call_from_input(tool, input, WHERE)
    verdict = decide(call, rules=RuleSet.from_lists(**{behavior: [rule]}), mode="default", where=WHERE)  # type: ignore[arg-type]
    assert (verdict.rule == rule) is hits


@pytest.mark.parametrize("rule", ["WebSearch(x)", "mcp__a__b(x)", "Glob(x)", "Bash(url:x)", "NotebookEdit(a)"])
def test_brackets_that_mean_nothing_are_told(rule: str) -> None:
    assert "never matches" in RuleSet.from_lists(deny=[rule]).problems[0].text


# Plan mode


def test_the_plan_itself_may_be_written_while_nothing_else_may() -> None:
    where = replace(WHERE, writable_in_plan=("/w/.tui-agent/plans/p.md",))

    def written(path: str, mode: Mode = "plan", **lists: list[str]) -> str:
        call = call_from_input("Write", {"file_path": path}, where)
        return decide(call, rules=RuleSet.from_lists(**lists), mode=mode, where=where).behavior  # type: ignore[arg-type]

    assert written("/w/.tui-agent/plans/p.md") == "allow"
    assert written("/w/.tui-agent/plans/q.md") == "deny"
    assert written("/w/a.py", allow=["Edit"]) == "deny"
    assert written("/w/.tui-agent/plans/p.md", "acceptEdits") == "ask"
    assert written("/w/.tui-agent/plans/p.md", deny=["Edit(p.md)"]) == "deny"
    assert judged("ls | head", "plan", where).behavior == "allow"
    assert judged("npm test", "plan", where, allow=["Bash"]).behavior == "deny"


def test_a_plan_that_is_a_link_is_no_plan(disk: PathContext) -> None:
    plan = Path(disk.cwd) / "plan.md"
    plan.symlink_to(Path(disk.cwd) / "a.py")
    where = replace(disk, writable_in_plan=(str(plan),))
    call = call_from_input("Write", {"file_path": f"{disk.cwd}/a.py"}, where)
    assert decide(call, rules=RuleSet(), mode="plan", where=where).behavior == "deny"


# Texts made to be slow

HEAVY = {
    "substitutions": "$(" * 2000, "pipes": "a|" * 4900 + "a", "braces": "ls " + "{a,b}" * 1900, "brackets": "(" * 5000,
    "lists": "ls && " * 1600 + "ls", "folders": "cd a; " * 1600 + "ls", "other folders": "cd a || cd b; " * 600 + "cat x",
    "loops": "for i in a b; do " * 300 + "ls" + "; done" * 300, "conditions": "if a; then " * 400 + "b" + "; fi" * 400,
    "variables": "".join(f"a{at}=x; " for at in range(1000)) + "echo $a1", "globs": "ls " + "*/" * 300,
    "stars": "cat " + "* " * 4000, "env": "env -u " * 1200 + "ls",
    "words": "cat " + "a " * 4900, "quoted": "echo " + '"$(' * 600 + "ls" + ')"' * 600, "sudo": "sudo " * 1900 + "ls",
    "xargs": "xargs " * 1600 + "ls", "sums": "echo $((" + "1+" * 900 + "1))", "text": "cat <<E\n" + "x\n" * 4900 + "E\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HEAVY)
def test_a_text_made_to_be_slow_gets_a_verdict_all_the_same(name: str, disk: PathContext) -> None:
    rules = {"allow": ["Bash(npm * x * y *)"], "deny": ["Read(.env)", "Bash(curl *)"]}
    assert judged(HEAVY[name], where=disk, **rules).behavior in {"allow", "ask"}
