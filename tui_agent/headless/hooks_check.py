"""The part of `doctor` that is about hooks: how many would run, and what is wrong with those that would not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tui_agent.headless.findings import Finding

__all__ = ["examine_hooks"]


def examine_hooks(cwd: Path, inline: str | None) -> Iterator[Finding]:
    """Yield what is to be said of the hooks that a session in `cwd` would have; nothing where there are none."""
    from tui_agent.engine.inspection import if_problem
    from tui_agent.hooks.registry import HookRegistry
    from tui_agent.settings.load import SettingsError, load_settings

    try:
        settings = load_settings(cwd, inline=inline)
    except SettingsError:
        return  # said of the settings already
    book = HookRegistry.read(settings.hooks, rule_problem=if_problem)
    for problem in book.problems:
        yield Finding("problem", "hooks", str(problem))
    off: dict[str, int] = {}
    told = {entry.reason for entry in settings.hooks}  # with the settings
    for handler in book.handlers:
        if handler.why_not and handler.why_not not in told:
            off[handler.why_not] = off.get(handler.why_not, 0) + 1
        for note in handler.notes:
            yield Finding("warning", "hooks", f"{handler.file}:{handler.line}: {note}")
    if book.handlers:
        running = sum(not handler.why_not for handler in book.handlers)
        reasons = "".join(f"; {number} not: {reason}" for reason, number in off.items())
        yield Finding("ok", "hooks", f"{running} of {len(book.handlers)} run{reasons}")
