"""The commands a user may type after `/`, as data; who carries them out is the app's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["COMMANDS", "NAMES", "SlashCommand", "find", "matching", "split"]


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """One command: its name without the slash, what it does, what may follow it, and other names it goes by."""

    name: str
    words: str
    argument: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that may follow it, where these are all there are: `[on | off]`."""
        words = [word.strip() for word in self.argument.strip("[]").split("|")]
        return tuple(words) if len(words) > 1 else ()


COMMANDS: Final = (
    SlashCommand("help", "keys and commands", aliases=("keys",)),
    SlashCommand("clear", "start the conversation afresh", aliases=("new", "reset")),
    SlashCommand("model", "choose the model", "[name]"),
    SlashCommand("thinking", "whether the model thinks before it answers", "[on | off]"),
    SlashCommand("mode", "choose what needs your permission", "[name]"),
    SlashCommand("permissions", "rules, what was refused, and trying a call", "[command]", aliases=("allowed-tools",)),
    SlashCommand("plan", "plan mode: nothing but reading until you approve a plan", "[what to plan]"),
    SlashCommand("secrets", "hide keys and passwords in what tools find, or show them", "[on | off | status]"),
    SlashCommand("theme", "choose the colours", "[name]"),
    SlashCommand("hooks", "your own commands that hear what happens: which, from where, and how they fared"),
    SlashCommand("settings", "what is set, and where it comes from", aliases=("config",)),
    SlashCommand("trust", "look at this folder's settings that are held back, and confirm them"),
    SlashCommand("status", "where things stand: model, cost, each tool's uses and errors"),
    SlashCommand(
        "cost",
        "what was spent, by model and by turn; a limit for it",
        "[limit 5]",
        aliases=("usage", "stats"),
    ),
    SlashCommand("context", "what fills the model's context; leave single results out"),
    SlashCommand(
        "resume", "recorded sessions: search, go on with one, export, delete", "[id]", aliases=("sessions", "continue")
    ),
    SlashCommand("export", "write this conversation into a file, as Markdown", "[folder]"),
    SlashCommand(
        "patch", "write all that this session changed as a patch, for git apply", "[file]", aliases=("export-patch",)
    ),
    SlashCommand("tasks", "what runs in the background", aliases=("jobs", "bashes")),
    SlashCommand(
        "tool", "run a tool by hand: --field=value …; $R3 is the third result's data, $R the last one's", "NAME …"
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
