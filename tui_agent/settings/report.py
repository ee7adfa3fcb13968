"""The settings as people look at them: a row for each key, with what is in force, where it comes from, and who says what."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tui_agent.secrets.names import shown_value
from tui_agent.settings.explanation import Explanation, is_known
from tui_agent.settings.keys import KEYS, PARTS, is_used
from tui_agent.settings.load import Settings
from tui_agent.settings.sources import NAMES, SOURCES
from tui_agent.settings.withholding import CHANGED, HELD_REASONS

__all__ = ["SettingRow", "all_rows", "near_keys", "row_of", "shown"]

State = Literal["set", "default", "held back", "ignored", "not used", "unknown"]
_SHORT: Final = {NAMES[kind]: kind for kind in SOURCES if kind != "cli"}
_SPLIT: Final = frozenset({"env", "hooks"})


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One key. `value` is what is in force (JSON; values of variables that look secret are hidden), `said` what each source
    says, strongest first.
    """

    key: str
    value: Any
    meaning: str
    said: tuple[Explanation, ...]
    state: State

    @property
    def counting(self) -> tuple[Explanation, ...]:
        """What of it is in force: one for a single value, several for lists."""
        return tuple(item for item in self.said if item.counts)

    @property
    def source(self) -> str:
        """Where the value comes from, in a few words: `local`, `project, user`, `default`."""
        names = dict.fromkeys(_SHORT.get(item.source, item.source) for item in self.counting)
        if names:
            return ", ".join(names)
        if self.state == "held back":
            return (
                "held back: not confirmed"
                if any(item.reason == CHANGED for item in self.said)
                else "held back: not trusted"
            )
        return self.state

    def to_json(self) -> dict[str, Any]:
        """Return it as it is printed."""
        said = [
            {
                "source": item.source,
                "file": item.file,
                "line": item.line,
                "value": _without_secrets(self.key, item.value),
                "counts": item.counts,
                "reason": item.reason,
            }
            for item in self.said
        ]
        return {"key": self.key, "value": self.value, "meaning": self.meaning, "state": self.state, "sources": said}

    def shown(self, item: Explanation | None = None, limit: int = 200) -> str:
        """Return the value in force, or what one source says, in one line of JSON."""
        return shown(self.value if item is None else _without_secrets(self.key, item.value), limit)

    def parts(self, item: Explanation | None = None) -> tuple[str, ...]:
        """Return the value in force, or what one source says, as plain words: of a list each entry, of hooks each one."""
        value = self.value if item is None else _without_secrets(self.key, item.value)
        if self.key.startswith("hooks.") and isinstance(value, list):
            return tuple(_hook_words(group) for group in value)
        if isinstance(value, list):
            return tuple(entry if isinstance(entry, str) else shown(entry) for entry in value) or ("empty",)
        return (value if isinstance(value, str) else "not set" if value is None else shown(value),)


def row_of(settings: Settings, key: str) -> SettingRow:
    """Return the row of a dotted key, whether or not anybody has said anything on it."""
    said = settings.explain(key)
    value = _without_secrets(key, settings.value(key))
    return SettingRow(key, value, _meaning(key), said, _state(key, said))


def all_rows(settings: Settings) -> tuple[SettingRow, ...]:
    """Return a row for each key that somebody has said something on: ours in their order, then what means nothing here."""
    order = {key: number for number, key in enumerate(KEYS)}

    def place(key: str) -> tuple[int, str]:
        head = key.partition(".")[0]
        return order.get(key, order.get(head, len(order) + (not is_known(key)))), key

    keys = (key for key in settings.keys() if key != "$schema")  # noqa: SIM118 - no mapping
    return tuple(row_of(settings, key) for key in sorted(keys, key=place))


def near_keys(settings: Settings, key: str) -> list[str]:
    """Return keys that may have been meant."""
    known = [*KEYS, *PARTS, *settings.keys()]
    by_end = [name for name in known if name.lower().split(".")[-1] == key.lower().split(".")[-1]]
    return by_end or difflib.get_close_matches(key, known, n=3)


def shown(value: Any, limit: int = 200) -> str:  # noqa: ANN401 - any JSON
    """Return a value in one line of JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _hook_words(group: Any) -> str:  # noqa: ANN401 - any JSON
    """Return one group of hooks: what it is for, and what each handler does."""
    handlers = group.get("hooks") if isinstance(group, Mapping) else None
    if not isinstance(handlers, list):
        return shown(group)
    does = (
        next((str(handler[key]) for key in ("command", "url", "prompt", "tool") if handler.get(key)), shown(handler))
        for handler in handlers
        if isinstance(handler, Mapping)
    )
    matcher = group.get("matcher")
    return f"{matcher}: {'; '.join(does)}" if matcher else "; ".join(does)


def _state(key: str, said: tuple[Explanation, ...]) -> State:
    if any(item.counts for item in said):
        return "set"
    if not is_used(key):
        return "not used" if is_known(key) else "unknown"
    if not said:
        return "default"
    return "held back" if any(item.reason in HELD_REASONS or "trusted" in item.reason for item in said) else "ignored"


def _meaning(key: str) -> str:
    head = key.partition(".")[0]
    return KEYS.get(key) or PARTS.get(key) or (KEYS[head] if head in _SPLIT else "")


def _without_secrets(key: str, value: Any) -> Any:  # noqa: ANN401 - any JSON
    if key == "env" and isinstance(value, Mapping):
        return {name: shown_value(name, text) for name, text in value.items()}
    if key.startswith("env.") and value is not None:
        return shown_value(key.removeprefix("env."), value)
    return value
