"""What holds for whatever rules and whatever commands: deny beats all, more rules of refusal never loosen, offers suffice."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import MODES, Mode
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.verdict import Verdict

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", additional_dirs=("/more",), resolve=lambda path: path)
BOXED = PathContext(
    cwd="/w", project_root="/w", home="/h", resolve=lambda path: path, sandbox=SandboxTerms(is_enabled=True)
)
ORDER = {"allow": 0, "ask": 1, "deny": 2}

SIMPLE = (
    "npm test", "npm run build", "git push", "git status", "git commit -m 'a b'", "ls -la", "cat .env", "cat src/a.py",
    "rm -rf build", "make", "cargo test -- -x", "python3 x.py", "touch a/b", "cat /etc/hosts", "sudo make", "find . -delete",
    "find . -name 'x*'", "cd sub", "cd /etc", "echo hi", "NODE_ENV=test npm test", "PATH=x npm test", "timeout 5 make",
    'git commit -m "$(cat <<\'E\'\nx\nE\n)"', "echo $(npm test)", "xargs rm", "$X y", "sed -i s/a/b/ f", "./run.sh 'a'",
    "psql -c x", "wc -l *.py", "tee /etc/x", "cp a /more/b", "mv a .git/b",
)  # fmt: skip
ENDS = ("", "", "", " > out.txt", " 2>&1", " < in", " >> /etc/x", " > $F", " 2>/dev/null", " < /etc/passwd", " <<< x")
JOINS = (" && ", " || ", "; ", " | ", "\n", " & ")
ONE = st.builds(lambda command, end: command + end, st.sampled_from(SIMPLE), st.sampled_from(ENDS))
COMMANDS = st.lists(ONE, min_size=1, max_size=4).flatmap(
    lambda parts: st.sampled_from(JOINS).map(lambda join: join.join(parts))
)
WRAPPED = st.builds(
    lambda command, shape: shape.format(command),
    COMMANDS,
    st.sampled_from(("{}", "{}", "{}", "({})", "{{ {}\n}}", "if {}\nthen ls\nfi", "for f in a b\ndo {}\ndone", "! {}")),
)
RULES = (
    "Bash", "Bash(npm *)", "Bash(npm test *)", "Bash(git push)", "Bash(git *)", "Bash(rm *)", "Bash(* test)", "Bash(cat *)",
    "Bash(ls*)", "Bash(make)", "Bash(cargo test *)", "Bash(find *)", "Bash(sudo *)", "Bash(timeout *)", "Bash(git commit *)",
    "Bash(echo *)", "Bash(touch a/b)", "Read(.env)", "Read(//etc/**)", "Edit(out.txt)", "Edit(./out.txt)", "Edit(//etc/**)",
    "Read", "Edit", "Read(src/**)", "Bash(sed *)", "Bash(python3 *)", "Bash(cd *)",
)  # fmt: skip
LISTS = st.lists(st.sampled_from(RULES), max_size=4)
MODES_ = st.sampled_from(MODES)
FAST = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def judged(command: str, mode: Mode = "default", where: PathContext = WHERE, **lists: list[str]) -> Verdict:
    call = call_from_input("Bash", {"command": command}, where)
    return decide(call, rules=RuleSet.from_lists(**lists), mode=mode, where=where)  # type: ignore[arg-type]


@given(WRAPPED, LISTS, LISTS, LISTS, MODES_, st.sampled_from([WHERE, BOXED]), st.randoms(use_true_random=False))
@FAST
def test_the_order_of_rules_decides_nothing(
    command: str,
    allow: list[str],
    ask: list[str],
    deny: list[str],
    mode: Mode,
    where: PathContext,
    shuffle: random.Random,
) -> None:
    first = judged(command, mode, where, allow=allow, ask=ask, deny=deny)
    for one in (allow, ask, deny):
        shuffle.shuffle(one)
    again = judged(command, mode, where, allow=allow, ask=ask, deny=deny)
    assert (first.behavior, first.confinement) == (again.behavior, again.confinement)


@given(WRAPPED, LISTS, LISTS, LISTS, st.sampled_from(RULES), MODES_, st.sampled_from([WHERE, BOXED]))
@FAST
def test_one_more_rule_of_refusal_never_loosens_and_one_of_allowance_never_tightens(
    command: str, allow: list[str], ask: list[str], deny: list[str], more: str, mode: Mode, where: PathContext
) -> None:
    before = ORDER[judged(command, mode, where, allow=allow, ask=ask, deny=deny).behavior]
    for lists in ({"ask": [*ask, more], "deny": deny}, {"ask": ask, "deny": [*deny, more]}):
        assert ORDER[judged(command, mode, where, allow=allow, **lists).behavior] >= before
    assert ORDER[judged(command, mode, where, allow=[*allow, more], ask=ask, deny=deny).behavior] <= before


@given(WRAPPED, LISTS, LISTS, MODES_, st.sampled_from([WHERE, BOXED]))
@FAST
def test_what_is_denied_is_denied_whatever_is_allowed(
    command: str, allow: list[str], deny: list[str], mode: Mode, where: PathContext
) -> None:
    if mode in {"dontAsk", "plan"} or judged(command, mode, where, deny=deny).behavior != "deny":
        return
    assert judged(command, mode, where, allow=[*allow, "Bash"], deny=deny).behavior == "deny"


@given(COMMANDS, ONE, LISTS)
@FAST
def test_leave_for_one_command_is_no_leave_for_another(command: str, other: str, allow: list[str]) -> None:
    allow = [rule for rule in allow if rule != "Bash"]
    if judged(other, allow=allow).behavior == "allow":
        return
    for join in JOINS:
        if join == " & " and other.startswith("#"):
            continue
        assert judged(command + join + other, allow=allow).behavior != "allow", (command, join, other)
        assert judged(other + join + command, allow=allow).behavior != "allow", (other, join, command)


@given(WRAPPED, LISTS, st.sampled_from(["default", "acceptEdits"]), st.randoms(use_true_random=False))
@example("cd /etc && cat hosts > out.txt && npm test", [], "default", random.Random(1))
@example("cat /etc/hosts /usr/share/x; make", [], "default", random.Random(2))
@FAST
def test_what_is_offered_is_enough_whichever_is_chosen(
    command: str, allow: list[str], mode: Mode, choose: random.Random
) -> None:
    verdict = judged(command, mode, allow=allow)
    assert len(verdict.offers) <= 5
    if not verdict.offers:
        return
    assert verdict.behavior == "ask"
    picked = [choose.choice(offer) for offer in verdict.offers]
    for rules in (picked, [offer[0] for offer in verdict.offers]):
        after = judged(command, mode, allow=[*allow, *rules])
        assert after.behavior == "allow", (rules, after)
        for evil in (
            "sudo x",
            "bash x",
            "python3 evil.py",
            "rm -rf other",
            "evil",
            "env x",
            "tee /etc/z",
            "cat /root/.ssh/id",
        ):
            if judged(evil, mode, allow=allow).behavior == "ask" and evil not in command:
                assert judged(evil, mode, allow=[*allow, *rules]).behavior == "ask", (rules, evil)


@given(WRAPPED, LISTS, LISTS, LISTS, MODES_, st.sampled_from([WHERE, BOXED]))
@example("find . -name 'x*'", ["Bash"], [], ["Read(src/**)"], "default", WHERE)
@FAST
def test_a_verdict_is_whole(
    command: str, allow: list[str], ask: list[str], deny: list[str], mode: Mode, where: PathContext
) -> None:
    verdict = judged(command, mode, where, allow=allow, ask=ask, deny=deny)
    assert verdict.reason
    assert verdict.steps[-1].outcome in {"allow", "ask", "deny", "no match"}
    if verdict.behavior == "allow" and mode in {"default", "acceptEdits"} and verdict.by != "sandbox":
        assert all(part.behavior == "allow" for part in verdict.parts)
    if verdict.confinement == "read_only":
        assert verdict.is_read_only
        # Where rules hide files, what a rule allows is held to reading as well: a search names no file that it comes upon.
        hides = RuleSet.from_lists(deny=deny).has_denials("read")
        assert hides or all(part.by == "classifier" for part in verdict.parts)
    assert verdict.confinement != "workspace" or where is BOXED
