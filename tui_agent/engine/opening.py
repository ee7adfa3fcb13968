"""Where front ends open an engine. Of what is inside of the engine they import nothing else, but for `inspection`."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

from tui_agent.engine.session.config import SessionConfigError, SessionOptions
from tui_agent.journal.load import JournalError

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.engine.session.session import Session
    from tui_agent.model.protocol import Models

__all__ = ["JournalError", "SessionConfigError", "SessionOptions", "has_skill", "open_engine"]


def has_skill(options: SessionOptions, name: str) -> bool:
    """Whether a session opened so would have a skill or a command of this name for the user. Blocks.

    What keeps the session from being opened is no answer to that, and is told when it is opened.
    """
    from tui_agent.engine.skills.loading import catalog_for
    from tui_agent.settings.load import SettingsError

    try:
        catalog = catalog_for(
            options.cwd,
            inline=options.settings,
            sources=options.setting_sources,
            is_trusted=options.is_trusted,
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
