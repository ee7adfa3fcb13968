"""A screen of short lines in sections: all keys, read from the bindings themselves so that it cannot say what is not so; or how
things stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingsMap, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui_agent.ui.screens.dialog import Dialog

__all__ = ["HelpScreen", "Section", "section"]

Section = tuple[str, Sequence[tuple[str, str]]]

_NAMES = {
    "escape": "esc", "left_square_bracket": "[", "right_square_bracket": "]", "question_mark": "?", "slash": "/",
    "pageup": "pgup", "pagedown": "pgdn", "up": "↑", "down": "↓", "left": "←", "right": "→", "exclamation_mark": "!", "at": "@",
}  # fmt: skip


def section(title: str, bindings: Iterable[BindingType], more: Iterable[tuple[str, str]] = ()) -> Section:
    """Return a part of the help made of bindings: keys of one action stand in one line. `more` are keys bound elsewhere."""
    rows: dict[tuple[str, str], list[str]] = {}
    for key, binding in BindingsMap(bindings):
        if binding.description:
            rows.setdefault((binding.action, binding.description), []).append(_spell(key))
    return title, [*((" ".join(keys), words) for (_, words), keys in rows.items()), *more]


def _spell(key: str) -> str:
    """Return a key as people write it: `^o`, `⇧tab`, `esc`."""
    *modifiers, name = key.split("+")
    name = _NAMES.get(name, name.upper() if name[1:].isdecimal() else name)
    signs = {"ctrl": "^", "shift": "⇧", "alt": "alt+"}
    return "".join(signs.get(modifier, modifier + "+") for modifier in modifiers) + name


class HelpScreen(Dialog[None]):
    """Sections of names and what is to be said of them. Any of its closing keys leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f1,enter", "close", "Close")]

    def __init__(self, sections: Sequence[Section], title: str = "Keys") -> None:
        super().__init__()
        self._title = title
        self._sections = sections

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            with VerticalScroll(id="sections"):
                for title, rows in self._sections:
                    yield Static(_section(title, rows), classes="section")
            yield Static("↑↓ scroll · esc close", id="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content(self._title)
        self.set_focus(self.query_one("#sections"))

    def action_close(self) -> None:
        self.dismiss(None)


def _section(title: str, rows: Sequence[tuple[str, str]]) -> Content:
    widest = max((len(keys) for keys, _ in rows), default=0)
    lines = [Content.styled(title, "bold $text-primary")]
    lines += [Content.assemble("  ", (keys.ljust(widest), "bold"), "  ", words) for keys, words in rows]
    return Content("\n").join(lines)
