"""What the model chooser tells of a model: context, prices, short names. From the table of models alone; no widget."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textual.content import Content

from tui_agent.model.prices import DEFAULT_MODEL, ModelInfo, ModelTable, Rates
from tui_agent.text import clean_line

__all__ = ["aliases", "described", "spoken_name"]

_OWN: Final = re.compile(r"claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-(\d{4})(\d{2})(\d{2}))?")


def spoken_name(model: str) -> str:
    """Return what people call a model: `Opus 5.5` for `claude-opus-5-5`; other names stay as they are."""
    found = _OWN.fullmatch(model)
    if found is None:
        return clean_line(model, 80)
    kind, major, minor, *day = found.groups()
    name = f"{kind.capitalize()} {major}" + (f".{minor}" if minor else "")
    return f"{name} of {'-'.join(day)}" if day[0] else name


def aliases(model: str, table: ModelTable) -> tuple[str, ...]:
    """Return the short names that stand for a model: `opus` for the newest of its kind."""
    names = [f"{word}" for word in model.split("-")[1:2] if not word.isdecimal()]
    return tuple(name for name in names if table.full_name(name) == model)


def described(name: str, table: ModelTable) -> Content:
    """Return all that is known of a model, a line for each thing."""
    model = table.info(table.full_name(name))
    spoken, full = spoken_name(model.id), clean_line(model.id, 80)
    lines = [Content.styled(spoken, "bold"), *([Content.styled(full, "$foreground-muted")] if full != spoken else [])]
    lines += _facts(model, table)
    return Content("\n").join(lines)


def _facts(model: ModelInfo, table: ModelTable) -> Iterator[Content]:
    short = aliases(model.id, table)
    if model.id == DEFAULT_MODEL:
        yield Content("the default where nothing is set")
    if short:
        yield Content(f"also called {', '.join(short)}")
    if not model.is_known:
        yield Content.styled("Unknown model: neither its context size nor its price is known.", "$text-warning")
        return
    size = f"{model.context_size:,} tokens" if model.context_size else "unknown"
    longest = f", replies up to {model.max_output:,}" if model.max_output else ""
    yield Content.assemble(("context  ", "$foreground-muted"), f"{size}{longest}")
    thinking = {"adaptive": "as it sees fit", "budget": "within a budget", "none": "no", None: "unknown"}[
        model.thinking
    ]
    yield Content.assemble(("thinks   ", "$foreground-muted"), thinking)
    yield from _prices(model.rates, "a million tokens")
    if model.above is not None:
        yield from _prices(model.above, f"for prompts of more than {model.above_tokens:,} tokens")


def _prices(rates: Rates, words: str) -> Iterator[Content]:
    cache = f"cache {_price(rates.cache_write)} written, {_price(rates.cache_read)} read"
    told = f"{_price(rates.input)} sent · {_price(rates.output)} received · {cache}"
    yield Content.assemble(("price    ", "$foreground-muted"), told, (f", {words}", "$foreground-muted"))


def _price(price: float | None) -> str:
    """Return a price in dollars: `$2`, `$0.10`, `$0.075`."""
    if price is None:
        return "unknown"
    text = f"{price:g}"
    return f"${text}0" if len(text.partition(".")[2]) == 1 else f"${text}"
