"""What a front end is told first of a session: who and where this is, and what it should know before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tui_agent import __version__
from tui_agent.engine.gate.sandbox_status import sandbox_label, sandbox_notices
from tui_agent.engine.session.config import SessionConfig
from tui_agent.engine.session.toggles import SessionToggles
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.events import Event, Notice, SessionRenamed, SessionStarted, SettingsReloaded

__all__ = ["startup_events"]

_BYPASS_WARNING: Final = Notice(
    level="warning",
    text="Permissions may be bypassed in this session: in that mode commands and edits run without asking, whatever they do.",
    hint="Rules that deny or ask still count. Use it where nothing can be lost, such as in a container.",
)


def startup_events(
    opening: SessionConfig, runtime: ToolRuntime, toggles: SessionToggles, *, model: str
) -> Iterator[Event]:
    """Give the events to publish: the session first, then problems, then what is less safe than usual.

    `model` is the one that requests go to.
    """
    sandbox = opening.settings.values.sandbox
    yield SessionStarted(
        cwd=str(runtime.workspace.root),
        model=model,
        mode=runtime.mode.now,
        is_thinking=toggles.is_thinking,
        version=__version__,
        source=opening.source,
        trusted=opening.settings.is_trusted,
        tools=tuple(tool.name for tool in runtime.pool.tools),
        additional_dirs=tuple(str(folder) for folder in runtime.workspace.additional),
        sandbox=sandbox_label(sandbox),
    )
    if opening.resumed is not None and (title := opening.folder.title):
        yield SessionRenamed(title=title)
    if runtime.problems:
        yield SettingsReloaded(problems=runtime.problems)
    for text in (*opening.notices, *opening.memory.first.problems, *sandbox_notices(sandbox)):
        yield Notice(level="warning", text=text)
    if not runtime.masker.is_on:
        yield toggles.masking
    if runtime.mode.may_bypass:
        yield _BYPASS_WARNING
