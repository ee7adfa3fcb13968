"""What is known of models: context size, longest reply, price, pictures, how they take thinking. Facts are in `models.json`.

A model the data does not know is not guessed at: its sizes and prices are None and are shown as unknown. Settings add models,
or replace single facts of known ones (`model/providers/`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.model.usage import Usage

__all__ = ["DEFAULT_MODEL", "ModelInfo", "ModelTable", "Rates", "RequestDefaults", "full_name", "info"]

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
_USUAL: Final = frozenset({"default", "opusplan"})
# Long enough for a large file and the thinking before it; a reply that runs away still ends.
MAX_REPLY_TOKENS: Final = 32_000
# For models that want a fixed budget; the reply's own share of the maximum stays larger than this.
THINKING_BUDGET_TOKENS: Final = 10_000
MIN_THINKING_BUDGET_TOKENS: Final = 1024  # the API takes no smaller one

Thinking = Literal["adaptive", "budget", "none"]
ThinkingOff = Literal["disabled", "between_tools", "never"]


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars per million tokens."""

    input: float | None = None
    output: float | None = None
    cache_write: float | None = None
    cache_read: float | None = None


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Facts about one model; None where unknown. `above` holds for prompts of more than `above_tokens` tokens."""

    id: str
    context_size: int | None = None
    max_output: int | None = None
    thinking: Thinking | None = None
    thinking_off: ThinkingOff | None = None
    rates: Rates = field(default_factory=Rates)
    above: Rates | None = None
    above_tokens: int = 0
    takes_images: bool = True
    takes_cache_marks: bool = True

    @property
    def is_known(self) -> bool:
        """Whether the data says anything about this model."""
        return self.context_size is not None or self.rates != Rates()

    @property
    def is_priced(self) -> bool:
        """Whether what a request costs can be told."""
        return self.rates.input is not None and self.rates.output is not None

    @property
    def has_optional_thinking(self) -> bool:
        """Whether it thinks, and can be told not to."""
        return self.thinking in ("adaptive", "budget") and self.thinking_off != "never"

    @property
    def words(self) -> str:
        """What a user choosing a model wants to know: context and price, as far as known."""
        size = self.context_size
        parts = [f"{size / 1e6:g}M context" if size >= 1_000_000 else f"{size // 1000}k context"] if size else []
        if self.rates.input is not None and self.rates.output is not None:
            parts.append(f"${self.rates.input:g} in, ${self.rates.output:g} out per million tokens")
        return ", ".join(parts) or "context and price unknown"


@dataclass(frozen=True, slots=True)
class RequestDefaults:
    """What a request to a model carries where nobody said otherwise."""

    max_tokens: int
    thinking: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ModelTable:
    """All known models."""

    models: Mapping[str, ModelInfo]

    @classmethod
    def builtin(cls) -> ModelTable:
        """Return the table that comes with the program."""
        return _builtin()

    def with_models(self, models: Mapping[str, ModelInfo]) -> ModelTable:
        """Return this table with these models on top."""
        return ModelTable({**self.models, **models}) if models else self

    def info(self, model: str) -> ModelInfo:
        """Return what is known of `model`; a dated id (`…-20251001`) is the model it is a version of."""
        found = self.models.get(model) or self.models.get(re.sub(r"-\d{8}$", "", model))
        return replace(found, id=model) if found else ModelInfo(model)

    def full_name(self, name: str) -> str:
        """Return the model that is meant: `opus` and the like are the newest of their kind, `[1m]` at the end says nothing.

        These are the names that settings written for Claude Code use; every other name is a model's own.
        """
        plain = name.strip().removesuffix("[1m]")
        if plain in _USUAL:
            return DEFAULT_MODEL
        spelled = f"claude-{re.sub('[ .]+', '-', plain.lower().removeprefix('claude').strip())}"
        if spelled in self.models:
            return spelled  # as people write it: Opus 5.5
        return next((model for model in self.models if re.match(rf"claude-{re.escape(plain)}-\d", model)), plain)

    def small_for(self, model: str) -> str:
        """Return the cheapest known model of the same maker, for small questions; `model` itself where it is not known."""
        if not self.info(model).is_known:
            return model
        maker = model.partition("-")[0]
        priced = [
            known
            for known in self.models.values()
            if known.id.partition("-")[0] == maker and known.rates.input is not None and known.rates.output is not None
        ]
        cheapest = min(priced, key=lambda known: (known.rates.output, known.rates.input, known.id), default=None)
        return model if cheapest is None else cheapest.id

    def cost(self, model: str, usage: Usage) -> float | None:
        """Return the US dollars one request cost, or None where a price that matters is unknown."""
        known = self.info(model)
        prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        rates = known.above if known.above is not None and prompt > known.above_tokens else known.rates
        total = 0.0
        for tokens, price in (
            (usage.input_tokens, rates.input),
            (usage.output_tokens, rates.output),
            (usage.cache_write_tokens, rates.cache_write),
            (usage.cache_read_tokens, rates.cache_read),
        ):
            if price is None:
                if tokens:
                    return None
                continue
            total += tokens * price
        return None if rates == Rates() else total / 1_000_000

    def request_defaults(
        self, model: str, *, max_tokens: int | None = None, is_thinking: bool = True
    ) -> RequestDefaults:
        """Return reply length and thinking for `model`; an unknown model gets no thinking field: its own default holds.

        `max_tokens` is the user's own limit; the thinking fits into it.
        """
        known = self.info(model)
        if max_tokens is None:
            max_tokens = min(known.max_output or MAX_REPLY_TOKENS, MAX_REPLY_TOKENS)
        budget = min(THINKING_BUDGET_TOKENS, max_tokens // 2)
        thinking: dict[str, Any] | None
        match known.thinking, known.thinking_off:
            case "adaptive", "never" if not is_thinking:
                thinking = {"type": "adaptive", "display": "omitted"}
            case _, str(kind) if not is_thinking:
                thinking = {"type": kind}
            case "adaptive", _ if is_thinking:
                # Newer models leave out the text of their thinking, and with it what they say between tools, unless asked.
                thinking = {"type": "adaptive", "display": "summarized"}
            case "budget", _ if is_thinking and budget >= MIN_THINKING_BUDGET_TOKENS:
                thinking = {"type": "enabled", "budget_tokens": budget}
            case _:
                thinking = None
        return RequestDefaults(max_tokens, thinking)


@cache
def _builtin() -> ModelTable:
    text = Path(__file__).with_name("models.json").read_text(encoding="utf-8")
    entries = json.loads(text)["models"]
    return ModelTable({name: _read_model(name, entry) for name, entry in entries.items()})


def _read_model(name: str, entry: Mapping[str, Any]) -> ModelInfo:
    above = entry.get("above")
    return ModelInfo(
        name,
        context_size=entry["context_size"],
        max_output=entry["max_output"],
        thinking=entry["thinking"],
        thinking_off=entry.get("thinking_off"),
        rates=_read_rates(entry),
        above=_read_rates(above) if above else None,
        above_tokens=above["prompt_tokens"] if above else 0,
    )


def _read_rates(entry: Mapping[str, Any]) -> Rates:
    return Rates(**{spec.name: entry.get(spec.name) for spec in fields(Rates)})


def info(model: str) -> ModelInfo:
    """Return what the built-in data knows of `model`."""
    return _builtin().info(model)


def full_name(name: str) -> str:
    """Return the model that a name or a short name means; see `ModelTable.full_name`."""
    return _builtin().full_name(name)
