"""What a front end is told first of a session: who and where this is, and what it should know before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tui_agent import __version__
from tui_agent.agent.confining import sandbox_label, sandbox_notices
from tui_agent.agent.opening import Opening
from tui_agent.agent.switches import Switches
from tui_agent.agent.workbench import Workbench
from tui_agent.events import Event, Notice, SessionStarted, SettingsReloaded

__all__ = ["introduction"]

_BYPASS_WARNING: Final = Notice(
    level="warning",
    text="Permissions may be bypassed in this session: in that mode commands and edits run without asking, whatever they do.",
    hint="Rules that deny or ask still count. Use it where nothing can be lost, such as in a container.",
)


def introduction(opening: Opening, bench: Workbench, switches: Switches, *, model: str) -> Iterator[Event]:
    """Give the events to publish: the session first, then problems, then what is less safe than usual.

    `model` is the one that requests go to.
    """
    sandbox = opening.settings.values.sandbox
    yield SessionStarted(
        cwd=str(bench.workspace.root),
        model=model,
        mode=bench.rulebook.mode,
        is_thinking=switches.is_thinking,
        version=__version__,
        source=opening.source,
        trusted=opening.settings.is_trusted,
        tools=tuple(tool.name for tool in bench.pool.tools),
        additional_dirs=tuple(str(folder) for folder in bench.workspace.additional),
        sandbox=sandbox_label(sandbox),
    )
    if bench.problems:
        yield SettingsReloaded(problems=bench.problems)
    for text in (*opening.notices, *opening.memory.problems, *sandbox_notices(sandbox)):
        yield Notice(level="warning", text=text)
    if not bench.masker.is_on:
        yield switches.masking
    if switches.may_bypass:
        yield _BYPASS_WARNING
