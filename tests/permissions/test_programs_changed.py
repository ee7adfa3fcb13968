"""Harmless calls, changed: what an option, an abbreviation, an unknown word or a glob could turn them into never passes."""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.shell.programs import judge_program
from tui_agent.permissions.shell.programs.table import ProgramEntry, entry_for, has_subcommands
from tui_agent.permissions.shell.words import Word, read_word

HARM = {
    "output-option", "program-option", "find-action", "sed-write", "awk-script", "git-config", "date-set", "extra-operand",
    "subcommand", "operand", "needed-option", "version-only", "network-path", "pager", "interpreter",
}  # fmt: skip


def _calls() -> list[tuple[Word, ...]]:
    lines = Path(__file__).with_name("calls_harmless.txt").read_text("utf-8").splitlines()
    scripts = [parse(line) for line in lines if line and not line.startswith("#")]
    found = [script.single.words for script in scripts if script.single is not None and not script.redirects]
    return [words for words in found if judge_program(words).kind == "read_only"]


CALLS = _calls()


def entry_of(words: tuple[Word, ...]) -> tuple[ProgramEntry, int]:
    """Return the entry that judges a call, and how many words name it."""
    entry, at = entry_for(words[0].value.rpartition("/")[2]), 1
    assert entry is not None
    for index, word in enumerate(words[1:], 1):
        inner = entry_for(f"{entry.name} {word.value}") if has_subcommands(entry.name) else None
        if inner is not None:
            entry, at = inner, index + 1
    return entry, at


