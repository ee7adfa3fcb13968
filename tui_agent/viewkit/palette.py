"""Palettes: the styles of views by meaning, made from a Textual theme, from the terminal's own colours, or of no colour.

Where a theme's colour is too faint to read, it is moved towards black or white until its contrast with its background is at
least 4.5 to 1. A difference never rests on colour alone: signs and words say it too, views see to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rich.style import Style
from textual.color import Color, ColorParseError

from tui_agent.viewkit.view import Palette

__all__ = ["DARK", "LIGHT", "MONOCHROME", "contrast", "palette_from_theme"]

READABLE: Final = 4.5
_BLACK: Final = Color(0, 0, 0)
_WHITE: Final = Color(255, 255, 255)

_DARK_VARIABLES: Final = {
    "foreground": "#E0E0E0", "background": "#121212", "surface": "#1E1E1E", "panel": "#242F38", "primary": "#0178D4",
    "secondary": "#004578", "accent": "#FEA62B", "warning": "#FEA62B", "error": "#B93C5B", "success": "#4EBF71",
}  # fmt: skip
_LIGHT_VARIABLES: Final = {
    "foreground": "#1F1F1F", "background": "#E0E0E0", "surface": "#D8D8D8", "panel": "#D0D0D0", "primary": "#004578",
    "secondary": "#0178D4", "accent": "#FEA62B", "warning": "#FEA62B", "error": "#B93C5B", "success": "#4EBF71",
}  # fmt: skip
_DARK_DIFF: Final = {"diff-added": "#14BEAF", "diff-removed": "#F05A32"}
_LIGHT_DIFF: Final = {"diff-added": "#00878C", "diff-removed": "#DC501E"}


def contrast(one: Color, other: Color) -> float:
    """Return the contrast of two colours as WCAG 2 defines it, from 1 (none) to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def palette_from_theme(
    variables: Mapping[str, str],
    *,
    name: str,
    is_dark: bool,
    is_ansi: bool = False,
    is_monochrome: bool = False,
) -> Palette:
    """Return the palette of a theme.

    Args:
        variables: the theme's variables (`App.theme_variables`); missing or symbolic ones have sensible stand-ins.
        name: of the theme, part of what hosts cache by.
        is_dark: whether the background is dark.
        is_ansi: draw in the terminal's own sixteen colours.
        is_monochrome: draw without colours (`NO_COLOR`): bold, dim, underline and reverse only.
    """
    if is_monochrome:
        return _monochrome(name, is_dark)
    return _ansi(name, is_dark) if is_ansi else _coloured(variables, name, is_dark)


