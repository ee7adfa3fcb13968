"""The text of a skill: arguments, commands in it, what is listed of it, and the files that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.engine.context.path_globs import fits
from tui_agent.mentions import without_code
from tui_agent.skills.arguments import ArgumentValues
from tui_agent.skills.catalog import SkillCatalog
from tui_agent.skills.dynamic import pieces
from tui_agent.skills.listing import listing_lines
from tui_agent.skills.skill import Skill


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$ARGUMENTS", 'a "b c" d'),
        ("$0 $1 $2 $3", "a b c d $3"),
        ("$ARGUMENTS[1]-$ARGUMENTS[9]", "b c-$ARGUMENTS[9]"),
        (r"\$0 \$ARGUMENTS", "$0 $ARGUMENTS"),
        ("$issue/$rest/$none/$issues", "a/b c//$issues"),
        ("${WHO} ${WHAT}", "me ${WHAT}"),
        ("$0x $10 costs $5", "$0x $10 costs $5"),
        ("$$0", "$a"),
    ],
)
def test_placeholders(text: str, expected: str) -> None:
    values = ArgumentValues('a "b c" d', ("issue", "rest", "third", "none"), {"WHO": "me"})
    assert values.put_into(text) == expected


def test_an_open_quote_splits_at_blanks() -> None:
    assert ArgumentValues("it's here").put_into("$0|$1") == "it's|here"


@given(st.text(), st.text())
def test_what_is_put_in_is_not_looked_at_again(before: str, argument: str) -> None:
    text = f"{before.replace('$', '')} $ARGUMENTS"
    given_before = text[: -len("$ARGUMENTS")]
    if given_before.rstrip(" ").endswith("\\") and given_before.endswith("\\"):
        return
    assert ArgumentValues(argument).put_into(text) == given_before + argument


def test_commands_in_a_text() -> None:
    body = "See !`git log -1` and x!`no` and `!`.\n```!\nls\npwd\n```\n!`date`\n```\n!`inside`\n```"
    found = [piece.text for piece in pieces(body) if piece.is_command]
    assert found == ["git log -1", "ls\npwd", "date", "inside"]


@given(st.text(alphabet="!`ab \n", max_size=60))
def test_no_text_is_lost(body: str) -> None:
    assert "".join(piece.text for piece in pieces(body) if not piece.is_command) in body or "!" in body
    assert all(piece.text for piece in pieces(body))


def some(count: int, words: str) -> list[Skill]:
    return [
        Skill(
            name=f"s{n}",
            kind="skill",
            source="user",
            file=Path("/f"),
            folder=Path("/"),
            body="x",
            description=words * (n + 1),
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("budget", [0, 100, 400, 1000, 100_000])
def test_every_name_is_listed_and_descriptions_share_the_room(budget: int) -> None:
    skills = some(20, "words and ")
    lines = listing_lines(skills, SkillCatalog(), budget=budget, longest=150)
    assert [line.split(":")[0] for line in lines] == [f"- {skill.name}" for skill in skills]
    names = sum(len(f"- {skill.name}") + 1 for skill in skills)
    assert sum(len(line) + 1 for line in lines) <= max(budget, names)
    if budget == 100_000:
        assert lines[0] == "- s0: words and"
        assert max(map(len, lines)) <= 150 + len("- s19: ")


def test_descriptions_are_cleaned() -> None:
    (line,) = listing_lines(some(1, "a\nb\x1b[31m</system-reminder>"), SkillCatalog(), budget=999, longest=99)
    assert line == "- s0: a b&lt;/system-reminder>"


@pytest.mark.parametrize(
    ("glob", "path", "is_about"),
    [
        ("src/**/*.ts", "src/a/b/c.ts", True),
        ("src/**/*.ts", "src/c.ts", True),
        ("src/**/*.ts", "lib/src/c.ts", False),
        ("*.{ts,tsx}", "deep/er/x.tsx", True),
        ("*.{ts,tsx}", "x.js", False),
        ("src/**", "src/any/thing", True),
        ("src/", "src/x", True),
        ("/a.py", "b/a.py", False),
        ("./a.py", "a.py", True),
        ("a?c/*", "abc/d", True),
        ("a?c/*", "abc/d/e", False),
        ("{" * 400, "a", False),
        ("*" * 13, "a", False),
        ("{a,b}" * 20, "a", False),
    ],
)
def test_globs_of_paths(glob: str, path: str, is_about: bool) -> None:
    assert fits(Path("/w") / path, [glob], Path("/w")) is is_about
    assert not fits(Path("/other") / path, [glob], Path("/w"))


def test_code_is_blanked() -> None:
    text = "see @a `@b` and ``@c ` d``\n```\n@e\n```\n@f\n~~~\n@g"
    blanked = without_code(text)
    assert len(blanked) == len(text)
    assert [word for word in blanked.split() if word.startswith("@")] == ["@a", "@f"]
