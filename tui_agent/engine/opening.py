"""Where front ends open an engine. Of what is inside of the engine they import nothing else, but for `inspection`."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.engine.session.config import SessionConfigError, SessionOptions
from tui_agent.journal.load import JournalError

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.engine.session.session import Session
    from tui_agent.model.protocol import Models
    from tui_agent.queries import SessionState

__all__ = ["JournalError", "SessionConfigError", "SessionOptions", "has_skill", "open_engine", "options_after_clear"]


def has_skill(options: SessionOptions, name: str) -> bool:
    """Whether a session opened so would have a skill or a command of this name for the user. Blocks.

    What keeps the session from being opened is no answer to that, and is told when it is opened.
    """
    from tui_agent.engine.session.plugins import read_plugin
    from tui_agent.engine.skills.loading import catalog_for
    from tui_agent.settings.load import SettingsError

    try:
        catalog = catalog_for(
            options.cwd,
            inline=options.settings,
            sources=options.setting_sources,
            is_trusted=options.is_trusted,
            plugins=tuple(place for folder in options.plugin_dirs for place in read_plugin(folder).skills),
            is_off=options.is_simple,
        )
    except SettingsError:
        return True
    skill = catalog.find(name)
    return skill is not None and catalog.is_for_user(skill)


async def open_engine(options: SessionOptions, models: Models) -> Engine:
    """Return the engine of a session, not started yet. Files are read, and what it needs is imported, in threads.

    Raises:
        SessionConfigError: it cannot start as asked.
        JournalError: its record cannot be written, or another window has it open.
    """
    module = await asyncio.to_thread(importlib.import_module, "tui_agent.engine.session.session")
    session: Session = await module.open_session(options, models)
    return session


def options_after_clear(options: SessionOptions, state: SessionState, limit_usd: float | None) -> SessionOptions:
    """Return `options` for a session that takes the place of one: with its folder, model, mode, and what was switched in it.

    Looks which of its additional folders are still there.
    """
    return replace(
        options,
        cwd=Path(state.root),
        resume=None,
        is_continued=False,
        is_after_clear=True,
        model=state.model,
        mode=state.mode,
        may_bypass=options.may_bypass or options.mode == "bypassPermissions",
        is_thinking=state.is_thinking,
        additional_dirs=tuple(folder for folder in map(Path, state.additional_dirs) if folder.is_dir()),
        max_budget_usd=limit_usd,
        is_trusted=options.is_trusted if state.is_trusted else False,
    )
