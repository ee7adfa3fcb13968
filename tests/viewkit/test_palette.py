"""Palettes: readable on their ground, distinguishable without hue, and possible without colour."""

from __future__ import annotations

from dataclasses import fields

import pytest
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from tui_agent.viewkit.palette import DARK, LIGHT, MONOCHROME, contrast, palette_from_theme
from tui_agent.viewkit.view import Palette

NOT_TEXT = {"border", "cursor"}  # lines and grounds: nothing is read in them
ON_CODE = {"added", "removed", "code_block"}


def styles(palette: Palette) -> dict[str, Style]:
    found = {field.name: getattr(palette, field.name) for field in fields(palette)}
    return {name: style for name, style in found.items() if isinstance(style, Style) and name not in NOT_TEXT}


def themed(theme: Theme) -> Palette:
    return palette_from_theme(
        theme.to_color_system().generate(),
        name=theme.name,
        is_dark=theme.dark,
        is_ansi=theme.name.startswith("ansi"),
    )


def colour(style: Style, *, ground: bool = False) -> Color | None:
    found = style.bgcolor if ground else style.color
    return None if found is None or found.triplet is None else Color(*found.triplet)


@pytest.mark.parametrize("name", [name for name in BUILTIN_THEMES if not name.startswith("ansi")])
def test_every_style_of_every_theme_is_readable(name: str) -> None:
    theme = BUILTIN_THEMES[name]
    palette = themed(theme)
    system = theme.to_color_system().generate()
    grounds = [Color.parse(system["background"]), Color.parse(system["surface"])]
    for field, style in styles(palette).items():
        text = colour(style)
        assert text is not None, field
        own = colour(style, ground=True)
        for ground in [own] if own else grounds:
            assert contrast(text, ground) >= 4.5, (field, text.hex, ground.hex)


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_syntax_colours_are_readable_on_every_ground_that_code_stands_on(palette: Palette) -> None:
    for name, style in palette.syntax.items():
        text = colour(style)
        assert text is not None
        for field in ON_CODE:
            ground = colour(getattr(palette, field), ground=True)
            assert ground is not None
            assert contrast(text, ground) >= 4.5, (name, field)


@pytest.mark.parametrize("name", ["textual-dark", "textual-light", "nord", "solarized-light"])
def test_added_and_removed_are_grounds_of_their_own(name: str) -> None:
    palette = themed(BUILTIN_THEMES[name])
    assert palette.added.bgcolor != palette.removed.bgcolor
    assert palette.added_word.bgcolor not in {palette.added.bgcolor, palette.removed_word.bgcolor}


def test_without_colour_there_is_none() -> None:
    for field, style in styles(MONOCHROME).items():
        assert style.color is None, field
        assert style.bgcolor is None, field
    assert MONOCHROME.error.bold
    assert MONOCHROME.added_word.reverse
    assert MONOCHROME.token("k") == MONOCHROME.text


def test_an_ansi_theme_uses_the_terminals_own_colours() -> None:
    for field, style in styles(themed(BUILTIN_THEMES["ansi-dark"])).items():
        for used in (style.color, style.bgcolor):
            assert used is None or used.triplet is None, field


def test_missing_and_symbolic_variables_have_stand_ins() -> None:
    palette = palette_from_theme({"primary": "auto 50%", "error": "no colour"}, name="odd", is_dark=True)
    assert palette.error.color is not None


def test_a_token_falls_back_to_its_parent() -> None:
    assert DARK.token("s1") == DARK.syntax["s"]
    assert DARK.token("p") == DARK.text