def _varied() -> list[tuple[Word, ...]]:
    """Return some calls of each entry."""
    found: dict[str, list[tuple[Word, ...]]] = defaultdict(list)
    for words in CALLS:
        found[entry_of(words)[0].name].append(words)
    return [words for group in found.values() for words in group[:: max(1, len(group) // 8)]]


as_word = lru_cache(maxsize=None)(read_word)


def judged(*words: Word | str) -> Judgement:
    return judge_program([as_word(word) if isinstance(word, str) else word for word in words])


def _with(words: tuple[Word, ...], option: str) -> Judgement:
    """Judge a call with one option more, right behind the program or subcommand."""
    _entry, at = entry_of(words)
    return judged(*words[:at], option, *words[at:])


def test_there_are_calls_to_change() -> None:
    assert len(CALLS) > 850


def test_an_option_that_is_not_listed_stops_any_call() -> None:
    passed = [
        (option, " ".join(word.raw for word in words))
        for words in CALLS
        for option in ("--frobnicate", "--frobnicate=x", "-é", "-é=x")
        if entry_of(words)[0].checker != "text" and _with(words, option).kind == "read_only"
    ]
    assert passed == []


def _harmful(entry: ProgramEntry) -> Iterator[tuple[str, ...]]:
    """Yield the options of an entry that do harm, with and without values, abbreviated and in clusters."""
    flags = [name for name, kind in entry.options.items() if not kind and not name.startswith("--")]
    for option in entry.writes | entry.runs:
        yield (option,)
        yield (option, "x")
        if option.startswith("--"):
            yield (f"{option}=x",)
            for length in range(5, len(option)):
                if option[:length] not in entry.options:
                    yield (f"{option[:length]}=x",)
                    yield (option[:length], "x")
        elif entry.style == "getopt":
            yield (f"{option}x",)
            for flag in flags:
                yield (f"{flag}{option[1:]}",)
                yield (f"{flag}{option[1:]}", "x")


def test_a_harmful_option_stops_a_call_wherever_it_stands() -> None:
    passed = []
    for words in _varied():
        entry, at = entry_of(words)
        values = [word.value for word in words]
        end = values.index("--") if "--" in values else len(words)
        places = range(at, end + 1) if entry.order != "first" else (at,)
        for place, options in product(places, _harmful(entry)):
            if judged(*words[:place], *options, *words[place:]).kind == "read_only":
                passed.append((options, place, " ".join(word.raw for word in words)))
    # An option that takes a value and stands before it takes it: `grep -e -f` looks for `-f`.
    assert [one for one in passed if not _is_value(*one)] == []


def _is_value(options: tuple[str, ...], place: int, call: str) -> bool:
    words = parse(call).commands[0].words
    entry, _at = entry_of(words)
    before = words[place - 1].value
    return (
        entry.options.get(before, "") not in {"", "?"}
        and options[0].startswith("-")
        and not options[0].startswith("--")
    )


def test_what_an_unknown_word_may_turn_into_is_no_more_harmful() -> None:
    """Where a call passes with a word unknown, it would pass, or at worst not be understood, with harmful words there."""
    for words in _varied():
        entry, at = entry_of(words)
        harmful = [*_harmful(entry), ("-delete",), ("w out",), ("-exec", "rm", ";"), ("rm",), ("2020",), ("a", "b")]
        # Too many operands are an error for a program that only reads, whatever it is given.
        harm = HARM - {"extra-operand", "operand"} if entry.is_safe else HARM
        for index in range(at, len(words)):
            for unknown in ("$x", '"$x"', "*", '"-$x"', '"--$x"', "-*", "--*", "-$x"):
                if judged(*words[:index], unknown, *words[index + 1 :]).kind != "read_only":
                    continue
                is_one = '"' in unknown
                for options in harmful:
                    if is_one and len(options) > 1:
                        continue
                    if not options[0].startswith(unknown.strip('"').rstrip("$x*")):
                        continue
                    quoted = [f"'{option}'" for option in options]
                    found = judged(*words[:index], *quoted, *words[index + 1 :])
                    assert found.check not in harm, (unknown, [word.raw for word in words], options, found)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(CALLS), st.data())
def test_letters_that_are_not_listed_stop_a_call_in_any_cluster(words: tuple[Word, ...], data: st.DataObject) -> None:
    entry, at = entry_of(words)
    if entry.style != "getopt" or entry.checker in {"text", "find", "ip", "jar"}:
        return
    listed = {name[1] for name in entry.options if len(name) == 2}
    flags = [name[1] for name, kind in entry.options.items() if len(name) == 2 and not kind]
    letters = [letter for letter in string.ascii_letters if letter not in listed]
    letter = data.draw(st.sampled_from(letters or ["é"]))
    before = "".join(data.draw(st.lists(st.sampled_from(flags), max_size=3))) if flags else ""
    assert judged(*words[:at], f"-{before}{letter}", *words[at:]).kind != "read_only"


@pytest.mark.parametrize(
    "folder", ["./", "../", "/tmp/", "bin/", "~/bin/", "/usr/local/bin/", "/bin/../tmp/", "//tmp/", "/bin//"]
)
def test_programs_elsewhere_are_not_those_of_the_table(folder: str) -> None:
    assert judged(f"{folder}ls").check == "program-path"


@pytest.mark.parametrize("folder", ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"])
def test_programs_of_the_system_may_be_named_with_their_folder(folder: str) -> None:
    assert judged(f"{folder}ls").kind == "read_only"


@pytest.mark.parametrize(
    "name", ["\\ls", "l\\s", "$ls", '"$ls"', "l*", "{ls,-la}", "$(echo ls)", "LS", "ls ", "'ls -la'"]
)
def test_names_that_are_not_plain_are_no_program(name: str) -> None:
    assert judged(name).kind == "unknown"


@given(st.lists(st.text(max_size=8), max_size=6))
def test_any_words_are_judged_without_an_error(texts: list[str]) -> None:
    words = [read_word(text) for text in texts]
    assert judge_program(words).kind in {"read_only", "edit", "unknown"}
    assert judge_program(words, names_from="work").kind in {"read_only", "edit", "unknown"}


@settings(max_examples=150)
@given(
    st.sampled_from(CALLS),
    st.lists(st.sampled_from(["-", "--", "-n", "=", "x", "'", '"$x"', "*", "-o", ""]), max_size=4),
)
def test_any_words_behind_a_call_are_judged_without_an_error(words: tuple[Word, ...], more: list[str]) -> None:
    found = judge_program([*words, *map(read_word, more)])
    assert found.kind in {"read_only", "edit", "unknown"}
    assert found.kind == "read_only" or (found.check and found.reason)
