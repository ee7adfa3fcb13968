"""Source code with line numbers and syntax colours.

Pygments is imported when the first code is coloured. Lexers are found in its own static list: its look-up functions search
the installed packages for plug-ins, which takes longer than the colouring. Code that is too large to colour in a frame, and
code in no known language, is shown plainly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from rich.segment import Segment
from rich.style import Style

from tui_agent.emoji_sequences import behind_emoji
from tui_agent.homoglyphs import find_homoglyphs
from tui_agent.text import clean, reveal, reveal_parts
from tui_agent.viewkit.runs import Run, add_runs, crop
from tui_agent.viewkit.view import LinesBuilder, Palette, Rendered, RenderState
from tui_agent.viewkit.wrap import TAB_SIZE

if TYPE_CHECKING:
    from pygments.lexer import Lexer

__all__ = [
    "CodeView",
    "Token",
    "code_runs",
    "knows_language",
    "language_of",
    "lexer_of",
    "short_name",
    "shown_code",
    "tokenize",
]

Token = tuple[str, str]  # short token name (`k`, `s1` …), text

_LARGEST: Final = 120_000  # characters; tokenizing more would cost frames
LONGEST_LINE: Final = 2_000
_NARROWEST: Final = 12
# Where several languages claim an ending, the one that is meant in nearly every project.
_USUAL: Final = {
    "cfg": "ini", "conf": "ini", "cs": "csharp", "css": "css", "go": "go", "h": "c", "html": "html", "java": "java",
    "js": "javascript", "json": "json", "jsx": "jsx", "lisp": "common-lisp", "lock": "toml", "m": "objective-c",
    "md": "markdown", "php": "php", "pl": "perl", "py": "python", "pyi": "python", "r": "splus", "rs": "rust", "s": "gas",
    "sh": "bash", "sql": "sql", "svg": "xml", "tf": "terraform", "ts": "typescript", "tsx": "tsx", "txt": "",
    "v": "verilog", "xml": "xml", "yml": "yaml",
}  # fmt: skip
# Names that people write above code and Pygments does not know, or knows for something else.
_ALSO_CALLED: Final = {
    "ascii": "", "astro": "html", "cjs": "javascript", "dotenv": "bash", "env": "bash", "esm": "javascript",
    "crontab": "", "csv": "", "edn": "clojure", "git-commit": "", "gitignore": "", "gradle": "groovy", "h": "c", "hpp": "cpp",
    "json5": "javascript", "jsonc": "json", "jsonl": "json", "just": "make", "justfile": "make", "log": "",
    "mdx": "markdown", "mermaid": "", "metal": "cpp", "mjs": "javascript", "mts": "typescript", "ndjson": "json",
    "node": "javascript", "none": "", "plain": "", "plaintext": "", "plantuml": "", "proto3": "protobuf",
    "pwsh": "powershell", "r": "splus", "regex": "", "roff": "groff", "ron": "rust", "shell-script": "bash",
    "shellscript": "bash", "sqlite": "sql", "svelte": "html", "terminal": "console", "text": "", "tree": "", "txt": "",
    "vim-script": "vim", "viml": "vim", "vue": "html", "wasm": "wast",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodeView:
    """Foreign code. `start` is its first line's number; `limit` bounds the lines shown, the rest is counted.

    The language is `language` (a Pygments alias, such as the info word of a Markdown fence) or else what `filename` says.
    With `is_revealed` odd characters are spelled out instead of removed, tabs can be told from blanks, and what only looks
    like a plain character is marked.
    """

    code: str
    language: str = ""
    filename: str = ""
    start: int = 1
    has_numbers: bool = True
    is_revealed: bool = False
    limit: int | None = None

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the code, long lines broken at blanks and continued below."""
        code = self.code if self.is_revealed else clean(self.code)
        lines = code.removesuffix("\n").split("\n")
        shown = lines if self.limit is None else lines[: self.limit]
        language = self.language or language_of(self.filename)
        builder = LinesBuilder()
        digits = len(str(self.start + len(shown) - 1)) if self.has_numbers else 0
        cells = max(width, _NARROWEST)
        palette = state.palette
        for number, tokens in enumerate(tokenize("\n".join(shown), language), self.start):
            gutter = (Segment(f"{number:>{digits}}  ", palette.gutter),) if digits else ()
            runs = _revealed_runs(tokens, palette) if self.is_revealed else code_runs(tokens, palette)
            add_runs(builder, runs, cells, first=gutter)
        if len(shown) < len(lines):
            builder.add_text(
                f"{'':{digits + 2 if digits else 0}}… {len(lines) - len(shown):,} more lines", palette.faint
            )
        rendered = builder.build()
        return rendered if width >= _NARROWEST else crop(rendered, width)


