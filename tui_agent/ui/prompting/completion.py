"""What is being named where the cursor stands: a command, what follows one, a tool, or a file.

Pure: it looks at a text, and says what could be meant of what there is a list of. Files are found by `file_finder`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tui_agent import slash_commands
from tui_agent.mentions import open_mention, written
from tui_agent.slash_commands import SlashCommand
from tui_agent.ui.prompting.completion_row import CompletionRow
from tui_agent.ui.prompting.fuzzy import fit, positions, score

__all__ = ["Named", "completed_file", "named_at", "rows_for"]

_MOST_TOOLS: Final = 8
_MOST_VALUES: Final = 30

Values = Callable[[str], Sequence[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Named:
    """What is being named: `typed` of it from offset `start` of the text on. `command` is the one that a value follows."""

    kind: Literal["command", "value", "tool", "file"]
    start: int
    typed: str
    command: str = ""


def named_at(text: str, cursor: int) -> Named | None:
    """Return what is being named right before the cursor, an offset; None where nothing is."""
    line = text.rfind("\n", 0, cursor) + 1
    mention = open_mention(text[line:cursor])
    if mention is not None:
        return Named("file", line + mention.start, mention.typed)
    if not text.startswith("/") or line:
        return None
    before = text[:cursor]
    name, blank, typed = before[1:].partition(" ")
    if "/" in name or "\t" in before:
        return None
    if not blank:
        return Named("command", 0, name) if cursor == len(text) else None
    if cursor < len(text.rstrip()) or " " in typed:
        return None
    command = slash_commands.find(name)
    if command is None:
        return None
    start = cursor - len(typed)
    return Named("tool" if command.name == "tool" else "value", start, typed, command.name)


def rows_for(
    named: Named,
    *,
    tools: Sequence[tuple[str, str]],
    values: Values,
    skills: Sequence[SlashCommand] = (),
) -> tuple[list[CompletionRow], bool]:
    """Return what could be meant, the likeliest first, and whether the first of it may be taken as meant.

    It is where what was typed begins it, or a word of it. `skills` are commands besides the built-in ones.
    """
    wanted = named.typed.lower()
    if named.kind == "command":
        return _commands(wanted, skills)
    if named.kind == "tool":
        rows = [
            CompletionRow(name, words, tuple(range(len(wanted))))
            for name, words in tools
            if name.lower().startswith(wanted)
        ]
        return rows[:_MOST_TOOLS], True
    found = _ranked(wanted, [(name, words) for name, words in values(named.command)])
    if any(row.name.lower() == wanted for row in found[:1]):
        found = found[:1]
    return found[:_MOST_VALUES], bool(wanted) and bool(found) and found[0].name.lower().startswith(wanted)


def _commands(wanted: str, skills: Sequence[SlashCommand]) -> tuple[list[CompletionRow], bool]:
    known = [*slash_commands.matching(wanted), *_begun(wanted, skills)]
    rows = [_row(command, wanted) for command in known]
    if len(wanted) > 1:
        others = {command.name: command for command in (*slash_commands.COMMANDS, *skills)}
        for command in known:
            others.pop(command.name, None)
        rows += [
            CompletionRow(row.name, _words(others[row.name]), row.marks)
            for row in _ranked(wanted, [(name, "") for name in others])
        ]
    return rows, bool(known) or any(_is_word(wanted, row.name) for row in rows[:1])


def _begun(wanted: str, skills: Sequence[SlashCommand]) -> list[SlashCommand]:
    """Return the skills of which the name, or the part of it behind a plugin's, begins so; an exact one first."""
    found = [skill for skill in skills if any(part.lower().startswith(wanted) for part in _parts(skill.name))]
    return sorted(found, key=lambda skill: (skill.name.lower() != wanted, not skill.name.lower().startswith(wanted)))


def _parts(name: str) -> tuple[str, str]:
    return name, name.rpartition(":")[2]


def _row(command: SlashCommand, wanted: str) -> CompletionRow:
    if command.name.lower().startswith(wanted):
        return CompletionRow(command.name, _words(command), tuple(range(len(wanted))))
    if not command.aliases:
        at = len(command.name) - len(_parts(command.name)[1])
        return CompletionRow(command.name, _words(command), tuple(range(at, at + len(wanted))))
    alias = next(alias for alias in command.aliases if alias.startswith(wanted))
    return CompletionRow(command.name, f"(/{alias}) {_words(command)}")


def _words(command: SlashCommand) -> str:
    return f"{command.argument}  {command.words}" if command.argument else command.words


def _is_word(wanted: str, name: str) -> bool:
    return any(word.startswith(wanted) for word in name.replace("_", "-").replace(":", "-").split("-"))


def _ranked(wanted: str, entries: Sequence[tuple[str, str]]) -> list[CompletionRow]:
    if not wanted:
        return [CompletionRow(name, words) for name, words in entries]
    fitting = [(name, words) for name, words in entries if fit(wanted, name.lower())]
    fitting.sort(key=lambda entry: -(score(wanted, entry[0].lower()) or 0))
    return [CompletionRow(name, words, positions(wanted, name.lower())) for name, words in fitting]


def completed_file(text: str, cursor: int, named: Named, path: str, *, goes_on: bool) -> tuple[str, int]:
    """Return the text in which `path` stands where it was being named, and the cursor behind it.

    With `goes_on` the name can be typed on; otherwise a blank ends it. What stands behind the cursor stays, unless it is the
    rest of that very name.
    """
    mention = written(path, is_open=goes_on)
    rest = text[cursor:]
    tail = _rest_of_name(rest)
    if (end := tail.rstrip('"')) and path.endswith(end):
        rest = rest[len(tail) :]
    elif rest.startswith('"') and mention.startswith('@"'):
        rest = rest[1:]
    if not goes_on and not rest.startswith((" ", "\n")):
        mention += " "
    head = text[: named.start] + mention
    at = len(head)
    if not goes_on and not mention.endswith(" ") and rest.startswith(" "):
        at += 1
    return head + rest, at


def _rest_of_name(text: str) -> str:
    end = next((at for at, letter in enumerate(text) if letter.isspace()), len(text))
    return text[:end]
