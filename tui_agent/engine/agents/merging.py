"""Brings what an agent changed in its copy of the project into the workspace: as one MultiEdit, reviewed like any other.

A file that has changed here too since it was copied gets the agent's changes where the two do not touch; where they do, it is
left alone and named. What cannot be brought in stays in the copy, which is kept then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tui_agent.engine.agents.worktree import CopiedFile, Worktree, WorktreeError
from tui_agent.execution.errors import unwrap
from tui_agent.execution.execution_context import ExecutionContext
from tui_agent.execution.results import text_of
from tui_agent.execution.single_use import run_one
from tui_agent.line_diff import split_lines
from tui_agent.text import clean_line
from tui_agent.tools.file_changes.reversal import reverse
from tui_agent.tools.file_state import FileRecord, FileState
from tui_agent.tools.files import FileProblem, load
from tui_agent.tools.resolved_path import resolve

__all__ = ["merge"]


@dataclass(slots=True)
class _Merge:
    """What is to be done: the edits, what the files are to hold then, and what cannot be brought in, with the reason."""

    edits: list[dict[str, Any]] = field(default_factory=list)
    wanted: dict[str, str] = field(default_factory=dict)
    files: FileState = field(default_factory=FileState)
    left: list[str] = field(default_factory=list)


async def merge(worktree: Worktree, context: ExecutionContext, tool_use_id: str, *, is_wanted: bool) -> tuple[str, ...]:
    """Bring the changes in, as a part of the tool use `tool_use_id`; return what the agent's parent has to know.

    Without changes the copy is removed and nothing is said. With `is_wanted` False nothing is brought in.
    """
    try:
        changed = await asyncio.to_thread(worktree.changed)
    except WorktreeError as error:
        return (f"Its changes could not be found: {error}. They are in {worktree.top}.",)
    if not changed:
        await asyncio.to_thread(worktree.remove)
        return ()
    if not is_wanted:
        return (f"Its changes to {_names(changed)} are not in the workspace; they are in {worktree.top}.",)
    plan = await asyncio.to_thread(_plan, worktree, changed)
    said = await _applied(plan, context, tool_use_id)
    notes = [said] if said else []
    missing = await asyncio.to_thread(_not_taken, plan.wanted)
    if plan.left:
        notes.append("Not brought in: " + "; ".join(plan.left) + ".")
    if plan.left or missing:
        notes.append(f"All of its changes are in {worktree.top}.")
    else:
        await asyncio.to_thread(worktree.remove)
    return tuple(notes)


async def _applied(plan: _Merge, context: ExecutionContext, tool_use_id: str) -> str:
    if not plan.edits:
        return ""
    own = replace(context, files=plan.files)
    run = await run_one(own, "MultiEdit", {"edits": plan.edits}, parent_tool_use_id=tool_use_id)
    text = text_of(run.outcome.content)
    if run.outcome.is_error:
        return f"Its changes are not in the workspace: {unwrap(text) or text}"
    return f"Its changes were brought into the workspace; read the files again before you edit them.\n{text}"


def _names(changed: Sequence[CopiedFile]) -> str:
    names = [clean_line(file.name, 100) for file in changed[:10]]
    more = f" and {len(changed) - 10} more" if len(changed) > 10 else ""
    return f"{', '.join(names)}{more}"


def _plan(worktree: Worktree, changed: Sequence[CopiedFile]) -> _Merge:
    plan = _Merge()
    for file in changed:
        if problem := file.problem or _add(plan, file, str(worktree.project / file.name)):
            plan.left.append(f"{clean_line(file.name, 100)} ({problem})")
    return plan


def _add(plan: _Merge, file: CopiedFile, path: str) -> str:
    """Put a file on the plan; return why it cannot be brought in, empty where it can."""
    if file.after is None:
        return "it was deleted; delete it yourself if that is wanted"
    place = resolve(path)
    if not Path(place.real).exists():
        if file.base is not None:
            return "it is not there any more"
        plan.edits.append({"file_path": path, "edits": [{"old_string": "", "new_string": file.after}]})
        plan.wanted[path] = file.after
        return "" if file.after else "it is empty"
    try:
        now = load(place)
    except FileProblem as problem:
        return str(problem)
    text = file.after
    if now.text == text:
        return ""
    if now.text != file.base:
        if file.base is None:
            return "another file of this name has come meanwhile"
        merged = reverse(file.after, file.base, now.text)
        if merged.clashes:
            return "the same lines have changed in the workspace"
        text = merged.text
    lines = len(split_lines(now.text))
    if not lines:
        return "the file in the workspace is empty"
    edit = {"start_line": 1, "end_line": lines, "new_string": text}
    plan.edits.append({"file_path": path, "edits": [edit]})
    plan.wanted[path] = text
    plan.files.record(FileRecord(path, now.hash, now.mtime_ns, now.size, total_lines=lines, real=now.real))
    return ""


def _not_taken(wanted: dict[str, str]) -> list[str]:
    """Return the files that do not hold what they were to hold: the user took it in part, or not at all."""
    missing = []
    for path, text in wanted.items():
        try:
            found = load(resolve(path)).text
        except FileProblem:
            found = None
        if found != text:
            missing.append(path)
    return missing
