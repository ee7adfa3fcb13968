"""How a Grep is drawn: what was found, file by file, with the match marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.segment import Segment

from tui_agent.emoji_sequences import JOINER
from tui_agent.text import clean
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.tool_text import argument, arguments, count, display_path, one_line, relative_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, Palette, RenderState
from tui_agent.viewkit.wrap import expand_tabs

__all__ = ["View"]

_SHOWN: Final = 300  # found lines or files; the rest is counted
_LONGEST_LINE: Final = 2000  # characters of a found line that are looked at
_MOST_ROWS: Final = 3  # that a found line takes; of a longer one the part round its match is shown
# A pattern is matched again here to mark what it found. One with several open repetitions, or a repeated group, could
# take Python's matcher forever; ripgrep, which searched, has no such patterns.
_REPEATS: Final = re.compile(r"(?<!\\)(?:\\\\)*(?:[*+]|\{\d*,\d*\})")
_REPEATED_GROUP: Final = re.compile(r"\)[*+{]")
_WORDS: Final = {
    "output_mode": "show", "glob": "only files", "type": "only type", "-i": "ignore case", "-n": "line numbers",
    "-A": "lines after", "-B": "lines before", "-C": "lines around", "context": "lines around", "-o": "only the match",
    "multiline": "across lines", "literal": "as plain text", "head_limit": "at most", "offset": "without the first",
}  # fmt: skip
_MODES: Final = {"content": "the lines", "files_with_matches": "the files", "count": "how many lines"}


class View(ToolView):
    """Title `Grep "refund" in cart/ · 6 matches in 2 files`; opens to the lines, grouped by file."""

    def question(self, use: ToolUse) -> str:
        return "Search these files?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        pattern = argument(use, "pattern")
        if not pattern:
            return []
        palette = state.palette
        runs = [Run(f'"{one_line(pattern, 300)}"', palette.text)]
        path = argument(use, "path")
        if path:
            runs += [Run(" in ", palette.muted), Run(display_path(path, use.base), palette.text)]
        for key in ("glob", "type"):
            if argument(use, key):
                runs += [Run(f" {key} ", palette.muted), Run(one_line(argument(use, key), 80), palette.text)]
        return runs

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        files, matches = data.get("numFiles"), data.get("numMatches")
        if not isinstance(files, int) or not isinstance(matches, int):
            return super().outcome(use, state)
        if not files:
            return [Run("no matches", state.palette.muted)]
        found = count(files, "file")
        if data.get("mode") != "files_with_matches":
            found = f"{count(matches, 'match', 'matches')} in {found}"
        cut = [Run(", stopped early", state.palette.warning)] if data.get("timedOut") else []
        return [Run(found, state.palette.muted), *cut]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        """Nothing beyond the title, which says what is searched for and where."""

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        values = dict(arguments(use))
        pattern, path = str(values.pop("pattern", "")), str(values.pop("path", None) or use.cwd or use.base)
        options = [(_WORDS.get(key, key), _spelled(value)) for key, value in values.items() if value is not None]
        self.add_fields(
            builder, [("search for", pattern), ("in", relative_path(path, use.base)), *options], width, state
        )

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        data = use.data or {}
        found, counts, names = data.get("matches"), data.get("counts"), data.get("filenames")
        if isinstance(found, list):
            lines = [item for item in found[:_SHOWN] if isinstance(item, Mapping)]
            _add_lines(builder, lines, _matcher(use), width, state.palette)
            total = len(found)
        elif isinstance(names, list):
            for name in names[:_SHOWN]:
                number = counts.get(name) if isinstance(counts, Mapping) else None
                runs = [Run(one_line(str(name)), state.palette.text)]
                if isinstance(number, int):
                    runs.append(Run(f"  {count(number, 'line')}", state.palette.muted))
                add_runs(builder, runs, width)
            total = len(names)
        else:
            super().result(use, builder, width, state)
            return
        more = data.get("moreEntries")
        hidden = max(0, total - _SHOWN) + (more if isinstance(more, int) else 0)
        if hidden:
            add_text(builder, f"… and {hidden:,} more", state.palette.faint, width)
        if not total:
            # nothing to show, and yet matches: they lie before the offset that was asked for
            none = one_line(use.text) if data.get("numMatches") else "no matches"
            add_text(builder, none or "no matches", state.palette.faint, width)


def _spelled(value: object) -> str:
    """Return an option's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _MODES.get(str(value), str(value))


def _add_lines(
    builder: LinesBuilder,
    found: Sequence[Mapping[str, Any]],
    matcher: re.Pattern[str] | None,
    width: int,
    palette: Palette,
) -> None:
    """Add found lines below the names of their files; lines of context step back."""
    has_context = any(not item.get("isMatch", True) for item in found)
    file = None
    last = 0
    for item in found:
        name, number = str(item.get("file", "")), item.get("line")
        at = number if isinstance(number, int) else 0
        if name != file:
            if file is not None:
                builder.add(())
            add_runs(builder, [Run(one_line(name), palette.strong)], width)
        elif has_context and at > last + 1:
            builder.add((Segment("     ⋯", palette.faint),), gutter=6)
        file, last = name, at
        text = expand_tabs(clean(str(item.get("text", ""))[:_LONGEST_LINE]).replace("\n", " "))
        text = _excerpt(text, matcher, _MOST_ROWS * max(8, width - 8))
        is_match = bool(item.get("isMatch", True))
        style = palette.text if is_match else palette.faint
        runs = _marked(text, matcher, palette) if is_match else [Run(text, style)]
        add_runs(builder, runs, width, first=(Segment(f"{at or '':>6}  ", palette.gutter),), is_cut=True)


def _excerpt(text: str, matcher: re.Pattern[str] | None, room: int) -> str:
    """Return the part of a line that shows its first match, in at most `room` characters, with cuts marked."""
    if len(text) <= room:
        return text
    match = matcher.search(text) if matcher is not None else None
    start = max(0, min(match.start() - room // 3, len(text) - room + 1)) if match is not None else 0
    end = start + room - 1 - (start > 0)
    return ("…" if start else "") + text[start:end].strip(JOINER) + ("…" if end < len(text) else "")


def _marked(text: str, matcher: re.Pattern[str] | None, palette: Palette) -> list[Run]:
    runs: list[Run] = []
    at = 0
    for match in matcher.finditer(text) if matcher is not None else ():
        if match.end() == match.start():
            continue
        if match.start() > at:
            runs.append(Run(text[at : match.start()], palette.text))
        runs.append(Run(match[0], palette.match))
        at = match.end()
    if at < len(text):
        runs.append(Run(text[at:], palette.text))
    return runs


def _matcher(use: ToolUse) -> re.Pattern[str] | None:
    """Return the search as a pattern of Python's, where it surely means the same and surely ends."""
    values = arguments(use)
    pattern = argument(use, "pattern")
    flags = re.IGNORECASE if values.get("-i") or values.get("ignore_case") else re.NOFLAG
    if values.get("literal") is True:
        pattern = re.escape(pattern)
    elif len(_REPEATS.findall(pattern)) > 1 or _REPEATED_GROUP.search(pattern) or len(pattern) > 500:
        return None
    try:
        return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError):
        return None
