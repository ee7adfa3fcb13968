"""How a MultiEdit is drawn: file by file, as the changes it makes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from tui_agent.changes import FileChange
from tui_agent.tools.edit.view import add_texts
from tui_agent.viewkit.change_body import block, change_body, diff_of
from tui_agent.viewkit.diff import Layout
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs, crop, fit_path
from tui_agent.viewkit.stacking import stack
from tui_agent.viewkit.tool_text import arguments, count, display_path
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = ["View"]

_PREVIEW_LINES: Final = 6  # of each text of an edit
_PREVIEW_EDITS: Final = 8
_NARROWEST: Final = 16  # cells; where there are fewer, a diff of this width is cut to them
_PATH: Final = re.compile(r'"file_path"\s*:\s*"((?:[^"\\]|\\.)*)"')


class View(ToolView):
    """Title `MultiEdit 3 files: cart.py, money.py, tax.py · +12 −5`; opens to the diffs."""

    def question(self, use: ToolUse) -> str:
        paths = [display_path(path, use.base) for path in _paths(use)]
        return f"Edit {paths[0] if len(paths) == 1 else count(len(paths), 'file')}?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        palette = state.palette
        paths = [display_path(path, use.base) for path in _paths(use)]
        if len(paths) < 2:
            return [Run(path, palette.text) for path in paths]
        names = ", ".join(path.rpartition("/")[2] for path in paths)
        return [Run(count(len(paths), "file"), palette.text), Run(f": {names}", palette.muted)]

    def shorten(self, subject: Sequence[Run], width: int) -> list[Run]:
        return fit_path(subject, width) if len(subject) == 1 else super().shorten(subject, width)

    def so_far(self, use: ToolUse, state: RenderState) -> list[Run]:
        if not use.changes:
            return []
        palette = state.palette
        return [
            Run(f"+{sum(change.added for change in use.changes)}", palette.success),
            Run(f" −{sum(change.removed for change in use.changes)}", palette.error),
        ]

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        if not use.changes:
            return super().outcome(use, state)
        palette = state.palette
        written = [change for change in use.changes if not _is_refused(use, change)]
        runs = [
            Run(f"+{sum(change.added for change in written)}", palette.success),
            Run(f" −{sum(change.removed for change in written)}", palette.error),
        ]
        if use.refused_hunks:
            runs.append(Run(f", {count(use.refused_hunks, 'hunk')} refused", palette.warning))
        return runs

    def body(self, use: ToolUse, width: int, state: RenderState) -> Rendered:
        if not use.changes or (use.is_error and not use.is_rejected):
            return super().body(use, width, state)
        return change_body(use, _diffs(use, width, state, "unified"), width, state)

    def request(self, use: ToolUse, width: int, state: RenderState) -> Rendered:
        return _diffs(use, width, state, "auto") if use.changes else super().request(use, width, state)

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self._edits(use, builder, width, state, most=_PREVIEW_EDITS, limit=_PREVIEW_LINES)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self._edits(use, builder, width, state, most=None, limit=None)

    def _edits(
        self,
        use: ToolUse,
        builder: LinesBuilder,
        width: int,
        state: RenderState,
        *,
        most: int | None,
        limit: int | None,
    ) -> None:
        """Add what each edit takes and puts, as far as the arguments say."""
        palette = state.palette
        edits = list(_edits_of(arguments(use)))
        if not edits:
            for path in _paths(use):
                add_text(builder, display_path(path, use.base), palette.muted, width)
            return
        last = None
        for path, edit in edits[:most]:
            if path != last:
                _add_heading(builder, width, path=display_path(path, use.base), notes=(), state=state)
                last = path
            if isinstance(edit.get("start_line"), int):
                first, end = edit["start_line"], edit.get("end_line") or edit["start_line"]
                shown = f"line {first}" if first == end else f"lines {first}–{end}"
                add_text(builder, f"{shown} become{'s' if first == end else ''}", palette.muted, width)
            add_texts(builder, _text(edit, "old_string"), _text(edit, "new_string"), width, state, limit=limit)
        if most is not None and len(edits) > most:
            add_text(builder, f"… {count(len(edits) - most, 'more edit')}", palette.faint, width)


def _diffs(use: ToolUse, width: int, state: RenderState, layout: Layout) -> Rendered:
    """Return the change of each file below a line that names it."""
    if width < _NARROWEST:
        return crop(_diffs(use, _NARROWEST, state, layout), width)
    palette = state.palette
    parts: list[Rendered] = []
    for number, change in enumerate(use.changes):
        is_refused = use.is_applied and _is_refused(use, change)
        notes = [Run("  refused", palette.warning)] if is_refused else _sizes(change, state)
        path = display_path(change.path, use.base)
        if number:
            parts.append(block(lambda head, cells: add_text(head, "", palette.text, cells), width))
        parts.append(block(partial(_add_heading, path=path, notes=notes, state=state), width))
        diff = diff_of(use, change, layout=layout)
        if not is_refused or diff.comments:
            parts.append(diff.render(width, state))
    return stack(parts)


def _add_heading(builder: LinesBuilder, width: int, *, path: str, notes: Sequence[Run], state: RenderState) -> None:
    """Add the line that names a file, or several: a user who is asked must see all of the path."""
    add_runs(builder, [Run(path, state.palette.strong), *notes], width)


def _sizes(change: FileChange, state: RenderState) -> list[Run]:
    palette = state.palette
    return [Run(f"  +{change.added}", palette.success), Run(f" −{change.removed}", palette.error)]


def _is_refused(use: ToolUse, change: FileChange) -> bool:
    """Whether the user took nothing of a file's change."""
    review = use.reviews.get(change.path)
    return review is not None and bool(review.refused) and not review.accepted


def _paths(use: ToolUse) -> list[str]:
    """Return the files it is about, as far as that is known, in order."""
    if use.changes:
        return [change.path for change in use.changes]
    known = [path for path, _ in _edits_of(arguments(use))]
    if not known and not use.is_input_whole:
        known = [_unquoted(found[1]) for found in _PATH.finditer(use.input_text)]
    return list(dict.fromkeys(known))


def _edits_of(input: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the edits of an input of either shape, with their files."""
    entries = input.get("edits")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            own = entry.get("edits")
            path = entry.get("file_path", input.get("file_path"))
            for edit in own if isinstance(own, list) else [entry]:
                if isinstance(edit, dict) and isinstance(path, str):
                    yield path, edit


def _text(edit: Mapping[str, Any], name: str) -> str:
    value = edit.get(name)
    return value if isinstance(value, str) else ""


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text
