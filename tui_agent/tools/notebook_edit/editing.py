"""Applying an edit to a notebook, as Jupyter would: which cell changes, and whether its outputs are kept.

In Jupyter, typing into a code cell leaves its outputs and its number of execution as they are until it is run again: so they
are kept here. A cell that is turned into another kind loses what its new kind does not have.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from tui_agent.line_diff import split_lines
from tui_agent.tools.base import ToolContext
from tui_agent.tools.file_changes.checks import (
    RefusedChange,
    changed_on_disk,
    check_leads_as_read,
    check_path,
    refused_by,
)
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import FileProblem, TextFile, load
from tui_agent.tools.notebook_edit.input import NotebookEditInput
from tui_agent.tools.resolved_path import ResolvedPath
from tui_agent.tools.shared_read.notebook_json import NotebookText
from tui_agent.tools.shared_read.notebooks import (
    Cell,
    Notebook,
    NotebookProblem,
    find_cell,
    is_notebook,
    parse_notebook,
    schema_problem,
)

__all__ = ["CellEdit", "check_approved", "check_from_memory", "prepare", "seen_after"]

_CODE_FIELDS: Final = ("execution_count", "outputs")


@dataclass(frozen=True, slots=True)
class CellEdit:
    """An edit that passed every check. `number` is the place of its cell, from 0; `old` the cell that was there, if one was.

    `after` is the text of the whole file after the edit; `note` says whether outputs are kept.
    """

    file: TextFile
    notebook: Notebook
    mode: str
    number: int
    cell_id: str
    kind: str
    old: Cell | None
    after: str
    note: str = ""


def check_from_memory(input: NotebookEditInput, path: str, ctx: ToolContext) -> FileRecord:
    """Make the checks that need no disk; return what was read of the notebook.

    Raises:
        RefusedChange: with `bad_path`, `denied_path`, `not_a_notebook`, `no_cell_type`, `no_cell_id` or `not_read`.
    """
    check_path(input.notebook_path, path, ctx, "Editing")
    if not is_notebook(path):
        raise RefusedChange("not_a_notebook", f"{path} is not a notebook (.ipynb). Change it with Edit.")
    if input.edit_mode == "insert" and input.cell_type is None:
        raise RefusedChange("no_cell_type", "To insert a cell, say of which cell_type: code or markdown.")
    if input.edit_mode != "insert" and input.cell_id is None:
        raise RefusedChange("no_cell_id", f"Say by cell_id which cell to {input.edit_mode}.")
    record = ctx.files.get(path)
    if record is None:
        raise RefusedChange(
            "not_read", f"{path} has not been read yet. Read it first (Read or NotebookRead), then edit it."
        )
    return record


def prepare(input: NotebookEditInput, place: ResolvedPath, record: FileRecord) -> CellEdit:
    """Make the checks that need the file, and the edit in memory. Blocks; nothing is written.

    Raises:
        RefusedChange: with `missing`, `too_large`, `binary`, `unreadable`, `changed_on_disk`, `bad_notebook`, `old_format`,
            `no_cell`, `partial_view` or `no_change`, or `moved` where the path leads elsewhere than when it was judged or read.
    """
    path = place.path
    check_leads_as_read(place, record)
    try:
        file = load(place)
    except FileProblem as problem:
        raise refused_by(path, problem) from problem
    if file.hash != record.hash:
        raise changed_on_disk(path)
    try:
        notebook = parse_notebook(file.text)
        if notebook.is_old:
            raise NotebookProblem(
                "old_format",
                f"it is of format {notebook.version[0]}, which is read but not written. Convert it first, with Bash: "
                "`jupyter nbconvert --to notebook --inplace`",
            )
        target = find_cell(notebook, input.cell_id) if input.cell_id is not None else None
    except NotebookProblem as problem:
        raise RefusedChange(problem.code, f"{path} cannot be changed: {problem.message}.") from problem
    if target is not None and input.edit_mode != "insert":
        _check_seen(path, target, record)
    try:
        edit = _edited(input, file, notebook, target)
        _check_result(edit, input)
    except (ValueError, IndexError, StopIteration, RecursionError) as error:
        raise RefusedChange(
            "bad_notebook", f"{path} cannot be changed: its JSON is too odd ({error!r:.200})."
        ) from error
    return edit


def check_approved(path: str, before: Notebook, after: str) -> None:
    """Check what a user left of a proposal: a notebook that was valid must still be one. Blocks.

    Raises:
        RefusedChange: with `bad_notebook`.
    """
    try:
        problem = schema_problem(parse_notebook(after))
        if not problem or schema_problem(before):
            return
    except NotebookProblem as error:
        problem = error.message
    raise RefusedChange(
        "bad_notebook",
        f"What the user took of the proposal would not leave a valid notebook of {path} ({problem}); nothing was written. "
        "Ask what they want, or propose it in smaller steps.",
    )


def seen_after(edit: CellEdit, record: FileRecord) -> tuple[tuple[int, int], ...]:
    """Return which cells count as seen when the edit is done: those that were, moved, and the one that was written."""
    seen = {number for start, stop in record.seen for number in range(start, stop)}
    if edit.mode == "insert":
        seen = {number + (number >= edit.number) for number in seen} | {edit.number}
    elif edit.mode == "delete":
        seen = {number - (number > edit.number) for number in seen if number != edit.number}
    return tuple((number, number + 1) for number in sorted(seen))


def _check_seen(path: str, cell: Cell, record: FileRecord) -> None:
    if record.is_partial and not any(start <= cell.number < stop for start, stop in record.seen):
        raise RefusedChange(
            "partial_view",
            f"The cell {cell.id} of {path} has not been read whole yet. Read it first: NotebookRead with cell_id.",
        )


def _edited(input: NotebookEditInput, file: TextFile, notebook: Notebook, target: Cell | None) -> CellEdit:
    text = NotebookText(file.text)
    if input.edit_mode == "insert":
        number = target.number + 1 if target else 0
        kind: str = input.cell_type or "code"
        cell_id = _new_id(notebook, f"{file.hash} {number} {kind} {input.new_source}")
        after = text.with_new_cell(number, _new_cell(kind, input.new_source, cell_id if notebook.has_ids else ""))
        return CellEdit(
            file, notebook, "insert", number, cell_id if notebook.has_ids else f"cell-{number}", kind, None, after
        )
    assert target is not None
    number = target.number
    if input.edit_mode == "delete":
        return CellEdit(file, notebook, "delete", number, target.id, target.kind, target, text.without_cell(number))
    kind = input.cell_type or target.kind
    if kind == target.kind:
        if input.new_source == target.source:
            raise RefusedChange(
                "no_change", f"The cell {target.id} has this very source already; nothing would change."
            )
        note = "Its outputs are still those of the old source, until it is run again." if target.outputs else ""
        after = text.with_source(number, input.new_source)
    else:
        note = f"Its outputs were cleared: a {kind} cell has none." if target.outputs else ""
        after = text.with_cell(number, _turned(notebook.data["cells"][number], kind, input.new_source))
    return CellEdit(file, notebook, "replace", number, target.id, kind, target, after, note)


def _new_id(notebook: Notebook, seed: str) -> str:
    """Return an id that no cell has; the same for the same edit, which is worked out more than once."""
    taken = {cell.id for cell in notebook.cells}
    while True:
        seed = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()
        if seed[:8] not in taken:
            return seed[:8]


def _new_cell(kind: str, source: str, cell_id: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": cell_id, "metadata": {}, "source": split_lines(source)}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    if not cell_id:
        del cell["id"]
    return dict(sorted(cell.items()))  # as Jupyter writes them


def _turned(cell: dict[str, Any], kind: str, source: str) -> dict[str, Any]:
    """Return a cell made another kind of; what is unknown here stays."""
    lines = split_lines(source) if isinstance(cell["source"], list) else source
    turned = {**cell, "cell_type": kind, "source": lines}
    if kind == "code":
        turned |= {"execution_count": None, "outputs": []}
        turned.pop("attachments", None)
    else:
        for name in _CODE_FIELDS:
            turned.pop(name, None)
    return dict(sorted(turned.items())) if list(cell) == sorted(cell) else turned


def _check_result(edit: CellEdit, input: NotebookEditInput) -> None:
    """Make sure, independently of how it was made, that the text holds the cells it should, and all else as it was.

    Raises:
        ValueError: it does not.
    """
    before, after = ({**_plain(text)} for text in (edit.file.text, edit.after))
    cells, expected = after.pop("cells"), list(before.pop("cells", ()))
    match edit.mode:
        case "delete":
            del expected[edit.number]
        case "insert":
            expected.insert(edit.number, cells[edit.number])
        case _:
            expected[edit.number] = cells[edit.number]
    changed = parse_notebook(edit.after).cells
    is_right = edit.mode == "delete" or (
        (changed[edit.number].source, changed[edit.number].kind) == (input.new_source, edit.kind)
    )
    if cells != expected or not is_right or (before and before != after):
        raise ValueError("the changed text does not hold what it should")


def _plain(text: str) -> dict[str, Any]:
    """Return the JSON with numbers as they are written, so that equal texts are equal values."""
    if not text.strip():
        return {}
    data: dict[str, Any] = json.loads(text, strict=False, parse_constant=str, parse_float=str)
    return data
