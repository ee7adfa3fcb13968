"""Inline Markdown as runs: emphasis, code, links with their address, images as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.style import Style

from tui_agent.text import clean, reveal
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.view import Palette

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["inline_runs"]

_BARE: Final = re.compile(r"https?://[^\s<>\"'`|\\^{}]*[^\s<>\"'`|\\^{}.,:;!?)\]*_~]")
_OPENABLE: Final = ("http://", "https://", "mailto:")
_LONGEST_ADDRESS: Final = 72
_ITALIC: Final = Style(italic=True)
_BOLD: Final = Style(bold=True)
_STRUCK: Final = Style(strike=True)


def inline_runs(tokens: Sequence[Token], base: Style, palette: Palette) -> list[list[Run]]:
    """Return the logical lines (there are several where the text has hard breaks) of an inline token's children."""
    lines: list[list[Run]] = [[]]
    styles = [base]
    links: list[tuple[str, int]] = []  # address, and where its text began in the current line
    for token in tokens:
        line, style = lines[-1], styles[-1]
        match token.type:
            case "text" | "html_inline" | "text_special":
                _add_text(line, token.content, style, palette, links)
            case "code_inline":
                line.append(Run(_one(token.content), style + palette.code, _hit(links)))
            case "softbreak":
                line.append(Run(" ", style))
            case "hardbreak":
                lines.append([])
                links = [(address, 0) for address, _ in links]
            case "strong_open":
                styles.append(style + _BOLD)
            case "em_open":
                styles.append(style + _ITALIC)
            case "s_open":
                styles.append(style + _STRUCK)
            case "link_open":
                address = str(token.attrs.get("href", ""))
                links.append((address, len(line)))
                styles.append(style + palette.link if _is_openable(address) else style)
            case "strong_close" | "em_close" | "s_close":
                styles.pop()
            case "link_close":
                styles.pop()
                address, start = links.pop()
                _add_address(line, "".join(run.text for run in line[start:]), address, styles[-1], palette)
            case "image":
                _add_image(line, token, style, palette)
            case _:
                line.append(Run(_one(token.content), style))
    return lines


def _add_text(line: list[Run], text: str, style: Style, palette: Palette, links: list[tuple[str, int]]) -> None:
    text = _one(text)
    if links or "://" not in text:
        if text:
            line.append(Run(text, style, _hit(links)))
        return
    at = 0
    for match in _BARE.finditer(text):
        if match.start() > at:
            line.append(Run(text[at : match.start()], style))
        line.append(Run(match[0], style + palette.link, ("link", match[0])))
        at = match.end()
    if at < len(text):
        line.append(Run(text[at:], style))


def _add_address(line: list[Run], text: str, address: str, style: Style, palette: Palette) -> None:
    """Say where a link leads, unless its text says just that: what is clicked must be what is read."""
    shown = _one(reveal(address))
    if not shown or shown in {text, "mailto:" + text}:
        return
    if len(shown) > _LONGEST_ADDRESS:
        shown = shown[: _LONGEST_ADDRESS - 12] + "…" + shown[-11:]
    hit = ("link", address) if _is_openable(address) else None
    line.append(Run(f" ({shown})", style + palette.muted, hit))


def _add_image(line: list[Run], token: Token, style: Style, palette: Palette) -> None:
    """Pictures are named, never loaded."""
    described = _one("".join(child.content for child in token.children or ()))
    line.append(Run(f"[image: {described}]" if described else "[image]", style + _ITALIC))
    _add_address(line, "", str(token.attrs.get("src", "")), style, palette)


def _hit(links: list[tuple[str, int]]) -> tuple[str, str] | None:
    return ("link", links[-1][0]) if links and _is_openable(links[-1][0]) else None


def _is_openable(address: str) -> bool:
    return address.lower().startswith(_OPENABLE)


def _one(text: str) -> str:
    """Clean again behind the parser: character references such as `&#x202e;` are text only now."""
    return clean(text).replace("\n", " ").replace("\t", " ")
