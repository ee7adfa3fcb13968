"""Which commands that only change files `acceptEdits` accepts: those that change the work, and nothing through a link."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final

from tui_agent.permissions.brought_along import why_not_brought_along
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.protected_paths import protected_reason
from tui_agent.permissions.shell.analysis import Part
from tui_agent.permissions.shell.effective_command import base_name
from tui_agent.permissions.shell.path_expansion import Places, places

__all__ = ["AcceptedEdits"]

_MOST_COPIED: Final = 5000
# They change a file under all its names. Others make a new file and give it the name, as `sed -i` and `mv` do.
_WRITE_THROUGH: Final = frozenset({"cp", "touch"})


class AcceptedEdits:
    """Judges what a command changes, whatever the rules say. `may_read_path` says whether a source may be read."""

    def __init__(self, where: PathContext, may_read_path: Callable[[str], bool]) -> None:
        self.where = where
        self._may_read_path = may_read_path

    def why_not_accepted(self, part: Part, folders: Places) -> str:
        """Return why a command that only changes files is not accepted as one that changes the work; empty where it is."""
        sources: list[str] = []
        targets: list[str] = []
        for words, paths in ((part.judgement.reads, sources), (part.judgement.writes, targets)):
            for word in dict.fromkeys(words):
                found = places(word, folders, self.where)
                if not found.is_certain:
                    return f"the value of `{word.raw}` is unknown before it runs"
                paths.extend(found.paths)
        moved, destinations = [], targets
        if "mv" in part.programs:  # it changes what it moves as well
            last = part.judgement.writes[-1:]
            destinations = [path for word in last for path in places(word, folders, self.where).paths]
            moved = [path for path in targets if path not in destinations]
        # In a folder the copy bears the name of what it is a copy of, and a link of that name would be followed.
        inner = [
            os.path.join(target, os.path.basename(source))  # noqa: PTH118, PTH119 - of texts
            for target in destinations
            for source in (*sources, *moved)
        ]
        for path in sources:
            if not self._may_read_path(path):
                return self.where.why_not_free(path)
        is_writing = not part.programs.isdisjoint(_WRITE_THROUGH)
        for path in (*targets, *inner):
            if not self._is_work(path):
                return f"it changes `{self.where.shown(path)}`, outside the working folders or reached through a link"
            if is_writing and self.where.has_several_names(path):
                return self.changes_others(path)
        for source in (*sources, *moved):
            if why := why_not_brought_along(source, destinations, self.where, is_moved=bool(moved)):
                return why
        for source in filter(os.path.isdir, sources):
            if why := self._why_not_laid_over(source, targets):
                return why
        return "" if targets else "what it changes is unknown before it runs"

    def _why_not_laid_over(self, source: str, targets: Sequence[str]) -> str:
        """Return why a folder is not copied over another that is there: some of it would land where it must not.

        `cp -r template/. .` writes each file under its own name; a link of that name would be followed.
        """
        seen = 0
        for target in targets:
            inner = os.path.join(target, os.path.basename(source))  # noqa: PTH118, PTH119 - of texts
            over = [one for one in (target, inner) if os.path.isdir(one) and one != source]  # noqa: PTH112
            for folder, folders, names in os.walk(source) if over else ():
                below = os.path.relpath(folder, source)
                for name in (*folders, *names):
                    seen += 1
                    landing = [os.path.normpath(os.path.join(one, below, name)) for one in over]  # noqa: PTH118
                    if wrong := next((path for path in landing if not self._is_work(path)), ""):
                        return f"it changes `{self.where.shown(wrong)}`, outside the working folders or reached through a link"
                    if wrong := next(filter(self.where.has_several_names, landing), ""):
                        return self.changes_others(wrong)
                if seen > _MOST_COPIED:
                    return "what it would overwrite is too much to look through"
        return ""

    def makes_no_links(self, part: Part, folders: Places) -> bool:
        """Whether a change leaves every folder and link, and what programs take settings from, as they were.

        Moved or copied folders may hold links and settings; single files of the work, to names that are not protected, do not.
        """
        if part.words and base_name(part.words[0]) in {"mkdir", "touch", "rmdir"}:
            return True
        if self.why_not_accepted(part, folders):
            return False
        words = (*part.judgement.reads, *part.judgement.writes)
        paths = [path for word in words for path in places(word, folders, self.where).paths]
        names = {base_name(word) for word in part.words[:1]}
        if names & {"rm", "sed"}:
            return True
        if any(map(os.path.islink, paths)):
            return False
        return not any(map(os.path.isdir, paths[:-1] or paths))

    def changes_others(self, path: str) -> str:
        """Return why a change to a file with several names is not accepted."""
        return f"it changes `{self.where.shown(path)}`, which has other names; they may lie outside the working folders"

    def _is_work(self, path: str) -> bool:
        return self.where.is_work(path) and protected_reason(path, self.where) is None
