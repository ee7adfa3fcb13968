"""Which file a command runs that names its program by a path, and whether that is the one that a rule is about.

A rule such as `Bash(./build.sh)` is about the file of that name where the session was started, if there is one, and not about
its namesake in another folder.
"""

from __future__ import annotations

import os

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.shell.part import Part
from tui_agent.permissions.shell.path_expansion import Places, places

__all__ = ["why_namesake"]


def why_namesake(part: Part, folders: Places, where: PathContext) -> str:
    """Return why the program of a part is another file than the one its relative path names where rules are anchored.

    Empty where it is that one, or where there is none: `cd android && ./gradlew` is not taken for another `gradlew`.
    """
    home = Places((where.cwd,), is_certain=True)
    for one in part.reached:
        program = one.words[0]
        if "/" not in program.value or program.value.startswith(("/", "~")):
            continue
        meant = [path for path in places(program, home, where).paths if os.path.lexists(path)]
        found = places(program, folders, where).paths
        for path in found if meant else ():
            if where.resolve(path) not in map(where.resolve, meant):
                return f"`{program.raw}` is `{where.shown(path)}` there, not `{where.shown(meant[0])}`"
    return ""
