"""What is known behind lists, branches and loops, with statements that are only names."""

from __future__ import annotations

import pytest

from tui_agent.permissions.shell.builtins import Ends
from tui_agent.permissions.shell.flow import Step, behind_branches, behind_chain, behind_loop, behind_series
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import AndOr, If, Series, Simple, Spelling, Statement
from tui_agent.permissions.shell.values import Atom, State
from tui_agent.permissions.shell.words import read_word


def named(name: str) -> Simple:
    return Simple(words=(Spelling(name, ()),))


def texts(state: State | None) -> set[str] | None:
    """Return what the variable `seen` may hold; None where nothing reaches this."""
    return None if state is None else {atom.text for atom in state.get("seen") or ()}


def stepping(gone_through: list[str]) -> Step:
    """Go through statements named `true`, `false` and `exit`, and through others, which set `seen` to their name."""

    def step(node: Statement, state: State) -> Ends:
        assert isinstance(node, Simple)
        name = node.words[0].raw
        gone_through.append(name)
        after = state.having("seen", frozenset({Atom("text", name)}))
        return {"true": (state, None), "false": (None, state), "exit": (None, None)}.get(name, (after, after))

    return step


@pytest.mark.parametrize(
    ("operator", "first", "succeeded", "failed"),
    [
        ("&&", "one", {"two"}, {"one", "two"}),
        ("&&", "false", None, set()),
        ("||", "one", {"one", "two"}, {"two"}),
        ("||", "true", set(), None),
    ],
)
def test_a_chain_goes_on_only_where_the_one_before_lets_it(
    operator: str, first: str, succeeded: set[str] | None, failed: set[str] | None
) -> None:
    gone_through: list[str] = []
    ends = behind_chain(AndOr(first=named(first), rest=((operator, named("two")),)), State(), stepping(gone_through))
    assert (texts(ends[0]), texts(ends[1])) == (succeeded, failed)
    assert gone_through == [first, "two"]


def test_what_stands_behind_the_end_is_gone_through_and_changes_nothing() -> None:
    gone_through: list[str] = []
    ends = behind_series(Series(items=(named("one"), named("exit"), named("two"))), State(), stepping(gone_through))
    assert ends == (None, None)
    assert gone_through == ["one", "exit", "two"]


@pytest.mark.parametrize(
    ("condition", "otherwise", "found"),
    [
        ("maybe", "other", {"then", "other"}),
        ("maybe", None, {"then", "maybe"}),
        ("true", "other", {"then"}),
        ("false", "other", {"other"}),
    ],
)
def test_behind_a_condition_counts_each_branch_that_may_be_taken(
    condition: str, otherwise: str | None, found: set[str]
) -> None:
    gone_through: list[str] = []
    branches = ((Series(items=(named(condition),)), Series(items=(named("then"),))),)
    node = If(branches=branches, otherwise=None if otherwise is None else Series(items=(named(otherwise),)))
    assert texts(behind_branches(node, State(), stepping(gone_through))[0]) == found
    assert gone_through == [name for name in (condition, "then", otherwise) if name is not None]


def test_behind_a_loop_counts_where_it_was_left_and_that_it_may_not_have_run() -> None:
    state = State().having("seen", frozenset({Atom("text", "before")}))

    def turn(head: State) -> tuple[State | None, list[tuple[str, State]]]:
        left = head.having("seen", frozenset({Atom("text", "left")}))
        return head.having("seen", frozenset({Atom("text", "end")})), [("break", left)]

    assert texts(behind_loop(state, turn)) == {"before", "end", "left"}


def test_a_loop_that_leaves_something_else_each_time_is_not_followed() -> None:
    counts = iter(range(1, 100))

    def turn(head: State) -> tuple[State | None, list[tuple[str, State]]]:
        return head.having("n", frozenset({Atom("text", str(next(counts)))})), []

    with pytest.raises(Unclear, match="takes too long to follow"):
        behind_loop(State().having("n", frozenset({Atom("text", "0")})), turn)


def test_a_loop_that_goes_on_from_folder_to_folder_is_not_followed() -> None:
    with pytest.raises(Unclear, match="from folder to folder"):
        behind_loop(State(), lambda head: (head.entering([read_word("down")]), []))
