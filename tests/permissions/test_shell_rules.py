"""Rules on commands, judged by what bash really does with the same text.

`safe` is a program that a rule allows, `evil` one that no rule allows and one rule denies. Both are real programs here, and
`evil` leaves a mark when it runs: so "a rule never lets another command through" is checked against bash itself.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.shell.effective_command import plain_text, reached
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.verdict import ToolCall, Verdict

ALLOW_SAFE = RuleSet.from_lists(allow=["Bash(safe *)"])
DENY_EVIL = RuleSet.from_lists(allow=["Bash"], deny=["Bash(evil *)"])
WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


def judged(command: str, rules: RuleSet, mode: Mode = "default") -> Verdict:
    call = ToolCall(tool="Bash", input={"command": command}, command=command)
    return decide(call, rules=rules, mode=mode, where=WHERE)


@pytest.fixture(scope="module")
def runs_evil(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bool]:
    """Return a function that runs a command in bash, among harmless programs only, and says whether `evil` ran."""
    root = tmp_path_factory.mktemp("bash")
    mark = root / "mark"
    programs = root / "bin"
    programs.mkdir()
    scripts = {"safe": "exit 0", "evil": f": > '{mark}'", "env": 'exec "$@"', "xargs": 'exec "$@"', "sudo": 'exec "$@"'}
    for name, body in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{body}\n")
        (programs / name).chmod(0o755)

    def run(command: str) -> bool:
        mark.unlink(missing_ok=True)
        work = tmp_path_factory.mktemp("work")
        subprocess.run(
            ["/bin/bash", "-c", command], cwd=work, env={"PATH": str(programs)}, check=False, timeout=20,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return mark.exists()

    return run


PIECES = (
    "safe", "evil", " ", ";", "&", "|", "&&", "||", "\n", "$(", ")",
    "`", "'", '"', "\\", "#", "{", "}", "<", ">", "<<E", "<<-E",
    "<<'E'", "\nE\n", "E", "$", "(", "!", "=", "A=", "$A", "${A}",
    "\t", "*", "~", "[", "]", "x", "-", ",", "$'", "\\\n",
    "coproc ", "time ", "eval ", "command ", "exec ", "if ", "then ", "fi",
    "[[ ", " ]]", "a[", "test -v ", "printf -v ", "<(", "<<<",
    "((", "))", "$((", "f()", "case x in x)", ";;", "esac", "trap ",
    "EXIT", "env ", "xargs ", "export ", "sudo ", "?(", "@(", "2>&1",
    "&>", "|&", "x=1 ", "evil x", "'evil'", "e\\vil", "\nevil\n", "\n\\evil", "let ", "unset ", "${A[", "]}", "${A:=",
    "${A@P}",
    "\r", "\u00a0", "\x0b", "\u200b", "é",
)  # fmt: skip
COMMANDS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join)
# The same examples each time: what a longer search finds becomes an `@example`.
FUZZ = settings(max_examples=400, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


@given(COMMANDS)
@example("\nevil")
@example("\\\nevil")
@example("x\u00a0;evil")
@example("<<E\nE\nevil")
@example("# \\\nevil")
@example("$'\\'' ; evil '")
@example('"$(evil)"')
@example("{a,b};evil")
@FUZZ
def test_an_allow_rule_never_lets_another_command_run(runs_evil: Callable[[str], bool], rest: str) -> None:
    command = "safe " + rest
    if judged(command, ALLOW_SAFE).behavior == "allow":
        assert "\0" in command or not runs_evil(command), command


@given(COMMANDS)
@example("safe;safe|safe&&(safe)")
@example("A=evil; safe $A")
@example("safe -m \"$(safe <<'E'\nevil\nE\n)\"")
@example("for x in evil; do safe $x; done")
@example("for x in evil; do $x; done")
@example("safe x > >(evil)")
@FUZZ
def test_leave_for_some_commands_never_lets_another_run_anywhere_in_a_text(
    runs_evil: Callable[[str], bool], command: str
) -> None:
    for verdict in (judged(command, ALLOW_SAFE), judged(command, ALLOW_SAFE, "acceptEdits")):
        if verdict.behavior == "allow":
            assert "\0" in command or not runs_evil(command), command


@given(COMMANDS)
@example(">$ evil")
@example("safe a\n\\evil")
@example("e\\\nvil")
@example("coproc evil")
@example("safe|A=2>&1x  evil")
@example("<<<@\\\tx evil")
@example("time ! evil")
@example("time { evil; }")
@example("coproc if evil; then safe; fi")
@example("time (evil)")
@example("A=$A\\x evil")
@example("safe <<E && evil\nE\n")
@example("safe <<E\n$(evil)\nE\n")
@example("[[ 'a[$(evil)]' -eq 0 ]]")
@example("test -v 'a[$(evil)]'")
@example("printf -v 'a[$(evil)]' x")
@example("unset 'a[$(evil)]'")
@example("let 'a[$(evil)]'")
@example("A='$(evil)'; safe ${A@P}")
@example("A=evil; $A")
@example("trap evil EXIT")
@example("f() { evil; }; f")
@FUZZ
def test_a_deny_rule_holds_whatever_bash_makes_of_the_text(runs_evil: Callable[[str], bool], command: str) -> None:
    for verdict in (judged(command, DENY_EVIL, "bypassPermissions"), judged(command, DENY_EVIL)):
        if verdict.behavior == "allow":
            assert not runs_evil(command), command


@given(st.text() | COMMANDS, st.sampled_from(["default", "plan", "dontAsk", "bypassPermissions"]))
@FUZZ
def test_any_text_gets_a_verdict(command: str, mode: Mode) -> None:
    verdict = judged(command, DENY_EVIL, mode)
    assert verdict.steps
    assert verdict.reason


@pytest.mark.parametrize(
    "command",
    [
        "safe; evil", "safe && evil", "safe || evil", "safe | evil", "safe |& evil", "safe & evil", "safe &",
        "safe\nevil",
        "safe $(evil)", "safe `evil`", 'safe "$(evil)"', "safe <(evil)", "safe >(evil)", "safe > f", "safe >> f",
        "safe 2> f",
        "safe &> f", "safe < /etc/passwd", "safe < $X",
        "if safe; then evil; fi",
        "while safe; do evil; done", "f() { safe; }", "safe() { evil; }", "safe ${x:-$(evil)}", "safe ${x@P}",
        "safe $((a[0]))",
        "safe $'x'", "PATH=. safe", "$safe x", "sa* x", "\\safe x", "'safe' x", "'safe x'",
        "./safe x", "safe\u00a0x", "safe\tx; evil", "safe \r", "sudo safe x", "env safe x", "bash -c 'safe x'",
        "eval safe x",
        "safe $(", "safe 'x", 'safe "x', "safe \\", "safe > /dev/tcp/h/1", "safe >&f", "safe " + "x" * 10_000,
    ],
)  # fmt: skip
def test_a_rule_covers_commands_of_its_own_and_nothing_else(command: str) -> None:
    assert judged(command, ALLOW_SAFE).behavior == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "safe", "safe x", "  safe   x  ", "safe\tx", "safe 'a; b && c'", 'safe "a | b # c"', "safe a#b",
        "safe \\; x", "safe *.py",
        "safe {a,b}", "safe $HOME ${HOME}", 'safe "$HOME/x"', "safe -m 'it''s' x", "safe HEAD@{1} a^ b~2",
        "safe x=y --z=[0-9]",
        "safe 2>&1", "safe < f", "safe >/dev/null 2>&1", "safe x 2>/dev/null", "safe 'two\nlines'", "safe 100%",
        "safe \\\n  x", "safe é ☃",
        "(safe)", "{ safe; }", "! safe", "safe # note", "safe <<< x", "safe <<E\nE", "x=1; safe",
        'safe -m "$(cat <<\'E\'\nit\'s `evil` && $(evil)\nE\n)"', "safe; safe x | safe && (safe)", "if safe; then safe; fi",
        "safe\n", "timeout -k 5 30s safe x", "nice -n 5 safe", "nohup safe", "stdbuf -oL safe", "command safe",
        "LC_ALL=C safe",
        "time -p safe", "safe !", "safe a,b:c@d", "safe 'cost: $5'",
    ],
)  # fmt: skip
def test_quotes_and_odd_characters_inside_one_command_do_no_harm(command: str) -> None:
    assert judged(command, ALLOW_SAFE).behavior == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "evil", "evil x", "safe; evil", "safe && evil x", "safe | evil", "safe & evil", "safe\nevil", "safe $(evil)",
        "safe `evil x`",
        'safe "$(evil)"', "safe <(evil)", "safe > >(evil)", "(evil)", "{ evil; }", "! evil", "if true; then evil; fi",
        "while evil; do :; done", "for i in $(evil); do :; done", "case x in x) evil;; esac", "f() { evil; }",
        "x=$(evil)",
        "x=1 evil", "PATH=. evil", "export x=$(evil)", "a[$(evil)]=1", "safe ${x:-$(evil)}", "safe $(( $(evil) ))",
        "[[ x =~ $(evil) ]]", "safe <<E\n$(evil)\nE", "safe <<E && evil\nE", "safe <<E | evil\nE", "safe <<E; evil\nE",
        "evil <<E x\nE", "evil > f x", "> f evil x", "sudo evil", "sudo -u root evil x", "env A=1 evil", "env -i evil",
        "timeout 5 evil", "nice -n 5 evil", "nohup evil &", "xargs -n1 evil", "xargs -I {} evil {}", "command evil",
        "builtin evil",
        "exec evil", "eval 'evil x'", "eval evil x", "bash -c 'safe; evil'", "sh -ec evil", "bash -c 'bash -c evil'",
        "su -c evil",
        "find . -exec evil {} ;", "find . -exec evil {} +", "watch evil", "watch 'safe; evil'", "setsid evil",
        "ionice -c 3 evil",
        "flock f evil", "trap evil EXIT", "coproc evil", "/usr/bin/evil x", "./evil", "'evil' x", '"evil"', "e\\vil",
        "ev''il",
        "e\\\nvil", "time evil", "sudo -- evil", "sudo env evil", "if evil", "safe 'x; evil", "safe $(evil",
        "safe 'x\nevil",
    ],
)  # fmt: skip
def test_a_denied_command_is_found_wherever_it_stands(command: str) -> None:
    assert judged(command, DENY_EVIL, "bypassPermissions").behavior == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "$X", "$X y", "e$X", "*vil", "$(echo evil)", "`echo evil` x", "eval $X", "eval \"$X\"", "bash -c $X",
        "safe | bash",
        "bash <<E\nevil\nE", "bash <<< evil", "bash < f", "$'evil'", "{evil,x}",
        "A='$(evil)'; [[ A -eq 'x[$(y)]' ]]", "safe \\", "safe 'x", "safe \x00",
    ],
)  # fmt: skip
def test_what_might_be_denied_asks_even_in_bypass_mode(command: str) -> None:
    assert judged(command, DENY_EVIL, "bypassPermissions").behavior in {"ask", "deny"}


@pytest.mark.parametrize(
    "command", ["safe $X", "safe evil", "echo 'evil x'", "git commit -m 'no; evil'", "devil", "evil-twin"]
)
def test_a_deny_rule_leaves_other_commands_alone(command: str) -> None:
    assert judged(command, DENY_EVIL, "bypassPermissions").behavior == "allow"


def test_an_argument_that_is_not_known_may_complete_a_denied_command() -> None:
    rules = RuleSet.from_lists(allow=["Bash"], deny=["Bash(git push *)"])
    assert judged("git $X", rules).behavior == "ask"
    assert judged("git push $X", rules).behavior == "deny"
    assert judged("git log $X", rules).behavior == "allow"


def test_a_commit_message_in_a_here_document_is_understood() -> None:
    script = parse("git commit -m \"$(cat <<'EOF'\nFix; it's `done` && rm -rf /\nEOF\n)\"")
    assert script.is_understood
    assert {plain_text(one.words).split(" ")[0] for one in reached(script)} == {"git", "cat"}


def test_a_here_document_that_ends_early_is_not_believed() -> None:
    script = parse("cat <<E\nE\nevil\nE\n")
    assert script.problem or any(one.words[0].value == "evil" for one in reached(script))


def test_a_long_command_is_not_understood() -> None:
    assert not parse("x" * 10_001).is_understood
    assert parse("x" * 10_000).is_understood


def test_no_character_can_crash_the_parser() -> None:
    # In a process of its own: the grammar's scanner would take the whole program with it.
    shapes = ["X", "a X", "$X", "${X}", "<<X", "a=X", "X=1", "[[ X", "a|X", "\\X", "{X", "((X", "a[X", '"X"']
    points = [0x80, 0xA0, 0x100, 0x3000, 0xD7FF, 0xFFFF, 0x10000, 0x1F600, 0x50000, 0x80000, 0xE0100, 0x10FFFE]
    code = (
        "from tui_agent.permissions.shell.parse import parse\n"
        f"for shape in {shapes!r}:\n    for point in {points!r}:\n        parse(shape.replace('X', chr(point)))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_here_documents_end_at_the_very_delimiter() -> None:
    # Both delimiters look the same to the grammar; to bash they are two.
    assert judged("safe <<\u00e9\n\u00e8\n'\n\u00e9\nevil\n'", DENY_EVIL, "bypassPermissions").behavior != "allow"
