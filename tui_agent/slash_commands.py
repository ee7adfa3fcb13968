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
    query that it becomes; both are empty where it concerns the app alone, or files.
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
    SlashCommand("clear", "start the conversation afresh", aliases=("new", "reset"), sends="clear"),
    SlashCommand("model", "choose the model", "[name]", sends="set_model"),
    SlashCommand("thinking", "whether the model thinks before it answers", "[on | off]", sends="set_thinking"),
    SlashCommand("mode", "choose what needs your permission", "[name]", sends="set_mode"),
    SlashCommand(
        "permissions",
        "rules, what was refused, and trying a call",
        "[command]",
        aliases=("allowed-tools",),
        asks="permissions",
    ),
    SlashCommand("plan", "plan mode: nothing but reading until you approve a plan", "[what to plan]", sends="set_mode"),
    SlashCommand(
        "secrets",
        "hide keys and passwords in what tools find, or show them",
        "[on | off | status]",
        sends="set_masking",
    ),
    SlashCommand("theme", "choose the colours", "[name]"),
    SlashCommand(
        "hooks", "your own commands that hear what happens: which, from where, and how they fared", asks="hooks"
    ),
    SlashCommand("settings", "what is set, and where it comes from", aliases=("config",), asks="settings"),
    SlashCommand(
        "trust",
        "look at this folder's settings that are held back, and confirm them",
        sends="confirm_settings",
        asks="withheld",
    ),
    SlashCommand(
        "status", "where things stand: model, cost, each tool's uses and errors", is_headless=True, asks="state"
    ),
    SlashCommand(
        "cost",
        "what was spent, by model and by turn; a limit for it",
        "[limit 5]",
        aliases=("usage", "stats"),
        is_headless=True,
        sends="set_spending_limit",
        asks="cost",
    ),
    SlashCommand(
        "context", "what fills the model's context; leave single results out", is_headless=True, asks="context"
    ),
    SlashCommand(
        "resume",
        "recorded sessions: search, go on with one, export, delete",
        "[id]",
        aliases=("sessions", "continue"),
        asks="sessions",
    ),
    SlashCommand("export", "write this conversation into a file, as Markdown", "[folder]", is_headless=True),
    SlashCommand(
        "patch",
        "write all that this session changed as a patch, for git apply",
        "[file]",
        aliases=("export-patch",),
        asks="patch",
    ),
    SlashCommand("tasks", "what runs in the background", aliases=("jobs", "bashes")),
    SlashCommand(
        "tool",
        "run a tool by hand: --field=value …; $R3 is the third result's data, $R the last one's",
        "NAME …",
        sends="run_tool",
    ),
    SlashCommand("vim", "the keys of vi in the prompt, or the usual ones"),
    SlashCommand("keybindings", "bind keys as you like them: opens the file in your editor"),
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
