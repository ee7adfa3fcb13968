"""What the files say in which a user binds keys: their own `keybindings.json`, over the one of Claude Code.

Their form is `{"bindings": [{"context": "Chat", "bindings": {"ctrl+k ctrl+s": "chat:stash", "ctrl+g": null}}]}`. No project can
bind a key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tui_agent.settings.keybindings.actions import CONTEXTS, FIXED, GROUPS, UNKNOWN_HERE, find
from tui_agent.settings.keybindings.keymap import KeyAlias, Keymap, Meaning, Nothing, Pressed, Runs
from tui_agent.settings.keybindings.spelling import UnknownKey, read_keys, spell, written
from tui_agent.settings.problems import Problem
from tui_agent.settings.reading import UnreadableError, read_json
from tui_agent.settings.source_text import Location, SourceText, parse

__all__ = ["load_keymap", "template"]

_COMMAND: Final = "command:"
_Tables = dict[str, dict[Pressed, Meaning]]


def load_keymap(files: Iterable[Path], *, commands: frozenset[str] | None = None) -> Keymap:
    """Return what the files bind, later ones over earlier ones. What is wrong is left out and said in `problems`.

    `commands` are the names that a key may run, where they are known.
    """
    tables: _Tables = {}
    problems: list[Problem] = []
    for file in files:
        try:
            text = read_json(file, lambda text: parse(text) if text.strip() else None)
        except UnreadableError as error:
            problems.append(replace(error.problem, is_whole_file=True))
            continue
        if text is not None:
            _Reader(file, text, commands, tables, problems).read()
    return Keymap({context: table for context, table in tables.items() if table}, tuple(problems))


def template() -> str:
    """Return a file that binds every key as it is bound anyway, to be changed."""
    blocks = []
    for context, actions in CONTEXTS.items():
        bindings = {
            written(key): action for action, keys in actions.items() for key in keys.split() if key not in FIXED
        }
        blocks.append({"context": context, "bindings": bindings})
    return json.dumps({"bindings": blocks}, indent=2) + "\n"


class _Reader:
    """Reads one file into the tables."""

    def __init__(
        self, file: Path, text: SourceText, commands: frozenset[str] | None, tables: _Tables, problems: list[Problem]
    ) -> None:
        self._file = str(file)
        self._text = text
        self._commands = commands
        self._tables = tables
        self._problems = problems

    def read(self) -> None:
        blocks = self._text.value.get("bindings") if isinstance(self._text.value, dict) else None
        if not isinstance(blocks, list):
            self._say((), 'must be {"bindings": [{"context": "Chat", "bindings": {…}}]}')
            return
        for number, block in enumerate(blocks):
            self._read_block(("bindings", number), block)

    def _read_block(self, at: Location, block: object) -> None:
        context = block.get("context") if isinstance(block, dict) else None
        bindings = block.get("bindings") if isinstance(block, dict) else None
        if not isinstance(context, str) or not isinstance(bindings, dict):
            self._say(at, 'a block must be {"context": "Chat", "bindings": {"ctrl+k": "chat:stash"}}')
            return
        if context in UNKNOWN_HERE:
            return
        targets = (context,) if context in CONTEXTS else GROUPS.get(context, ())
        if not targets:
            names = [*CONTEXTS, *GROUPS]
            self._say((*at, "context"), f"there is no context {context!r}{_near(context, names)}")
            return
        for keys, action in bindings.items():
            self._bind((*at, "bindings", keys), context, targets, keys, action)

    def _bind(self, at: Location, context: str, targets: Sequence[str], keys: str, action: object) -> None:
        try:
            pressed = read_keys(keys)
        except UnknownKey as error:
            self._say(at, str(error))
            return
        if fixed := FIXED.intersection(pressed):
            self._say(at, f"{spell(min(fixed))} has a fixed meaning and cannot be bound")
            return
        if action is not None and not isinstance(action, str):
            self._say(at, f"{keys!r} must be bound to the name of an action, or to null")
            return
        meanings = dict(self._meanings(targets, action))
        if not meanings:
            self._say(at, self._why_not(context, str(action)))
        for target, meaning in meanings.items():
            self._tables.setdefault(target, {})[pressed] = meaning

    def _meanings(self, targets: Sequence[str], action: str | None) -> Iterator[tuple[str, Meaning]]:
        for target in targets:
            if action is None:
                yield target, Nothing()
            elif action.startswith(_COMMAND):
                name = action.removeprefix(_COMMAND).removeprefix("/")
                if self._commands is None or name in self._commands:
                    yield target, Runs(name)
            elif found := find(target, action):
                yield target, KeyAlias(found)

    def _why_not(self, context: str, action: str) -> str:
        if action.startswith(_COMMAND):
            return f"there is no command {action.removeprefix(_COMMAND)!r}{_near(action, self._command_names())}"
        elsewhere = [name for name, actions in CONTEXTS.items() if action in actions]
        if elsewhere:
            return f"{action!r} is not an action of {context}; it belongs to {' and '.join(elsewhere[:3])}"
        return f"there is no action {action!r}{_near(action, {name for table in CONTEXTS.values() for name in table})}"

    def _command_names(self) -> list[str]:
        return [f"{_COMMAND}{name}" for name in sorted(self._commands or ())]

    def _say(self, at: Location, text: str) -> None:
        self._problems.append(Problem(self._file, self._text.line(at), text))


def _near(name: str, names: Iterable[str]) -> str:
    import difflib  # for mistakes only

    near = difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
