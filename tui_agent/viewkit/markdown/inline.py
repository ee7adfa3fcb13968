"""Inline Markdown as runs: emphasis, code, links with their address, images as text, mathematics as it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.style import Style

from tui_agent.emoji_sequences import JOINER
from tui_agent.text import clean, reveal
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.view import Palette

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

__all__ = ["GrowingText", "as_if_closed", "inline_lines", "parse_inline", "split_breaks"]

_DEEPEST: Final = 40
_MOST_BRACKETS: Final = 200
_SPECIAL: Final = re.compile(r"[\\`*_~\[\]<&$\n]")
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`|\\^{}]+")
_TRAILING: Final = ".,:;!?*_~"
_BRACKETS: Final = {")": "(", "]": "["}
_OPENABLE: Final = ("http://", "https://", "mailto:")
_LONGEST_ADDRESS: Final = 72
# A pair of dollars with no blank inside and no digit behind it, as TeX has it and prices do not.
_MATH: Final = re.compile(
    r"\$\$(?=\S)[^$]{1,2000}?\$\$|\$(?![\s$])(?:[^$\\\n]|\\.){1,500}?(?<!\s)\$(?!\d)|\\\(.{1,500}?\\\)|\\\[.{1,500}?\\\]",
    re.DOTALL,
)
_LINE_BREAK: Final = re.compile(r"<br ?/?>", re.IGNORECASE)
_LONG: Final = 300  # characters that are read again and again before more of them are taken as read …
_RECENT: Final = 60  # … and that still are after that
_BLANK: Final = re.compile(r"[^\s\\][ \n](?=\S)")
_WAITING: Final = re.compile(r"[*~`\[\]<$\\&]|(?<!\w)_|_(?!\w)")
_CODE: Final = re.compile(r"(?<!`)(`++)[^`]+\1(?!`)")
_SOON: Final = 160  # characters in which what begins is expected to end
_STAR: Final = re.compile(r"(?<![*\\])\*(?!\*)")
_EMPHASIS_BEGUN: Final = re.compile(r"(?<![\w*\\])\*(?:[^\s*][^*\n]{0,80})?\Z")
_LINK_BEGUN: Final = re.compile(r"\[[^\[\]\n]{1,100}\]\([^\s()<>]*\Z")
_ITALIC: Final = Style(italic=True)
_BOLD: Final = Style(bold=True)
_STRUCK: Final = Style(strike=True)


@lru_cache(maxsize=2)
def _parser(*, has_links: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    # HTML off: tags are shown as the text they are, and `Vec<T>` stays whole.
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST}).enable("strikethrough")
    parser.inline.ruler.before("escape", "math", _math)
    return parser if has_links else parser.disable(["link", "image"])


def _math(state: StateInline, silent: bool) -> bool:
    """Take mathematics for text, so that `$a_1*b_2*c$` keeps its signs."""
    if state.src[state.pos] not in "$\\":
        return False
    found = _MATH.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("math", "", 0).content = found[0]
    state.pos = found.end()
    return True


def parse_inline(source: str) -> Sequence[Token]:
    """Return the parser's tokens of the text of one block.

    Where there are more brackets than any text has, they are text: the parser looks from each of them for its end.
    """
    return _parser(has_links=source.count("[") <= _MOST_BRACKETS).parseInline(source)[0].children or ()


def inline_lines(source: str, base: Style, palette: Palette) -> list[list[Run]]:
    """Return cleaned inline Markdown as logical lines (there are several where the text has hard breaks)."""
    if _SPECIAL.search(source) is None:
        line: list[Run] = []
        _add_text(line, source.strip(), base, palette, [])
        return [line]
    lines: list[list[Run]] = [[]]
    styles = [base]
    links: list[tuple[str, int]] = []  # address, and where its text began in the current line
    for token in parse_inline(source):
        line, style = lines[-1], styles[-1]
        match token.type:
            case "text" | "html_inline" | "text_special" | "math":
                _add_text(line, token.content, style, palette, links)
            case "code_inline":
                line.append(Run(_one(token.content), style + palette.code, _hit(links)))
            case "softbreak":
                line.append(Run(" ", style, _hit(links)))
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


def as_if_closed(source: str) -> str:
    """Return text that is being written with what has just begun in it ended, so that its signs do not flash up."""
    rest = _CODE.sub("", source)
    at = rest.rfind("`")
    if at >= 0:
        is_one = rest.count("`") == 1 and len(rest) - at <= _SOON
        return source.removesuffix("`") if is_one and rest[-1] == "`" else source + "`" if is_one else source
    at = rest.rfind("**")
    if at < 0 or rest.count("**") % 2 == 0 or len(rest) - at > _SOON:
        if _LINK_BEGUN.search(rest):
            return source + ")"
        if _EMPHASIS_BEGUN.search(rest) and len(_STAR.findall(rest)) % 2:
            return source.removesuffix("*") if rest[-1] == "*" else source.rstrip() + "*"
        return source
    inside = rest[at + 2 :]
    if not inside.strip("*"):
        return source.rstrip("*")
    return source if inside[0].isspace() else source.rstrip("* ") + "**"


class GrowingText:
    """Reads text that grows at its end. What nothing that follows can change is read once.

    That is text up to a blank in which no sign waits for its counterpart: emphasis is closed, and so is every bracket.
    """

    def __init__(self) -> None:
        self._look: tuple[Style, Palette] | None = None
        self._read = ""
        self._lines: list[list[Run]] = [[]]
        self._tried = 0  # how long the text was when it was last looked through for more

    def lines(self, source: str, base: Style, palette: Palette) -> list[list[Run]]:
        """Return what `inline_lines` would."""
        if self._look != (base, palette) or not source.startswith(self._read):
            self._look, self._read, self._lines, self._tried = (base, palette), "", [[]], 0
        if len(source) - max(len(self._read), self._tried) > _LONG:
            self._tried = len(source)
            self._go_on(source, base, palette)
        rest = inline_lines(source[len(self._read) :], base, palette)
        return [*self._lines[:-1], [*self._lines[-1], *rest[0]], *rest[1:]]

    def _go_on(self, source: str, base: Style, palette: Palette) -> None:
        """Read on up to a blank near the end, if all that is before it stands for itself."""
        start = len(self._read)
        for blank in reversed(list(_BLANK.finditer(source, start + 1))):
            if len(source) - blank.end() >= _RECENT:
                break
        else:
            return
        piece = source[start : blank.start() + 1]
        if "\\(" in piece or "\\[" in piece:
            return
        if _SPECIAL.search(piece) and any(
            _WAITING.search(token.content) for token in parse_inline(piece) if token.type == "text"
        ):
            return
        read = inline_lines(piece, base, palette)
        self._lines = [*self._lines[:-1], [*self._lines[-1], *read[0]], *read[1:]]
        self._lines[-1].append(Run(" ", base))
        self._read = source[: blank.end()]


def split_breaks(lines: Sequence[Sequence[Run]]) -> list[list[Run]]:
    """Return the lines of a table's cell, broken where it says `<br>`: there is no other way to break one there."""
    out: list[list[Run]] = []
    for line in lines:
        out.append([])
        for run in line:
            if "<" not in run.text:
                out[-1].append(run)
                continue
            first, *rest = _LINE_BREAK.split(run.text)
            out[-1].append(Run(first, run.style, run.hit))
            out += [[Run(piece.lstrip(), run.style, run.hit)] for piece in rest]
    return out


