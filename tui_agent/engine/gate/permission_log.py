"""What was asked and what was refused in this session, for as far back as anybody looks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from tui_agent.permissions.verdict import ToolCall, Verdict
from tui_agent.queries import Denial

__all__ = ["AskedCall", "PermissionLog", "subject"]

_MOST_ASKED: Final = 500
_MOST_DENIALS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """A call that a user was asked about: when (seconds since the epoch), and why nothing allowed it."""

    time: float
    call: ToolCall
    verdict: Verdict


class PermissionLog:
    """The calls that were asked about and those that were refused, newest last. What is too old is forgotten."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._asked: deque[AskedCall] = deque(maxlen=_MOST_ASKED)
        self._denials: deque[Denial] = deque(maxlen=_MOST_DENIALS)

    @property
    def asked(self) -> tuple[AskedCall, ...]:
        """What was asked."""
        return tuple(self._asked)

    @property
    def denials(self) -> tuple[Denial, ...]:
        """What was refused."""
        return tuple(self._denials)

    def note_asked(self, call: ToolCall, verdict: Verdict) -> None:
        """Keep a call that somebody is being asked about."""
        self._asked.append(AskedCall(time=self._clock(), call=call, verdict=verdict))

    def note_denied(
        self, call: ToolCall, *, by: str, reason: str, rule: str | None = None, source: str | None = None
    ) -> None:
        """Keep a call that was refused. One that is judged twice on its way is one refusal."""
        now = self._clock()
        denial = Denial(time=now, tool=call.tool, subject=subject(call), by=by, reason=reason, rule=rule, source=source)
        if self._denials and replace(self._denials[-1], time=now) == denial and now - self._denials[-1].time < 1:
            self._denials.pop()
        self._denials.append(denial)


def subject(call: ToolCall) -> str:
    """Return what a call is about: its command, path or address; empty where it names none."""
    if call.command is not None:
        return call.command
    paths = call.writes or call.reads
    if paths:
        return ", ".join(paths)
    for name in ("url", "query", "subagent_type", "skill"):
        value = call.input.get(name)
        if isinstance(value, str) and value:
            return value
    return ""
