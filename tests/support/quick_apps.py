"""Apps under test start and are drawn sooner: what a style sheet comes to is worked out once in a process, not anew by each
app, and so is which methods take a message; nothing is painted that nobody looks at; what is kept in case it is asked for
again costs little to make, and the name in a picture is no checksum of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partialmethod
from typing import Any

import textual.app
import textual.strip
from rich.console import Console
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.message import Message
from textual.message_pump import MessagePump

from tui_agent.ui.textual_patches.style_sheets import ThriftyStylesheet

__all__ = [
    "PAINT",
    "find_handlers_once",
    "name_pictures_alike",
    "paint_nothing_unseen",
    "share_style_sheets",
    "simplify_caches",
]

PAINT = Compositor.render_update
"""How Textual paints what has changed."""


def share_style_sheets() -> None:
    """Let all apps that have the same colours share the rules read from a sheet. Rules do not change once they are read.

    Small apps of tests get the program's own kind of style sheet.
    """
    parsed: dict[Any, list[RuleSet]] = {}
    colours: dict[Any, int] = {}
    parse = Stylesheet._parse_rules

    def number(sheet: Any) -> int:
        """Return the number of a sheet's colours; they are compared once for each app, not for each of its sheets."""
        numbered: tuple[Any, int] = sheet.__dict__.get("numbered", (None, 0))
        if numbered[0] is not sheet._variables:
            found = colours.setdefault(tuple(sheet._variables.items()), len(colours))
            numbered = sheet.numbered = (sheet._variables, found)
        return numbered[1]

    def parse_once(
        sheet: Stylesheet,
        css: str,
        read_from: Any,
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        key = (number(sheet), css, read_from, is_default_rules, tie_breaker, scope)
        if key not in parsed:
            parsed[key] = parse(sheet, css, read_from, is_default_rules, tie_breaker, scope)
        return parsed[key]

    Stylesheet._parse_rules = parse_once  # type: ignore[method-assign]
    textual.app.Stylesheet = ThriftyStylesheet  # type: ignore[attr-defined]


def simplify_caches() -> None:
    """Let each line that is drawn keep what was made of it in plain dictionaries: it has seven caches, few of them ever used.

    Rules are told apart by which they are, as their own `__hash__` does it, which is called a thousand times for each widget.
    """
    textual.strip.FIFOCache = lambda maxsize: {}  # type: ignore[assignment,misc]
    RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]


def name_pictures_alike() -> None:
    """Leave out the checksum of all a picture shows, which takes half the time of drawing it: `picture` replaces it anyway."""
    Console.export_svg = partialmethod(Console.export_svg, unique_id="terminal-0")  # type: ignore[assignment,method-assign]


def paint_nothing_unseen() -> None:
    """Paint the whole screen where that is asked for, as pictures do, but nothing from one change to the next.

    A test of what is sent to the terminal takes the fixture `painted`.
    """

    def when_whole(compositor: Compositor, full: bool = False, screen_stack: Any = None, **given: Any) -> Any:
        if full:
            return PAINT(compositor, full=True, screen_stack=screen_stack, **given)
        visible_screen_stack.set(screen_stack or [])  # what dialogs draw behind themselves
        compositor._dirty_regions.clear()
        return None

    Compositor.render_update = when_whole  # type: ignore[method-assign]


def find_handlers_once() -> None:
    """Look the methods for a kind of message up once for each class, where its senders do not decide which they are."""
    known: dict[tuple[type, type, str], list[tuple[type, Any]] | None] = {}
    look_up = MessagePump._get_dispatch_methods

    def found(pump: Any, name: str, message: Message) -> list[tuple[type, Any]] | None:
        """Return the classes and their methods; None where a handler chooses by a selector."""
        methods: list[tuple[type, Any]] = []
        kinds = [kind for kind in type(message).__mro__ if issubclass(kind, Message)]
        seen: set[Any] = set()
        for owner in type(pump).__mro__:
            decorated: Any = owner.__dict__.get("_decorated_handlers") or {}
            for method, selectors in (pair for kind in kinds for pair in decorated.get(kind, ())):
                if selectors:
                    return None
                if method not in seen:
                    seen.add(method)
                    methods.append((owner, method))
            method = owner.__dict__.get(f"_{name}") or owner.__dict__.get(name)
            if method is not None and not getattr(method, "_textual_on", None):
                methods.append((owner, method))
        return methods

    def methods_of(pump: Any, method_name: str, message: Message) -> Iterator[Any]:
        key = (type(pump), type(message), method_name)
        if key not in known:
            known[key] = found(pump, method_name, message)
        methods = known[key]
        if methods is None:
            yield from look_up(pump, method_name, message)
            return
        last: type | None = None
        for owner, method in methods:
            if owner is not last and message._no_default_action:
                return
            last = owner
            yield owner, method.__get__(pump, owner)

    MessagePump._get_dispatch_methods = methods_of  # type: ignore[method-assign]