def _coloured(variables: Mapping[str, str], name: str, is_dark: bool) -> Palette:
    stand_ins = _DARK_VARIABLES if is_dark else _LIGHT_VARIABLES

    def variable(key: str) -> Color:
        for source in (variables, stand_ins):
            try:
                colour = Color.parse(source[key])
            except (KeyError, ColorParseError):
                continue
            if colour.a == 1 and colour.ansi is None:
                return colour
        return _WHITE if is_dark else _BLACK

    background = variable("background")
    surface = variable("surface")
    # Panes stand on either; what is readable on the one nearer to the text is readable on both.
    ground = max(background, surface, key=_luminance) if is_dark else min(background, surface, key=_luminance)
    foreground = readable(variable("foreground"), ground, 7.0)
    pole = _WHITE if is_dark else _BLACK

    def text(colour: Color, *, on: Color = ground, bold: bool = False, italic: bool = False) -> Style:
        return Style(color=readable(colour, on).rich_color, bold=bold or None, italic=italic or None)

    def tint(colour: Color, share: float) -> Color:
        return ground.blend(colour, share, 1.0)

    primary, accent = variable("primary"), variable("accent")
    success, warning, error = variable("success"), variable("warning"), variable("error")
    # Teal and vermilion, not green and red: they stay apart for those who see no red, no green or no blue, too.
    stand_ins = {**stand_ins, **(_DARK_DIFF if is_dark else _LIGHT_DIFF)}
    plus, minus = variable("diff-added"), variable("diff-removed")
    added, removed = tint(plus, 0.22), tint(minus, 0.22)
    added_word, removed_word = tint(plus, 0.45), tint(minus, 0.45)
    code_ground = tint(pole, 0.05)
    code = readable(variable("secondary").blend(foreground, 0.75, 1.0), code_ground)
    chosen = tint(primary, 0.45)

    return Palette(
        name=name,
        is_dark=is_dark,
        text=Style(color=foreground.rich_color),
        muted=text(foreground.blend(ground, 0.35, 1.0)),
        faint=text(foreground.blend(ground, 0.5, 1.0)),
        strong=Style(color=foreground.rich_color, bold=True),
        emphasis=Style(color=foreground.rich_color, italic=True),
        accent=text(accent),
        error=text(error),
        warning=text(warning),
        success=text(success),
        running=text(primary.blend(pole, 0.2, 1.0)),
        waiting=text(warning, bold=True),
        link=text(primary.blend(pole, 0.2, 1.0)) + Style(underline=True),
        heading=text(primary.blend(pole, 0.3, 1.0), bold=True),
        quote=text(foreground.blend(ground, 0.25, 1.0), italic=True),
        code=Style(color=code.rich_color, bgcolor=code_ground.rich_color),
        code_block=Style(color=foreground.rich_color, bgcolor=code_ground.rich_color),
        user=Style(color=foreground.rich_color, bold=True),
        border=Style(color=foreground.blend(ground, 0.7, 1.0).rich_color),
        gutter=text(foreground.blend(ground, 0.55, 1.0)),
        added=Style(color=readable(foreground, added).rich_color, bgcolor=added.rich_color),
        removed=Style(color=readable(foreground, removed).rich_color, bgcolor=removed.rich_color),
        added_word=Style(color=readable(foreground, added_word).rich_color, bgcolor=added_word.rich_color, bold=True),
        removed_word=Style(
            color=readable(foreground, removed_word).rich_color, bgcolor=removed_word.rich_color, bold=True
        ),
        added_gutter=text(plus, on=added) + Style(bgcolor=added.rich_color),
        removed_gutter=text(minus, on=removed) + Style(bgcolor=removed.rich_color),
        match=text(accent, bold=True) + Style(underline=True),
        odd=Style(color=readable(_BLACK, warning).rich_color, bgcolor=warning.rich_color, bold=True),
        selection=Style(color=readable(foreground, chosen).rich_color, bgcolor=chosen.rich_color),
        cursor=Style(bgcolor=tint(primary, 0.18).rich_color),
        syntax=_syntax(_SYNTAX_DARK if is_dark else _SYNTAX_LIGHT, (ground, code_ground, added, removed)),
    )


# Few hues, by meaning: keywords, names that are defined, text, numbers, and comments that step back.
_SYNTAX_DARK: Final = {
    "k": "#c49af0", "kc": "#e5a06c", "kt": "#6cc7d8", "s": "#a5cf7c", "sd": "#8fae7e", "se": "#e5a06c", "si": "#e5a06c",
    "m": "#e5a06c", "c": "#98a2ad", "cp": "#c49af0", "o": "#b9c4cf", "ow": "#c49af0", "nf": "#74b3f5", "nc": "#e8c873",
    "nn": "#e8c873", "nd": "#e8c873", "nb": "#6cc7d8", "bp": "#e08a9a", "ne": "#e8c873", "nt": "#e08a9a", "na": "#e8c873",
    "nv": "#e08a9a", "no": "#e5a06c", "gd": "#f08a8a", "gi": "#8fd18f", "gh": "#74b3f5", "gu": "#74b3f5",
}  # fmt: skip
_SYNTAX_LIGHT: Final = {
    "k": "#7a2fb5", "kc": "#9a4a00", "kt": "#006a7d", "s": "#35700d", "sd": "#4d6b3c", "se": "#9a4a00", "si": "#9a4a00",
    "m": "#9a4a00", "c": "#59626b", "cp": "#7a2fb5", "o": "#3c464f", "ow": "#7a2fb5", "nf": "#0550ae", "nc": "#7a5600",
    "nn": "#7a5600", "nd": "#7a5600", "nb": "#006a7d", "bp": "#a0203c", "ne": "#7a5600", "nt": "#a0203c", "na": "#7a5600",
    "nv": "#a0203c", "no": "#9a4a00", "gd": "#a11a1a", "gi": "#1c6b1c", "gh": "#0550ae", "gu": "#0550ae",
}  # fmt: skip


