"""The checks of a Write against the disk, and the text that the file will hold."""

from __future__ import annotations

import stat
from dataclasses import dataclass

from tui_agent.tools.base import ToolContext
from tui_agent.tools.edit.matching import with_endings_of
from tui_agent.tools.file_changes.checks import (
    RefusedChange,
    check_is_as_read,
    check_leads_as_read,
    check_result,
    check_was_read,
    moved,
    refused_by,
)
from tui_agent.tools.files import FileProblem, TextFile, load
from tui_agent.tools.resolved_path import MovedPath, ResolvedPath
from tui_agent.tools.shared_read.notebooks import NotebookProblem, is_notebook, parse_notebook, schema_problem

__all__ = ["PreparedWrite", "check_notebook", "prepare"]

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class PreparedWrite:
    """A Write that passed every check: the file as it is (None: to be made), and the text it is to hold."""

    path: str
    file: TextFile | None
    after: str
    has_bom: bool


def prepare(path: str, content: str, ctx: ToolContext) -> PreparedWrite:
    """Make the checks that need the disk; blocks, nothing is written.

    A byte order mark at the head of the content is not part of the text: it becomes the file's, or is the one it has.

    Raises:
        RefusedChange: with `bad_notebook`, `not_read`, `partial_view`, `too_large`, `binary`, `changed_on_disk` or
            `bad_settings`; `bad_path` where there can be no file, `no_change` where it holds the content already, `unreadable`
            or `unencodable` where the system or the file's encoding forbids it, `moved` where the path leads elsewhere than
            when it was judged or read.
    """
    place = ctx.paths[path]
    text = content.removeprefix(_MARK)
    check_notebook(path, text)
    if not _is_there(place):
        prepared = PreparedWrite(path, None, text, has_bom=text != content)
        check_result(path, text, has_bom=prepared.has_bom, rule_problem=ctx.services.rule_problem)
        return prepared
    record = check_was_read(path, ctx, "write it")
    if record.is_cut:
        raise RefusedChange(
            "partial_view", f"Some lines of {path} are so long that they were only shown in part. Change it with Edit."
        )
    check_leads_as_read(place, record)
    try:
        file = load(place)
    except FileProblem as problem:
        raise refused_by(path, problem) from problem
    check_is_as_read(file, record)
    after = with_endings_of(file.text, text)
    if after == file.text:
        raise RefusedChange("no_change", f"{path} holds exactly this already; there is nothing to write.")
    check_result(
        path,
        after,
        file.encoding,
        has_bom=file.has_bom,
        before=lambda: file.text,
        rule_problem=ctx.services.rule_problem,
    )
    return PreparedWrite(path, file, after, file.has_bom)


def check_notebook(path: str, text: str) -> None:
    """Check that what is to be a notebook is one that Jupyter opens; other files pass. Blocks.

    Raises:
        RefusedChange: with `bad_notebook`.
    """
    if not is_notebook(path):
        return
    try:
        problem = schema_problem(parse_notebook(text))
    except NotebookProblem as error:
        problem = error.message
    if problem:
        raise RefusedChange(
            "bad_notebook",
            f"{path} would not be a notebook that can be opened: {problem}. Nothing was written. Write the whole JSON of a "
            "notebook (nbformat 4), or change the cells of an existing one with NotebookEdit.",
        )


def _is_there(place: ResolvedPath) -> bool:
    """Say whether there is a file.

    Raises:
        RefusedChange: with `bad_path` or `moved`; there is something else, or nothing can be there.
    """
    path = place.path
    try:
        status = place.status()
    except MovedPath as error:
        raise moved(error) from error
    except FileNotFoundError:
        if place.is_link:
            raise RefusedChange("bad_path", f"{path} is a link that leads nowhere; it is left alone.") from None
        return False
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RefusedChange("bad_path", f"{path} cannot be written: {reason}.") from error
    if stat.S_ISDIR(status.st_mode):
        raise RefusedChange("bad_path", f"{path} is a folder, not a file.")
    return True
