"""What the status screen says: where the session stands, what it cost, and how the tools fared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tui_agent.text import clean_line
from tui_agent.ui.screen_text.context_text import share
from tui_agent.ui.screen_text.sections import Section
from tui_agent.ui.screen_text.thinking_text import standing
from tui_agent.viewkit.tool_text import count

if TYPE_CHECKING:
    from tui_agent.ui.projection.projection import Projection
    from tui_agent.ui.projection.state import Status

__all__ = ["sections"]

_KINDS: Final = {
    "unknown_tool": "unknown",
    "aborted": "stopped",
    "invalid_input": "invalid input",
    "validation": "refused by a check",
    "denied": "denied",
    "hook": "refused by a hook",
    "execution": "failed",
    "timeout": "timed out",
}


def sections(projection: Projection) -> Sequence[Section]:
    """Return the parts of the status screen."""
    tools = [(clean_line(name, 40), _fared(tally)) for name, tally in sorted(projection.tallies.items())]
    return [
        ("Session", _session(projection.status)),
        ("Context and cost", _spent(projection.status)),
        ("Tools", tools or [("", "none used yet")]),
    ]


def _session(status: Status) -> list[tuple[str, str]]:
    branch = clean_line(status.branch)
    if branch and status.changed_files:
        branch += f", {count(status.changed_files, 'changed file')}"
    return [
        *([("name", clean_line(status.title, 200))] if status.title else []),
        ("folder", clean_line(status.cwd) + ("" if status.is_trusted else " (not trusted)")),
        ("branch", branch or "not in git"),
        ("model", ", ".join(filter(None, (clean_line(status.model), standing(status))))),
        ("mode", clean_line(status.mode)),
        ("secrets", "shown, and written to the record" if status.shows_secrets else "hidden"),
        *([("sandbox", _sandbox(status.sandbox))] if status.sandbox else []),
    ]


def _sandbox(label: str) -> str:
    name, _, on = clean_line(label).partition(",")
    if name == "none":
        return "none works here; `tui-agent doctor` says more"
    return f"{name}, for commands that only read" + (
        " and, with the working folders to write in, for others" if on else ""
    )


def _spent(status: Status) -> list[tuple[str, str]]:
    size = status.context_size
    filled = f" of {size:,}, {share(status.context_tokens, size)}" if size else ""
    cost = f"${status.cost_usd:.2f}" if status.cost_usd is not None else "unknown: this model has no known price"
    return [
        ("context", f"{status.context_tokens:,} tokens{filled}"),
        ("cost", cost if status.context_tokens or status.cost_usd else "nothing yet"),
    ]


def _fared(tally: Counter[str]) -> str:
    """Return how a tool's uses ended: how many there were, then each kind of error with its number."""
    errors = [
        f"{number} {_KINDS.get(kind, clean_line(kind, 30))}" for kind, number in tally.most_common() if kind != "ok"
    ]
    return " · ".join([count(tally.total(), "use"), *errors])
