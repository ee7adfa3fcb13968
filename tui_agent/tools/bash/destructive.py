"""Commands whose work cannot be undone; the dialog marks them, and never offers to allow them for good."""

from __future__ import annotations

from typing import Final

from tui_agent.tools.bash.rough_parse import SimpleCommand, simple_commands

__all__ = ["is_destructive"]

_ALWAYS: Final = frozenset(
    {"rm", "rmdir", "unlink", "shred", "dd", "truncate", "wipefs", "fdisk", "parted", "mkswap", "killall"}
)
_WITH: Final[dict[str, tuple[frozenset[str], ...]]] = {
    # each entry: these words together
    "git push": (frozenset({"--force"}), frozenset({"-f"}), frozenset({"--force-with-lease"}), frozenset({"--delete"})),
    "git reset": (frozenset({"--hard"}),),
    "git clean": (
        frozenset({"-f"}),
        frozenset({"--force"}),
        frozenset({"-fd"}),
        frozenset({"-fdx"}),
        frozenset({"-xdf"}),
    ),
    "git checkout": (frozenset({"--"}), frozenset({"."}), frozenset({"-f"})),
    "git restore": (frozenset(),),
    "git branch": (frozenset({"-D"}),),
    "git stash": (frozenset({"drop"}), frozenset({"clear"})),
    "git filter-branch": (frozenset(),),
    "find": (frozenset({"-delete"}),),
    "rsync": (frozenset({"--delete"}),),
    "chmod": (frozenset({"-R"}),),
    "chown": (frozenset({"-R"}),),
    "docker": (frozenset({"prune"}), frozenset({"rm"}), frozenset({"rmi"})),
    "kubectl": (frozenset({"delete"}),),
    "terraform": (frozenset({"destroy"}), frozenset({"apply"})),
}


def is_destructive(command: str) -> bool:
    """Whether some command in the line is known to destroy what it works on."""
    return any(_destroys(simple) for simple in simple_commands(command))


def _destroys(simple: SimpleCommand) -> bool:
    if simple.program in _ALWAYS or simple.program.startswith("mkfs"):
        return True
    words = frozenset(simple.words[1:])
    for name, sets in _WITH.items():
        program, _, verb = name.partition(" ")
        if simple.program == program and (not verb or verb in words) and any(wanted <= words for wanted in sets):
            return True
    return False
