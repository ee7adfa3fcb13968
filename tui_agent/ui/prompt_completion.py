"""What the prompt completes in a session: the names of its tools, and the files of its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.queries import ToolsQuery

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.queries import Preferences, SessionState, ToolList, ToolName
    from tui_agent.ui.widgets.prompt import Prompt
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["complete_files", "complete_tools"]


def complete_tools(prompt: Prompt, engine: Engine) -> None:
    """Let the prompt offer the session's tools."""
    known: list[ToolName] = []

    def take(found: ToolList) -> None:
        known[:] = found.tools

    def tool_names() -> list[tuple[str, str]]:
        # They may come and go. Where the answer takes time, those that were there last are offered.
        engine.query(ToolsQuery()).then(take)
        return [(tool.name, tool.words) for tool in known]

    prompt.offer_tools(tool_names)


def complete_files(
    prompt: Prompt,
    state: SessionState,
    *,
    preferences: Callable[[], Preferences | None],
    tools: Callable[[], dict[str, ToolUse]],
) -> None:
    """Let the prompt offer the files of the session's folder, those first that `tools` worked on."""
    from tui_agent.ui.prompting.file_finder import FileFinder, worked_on

    def is_trusted() -> bool:
        found = preferences()
        return found is not None and found.is_trusted

    def respects_ignore() -> bool:
        found = preferences()
        return found is None or found.respects_gitignore

    finder = FileFinder(
        Path(state.root),
        Path(state.home),
        is_trusted=is_trusted,
        respects_ignore=respects_ignore,
        recent=lambda: worked_on(tools()),
        on_change=prompt.completer.refresh,
    )
    prompt.offer_files(Path(state.root), finder)
