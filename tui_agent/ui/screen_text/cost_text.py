"""What the cost screen says: tables of numbers, as wide as there is room for. No widget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual.content import Content

from tui_agent.text import clean, clean_line
from tui_agent.viewkit.tool_text import count, duration, tokens

if TYPE_CHECKING:
    from tui_agent.ui.projection.cost_reducer import CostReducer, Spent

__all__ = ["cost_text", "dollars", "parse_limit"]

_MOST_TURNS: Final = 200
_ROOMY: Final = 70  # columns from which what came from the cache has a column of its own
_OFF: Final = frozenset({"off", "none", "no"})


def dollars(spent: Spent) -> str:
    """Return what was spent, as far as it is known."""
    if spent.has_unknown and not spent.cost_usd:
        return "unknown"
    amount = f"${spent.cost_usd:.2f}" if spent.cost_usd >= 0.01 or not spent.cost_usd else f"${spent.cost_usd:.4f}"
    return f"{amount}+?" if spent.has_unknown else amount


def parse_limit(text: str) -> float | None:
    """Return the amount in dollars that a user wrote, None for no limit.

    Raises:
        ValueError: it is neither an amount above 0 nor `off`.
    """
    plain = text.strip().lower().removeprefix("$").replace(",", ".")
    if plain in _OFF:
        return None
    amount = float(plain)
    if not 0 < amount < 1e9:
        raise ValueError(plain)
    return amount


def cost_text(track: CostReducer, width: int) -> Content:
    """Return the whole of it for `width` columns."""
    if not track.total.requests:
        return Content.assemble(_limit(track), "\n\n", ("No requests yet.", "$foreground-muted"))
    by_model = [(clean_line(name, 60), spent, "") for name, spent in track.models.items()]
    by_agent = [(clean_line(agent.label, 60), agent, "") for agent in track.agents.values() if agent.requests]
    by_turn = [
        (
            " ".join(clean(turn.label).split()) or "(no message)",
            turn,
            duration(turn.duration_ms) if turn.duration_ms else "",
        )
        for turn in reversed(track.turns)
        if turn.requests  # a command of the user's own asks no model
    ]
    rest = len(by_turn) - _MOST_TURNS
    parts = [
        _limit(track),
        _table("By model", by_model, width),
        *([_table("By agent", by_agent, width)] if by_agent else []),
        _table("By turn, newest first", by_turn[:_MOST_TURNS], width),
    ]
    if rest > 0:
        parts.append(Content.styled(f"… and {count(rest, 'earlier turn')}", "$foreground-muted"))
    if track.total.has_unknown:
        parts.append(Content.styled("+? or unknown: the price of the model is not known.", "$text-warning"))
    return Content("\n\n").join(parts)


def _limit(track: CostReducer) -> Content:
    spent, limit = track.total, track.limit_usd
    words = Content.assemble((dollars(spent), "bold"), f" in {count(spent.requests, 'request')}")
    if limit is None:
        return Content.assemble(words, ("; no spending limit", "$foreground-muted"))
    share = spent.cost_usd / limit
    style = "$text-error" if share >= 1 else "$text-warning" if share >= 0.8 else "$text-success"
    return Content.assemble(words, f", limit ${limit:.2f}: ", (f"{share:.0%} spent", style))


def _table(title: str, rows: Sequence[tuple[str, Spent, str]], width: int) -> Content:
    """Return rows of a name, tokens sent and received, cost, and what else there is, under a line of heads."""
    heads = ["sent", "received", "cost"]
    if width >= _ROOMY:
        heads = ["sent", "cached", "received", "cost"]
    has_more = any(more for _, _, more in rows)
    heads += ["time"] if has_more else []
    cells = [_cells(spent, more, heads) for _, spent, more in rows]
    widths = [max(len(head), *(len(row[place]) for row in cells)) for place, head in enumerate(heads)]
    room = max(8, width - sum(widths) - 2 * len(widths) - 1)
    right = "".join(f"  {head:>{widths[place]}}" for place, head in enumerate(heads))
    title = title if len(title) <= room else title.partition(",")[0]
    lines = [Content.assemble((_fitted(title, room), "bold $text-primary"), (right, "$foreground-muted"))]
    for (name, _, _), row in zip(rows, cells, strict=True):
        numbers = "".join(f"  {cell:>{widths[place]}}" for place, cell in enumerate(row))
        lines.append(Content.assemble(_fitted(name, room), numbers))
    return Content("\n").join(lines)


def _cells(spent: Spent, more: str, heads: Sequence[str]) -> list[str]:
    known = {
        "sent": tokens(spent.prompt_tokens),
        "cached": tokens(spent.cache_read_tokens),
        "received": tokens(spent.output_tokens),
        "cost": dollars(spent),
        "time": more,
    }
    return [known[head] for head in heads]


def _fitted(text: str, room: int) -> str:
    line = Content(text).truncate(room, ellipsis=True)
    return line.plain + " " * (room - line.cell_length)
