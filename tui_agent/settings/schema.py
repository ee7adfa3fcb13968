"""What a settings file may say, and how one bad entry is left out without losing the rest."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from tui_agent.settings.features import Feature
from tui_agent.settings.source_text import Location, SourceText

__all__ = ["Permissions", "Problem", "SettingsValues", "Thinking", "prune"]

ModeName = Literal["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]
Thinking = Literal["adaptive", "off"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a settings file that was left out: which file, which line (from one), and why."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=False,
        validate_by_alias=True,
    )


class Permissions(_Part):
    """Rules as written, the mode to start in, and folders that belong to the work."""

    allow: tuple[str, ...] = Field(default=(), strict=False)
    ask: tuple[str, ...] = Field(default=(), strict=False)
    deny: tuple[str, ...] = Field(default=(), strict=False)
    default_mode: ModeName | None = None
    additional_directories: tuple[str, ...] = Field(default=(), strict=False)
    disable_bypass_permissions_mode: Literal["disable"] | None = None


class SettingsValues(_Part):
    """All keys that mean something here. Unknown ones are ignored; None is "nobody said anything"."""

    permissions: Permissions = Permissions()
    env: dict[str, str] = {}
    model: str | None = None
    small_model: str | None = None
    max_turns: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    thinking: Thinking | None = None
    features: tuple[Feature, ...] = Field(default=(), strict=False)
    theme: str | None = None
    allow_managed_permission_rules_only: bool = False


_WORDS: Final[dict[str, str]] = {
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def prune(source: SourceText, file: str) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Return what is valid of a settings text, and a problem for each entry that had to go.

    Only the offending entry goes: one rule of a list, one variable of `env`, one key.
    """
    if not isinstance(source.value, dict):
        return {}, (Problem(file, 1, f"settings must be an object, not {_kind(source.value)}"),)
    value: dict[str, Any] = copy.deepcopy(source.value)
    problems: list[Problem] = []
    try:
        SettingsValues.model_validate(value)
    except ValidationError as error:
        # Last and deepest first, so that removing one entry of a list does not move the others that are to go.
        bad = {_within(value, entry["loc"]): entry for entry in error.errors()}
        for location in sorted(bad, key=_order, reverse=True):
            entry = bad[location]
            name = ".".join(part for part in location if isinstance(part, str))
            wording = _WORDS.get(entry["type"], _clause(entry["msg"]))
            found = _shown(_at(value, location))
            problems.append(Problem(file, source.line(location), f"`{name}` {wording}, not {found}; left out"))
            _remove(value, location)
    return value, tuple(sorted(problems, key=lambda problem: problem.line))


def _clause(message: str) -> str:
    """Return what pydantic says of a value as the end of a sentence about it."""
    return message[:1].lower() + message[1:] if not message.startswith("Input should be") else f"must be{message[15:]}"


def _order(location: Location) -> tuple[tuple[int, str], ...]:
    return tuple((part, "") if isinstance(part, int) else (-1, part) for part in location)


def _within(value: Any, location: Location) -> Location:  # noqa: ANN401
    """Return the longest beginning of `location` that exists: a validator may name places inside its own workings."""
    found: list[str | int] = []
    for part in location:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            break
        found.append(part)
    return tuple(found)


def _at(value: Any, location: Location) -> Any:  # noqa: ANN401
    for part in location:
        value = value[part]
    return value


def _remove(value: Any, location: Location) -> None:  # noqa: ANN401
    del _at(value, location[:-1])[location[-1]]


def _shown(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
    return _kind(value) if isinstance(value, dict | list) else json.dumps(value)


def _kind(value: Any) -> str:  # noqa: ANN401
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
