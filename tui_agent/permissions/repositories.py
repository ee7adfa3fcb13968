"""Which folders belong to the project, and which are repositories of their own whose settings may run programs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from tui_agent.git_control_files import why_git_cannot_read
from tui_agent.git_redirects import writes_elsewhere
from tui_agent.permissions.path_context import PathContext, is_within
from tui_agent.permissions.shell.effective_command import base_name
from tui_agent.permissions.shell.git_reads import GitReads, git_reads
from tui_agent.permissions.shell.part import Part
from tui_agent.permissions.shell.path_expansion import Places, places
from tui_agent.permissions.shell.words import Word, read_word
from tui_agent.regular_files import read_regular

__all__ = ["Repositories", "sent_elsewhere"]

_MARKS: Final = ("HEAD", ".hg")  # besides `.git`; the first is that of a bare repository
_LONGEST: Final = 8192  # bytes of a `.git` that is a file
_SENT: Final = ("git", "hg")
_SENDING: Final = ("-C", "-R", "--cwd", "--repository", "--git-dir", "--work-tree")
_JOINED: Final = re.compile(r"(?:-[CR]|(?:--cwd|--repository|--git-dir|--work-tree)=)(.+)", re.DOTALL)


class Repositories:
    """The repositories that a decision meets. Looks at the disk only where a command leaves the project's own folders."""

    def __init__(self, where: PathContext) -> None:
        self._where = where
        self._unreadable: dict[str, str] = {}

    @cached_property
    def _own(self) -> frozenset[str]:
        """The folders whose own settings count: where the session was started, its project, and those the user added."""
        return frozenset({self._where.cwd, self._where.project_root, *self._where.additional_dirs})

    @cached_property
    def _real_own(self) -> frozenset[str]:
        return frozenset(map(os.path.realpath, self._own))

    def why_unreadable(self, folders: Places) -> str:
        """Return why git should not run in one of these folders; empty where it may: see `git_control_files`."""
        for folder in folders.paths:
            if folder not in self._unreadable:
                self._unreadable[folder] = why_git_cannot_read(folder)
            if reason := self._unreadable[folder]:
                return reason
        return ""

    def is_project(self, folder: str) -> bool:
        """Whether a folder lies in the working folders, or in the project around them."""
        where = self._where
        if folder in self._own or where.is_work(folder):
            return True
        root = where.project_root
        return where.lies_in(folder, root) and where.lies_in(where.resolve(folder), where.resolve(root))

    def is_other(self, path: str) -> bool:
        """Whether a folder, or one between it and the project's own, is a repository of its own, be it bare."""
        if path in self._own:
            return False
        folder = Path(os.path.realpath(path))
        while str(folder) not in self._real_own and folder != folder.parent:
            if os.path.lexists(folder / ".git"):
                return not self._is_submodule(folder)
            if any(os.path.lexists(folder / name) for name in _MARKS):
                return True
            folder = folder.parent
        return False

    def _is_submodule(self, folder: Path) -> bool:
        """Whether a repository has its settings in the project's own `.git`, where nothing that is fetched can put them."""
        try:
            text = read_regular(folder / ".git", _LONGEST).decode()
        except (OSError, UnicodeDecodeError):
            return False
        if not text.startswith("gitdir: ") or "\0" in text:
            return False
        leads_to = os.path.realpath(folder / text.removeprefix("gitdir: ").rstrip("\n"))
        return any(is_within(leads_to, os.path.realpath(f"{own}/.git")) for own in self._own)

    def elsewhere(self, folders: Places) -> str:
        """Return a folder other than the session's own that a command may run in, or nothing.

        The shell's folder stays from one call to the next, so it counts as the session's own only in the same repository.
        """
        if not folders.is_certain:
            return "a folder that is not known"
        here = self._where.shell_cwd
        own = {self._where.cwd, self._where.project_root}
        return next(
            (one for one in folders.paths if one not in own and (one != here or self.is_other(one))),
            "",
        )

    def read_by_link(self, part: Part, folders: Places) -> Iterator[str]:
        """Yield the files that git is told to read whose names lie in the work, but which are links that leave it.

        A file elsewhere that the command spells out is what the user's rule is about: `git commit -F /tmp/message`.
        """
        for found in _git_calls(part):
            for folder in folders.paths:
                paths = (os.path.normpath(os.path.join(folder, *found.folders, name)) for name in found.paths)  # noqa: PTH118
                for path in paths:
                    is_named = any(self._where.lies_in(path, work) for work in self._where.folders)
                    if is_named and not self._where.is_work(path):
                        yield path

    def why_other(self, part: Part, folders: Places) -> str:
        """Return why a command may work on another repository than the project's; empty where it does not."""
        sent = sent_elsewhere(part)
        if len(sent) > 1:
            return "where git is sent is told in several steps"
        targets = list(folders.paths)
        for word in sent:
            found = places(word, folders, self._where)
            if not found.is_certain:
                return "the repository it works on is unknown before it runs"
            if outside := next((one for one in found.paths if not self.is_project(one)), ""):
                return f"it works on `{self._where.shown(outside)}`, outside the project"
            targets.extend(os.path.dirname(one) if os.path.basename(one) == ".git" else one for one in found.paths)  # noqa: PTH119, PTH120
        if other := next(filter(self.is_other, targets), ""):
            return f"a repository at `{self._where.shown(other)}` may have programs run by its own settings"
        if "git" in part.programs and any(writes_elsewhere(one, dict(os.environ)) for one in targets):
            return "the repository here leads git to a place outside the project"
        return ""


def _git_calls(part: Part) -> Iterator[GitReads]:
    return (git_reads(one.words) for one in part.reached if base_name(one.words[0]) == "git")


def _is_sent(value: str) -> bool:
    return value.rpartition("/")[2] in _SENT


def sent_elsewhere(part: Part) -> tuple[Word, ...]:
    """Return the folders that git or Mercurial is told to look in, by options before its subcommand."""
    values = [word.value for word in part.words]
    at = next((index for index, value in enumerate(values) if value.endswith(_SENT) and _is_sent(value)), None)
    if at is None:
        return ()
    found: list[Word] = []
    at += 1
    while at < len(values) and values[at].startswith("-"):
        joined = _JOINED.fullmatch(values[at])
        if values[at] in _SENDING:
            found.append(part.words[at + 1] if at + 1 < len(values) else read_word("$_"))
        elif joined is not None:
            word = part.words[at]
            found.append(read_word(joined[1]) if word.is_known else word)
        at += 2 if values[at] in {*_SENDING, "-c", "--exec-path", "--namespace"} else 1
    return tuple(found)
