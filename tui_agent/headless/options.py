"""From the command line's words to what a session starts from."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.headless.arguments import split_rules
from tui_agent.headless.parsers import UsageError
from tui_agent.settings.variables import is_on

if TYPE_CHECKING:
    from tui_agent.engine.inspection import SessionConfig
    from tui_agent.engine.opening import SessionOptions

__all__ = ["listed", "session_options", "unrecorded", "working_folder"]


def session_options(
    options: argparse.Namespace, demo_folder: Path | None = None, *, is_attended: bool = True
) -> SessionOptions:
    """Return what the options say of a session; a demo's folder is not the user's, and nothing to distrust."""
    from tui_agent.engine.opening import SessionOptions

    sources = options.setting_sources
    return SessionOptions(
        cwd=demo_folder or working_folder(options),
        model=options.model,
        mode=options.permission_mode,
        additional_dirs=tuple(options.add_dir),
        allowed=split_rules(options.allow_rules),
        disallowed=split_rules(options.deny_rules),
        settings=options.settings,
        setting_sources=None if sources is None else listed(sources),
        agents=options.agents,
        plugin_dirs=tuple(options.plugin_dir),
        mcp_config=tuple(options.mcp_config),
        is_mcp_strict=options.strict_mcp_config,
        is_simple=options.simple or is_on(os.environ, "CLAUDE_CODE_SIMPLE"),
        features=listed(options.features),
        max_turns=options.max_turns,
        max_budget_usd=options.max_budget_usd,
        resume=options.resume,
        is_continued=options.continue_newest,
        may_bypass=options.dangerously_skip_permissions,
        is_attended=is_attended,
        is_trusted=True if demo_folder else None,
    )


@contextlib.contextmanager
def unrecorded(options: argparse.Namespace) -> Iterator[SessionConfig]:
    """Give what a session here would start from; its folder stays only if something was stored in it."""
    from tui_agent.engine.inspection import SessionConfigError, prepare

    try:
        opening = prepare(session_options(options, is_attended=False))
    except SessionConfigError as error:
        raise UsageError(str(error), "") from error
    try:
        yield opening
    finally:
        with contextlib.suppress(OSError):
            opening.folder.path.rmdir()


def working_folder(options: argparse.Namespace) -> Path:
    """Return the folder to work in, absolute.

    Raises:
        UsageError: the current folder was removed.
    """
    try:
        return Path(os.path.abspath(options.cwd or Path.cwd()))  # noqa: PTH100 - links stay as the user wrote them
    except FileNotFoundError:
        raise UsageError("the current folder no longer exists", "Change to another one.") from None


def listed(text: str) -> tuple[str, ...]:
    """Return the parts of `A,B`."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
