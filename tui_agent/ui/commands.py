"""The commands a person may type after `/`, as data; who carries them out is the app's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["COMMANDS", "Command", "find", "matching", "split"]


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name without the slash, what it does, what may follow it, and other names it goes by."""

    name: str
    words: str
    argument: str = ""
    aliases: tuple[str, ...] = ()


COMMANDS: Final = (
    Command("help", "keys and commands", aliases=("keys",)),
    Command("clear", "start the conversation afresh", aliases=("new", "reset")),
    Command("model", "choose the model", "[name]"),
    Command("mode", "choose what needs your permission", "[name]", aliases=("permissions",)),
    Command("theme", "choose the colours", "[name]"),
    Command("status", "where things stand: model, cost, each tool's uses and errors", aliases=("cost", "usage")),
    Command("tasks", "what runs in the background", aliases=("jobs", "bashes")),
    Command("tool", "run a tool by hand: --field=value …; $R3 is the third result's data, $R the last one's", "NAME …"),
    Command("quit", "leave", aliases=("exit",)),
)


def split(text: str) -> tuple[str, str] | None:
    """Return the name and the argument of a command line, None when `text` is none: a path is not."""
    first, _, rest = text.strip().partition(" ")
    is_long = "\n" in text.strip() and first != "/tool"  # whose values may have several lines
    if not first.startswith("/") or is_long or "/" in first[1:]:
        return None
    return first[1:], rest.strip()


def find(name: str) -> Command | None:
    """Return the command of this name or alias."""
    return next((command for command in COMMANDS if name in (command.name, *command.aliases)), None)


def matching(beginning: str) -> list[Command]:
    """Return the commands of which the name or another name begins so; an exact one first, those by name next."""
    wanted = beginning.lower()
    by_name = [command for command in COMMANDS if command.name.startswith(wanted)]
    by_alias = [command for command in COMMANDS if any(alias.startswith(wanted) for alias in command.aliases)]
    by_name.sort(key=lambda command: command.name != wanted)
    return by_name + [command for command in by_alias if command not in by_name]
