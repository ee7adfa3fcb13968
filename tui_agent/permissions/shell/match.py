"""Command rules against a script: which rule forbids or asks about something in it, and which allows a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import TYPE_CHECKING, Final, Literal

from tui_agent.permissions.shell.effective_command import (
    EffectiveCommand,
    base_name,
    reached,
    whole_text,
    without_safe_wrappers,
)
from tui_agent.permissions.shell.parse import ParsedCommand, ParsedScript
from tui_agent.permissions.shell.pattern import CommandPattern, normalise
from tui_agent.permissions.shell.programs import judge_program
from tui_agent.permissions.shell.runners import is_command_output
from tui_agent.permissions.shell.words import Word, read_word
from tui_agent.permissions.verdict import Naming

if TYPE_CHECKING:
    from tui_agent.permissions.rule import Rule

__all__ = ["CommandRules", "RuleHit", "allowing_rule", "find_rule", "names", "namings", "reaches"]

# Never let through by a pattern with `*`: what they run, or whether they only look, hangs on their arguments.
_EXACT_ONLY: Final = frozenset({"watch", "setsid", "ionice", "flock"})
_FIND_ACTIONS: Final = frozenset({
    "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fls", "-fprint0",
})  # fmt: skip
_FD_ACTIONS: Final = ("-x", "-X", "--exec")
_WRITERS: Final = frozenset({"tee", "cp", "mv", "ln", "dd", "install", "sed", "printf"})
_A_FILE: Final = read_word("f")
_BEFORE_WORD: Final = " \t\n;&|(){}<>`=!$/"
_AFTER_COMMAND: Final = re.compile(r"[\n;&|)}`]")
# A text in double quotes with a substitution in it: one word, whatever comes of it.
_QUOTED_WORD: Final = re.compile(r'[^\s\'"\\$`*?\[{}~]*".*"', re.DOTALL)


class CommandRules:
    """Rules with command patterns, in their order; found by a command's first word, so that hundreds cost as little as few."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._all: list[tuple[int, Rule, CommandPattern]] = []
        self._named: dict[str, list[tuple[int, Rule, CommandPattern]]] = {}
        self._unnamed: list[tuple[int, Rule, CommandPattern]] = []
        for rule in rules:
            pattern = rule.specifier
            if not isinstance(pattern, CommandPattern):
                continue
            row = (len(self._all), rule, pattern)
            self._all.append(row)
            if pattern.name is None:
                self._unnamed.append(row)
            else:
                self._named.setdefault(pattern.name, []).append(row)

    def __bool__(self) -> bool:
        return bool(self._all)

    @property
    def first(self) -> Rule:
        """The first of them."""
        return self._all[0][1]

    def __iter__(self) -> Iterator[tuple[int, Rule, CommandPattern]]:
        return iter(self._all)

    def of(self, text: str) -> Iterable[tuple[int, Rule, CommandPattern]]:
        """Return the rules that may match a command of this text."""
        named = self._named.get(text.partition(" ")[0])
        if named is None:
            return self._unnamed
        return merge(named, self._unnamed, key=_order) if self._unnamed else named


def _order(row: tuple[int, Rule, CommandPattern]) -> int:
    return row[0]


@dataclass(frozen=True, slots=True)
class RuleHit:
    """A rule that matches a command, or (`might`) could match once what is unknown becomes known."""

    rule: Rule
    kind: Literal["surely", "maybe"]
    command: str


def find_rule(rules: CommandRules, script: ParsedScript) -> RuleHit | None:
    """Return the first of these rules (which forbid or ask) that something anywhere in the script falls under.

    A sure match is preferred to a possible one. Where the script is not understood its text is searched as well.
    """
    if not rules:
        return None
    found = reached(script)
    hits = [
        (at, RuleHit(rule, "surely", text))
        for one in found
        for text in one.texts
        for at, rule, pattern in rules.of(text)
        if pattern.matches(text)
    ]
    if hits:
        return min(hits, key=lambda hit: hit[0])[1]
    if not script.is_understood:
        for _at, rule, pattern in rules:
            stretch = _in_text(pattern, script.source)
            if stretch is not None:
                return RuleHit(rule, "surely", stretch)
        return RuleHit(rules.first, "maybe", script.source)
    if script.may_run_hidden_code:
        return RuleHit(rules.first, "maybe", script.source)
    for one in found:
        beginning = one.beginning
        if beginning is None:
            continue
        for _at, rule, pattern in rules.of(beginning) if " " in beginning else rules:
            if pattern.might_match(beginning):
                return RuleHit(rule, "maybe", whole_text(one.words))
    return _possible(rules, script, reached(script, guesses=True))


# In `$'…'`: a letter by its number.
_AS_NUMBER: Final = re.compile(r"\\[xuU0-7c]")


