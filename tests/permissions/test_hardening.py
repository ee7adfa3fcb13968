"""Tricks that must not get past a decision, and harmless things that must not be stopped by fear of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judging import WHERE, judged

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.verdict import ToolOpinion


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
