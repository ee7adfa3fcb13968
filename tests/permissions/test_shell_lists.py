"""Lists of pipelines, however the grammar nests them, are what bash makes of them: which commands run, and the status."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tui_agent.permissions.shell.analysis import analyse
from tui_agent.permissions.shell.parse import tree
from tui_agent.permissions.shell.statements import AndOr, Group, Pipeline, Series, Simple, Statement
from tui_agent.permissions.shell.syntax import read_syntax

# `t x` succeeds and `f x` fails; each notes its name.
LEAVES = st.tuples(st.sampled_from("tf"), st.sampled_from(["", "! "]), st.sampled_from(["", " 2>&1", " 2>/dev/null"]))
OPERATORS = st.sampled_from([" | ", " | ", " | ", " |& ", " && ", " || ", "|", "&&", " &&\n", " |\n  ", " || \\\n"])


@st.composite
def lists(draw: st.DrawFn, depth: int = 0) -> str:
    """Make a list of commands with any operators between them; a few are groups."""
    out = ""
    count = draw(st.integers(1, 7 if not depth else 3))
    for index in range(count):
        program, negation, redirect = draw(LEAVES)
        is_first = not out or out.rstrip(" \\\n").endswith(("&&", "||"))
        negation = negation if is_first else ""
        if depth < 2 and draw(st.integers(0, 9)) == 0:
            # The grammar does not know `! { …; }`.
            opening, closing = draw(st.sampled_from([(f"{negation}( ", " )"), ("{ ", "; }")]))
            out += opening + draw(lists(depth=depth + 1)) + closing + redirect
        else:
            out += f"{negation}{program} @{redirect}"
        out += draw(OPERATORS) if index < count - 1 else ""
    return out


def numbered(text: str) -> str:
    """Give each command a name of its own."""
    head, *rest = text.split("@")
    return head + "".join(f"n{index}{part}" for index, part in enumerate(rest))


def followed(statement: Statement, ran: set[str]) -> bool:
    """Return whether a statement succeeds, by what was read of it, and note what it runs."""
    match statement:
        case Series():
            return [followed(item, ran) for item in statement.items][-1]
        case Group():
            return followed(statement.body, ran)
        case Pipeline():
            status = [followed(item, ran) for item in statement.items][-1]
            return status != statement.is_negated
        case AndOr():
            status = followed(statement.first, ran)
            for operator, part in statement.rest:
                if status == (operator == "&&"):
                    status = followed(part, ran)
            return status
        case Simple():
            program, name = (word.raw for word in statement.words)
            ran.add(name)
            return program == "t"
    raise AssertionError(statement)


@given(st.lists(lists(), min_size=1, max_size=2).map("; ".join))
@settings(max_examples=120, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@example("t @ | t @ | f @ && t @ | f @ | t @ || t @")
@example("! t @ | t @ | f @ && t @")
@example("f @ | t @ <<E | f @ || t @ && t @\nx\nE")
@example("f @ <<E | t @ | t @ && t @ | t @ | f @ && t @\nx\nE")
def test_a_list_is_what_bash_makes_of_it(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    script = numbered(text)
    log = tmp_path_factory.getbasetemp() / "ran"
    log.unlink(missing_ok=True)
    ours: set[str] = set()
    status = followed(read_syntax(tree(script), script), ours)
    functions = f"t() {{ echo $1 >> '{log}'; }}; f() {{ t $1; return 1; }}\n"
    done = subprocess.run(["/bin/bash", "-c", functions + script], check=False, capture_output=True, timeout=20)
    assert not done.stderr, done.stderr
    theirs = set(Path(log).read_text().split())
    assert (ours, status) == (theirs, done.returncode == 0), script


@pytest.mark.parametrize(
    "script", ["ls | ! ls", "ls | ls && | ls", "ls | ls | && ls", "ls | ls | ls &&", "| ls | ls && ls"]
)
def test_no_other_order_is_read(script: str) -> None:
    assert not analyse(script).is_understood


def test_a_folder_changed_behind_a_pipeline_counts_for_what_follows() -> None:
    parts = analyse("ls | cat | cat && cd src && ls").parts
    assert [len(part.folders[0]) for part in parts] == [0, 0, 0, 0, 1]
    behind_document = analyse("ls | cat <<E && cd src\nx\nE\nls").parts
    assert any(len(chain) for chain in behind_document[-1].folders)
