"""Whether a command that a rule allows runs a file that another part of the same text has just written.

The rule is about the file as it was when the command was judged. What another rule allows may write what it likes: that was
the user's decision.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tui_agent.permissions.command_part import Judged
from tui_agent.permissions.path_context import PathContext, is_within
from tui_agent.permissions.shell.analysis import Analysis, Part
from tui_agent.permissions.shell.isolation import RunOrder
from tui_agent.permissions.shell.path_expansion import places
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.verdict import Need

__all__ = ["changed_before_run"]


def changed_before_run(
    analysis: Analysis, judged: Sequence[Judged], where: PathContext
) -> Iterator[tuple[int, str, Need]]:
    """Yield the parts that a rule allows and that run a file which another part may have written by then: which, why, need."""
    script = analysis.script
    allowed = [at for at, one in enumerate(judged) if one.has_rule and one.part.judgement.kind == "unknown"]
    if script is None or not allowed:
        return
    order = RunOrder(script)
    written = [(other, list(_written(earlier, where))) for other, earlier in enumerate(judged)]
    written = [(other, paths) for other, paths in written if paths]
    for at in allowed if written else ():
        one = judged[at]
        named = [path for word in _named(one.part) for path in places(word, one.folders, where).paths]
        for other, paths in written:
            if other == at or not order.may_run_before(judged[other].part, one.part, is_earlier=other < at):
                continue
            for path in paths:
                if any(is_within(run, path) for run in named):
                    need = Need(subject=one.verdict.command)
                    yield at, f"`{where.shown(path)}`, which it runs, is written by another part of the command", need
                    break


def _named(part: Part) -> Iterator[Word]:
    """Yield the words that may stand for a program: the command's own, and what is handed to it, as `bash build.sh` does."""
    for one in part.reached:
        yield from (word for word in one.words if not word.value.startswith("-"))


def _written(one: Judged, where: PathContext) -> Iterator[str]:
    """Yield what a part writes without a rule of its own; in a folder the new file has the name of what it is a copy of."""
    if one.part.judgement.kind == "edit" and not one.has_rule:
        sources = [path for word in one.part.judgement.reads for path in places(word, one.folders, where).paths]
        for word in one.part.judgement.writes:
            for path in places(word, one.folders, where).paths:
                if not os.path.isdir(path):  # noqa: PTH112 - of texts
                    yield path
                yield from (os.path.join(path, os.path.basename(source)) for source in sources)  # noqa: PTH118, PTH119
    if one.redirects == "edits":
        for redirect in one.part.redirects:
            if redirect.is_output and not redirect.is_free and redirect.target is not None:
                yield from places(redirect.target, one.folders, where).paths
