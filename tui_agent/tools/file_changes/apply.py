"""Writing what was approved, and nothing else: onto exactly the file that was shown, several files whole or not at all."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui_agent.changes import ApprovedChange, content_hash
from tui_agent.tools.base import ToolContext, ToolError
from tui_agent.tools.cancel_shield import unbroken
from tui_agent.tools.encodings import decode
from tui_agent.tools.file_changes.checks import RefusedChange, changed_on_disk, check_result, moved
from tui_agent.tools.file_changes.file_locks import BusyFile, locked_files
from tui_agent.tools.file_changes.intents import MovedError, StrandedError, Write, carry_out
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import WHOLE_FILE_LIMIT, FileProblem, load_bytes
from tui_agent.tools.resolved_path import MovedPath, ResolvedPath, ResolvedPaths
from tui_agent.tools.services import KeepVersions, RuleCheck, keep_nothing, no_rule_problem

__all__ = ["Applied", "apply_changes", "write_approved", "write_bytes"]


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of one approved change.

    `record` is the file as it is now, for `FileState`; None where nothing was written. `other_links` is how many other
    names the old file had: they still lead to the old content.
    """

    approved: ApprovedChange
    record: FileRecord | None
    other_links: int = 0


def apply_changes(
    approved: Sequence[ApprovedChange],
    state: Path | None = None,
    rule_problem: RuleCheck = no_rule_problem,
    keep: KeepVersions = keep_nothing,
    paths: ResolvedPaths | None = None,
) -> tuple[Applied, ...]:
    """Write approved changes of different files, all or none; blocks.

    Every file must still hold the bytes its change was made for. Encoding, byte order mark, mode, owner (where that is
    allowed) and symbolic links stay. A change of which no part was taken leaves its file alone. `state` is the program's own
    folder, where a change under way is noted so that it survives being killed (`tools.intents`), and where other sessions see
    which files are being written (`file_locks`). `rule_problem` judges permission rules, as in `check_result`. `keep` gets each
    file's path, what it holds and what it is to hold, before anything is written. `paths` says where the paths led when the
    changes were judged (None: they are judged now); where one leads elsewhere, nothing is written.

    Raises:
        RefusedChange: with `changed_on_disk`, `moved`, `busy`, `bad_settings`, `unencodable`, or `same_file` for one file under
            two names; nothing was written.
        StrandedError: it failed half-way and could not be taken back.
        OSError: it failed; everything is as it was.
    """
    paths = ResolvedPaths() if paths is None else paths
    places = {number: paths[change.path] for number, change in enumerate(approved) if not change.is_nothing}
    try:
        with locked_files([place.real for place in places.values()], state):
            return _apply(approved, places, state, rule_problem, keep)
    except MovedPath as error:
        raise moved(error) from error
    except BusyFile as error:
        raise RefusedChange("busy", f"{error.reason}. Nothing was written.") from error


def _apply(
    approved: Sequence[ApprovedChange],
    places: Mapping[int, ResolvedPath],
    state: Path | None,
    rule_problem: RuleCheck,
    keep: KeepVersions,
) -> tuple[Applied, ...]:
    writes: dict[int, Write] = {}
    befores: dict[int, bytes | None] = {}
    for number, place in places.items():
        write, before = _prepare(approved[number], place, rule_problem)
        if write.data != before:
            writes[number], befores[number] = write, before
    _check_apart(writes.values())
    if not writes:
        return tuple(Applied(change, None) for change in approved)
    for number, write in writes.items():
        keep(approved[number].path, befores[number], write.data)
    order = list(writes)
    try:
        statuses = dict(zip(order, carry_out([writes[number] for number in order], state), strict=True))
    except FileExistsError as error:
        raise changed_on_disk(str(error.filename2 or error.filename)) from error
    except MovedError as error:
        raise changed_on_disk(error.path) from error
    except StrandedError:
        raise
    except OSError:
        for number in writes:
            places[number].check()  # says so where a folder that was exchanged is the reason
        raise
    return tuple(
        Applied(change, _record(change, writes[number], statuses[number]), _other_links(writes[number]))
        if number in writes
        else Applied(change, None)
        for number, change in enumerate(approved)
    )


