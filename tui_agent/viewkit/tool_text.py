"""The words that tool views share: paths, counts, times, and what a result's text says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from tui_agent.text import clean, reveal
from tui_agent.viewkit.partial_json import read_partial

if TYPE_CHECKING:
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = [
    "argument",
    "arguments",
    "count",
    "display_path",
    "duration",
    "error_text",
    "one_line",
    "refusal_text",
    "relative_path",
    "stop_words",
    "time_limit",
]

_DENIED: Final = re.compile(r"Permission to use \S+ here was denied: |A hook refused this call(?:: |\.)")
_STOPS: Final = {
    "stopped": "stopped by you",
    "interrupted": "interrupted by you",
    "sibling_error": "cancelled: another tool failed",
    "declined": "cancelled: you refused another tool",
    "closed": "cancelled: the turn ended",
}
_ERROR_TAG: Final = re.compile(r"\A\s*<tool_use_error>(.*?)(?:</tool_use_error>)?\s*\Z", re.DOTALL)


def arguments(use: ToolUse) -> dict[str, Any]:
    """Return the arguments as far as they are known: the input, or what its streamed text says so far."""
    return use.input if use.input or use.is_input_whole else read_partial(use.input_text)


def argument(use: ToolUse, name: str) -> str:
    """Return one argument as text, uncleaned; empty where it is missing or no text."""
    value = arguments(use).get(name)
    return value if isinstance(value, str) else ""


def display_path(path: str, base: str) -> str:
    """Return `path` as people read it, on one line with odd characters shown: relative to `base` when it lies inside."""
    return "." if path == base.rstrip("/") != "" else one_line(relative_path(path, base))


def relative_path(path: str, base: str) -> str:
    """Return `path` from the folder `base` where it lies in it; every character stays as it is."""
    inside = base.rstrip("/") + "/"
    return path[len(inside) :] if len(inside) > 1 and path.startswith(inside) and path != inside else path


def one_line(text: str, limit: int = 2000) -> str:
    """Return text that names or does something (a path, a command) on one line: blanks squeezed, nothing odd hidden.

    For titles: what lies behind `limit` characters is left out, and the cut marked.
    """
    line = " ".join(reveal(text[:limit]).split())
    return line if len(text) <= limit else line + "…"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its unit: `1 line`, `3 lines`, `2 matches`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def tokens(number: int) -> str:
    """Return a number of tokens in few characters: `940`, `3.4k`, `120k`, `1.2M`."""
    if number < 1000:
        return str(number)
    if number < 999_500:
        return f"{number / 1000:.1f}k" if number < 9_950 else f"{number / 1000:.0f}k"
    return f"{number / 1e6:.1f}M"


def duration(ms: float) -> str:
    """Return a time as `3.2s`, `1m 05s` or `2h 03m`."""
    seconds = ms / 1000
    if seconds < 59.95:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m {rest:02}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60:02}m"


def time_limit(ms: float) -> str:
    """Return a time that somebody set: as `duration`, without what is nought, as `5s`, `10m` or `2h`.

    A time that passes keeps its noughts, or it would jump about.
    """
    return re.sub(r"\.0(?=s$)| 00[sm]$", "", duration(ms))


def error_text(use: ToolUse) -> str:
    """Return what went wrong, cleaned, without the wrapping meant for the model, paths as people read them."""
    text = use.text
    match = _ERROR_TAG.match(text)
    shown = clean(match[1] if match else text).strip("\n")
    return shown.replace(use.base.rstrip("/") + "/", "") if use.base.strip("/") else shown


def stop_words(use: ToolUse) -> str:
    """Return who or what stopped a use, in the words for people; empty where that is not known."""
    reason = (use.data or {}).get("reason")
    return _STOPS.get(reason if isinstance(reason, str) else use.error_kind or "", "")


def refusal_text(use: ToolUse) -> str:
    """Return why a use was refused, cleaned: in the user's words, or what forbids it; empty where the user gave none."""
    if use.words:
        return clean(use.words)
    by = (use.data or {}).get("by")
    if by in (None, "person"):
        return ""
    why = _DENIED.sub("", error_text(use), count=1)
    return ": ".join(filter(None, ["by a hook", why])) if by == "hook" else why
