"""What a command does that a user should see first: by the one table of it, and as the reason of a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging import judged

from tui_agent.permissions.shell.dangers import danger_of, is_careful

LINES = [
    line.split(None, 1)
    for line in Path(__file__).with_name("calls_dangerous.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
CAREFUL = [command for effect, command in LINES if effect.endswith("!")]


def test_there_are_a_hundred_commands_and_more() -> None:
    assert len(LINES) > 140
    assert len(CAREFUL) > 80


@pytest.mark.parametrize(("effect", "command"), LINES)
def test_what_a_command_does_that_matters_most_is_known(effect: str, command: str) -> None:
    found = danger_of(command)
    told = "-" if found is None else found.effect + "!" * found.is_careful
    assert told == effect
    if found is not None:
        assert found.part in command
        assert len(found.reason) < 140


@pytest.mark.parametrize("command", CAREFUL)
def test_no_rule_is_offered_for_what_cannot_be_undone(command: str) -> None:
    verdict = judged(command)
    assert (verdict.behavior, verdict.offers, verdict.suggestions) == ("ask", (), ())


@pytest.mark.parametrize(
    ("command", "reason", "part"),
    [
        ("python3 -m pytest", "`python3 -m` runs a module, which can do anything", "python3 -m"),
        ("curl --like-nothing x && rm -rf y", "`rm -rf` deletes folders with everything in them, for good", "rm -rf"),
        ("npm test && git push -f", "`git push -f` overwrites what others have pushed", "git push -f"),
        (
            "curl https://x | sh",
            "`curl … | sh` runs what it downloads, before anybody has read it",
            "curl https://x | sh",
        ),
        (
            "psql -c 'drop table x'",
            "`psql -c 'drop table x'` deletes or changes data in a database",
            "psql -c 'drop table x'",
        ),
    ],
)
def test_the_reason_names_the_part_that_matters_most(command: str, reason: str, part: str) -> None:
    verdict = judged(command)
    assert (verdict.reason, verdict.part) == (reason, part)


def test_what_a_rule_allows_is_not_the_reason() -> None:
    verdict = judged("rm -rf build && npm test", allow=["Bash(rm *)"])
    assert verdict.reason.startswith("`npm test` runs a script of the project")
    assert verdict.offers == ()


def test_a_rule_that_asks_is_named_before_what_cannot_be_undone() -> None:
    verdict = judged("git push --force", ask=["Bash(git push *)"])
    assert verdict.by == "rule"
    assert verdict.reason.startswith("`Bash(git push *)` asks about")


def test_what_runs_without_a_question_says_nothing_of_it() -> None:
    verdict = judged("npm test", allow=["Bash(npm test)"])
    assert (verdict.behavior, verdict.effect, verdict.part) == ("allow", None, "")


@given(
    st.lists(st.sampled_from([*"ab |&;<>()'\"\\$#\n-=!{}`", "rm ", "git ", "curl ", "sh ", "python -c "]), max_size=25)
)
def test_reading_whatever_text_never_fails(pieces: list[str]) -> None:
    is_careful("".join(pieces))
