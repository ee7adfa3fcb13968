"""Whether servers may start: by trust, policy and the user's word on each entry of a project."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from tui_agent.mcp.approvals import Approvals, Standing
from tui_agent.mcp.policy import refusal
from tui_agent.mcp.servers import ServerConfig
from tui_agent.settings.load import Settings
from tui_agent.text import reveal
from tui_agent.tools.forms import Answers, Form, FormField, Option

__all__ = ["NOT_APPROVED", "NOT_TRUSTED", "approval_form", "ask_to_start", "standing_of"]

_LONGEST: Final = 2000  # characters of an entry that are shown
NOT_TRUSTED: Final = "the folder is not trusted"
NOT_APPROVED: Final = "waits for your approval"
_ABOUT: Final = (
    "This project's .mcp.json names servers. They run with your rights, outside of the sandbox, and what they say reaches the "
    "model. An entry that changes later is asked about again. Choose those that may start."
)


def standing_of(server: ServerConfig, settings: Settings, approvals: Approvals) -> tuple[Standing, str]:
    """Return whether a server may start, and why where it may not. Reads the record."""
    if server.scope == "project" and not settings.is_trusted:
        return "no", NOT_TRUSTED
    if why := refusal(server, settings.values):
        return "no", why
    standing = approvals.standing(server, settings.values)
    reasons: dict[Standing, str] = {
        "yes": "",
        "ask": NOT_APPROVED,
        "no": "you said no; /mcp or `tui-agent mcp reset-choices` changes that",
        "off": "switched off",
    }
    if standing == "no" and server.name in settings.values.disabled_mcpjson_servers:
        return "no", "the setting disabledMcpjsonServers names it"
    return standing, reasons[standing]


def approval_form(servers: Sequence[ServerConfig]) -> Form:
    """Return the question which of these servers of the project may start: what would run, as the entry says it."""
    options = tuple(Option(label=server.name, description=_shown(_words(server))) for server in servers)
    question = "Which of them may start?" if len(servers) > 1 else "May it start?"
    field = FormField(
        key="servers", question=question, header="Servers", options=options, is_multiple=True, is_required=False
    )
    return Form(title="Start MCP servers of this project?", about=_ABOUT, fields=(field,))


def _words(server: ServerConfig) -> str:
    sets = ", ".join(f"{name}={value}" for name, value in server.variables)
    return f"{server.target} (with {sets})" if sets else server.target


def _shown(text: str) -> str:
    """Return all of what would run, with odd characters spelled out; of an endless entry, that there is more of it."""
    shown = reveal(" ".join(text.split()))
    more = len(shown) - _LONGEST
    return shown if more <= 0 else f"{shown[:_LONGEST]} … AND {more:,} MORE CHARACTERS: read .mcp.json first"


async def ask_to_start(
    servers: Sequence[ServerConfig],
    approvals: Approvals,
    ask: Callable[[str, Form], Awaitable[Answers | None]],
) -> frozenset[str] | None:
    """Ask the user, remember what they say, and return the names of those that may start; None: they said nothing.

    Raises:
        OSError: it cannot be remembered.
    """
    answers = await ask("", approval_form(servers))
    if answers is None:
        return None
    given = answers.get("servers", [])
    chosen = frozenset([given] if isinstance(given, str) else given)

    def remember() -> None:
        for server in servers:
            approvals.decide(server, may_start=server.name in chosen)

    await asyncio.to_thread(remember)
    return chosen