def code_runs(
    tokens: Sequence[Token],
    palette: Palette,
    base: Style | None = None,
    *,
    marks: Sequence[tuple[int, int]] = (),
    mark: Style | None = None,
    shows_tabs: bool = False,
    looks: dict[str, Style] | None = None,
) -> list[Run]:
    """Return one line's tokens as runs over `base` (a ground), odd characters spelled out, tabs as blanks.

    With `shows_tabs` each of them begins with an arrow. What lies in `marks` (ranges of the line's characters, in order) is
    in the style `mark` instead. `looks` keeps what a token looks like from one call to the next.
    """
    runs: list[Run] = []
    column = 0
    looks = {} if looks is None else looks
    pieces = _split_at(tokens, marks) if marks else ((name, text, False) for name, text in tokens)
    if any(not text.isascii() for _, text in tokens):
        pieces = _with_whole_emoji(list(pieces))
    for name, text, is_marked in pieces:
        style = looks.get(name)
        if style is None:
            look = palette.token(name)
            style = looks[name] = look if base is None else base + look
        if is_marked and mark is not None:
            style = mark
        if not marks and text.isascii() and text.isprintable():
            column += len(text)
            if runs and runs[-1].style is style:
                runs[-1] = Run(runs[-1].text + text, style)
            else:
                runs.append(Run(text, style))
            continue
        for piece, is_odd in reveal_parts(text):
            shown = _expand(piece, column, "⇥" if shows_tabs else " ")
            column += len(shown)
            runs.append(Run(shown, palette.odd if is_odd else style))
    return runs


def _revealed_runs(tokens: Sequence[Token], palette: Palette) -> list[Run]:
    """Return one line's tokens as runs in which nothing passes for something else."""
    marks = [(one.at, one.at + 1) for one in find_homoglyphs("".join(text for _, text in tokens))]
    return code_runs(tokens, palette, marks=marks, mark=palette.odd, shows_tabs=True)


def shown_code(text: str) -> str:
    """Return one line of code as `code_runs` shows it."""
    if text.isascii() and text.isprintable():
        return text
    return _expand(reveal(text), 0)


def _expand(piece: str, column: int, tab: str = " ") -> str:
    """Replace tabs by `tab` and blanks, for a piece that begins in this column."""
    if "\t" not in piece:
        return piece
    out = ""
    for character in piece:
        width = TAB_SIZE - (column + len(out)) % TAB_SIZE
        out += tab + " " * (width - 1) if character == "\t" else character
    return out


def _split_at(tokens: Sequence[Token], marks: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str, bool]]:
    """Yield the tokens cut where marks begin and end: name, text, and whether it is marked."""
    edges = [edge for mark in marks for edge in mark]
    at = passed = 0
    for name, text in tokens:
        stop = at + len(text)
        while at < stop:
            while passed < len(edges) and edges[passed] <= at:
                passed += 1
            cut = min(stop, edges[passed]) if passed < len(edges) else stop
            yield name, text[at - stop :][: cut - at], passed % 2 == 1
            at = cut


def _with_whole_emoji(pieces: list[tuple[str, str, bool]]) -> Iterator[tuple[str, str, bool]]:
    """Yield pieces of a line with each emoji all in one of them: in that in which it begins."""
    line = "".join([text for _, text, _ in pieces])
    at = 0
    for (name, _, is_marked), stop in zip(
        pieces, behind_emoji(line, accumulate(len(text) for _, text, _ in pieces)), strict=True
    ):
        if stop > at:
            yield name, line[at:stop], is_marked
        at = max(at, stop)


