"""Apps under test start and are drawn sooner: what a style sheet comes to is worked out once in a process, not anew by each
app, and the name in a picture is no checksum of it."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

from rich.console import Console
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

__all__ = ["name_pictures_alike", "share_style_sheets"]


def share_style_sheets() -> None:
    """Let all apps that have the same colours share the rules read from a sheet. Rules do not change once they are read."""
    parsed: dict[Any, list[RuleSet]] = {}
    parse = Stylesheet._parse_rules

    def parse_once(
        sheet: Stylesheet,
        css: str,
        read_from: Any,
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        key = (tuple(sheet._variables.items()), css, read_from, is_default_rules, tie_breaker, scope)
        if key not in parsed:
            parsed[key] = parse(sheet, css, read_from, is_default_rules, tie_breaker, scope)
        return parsed[key]

    Stylesheet._parse_rules = parse_once  # type: ignore[method-assign]


def name_pictures_alike() -> None:
    """Leave out the checksum of all a picture shows, which takes half the time of drawing it: `picture` replaces it anyway."""
    Console.export_svg = partialmethod(Console.export_svg, unique_id="terminal-0")  # type: ignore[assignment,method-assign]
