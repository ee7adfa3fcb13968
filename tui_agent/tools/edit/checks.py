"""The checks of an edit, in order of cost: first from memory, then against the file, each with its code."""

from __future__ import annotations

from dataclasses import dataclass

from tui_agent.tools.base import ToolContext
from tui_agent.tools.edit.input import EditInput
from tui_agent.tools.edit.matching import NoEffectError, NotFoundError, NotUniqueError, Replaced, replace
from tui_agent.tools.file_changes.checks import (
    RefusedChange,
    check_is_as_read,
    check_leads_as_read,
    check_path,
    check_result,
    check_was_read,
    moved,
    refused_by,
)
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import FileProblem, TextFile, load
from tui_agent.tools.resolved_path import MovedPath, ResolvedPath
from tui_agent.tools.services import RuleCheck
from tui_agent.tools.shared_read.notebooks import is_notebook

__all__ = ["PreparedEdit", "check_from_memory", "check_is_free", "prepare", "refuse_notebook", "replace_in"]


@dataclass(frozen=True, slots=True)
class PreparedEdit:
    """An edit that passed every check: the file as it is (None: to be made) and what its text would become."""

    path: str
    file: TextFile | None
    after: str
    count: int = 1
    is_by_quotes: bool = False


def check_from_memory(input: EditInput, path: str, ctx: ToolContext) -> FileRecord | None:
    """Make the checks that need no disk; return what was read of the file (None: a new one is to be made).

    Raises:
        RefusedChange: with `no_change`, `bad_path`, `denied_path`, `is_notebook`, `not_read` or `partial_view`.
    """
    if input.old_string == input.new_string:
        raise RefusedChange("no_change", "old_string and new_string are the same; nothing would change.")
    check_path(input.file_path, path, ctx, "Editing")
    refuse_notebook(path, "Edit")
    return check_was_read(path, ctx, "edit it") if input.old_string else None


def refuse_notebook(path: str, tool: str) -> None:
    """Refuse what has a tool of its own.

    Raises:
        RefusedChange: with `is_notebook`.
    """
    if is_notebook(path):
        raise RefusedChange(
            "is_notebook", f"{path} is a notebook; {tool} would break it. Change its cells with NotebookEdit."
        )


def prepare(input: EditInput, place: ResolvedPath, record: FileRecord | None, rule_problem: RuleCheck) -> PreparedEdit:
    """Make the checks that need the file, and the edit in memory. Blocks; nothing is written.

    Raises:
        RefusedChange: with `missing`, `exists`, `too_large`, `binary`, `changed_on_disk`, `not_found`, `not_unique` or
            `bad_settings`; `bad_path` where the path leads to no file, `no_change` where only line endings or quotes differ,
            `unreadable` or `unencodable` where the system or the file's encoding forbids it, `moved` where the path leads
            elsewhere than when it was judged or read.
    """
    path = place.path
    if record is None:
        check_is_free(place)
        check_result(path, input.new_string, rule_problem=rule_problem)
        return PreparedEdit(path, None, input.new_string)
    check_leads_as_read(place, record)
    try:
        file = load(place)
    except FileProblem as problem:
        raise refused_by(path, problem) from problem
    check_is_as_read(file, record)
    replaced = replace_in(file.text, input.old_string, input.new_string, every=input.replace_all, path=path)
    check_result(
        path, replaced.text, file.encoding, has_bom=file.has_bom, before=lambda: file.text, rule_problem=rule_problem
    )
    return PreparedEdit(path, file, replaced.text, replaced.count, replaced.is_by_quotes)


def check_is_free(place: ResolvedPath) -> None:
    """Check that a file can be made there.

    Raises:
        RefusedChange: with `exists`, `bad_path` or `moved`.
    """
    path = place.path
    try:
        place.status()
    except FileNotFoundError:
        if not place.is_link:
            return
    except MovedPath as error:
        raise moved(error) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RefusedChange("bad_path", f"{path} cannot be made: {reason}.") from error
    raise RefusedChange(
        "exists",
        f"{path} exists already. An empty old_string makes a new file; to change this one, say what to replace.",
    )


def replace_in(
    text: str, old: str, new: str, *, every: bool, path: str, has_places: bool = False, before: str = ""
) -> Replaced:
    """Search and replace in a text; `path` is named in refusals. See `matching.replace`.

    Raises:
        RefusedChange: with `not_found`, `not_unique` or `no_change`.
    """
    try:
        return replace(text, old, new, every=every, has_places=has_places, before=before)
    except NotFoundError:
        raise RefusedChange("not_found", f"old_string was not found in {path}.{_hint(old, text)}") from None
    except NotUniqueError as error:
        raise RefusedChange(
            "not_unique",
            f"old_string is there {error.count} times in {path}. Add lines around it until it is unique, or set replace_all.",
        ) from None
    except NoEffectError:
        raise RefusedChange(
            "no_change", f"Nothing would change in {path}: the file keeps its own line endings and kinds of quotes."
        ) from None


def _hint(old: str, text: str) -> str:
    """Say why a text that was not found nearly was, where that can be told."""
    lines = old.split("\n")
    if all(line.partition("\t")[0].strip().isdigit() for line in lines if line) and "\t" in old:
        return " It begins with line numbers as Read shows them; they are not part of the file."
    wanted = [line.split() for line in lines if line.strip()]
    if not wanted or len(text) > 2_000_000:
        return ""
    there = [(number, line.split()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for at in range(len(there) - len(wanted) + 1):
        if all(there[at + index][1] == words for index, words in enumerate(wanted)):
            return f" Line {there[at][0]} differs from it in spaces or indentation only: copy the text exactly."
    return " Read the file again and copy the text exactly as it is."
