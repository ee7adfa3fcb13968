"""`-p "/context"`: a slash command without a screen. What it finds is printed; nothing goes to the model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_agent import slash_commands
from tui_agent.commands import Close, Start
from tui_agent.events import Event, UsageReported
from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError
from tui_agent.queries import ContextQuery, CostQuery, StateQuery
from tui_agent.text import clean, clean_line

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.queries import ContextReport, CostReport, SessionState
    from tui_agent.queries.session import PartKind
    from tui_agent.slash_commands import SlashCommand

__all__ = ["print_commands", "run_slash_command", "wanted_command"]

_LISTED: Final = 'Run `tui-agent -p "/help"` for those that need no screen.'
_NAME_WIDTH: Final = 24
_PARTS: Final[dict[PartKind, str]] = {
    "system": "system prompt",
    "tool": "tools",
    "memory": "memory files",
    "note": "notes of the program",
    "person": "your messages",
    "model": "the model's text",
    "thinking": "thinking",
    "call": "tool calls",
    "result": "tool results",
}


def wanted_command(prompt: str) -> tuple[SlashCommand, str] | None:
    """Return the slash command that a prompt is, and its argument; None where it is a message for the model.

    Raises:
        UsageError: there is no such command, or it needs a screen.
    """
    typed = slash_commands.split(prompt)
    if typed is None:
        return None
    name, argument = typed
    command = slash_commands.find(name)
    if command is None:
        raise UsageError(f"/{clean_line(name, 60)}: No matching command.", _LISTED)
    if not command.is_headless:
        raise UsageError(f"/{command.name} needs a screen: start tui-agent without -p.", _LISTED)
    return command, argument


async def run_slash_command(engine: Engine, command: SlashCommand, argument: str, output: CliOutput) -> int:
    """Carry a command out in a session, print what it gives, close the session, and return the exit code."""
    events = engine.subscribe("slash command")
    try:
        await engine.send(Start())
        match command.name:
            case "context":
                lines: Iterable[str] = _context(await engine.query(ContextQuery()))
            case "cost":
                if argument:
                    raise UsageError("/cost takes no argument here.", "--max-budget-usd limits what one run may cost.")
                lines = _cost(await engine.query(CostQuery()), events.take())
            case "status":
                state = await engine.query(StateQuery())
                lines = chain(_status(state), _cost(await engine.query(CostQuery()), events.take()))
            case "export":
                lines = await _export(await engine.query(StateQuery()), argument)
            case _:
                raise AssertionError(command.name)
    finally:
        await engine.send(Close("done"))
    output.text("\n".join(lines))
    return 0


def print_commands(output: CliOutput) -> None:
    """List the commands that need no screen."""
    for command in slash_commands.COMMANDS:
        if command.is_headless:
            output.text(f"{f'/{command.name}':<{_NAME_WIDTH}} {command.words}")


def _context(report: ContextReport | None) -> Iterator[str]:
    if report is None:
        return
    whole = report.tokens or 1
    yield f"About {report.tokens:,} tokens for {clean_line(report.model)}, estimated from what a request holds:"
    for kind, words in _PARTS.items():
        if size := report.of(kind):
            yield f"  {words:<{_NAME_WIDTH}} {size:>9,}  {size / whole:>4.0%}"


@dataclass(slots=True)
class _Spent:
    """What requests to one model came to."""

    requests: int = 0
    sent: int = 0
    received: int = 0
    usd: float = 0.0
    is_known: bool = True


def _cost(report: CostReport, events: Iterable[Event]) -> Iterator[str]:
    models: dict[str, _Spent] = {}
    for event in events:
        if isinstance(event, UsageReported):
            spent = models.setdefault(event.model, _Spent())
            spent.requests += 1
            spent.sent += event.input_tokens + event.cache_read_tokens + event.cache_write_tokens
            spent.received += event.output_tokens
            spent.usd += event.cost_usd or 0.0
            spent.is_known = spent.is_known and event.cost_usd is not None
    unknown = "" if all(spent.is_known for spent in models.values()) else ", without models whose price is unknown"
    limit = f", of at most ${report.limit_usd:.2f}" if report.limit_usd is not None else ""
    yield f"This session has cost ${report.spent_usd:.4f}{unknown}{limit}."
    for name, spent in models.items():
        price = f"${spent.usd:.4f}" if spent.is_known else "unknown"
        yield (
            f"  {clean_line(name, 40):<{_NAME_WIDTH}} {spent.requests} requests, {spent.sent:,} tokens sent, "
            f"{spent.received:,} received, {price}"
        )


def _status(state: SessionState) -> Iterator[str]:
    trust = "" if state.is_trusted else " (not trusted)"
    for name, value in (("folder", f"{state.cwd or state.root}{trust}"), ("model", state.model), ("mode", state.mode)):
        yield f"{name:<{_NAME_WIDTH}} {clean_line(value)}"


async def _export(state: SessionState, folder: str) -> list[str]:
    from tui_agent.journal.export import export_session
    from tui_agent.settings.places import state_home

    place = _place(state.cwd, folder)
    try:
        path = await asyncio.to_thread(export_session, state_home(), state.session_id, place)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the conversation cannot be exported into {clean(str(place))}: {reason}", "") from error
    return [f"The conversation was written to {path}"]


def _place(cwd: str, folder: str) -> Path:
    return Path(cwd or ".", os.path.expanduser(folder))  # noqa: PTH111 - may stay as it is