def _syntax(colours: Mapping[str, str], grounds: tuple[Color, ...]) -> dict[str, Style]:
    """Make each colour readable on all the grounds that code is painted on."""
    out: dict[str, Style] = {}
    for token, value in colours.items():
        colour = Color.parse(value)
        for ground in grounds:
            colour = readable(colour, ground)
        out[token] = Style(color=colour.rich_color, italic=token == "c" or None)  # noqa: S105 - a Pygments token
    return out


def readable(colour: Color, ground: Color, ratio: float = READABLE) -> Color:
    """Return `colour`, moved towards the pole farther from `ground` as little as it takes to be readable on it."""
    if contrast(colour, ground) >= ratio:
        return colour
    pole = max(_BLACK, _WHITE, key=lambda candidate: contrast(candidate, ground))
    for step in range(1, 20):
        moved = colour.blend(pole, step / 20, 1.0)
        if contrast(moved, ground) >= ratio:
            return moved
    return pole


def _luminance(colour: Color) -> float:
    def channel(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.03928 else float(((share + 0.055) / 1.055) ** 2.4)

    return 0.2126 * channel(colour.r) + 0.7152 * channel(colour.g) + 0.0722 * channel(colour.b)


def _ansi(name: str, is_dark: bool) -> Palette:
    plain = Style()
    dim = Style(dim=True)
    # Yellow and cyan are hard to see on white.
    second, notice = ("cyan", "yellow") if is_dark else ("blue", "magenta")
    return Palette(
        name=name,
        is_dark=is_dark,
        text=plain,
        muted=dim,
        faint=dim,
        strong=Style(bold=True),
        emphasis=Style(italic=True),
        accent=Style(color=second),
        error=Style(color="red"),
        warning=Style(color=notice),
        success=Style(color="green"),
        running=Style(color="blue"),
        waiting=Style(color=notice, bold=True),
        link=Style(color="blue", underline=True),
        heading=Style(color="blue", bold=True),
        quote=Style(italic=True),
        code=Style(color=second),
        code_block=plain,
        user=Style(bold=True),
        border=dim,
        gutter=dim,
        added=Style(color="green"),
        removed=Style(color="red"),
        added_word=Style(color="green", reverse=True),
        removed_word=Style(color="red", reverse=True),
        added_gutter=Style(color="green", bold=True),
        removed_gutter=Style(color="red", bold=True),
        match=Style(bold=True, underline=True),
        odd=Style(color=notice, reverse=True),
        selection=Style(reverse=True),
        cursor=Style(bold=True),
        syntax={
            "k": Style(color="magenta"), "s": Style(color="green"), "m": Style(color=notice), "c": dim,
            "nf": Style(color="blue"), "nc": Style(color="blue"), "nb": Style(color=second), "gd": Style(color="red"),
            "gi": Style(color="green"), "nt": Style(color="magenta"),
        },
    )  # fmt: skip


def _monochrome(name: str, is_dark: bool) -> Palette:
    plain, bold, dim = Style(), Style(bold=True), Style(dim=True)
    underline, reverse = Style(underline=True), Style(reverse=True)
    return Palette(
        name=name,
        is_dark=is_dark,
        text=plain,
        muted=dim,
        faint=dim,
        strong=bold,
        emphasis=Style(italic=True),
        accent=bold,
        error=bold,
        warning=bold,
        success=plain,
        running=plain,
        waiting=Style(bold=True, underline=True),
        link=underline,
        heading=Style(bold=True, underline=True),
        quote=Style(italic=True),
        code=bold,
        code_block=plain,
        user=bold,
        border=dim,
        gutter=dim,
        added=bold,
        removed=dim,
        added_word=reverse,
        removed_word=reverse,
        added_gutter=bold,
        removed_gutter=dim,
        match=Style(bold=True, underline=True),
        odd=reverse,
        selection=reverse,
        cursor=bold,
        syntax={},
    )


DARK: Final = palette_from_theme(_DARK_VARIABLES, name="dark", is_dark=True)
LIGHT: Final = palette_from_theme(_LIGHT_VARIABLES, name="light", is_dark=False)
MONOCHROME: Final = palette_from_theme({}, name="monochrome", is_dark=True, is_monochrome=True)
