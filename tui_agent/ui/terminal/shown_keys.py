"""Keys as the screen names them: as the user has bound them, wherever that is not as usual."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual.content import Content, Span

from tui_agent.ui.terminal.contexts import context_of

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from tui_agent.settings.keybindings.keymap import Keymap

__all__ = ["keymap_of", "named_hints", "named_in_line", "named_key", "named_keys"]


def keymap_of(app: App[Any]) -> Keymap | None:
    """Return what the user has bound in an app; None where that is nothing."""
    keyboard = getattr(app, "keyboard", None)
    keymap: Keymap | None = keyboard.rebinding.keymap if keyboard is not None else None
    return keymap if keymap is not None and keymap.tables else None


def named_keys(app: App[Any], context: str, keys: str) -> str:
    """Return keys of a context, spelled with blanks between them, as they are bound now; nothing where none is left."""
    keymap = keymap_of(app)
    return keys if keymap is None else " ".join(keymap.shown(context, keys.split()))


def named_key(app: App[Any], context: str, key: str) -> str:
    """Return a key of a context as it is bound now, to be named in a sentence; nothing where none does the same."""
    keymap = keymap_of(app)
    return key if keymap is None else next(iter(keymap.shown(context, [key])), "")


def named_hints(screen: Screen[Any], hints: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return keys with what they do as they are bound where one is on a screen: as many for each as there were."""
    keymap = keymap_of(screen.app)
    if keymap is None:
        return tuple(hints)
    context = context_of(screen)
    named = ((" ".join(keymap.shown(context, keys.split())[: len(keys.split())]), words) for keys, words in hints)
    return tuple(hint for hint in named if hint[0])


def named_in_line(screen: Screen[Any], pieces: Iterable[Content]) -> list[Content]:
    """Return pieces of a line, each a key or several and what they do, with the keys as they are bound now.

    A piece whose keys are bound to nothing any more is left out.
    """
    keymap = keymap_of(screen.app)
    if keymap is None:
        return list(pieces)
    context = context_of(screen)
    named = (_renamed(piece, keymap, context) for piece in pieces)
    return [piece for piece in named if piece is not None]


def _renamed(piece: Content, keymap: Keymap, context: str) -> Content | None:
    words = piece.plain.split(" ")
    known = keymap.spelled(context)
    keys = []
    for word in words[:-1]:
        if word not in known:
            break
        keys.append(word)
    shown = keymap.shown(context, keys)[: len(keys)]
    if not keys or shown == keys:
        return piece
    if not shown:
        return None
    name = " ".join(shown)
    spans = [Span(0, len(name), span.style) for span in piece.spans if span.start == 0]
    return Content(name, spans) + piece[len(" ".join(keys)) :]