def _add_text(line: list[Run], text: str, style: Style, palette: Palette, links: list[tuple[str, int]]) -> None:
    text = _one(text)
    if links or "://" not in text:
        if text:
            line.append(Run(text, style, _hit(links)))
        return
    at = 0
    for match in _ADDRESS.finditer(text):
        address = _without_punctuation(match[0])
        if address.endswith("://"):
            continue
        if match.start() > at:
            line.append(Run(text[at : match.start()], style))
        line.append(Run(address, style + palette.link, ("link", address)))
        at = match.start() + len(address)
    if at < len(text):
        line.append(Run(text[at:], style))


def _without_punctuation(address: str) -> str:
    """Return an address without what closes the sentence or the bracket around it; brackets that it opened stay."""
    end = len(address)
    while end:
        last = address[end - 1]
        if last in _BRACKETS:
            if address.count(last, 0, end) <= address.count(_BRACKETS[last], 0, end):
                break
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]


def _add_address(line: list[Run], text: str, address: str, style: Style, palette: Palette) -> None:
    """Say where a link leads, unless its text says just that: what is clicked must be what is read."""
    shown = _one(reveal(address))
    if not shown or text in {shown, shown.removeprefix("mailto:")}:
        return
    if len(shown) > _LONGEST_ADDRESS:
        shown = shown[: _LONGEST_ADDRESS - 12].rstrip(JOINER) + "…" + shown[-11:].lstrip(JOINER)
    hit = ("link", address) if _is_openable(address) else None
    line.append(Run(f" ({shown})" if text else f"({shown})", style + palette.muted, hit))


def _add_image(line: list[Run], token: Token, style: Style, palette: Palette) -> None:
    """Pictures are named, never loaded."""
    described = _one("".join(child.content for child in token.children or ()))
    name = f"[image: {described}]" if described else "[image]"
    line.append(Run(name, style + _ITALIC))
    _add_address(line, name, str(token.attrs.get("src", "")), style, palette)


def _hit(links: list[tuple[str, int]]) -> tuple[str, str] | None:
    return ("link", links[-1][0]) if links and _is_openable(links[-1][0]) else None


def _is_openable(address: str) -> bool:
    return address.lower().startswith(_OPENABLE)


def _one(text: str) -> str:
    """Clean again behind the parser: character references such as `&#x202e;` are text only now."""
    if text.isascii() and text.isprintable():
        return text
    return clean(text).replace("\n", " ").replace("\t", " ")
