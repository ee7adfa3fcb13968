"""What a word of a script becomes where it stands: its braces, variables and globs, as far as they are known there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final

from tui_agent.permissions.shell.braces import MAX_BRACES, unbraced
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import Piece, Simple, Spelling
from tui_agent.permissions.shell.values import MAX_CHOICES, Atom, State
from tui_agent.permissions.shell.words import Word

__all__ = ["choices", "words_of"]

_PUT_IN: Final = frozenset({"variable", "number", "arithmetic"})
_PLAIN_GLOB: Final = re.compile(r"[\w./*?+@%,-]+")
_HEAD: Final = "$(git rev-parse HEAD)"  # what stands for the name of any commit
_DECLARING: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})
_SET: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_BESIDE_COMMIT: Final = re.compile(r"[\w./@^~:-]*", re.ASCII)
_GLOB_IN_VALUE: Final = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class _Fragment:
    """A stretch of a word whose variables are put in.

    `kind` is `text`, `home`, `here`, `glob`, `commit`, `unknown` or `many`.
    """

    kind: str
    text: str
    can_split: bool = False
    is_broken: bool = False  # of what it begins with nothing is known


def words_of(spelling: Spelling, state: State, *, splits: bool = True) -> list[tuple[Word, ...]]:
    """Return what a word may become: each reading is the words that bash would hand over in its place.

    Args:
        spelling: the word.
        state: what is known of variables.
        splits: whether bash expands braces and splits values here, as it does not where a variable is set.
    """
    if all(piece.kind == "text" for piece in spelling.pieces):  # most words; the rest would come to the same
        return [_of_text(spelling, splits=splits)]
    branches = list(unbraced(spelling.pieces)) if splits else [spelling.pieces]
    if len(branches) > MAX_BRACES:
        raise Unclear("too-long", "its braces stand for too many words")
    readings: list[tuple[Word, ...]] = [()]
    for pieces in branches:
        more = _readings(spelling, pieces, state, splits=splits)
        if len(readings) * len(more) > MAX_CHOICES:
            return [(_unknown(spelling, may_split=splits and _may_split(spelling.pieces)),)]
        readings = [(*left, *right) for left, right in product(readings, more)]
    return list(dict.fromkeys(readings))


def _of_text(spelling: Spelling, *, splits: bool) -> tuple[Word, ...]:
    """Return what a word becomes in which nothing is put in and nothing expanded."""
    value = "".join([piece.text for piece in spelling.pieces])
    if splits and not value and not any(piece.is_quoted for piece in spelling.pieces):
        return ()
    raw = f"'{value}'" if value.startswith("~") else spelling.raw
    return (Word(raw, value, value, is_plain=True, is_literal=True),)


def choices(words: Iterable[Spelling], state: State) -> list[tuple[Word, ...]]:
    """Return the readings of a whole command, at most `MAX_CHOICES`; words with too many values count as unknown."""
    spellings = list(words)
    # What is set there is no word of its own: bash splits it as little as where a variable is set by itself.
    sets = bool(spellings) and spellings[0].raw in _DECLARING
    options = [words_of(word, state, splits=not (sets and _SET.match(word.raw))) for word in spellings]
    while True:
        total = 1
        for option in options:
            total *= len(option)
        if total <= MAX_CHOICES:
            break
        at = max(range(len(options)), key=lambda index: len(options[index]))
        options[at] = [(_unknown(spellings[at], may_split=_may_split(spellings[at].pieces)),)]
    return [tuple(word for group in reading for word in group) for reading in product(*options)]


def _may_split(pieces: tuple[Piece, ...]) -> bool:
    return any(
        piece.kind in {"brace", "many"} or (not piece.is_quoted and piece.kind in {"variable", "unknown", "code"})
        for piece in pieces
    )


def _unknown(spelling: Spelling, *, may_split: bool) -> Word:
    value = (
        spelling.raw if "$" in spelling.raw else f"$({spelling.raw})"
    )  # a value without a `$` would pass for a glob's
    return Word(spelling.raw, value, "", is_plain=True, is_literal=False, may_split=may_split)


def _readings(spelling: Spelling, pieces: tuple[Piece, ...], state: State, *, splits: bool) -> list[tuple[Word, ...]]:
    """Return what a word without braces may become."""
    if len(pieces) == 1 and pieces[0].kind == "variable" and not pieces[0].is_quoted and splits:
        return _split(spelling, pieces[0].text, state)
    options = [_fragments(piece, state) for piece in pieces]
    total = 1
    for option in options:
        total *= len(option)
    if total > MAX_CHOICES:
        return [(_unknown(spelling, may_split=splits and _may_split(pieces)),)]
    is_empty = splits and not any(piece.is_quoted for piece in pieces)
    out: list[tuple[Word, ...]] = []
    for fragments in product(*options):
        if splits and any(
            fragment.can_split
            and fragment.kind != "commit"
            and (not fragment.text or re.search(r"[\s*?\[\\]", fragment.text))
            for fragment in fragments
        ):
            out.append((_unknown(spelling, may_split=True),))
            continue
        word = _word(spelling, pieces, fragments, splits=splits)
        out.append(() if is_empty and word.is_known and not word.value else (word,))
    return out


def _word(spelling: Spelling, pieces: tuple[Piece, ...], fragments: tuple[_Fragment, ...], *, splits: bool) -> Word:
    if any(fragment.kind == "commit" for fragment in fragments):
        return _commit_word(spelling, fragments, splits=splits)
    value, known, is_sure = "", "", True
    fragments, is_home = _settled(fragments)
    for fragment in fragments:
        value += fragment.text
        is_sure = is_sure and not fragment.is_broken
        if is_sure:
            place = _GLOB_IN_VALUE.search(fragment.text) if fragment.kind == "glob" else None
            known += (
                fragment.text[: place.start()]
                if place
                else fragment.text
                if fragment.kind in {"text", "home", "here"}
                else ""
            )
            is_sure = fragment.kind in {"text", "home", "here"}
    kinds = {fragment.kind for fragment in fragments}
    is_literal = not kinds & {"unknown", "many"}
    may_split = splits and (
        "many" in kinds or any(fragment.kind in {"unknown", "glob"} and fragment.can_split for fragment in fragments)
    )
    is_one = "glob" in kinds and is_literal and not may_split and all(piece.kind != "glob" for piece in pieces)
    raw = spelling.raw
    if (
        "glob" in kinds
        and is_literal
        and any(piece.kind in _PUT_IN for piece in pieces)
        and _PLAIN_GLOB.fullmatch(value)
    ):
        raw = value  # as it would be written without the variable
    if is_home:
        raw = value  # so that it is read as the home folder, not as a name with a `~` in it
    elif value.startswith("~"):
        raw = f"'{value}'"
    return Word(
        raw,
        value,
        known,
        is_plain=True,
        is_literal=is_literal,
        has_glob="glob" in kinds,
        may_split=may_split,
        is_one=is_one,
    )


def _commit_word(spelling: Spelling, fragments: tuple[_Fragment, ...], *, splits: bool) -> Word:
    """Return a word with the name of a commit in it as if git were asked for the name there and then."""
    raw = "".join(_HEAD if fragment.kind == "commit" else fragment.text for fragment in fragments)
    is_plain = all(
        fragment.kind == "commit" or (fragment.kind == "text" and _BESIDE_COMMIT.fullmatch(fragment.text))
        for fragment in fragments
    )
    may_split = splits and any(fragment.can_split and fragment.kind != "text" for fragment in fragments)
    if not is_plain:
        return _unknown(spelling, may_split=may_split)
    return Word(raw, raw, raw.partition("$")[0], is_plain=True, is_literal=False, may_split=may_split)


def _settled(fragments: tuple[_Fragment, ...]) -> tuple[tuple[_Fragment, ...], bool]:
    """Return a word's fragments with folders of the shell's own only where they begin a path; and whether that is the home."""
    first = next((at for at, fragment in enumerate(fragments) if fragment.text), None)
    if first is None:
        return fragments, False
    following = "".join(fragment.text for fragment in fragments[first + 1 :])
    is_path = not following or following.startswith("/")
    settled = tuple(
        fragment
        if fragment.kind not in {"home", "here"} or (at == first and is_path)
        else _Fragment("unknown", "$HOME" if fragment.kind == "home" else "$PWD", fragment.can_split)
        for at, fragment in enumerate(fragments)
    )
    return settled, settled[first].kind == "home"


def _fragments(piece: Piece, state: State) -> list[_Fragment]:
    can_split = not piece.is_quoted
    match piece.kind:
        case "text" | "brace":
            return [_Fragment("text", piece.text)]
        case "home":
            return [_Fragment("home", "~")]
        case "glob":
            return [_Fragment("glob", piece.text)]
        case "number" if piece.text in {"$", "?", "#"}:  # always there, and never below zero
            return [_Fragment("glob", "[0-9]*")]
        case "number" | "arithmetic":
            return [_Fragment("glob", "*")]
        case "file":
            return [_Fragment("text", piece.text)]
        case "code" if _tells_here(piece):
            return [_Fragment("here", ".")]
        case "many":
            return [_Fragment("many", f"${piece.text or '@'}")]
        case "variable":
            if piece.text == "PWD":
                return [_Fragment("here", ".")]
            if piece.text == "HOME":
                return [_Fragment("home", "~", can_split)]
            value = state.get(piece.text)
            if value is None:
                return [_Fragment("unknown", f"${piece.text}", can_split)]
            return [_of_atom(atom, can_split) for atom in sorted(value, key=lambda atom: (atom.kind, atom.text))]
    return [_Fragment("unknown", piece.text if "$" in piece.text else "$_", can_split)]


def _tells_here(piece: Piece) -> bool:
    """Whether a substitution is `$(pwd)`."""
    items = () if piece.code is None else piece.code.items
    alone = items[0] if len(items) == 1 else None
    return (
        isinstance(alone, Simple)
        and [word.raw for word in alone.words] == ["pwd"]
        and alone == Simple(words=alone.words)
    )


def _of_atom(atom: Atom, can_split: bool) -> _Fragment:
    if atom.kind == "number":
        return _Fragment("glob", "*")
    if atom.kind == "line":
        return _Fragment("glob", atom.text, can_split, is_broken=True)
    return _Fragment(atom.kind, atom.text, can_split)


def _split(spelling: Spelling, name: str, state: State) -> list[tuple[Word, ...]]:
    """Return what an unquoted variable that is a word of its own becomes: its values, split at blanks."""
    value = state.get(name)
    if name == "PWD" or name == "HOME":
        return [(_word(spelling, spelling.pieces, tuple(_fragments(Piece("variable", name), state)), splits=True),)]
    if value is None:
        return [(_unknown(spelling, may_split=True),)]
    out: list[tuple[Word, ...]] = []
    for atom in sorted(value, key=lambda atom: (atom.kind, atom.text)):
        kind = "glob" if atom.kind == "line" else atom.kind
        if atom.kind == "commit":
            out.append((_commit_word(spelling, (_of_atom(atom, True),), splits=True),))
        elif atom.kind == "number":
            out.append((Word(spelling.raw, "*", "", is_plain=True, is_literal=True, has_glob=True, is_one=True),))
        elif (kind == "glob" and re.search(r"[\s\\]", atom.text)) or "\\" in atom.text or not atom.text.isascii():
            out.append((_unknown(spelling, may_split=True),))
        else:
            out.append(tuple(_from_value(spelling, text, kind) for text in re.split(r"[ \t\n]+", atom.text) if text))
    return out


def _from_value(spelling: Spelling, text: str, kind: str) -> Word:
    place = _GLOB_IN_VALUE.search(text)
    raw = f"'{text}'" if text.startswith("~") else spelling.raw
    known = text[: place.start()] if place else text
    has_glob = place is not None or kind == "glob"
    return Word(raw, text, known, is_plain=True, is_literal=True, has_glob=has_glob, may_split=kind == "glob")