def _possible(rules: CommandRules, script: ParsedScript, found: Sequence[EffectiveCommand]) -> RuleHit | None:
    """Return the first rule that something may fall under which another program may run, or a text in another language."""
    for one in found:
        if one.is_guess:
            for text in one.texts:
                for _at, rule, pattern in rules.of(text):
                    if pattern.matches(text):
                        return RuleHit(rule, "maybe", text)
    texts = [(text, one) for one in found for text in one.foreign]
    texts.extend(
        (script.source, one) for one in found if one.reads_input or (one.runs_file and _writes_files(script, found))
    )
    if "$'" in script.source:  # whose letters may be written as numbers, and blanks as letters
        plain = re.sub(r"\\[abeEfnrtv]", " ", script.source)
        is_hidden = _AS_NUMBER.search(plain) is not None
        texts.extend((plain, one) for text, one in tuple(texts) if text == script.source)
    else:
        is_hidden = False
    for text, one in texts:
        for _at, rule, pattern in rules:
            is_named = _is_named(pattern, text) or (is_hidden and one.reads_input)
            if is_named and not _only_looks(one.words):
                return RuleHit(rule, "maybe", whole_text(one.words))
    return None


def _only_looks(words: Sequence[Word]) -> bool:
    """Whether a program is known to run nothing it reads; what it is handed as `<(…)` is a file like others to it."""
    return judge_program(tuple(_A_FILE if is_command_output(word) else word for word in words)).kind != "unknown"


def _writes_files(script: ParsedScript, found: Sequence[EffectiveCommand]) -> bool:
    """Whether a script may write a file which it then runs."""
    return any(redirect.is_output for redirect in script.redirects) or any(
        base_name(one.words[0]) in _WRITERS for one in found
    )


def _is_named(pattern: CommandPattern, text: str) -> bool:
    """Whether a text in any language holds each of the words that a command under the pattern begins with."""
    words = pattern.parts[0].split()
    return bool(words) and all(
        word in text and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in words
    )


def reaches(pattern: CommandPattern, found: Iterable[EffectiveCommand]) -> bool:
    """Whether a pattern surely matches one of these commands."""
    return any(pattern.matches(text) for one in found for text in one.texts)


def _in_text(pattern: CommandPattern, source: str) -> str | None:
    """Return a stretch of a text that is not understood which the pattern would match if a command began there."""
    cleaned = normalise(re.sub(r"\\\n|['\"\\]", "", source))
    fixed = pattern.parts[0]
    at = cleaned.find(fixed)
    while at >= 0:
        if at == 0 or cleaned[at - 1] in _BEFORE_WORD:
            end = _AFTER_COMMAND.search(cleaned, at + len(fixed))
            for stop in {len(cleaned), end.start() if end else len(cleaned)}:
                text = cleaned[at:stop].rstrip()
                if pattern.matches(text):
                    return text
        at = cleaned.find(fixed, at + max(len(fixed), 1))
    return None


def namings(command: ParsedCommand, words: tuple[Word, ...]) -> tuple[Naming, ...]:
    """Return the ways in which an allow rule may name a command: as written, and less each wrapper that changes nothing.

    `words` are the command's words with what is known put in; what a program they name may do decides whether a pattern can
    cover it. Where a word holds a substitution only what stands before it counts, and only if it stays one word, whatever it
    turns out to be.
    """
    if not command.words or not command.words[0].is_known or "=" in command.words[0].raw:
        return ()
    chain = list(without_safe_wrappers(command))
    is_exact_only = any(map(_is_exact_only, (*chain, words)))
    if all(word.is_plain for word in command.words):
        return tuple(Naming(whole_text(one), is_exact_only) for one in chain)
    found: list[Naming] = []
    for one in chain:
        plain = next((at for at, word in enumerate(one) if not word.is_plain), len(one))
        if plain and all(word.is_plain or _QUOTED_WORD.fullmatch(word.raw) for word in one[plain:]):
            found.append(Naming(whole_text(one[:plain]), is_exact_only, is_cut=True))
    return tuple(found)


def _is_exact_only(words: Sequence[Word]) -> bool:
    if not words:
        return False
    name = base_name(words[0])
    if name == "find":
        return any(word.value in _FIND_ACTIONS or not (word.is_literal or word.has_glob) for word in words)
    if name in {"fd", "fdfind"}:
        return any(word.value.startswith(_FD_ACTIONS) or not (word.is_literal or word.has_glob) for word in words)
    return name in _EXACT_ONLY


def names(pattern: CommandPattern, naming: Naming) -> bool:
    """Whether a rule with this pattern allows a command that may be named so."""
    if naming.power and not (pattern.is_exact or pattern.says(naming.power)):
        return False
    if naming.is_cut:
        return not naming.is_exact_only and pattern.covers_what_begins(naming.text)
    return (pattern.is_exact or not naming.is_exact_only) and pattern.matches(naming.text)


def allowing_rule(rules: CommandRules, ways: Sequence[Naming]) -> Rule | None:
    """Return the first rule that allows a command that may be named in these ways.

    What it writes by redirection is not covered; the caller judges that as an edit.
    """
    for naming in ways:
        for _at, rule, pattern in rules.of(naming.text):
            if names(pattern, naming):
                return rule
    return None