def tokenize(code: str, language: str) -> Sequence[Sequence[Token]]:
    """Return the tokens of each line of `code`, exactly covering it. An unknown language gives one plain token a line."""
    lines = code.split("\n")
    if language and len(code) <= _LARGEST and max(map(len, lines)) <= LONGEST_LINE:
        return _tokenize(code, language)
    return _plain(lines)


def _plain(lines: Sequence[str]) -> list[list[Token]]:
    return [[("", line)] if line else [] for line in lines]


@lru_cache(maxsize=32)
def _tokenize(code: str, language: str) -> list[list[Token]]:
    lines = code.split("\n")
    plain = _plain(lines)
    lexer = lexer_of(language, has_tags="<?" in code)
    if lexer is None:
        return plain
    out: list[list[Token]] = [[]]
    # `get_tokens_unprocessed` leaves the text as it is; `get_tokens` would strip, and turn every `\r` into a new line.
    for _, kind, text in lexer.get_tokens_unprocessed(code + "\n"):
        name = short_name(kind)
        first, *rest = text.split("\n")
        if first:
            out[-1].append((name, first))
        for part in rest:
            out.append([(name, part)] if part else [])  # noqa: PERF401 - the loop reads better than its comprehension
    if len(out) != len(lines) + 1:
        return plain
    return [
        tokens if "".join(text for _, text in tokens) == line else fallback
        for line, tokens, fallback in zip(lines, out, plain, strict=False)
    ]


@lru_cache(maxsize=512)
def short_name(kind: Any) -> str:  # noqa: ANN401 - Pygments' kind of token
    """Return the short name of a kind of token, or of the nearest one above it that has one."""
    from pygments.token import STANDARD_TYPES  # already imported with the lexer

    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    return STANDARD_TYPES.get(kind, "")


def language_of(filename: str) -> str:
    """Return the alias of the language a file of this name is usually written in; empty when there is no telling."""
    name = filename.replace("\\", "/").rpartition("/")[2].lower()
    if not name:
        return ""
    ending = name.rpartition(".")[2] if "." in name else ""
    if ending in _USUAL:
        return _USUAL[ending]
    names, endings = _by_filename()
    return names.get(name) or endings.get(ending, "")


@lru_cache(maxsize=1)
def _by_filename() -> tuple[dict[str, str], dict[str, str]]:
    """Return aliases by whole file name and by ending, from Pygments' static list."""
    from pygments.lexers import get_all_lexers

    names: dict[str, str] = {}
    endings: dict[str, str] = {}
    for _, aliases, patterns, _ in get_all_lexers(plugins=False):
        for pattern in patterns if aliases else ():
            pattern = pattern.lower()
            if pattern.startswith("*.") and not set(pattern[2:]) & set("*?[."):
                endings.setdefault(pattern[2:], aliases[0])
            elif not set(pattern) & set("*?["):
                names.setdefault(pattern, aliases[0])
    return names, endings


@lru_cache(maxsize=1)
def _aliases() -> frozenset[str]:
    from pygments.lexers import get_all_lexers

    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


def knows_language(name: str) -> bool:
    """Whether code can be called by this name: there are colours for it, or it is known to have none."""
    return name.lower() in _ALSO_CALLED or _alias(name) != ""


@lru_cache(maxsize=128)
def _alias(name: str) -> str:
    """Return Pygments' alias for what people call a language; empty when there is none."""
    name = name.lower()
    if name in _ALSO_CALLED:
        return _ALSO_CALLED[name]
    if name in _aliases():
        return name
    return _USUAL.get(name, "") or _by_filename()[1].get(name, "") or _by_filename()[0].get(name, "")


@lru_cache(maxsize=32)
def lexer_of(language: str, *, has_tags: bool) -> Lexer | None:
    """Return the lexer of what people call a language, if there is one. `has_tags` says that the code may begin outside PHP."""
    alias = _alias(language)
    if not alias:
        return None
    from pygments.lexers import get_lexer_by_name

    options = {"startinline": True} if alias == "php" and not has_tags else {}
    return get_lexer_by_name(alias, stripnl=False, ensurenl=False, **options)
