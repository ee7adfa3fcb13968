"""The checks that every tool makes before it changes a file, each with the code by which its refusal is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tui_agent.tools.base import ToolContext, ToolError
from tui_agent.tools.encodings import UnencodableError, encode, is_lost
from tui_agent.tools.file_changes.settings_file import settings_problem
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import FileProblem, TextFile
from tui_agent.tools.resolved_path import MovedPath, ResolvedPath
from tui_agent.tools.services import RuleCheck, no_rule_problem

__all__ = [
    "RefusedChange", "changed_on_disk", "check_is_as_read", "check_leads_as_read", "check_path", "check_result",
    "check_was_read", "moved", "path_problem", "refused_by",
]  # fmt: skip

_LONGEST_PATH: Final = 4096


class RefusedChange(Exception):  # noqa: N818 - the change is at fault, not the program
    """A change that must not be made: the code of the check that says so, and a text that helps to mend it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code: Final = code
        self.message: Final = message

    def to_error(self) -> ToolError:
        """Return it as what a call raises."""
        return ToolError(self.message, kind="validation", data={"code": self.code})


def check_path(given: str, path: str, ctx: ToolContext, verb: str) -> None:
    """Check the path as the model gave it, and the rules on it; from memory, without touching the disk.

    `path` is the same made absolute; `verb` says in messages what is to be done to it (`Editing`).

    Raises:
        RefusedChange: with `bad_path` or `denied_path`.
    """
    if problem := path_problem(given):
        raise RefusedChange("bad_path", f"{given!r:.200} {problem}.")
    if reason := ctx.denied(path, "edit") or ctx.denied(path, "read"):
        raise RefusedChange("denied_path", f"{verb} {path} is denied: {reason}")


def check_was_read(path: str, ctx: ToolContext, what: str) -> FileRecord:
    """Return what was read of a file; from memory. `what` says in messages what to do after reading (`edit it`).

    Raises:
        RefusedChange: with `not_read` or `partial_view`.
    """
    record = ctx.files.get(path)
    if record is None:
        raise RefusedChange("not_read", f"{path} has not been read yet. Read it first, then {what}.")
    if record.is_partial:
        raise RefusedChange(
            "partial_view", f"Only a part of {path} was read. Read the rest of it (offset, limit), then {what}."
        )
    return record


def check_result(
    path: str,
    after: str,
    encoding: str = "utf-8",
    *,
    has_bom: bool = False,
    before: Callable[[], str] = str,
    rule_problem: RuleCheck = no_rule_problem,
) -> bytes:
    """Return the bytes of a file as it would become. `before` gives its text now; what is wrong there already is let be.
    `rule_problem` judges the permission rules of a settings file.

    Raises:
        RefusedChange: with `bad_settings`, `unencodable` for a character that its encoding lacks, or `binary` where nobody
            could read the result as text again.
    """
    if problem := settings_problem(path, after, before, rule_problem):
        raise RefusedChange("bad_settings", f"{path} holds settings, and {problem}. Nothing was written.")
    try:
        data = encode(after, encoding, has_bom=has_bom)
    except UnencodableError as error:
        raise RefusedChange("unencodable", f"{path} cannot hold the new text: {error}. Nothing was written.") from error
    if is_lost(after, data, encoding):
        raise RefusedChange("binary", _about_control_characters(path, after))
    return data


def _about_control_characters(path: str, after: str) -> str:
    at = after.find("\0")
    what = "more than a tenth of its beginning is control characters"
    if at >= 0:
        what = f"the text holds a NUL character in line {after.count(chr(10), 0, at) + 1}"
    return (
        f"{path} would no longer be text: {what}, so that it could not be read or edited again. Write such a character as "
        "the escape that the file's language has for it; bytes can be written with Bash (printf). Nothing was written."
    )


def changed_on_disk(path: str) -> RefusedChange:
    """The file is not what was read, or what was shown."""
    return RefusedChange("changed_on_disk", f"{path} has changed since it was read. Read it again, then change it.")


def moved(error: MovedPath) -> RefusedChange:
    """The path does not lead where it led when the change was judged."""
    return RefusedChange("moved", f"{error.reason}. Nothing was written.")


def refused_by(path: str, problem: FileProblem) -> RefusedChange:
    """Return the refusal for a file that cannot be read as text."""
    if problem.kind == "moved":
        return RefusedChange("moved", f"{problem.message}. Nothing was written.")
    code = "bad_path" if problem.kind in ("folder", "not_regular") else problem.kind
    return RefusedChange(code, f"{path} cannot be changed: {problem.message}.")


def check_leads_as_read(path: ResolvedPath, record: FileRecord) -> None:
    """Check that a path leads to the file that was read: a folder in it may have become a link, for one.

    Raises:
        RefusedChange: with `moved`.
    """
    if record.real and record.real != path.real:
        raise RefusedChange(
            "moved",
            f"{path.path} led to {record.real} when it was read, and leads to {path.real} now. Read it again, then change it.",
        )


def check_is_as_read(file: TextFile, record: FileRecord) -> None:
    """Compare contents; another time of the same content passes.

    Raises:
        RefusedChange: with `changed_on_disk`.
    """
    if file.hash != record.hash:
        raise changed_on_disk(file.path)


def path_problem(path: str) -> str | None:
    """Return why a text cannot be the path of a file to change, or None."""
    if not path.strip():
        return "is not a path: it is empty"
    if "\0" in path or "\n" in path:
        return "is not a path: it holds a NUL or a line break"
    if len(path) > _LONGEST_PATH:
        return "is not a path: it is too long"
    if path.startswith(("\\\\", "//")):
        return "is a network path, which is not touched"
    if path.endswith(("/", "/.", "/..")) or path in (".", "..", "~"):
        return "names a folder, not a file"
    return None
