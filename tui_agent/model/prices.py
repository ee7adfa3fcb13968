"""What is known of models: context size, longest reply, price, and how they take thinking. The facts are in `models.json`.

A model the data does not know is not guessed at: its sizes and prices are None and are shown as unknown. A file of the same
form adds models or replaces single fields of known ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, get_args

from tui_agent.model.protocol import Usage
from tui_agent.regular_files import read_regular

__all__ = [
    "DEFAULT_MODEL", "ModelInfo", "ModelTable", "Rates", "RequestDefaults", "cost", "full_name", "info", "request_defaults",
    "small_model",
]  # fmt: skip

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
_USUAL: Final = frozenset({"default", "opusplan"})
_MOST_BYTES: Final = 4_000_000
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
    """All known models. `problems` names entries of an overriding file that do not count, and why."""

    models: Mapping[str, ModelInfo]
    problems: tuple[str, ...] = ()

    @classmethod
    def builtin(cls) -> ModelTable:
        """Return the table that comes with the program."""
        return _builtin()

    def overridden_by(self, path: Path) -> ModelTable:
        """Return this table with what the file says on top; a missing file changes nothing, a bad one only reports."""
        try:
            data = json.loads(read_regular(path, _MOST_BYTES, follow_links=True))
        except FileNotFoundError:
            return self
        except (OSError, ValueError) as error:
            return replace(self, problems=(*self.problems, f"{path}: {error}"))
        entries = data.get("models") if isinstance(data, dict) else None
        if not isinstance(entries, dict):
            return replace(self, problems=(*self.problems, f'{path}: expected {{"models": {{…}}}}'))
        models, problems = dict(self.models), list(self.problems)
        for name, entry in entries.items():
            try:
                models[name] = _read_model(name, entry, models.get(name))
            except (TypeError, ValueError) as error:
                problems.append(f"{path}: {name}: {error}")
        return ModelTable(models, tuple(problems))

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
    return ModelTable({name: _read_model(name, entry, None) for name, entry in entries.items()})


def _read_model(name: str, entry: object, known: ModelInfo | None) -> ModelInfo:
    """Read one entry on top of what is known of the model."""
    if not isinstance(entry, dict):
        raise TypeError(f"expected an object, not {type(entry).__name__}")
    base = known or ModelInfo(name)
    changes: dict[str, Any] = {}
    for key in ("context_size", "max_output"):
        if key in entry:
            value = entry[key]
            if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
                raise ValueError(f"`{key}` must be a positive whole number, not {value!r}")
            changes[key] = value
    for key, choices in (("thinking", get_args(Thinking)), ("thinking_off", get_args(ThinkingOff))):
        if key in entry:
            if entry[key] not in choices:
                raise ValueError(f"`{key}` must be one of {', '.join(choices)}, not {entry[key]!r}")
            changes[key] = entry[key]
    changes["rates"] = _read_rates(entry, base.rates)
    if isinstance(above := entry.get("above"), dict):
        changes["above"] = _read_rates(above, base.above or Rates())
        changes["above_tokens"] = int(above.get("prompt_tokens", base.above_tokens))
    return replace(base, **changes)


def _read_rates(entry: Mapping[str, Any], base: Rates) -> Rates:
    given: dict[str, float | None] = {}
    for spec in fields(Rates):
        if spec.name in entry:
            value = entry[spec.name]
            if value is not None and (not isinstance(value, int | float) or isinstance(value, bool) or value < 0):
                raise ValueError(f"`{spec.name}` must be a price in dollars or null, not {value!r}")
            given[spec.name] = value
    return replace(base, **given)


def info(model: str) -> ModelInfo:
    """Return what the built-in data knows of `model`."""
    return _builtin().info(model)


def full_name(name: str) -> str:
    """Return the model that a name or a short name means; see `ModelTable.full_name`."""
    return _builtin().full_name(name)


def small_model(model: str) -> str:
    """Return the model for small questions beside a conversation with `model`; see `ModelTable.small_for`."""
    return _builtin().small_for(model)


def cost(model: str, usage: Usage) -> float | None:
    """Return the US dollars one request cost by the built-in prices, or None where they are unknown."""
    return _builtin().cost(model, usage)


def request_defaults(model: str, *, max_tokens: int | None = None, is_thinking: bool = True) -> RequestDefaults:
    """Return reply length and thinking that requests to `model` carry by default; see `ModelTable.request_defaults`."""
    return _builtin().request_defaults(model, max_tokens=max_tokens, is_thinking=is_thinking)
