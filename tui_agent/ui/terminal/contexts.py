"""Which of the contexts that have keys of their own somebody is in: by the widget that has the focus, or the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tui_agent.ui.terminal.editable import as_editable

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen

__all__ = ["OWNERS", "context_of", "context_of_node"]

_SCREENS: Final = "tui_agent.ui.screens"
_DIALOGS: Final = "tui_agent.ui.dialogs"
_WIDGETS: Final = "tui_agent.ui.widgets"

OWNERS: Final = {
    "tui_agent.ui.main_screen:MainScreen": "Global",
    "tui_agent.ui.app:TuiAgentApp": "Global",
    f"{_WIDGETS}.prompt:Prompt": "Chat",
    f"{_WIDGETS}.prompt_text:PromptText": "Chat",
    f"{_WIDGETS}.history_panel:HistoryPanel": "HistorySearch",
    f"{_WIDGETS}.transcript:Transcript": "Transcript",
    f"{_WIDGETS}.search_bar:SearchBar": "Search",
    "tui_agent.ui.panes.tools:ToolPane": "Tools",
    "tui_agent.ui.panes.diff:DiffPane": "Diff",
    f"{_SCREENS}.permission:PermissionScreen": "Permission",
    f"{_SCREENS}.edit:EditScreen": "EditQuestion",
    f"{_DIALOGS}.always:AlwaysField": "AlwaysRule",
    f"{_WIDGETS}.command_editor:CommandEditor": "CommandEditor",
    f"{_SCREENS}.review:ReviewScreen": "Review",
    f"{_DIALOGS}.review_lines:LinesScreen": "ReviewLines",
    f"{_WIDGETS}.review_editors:HunkEditor": "HunkEditor",
    f"{_WIDGETS}.review_editors:CommentEditor": "CommentEditor",
    f"{_DIALOGS}.undo:UndoScreen": "Undo",
    f"{_SCREENS}.plan:PlanScreen": "Plan",
    f"{_SCREENS}.form:FormScreen": "Form",
    f"{_SCREENS}.palette:PaletteScreen": "Palette",
    f"{_SCREENS}.sessions:SessionsScreen": "Sessions",
    f"{_SCREENS}.context:ContextScreen": "ContextWindow",
    f"{_SCREENS}.cost:CostScreen": "Cost",
    f"{_SCREENS}.permissions:PermissionsScreen": "Permissions",
    f"{_DIALOGS}.rule_editor:RuleEditor": "RuleEditor",
    f"{_SCREENS}.settings:SettingsScreen": "Settings",
    f"{_SCREENS}.broken_settings:BrokenSettingsScreen": "BrokenSettings",
    f"{_SCREENS}.hooks:HooksScreen": "Hooks",
    f"{_SCREENS}.mcp:McpScreen": "Mcp",
    f"{_SCREENS}.agents:AgentsScreen": "Agents",
    f"{_SCREENS}.agent:AgentScreen": "Agent",
    f"{_SCREENS}.choosers:Chooser": "Chooser",
    f"{_SCREENS}.choosers:ModelChooser": "ModelPicker",
    f"{_DIALOGS}.confirm:Confirm": "Confirm",
    f"{_SCREENS}.link:LinkScreen": "Link",
    f"{_SCREENS}.trust:TrustScreen": "Trust",
    f"{_SCREENS}.welcome:WelcomeScreen": "Welcome",
    f"{_SCREENS}.help:HelpScreen": "Help",
    "tui_agent.ui.replay.screens:ReplayScreen": "Replay",
    "tui_agent.ui.replay.app:ReplayApp": "Replay",
    "tui_agent.ui.replay.screens:GoToScreen": "ReplayPlace",
}
"""The context of each class that has keys, as `module:Class`: none of them need be imported to ask."""


def context_of(screen: Screen[Any]) -> str:
    """Return where somebody is on a screen."""
    focused = screen.focused
    area = as_editable(focused)
    return area.key_context if area is not None else context_of_node(focused or screen)


def context_of_node(node: DOMNode | None) -> str:
    """Return the context of a widget, or of the nearest thing round it that has one."""
    while node is not None:
        for kind in type(node).__mro__:
            if (context := OWNERS.get(f"{kind.__module__}:{kind.__name__}")) is not None:
                return context
        node = node.parent
    return "Global"
