"""With which rights the parts of a command run: what the decision says, without running anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.shell import isolation
from tui_agent.permissions.verdict import PerCommand, Verdict

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)
LANDLOCK = replace(WHERE, sandbox=SandboxTerms(holds_inside=False, holds_sockets=False))
NONE = replace(WHERE, sandbox=SandboxTerms(is_there=False, read_only_without=True))
RULES = ["Bash(npm *)", "Bash(git add *)", "Bash(mv *)"]


def judged(command: str, mode: Mode = "default", where: PathContext = WHERE, **lists: list[str]) -> Verdict:
    call = call_from_input("Bash", {"command": command}, where)
    return decide(call, rules=RuleSet.from_lists(**{"allow": RULES, **lists}), mode=mode, where=where)  # type: ignore[arg-type]


def split(command: str, mode: Mode = "default") -> dict[str, str]:
    """Return the commands of a text that run in a sandbox, each with its kind."""
    found = judged(command, mode).confinement
    assert isinstance(found, PerCommand), found
    assert found.source == command
    return {command[start:].split()[0].strip(";`"): str(how) for start, how in found.confined}


def test_each_part_has_its_own_rights() -> None:
    assert split("npm ci && ls | head") == {"ls": "read_only", "head": "read_only"}
    assert split("time npm ci; time -p ls; command sort x") == {"ls": "read_only", "sort": "read_only"}
    assert split("npm ci; mkdir a; ls", "acceptEdits") == {"mkdir": "edits", "ls": "read_only"}
    assert split('npm ci "$(cat x)"; echo `wc -l x`') == {"cat": "read_only", "wc": "read_only"}


def test_what_needs_no_splitting_is_not_split() -> None:
    assert judged("npm ci; npm test").confinement is None
    assert judged("ls; cat x | head").confinement == "read_only"
    assert judged("mkdir a; ls", "acceptEdits").confinement == "edits"
    assert judged("ls > out", "acceptEdits").confinement == "edits"
    assert judged("npm ci; echo done; cd sub").confinement is None, "the shell's own commands stay in the shell"


def test_a_rule_takes_the_sandbox_from_nothing_else() -> None:
    rules = [*RULES, "Bash(ls *)", "Bash(ls)"]
    assert judged("ls; cat x", allow=rules).confinement == "read_only"
    assert judged("ls; mkdir a", "acceptEdits", allow=rules).confinement == "edits"
    assert judged("ls; npm ci", allow=rules).confinement is None


@pytest.mark.parametrize(
    ("command", "where", "expected"),
    [
        ("mkdir a", WHERE, "allow"), ("mkdir a", LANDLOCK, "allow"), ("mkdir a", NONE, "ask"),
        ("cd sub && mkdir a", LANDLOCK, "allow"), ("mkdir a; touch b", LANDLOCK, "ask"), ("mkdir a; touch b", NONE, "ask"),
        ("mkdir a; ls", LANDLOCK, "ask"), ("npm ci; mkdir a", LANDLOCK, "ask"), ("npm ci; mkdir a", NONE, "ask"),
        ("echo x > f", NONE, "ask"), ("echo x > f", LANDLOCK, "allow"), ("npm test > f", NONE, "allow"),
        ("cat < f > g", NONE, "ask"), ("sed -i s/a/b/ f", NONE, "ask"), ("ls; cp a b", NONE, "ask"),
        ("npm ci; ls > f", NONE, "ask"), ("mv a b > f", NONE, "ask"),
        ("docker ps", LANDLOCK, "ask"), ("docker ps", NONE, "allow"),
        ("ls; npm ci", NONE, "allow"),
        ("mv a b; npm test > f", WHERE, "allow"), ("npm ci; npm test > f", WHERE, "allow"),
    ],
)  # fmt: skip
def test_without_mounts_less_is_let_through(command: str, where: PathContext, expected: str) -> None:
    assert judged(command, "acceptEdits", where).behavior == expected


def test_without_a_sandbox_only_the_programs_own_edits_are_accepted() -> None:
    call = call_from_input("Bash", {"command": "sed -i s/a/b/ f"}, NONE)
    rules = RuleSet.from_lists()
    asked = decide(call, rules=rules, mode="acceptEdits", where=NONE)
    assert (asked.behavior, asked.reason) == ("ask", "no sandbox here can hold it to the working folders")
    own = decide(replace(call, is_own_change=True), rules=rules, mode="acceptEdits", where=NONE)
    assert (own.behavior, own.confinement) == ("allow", None)
    assert decide(replace(call, is_own_change=True), rules=rules, mode="default", where=NONE).behavior == "ask"


def test_without_a_sandbox_what_reads_beside_a_rule_is_told_apart() -> None:
    found = judged("npm ci; git status", where=NONE).confinement
    assert found == PerCommand("npm ci; git status", ((8, "read_only"),))
    assert judged("npm ci; git add x", where=NONE).confinement is None


def test_a_person_is_told_why_and_offered_what_helps() -> None:
    beside = judged("npm ci; umask")
    assert (beside.by, beside.reason) == (
        "classifier",
        "`umask`: beside commands that need your rights it cannot be held to reading",
    )
    mixed = judged("npm ci; echo $((1 + 1))")
    assert "shell expressions" in mixed.reason
    assert mixed.offers == ()
    away = judged("cd /elsewhere && npm test", allow=[*RULES, "Bash(cd *)"])
    assert away.reason == "`npm test`: it runs in `/elsewhere`, outside the project"
    assert away.offers == ()


@pytest.mark.parametrize("filling", ["npm test", "ls", "mkdir a"])
def test_a_text_is_not_looked_through_for_each_pair_of_its_parts(monkeypatch: pytest.MonkeyPatch, filling: str) -> None:
    steps = 0
    within = isolation._within

    def counted(statements: Any) -> Iterator[Any]:
        nonlocal steps
        for one in within(statements):
            steps += 1
            yield one

    monkeypatch.setattr(isolation, "_within", counted)

    def needed(parts: int) -> int:
        nonlocal steps
        steps = 0
        judged("; ".join([filling, "npm test", "ls"] * parts), "acceptEdits")
        return steps

    assert needed(20) <= 2.2 * needed(10)
