"""What is held back of a file that came with a folder: each entry that could loosen something and is not confirmed.

Such a file is taken apart into two sources of one name: what counts, and what is held back with the reason. Both keep the lines
of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from tui_agent.settings.confirmed import entry_hash
from tui_agent.settings.source_text import SourceText
from tui_agent.settings.sources import SettingsSource
from tui_agent.settings.trust_filter import is_guarded
from tui_agent.settings.values import Path, leaves, put

__all__ = ["CHANGED", "HELD_REASONS", "NOT_OURS", "NOT_TRUSTED", "divided", "guarded_hashes"]

NOT_TRUSTED: Final = "held back until the folder is trusted"
NOT_OURS: Final = "withheld until the folder is trusted: tui-agent did not write it"
CHANGED: Final = "withheld: new or changed since the folder was trusted; /trust confirms it"
HELD_REASONS: Final = frozenset({NOT_TRUSTED, NOT_OURS, CHANGED})

_HOLE: Final = None  # stands in a list for what was taken out, so that the lines of the rest stay right
_Keeps = Callable[[Path, Any], bool]


def divided(source: SettingsSource, confirmed: Collection[str], reason: str) -> tuple[SettingsSource, ...]:
    """Return a source as what counts of it and what is held back; as it is where nothing is held back."""

    def counts(path: Path, entry: Any) -> bool:  # noqa: ANN401 - any JSON
        return entry_hash(source.file, path, entry) in confirmed

    held = _part(source.values, lambda path, entry: not counts(path, entry), is_guarded_only=True)
    if not held:
        return (source,)
    kept = replace(
        source,
        values=_part(source.values, counts),
        text=_text(source.text, counts),
    )
    back = replace(
        source,
        values=held,
        text=_text(source.text, lambda path, entry: not counts(path, entry), is_guarded_only=True),
        ignored={path: reason for path, _ in leaves(held)},
    )
    return kept, back


def guarded_hashes(source: SettingsSource) -> Iterator[str]:
    """Yield what each entry is known by that counts only with the user's consent."""
    for path, value in leaves(source.values):
        if is_guarded(path, value):
            for entry in _entries(path, value):
                yield entry_hash(source.file, path, entry)


def _entries(path: Path, value: Any) -> Iterator[Any]:  # noqa: ANN401 - any JSON
    """Yield the entries of one key, as they are confirmed: each of a list, each variable, each hook, else the value."""
    if path == ("hooks",) and isinstance(value, Mapping):
        for event, groups in value.items():
            for group in groups if isinstance(groups, list) else ():
                yield from _hooks(event, group)
    elif path == ("env",) and isinstance(value, Mapping):
        yield from ([name, text] for name, text in value.items())
    elif isinstance(value, list):
        yield from value
    else:
        yield value


def _hooks(event: str, group: Any) -> Iterator[Any]:  # noqa: ANN401 - any JSON
    handlers = group.get("hooks") if isinstance(group, Mapping) else None
    if isinstance(handlers, list):
        yield from (_hook(event, group, handler) for handler in handlers)


def _hook(event: str, group: Mapping[str, Any], handler: Any) -> list[Any]:  # noqa: ANN401 - any JSON
    rest = {key: value for key, value in group.items() if key != "hooks"}
    return [event, rest, handler]


def _text(text: SourceText, keeps: _Keeps, *, is_guarded_only: bool = False) -> SourceText:
    if not isinstance(text.value, Mapping):
        return text
    return replace(text, value=_part(text.value, keeps, is_guarded_only=is_guarded_only, has_holes=True))


def _part(
    values: Mapping[str, Any], keeps: _Keeps, *, is_guarded_only: bool = False, has_holes: bool = False
) -> dict[str, Any]:
    """Return the part of settings whose guarded entries are to be kept; of the others all, or none of them."""
    result: dict[str, Any] = {}
    for path, value in leaves(values):
        if not is_guarded(path, value):
            if not is_guarded_only:
                result = put(result, path, value)
            continue
        found = _kept(path, value, keeps, has_holes)
        if found not in (_HOLE, [], {}):
            result = put(result, path, found)
    return result


def _kept(path: Path, value: Any, keeps: _Keeps, has_holes: bool) -> Any:  # noqa: ANN401 - any JSON
    if path == ("hooks",) and isinstance(value, Mapping):
        events = {event: _groups(event, groups, keeps, has_holes) for event, groups in value.items()}
        return {event: groups for event, groups in events.items() if any(groups)}
    if path == ("env",) and isinstance(value, Mapping):
        return {name: text for name, text in value.items() if keeps(path, [name, text])}
    if isinstance(value, list):
        return _without_holes([item if keeps(path, item) else _HOLE for item in value], has_holes)
    return value if keeps(path, value) else _HOLE


def _groups(event: str, groups: Any, keeps: _Keeps, has_holes: bool) -> list[Any]:  # noqa: ANN401 - any JSON
    found: list[Any] = []
    for group in groups if isinstance(groups, list) else ():
        handlers = group.get("hooks") if isinstance(group, Mapping) else None
        if not isinstance(handlers, list):
            found.append(_HOLE)
            continue
        kept = [one if keeps(("hooks",), _hook(event, group, one)) else _HOLE for one in handlers]
        left = _without_holes(kept, has_holes)
        found.append({**group, "hooks": left} if any(one is not _HOLE for one in kept) else _HOLE)
    return _without_holes(found, has_holes)


def _without_holes(items: list[Any], has_holes: bool) -> list[Any]:
    if any(item is not _HOLE for item in items):
        return items if has_holes else [item for item in items if item is not _HOLE]
    return []
