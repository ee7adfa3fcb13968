"""What a session has changed, file by file: from what each held before the first change to what it holds now, and the way back.

The history follows events, so a session that is taken up again knows as much as it did. The contents themselves are kept in
the session's folder (`tools.file_changes.versions`). Only changes that were made by tools for editing are in it; what commands
do to files is theirs.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tui_agent.bus import Bus
from tui_agent.changes import FileChange, content_hash
from tui_agent.context_marks import framed
from tui_agent.engine.files.changed_files import ChangedFile, ChangedFiles
from tui_agent.events import EditApplied, EditUndone, Event, ReminderSent, UserMessageSent
from tui_agent.queries import NetChange, Patch, UndoPlan
from tui_agent.queries.changes import UndoKind
from tui_agent.tools.encodings import Decoded, NotTextError, decode, encode
from tui_agent.tools.file_changes.apply import write_bytes
from tui_agent.tools.file_changes.intent_steps import MovedError
from tui_agent.tools.file_changes.patches import PatchedFile, make_patch
from tui_agent.tools.file_changes.removing import remove_file
from tui_agent.tools.file_changes.reversal import reverse_all
from tui_agent.tools.file_changes.versions import Versions
from tui_agent.tools.files import WHOLE_FILE_LIMIT, FileProblem, load_bytes
from tui_agent.tools.resolved_path import MovedPath, ResolvedPath, resolve

__all__ = ["ChangeHistory", "PreparedUndo"]

_MOST_CACHED: Final = 64  # comparisons
_HEAD: Final = (
    "The user undid changes that this session had made. Do not make them again without being asked to, and read a file "
    "anew before you change it:"
)


@dataclass(frozen=True, slots=True)
class PreparedUndo:
    """What undoing a file would do now. `change` is what it does to the file, from now on.

    `clashes` is how many places stay because others have changed them too, `taken` how many are taken back; both only where
    somebody has changed the file since. `problem` says why nothing can be done (`kind` is `nothing`).
    """

    touched: ChangedFile
    kind: UndoKind
    change: FileChange | None = None
    data: bytes | None = None
    now: str = ""
    taken: int = 0
    clashes: int = 0
    problem: str = ""
    theirs: FileChange | None = None  # what others have made of it since the session left it
    place: ResolvedPath | None = None  # where it is, as it was looked at

    @property
    def path(self) -> str:
        """The file."""
        return self.touched.path

    @property
    def is_whole(self) -> bool:
        """Whether the file is then what it was before the session."""
        return self.kind in ("restore", "recreate", "remove")

    def shown(self, id: str) -> UndoPlan:
        """Return it as the user is shown it, under this id."""
        return UndoPlan(
            id=id,
            path=self.path,
            kind=self.kind,
            change=self.change,
            taken=self.taken,
            clashes=self.clashes,
            is_mixed=self.touched.is_mixed,
            problem=self.problem,
            theirs=self.theirs,
        )


class ChangeHistory:
    """One session's. It follows the changes that are published on `bus`, and publishes what is undone.

    `folder` gives the one that the shell stands in, which a patch is made for. `state` is the program's own folder, where a
    change under way is noted.
    """

    def __init__(
        self,
        versions: Versions,
        bus: Bus,
        *,
        folder: Callable[[], Path],
        state: Path | None,
    ) -> None:
        self._versions = versions
        self._bus = bus
        self._folder = folder
        self._state = state
        self._touched = ChangedFiles()
        self._news: list[str] = []
        self._compared: dict[tuple[str, str, str], FileChange | None] = {}
        self.version = 0  # goes up with every change, so that whoever shows it knows
        bus.follow("the list of changes", (EditApplied, EditUndone, UserMessageSent, ReminderSent), self._follow)

    # --- following the session ---------------------------------------------------------------------------------------

    @property
    def files(self) -> Sequence[ChangedFile]:
        """The files, in the order in which they were first changed."""
        return self._touched.all

    def recall(self, events: Iterable[Event]) -> None:
        """Take in what was recorded. What one event left unneeded a later one may need again: contents go at the end only."""
        for event in events:
            self._take_in(event)
        self._drop_unneeded()

    def _follow(self, event: Event) -> None:
        self._take_in(event)
        self._drop_unneeded()

    def _take_in(self, event: Event) -> None:
        match event:
            case EditApplied(change=change, after_hash=after, real=real) if after:
                self._touched.change(change.path, change.before_hash, after, real)
                self.version += 1
            case EditUndone(path=path, after_hash=after, left=left):
                known = self._touched.get(path)
                if known is not None and (left == 0 or after in (known.first, "")):
                    self._touched.remove(known)
                elif known is not None:
                    self._touched.put(replace(known, left=after, is_mixed=True, is_undone=True, runs=()))
                self._news.append(_told(event, known))
                self.version += 1
            case UserMessageSent(agent_id=""):
                self._news.clear()  # told along with it
            case ReminderSent(agent_id="", text=text) if _HEAD in text:
                self._news.clear()
            case _:
                pass

    def _drop_unneeded(self) -> None:
        for name in self._touched.take_unneeded():
            self._versions.drop(name)

    def take_news(self) -> str:
        """Return, once, the reminder that tells the model what was undone; empty where nothing was."""
        news, self._news = self._news, []
        if not news:
            return ""
        return framed("\n".join([_HEAD, *news]))

    # --- what there is to see ----------------------------------------------------------------------------------------

    async def compare(self) -> list[NetChange]:
        """Return what each file comes to now; one that is again as it was is left out."""
        files = self.files
        found = await asyncio.to_thread(lambda: [self._net(touched) for touched in files])
        return [net for net in found if net is not None]

    async def patch(self) -> Patch:
        """Return all of it as one patch."""
        return await asyncio.to_thread(self._patch, self.files)

    async def plan(self, path: str) -> PreparedUndo | None:
        """Return what undoing a file would do now; None where the session has not changed it."""
        touched = self._touched.get(path)
        return await asyncio.to_thread(self._plan, touched) if touched is not None else None

    async def undo(self, plan: PreparedUndo) -> PreparedUndo | None:
        """Do what the plan says, and tell everybody; None when it is done.

        Where the file has changed since the plan was made nothing is done, and the plan that holds now is returned; where it
        could not be written, one that says why.
        """
        if plan.kind == "nothing":
            return plan
        try:
            await asyncio.to_thread(self._carry_out, plan)
        except (MovedError, MovedPath, FileExistsError):
            return await self.plan(plan.path)
        except OSError as error:
            return replace(plan, kind="nothing", problem=f"It could not be written ({error.strerror or error}).")
        assert plan.change is not None
        after = content_hash(plan.data) if plan.data is not None else ""
        self._bus.publish(EditUndone(path=plan.path, change=plan.change, after_hash=after, left=plan.clashes))
        return None

    # --- in a thread -------------------------------------------------------------------------------------------------

    def _net(self, touched: ChangedFile) -> NetChange | None:
        now, problem = _read(touched)
        if now is None and problem:
            return NetChange(path=touched.path, change=None, problem=problem)
        now_hash = content_hash(now) if now is not None else ""
        if now_hash == touched.first:
            return None  # nothing is left of it, or a file that the session made is gone again
        first = self._versions.load(touched.first) if touched.first else None
        is_gone, is_others = now is None, now_hash != touched.left
        if touched.first and first is None:
            problem, change = "its earlier content could not be kept", None
        else:
            change = self._compare(touched, first, now, now_hash)
            problem = "" if change is not None else "it is not text"
        return NetChange(
            path=touched.path,
            change=change,
            problem=problem,
            is_gone=is_gone,
            is_others=is_others,
            is_mixed=touched.is_mixed,
        )

    def _compare(
        self, touched: ChangedFile, first: bytes | None, now: bytes | None, now_hash: str
    ) -> FileChange | None:
        key = (touched.path, touched.first, now_hash)
        if key not in self._compared:
            while len(self._compared) >= _MOST_CACHED:
                del self._compared[next(iter(self._compared))]
            self._compared[key] = _between(touched.path, first, now)
        return self._compared[key]

    def _patch(self, files: Sequence[ChangedFile]) -> Patch:
        folder = self._folder()
        root = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
        real = os.path.realpath(root)
        found: list[PatchedFile] = []
        left_out: list[str] = []
        for touched in files:
            parent, base = os.path.split(touched.path)
            name = os.path.relpath(os.path.join(os.path.realpath(parent), base), real)  # noqa: PTH118
            now, problem = _read(touched)
            first = self._versions.load(touched.first) if touched.first else None
            if name.startswith("../"):
                left_out.append(f"{touched.path}: it is not in {root}")
            elif (now is None and problem) or (touched.first and first is None):
                left_out.append(f"{touched.path}: {problem or 'its earlier content could not be kept'}")
            elif first != now:
                found.append(PatchedFile(name, first, now, is_executable=_is_executable(touched.path)))
        return Patch(make_patch(found), str(root), len(found), tuple(left_out))

    def _plan(self, touched: ChangedFile) -> PreparedUndo:
        place = resolve(touched.path)
        return replace(self._plan_at(place, touched), place=place)

    def _plan_at(self, place: ResolvedPath, touched: ChangedFile) -> PreparedUndo:
        path = touched.path
        now, problem = _read(touched, place)
        if now is None and problem:
            return PreparedUndo(touched, "nothing", problem=f"It cannot be read: {problem}.")
        now_hash = content_hash(now) if now is not None else ""
        first = self._versions.load(touched.first) if touched.first else None
        if touched.first and first is None:
            return PreparedUndo(touched, "nothing", problem="What it held before could not be kept: it was too large.")
        if now_hash == touched.first:
            return PreparedUndo(touched, "nothing", problem="It is as it was before this session.")
        if now is None:
            return PreparedUndo(touched, "recreate", _shown(path, None, first), first, "")
        if touched.is_undone:
            problem = (
                "The rest of this session's changes cannot be undone: their lines have changed since. They are kept."
            )
            return PreparedUndo(touched, "nothing", now=now_hash, problem=problem)
        if now_hash == touched.left and not touched.is_mixed:
            kind: UndoKind = "remove" if first is None else "restore"
            return PreparedUndo(touched, kind, _shown(path, now, first), first, now_hash)
        return self._plan_among_others(touched, first, now, now_hash)

    def _plan_among_others(self, touched: ChangedFile, first: bytes | None, now: bytes, now_hash: str) -> PreparedUndo:
        """Others have changed the file too: only what still stands as the session made it can be taken back."""
        path = touched.path
        left = self._versions.load(touched.left) if now_hash != touched.left else None
        theirs = _between(path, left, now) if left is not None else None
        if first is None:
            problem = "This session created the file, and others have changed it since. It is kept."
            return PreparedUndo(touched, "nothing", now=now_hash, problem=problem, theirs=theirs)
        known = _decoded(now)
        runs = self._runs(touched, known)
        if known is None or runs is None:
            if now_hash == touched.left:  # the user is told that what others did goes as well
                return PreparedUndo(touched, "restore", _shown(path, now, first), first, now_hash)
            problem = "Others have changed it since, and their changes cannot be told from this session's."
            return PreparedUndo(touched, "nothing", now=now_hash, problem=problem, theirs=theirs)
        result = reverse_all(runs, known.text)
        if not result.taken:
            problem = "Others have changed the same lines since. Nothing can be undone without undoing their changes."
            return PreparedUndo(
                touched, "nothing", now=now_hash, clashes=result.clashes, problem=problem, theirs=theirs
            )
        data = encode(result.text, known.encoding, has_bom=known.has_bom)
        change = _shown(path, now, data)
        return PreparedUndo(touched, "reverse", change, data, now_hash, result.taken, result.clashes, theirs=theirs)

    def _runs(self, touched: ChangedFile, now: Decoded | None) -> list[tuple[str, str]] | None:
        """Return what the session itself did as texts; None where not all of that is kept, or the encoding is another one."""
        if touched.runs is None:
            return None
        texts: dict[str, str] = {}
        for name in {name for run in touched.runs for name in run}:
            text = _decoded(self._versions.load(name))
            if text is None or now is None or (text.encoding, text.has_bom) != (now.encoding, now.has_bom):
                return None
            texts[name] = text.text
        return [(texts[before], texts[after]) for before, after in touched.runs]

    def _carry_out(self, plan: PreparedUndo) -> None:
        assert plan.place is not None
        if plan.data is None:
            remove_file(plan.place, plan.now)
        else:
            write_bytes(plan.place, plan.data, plan.now, self._state)


def _told(event: EditUndone, known: ChangedFile | None) -> str:
    if not event.after_hash:
        return f"- {event.path}: the file that this session created was removed"
    if event.left:
        places = "1 place" if event.left == 1 else f"{event.left} places"
        return f"- {event.path}: undone, except {places} that others have changed since"
    if known is not None and event.after_hash != known.first:
        return f"- {event.path}: everything this session changed was undone; what others changed stays"
    return f"- {event.path}: as it was before this session"


def _read(touched: ChangedFile, place: ResolvedPath | None = None) -> tuple[bytes | None, str]:
    """Return what a file holds, None where it is gone; or why it cannot be read."""
    place = resolve(touched.path) if place is None else place
    if touched.real not in (place.real, ""):
        return None, f"its path now leads to {place.real}, which it did not when this session changed it"
    try:
        return load_bytes(place, WHOLE_FILE_LIMIT)[0], ""
    except FileProblem as problem:
        return None, "" if problem.kind == "missing" else problem.message


def _is_executable(path: str) -> bool:
    try:
        return bool(os.stat(path).st_mode & stat.S_IXUSR)  # noqa: PTH116
    except OSError:
        return False


def _decoded(data: bytes | None) -> Decoded | None:
    try:
        return decode(data) if data is not None else None
    except NotTextError:
        return None


def _between(path: str, before: bytes | None, after: bytes | None) -> FileChange | None:
    """Return the change between two contents, of which one may be of no file at all; None where one is no text."""
    old, new = _decoded(before), _decoded(after)
    if (before is not None and old is None) or (after is not None and new is None):
        return None
    how = new or old
    assert how is not None
    return FileChange.between(
        path,
        old.text if old is not None else None,
        new.text if new is not None else "",
        before_hash=content_hash(before) if before is not None else "",
        encoding=how.encoding,
        has_bom=how.has_bom,
    )


def _shown(path: str, before: bytes | None, after: bytes | None) -> FileChange:
    """Return the change between two contents; what is no text has no lines."""
    found = _between(path, before, after)
    return found if found is not None else FileChange(path, None, None, (), is_new=before is None)
