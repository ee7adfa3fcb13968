"""What the user's own bindings make of a key, in the place where it is pressed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tui_agent.settings.keybindings.actions import CONTEXTS, chain
from tui_agent.settings.keybindings.spelling import character, spell
from tui_agent.settings.problems import Problem

__all__ = ["KeyAlias", "Keymap", "Meaning", "Nothing", "Runs"]

_PLAIN: Final = frozenset({
    "enter", "escape", "tab", "shift+tab", "space", "backspace", "delete", "up", "down", "left", "right", "home", "end",
    "pageup", "pagedown",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeyAlias:
    """The key does what another one does there by default. `keys` are all that do: the first stands for them."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """The key gives a command, of this name without the slash."""

    command: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """The key does nothing any more."""


Meaning = KeyAlias | Runs | Nothing
Pressed = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keymap:
    """The bindings of all contexts, by the keys that are pressed one after the other; and what was wrong with the others.

    The innermost context that knows a key says what it means. There, what the user bound comes before what is usual; and what
    they bound further out comes before what is usual further in, but for the plain keys: letters, Enter, arrows and their like
    mean what the place says.
    """

    tables: Mapping[str, Mapping[Pressed, Meaning]] = field(default_factory=dict)
    problems: Sequence[Problem] = ()

    def meaning(self, context: str, pressed: Pressed) -> Meaning | None:
        """Return what the user made of keys pressed in a context; None where they mean what they always do."""
        for place in chain(context):
            if (found := self.tables.get(place, {}).get(pressed)) is not None:
                return found
            if len(pressed) == 1 and _is_plain(pressed[0]) and pressed[0] in _usual(place):
                return None
        return None

    def may_go_on(self, context: str, pressed: Pressed) -> bool:
        """Whether more keys after these would mean something in a context."""
        size = len(pressed)
        return any(
            len(keys) > size and keys[:size] == pressed
            for place in chain(context)
            for keys in self.tables.get(place, ())
        )

    def shown(self, context: str, keys: Iterable[str]) -> list[str]:
        """Return keys as they are to be shown, spelled: of the usual ones for something those that still do it, then the
        user's own. What no binding is about stays as it is.
        """
        keys = list(keys)
        spelled = self.spelled(context)
        usual = [spelled.get(key) for key in keys]
        kept = [key for key, name in zip(keys, usual, strict=True) if name is None or self._is_usual(context, name)]
        meant = {name for name in usual if name is not None}
        own = [" ".join(map(spell, pressed)) for pressed, meaning in self._bound(context) if _is_for(meaning, meant)]
        return [*kept, *(name for name in dict.fromkeys(own) if name not in kept)]

    def _is_usual(self, context: str, key: str) -> bool:
        """Whether a key still does what it does by default."""
        found = self.meaning(context, (key,))
        return found is None or (isinstance(found, KeyAlias) and key in found.keys)

    def _bound(self, context: str) -> Iterator[tuple[Pressed, Meaning]]:
        """Yield what is bound in a context and around it, and counts."""
        for place in chain(context):
            for pressed, meaning in self.tables.get(place, {}).items():
                if self.meaning(context, pressed) == meaning:
                    yield pressed, meaning

    def spelled(self, context: str) -> dict[str, str]:
        """Return the usual keys of a context and around it, by their spelling; the innermost count."""
        return {spell(key): key for place in reversed([*chain(context)]) for key in _usual(place)}


def _usual(context: str) -> Iterator[str]:
    for keys in CONTEXTS[context].values():
        yield from keys.split()


def _is_plain(key: str) -> bool:
    return key in _PLAIN or character(key) is not None


def _is_for(meaning: Meaning, usual: set[str]) -> bool:
    return isinstance(meaning, KeyAlias) and not usual.isdisjoint(meaning.keys)
