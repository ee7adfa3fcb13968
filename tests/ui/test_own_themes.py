"""The app's own themes: readable, told apart by those who see fewer colours, and known by the names people use."""

from __future__ import annotations

from itertools import product

import pytest
from legible import faint_words
from pictures import Stage, settle, staged
from recording import CHANGE, Recording, fix_a_bug
from rich.terminal_theme import TerminalTheme
from textual.color import Color
from textual.theme import Theme

from tui_agent.ui.render_style import render_state
from tui_agent.ui.themes import DARK, LIGHT, OWN, SIXTEEN_ON_DARK, SIXTEEN_ON_LIGHT, resolve
from tui_agent.viewkit.palette import contrast, palette_from_theme
from tui_agent.viewkit.view import Palette

COLOURED = [theme for theme in OWN if not theme.ansi]
IDS = [theme.name for theme in COLOURED]
# What remains of linear red, green and blue where one kind of cone is missing (Machado, Oliveira, Fernandes 2009, severity 1).
SIGHTS = {
    "all": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
# Two styles of a palette, whether their grounds or their texts count, and their least distance (CIE 1976; 2.3 is just seen).
PAIRS = (
    ("added", "removed", True, 10.0),
    ("added_word", "removed_word", True, 20.0),
    ("added_gutter", "removed_gutter", False, 30.0),
    ("added", "added_word", True, 10.0),
    ("removed", "removed_word", True, 10.0),
    ("success", "error", False, 15.0),
)


def palette(theme: Theme) -> Palette:
    variables = {**theme.to_color_system().generate(), **theme.variables}
    return palette_from_theme(variables, name=theme.name, is_dark=theme.dark)


def lab(colour: Color, sight: str) -> tuple[float, float, float]:
    """Return the colour in CIE L*a*b*, as this sight has it."""
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour.normalized]
    red, green, blue = (
        min(1.0, max(0.0, sum(share * value for share, value in zip(row, linear, strict=True))))
        for row in SIGHTS[sight]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize(("theme", "sight"), list(product(COLOURED, SIGHTS)), ids=lambda it: getattr(it, "name", it))
def test_added_and_removed_stay_apart_for_every_kind_of_sight(theme: Theme, sight: str) -> None:
    painted = palette(theme)
    for one, other, is_ground, least in PAIRS:
        first, second = (
            Color(*found.triplet)
            for style in (getattr(painted, one), getattr(painted, other))
            if (found := style.bgcolor if is_ground else style.color) is not None and found.triplet is not None
        )
        apart = sum((a - b) ** 2 for a, b in zip(lab(first, sight), lab(second, sight), strict=True)) ** 0.5
        assert apart >= least, (one, other, first.hex, second.hex, round(apart, 1))


@pytest.mark.parametrize("theme", COLOURED, ids=IDS)
def test_the_colours_of_words_can_be_read_on_every_ground(theme: Theme) -> None:
    variables = {**theme.to_color_system().generate(), **theme.variables}
    grounds = [Color.parse(variables[name]) for name in ("background", "surface", "panel")]
    for name in ("foreground", "foreground-muted", "primary", "accent", "warning", "error", "success"):
        for ground in grounds:
            assert contrast(Color.parse(variables[name]), ground) >= 4.5, (name, ground.hex)


@pytest.mark.parametrize("theme", COLOURED, ids=IDS)
async def test_every_word_on_the_screen_can_be_read(theme: Theme) -> None:
    stage = Stage(Recording().events)
    stage.changes["q-u5"] = (CHANGE,)
    async with staged(stage, (120, 40), theme.name) as (app, pilot):
        assert render_state(app).palette.added == palette(theme).added
        for moment in ("asked", "tests", "review", "end"):
            stage.start_over(fix_a_bug(until=moment).events)
            await settle(app, pilot)
            assert faint_words(app) == [], moment


async def test_a_word_too_faint_is_noticed() -> None:
    async with staged(Stage(fix_a_bug().events), (120, 40), DARK.name) as (app, _):
        assert faint_words(app, least=21.0)


@pytest.mark.parametrize(
    ("name", "environ", "full"),
    [
        ("dark", {}, "tui-agent-dark"),
        ("light", {}, "tui-agent-light"),
        ("dark-daltonized", {}, "tui-agent-dark-daltonized"),
        ("light-ansi", {}, "tui-agent-light-ansi"),
        ("nord", {}, "nord"),
        ("tui-agent-light", {}, "tui-agent-light"),
        ("auto", {}, DARK.name),
        ("auto", {"COLORFGBG": "15;0"}, DARK.name),
        ("auto", {"COLORFGBG": "0;15"}, LIGHT.name),
        ("auto", {"COLORFGBG": "0;default;15"}, LIGHT.name),
        ("auto", {"COLORFGBG": "nonsense"}, DARK.name),
        ("auto-ansi", {"COLORFGBG": "0;15"}, "tui-agent-light-ansi"),
    ],
)
def test_other_names_of_the_same_are_understood(name: str, environ: dict[str, str], full: str) -> None:
    assert resolve(name, environ=environ) == full


@pytest.mark.parametrize(
    ("theme", "sixteen"), [(DARK, SIXTEEN_ON_DARK), (LIGHT, SIXTEEN_ON_LIGHT)], ids=["dark", "light"]
)
def test_the_sixteen_colours_of_programs_can_be_read(theme: Theme, sixteen: TerminalTheme) -> None:
    ground_of_its_own = 0 if theme.dark else 15  # black on black, and white on white, are nobody's words
    for number in range(16):
        if number != ground_of_its_own:
            for ground in (theme.background, theme.surface):
                colour = Color(*sixteen.ansi_colors[number])
                assert contrast(colour, Color.parse(ground or "")) >= 4.5, (number, colour.hex, ground)
