"""What the help screen lists: read from the bindings and the commands themselves, by where one is."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tui_agent import slash_commands
from tui_agent.ui.screen_text.sections import Section, section
from tui_agent.ui.terminal.contexts import OWNERS

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.dom import DOMNode

__all__ = ["PLACES", "PROMPT_KEYS", "HelpScope", "place_of", "sections"]


_EDITING_KEYS: Final = (
    ("enter", "Run once as edited"),
    ("⇧enter ^j", "New line"),
    ("esc", "Restore the proposed command"),
    ("^z ^y", "Undo, redo"),
)


@dataclass(frozen=True, slots=True)
class HelpScope:
    """A part of the help: the classes whose keys it lists, as `module:Class`, and keys that are bound elsewhere."""

    title: str
    owners: tuple[str, ...]
    more: tuple[tuple[str, str], ...] = ()


_OTHERS: Final = (("[ ]", "See the other waiting questions"),)
_LISTS: Final = (("↑ ↓", "Choose"), ("enter", "Take it"), ("/", "Search"), ("tab", "To the details, and back"))
_GIVE_UP: Final = (("esc", "Cancel"),)
_SCREENS: Final = "tui_agent.ui.screens"
_DIALOGS: Final = "tui_agent.ui.dialogs"

PROMPT_KEYS: Final = (
    ("enter", "Send; while a turn runs, queue"),
    ("^enter", "Send now; a running command moves to the background"),
    ("⇧enter ^j", "New line; so does \\ at the end of a line"),
    ("↑ ↓", "Prompt history; takes back queued messages"),
    ("^d", "Quit, when the prompt is empty"),
    ("@", "Attach a file or folder: @src/app.py#L10-20; tab enters a folder"),
    ("^v alt+v", "Attach the picture in the clipboard, or paste its text"),
    ("alt+e", "Expand the paste beside the cursor"),
    ("!", "Run a shell command; tab completes it"),
    ("^s", "Stash the draft, or restore it"),
    ("^g", "Edit the draft in your editor; so does ^x ^e"),
    ("esc esc", "Clear the draft; ↑ restores it"),
    ("^a ^e", "Start of the line, end of the line"),
    ("alt+b alt+f", "Previous word, next word"),
    ("^w alt+d", "Cut the previous word, the next word"),
    ("^u ^k", "Cut to the start of the line, to its end"),
    ("^y alt+y", "Paste what was cut; then, earlier cuts"),
    ("^_ alt+_", "Undo, redo"),
    ("?", "This help, when the prompt is empty"),
)
"""Keys of the prompt that no binding tells of, spelled, and what they do."""

PLACES: Final = (
    HelpScope(
        "Everywhere",
        ("tui_agent.ui.main_screen:MainScreen", "tui_agent.ui.app:TuiAgentApp"),
    ),
    HelpScope(
        "Prompt",
        ("tui_agent.ui.widgets.prompt:Prompt", "tui_agent.ui.widgets.prompt_text:PromptText"),
        PROMPT_KEYS,
    ),
    HelpScope("Earlier prompts", ("tui_agent.ui.widgets.history_panel:HistoryPanel",)),
    HelpScope(
        "Conversation",
        ("tui_agent.ui.widgets.transcript:Transcript",),
        (("drag ⇧click", "Select text"), ("2×click", "Select a word"), ("3×click", "Select a line")),
    ),
    HelpScope("Search in the conversation", ("tui_agent.ui.widgets.search_bar:SearchBar",)),
    HelpScope("Tools", ("tui_agent.ui.panes.tools:ToolPane",)),
    HelpScope("Diff", ("tui_agent.ui.panes.diff:DiffPane",)),
    HelpScope("A question", (f"{_SCREENS}.permission:PermissionScreen",), _OTHERS),
    HelpScope("A question about a small edit", (f"{_SCREENS}.edit:EditScreen",), _OTHERS),
    HelpScope("The rule to save", (f"{_DIALOGS}.always:AlwaysField",)),
    HelpScope("A command being edited", ("tui_agent.ui.widgets.command_editor:CommandEditor",), _EDITING_KEYS),
    HelpScope("Review of an edit", (f"{_SCREENS}.review:ReviewScreen",), _OTHERS),
    HelpScope("Lines of a review", (f"{_DIALOGS}.review_lines:LinesScreen",)),
    HelpScope("A hunk being edited", ("tui_agent.ui.widgets.review_editors:HunkEditor",), _GIVE_UP),
    HelpScope(
        "A comment being written",
        ("tui_agent.ui.widgets.review_editors:CommentEditor",),
        (("enter", "Keep it; an empty one is removed"), ("^j ⇧enter", "New line"), *_GIVE_UP),
    ),
    HelpScope("Undoing a change", (f"{_DIALOGS}.undo:UndoScreen",)),
    HelpScope("A plan", (f"{_SCREENS}.plan:PlanScreen",), _OTHERS),
    HelpScope("A form", (f"{_SCREENS}.form:FormScreen",), _OTHERS),
    HelpScope("The palette", (f"{_SCREENS}.palette:PaletteScreen",), _LISTS[:2]),
    HelpScope("Sessions", (f"{_SCREENS}.sessions:SessionsScreen",), _LISTS),
    HelpScope("Context", (f"{_SCREENS}.context:ContextScreen",), (_LISTS[0], _LISTS[3])),
    HelpScope("Cost", (f"{_SCREENS}.cost:CostScreen",)),
    HelpScope("Permissions", (f"{_SCREENS}.permissions:PermissionsScreen",)),
    HelpScope("A rule being written", (f"{_DIALOGS}.rule_editor:RuleEditor",)),
    HelpScope("Settings", (f"{_SCREENS}.settings:SettingsScreen",)),
    HelpScope("Broken settings", (f"{_SCREENS}.broken_settings:BrokenSettingsScreen",)),
    HelpScope("Hooks", (f"{_SCREENS}.hooks:HooksScreen",)),
    HelpScope("MCP servers", (f"{_SCREENS}.mcp:McpScreen",)),
    HelpScope("Agents", (f"{_SCREENS}.agents:AgentsScreen",)),
    HelpScope("An agent", (f"{_SCREENS}.agent:AgentScreen",)),
    HelpScope("Model, mode, theme", (f"{_SCREENS}.choosers:Chooser", f"{_SCREENS}.choosers:ModelChooser"), _LISTS[:2]),
    HelpScope("A confirmation", (f"{_DIALOGS}.confirm:Confirm",)),
    HelpScope("A link", (f"{_SCREENS}.link:LinkScreen",)),
    HelpScope("A folder that is not trusted", (f"{_SCREENS}.trust:TrustScreen",)),
    HelpScope("The first screen", (f"{_SCREENS}.welcome:WelcomeScreen",)),
    HelpScope(
        "A recording",
        (
            "tui_agent.ui.replay.screens:ReplayScreen",
            "tui_agent.ui.replay.app:ReplayApp",
            "tui_agent.ui.replay.screens:GoToScreen",
        ),
    ),
)


def sections(name_keys: Callable[[str, str], str] = lambda _, keys: keys) -> Sequence[Section]:
    """Return the parts of the help. `name_keys` returns keys of a context, spelled, as they are bound; none for nothing."""
    slash = [(f"/{command.name} {command.argument}".strip(), command.words) for command in slash_commands.COMMANDS]
    keys = [_named(_section(place), OWNERS[place.owners[0]], name_keys) for place in PLACES]
    return [*(part for part in (*keys[:2], ("Commands", slash), *keys[2:]) if part[1])]


def place_of(screen: DOMNode, focused: DOMNode | None) -> str:
    """Return the title of the part of the help that is about where somebody is: the pane with the focus, or the screen."""
    node: DOMNode | None = focused if focused is not None and focused.screen is screen else screen
    while node is not None:
        names = {f"{kind.__module__}:{kind.__name__}" for kind in type(node).__mro__}
        for place in PLACES:
            if not names.isdisjoint(place.owners):
                return place.title
        node = node.parent
    return ""


def _named(part: Section, context: str, name_keys: Callable[[str, str], str]) -> Section:
    title, rows = part
    named = ((name_keys(context, keys), words) for keys, words in rows)
    return title, [row for row in named if row[0]]


def _section(place: HelpScope) -> Section:
    more = [*place.more]
    if place.title == "Tools":
        from tui_agent.ui.timeline_bar import GLYPHS, MEANINGS

        more += [(GLYPHS[kind], words) for kind, words in MEANINGS.items()]
    bindings = [binding for owner in place.owners for binding in _bindings(owner)]
    title, rows = section(place.title, bindings, more)
    return title, list(dict.fromkeys(rows))


def _bindings(owner: str) -> Sequence[BindingType]:
    """Return the keys that a class says itself; those it has from others are told where these are."""
    module, _, name = owner.partition(":")
    found: Sequence[BindingType] = getattr(importlib.import_module(module), name).__dict__.get("BINDINGS", ())
    return found
