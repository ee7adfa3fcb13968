"""The commands that a user types after `/`, as data: for every front end.

The app carries all of them out; those that need a screen open one there. Headless runs, and other clients, have the rest: they
send the command, or ask the query, that `sends` and `asks` name as the boundary's JSON does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["COMMANDS", "NAMES", "SlashCommand", "find", "matching", "split"]


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """One command: its name without the slash, what it does, what may follow it, and other names it goes by.

    `is_headless` says that it is of use without a screen, and alone. `sends` and `asks` are the types of the command and of the
    query that it becomes; both are empty where it concerns the app alone.
    """

    name: str
    words: str
    argument: str = ""
    aliases: tuple[str, ...] = ()
    is_headless: bool = False
    sends: str = ""
    asks: str = ""

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that may follow it, where these are all there are: `[on | off]`."""
        words = [word.strip() for word in self.argument.strip("[]").split("|")]
        return tuple(words) if len(words) > 1 else ()


COMMANDS: Final = (
    SlashCommand("help", "keys and commands", aliases=("keys",), is_headless=True),
    SlashCommand(
        "clear",
        "begin a new session; this one stays in /resume",
        "[name for this one]",
        aliases=("new", "reset"),
        sends="clear",
    ),
    SlashCommand("model", "choose the model", "[name]", sends="set_model"),
    SlashCommand("thinking", "turn thinking on or off", "[on | off]", sends="set_thinking"),
    SlashCommand("mode", "choose the permission mode", "[name]", sends="set_mode"),
    SlashCommand(
        "permissions",
        "permission rules, denied calls, and a way to try a call",
        "[command]",
        aliases=("allowed-tools",),
        is_headless=True,
        asks="permissions",
    ),
    SlashCommand("plan", "plan mode: read-only until you approve a plan", "[what to plan]", sends="set_mode"),
    SlashCommand(
        "secrets",
        "hide or show secrets in tool output",
        "[on | off | status]",
        sends="set_masking",
    ),
    SlashCommand("theme", "choose the colour theme", "[name]"),
    SlashCommand(
        "skills",
        "skills and commands of your own, and what is left out",
        aliases=("reload-skills",),
        is_headless=True,
        asks="skills",
    ),
    SlashCommand("agents", "agents at work, and the types there are", is_headless=True, asks="agents"),
    SlashCommand("hooks", "list hooks and their recent runs", is_headless=True, asks="hooks"),
    SlashCommand(
        "mcp",
        "MCP servers: states, tools, log, reconnect, sign in",
        "[reconnect NAME]",
        is_headless=True,
        asks="mcp",
        sends="manage_mcp_server",
    ),
    SlashCommand(
        "settings",
        "the settings in force, and where each comes from",
        aliases=("config",),
        is_headless=True,
        asks="settings",
    ),
    SlashCommand(
        "trust",
        "review and confirm this folder's withheld settings",
        sends="confirm_settings",
        asks="withheld",
    ),
    SlashCommand("status", "session status: model, cost, tool uses and errors", is_headless=True, asks="state"),
    SlashCommand(
        "cost",
        "cost by model and by turn, and a spending limit",
        "[limit 5]",
        aliases=("usage", "stats"),
        is_headless=True,
        sends="set_spending_limit",
        asks="cost",
    ),
    SlashCommand("context", "what fills the context; drop single results", is_headless=True, asks="context"),
    SlashCommand(
        "resume",
        "recorded sessions: search, resume, export, delete",
        "[id]",
        aliases=("sessions", "continue"),
        is_headless=True,
        asks="sessions",
    ),
    SlashCommand("rename", "name this session", "[name]", sends="rename_session"),
    SlashCommand("export", "export this conversation as Markdown", "[folder]", is_headless=True, asks="export"),
    SlashCommand(
        "patch",
        "write this session's changes as a patch for git apply",
        "[file]",
        aliases=("export-patch",),
        is_headless=True,
        asks="patch",
    ),
    SlashCommand("tasks", "background jobs", aliases=("jobs", "bashes")),
    SlashCommand(
        "tool",
        "run a tool yourself: --field=value …; $R3 is the third result's data, $R the last one's",
        "NAME …",
        is_headless=True,
        sends="run_tool",
    ),
    SlashCommand("init", "have the model write or improve CLAUDE.md", "[what to mention]", sends="submit"),
    SlashCommand(
        "memory",
        "memory files: which the model has; edit one in your editor",
        is_headless=True,
        asks="memory",
    ),
    SlashCommand(
        "review", "have the model review the changes here", "[what]", aliases=("code-review",), sends="submit"
    ),
    SlashCommand("security-review", "have the model look for security problems in the changes", sends="submit"),
    SlashCommand("diff", "the session's changes, to look at and to undo"),
    SlashCommand("copy", "copy the last reply, or an earlier one", "[number]"),
    SlashCommand("add-dir", "let the model work in another folder, too", "[folder]", sends="add_folder"),
    SlashCommand("login", "give another key, or another server", sends="sign_in"),
    SlashCommand("logout", "remove the key from the system keyring"),
    SlashCommand("vim", "switch the prompt between vi keys and the usual ones"),
    SlashCommand("keybindings", "edit your key bindings in your editor"),
    SlashCommand("quit", "leave", aliases=("exit",)),
)
NAMES: Final = frozenset(name for command in COMMANDS for name in (command.name, *command.aliases))


def split(text: str) -> tuple[str, str] | None:
    """Return the name and the argument of a command line, None when `text` is none: a path is not."""
    first, _, rest = text.strip().partition(" ")
    is_long = "\n" in text.strip() and first != "/tool"  # whose values may have several lines
    if not first.startswith("/") or is_long or "/" in first[1:]:
        return None
    return first[1:], rest.strip()


def find(name: str) -> SlashCommand | None:
    """Return the command of this name or alias."""
    return next((command for command in COMMANDS if name in (command.name, *command.aliases)), None)


def matching(beginning: str) -> list[SlashCommand]:
    """Return the commands of which the name or another name begins so; an exact one first, those by name next."""
    wanted = beginning.lower()
    by_name = [command for command in COMMANDS if command.name.startswith(wanted)]
    by_alias = [command for command in COMMANDS if any(alias.startswith(wanted) for alias in command.aliases)]
    by_name.sort(key=lambda command: command.name != wanted)
    return by_name + [command for command in by_alias if command not in by_name]
