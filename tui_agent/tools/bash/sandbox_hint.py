"""What is said of the sandbox after a command: why it may have failed, and how to ask for running without it."""

from __future__ import annotations

import re
from typing import Final

from tui_agent.sandbox.confined import SCRATCH_BYTES, Confined, Unconfined
from tui_agent.sandbox.launchers import ConfinedCommands
from tui_agent.sandbox.limits import MEMORY_BYTES
from tui_agent.tools.bash.output import CommandOutput
from tui_agent.tools.bash.rough_parse import simple_commands

__all__ = ["not_started", "sandbox_note"]

_SAMPLE_CHARS: Final = 8000  # characters from the end of each stream
# What programs say when they may not write, or do not get through: the C library's words, and a few of their own.
_SIGNS: Final = re.compile(
    r"read-only file ?system|permission denied|operation not permitted|access denied|network is unreachable|no route to host"
    r"|could not resolve|couldn't resolve|name resolution|name or service not known|getaddrinfo|failed to connect"
    r"|connection refused|can(?:no|')t connect|unable to (?:connect|access)|nodename nor servname|device or resource busy"
    r"|\bE(?:ROFS|ACCES|PERM|NETUNREACH|AI_AGAIN|CONNREFUSED|NOTFOUND|NOSYS)\b",
    re.IGNORECASE,
)
# What they say when temporary files take too much, and the exit code of a command that was ended for it.
_FULL: Final = re.compile(r"no space left on device|file size limit exceeded|file too large", re.IGNORECASE)
# What they say when they get no more memory.
_NO_MEMORY: Final = re.compile(
    r"(?:can(?:no|')t|could not|couldn't|failed to|unable to) (?:re)?allocate|out of memory|memory exhausted|memory allocation"
    r"|allocation (?:of \d+ bytes )?failed|\bMemoryError\b|\bbad_alloc\b|\bENOMEM\b",
    re.IGNORECASE,
)
_ENDED_FOR_SIZE: Final = 128 + 25
_MEMORY: Final = f"each process of a command that only reads may take {MEMORY_BYTES >> 30} GB of memory"
# Programs that look into others; in a sandbox they find nothing there, and say nothing of it.
_BLINDED: Final = frozenset({"lsof", "fuser"})


def sandbox_note(
    confined: Confined | ConfinedCommands | Unconfined | None,
    command: str,
    output: CommandOutput,
    exit_code: int | None,
    *,
    has_overrun: bool = False,
) -> str:
    """Return what to tell of the sandbox a command ran in; empty where it had no part in how the command went.

    `has_overrun` is that the command was ended for the size of its temporary files.
    """
    if confined is None or isinstance(confined, Unconfined):
        return ""
    if isinstance(confined, ConfinedCommands):
        is_held_up = _was_denied(output, exit_code) or _ran_out_of_memory(output, exit_code)
        return _parts_note(confined) if is_held_up else ""
    blinded = next((word.program for word in simple_commands(command) if word.program in _BLINDED), "")
    if blinded:
        found = f"It ran in the sandbox ({confined.sandbox.name}), where {blinded} cannot see what other programs have open."
    elif confined.limits.is_read_only and (has_overrun or _hit_size_limit(output, exit_code)):
        found = (
            f"It ran in the sandbox ({confined.sandbox.name}), where temporary files of a command that only reads may take "
            f"{SCRATCH_BYTES >> 20} MB."
        )
    elif confined.limits.is_read_only and _ran_out_of_memory(output, exit_code):
        found = f"It ran in the sandbox ({confined.sandbox.name}), where {_MEMORY}."
    elif _was_denied(output, exit_code):
        found = f"It ran in the sandbox ({confined.sandbox.name}): {confined.summary}."
    else:
        return ""
    if confined.may_leave:
        return f"{found} If it needs more than that, call it with dangerouslyDisableSandbox, which asks the user."
    return f"{found} The user's settings let no command run outside."


def _parts_note(confined: ConfinedCommands) -> str:
    """Say of which commands in a text the sandbox may have stopped something."""
    held = next((one for _, one in confined.commands if isinstance(one, Confined)), None)
    if held is None:
        return ""
    names = [confined.source[start:].split(maxsplit=1)[0] for start, _ in confined.commands]
    shown = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
    memory = f"; {_MEMORY}" if held.limits.is_read_only else ""
    return f"Of it, {shown} ran in the sandbox ({held.sandbox.name}): {held.summary}{memory}."


def _was_denied(output: CommandOutput, exit_code: int | None) -> bool:
    if exit_code is None:
        return False
    texts = [output.stderr.end(_SAMPLE_CHARS)]
    if exit_code != 0:
        texts.append(output.stdout.end(_SAMPLE_CHARS))
    return any(_SIGNS.search(text) for text in texts)


def _ran_out_of_memory(output: CommandOutput, exit_code: int | None) -> bool:
    return bool(exit_code) and _NO_MEMORY.search(output.stderr.end(_SAMPLE_CHARS)) is not None


def _hit_size_limit(output: CommandOutput, exit_code: int | None) -> bool:
    return exit_code == _ENDED_FOR_SIZE or (
        bool(exit_code) and _FULL.search(output.stderr.end(_SAMPLE_CHARS)) is not None
    )


def not_started(confined: Confined | ConfinedCommands | Unconfined | None, output: CommandOutput) -> str:
    """Return what to say of a command that ended before its shell began, as a rule by its sandbox."""
    said = " ".join(output.merged.end(_SAMPLE_CHARS).split())[:1000]
    if not isinstance(confined, Confined):  # the shell itself is in none
        return f"The command was not run: its shell could not be started{f' ({said})' if said else ''}."
    return (
        f"The command was not run: its sandbox could not be set up{f' ({said})' if said else ''}. `tui-agent doctor` says what "
        "sandbox there is."
    )
