"""A tool runtime without a session, for tests of what tool uses need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tui_agent.engine.session.core import SessionCore
from tui_agent.engine.session.tool_runtime import ToolRuntime, ToolRuntimeOptions
from tui_agent.events import Event
from tui_agent.settings.load import Settings

__all__ = ["make_runtime"]


def make_runtime(
    options: ToolRuntimeOptions, settings: Settings, *, publish: Callable[[Event], object] | None = None, **given: Any
) -> ToolRuntime:
    """Return a runtime. `publish` gets each event as subscribers do; `given` goes to `ToolRuntime`."""
    core = SessionCore.make(settings, mode=options.mode)
    if publish is not None:
        heard = core.bus.subscribe("test", lambda: [publish(event) for event in heard.take()])
    return ToolRuntime(options, core, **given)
