"""What the prompt completes in a session: the names of its tools, and the files of its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.queries import SkillsQuery, ToolsQuery
from tui_agent.slash_commands import SlashCommand
from tui_agent.text import clean_line, reveal

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.queries import Preferences, SessionState, SkillList, SkillRow, ToolList, ToolName
    from tui_agent.ui.widgets.prompt import Prompt
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["complete_files", "complete_skills", "complete_tools"]


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


def complete_skills(prompt: Prompt, engine: Engine) -> None:
    """Let the prompt offer the session's skills and commands of the user's, with hints and sources."""
    known: list[SlashCommand] = []

    def take(found: SkillList | None) -> None:
        rows = found.skills if found is not None else ()
        known[:] = [_command(row) for row in rows if row.is_for_user]

    def skills() -> list[SlashCommand]:
        engine.query(SkillsQuery()).then(take)  # as with tools
        return known

    prompt.offer_skills(skills)


def _command(row: SkillRow) -> SlashCommand:
    return SlashCommand(
        reveal(row.name),
        f"{clean_line(row.place, 60)}: {clean_line(row.words, 300)}",
        clean_line(row.argument_hint, 60),
    )


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
