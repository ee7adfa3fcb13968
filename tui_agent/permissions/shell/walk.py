"""Going through a script as bash would, on every path at once: what each simple command is, and what is known where it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from tui_agent.permissions.shell.arithmetic import calculate
from tui_agent.permissions.shell.assigned import assigned_value, assigned_values, counted, is_number
from tui_agent.permissions.shell.builtins import READ_ONLY, Ends
from tui_agent.permissions.shell.conditions import NUMBERS, check_condition
from tui_agent.permissions.shell.flow import Left, Step, behind_branches, behind_chain, behind_loop, behind_series
from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.parse import Assignment, ParsedCommand, Redirect, parse, tree
from tui_agent.permissions.shell.part import Part
from tui_agent.permissions.shell.pipeline_output import listed, named
from tui_agent.permissions.shell.redirections import redirected
from tui_agent.permissions.shell.simple_command import CommandJudge, Judge, name_doubt, text_of
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import (  # fmt: skip
    AndOr,
    Arithmetic,
    Case,
    Condition,
    For,
    Group,
    If,
    Piece,
    Pipeline,
    Redirection,
    Series,
    Simple,
    Spelling,
    Statement,
    While,
)
from tui_agent.permissions.shell.syntax import read_syntax
from tui_agent.permissions.shell.values import State, Value, held, is_free_name, is_harmless_setting, joined
from tui_agent.permissions.shell.words import Word, read_word

__all__ = ["ScriptWalk"]

_MAX_STEPS: Final = 4000
_MAX_SHELLS: Final = 2


@dataclass(frozen=True, slots=True)
class _Enclosure:
    """What surrounds a command: whether it is in a substitution, and what the names on its input lie under."""

    is_inside: bool = False
    names: str = ""


class ScriptWalk:
    """One run through a script, which finds its simple commands in the order of the text."""

    def __init__(self, judge: Judge, *, depth: int = 0) -> None:
        self._judge = judge
        self._depth = depth
        self._parts: list[Part] = []
        self._steps = 0
        self._leaving: list[list[tuple[str, State]]] = []
        self._last: Part | None = None
        self._judging = CommandJudge(judge, self._parts_of)

    def run(self, script: Series) -> tuple[Part, ...]:
        """Return every simple command.

        Raises:
            Unclear: something in it is not understood.
        """
        self._series(script, State(), _Enclosure())
        return tuple(self._parts)

    def _parts_of(self, text: str) -> tuple[Part, ...]:
        """Return the commands of a text that a shell is started with: its own, of which nothing is known outside of it.

        Raises:
            Unclear: something in it is not understood.
        """
        script = parse(text)
        if not script.is_understood:
            raise Unclear("syntax", script.problem)
        if self._depth >= _MAX_SHELLS:
            raise Unclear("wrapper", "it starts too many shells in turn")
        walk = ScriptWalk(self._judge, depth=self._depth + 1)
        walk._steps = self._steps
        parts = walk.run(read_syntax(tree(text), text))
        self._steps = walk._steps
        return parts

    # Lists

    def _series(self, series: Series, state: State, around: _Enclosure) -> Ends:
        return behind_series(series, state, self._step(around))

    def _step(self, around: _Enclosure) -> Step:
        return lambda node, state: self._statement(node, state, around)

    def _statement(self, node: Statement, state: State, around: _Enclosure) -> Ends:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise Unclear("too-long", "it takes too long to follow")
        if isinstance(node, Simple):
            return self._simple(node, state, around)
        if not node.redirects:
            return self._compound(node, state, around)
        self._codes(node.redirects, state)
        redirects = redirected(node.redirects, state)
        if not all(redirect.is_free for redirect in redirects):
            # They are carried out where the group stands, whatever runs in it.
            alone = Simple(words=(), redirects=node.redirects)
            self._keep(alone, (), READ_ONLY, state, redirects, around)
        names = self._names_of_input(node.redirects, around.names)
        succeeded, failed = self._compound(node, state, replace(around, names=names))
        return succeeded, joined((failed, state))

    def _compound(self, node: Statement, state: State, around: _Enclosure) -> Ends:
        match node:
            case Series():
                return self._series(node, state, around)
            case AndOr():
                return behind_chain(node, state, self._step(around))
            case Pipeline():
                return self._pipeline(node, state, around)
            case Group():
                ends = self._series(node.body, state, around)
                return (state, state) if node.is_subshell else ends
            case If():
                return behind_branches(node, state, self._step(around))
            case For():
                return self._for(node, state, around)
            case While():
                return self._while(node, state, around)
            case Case():
                return self._case(node, state, around)
            case Condition():
                return self._condition(node, state)
            case Arithmetic():
                return self._arithmetic(node, state, around)
        raise Unclear("unknown-construct", "it holds a construct that is not known")

    def _pipeline(self, node: Pipeline, state: State, around: _Enclosure) -> Ends:
        if len(node.items) == 1:
            succeeded, failed = self._statement(node.items[0], state, around)
            return (failed, succeeded) if node.is_negated else (succeeded, failed)
        names = around.names
        for item in node.items:
            self._last = None
            self._statement(item, state, replace(around, names=names))
            names = self._names_printed(item, names)
        return state, state

    def _names_printed(self, item: Statement, incoming: str) -> str:
        """Return what the names lie under that a simple command just gone through prints."""
        part = self._last
        if not isinstance(item, Simple) or part is None or any(not redirect.is_free for redirect in part.redirects):
            return ""
        return listed(self._judging.inner, part.judgement, incoming)

    # Compound commands

    def _for(self, node: For, state: State, around: _Enclosure) -> Ends:
        if not is_free_name(node.name):
            raise Unclear("assignment", f"it sets `{node.name}`")
        if node.words is None:
            value: Value | None = None
        else:
            for word in node.words:
                state = self._word_codes(word, state)
            value = assigned_values(node.words, state, self._printed)

        def body(head: State) -> State | None:
            return joined(self._series(node.body, head.having(node.name, value), around))

        after = self._loop(state, body)
        return after, after

    def _loop(self, state: State, body: Callable[[State], State | None]) -> State:
        """Return the state behind a loop; only the parts of its last turn are kept, which knows most."""
        count = len(self._parts)

        def turn(head: State) -> tuple[State | None, Left]:
            del self._parts[count:]
            self._leaving.append([])
            end = body(head)
            return end, self._leaving.pop()

        return behind_loop(state, turn)

    def _while(self, node: While, state: State, around: _Enclosure) -> Ends:
        def body(head: State) -> State | None:
            succeeded, failed = self._series(node.condition, head, around)
            goes_on, stops = (failed, succeeded) if node.is_until else (succeeded, failed)
            ends = self._series(node.body, goes_on or head, around)
            return joined((stops, *(ends if goes_on is not None else ())))

        after = self._loop(state, body)
        return after, after

    def _case(self, node: Case, state: State, around: _Enclosure) -> Ends:
        state = self._word_codes(node.word, state)
        ends: list[State | None] = [state]
        for patterns, body in node.arms:
            for pattern in patterns:
                state = self._word_codes(pattern, state)
            ends.extend(self._series(body, state, around))
        after = joined(ends)
        return after, after

    def _condition(self, node: Condition, state: State) -> Ends:
        for token in node.words:
            if isinstance(token, Spelling):
                state = self._word_codes(token, state)
        check_condition([counted(token) if isinstance(token, Spelling) else token for token in node.words], state)
        return state, state

    def _arithmetic(self, node: Arithmetic, state: State, around: _Enclosure) -> Ends:
        if node.body is None:
            after = calculate(node.expressions[0], state)
            return after, after
        first, condition, step = node.expressions
        steps = node.body

        def body(head: State) -> State | None:
            inner = calculate(condition, head)
            end = joined(self._series(steps, inner, around))
            return joined((inner, calculate(step, joined((inner, end)) or inner)))

        after = self._loop(calculate(first, state), body)
        return after, after

    # Substitutions

    def _word_codes(self, spelling: Spelling, state: State) -> State:
        """Go through the commands in a word, and return the state once its arithmetic was worked out."""
        for piece in spelling.pieces:
            if piece.kind == "arithmetic":
                for one in piece.inner:
                    self._code(one, state)
                    if not is_number(one):
                        raise Unclear("arithmetic", f"the output of `{one.text}` is evaluated, and unknown")
                state = calculate(piece.text, state)
            elif piece.code is not None:
                self._code(piece, state)
        return state

    def _code(self, piece: Piece, state: State) -> None:
        """Go through the commands of a substitution."""
        if piece.code is not None:
            leaving, self._leaving = self._leaving, []
            self._series(piece.code, state, _Enclosure(is_inside=True))
            self._leaving = leaving

    def _printed(self, spelling: Spelling) -> str:
        """Return what the names lie under that an unquoted substitution, which is a word of its own, prints."""
        if len(spelling.pieces) != 1 or spelling.pieces[0].kind != "code" or spelling.pieces[0].is_quoted:
            return ""
        return self._names_of_code(spelling.pieces[0])

    def _names_of_code(self, piece: Piece) -> str:
        """Go through a substitution once more, without keeping its parts, for what it prints."""
        if piece.code is None or len(piece.code.items) != 1:
            return ""
        walk = ScriptWalk(self._judge, depth=self._depth)
        walk._steps = self._steps
        item = piece.code.items[0]
        items = item.items if isinstance(item, Pipeline) and not item.is_negated else (item,)
        names = ""
        for one in items:
            walk._last = None
            walk._statement(one, State(), _Enclosure(names=names))
            names = walk._names_printed(one, names)
        return names

    def _codes(self, redirections: Iterable[Redirection], state: State) -> None:
        for redirection in redirections:
            for spelling in (redirection.target, redirection.body):
                if spelling is not None and self._word_codes(spelling, state) != state:
                    raise Unclear("arithmetic", "a redirection sets a variable")

    def _names_of_input(self, redirections: Iterable[Redirection], names: str) -> str:
        for redirection in redirections:
            if redirection.operator not in {"<", "<<", "<<<", "<&"} or redirection.descriptor not in {"", "0"}:
                continue
            pieces = () if redirection.target is None else redirection.target.pieces
            is_process = len(pieces) == 1 and pieces[0].kind == "file"
            names = self._names_of_code(pieces[0]) if is_process else ""
        return names

    # Simple commands

    def _simple(self, node: Simple, state: State, around: _Enclosure) -> Ends:
        for spelling in node.words:
            state = self._word_codes(spelling, state)
        self._codes(node.redirects, state)
        before = state
        for _name, spelling in node.assignments:
            for word in (spelling, *spelling.items):
                state = self._word_codes(word, state)
        redirects = redirected(node.redirects, state)
        names = self._names_of_input(node.redirects, around.names)
        if not node.words:
            return self._assigned(node, before, state, redirects, around)
        outcome, words = self._judging.outcome(*self._filled(node, state), names)
        judgement = self._judging.prefixed(node, state, outcome.judgement)
        part = self._keep(node, words, judgement, state, redirects, around)
        self._last = part
        if outcome.leaves is not None and self._leaving:
            self._leaving[-1].append((node.words[0].raw, outcome.leaves))
            return outcome.succeeded, outcome.failed
        if outcome.leaves is not None:
            return state, state
        failed = joined((outcome.failed, before)) if node.redirects else outcome.failed
        return outcome.succeeded, failed

    def _filled(self, node: Simple, state: State) -> tuple[Simple, State]:
        """Return a command with what is known of its substitutions put in: names of files, and numbers that are compared."""
        words = list(node.words)
        filled = state
        for index, spelling in enumerate(words[1:], 1):
            names = self._printed(spelling)
            if names:
                hold = held(index)
                words[index] = replace(spelling, pieces=(Piece("variable", hold),))
                filled = filled.having(hold, frozenset({named(names, is_whole=False)}))
        operands = words[1:-1] if words[0].raw == "[" else words[1:] if words[0].raw == "test" else []
        if len(operands) == 3 and operands[1].raw in NUMBERS:
            # Should such a substitution print nothing, no other condition comes of what is left.
            words[1:4] = (counted(operands[0]), operands[1], counted(operands[2]))
        elif filled is state:
            return node, state
        return replace(node, words=tuple(words)), filled

    def _assigned(
        self, node: Simple, before: State, state: State, redirects: tuple[Redirect, ...], around: _Enclosure
    ) -> Ends:
        """Follow assignments that stand alone, and redirections that do."""
        judgement = READ_ONLY
        for name, spelling in node.assignments:
            if not (is_free_name(name.removesuffix("[]")) or is_harmless_setting(name, text_of(spelling, state))):
                judgement = Judgement(kind="unknown", check="assignment", reason=f"programs or the shell obey `{name}`")
            is_array = name.endswith("[]")
            state = state.having(
                name,
                assigned_values(spelling.items, state, self._printed) if is_array else assigned_value(spelling, state),
            )
        if redirects or judgement is not READ_ONLY or not node.assignments:
            self._keep(node, (), judgement, before, redirects, around)
        return state, joined((state, before)) if node.redirects else state

    def _keep(
        self,
        node: Simple,
        words: tuple[Word, ...],
        judgement: Judgement,
        state: State,
        redirects: tuple[Redirect, ...],
        around: _Enclosure,
    ) -> Part:
        command = ParsedCommand(
            tuple(read_word(word.raw) for word in node.words),
            tuple(Assignment(name, read_word(value.raw)) for name, value in node.assignments),
            tuple(
                Redirect(one.operator, None if one.target is None else read_word(one.target.raw))
                for one in node.redirects
            ),
        )
        chains = sorted(state.folders, key=lambda chain: [word.value for word in chain])
        part = Part(
            command=command,
            words=words,
            judgement=judgement,
            folder=tuple(dict.fromkeys(word for chain in chains for word in chain)),
            folders=tuple(chains),
            is_certain=bool(node.words) and name_doubt(node.words[0]) is None,
            is_inside=around.is_inside,
            redirects=redirects,
            starts=tuple(word.start for word in node.words),
        )
        self._parts.append(part)
        return part
