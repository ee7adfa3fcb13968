"""The checks of an edit, in order of cost: first from memory, then against the file, each with its code."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from tui_agent.tools.base import ToolContext
from tui_agent.tools.edit.input import EditInput
from tui_agent.tools.edit.matching import NoEffectError, NotFoundError, NotUniqueError, Replaced, replace
from tui_agent.tools.edit.settings_file import settings_problem
from tui_agent.tools.encodings import UnencodableError, encode
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import FileProblem, TextFile, load

__all__ = ["Prepared", "RefusedEdit", "changed_on_disk", "check_from_memory", "check_result", "prepare", "prepare_in"]

_LONGEST_PATH: Final = 4096


class RefusedEdit(Exception):  # noqa: N818 - the edit is at fault, not the program
    """An edit that must not be made: the code of the check that says so, and a text that helps to mend it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code: Final = code
        self.message: Final = message


@dataclass(frozen=True, slots=True)
class Prepared:
    """An edit that passed every check: the file as it is (None: to be made) and what its text would become."""

    file: TextFile | None
    after: str
    count: int = 1
    is_by_quotes: bool = False


def check_from_memory(input: EditInput, path: str, ctx: ToolContext) -> FileRecord | None:
    """Make the checks that need no disk; return what was read of the file (None: a new one is to be made).

    Raises:
        RefusedEdit: with `no_change`, `bad_path`, `denied_path`, `is_notebook`, `not_read` or `partial_view`.
    """
    if input.old_string == input.new_string:
        raise RefusedEdit("no_change", "old_string and new_string are the same; nothing would change.")
    if problem := _path_problem(input.file_path):
        raise RefusedEdit("bad_path", f"{input.file_path!r:.200} {problem}.")
    if reason := ctx.denied(path, "edit") or ctx.denied(path, "read"):
        raise RefusedEdit("denied_path", f"Editing {path} is denied: {reason}")
    if path.endswith(".ipynb"):
        raise RefusedEdit(
            "is_notebook", f"{path} is a notebook; Edit would break it. Change its cells with NotebookEdit."
        )
    if not input.old_string:
        return None
    record = ctx.files.get(path)
    if record is None:
        raise RefusedEdit("not_read", f"{path} was not read yet. Read it first, then edit it.")
    if record.is_partial:
        raise RefusedEdit(
            "partial_view", f"Only a part of {path} was read. Read the rest of it (offset, limit), then edit it."
        )
    return record


def prepare(input: EditInput, path: str, record: FileRecord | None) -> Prepared:
    """Make the checks that need the file, and the edit in memory. Blocks; nothing is written.

    Raises:
        RefusedEdit: with `missing`, `exists`, `too_large`, `binary`, `changed_on_disk`, `not_found`, `not_unique` or
            `bad_settings`; `bad_path` where the path leads to no file, `no_change` where only line endings or quotes differ,
            `unreadable` or `unencodable` where the system or the file's encoding forbids it.
    """
    if record is None:
        return _prepare_new(input, path)
    try:
        file = load(path)
    except FileProblem as problem:
        raise _refused(path, problem) from problem
    if file.hash != record.hash:
        raise changed_on_disk(path)
    return prepare_in(file, input, path)


def prepare_in(file: TextFile, input: EditInput, path: str) -> Prepared:
    """Make the edit in the memory of a file that is the one that was read; raises as `prepare` does from `not_found` on."""
    replaced = _replace(input, path, file)
    check_result(path, replaced.text, file)
    return Prepared(file, replaced.text, replaced.count, replaced.is_by_quotes)


def check_result(path: str, after: str, file: TextFile | None) -> bytes:
    """Return the bytes of the file as it would become.

    Raises:
        RefusedEdit: it would be broken settings, or hold a character that its encoding lacks.
    """
    if problem := settings_problem(path, after):
        raise RefusedEdit("bad_settings", f"{path} holds settings, and {problem}. Nothing was written.")
    try:
        return encode(after, file.encoding, has_bom=file.has_bom) if file else encode(after, "utf-8", has_bom=False)
    except UnencodableError as error:
        raise RefusedEdit("unencodable", f"{path} cannot hold the new text: {error}. Nothing was written.") from error


def changed_on_disk(path: str) -> RefusedEdit:
    """The file is not what was read, or what was shown."""
    return RefusedEdit("changed_on_disk", f"{path} has changed since it was read. Read it again, then edit it.")


def _path_problem(path: str) -> str | None:
    if not path.strip():
        return "is not a path: it is empty"
    if "\0" in path or "\n" in path:
        return "is not a path: it holds a NUL or a line break"
    if len(path) > _LONGEST_PATH:
        return "is not a path: it is too long"
    if path.startswith(("\\\\", "//")):
        return "is a network path, which Edit does not touch"
    if path.endswith(("/", "/.", "/..")) or path in (".", "..", "~"):
        return "names a folder, not a file"
    return None


def _prepare_new(input: EditInput, path: str) -> Prepared:
    try:
        os.lstat(path)
    except FileNotFoundError:
        check_result(path, input.new_string, None)
        return Prepared(None, input.new_string)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RefusedEdit("bad_path", f"{path} cannot be made: {reason}.") from error
    raise RefusedEdit(
        "exists",
        f"{path} exists already. An empty old_string makes a new file; to change this one, say what to replace.",
    )


def _refused(path: str, problem: FileProblem) -> RefusedEdit:
    if problem.kind in ("folder", "not_regular"):
        return RefusedEdit("bad_path", f"{path} cannot be edited: {problem.message}.")
    return RefusedEdit(problem.kind, f"{path} cannot be edited: {problem.message}.")


def _replace(input: EditInput, path: str, file: TextFile) -> Replaced:
    try:
        return replace(file.text, input.old_string, input.new_string, every=input.replace_all)
    except NotFoundError:
        raise RefusedEdit(
            "not_found", f"old_string was not found in {path}.{_hint(input.old_string, file.text)}"
        ) from None
    except NotUniqueError as error:
        raise RefusedEdit(
            "not_unique",
            f"old_string is there {error.count} times in {path}. Add lines around it until it is unique, or set replace_all.",
        ) from None
    except NoEffectError:
        raise RefusedEdit(
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