def write_bytes(place: ResolvedPath, data: bytes, before_hash: str, state: Path | None = None) -> None:
    """Put `data` into one file that still holds what has the hash `before_hash`; empty: that is not there. Blocks.

    Raises:
        MovedError, FileExistsError: the file is not that one any more; nothing was written.
        MovedPath: its path leads elsewhere now; nothing was written.
        BusyFile: another session is writing it.
        OSError: it failed; everything is as it was.
    """
    with locked_files([place.real], state):
        place.check()
        if not before_hash:
            carry_out([Write(place.real, data, "")], state)
            return
        try:
            now, status = load_bytes(place, WHOLE_FILE_LIMIT)
        except FileProblem as problem:
            raise MovedError(place.path) from problem
        if content_hash(now) != before_hash:
            raise MovedError(place.path)
        carry_out([Write(place.real, data, before_hash, status)], state)


async def write_approved(approved: Sequence[ApprovedChange], ctx: ToolContext) -> tuple[Applied, ...]:
    """Do what `apply_changes` does for a tool's call, off the event loop; cancelled meanwhile, it is finished all the same.

    Raises:
        ToolError: it was refused or failed; the text says what holds now.
    """
    try:
        services = ctx.services
        work = asyncio.to_thread(
            apply_changes, approved, ctx.state_dir, services.rule_problem, services.keep_versions, ctx.paths
        )
        return await unbroken(work)
    except RefusedChange as refused:
        raise refused.to_error() from refused
    except StrandedError as error:
        raise ToolError(
            f"Writing failed half-way: {error}. Look at the files before you go on; what could not be taken back now is "
            "taken back at the next start of the program."
        ) from error
    except OSError as error:
        names = ", ".join(change.path for change in approved)
        state_now = "it is as it was" if len(approved) == 1 else "all are as they were"
        raise ToolError(f"{names} could not be written ({error.strerror or error}); {state_now}.") from error


def _prepare(change: ApprovedChange, place: ResolvedPath, rule_problem: RuleCheck) -> tuple[Write, bytes | None]:
    """Check one change against the disk, and make its bytes; return also what the file holds now, None where there is none."""
    if not change.before_hash:
        if _is_taken(place):
            raise changed_on_disk(change.path)
        data = check_result(
            change.path, change.after, change.encoding, has_bom=change.has_bom, rule_problem=rule_problem
        )
        return Write(place.real, data, ""), None
    try:
        before, status = load_bytes(place, WHOLE_FILE_LIMIT)
    except FileProblem as problem:
        if isinstance(problem.__cause__, MovedPath):
            raise problem.__cause__ from problem
        raise changed_on_disk(change.path) from problem
    if content_hash(before) != change.before_hash:
        raise changed_on_disk(change.path)
    data = check_result(
        change.path,
        change.after,
        change.encoding,
        has_bom=change.has_bom,
        before=lambda: decode(before).text,
        rule_problem=rule_problem,
    )
    return Write(place.real, data, change.before_hash, status), before


def _is_taken(place: ResolvedPath) -> bool:
    """Whether there is something where a new file is to be made.

    Raises:
        MovedPath: the path leads elsewhere now.
    """
    if place.is_link:
        return True
    try:
        place.status()
    except (FileNotFoundError, NotADirectoryError):  # a file where a folder should be: writing says so
        return False
    return True


def _check_apart(writes: Collection[Write]) -> None:
    seen: set[object] = set()
    for write in writes:
        key: object = write.target if write.status is None else (write.status.st_dev, write.status.st_ino)
        if key in seen:
            raise RefusedChange("same_file", f"{write.target} would be written twice: two of the paths lead to it.")
        seen.add(key)


def _record(change: ApprovedChange, write: Write, status: os.stat_result) -> FileRecord:
    return FileRecord(change.path, content_hash(write.data), status.st_mtime_ns, len(write.data), real=write.target)


def _other_links(write: Write) -> int:
    return write.status.st_nlink - 1 if write.status is not None else 0
