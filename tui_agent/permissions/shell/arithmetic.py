"""Arithmetic: harmless only where each variable in it is known to hold a whole number.

Bash evaluates the text of a variable as an expression in turn, with subscripts and the commands in them, so that a value
from elsewhere may be a program.
"""

from __future__ import annotations

import re
from typing import Final

from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.values import Atom, State, is_free_name, is_integer

__all__ = ["NUMBER", "calculate"]

NUMBER: Final = frozenset({Atom("number")})
"""The values of a variable that holds some whole number."""
_TOKEN: Final = re.compile(
    r"""
      (?P<blank>[ \t\n]+)
    | (?P<based>[1-9][0-9]?\#[0-9a-zA-Z]+)(?![A-Za-z0-9_\#@$])
    | (?P<number>0[xX][0-9a-fA-F]+|[0-9]+)(?![A-Za-z0-9_\#@])
    | (?P<count>\$\#|\$\?|\$\$|\$\{\#[A-Za-z_][A-Za-z0-9_]*(?:\[[@*]\])?\})
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*|\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\})(?![A-Za-z0-9_\#@\[$])
    | (?P<step>\+\+|--)
    | (?P<set>(?:<<|>>|[-+*/%&|^])=|=(?!=))
    | (?P<operator>\*\*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^?:,])
    | (?P<open>\()
    | (?P<close>\))
    """,
    re.VERBOSE,
)
# Bash works these out each time, in every version, whatever the environment says; no script may set or unset them.
# `UID` and its like are not among them: bash evaluates what the environment has under that name.
_COUNTERS: Final = frozenset({"RANDOM", "SECONDS", "LINENO"})


def calculate(text: str, state: State) -> State:
    """Return the state after an expression was evaluated.

    Raises:
        Unclear: it is not known what that does.
    """
    at, depth = 0, 0
    set_names: list[str] = []
    tokens: list[tuple[str, str]] = []
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise Unclear("arithmetic", "it holds arithmetic that is not understood")
        at = match.end()
        kind = match.lastgroup
        depth += {"open": 1, "close": -1}.get(kind, 0)
        if depth < 0:
            raise Unclear("arithmetic", "it holds arithmetic that is not understood")
        if kind != "blank":
            tokens.append((kind, match[0]))
    if depth:
        raise Unclear("arithmetic", "it holds arithmetic that is not understood")
    for index, (kind, token) in enumerate(tokens):
        if kind != "name":
            continue
        following = tokens[index + 1] if index + 1 < len(tokens) else ("", "")
        before = tokens[index - 1] if index else ("", "")
        is_changed = following[0] in {"set", "step"} or before[0] == "step"
        if is_changed:
            if token.startswith("$") or not is_free_name(token):
                raise Unclear("arithmetic", f"it sets `{token}` by arithmetic")
            set_names.append(token)
        name = token.strip("${}")
        if following == ("set", "="):
            continue
        value = state.get(name)
        if name not in _COUNTERS and (value is None or not all(is_integer(atom) for atom in value)):
            raise Unclear("arithmetic", f"`{name}` is evaluated, and its value is unknown")
    for name in set_names:
        state = state.having(name, NUMBER)
    return state
