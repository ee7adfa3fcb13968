"""What is known, at a point of a script, of its variables and of where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from tui_agent.permissions.shell.effective_command import is_safe_variable
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.words import Word

__all__ = [
    "MAX_CHOICES", "Atom", "Folders", "State", "Value", "held", "is_free_name", "is_harmless_setting", "is_integer", "joined",
]  # fmt: skip

MAX_CHOICES: Final = 24
"""How many values of one variable, and readings of one command, are followed; beyond, the value counts as unknown."""
_MAX_FOLDERS: Final = 16
_MAX_TEXT: Final = 2000

# Names in lower case that programs or the shell itself take notice of.
_TAKEN: Final = frozenset({
    "auto_resume", "histchars", "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "rsync_proxy",
    "socks_proxy", "path", "cdpath", "fpath", "manpath", "module_path", "prompt", "status", "argv", "signals", "watch",
    "psvar", "mailpath", "fignore", "options", "functions", "aliases", "commands", "pipestatus", "gopherproxy",
    "npm_config_registry", "wgetrc", "curl_ca_bundle",
})  # fmt: skip
_TAKEN_BEGINNINGS: Final = (
    "npm_",
    "npm_config_",
    "pip_",
    "ld_",
    "bash",
    "cargo_",
    "rust",
    "python",
    "node_",
    "dyld_",
)
# Names in capitals that scripts use for their own and no program reads.
_OWN: Final = frozenset({
    "A", "B", "C", "D", "F", "I", "J", "K", "L", "M", "N", "S", "T", "V", "W", "X", "Y", "Z", "BASE", "BRANCH",
    "COMMIT", "COUNT", "CUR", "CURRENT", "DATE", "DIR", "DIRS", "END", "EXT", "F1", "F2", "FILE", "FILES", "FIRST", "FROM",
    "FUNC", "HASH", "ITEM", "KEY", "LAST", "LINE", "MSG", "NAME", "NUM", "OLD", "NEW", "OUT", "OUTPUT", "PAT", "PATTERN",
    "PKG", "REF", "RESULT", "ROOT", "SHA", "SIZE", "SRC", "START", "STATUS", "SUM", "TARGET", "TAG", "TO", "TOTAL", "VALUE",
    "VERSION",
})  # fmt: skip
_HARMLESS_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "PAGER": ("cat", ""), "GIT_PAGER": ("cat", ""), "MANPAGER": ("cat", ""), "SYSTEMD_PAGER": ("cat", ""),
    "GIT_OPTIONAL_LOCKS": ("0",), "GIT_TERMINAL_PROMPT": ("0",), "LESS": ("", "-R", "FRX", "-FRX"),
}  # fmt: skip
# Switches that no program which only reads obeys, but to say more. Not with text: a makefile may put one before its commands.
_SWITCH: Final = re.compile(r"[A-Z]|DEBUG|VERBOSE|FOO|BAR")
_SWITCHED: Final = re.compile(r"[0-9]{0,9}")
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_PLAIN_NAME: Final = re.compile(r"[a-z][a-z0-9_]*|_[a-z0-9_]+")
_HELD: Final = re.compile(r"[0-9]+\$")


@dataclass(frozen=True, slots=True)
class Atom:
    """One value that a variable may have: exact `text`, some name that a `glob` stands for, a whole `number`, or a `commit`.

    A `line` is a glob, too, but a name under it may be broken in two: of what the second part begins with nothing is known.
    The last is the name of a commit in hex digits, or what a command wrote for it that begins with a letter or a digit.
    """

    kind: str
    text: str = ""


Value = frozenset[Atom]
Folders = frozenset[tuple[Word, ...]]


@dataclass(frozen=True, slots=True)
class State:
    """The variables whose values are known, and the chains of `cd` that may have led to where the shell stands.

    Once it `is_lost`, variables may be such that setting them fails, or means something else: none is known any more.
    """

    variables: tuple[tuple[str, Value], ...] = ()
    folders: Folders = frozenset({()})
    is_lost: bool = False

    def get(self, name: str) -> Value | None:
        """Return the values a variable may have, or None if they are not known."""
        return dict(self.variables).get(name)

    def having(self, name: str, value: Value | None) -> State:
        """Return the state once a variable was set. What a name holds that bash itself sets stays unknown."""
        if not _is_tracked(name):
            return self
        known = dict(self.variables)
        for same in (name, f"{name}[]", name.removesuffix("[]")):
            known.pop(same, None)
        if self.is_lost:
            return self
        if value is not None and len(value) <= MAX_CHOICES and all(len(atom.text) <= _MAX_TEXT for atom in value):
            known[name] = value
        return replace(self, variables=tuple(sorted(known.items(), key=lambda item: item[0])))

    def entering(self, targets: Iterable[Word]) -> State:
        """Return the state after a `cd` to one of these."""
        targets = tuple(targets)
        folders = frozenset((*chain, target) for chain in self.folders for target in targets)
        if len(folders) > _MAX_FOLDERS or any(len(chain) > _MAX_FOLDERS for chain in folders):
            raise Unclear("cd-unknown", "where it runs is not clear")
        return replace(self, folders=folders)

    def forgetting(self) -> State:
        """Return the state with no variable known, now and later."""
        return replace(self, variables=(), is_lost=True)


def joined(states: Iterable[State | None]) -> State | None:
    """Return what is known after any of these, or None where none of them is ever reached."""
    reached = [state for state in states if state is not None]
    if not reached:
        return None
    first, *others = reached
    for other in others:
        if other == first:
            continue
        left, right = dict(first.variables), dict(other.variables)
        known = {name: left[name] | right[name] for name in left if name in right}
        folders = first.folders | other.folders
        if len(folders) > _MAX_FOLDERS:
            raise Unclear("cd-unknown", "where it runs is not clear")
        variables = tuple(sorted((name, value) for name, value in known.items() if len(value) <= MAX_CHOICES))
        is_lost = first.is_lost or other.is_lost
        first = State(() if is_lost else variables, folders, is_lost)
    return first


def is_free_name(name: str) -> bool:
    """Whether a shell variable of this name is the script's own affair: nothing that it runs takes notice of it.

    `_` may be set, as in `for _ in 1 2 3`, but bash sets it again with every command: see `_is_tracked`.
    """
    if name in _OWN or name == "_":
        return True
    return _PLAIN_NAME.fullmatch(name) is not None and name not in _TAKEN and not name.startswith(_TAKEN_BEGINNINGS)


def _is_tracked(name: str) -> bool:
    """Whether a variable keeps what a script gives it, so that its value can be followed.

    This is a list of what may be tracked, not of exceptions: bash sets `_`, `OLDPWD`, `REPLY`, `MAPFILE`, `BASH_REMATCH`,
    `PIPESTATUS`, `RANDOM` and others, and each version adds some.
    """
    bare = name.removesuffix("[]")
    return _HELD.fullmatch(bare) is not None or (bare != "_" and is_free_name(bare))


def held(index: int) -> str:
    """Return the name under which the value of a command's word is kept; no variable of a script is called so."""
    return f"{index}$"


def is_harmless_setting(name: str, text: str | None) -> bool:
    """Whether a variable that programs take notice of may be set to this for one, or for all. None for an unknown text."""
    if text is None:
        return False
    if text in _HARMLESS_VALUES.get(name, ()):
        return True
    if _SWITCH.fullmatch(name) is not None and _SWITCHED.fullmatch(text) is not None:
        return True
    return is_safe_variable(name) and not text.startswith(("/", ":", "~")) and ".." not in text


def is_integer(atom: Atom) -> bool:
    """Whether a value is surely a whole number."""
    return atom.kind == "number" or (atom.kind == "text" and _INTEGER.fullmatch(atom.text) is not None)
