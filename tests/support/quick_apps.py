"""Apps under test start and are drawn sooner: what a style sheet comes to is worked out once in a process, not anew by each
app, what is kept in case it is asked for again costs little to make, and the name in a picture is no checksum of it."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

import textual.strip
from rich.console import Console
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

__all__ = ["name_pictures_alike", "share_style_sheets", "simplify_caches"]


def share_style_sheets() -> None:
    """Let all apps that have the same colours share the rules read from a sheet. Rules do not change once they are read."""
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


def simplify_caches() -> None:
    """Let each line that is drawn keep what was made of it in plain dictionaries: it has seven caches, few of them ever used.

    Rules are told apart by which they are, as their own `__hash__` does it, which is called a thousand times for each widget.
    """
    textual.strip.FIFOCache = lambda maxsize: {}  # type: ignore[assignment,misc]
    RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]


def name_pictures_alike() -> None:
    """Leave out the checksum of all a picture shows, which takes half the time of drawing it: `picture` replaces it anyway."""
    Console.export_svg = partialmethod(Console.export_svg, unique_id="terminal-0")  # type: ignore[assignment,method-assign]
