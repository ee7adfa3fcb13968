"""Where a value comes from: every source that says something on a key, which of them count, and why the others do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tui_agent.settings.keys import KEYS, NOT_USED, PARTS, is_used
from tui_agent.settings.schema import SettingsValues
from tui_agent.settings.sources import SettingsSource
from tui_agent.settings.values import ABSENT, Path, dotted, leaves, look_up, undotted

__all__ = ["Explanation", "explain", "is_known", "keys_of", "value_of"]

STRONGER = "a stronger source has its own value"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one source says on a key, and whether it counts (`reason` says why not)."""

    source: str
    file: str
    line: int
    value: Any
    counts: bool
    reason: str = ""


def explain(sources: Sequence[SettingsSource], path: Path) -> tuple[Explanation, ...]:
    """Return what each source says at `path`, strongest first."""
    return tuple(_explained(sources, path))


def _explained(sources: Sequence[SettingsSource], path: Path) -> Iterator[Explanation]:
    """A single value is one source's; of lists and objects each source gives a part."""
    is_rules_list = len(path) == 2 and path[0] == "permissions" and path[1] in {"allow", "ask", "deny"}
    is_policy_only = is_rules_list and any(
        source.kind == "policy" and source.values.get("allowManagedPermissionRulesOnly") is True for source in sources
    )
    is_settled = False
    for source in sources:
        value = look_up(source.values, path)
        if value is ABSENT:
            continue
        reason = _ignored(source, path)
        if not reason and not is_used(dotted(path)):
            reason = "tui-agent does not use it" if is_known(dotted(path)) else "there is no such key"
        elif not reason and is_policy_only and source.kind != "policy":
            reason = "only the policy's rules count"
        elif not reason and is_settled and not isinstance(value, dict | list):
            reason = STRONGER
        is_settled = is_settled or not reason
        yield Explanation(source.name, source.file, source.text.line(path), value, not reason, reason)


def _ignored(source: SettingsSource, path: Path) -> str:
    """Return why an entry of a source does not count: it, or something that it is a part of, is ignored."""
    for upto in range(1, len(path) + 1):
        if reason := source.ignored.get(path[:upto]):
            return reason
    return ""


def keys_of(sources: Sequence[SettingsSource]) -> tuple[str, ...]:
    """Return the dotted keys that the sources say something on; variables and events of hooks are keys of their own."""
    found: dict[str, None] = {}
    for source in sources:
        for path, value in leaves(source.values):
            if isinstance(value, Mapping):
                found |= {dotted((*path, key)): None for key in value}
            else:
                found[dotted(path)] = None
    return tuple(found)


def is_known(key: str) -> bool:
    """Whether a dotted key is one of ours, or one that is read past."""
    upto = key.split(".")
    return is_used(key) or any(".".join(upto[:count]) in NOT_USED for count in range(1, len(upto) + 1))


def value_of(values: SettingsValues, joined: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401 - any JSON
    """Return what is in force for a dotted key: as the sources say together, or its default."""
    path = undotted(key)
    if key in KEYS or key in PARTS:
        return look_up(values.model_dump(mode="json", by_alias=True), path)
    found = look_up(joined, path) if is_used(key) else ABSENT
    return None if found is ABSENT else found
