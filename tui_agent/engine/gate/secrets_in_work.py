"""What keeps files that may hold secrets from commands that were let through without naming them.

They are hidden from what goes through folders. git, which would take a hidden file for a changed one, is told by an attribute
to show none of their contents.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tui_agent.git_config import GitConfigError, personal_attributes
from tui_agent.permissions.hard_links import HardLinkFinder
from tui_agent.permissions.matching_files import MatchingFiles, SecretMatcher, TooManyFilesError
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.secret_files import git_attributes
from tui_agent.regular_files import read_regular

__all__ = ["GitAttributes", "SecretFilesHidden"]

_MOST_S: Final = 0.5  # of one look; what was found in that time is kept for the next one
_MOST_FILES: Final = 400
_LARGEST: Final = 1 << 20  # bytes of a list that somebody wrote


class SecretFilesHidden:
    """Finds the files to hide. Where there is too much to look through, those that were found are all."""

    def __init__(self) -> None:
        self._files = MatchingFiles(most_matches=_MOST_FILES, most_s=_MOST_S)
        self._matcher = SecretMatcher()
        self._again = HardLinkFinder()

    def find(self, roots: Iterable[str], rules: RuleSet, where: PathContext) -> tuple[str, ...]:
        """Return the files in these folders that are there to hold secrets and that no rule allows to read. Blocks."""
        roots = tuple(roots)
        try:
            found = self._files.find(self._matcher, roots)
        except TooManyFilesError as error:
            found = error.found
        hidden = tuple(path for path in found if rules.allows_path(path, "read", where) is None)
        with contextlib.suppress(TooManyFilesError):
            return (*hidden, *self._again.find(hidden, roots))
        return hidden


class GitAttributes:
    """The user's own list of git's attributes with those for secret files behind it, in a file that goes with the session."""

    def __init__(self) -> None:
        self._folder = ""

    def file(self) -> str:
        """Return the path of the list; it is written for the first command. Blocks for a moment."""
        path = Path(self._folder, "attributes")
        if not self._folder or not path.exists():
            self._folder = tempfile.mkdtemp(prefix="tui-agent-git-")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            path = Path(self._folder, "attributes")
            own = b""
            with contextlib.suppress(GitConfigError, OSError):  # git does without it as well
                own = read_regular(personal_attributes(dict(os.environ)), _LARGEST, follow_links=True)
            path.write_bytes(b"\n".join((own, git_attributes().encode())))
        return str(path)
