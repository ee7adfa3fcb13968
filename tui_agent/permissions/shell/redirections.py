"""Redirections with their targets read, so that it can be judged where they write and what they read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tui_agent.permissions.shell.parse import Redirect
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import Redirection
from tui_agent.permissions.shell.values import State
from tui_agent.permissions.shell.word_expansion import words_of

__all__ = ["redirected"]


def redirected(redirections: Iterable[Redirection], state: State) -> tuple[Redirect, ...]:
    """Return redirections as whoever judges their targets needs them. Those that name no file at all are left out.

    Raises:
        Unclear: what one of them does is not known, or it opens a connection.
    """
    out: list[Redirect] = []
    for redirection in redirections:
        if redirection.target is None:
            continue
        if redirection.descriptor not in {"", "0", "1", "2"}:
            raise Unclear("descriptor", "it opens a file descriptor of its own")
        pieces = redirection.target.pieces
        if len(pieces) == 1 and pieces[0].kind == "file" and redirection.operator == "<":
            continue
        if redirection.operator in {">&", "<&"} and not re.fullmatch(r"[0-2]|-", redirection.target.raw):
            raise Unclear("descriptor", "it redirects in a way that is not understood")
        if any(piece.kind == "brace" for piece in pieces):
            raise Unclear("descriptor", "it redirects in a way that is not understood")
        for reading in words_of(redirection.target, state):
            if len(reading) != 1:
                raise Unclear("descriptor", "it redirects in a way that is not understood")
            if reading[0].value.startswith(("/dev/tcp", "/dev/udp")):
                raise Unclear("network-device", "it opens a connection")
            out.append(Redirect(redirection.operator, reading[0]))
    return tuple(out)
