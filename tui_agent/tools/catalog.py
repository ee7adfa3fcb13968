"""The list of built-in tools, as plain data: what exists, and in which folder. Importing it imports no tool.

A tool is a package with `tool.py`, whose `TOOL` is its class, and `view.py`, whose `View` draws it (optional). A new tool is
its folder and one line here; `register` does the same at run time.

A schema in the request costs some hundred tokens of every one. Deferred tools are those that few conversations need, or none
before it is clear that they do: the model knows their names, and looks the schema up (ToolSearch) when it wants one.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CatalogEntry", "entries", "find", "register"]


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One tool: its name, the package it lives in, and the features that must be on for it (any of them; none: always).

    `is_deferred` says that a model has to look its schema up.
    """

    name: str
    package: str
    features: tuple[str, ...] = ()
    is_deferred: bool = False


_ENTRIES: dict[str, CatalogEntry] = {
    entry.name: entry
    for entry in (
        CatalogEntry("Agent", "tui_agent.tools.agent"),
        CatalogEntry("Architect", "tui_agent.tools.architect", features=("architect",)),
        CatalogEntry("AskUserQuestion", "tui_agent.tools.ask_user_question"),
        CatalogEntry("Bash", "tui_agent.tools.bash"),
        CatalogEntry("Edit", "tui_agent.tools.edit"),
        # People turn plan mode on themselves, as a rule; out of it leads nothing but the other.
        CatalogEntry("EnterPlanMode", "tui_agent.tools.enter_plan_mode", is_deferred=True),
        CatalogEntry("ExitPlanMode", "tui_agent.tools.exit_plan_mode"),
        CatalogEntry("Glob", "tui_agent.tools.glob"),
        CatalogEntry("Grep", "tui_agent.tools.grep"),
        CatalogEntry("LS", "tui_agent.tools.ls"),
        CatalogEntry("MemoryRead", "tui_agent.tools.memory_read", features=("memory",)),
        CatalogEntry("MemoryWrite", "tui_agent.tools.memory_write", features=("memory",)),
        CatalogEntry("MultiEdit", "tui_agent.tools.multi_edit"),
        # Read shows notebooks too; these are for the few projects that have some.
        CatalogEntry("NotebookEdit", "tui_agent.tools.notebook_edit", is_deferred=True),
        CatalogEntry("NotebookRead", "tui_agent.tools.notebook_read", is_deferred=True),
        CatalogEntry("Read", "tui_agent.tools.read"),
        # What an agent answers names it.
        CatalogEntry("SendMessage", "tui_agent.tools.send_message", is_deferred=True),
        CatalogEntry("Skill", "tui_agent.tools.skill"),
        # Only for what takes minutes.
        CatalogEntry("Sleep", "tui_agent.tools.sleep", features=("kairos", "proactive"), is_deferred=True),
        # Once in a long while.
        CatalogEntry("StickerRequest", "tui_agent.tools.sticker_request", is_deferred=True),
        # TodoWrite keeps the same list; these are for plans with parts that depend on each other.
        CatalogEntry("TaskCreate", "tui_agent.tools.task_create", is_deferred=True),
        CatalogEntry("TaskGet", "tui_agent.tools.task_get", is_deferred=True),
        CatalogEntry("TaskList", "tui_agent.tools.task_overview", is_deferred=True),
        CatalogEntry("TaskOutput", "tui_agent.tools.task_output"),
        CatalogEntry("TaskStop", "tui_agent.tools.task_stop"),
        CatalogEntry("TaskUpdate", "tui_agent.tools.task_update", is_deferred=True),
        # Most models think by themselves; it is for those that do not, and for people who want to read along.
        CatalogEntry("Think", "tui_agent.tools.think", is_deferred=True),
        CatalogEntry("TodoWrite", "tui_agent.tools.todo_write"),
        CatalogEntry("ToolSearch", "tui_agent.tools.tool_search"),
        CatalogEntry("WebFetch", "tui_agent.tools.web_fetch"),
        CatalogEntry("Write", "tui_agent.tools.write"),
    )
}


def entries() -> tuple[CatalogEntry, ...]:
    """Return all entries, sorted by name."""
    return tuple(_ENTRIES[name] for name in sorted(_ENTRIES))


def find(name: str) -> CatalogEntry | None:
    """Return the entry of this canonical name."""
    return _ENTRIES.get(name)


def register(entry: CatalogEntry) -> None:
    """Add a tool, or put another in the place of one of the same name."""
    _ENTRIES[entry.name] = entry
