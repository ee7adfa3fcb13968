"""What the files of a folder want that is held back, in words for the user who is asked whether it is to count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tui_agent.secrets.names import shown_value
from tui_agent.settings.entries import handlers, listed
from tui_agent.settings.sources import SettingsSource
from tui_agent.settings.values import Path, dotted, look_up
from tui_agent.settings.withheld_setting import WithheldKind, WithheldSetting
from tui_agent.settings.withholding import HELD_REASONS

__all__ = ["WithheldKind", "WithheldSetting", "withheld_settings"]

_LISTS: Final[Mapping[Path, WithheldKind]] = {
    ("permissions", "allow"): "rule",
    ("permissions", "additionalDirectories"): "folder",
}


def withheld_settings(sources: Sequence[SettingsSource]) -> Iterator[WithheldSetting]:
    """Yield all that is held back."""
    for source in sources:
        for path, reason in source.ignored.items():
            if reason in HELD_REASONS:
                yield from _withheld(source, path, look_up(source.values, path))


def _withheld(source: SettingsSource, path: Path, value: Any) -> Iterator[WithheldSetting]:  # noqa: ANN401 - any JSON
    def setting(kind: WithheldKind, text: str, *inside: str | int) -> WithheldSetting:
        return WithheldSetting(kind, text, source.file, source.text.line((*path, *inside)))

    if path == ("hooks",):
        for event, matcher, handler, line in handlers(source):
            yield WithheldSetting("hook", _hook(event, matcher, handler), source.file, line)
    elif path == ("env",):
        for name, text in value.items():
            yield setting("environment", f"{name}={shown_value(name, text)}", name)
    elif path in _LISTS:
        for text, line in listed(source, path):
            yield WithheldSetting(_LISTS[path], text, source.file, line)
    else:
        words = ", ".join(map(str, value)) if isinstance(value, list) else json.dumps(value, ensure_ascii=False)
        yield setting("sandbox" if path[0] == "sandbox" else "other", f"{dotted(path)}: {words}")


def _hook(event: str, matcher: object, handler: Mapping[str, Any]) -> str:
    """Return when a hook is heard and what it does: its command with its arguments, its address, or its prompt."""
    when = f"{event} {matcher}" if isinstance(matcher, str) and matcher not in {"", "*"} else event
    arguments = handler.get("args")
    words = [handler.get("command"), *(arguments if isinstance(arguments, list) else ())]
    does = " ".join(str(word) for word in words if word is not None)
    does = does or str(handler.get("url") or handler.get("prompt") or handler.get("tool") or json.dumps(dict(handler)))
    return f"{when}: {does}"
