"""Going through a script as bash would, on every path at once: what each simple command is, and what is known where it runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from tui_agent.permissions.shell.arithmetic import NUMBER, calculate
from tui_agent.permissions.shell.builtins import READ_ONLY, Ends
from tui_agent.permissions.shell.conditions import NUMBERS, check_condition
from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.judging import Judge, Judging, name_doubt, text_of
from tui_agent.permissions.shell.listing import listed, prints_number
from tui_agent.permissions.shell.parse import Assignment, Command, Redirect
from tui_agent.permissions.shell.part import Part
from tui_agent.permissions.shell.spelling import Piece, Unclear
from tui_agent.permissions.shell.statements import (  # fmt: skip
    AndOr,
    Arithmetic,
    Case,
    Condition,
    For,
    Group,
    If,
    Pipeline,
    Redirection,
    Series,
    Simple,
    Spelling,
    Statement,
    While,
)
from tui_agent.permissions.shell.values import (
    Atom,
    State,
    Value,
    choices,
    is_free_name,
    is_harmless_setting,
    joined,
    words_of,
)
from tui_agent.permissions.shell.words import Word, read_word

__all__ = ["Judge", "Walk"]


_MAX_STEPS: Final = 4000
_MAX_ROUNDS: Final = 4


@dataclass(frozen=True, slots=True)
class _Around:
    """What surrounds a command: whether it is in a substitution, and what the names on its input lie under."""

    is_inside: bool = False
    names: str = ""


class Walk:
    """One run through a script. `parts` are the simple commands in the order of the text."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._parts: list[Part] = []
        self._steps = 0
        self._leaving: list[list[tuple[str, State]]] = []
        self._last: Part | None = None
        self._judging = Judging(judge)

    def run(self, script: Series) -> tuple[Part, ...]:
        """Return every simple command.

        Raises:
            Unclear: something in it is not understood.
        """
        self._series(script, State(), _Around())
        return tuple(self._parts)

    # Lists

    def _series(self, series: Series, state: State, around: _Around) -> Ends:
        ends: Ends = (state, state)
        for item in series.items:
            before = joined(ends)
            ends = self._statement(item, state if before is None else before, around)
            if before is None:  # it is never reached; what it would do counts all the same
                ends = (None, None)
        return ends

    def _statement(self, node: Statement, state: State, around: _Around) -> Ends:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise Unclear("too-long", "it takes too long to follow")
        if isinstance(node, Simple):
            return self._simple(node, state, around)
        if not node.redirects:
            return self._compound(node, state, around)
        self._codes(node.redirects, state)
        redirects = self._redirected(node.redirects, state)
        if not all(redirect.is_free for redirect in redirects):
            # They are carried out where the group stands, whatever runs in it.
            alone = Simple(words=(), redirects=node.redirects)
            self._keep(alone, (), READ_ONLY, state, redirects, around)
        names = self._names_of_input(node.redirects, around.names)
        succeeded, failed = self._compound(node, state, replace(around, names=names))
        return succeeded, joined((failed, state))

    def _compound(self, node: Statement, state: State, around: _Around) -> Ends:
        match node:
            case Series():
                return self._series(node, state, around)
            case AndOr():
                return self._and_or(node, state, around)
            case Pipeline():
                return self._pipeline(node, state, around)
            case Group():
                ends = self._series(node.body, state, around)
                return (state, state) if node.is_subshell else ends
            case If():
                return self._if(node, state, around)
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

    def _and_or(self, node: AndOr, state: State, around: _Around) -> Ends:
        succeeded, failed = self._statement(node.first, state, around)
        for operator, item in node.rest:
            if operator == "&&":
                ends = self._statement(item, succeeded or state, around)
                if succeeded is not None:
                    succeeded, failed = ends[0], joined((failed, ends[1]))
            else:
                ends = self._statement(item, failed or state, around)
                if failed is not None:
                    succeeded, failed = joined((succeeded, ends[0])), ends[1]
        return succeeded, failed

    def _pipeline(self, node: Pipeline, state: State, around: _Around) -> Ends:
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

    def _if(self, node: If, state: State, around: _Around) -> Ends:
        ends: list[State | None] = []
        at: State | None = state
        for condition, body in node.branches:
            base = at or state
            succeeded, failed = self._series(condition, base, around)
            result = self._series(body, succeeded or base, around)
            if at is not None and succeeded is not None:
                ends.extend(result)
            at = failed if at is not None else None
        if node.otherwise is not None:
            result = self._series(node.otherwise, at or state, around)
            if at is not None:
                ends.extend(result)
        else:
            ends.append(at)
        after = joined(ends)
        return after, after

    def _for(self, node: For, state: State, around: _Around) -> Ends:
        if not is_free_name(node.name):
            raise Unclear("assignment", f"it sets `{node.name}`")
        if node.words is None:
            value: Value | None = None
        else:
            for word in node.words:
                state = self._word_codes(word, state)
            value = self._values(node.words, state)

        def body(head: State) -> State | None:
            return joined(self._series(node.body, head.having(node.name, value), around))

        after = self._loop(state, body)
        return after, after

    def _values(self, words: Iterable[Spelling], state: State) -> Value | None:
        """Return every value that a loop over these words goes through, or None if that is not known."""
        found: set[Atom] = set()
        for spelling in words:
            names = self._printed(spelling)
            if names:
                found.add(Atom("glob", names))
                continue
            pieces = [piece for piece in spelling.pieces if piece.text or piece.kind != "text"]
            known = state.get(f"{pieces[0].text}[]") if len(pieces) == 1 and pieces[0].kind == "many" else None
            if known is not None and pieces[0].is_quoted:
                found.update(known)
                continue
            for reading in words_of(spelling, state):
                for word in reading:
                    if not word.is_literal or word.may_split or word.raw.startswith("~"):
                        return None
                    if word.value.startswith("~") and not word.has_glob:
                        return None
                    found.add(Atom("glob" if word.has_glob else "text", word.value))
        return frozenset(found)

    def _printed(self, spelling: Spelling) -> str:
        """Return what the names lie under that an unquoted substitution, which is a word of its own, prints."""
        if len(spelling.pieces) != 1 or spelling.pieces[0].kind != "code" or spelling.pieces[0].is_quoted:
            return ""
        return self._names_of_code(spelling.pieces[0])

    def _names_of_code(self, piece: Piece) -> str:
        """Go through a substitution once more, without keeping its parts, for what it prints."""
        if piece.code is None or len(piece.code.items) != 1:
            return ""
        walk = Walk(self._judge)
        walk._steps = self._steps
        item = piece.code.items[0]
        items = item.items if isinstance(item, Pipeline) and not item.is_negated else (item,)
        names = ""
        for one in items:
            walk._last = None
            walk._statement(one, State(), _Around(names=names))
            names = walk._names_printed(one, names)
        return names

    def _loop(self, state: State, body: Callable[[State], State | None]) -> State:
        """Go through a loop's body until nothing new is learnt; return the state behind the loop."""
        head = state
        count = len(self._parts)
        for turn in range(_MAX_ROUNDS):
            del self._parts[count:]
            self._leaving.append([])
            end = body(head)
            left = self._leaving.pop()
            after = joined((head, end, *(one for kind, one in left if kind == "continue"))) or head
            if after == head:
                return joined((head, *(one for kind, one in left if kind != "continue"))) or head
            if after.folders != head.folders and turn:
                raise Unclear("cd-unknown", "a loop goes from folder to folder")
            head = _widened(head, after) if turn else after
        raise Unclear("loop", "it holds a loop that takes too long to follow")

    def _while(self, node: While, state: State, around: _Around) -> Ends:
        def body(head: State) -> State | None:
            succeeded, failed = self._series(node.condition, head, around)
            goes_on, stops = (failed, succeeded) if node.is_until else (succeeded, failed)
            ends = self._series(node.body, goes_on or head, around)
            return joined((stops, *(ends if goes_on is not None else ())))

        after = self._loop(state, body)
        return after, after

    def _case(self, node: Case, state: State, around: _Around) -> Ends:
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
        check_condition([self._counted(token) if isinstance(token, Spelling) else token for token in node.words], state)
        return state, state

    def _arithmetic(self, node: Arithmetic, state: State, around: _Around) -> Ends:
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
                    if not self._is_number(one):
                        raise Unclear("arithmetic", f"what `{one.text}` prints is evaluated, and not known")
                state = calculate(piece.text, state)
            elif piece.code is not None:
                self._code(piece, state)
        return state

    def _code(self, piece: Piece, state: State) -> None:
        """Go through the commands of a substitution."""
        if piece.code is not None:
            leaving, self._leaving = self._leaving, []
            self._series(piece.code, state, _Around(is_inside=True))
            self._leaving = leaving

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

    def _redirected(self, redirections: Iterable[Redirection], state: State) -> tuple[Redirect, ...]:
        """Return redirections as whoever judges their targets needs them. Those that name no file at all are left out."""
        out: list[Redirect] = []
        for redirection in redirections:
            if redirection.target is None:
                continue
            if redirection.descriptor not in {"", "0", "1", "2"}:
                raise Unclear("descriptor", "it opens a file descriptor of its own")
            pieces = redirection.target.pieces
            if len(pieces) == 1 and pieces[0].kind == "file" and redirection.operator == "<":
                continue
            if redirection.operator in {">&", "<&"} and not re.fullmatch(r"[0-2]|-", redirection.target.raw):
                raise Unclear("descriptor", "it redirects in a way that is not understood")
            if any(piece.kind == "brace" for piece in pieces):
                raise Unclear("descriptor", "it redirects in a way that is not understood")
            for reading in words_of(redirection.target, state):
                if len(reading) != 1:
                    raise Unclear("descriptor", "it redirects in a way that is not understood")
                if reading[0].value.startswith(("/dev/tcp", "/dev/udp")):
                    raise Unclear("network-device", "it opens a connection")
                out.append(Redirect(redirection.operator, reading[0]))
        return tuple(out)

    # Simple commands

    def _simple(self, node: Simple, state: State, around: _Around) -> Ends:
        for spelling in node.words:
            state = self._word_codes(spelling, state)
        self._codes(node.redirects, state)
        before = state
        for _name, spelling in node.assignments:
            for word in (spelling, *spelling.items):
                state = self._word_codes(word, state)
        redirects = self._redirected(node.redirects, state)
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
        for index, spelling in enumerate(words[1:], 1):
            names = self._printed(spelling)
            if names:
                hold = f"{index}$"  # no variable of the script's is called so
                words[index] = replace(spelling, pieces=(Piece("variable", hold),))
                state = state.having(hold, frozenset({Atom("glob", names)}))
        operands = words[1:-1] if words[0].raw == "[" else words[1:] if words[0].raw == "test" else []
        if len(operands) == 3 and operands[1].raw in NUMBERS:
            # Should such a substitution print nothing, no other condition comes of what is left.
            words[1:4] = (self._counted(operands[0]), operands[1], self._counted(operands[2]))
        return replace(node, words=tuple(words)), state

    def _counted(self, spelling: Spelling) -> Spelling:
        """Return a word with `number` for each substitution that surely prints one."""
        pieces = tuple(
            Piece("number", is_quoted=piece.is_quoted) if piece.kind == "code" and self._is_number(piece) else piece
            for piece in spelling.pieces
        )
        return replace(spelling, pieces=pieces)

    def _assigned(
        self, node: Simple, before: State, state: State, redirects: tuple[Redirect, ...], around: _Around
    ) -> Ends:
        """Follow assignments that stand alone, and redirections that do."""
        judgement = READ_ONLY
        for name, spelling in node.assignments:
            if not (is_free_name(name.removesuffix("[]")) or is_harmless_setting(name, text_of(spelling, state))):
                judgement = Judgement(
                    kind="unknown", check="assignment", reason=f"programs or the shell take notice of `{name}`"
                )
            is_array = name.endswith("[]")
            state = state.having(
                name, self._values(spelling.items, state) if is_array else self._value(spelling, state)
            )
        if redirects or judgement is not READ_ONLY or not node.assignments:
            self._keep(node, (), judgement, before, redirects, around)
        return state, joined((state, before)) if node.redirects else state

    def _value(self, spelling: Spelling, state: State) -> Value | None:
        if len(spelling.pieces) == 1:
            piece = spelling.pieces[0]
            if piece.kind in {"arithmetic", "number"}:
                return NUMBER
            if piece.kind == "variable" and piece.text not in {"HOME", "PWD"}:
                return state.get(piece.text)
        codes = [piece for piece in spelling.pieces if piece.kind == "code"]
        if len(codes) == 1 and all(piece is codes[0] or not piece.text for piece in spelling.pieces):
            return NUMBER if self._is_number(codes[0]) else None
        found: set[Atom] = set()
        for reading in words_of(spelling, state, splits=False):
            for word in reading:
                if not word.is_literal or word.value.startswith("~"):
                    return None
                # A glob is not expanded here; it is text, unless it came out of a variable.
                is_name = word.has_glob and not any(piece.kind == "glob" for piece in spelling.pieces)
                found.add(Atom("glob" if is_name else "text", word.value))
        return frozenset(found or {Atom("text", "")})

    def _is_number(self, piece: Piece) -> bool:
        """Whether a substitution surely yields a whole number."""
        if piece.code is None or len(piece.code.items) != 1:
            return False
        last = piece.code.items[0]
        if isinstance(last, Pipeline):
            last = last.items[-1]
        if not isinstance(last, Simple) or last.assignments:
            return False
        readings = choices(last.words, State())
        return len(readings) == 1 and prints_number(readings[0])

    def _keep(
        self,
        node: Simple,
        words: tuple[Word, ...],
        judgement: Judgement,
        state: State,
        redirects: tuple[Redirect, ...],
        around: _Around,
    ) -> Part:
        command = Command(
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
        )
        self._parts.append(part)
        return part


def _widened(head: State, after: State) -> State:
    """Return a state that holds from one turn of a loop to the next: what changes is a number, or unknown."""
    old, new = dict(head.variables), dict(after.variables)
    for name, value in list(new.items()):
        if old.get(name) != value:
            if all(atom.kind == "number" or re.fullmatch(r"-?(?:0|[1-9]\d*)", atom.text) for atom in value):
                new[name] = NUMBER
            else:
                del new[name]
    return replace(after, variables=tuple(sorted(new.items(), key=lambda item: item[0])))
