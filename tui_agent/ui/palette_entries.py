"""What the command palette offers, and how well a search fits it: commands, what keys do, models, modes, themes, sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from textual.binding import Binding
from textual.events import Key

from tui_agent import slash_commands
from tui_agent.permissions.modes import MODES
from tui_agent.settings.keybindings.actions import CONTEXTS, FIXED
from tui_agent.settings.keybindings.spelling import character, spell
from tui_agent.ui.mode_styles import MODES as MODE_WORDS
from tui_agent.ui.prompting.palette_search import PaletteEntry
from tui_agent.ui.terminal.contexts import context_of_node
from tui_agent.ui.terminal.shown_keys import named_keys

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode

__all__ = ["command_entries", "entries", "key_entries", "prompt_entries"]


_COMMAND_KEYS: Final = {"help": "F1", "quit": "^d", "mode": "⇧⇥", "model": "alt+p", "thinking": "alt+t"}


def entries(
    app: App[object], models: Iterable[tuple[str, str]], run: Callable[[str, str], object]
) -> list[PaletteEntry]:
    """Return all that is there at once: sessions, which have to be read, are not. `run` carries out a command."""
    return [
        *command_entries(run, partial(named_keys, app, "Global")),
        *key_entries(app),
        *prompt_entries(app),
        *(
            PaletteEntry("mode", MODE_WORDS[mode][0], "permission mode", "", partial(run, "mode", mode))
            for mode in MODES
        ),
        *(PaletteEntry("model", name, words, "", partial(run, "model", name)) for name, words in models),
        *(
            PaletteEntry("theme", name, "colours", "", partial(run, "theme", name))
            for name in ("auto", *sorted(app.available_themes))
        ),
    ]


def command_entries(
    run: Callable[[str, str], object], name_keys: Callable[[str], str] = lambda keys: keys
) -> Iterator[PaletteEntry]:
    """Yield the commands that do something by themselves; the others are typed. `name_keys` names keys as they are bound."""
    for command in slash_commands.COMMANDS:
        if command.argument and not command.argument.startswith("["):
            continue
        yield PaletteEntry(
            "command",
            f"/{command.name}",
            command.words,
            name_keys(_COMMAND_KEYS.get(command.name, "")),
            partial(run, command.name, ""),
        )


def key_entries(app: App[object]) -> Iterator[PaletteEntry]:
    """Yield what the keys of the screen and its panes do, each once, with the key."""
    seen: set[tuple[str, str]] = set()
    for node, place in _holders(app):
        for binding in _bindings(node):
            if not binding.description or (binding.action, place) in seen:
                continue
            seen.add((binding.action, place))
            words = f"in {place}" if place else ""
            keys = named_keys(app, context_of_node(node), " ".join(map(spell, binding.key.split(","))))
            yield PaletteEntry("key", binding.description, words, keys, partial(_act, app, node, binding.action))


def prompt_entries(app: App[object]) -> Iterator[PaletteEntry]:
    """Yield what single keys of the prompt do: to take one is to press it there."""
    from tui_agent.ui.screen_text.help_text import PROMPT_KEYS

    actions = {spell(key): keys.split() for keys in (*FIXED, *CONTEXTS["Chat"].values()) for key in keys.split()}
    for keys, words in PROMPT_KEYS:
        first, *others = keys.split()
        same = actions.get(first, [first])
        if all(actions.get(other) == same for other in others):
            key = Key(same[0], character(same[0]))
            yield PaletteEntry("key", words, "in the prompt", named_keys(app, "Chat", keys), partial(_press, app, key))


def _press(app: App[object], key: Key) -> None:
    from tui_agent.ui.widgets.prompt_text import PromptText

    text = app.screen.query_one(PromptText)
    text.focus()
    text.give(key)


def _holders(app: App[object]) -> Iterator[tuple[DOMNode, str]]:
    """Yield what holds keys: the screen, then the panes on it, with what each is called."""
    from tui_agent.ui.panes.diff import DiffPane
    from tui_agent.ui.panes.tools import ToolPane
    from tui_agent.ui.widgets.transcript import Transcript

    screen = app.screen
    yield screen, ""
    for kind, place in ((Transcript, "the conversation"), (ToolPane, "tools"), (DiffPane, "the diff")):
        for node in screen.query(kind):
            yield node, place


def _bindings(node: DOMNode) -> Sequence[Binding]:
    """Return the bindings that a thing says itself, not those of what it is made of."""
    own = type(node).__dict__.get("BINDINGS", ())
    return [binding for binding in own if isinstance(binding, Binding)]


async def _act(app: App[object], node: DOMNode, action: str) -> None:
    await app.run_action(action, default_namespace=node)
