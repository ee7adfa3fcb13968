"""What a variable holds once words were given to it: by an assignment, an array, or a loop that goes through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from tui_agent.permissions.shell.arithmetic import NUMBER
from tui_agent.permissions.shell.pipeline_output import named, prints_number
from tui_agent.permissions.shell.programs.shapes import names_commits
from tui_agent.permissions.shell.statements import Piece, Pipeline, Redirection, Simple, Spelling
from tui_agent.permissions.shell.values import Atom, State, Value
from tui_agent.permissions.shell.word_expansion import choices, words_of
from tui_agent.permissions.shell.words import Word, read_word

__all__ = ["assigned_value", "assigned_values", "counted", "is_number"]


def assigned_values(words: Iterable[Spelling], state: State, printed: Callable[[Spelling], str]) -> Value | None:
    """Return every value that a loop over these words goes through, or None if that is not known.

    Args:
        words: the words, which may also be those of an array.
        state: what is known before them.
        printed: tells what the names lie under that a substitution prints, empty where they may be anything.
    """
    found: set[Atom] = set()
    for spelling in words:
        if _is_commit(spelling):
            found.add(Atom("commit"))
            continue
        names = printed(spelling)
        if names:
            found.add(named(names, is_whole=False))
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
                found.add(Atom(_kind(word), word.value))
    return frozenset(found)


def assigned_value(spelling: Spelling, state: State) -> Value | None:
    """Return every value that a variable has once this word was assigned to it, or None if that is not known."""
    if len(spelling.pieces) == 1:
        piece = spelling.pieces[0]
        if piece.kind in {"arithmetic", "number"}:
            return NUMBER
        if piece.kind == "variable" and piece.text not in {"HOME", "PWD"}:
            return state.get(piece.text)
    if _is_commit(spelling):
        return frozenset({Atom("commit")})
    codes = [piece for piece in spelling.pieces if piece.kind == "code"]
    if len(codes) == 1 and all(piece is codes[0] or not piece.text for piece in spelling.pieces):
        return NUMBER if is_number(codes[0]) else None
    found: set[Atom] = set()
    for reading in words_of(spelling, state, splits=False):
        for word in reading:
            if not word.is_literal or word.value.startswith("~"):
                return None
            # A glob is not expanded here; it is text, unless it came out of a variable.
            is_name = word.has_glob and not any(piece.kind == "glob" for piece in spelling.pieces)
            found.add(Atom(_kind(word) if is_name else "text", word.value))
    return frozenset(found or {Atom("text", "")})


def _kind(word: Word) -> str:
    """Return the kind of value that a word is: a glob of whose beginning less is known than it shows is a `line`."""
    if not word.has_glob:
        return "text"
    return "glob" if word.value.startswith((f"{word.known}*", f"{word.known}?", f"{word.known}[")) else "line"


def _is_commit(spelling: Spelling) -> bool:
    """Whether a word is a substitution that prints names of commits."""
    is_code = [piece.kind for piece in spelling.pieces if piece.kind != "text" or piece.text] == ["code"]
    return is_code and names_commits(read_word(spelling.raw))


def counted(spelling: Spelling) -> Spelling:
    """Return a word with `number` for each substitution that surely prints one."""
    pieces = tuple(
        Piece("number", is_quoted=piece.is_quoted) if piece.kind == "code" and is_number(piece) else piece
        for piece in spelling.pieces
    )
    return replace(spelling, pieces=pieces)


def is_number(piece: Piece) -> bool:
    """Whether a substitution surely yields a whole number."""
    if piece.code is None or len(piece.code.items) != 1:
        return False
    last = piece.code.items[0]
    if isinstance(last, Pipeline):
        last = last.items[-1]
    if not isinstance(last, Simple) or last.assignments or any(map(_may_add, last.redirects)):
        return False
    readings = choices(last.words, State())
    return len(readings) == 1 and prints_number(readings[0])


def _may_add(redirect: Redirection) -> bool:
    """Whether something else may be printed for a redirection, such as what goes wrong."""
    if redirect.operator in {"<", "<<", "<<<", "<<-"}:
        return redirect.descriptor not in {"", "0"}
    is_dropped = redirect.target is not None and redirect.target.raw == "/dev/null"
    return not (redirect.operator in {">", ">>"} and redirect.descriptor == "2" and is_dropped)
