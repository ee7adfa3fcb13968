"""Files that bind keys: how keys are written, what a binding means where, and what is wrong with those that do not count."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.settings.keybindings.actions import CONTEXTS, FIXED, chain
from tui_agent.settings.keybindings.keymap import KeyAlias, Keymap, Meaning, Nothing, Runs
from tui_agent.settings.keybindings.load import load_keymap, template
from tui_agent.settings.keybindings.spelling import UnknownKey, read_keys, written

CLAUDE = """{
  "$schema": "https://www.schemastore.org/claude-code-keybindings.json",
  "bindings": [
    {"context": "Chat", "bindings": {"ctrl+e": "chat:externalEditor", "ctrl+u": null, "meta+p": "chat:modelPicker"}},
    {"context": "Confirmation", "bindings": {"ctrl+y": "confirm:yes"}},
    {"context": "MessageSelector", "bindings": {"k": "messageSelector:up"}}
  ]
}"""


@pytest.fixture
def bind(tmp_path: Path) -> Any:
    def make(*blocks: tuple[str, dict[str, object]], commands: frozenset[str] = frozenset({"cost"})) -> Keymap:
        file = tmp_path / "keybindings.json"
        found = [{"context": context, "bindings": bindings} for context, bindings in blocks]
        file.write_text(json.dumps({"bindings": found}))
        return load_keymap([file], commands=commands)

    return make


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ctrl+k ctrl+s", ("ctrl+k", "ctrl+s")),
        ("Control+K", ("ctrl+k",)),
        ("K", ("K",)),
        ("shift+k", ("K",)),
        ("shift+ctrl+z", ("ctrl+shift+z",)),
        ("opt+left", ("alt+left",)),
        ("meta+p", ("alt+p",)),
        ("cmd+v", ("super+v",)),
        ("?", ("question_mark",)),
        ("ctrl+_", ("ctrl+underscore",)),
        ("ctrl++", ("ctrl+plus",)),
        ("+", ("plus",)),
        ("esc", ("escape",)),
        ("return", ("enter",)),
        ("space", ("space",)),
        ("f12", ("f12",)),
        ("shift+tab", ("shift+tab",)),
        ("PageUp", ("pageup",)),
        ("ß", ("ß",)),
    ],
)
def test_keys_are_read_as_people_write_them(text: str, keys: tuple[str, ...]) -> None:
    assert read_keys(text) == keys


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "an empty text is not a key"),
        ("hyper+x", "'hyper' in 'hyper+x' is not a modifier"),
        ("ctrl+entr", "'entr' in 'ctrl+entr' is not a key; did you mean enter?"),
        ("f25", "'f25' in 'f25' is not a key"),
        ("\x07", "is not a key"),
    ],
)
def test_what_is_no_key_is_said(text: str, words: str) -> None:
    with pytest.raises(UnknownKey) as told:
        read_keys(text)
    assert words in str(told.value)


@pytest.mark.parametrize(
    "key", sorted({key for table in CONTEXTS.values() for keys in table.values() for key in keys.split()})
)
def test_each_key_there_is_can_be_written(key: str) -> None:
    assert read_keys(written(key)) == (key,)


@given(st.text(max_size=12))
def test_any_text_is_keys_or_told_not_to_be(text: str) -> None:
    with contextlib.suppress(UnknownKey):
        assert all(read_keys(text))
        assert read_keys(text)


def test_a_file_written_for_claude_code_works(tmp_path: Path) -> None:
    file = tmp_path / "keybindings.json"
    file.write_text(CLAUDE)
    keymap = load_keymap([file])
    assert not keymap.problems
    assert keymap.meaning("Chat", ("ctrl+e",)) == KeyAlias(("ctrl+g",))
    assert keymap.meaning("Chat", ("ctrl+u",)) == Nothing()
    assert keymap.meaning("Chat", ("alt+p",)) == KeyAlias(("alt+p",))
    assert keymap.meaning("Permission", ("ctrl+y",)) == KeyAlias(("1",))
    assert keymap.meaning("Undo", ("ctrl+y",)) == KeyAlias(("y", "1"))
    assert keymap.meaning("Chat", ("ctrl+y",)) is None


def test_the_own_file_comes_before_that_of_claude_code(tmp_path: Path) -> None:
    theirs, own = tmp_path / "a.json", tmp_path / "b.json"
    theirs.write_text('{"bindings": [{"context": "Chat", "bindings": {"ctrl+t": "chat:stash", "ctrl+g": null}}]}')
    own.write_text('{"bindings": [{"context": "Chat", "bindings": {"ctrl+t": "chat:newline"}}]}')
    keymap = load_keymap([theirs, own])
    assert keymap.meaning("Chat", ("ctrl+t",)) == KeyAlias(("ctrl+j", "shift+enter", "alt+enter", "alt+ctrl+j"))
    assert keymap.meaning("Chat", ("ctrl+g",)) == Nothing()


@pytest.mark.parametrize(
    ("context", "bindings", "words"),
    [
        ("Chatt", {"f5": "chat:stash"}, "there is no context 'Chatt'; did you mean 'Chat'?"),
        ("Chat", {"f5": "chat:stashh"}, "there is no action 'chat:stashh'; did you mean 'chat:stash'?"),
        ("Tools", {"f5": "chat:stash"}, "'chat:stash' is not an action of Tools; it belongs to Chat"),
        ("Chat", {"ctrl+c": "chat:stash"}, "^c has a fixed meaning and cannot be bound"),
        ("Chat", {"ctrl+x ctrl+m": None}, "^m has a fixed meaning and cannot be bound"),
        ("Chat", {"f5": 3}, "'f5' must be bound to the name of an action, or to null"),
        ("Chat", {"crtl+k": None}, "'crtl' in 'crtl+k' is not a modifier"),
        ("Global", {"f5": "command:cots"}, "there is no command 'cots'; did you mean 'command:cost'?"),
    ],
)
def test_a_binding_that_cannot_be_is_left_out_and_told(
    bind: Any, context: str, bindings: dict[str, object], words: str
) -> None:
    keymap = bind((context, bindings), ("Chat", {"f6": "chat:stash"}))
    assert [words in str(problem) for problem in keymap.problems] == [True]
    assert keymap.meaning("Chat", ("f6",)) == KeyAlias(("ctrl+s",))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"bindings": [}', ":1: column 15"),
        ('{"bindings": {}}', 'must be {"bindings": ['),
        ("[]", 'must be {"bindings": ['),
        ('{\n "bindings": [\n  3]}', ":3: a block must be"),
        ('{\n "bindings": [\n  {"context": "Chat",\n "bindings": {\n"f5": "x"}}]}', ":5: there is no action 'x'"),
    ],
)
def test_where_something_is_wrong_is_said(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "keybindings.json"
    file.write_text(text)
    (problem,) = load_keymap([file]).problems
    assert words in str(problem)
    assert str(problem).startswith(str(file))


def test_files_that_cannot_be_read_are_told_and_those_that_are_not_there_are_not(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"\xff\xfe")
    (tmp_path / "folder").mkdir()
    assert not load_keymap([tmp_path / "none.json"]).problems
    assert "is not UTF-8" in str(load_keymap([bad]).problems[0])
    assert "cannot be read" in str(load_keymap([tmp_path / "folder"]).problems[0])


def test_the_place_says_what_plain_keys_mean_and_the_person_what_the_others_do(bind: Any) -> None:
    keymap = bind(("Global", {"n": "app:tools", "ctrl+k": "app:tools", "enter": "app:diff", "f5": "command:cost"}))
    assert keymap.meaning("Undo", ("n",)) is None
    assert keymap.meaning("Tools", ("n",)) == KeyAlias(("f2",))
    assert keymap.meaning("Permission", ("enter",)) is None
    assert keymap.meaning("Chat", ("ctrl+k",)) == KeyAlias(("f2",))
    assert keymap.meaning("Plan", ("f5",)) == Runs("cost")


def test_the_beginning_of_a_binding_is_known(bind: Any) -> None:
    keymap = bind(("Chat", {"ctrl+k ctrl+s": "chat:stash"}), ("Global", {"ctrl+k f1 f2": "app:help"}))
    assert keymap.may_go_on("Chat", ("ctrl+k",))
    assert keymap.may_go_on("Chat", ("ctrl+k", "f1"))
    assert not keymap.may_go_on("Chat", ("ctrl+k", "ctrl+s"))
    assert not keymap.may_go_on("Tools", ("ctrl+k", "ctrl+s"))
    assert keymap.meaning("Chat", ("ctrl+k", "f1", "f2")) == KeyAlias(("f1", "question_mark"))


def test_keys_are_named_as_they_are_bound(bind: Any) -> None:
    keymap = bind(
        ("Global", {"f9": "app:tools", "f2": None, "ctrl+t": "task:background"}),
        ("Chat", {"ctrl+k ctrl+s": "chat:stash"}),
    )
    assert keymap.shown("Global", ["F2"]) == ["F9"]
    assert keymap.shown("Chat", ["^s"]) == ["^s", "^k ^s"]
    assert keymap.shown("Global", ["^b"]) == ["^b", "^t"]
    assert keymap.shown("Global", ["^t"]) == []
    assert keymap.shown("Global", ["drag"]) == ["drag"]
    assert keymap.shown("Chat", ["esc", "esc"]) == ["esc", "esc"]


def test_the_file_that_is_made_binds_all_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "keybindings.json"
    file.write_text(template())
    keymap = load_keymap([file])
    assert not keymap.problems
    for context, actions in CONTEXTS.items():
        for keys in actions.values():
            for key in keys.split():
                meaning = keymap.meaning(context, (key,))
                assert isinstance(meaning, KeyAlias)
                assert key in meaning.keys


_KEYS = sorted({key for keys in CONTEXTS["Chat"].values() for key in keys.split()} | {"f5", "alt+x", "n"})
_MEANINGS = st.one_of(
    st.just(Nothing()),
    st.builds(Runs, st.just("cost")),
    st.builds(KeyAlias, st.sampled_from(_KEYS).map(lambda key: (key,))),
)
_TABLES = st.dictionaries(
    st.sampled_from(["Chat", "Global", "Autocomplete"]),
    st.dictionaries(st.lists(st.sampled_from(_KEYS), min_size=1, max_size=2).map(tuple), _MEANINGS, max_size=5),
)


@given(
    _TABLES,
    st.sampled_from(["Chat", "Global", "Autocomplete"]),
    st.lists(st.sampled_from(_KEYS), min_size=1, max_size=2),
)
def test_the_innermost_binding_counts(
    tables: dict[str, dict[tuple[str, ...], Meaning]], context: str, keys: list[str]
) -> None:
    keymap = Keymap(tables)
    pressed = tuple(keys)
    found = keymap.meaning(context, pressed)
    bound = [tables.get(place, {}).get(pressed) for place in chain(context)]
    if bound[0] is not None:
        assert found == bound[0]
    else:
        assert found in [*bound, None]
    assert FIXED.isdisjoint(key for table in CONTEXTS.values() for names in table.values() for key in names.split())
