"""What the help screen lists: read from the bindings and the commands themselves."""

from __future__ import annotations

from collections.abc import Sequence

from tui_agent.ui import commands
from tui_agent.ui.main_screen import MainScreen
from tui_agent.ui.panes.diff import DiffPane
from tui_agent.ui.panes.tools import ToolPane
from tui_agent.ui.screens.form import FormScreen
from tui_agent.ui.screens.help import Section, section
from tui_agent.ui.screens.permission import PermissionScreen
from tui_agent.ui.screens.review import ReviewScreen
from tui_agent.ui.timeline_bar import GLYPHS, MEANINGS
from tui_agent.ui.widgets.transcript import Transcript

__all__ = ["sections"]

_PROMPT = (
    ("enter", "Send; while something runs, queue"),
    ("⇧enter ^j", "New line, as does \\ at the end of a line"),
    ("↑ ↓", "What was sent before; takes back what is queued"),
    ("^d", "Leave, when the prompt is empty"),
)
_OTHERS = (("[ ]", "Look at the others that wait"),)


def sections() -> Sequence[Section]:
    """Return the parts of the help."""
    slash = [(f"/{command.name} {command.argument}".strip(), command.words) for command in commands.COMMANDS]
    return [
        section("Everywhere", MainScreen.BINDINGS, [("^p", "All commands"), ("F1", "This help")]),
        section("Prompt", (), _PROMPT),
        section("Commands", (), slash),
        section("Conversation", Transcript.BINDINGS, [("drag", "Select text"), ("2×click", "Select a word")]),
        section("Tools", ToolPane.BINDINGS, [(GLYPHS[kind], words) for kind, words in MEANINGS.items()]),
        section("Diff", DiffPane.BINDINGS),
        section("A question", PermissionScreen.BINDINGS, _OTHERS),
        section("A form", FormScreen.BINDINGS, _OTHERS),
        section("Review of an edit", ReviewScreen.BINDINGS, _OTHERS),
    ]
