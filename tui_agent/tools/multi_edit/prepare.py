"""The checks of a MultiEdit, in the order of an Edit's for all files together, and the edits in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tui_agent.tools.base import ToolContext
from tui_agent.tools.edit.checks import check_is_free, refuse_notebook
from tui_agent.tools.file_changes.checks import (
    RefusedChange,
    check_is_as_read,
    check_leads_as_read,
    check_path,
    check_result,
    check_was_read,
    refused_by,
)
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import FileProblem, TextFile, load
from tui_agent.tools.multi_edit.draft import Edited, edit_text
from tui_agent.tools.multi_edit.input import FileEdits, MultiEditInput
from tui_agent.tools.resolved_path import ResolvedPath, ResolvedPaths
from tui_agent.tools.services import RuleCheck

__all__ = ["PreparedMultiEdit", "check_from_memory", "prepare"]

_NOTHING = " No file was changed."


@dataclass(frozen=True, slots=True)
class PreparedMultiEdit:
    """One file's edits that passed every check: the file as it is (None: to be made) and what its text would become."""

    path: str
    file: TextFile | None
    edited: Edited


def check_from_memory(input: MultiEditInput, ctx: ToolContext) -> Mapping[str, FileRecord | None]:
    """Make the checks that need no disk; return by path what was read of each file (None: it is to be made).

    Raises:
        RefusedChange: with `no_change`, `bad_path`, `denied_path`, `is_notebook`, `same_file`, `not_read` or `partial_view`.
    """
    for file in input.edits:
        for edit in file.edits:
            if edit.old_string is not None and edit.old_string == edit.new_string and not file.makes_file:
                raise RefusedChange(
                    "no_change",
                    f"An edit of {file.file_path!r:.200} has the same old_string and new_string.{_NOTHING}",
                )
    paths = [ctx.workspace.absolute(file.file_path) for file in input.edits]
    for file, path in zip(input.edits, paths, strict=True):
        check_path(file.file_path, path, ctx, "Editing")
        refuse_notebook(path, "MultiEdit")
    for path in paths:
        if paths.count(path) > 1:
            raise RefusedChange(
                "same_file", f"{path} appears in `edits` twice; put its edits into one entry.{_NOTHING}"
            )
    records = {
        path: None if file.makes_file else check_was_read(path, ctx, "edit it")
        for file, path in zip(input.edits, paths, strict=True)
    }
    for file, (path, record) in zip(input.edits, records.items(), strict=True):
        if record is not None and record.is_cut and any(edit.lines for edit in file.edits):
            raise RefusedChange(
                "partial_view",
                f"Some lines of {path} are so long that you saw only their beginning; replacing whole lines could lose the "
                f"rest. Use old_string there.{_NOTHING}",
            )
    return records


def prepare(
    input: MultiEditInput,
    records: Mapping[str, FileRecord | None],
    paths: ResolvedPaths,
    rule_problem: RuleCheck,
) -> Sequence[PreparedMultiEdit]:
    """Make the checks that need the files, and the edits in memory. Blocks; nothing is written.

    Raises:
        RefusedChange: as for an Edit, or with `bad_range` or `overlap` for a range of lines, `same_file` where two paths
            lead to one file, or `bad_path` where one would lie in another.
    """
    try:
        prepared = [
            _prepare(file, paths[path], record, rule_problem)
            for file, (path, record) in zip(input.edits, records.items(), strict=True)
        ]
        _check_apart([paths[one.path] for one in prepared])
    except RefusedChange as refused:
        message = refused.message.removesuffix(" Nothing was written.")
        raise RefusedChange(refused.code, message + _NOTHING) from refused
    return prepared


def _prepare(
    edits: FileEdits, place: ResolvedPath, record: FileRecord | None, rule_problem: RuleCheck
) -> PreparedMultiEdit:
    path = place.path
    if record is None:
        check_is_free(place)
        edited = edit_text("", edits.edits, path, is_new=True)
        check_result(path, edited.text, rule_problem=rule_problem)
        return PreparedMultiEdit(path, None, edited)
    check_leads_as_read(place, record)
    try:
        file = load(place)
    except FileProblem as problem:
        raise refused_by(path, problem) from problem
    check_is_as_read(file, record)
    edited = edit_text(file.text, edits.edits, path)
    check_result(
        path, edited.text, file.encoding, has_bom=file.has_bom, before=lambda: file.text, rule_problem=rule_problem
    )
    return PreparedMultiEdit(path, file, edited)


def _check_apart(places: Sequence[ResolvedPath]) -> None:
    real: dict[str, str] = {}
    for place in places:
        other = real.setdefault(place.real, place.path)
        if other != place.path:
            raise RefusedChange(
                "same_file", f"{place.path} and {other} are the same file; put its edits into one entry."
            )
    for path in real:
        above = next((real[str(parent)] for parent in PurePath(path).parents if str(parent) in real), None)
        if above is not None:
            raise RefusedChange("bad_path", f"{above} is to be a file, and {real[path]} would lie in it.")
