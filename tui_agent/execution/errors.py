"""How a failure reads: the texts the model gets, and the exception that ends a tool use's stages early.

Errors are data. Whatever goes wrong becomes one result whose text lets the model correct itself, wrapped so that it cannot
be taken for a tool's own output.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from tui_agent.tools.base import ErrorKind, Partial, ToolError

__all__ = [
    "ERROR_CHARS", "INTERRUPTED", "REFUSED", "AbortReason", "ToolFailure", "abort_text", "aborted", "cut_middle", "denied",
    "failure_text", "invalid_input", "refused", "refused_by_hook", "unanswered", "unknown_tool", "unwrap", "wrap",
]  # fmt: skip

_LOG = logging.getLogger(__name__)

REFUSED: Final = (
    "The user refused this tool use; it did not run and nothing was changed. "
    "Stop here and wait for the user to say how to continue."
)
REFUSED_WITH_WORDS: Final = (
    "The user refused this tool use; it did not run and nothing was changed. They said what they want instead:\n{words}"
)
INTERRUPTED: Final = "The user interrupted. This tool use was not finished: it may have run in part, or not at all."

AbortReason = Literal["interrupted", "stopped", "sibling_error", "declined", "closed"]
_ABORTED: Final[dict[AbortReason, str]] = {
    "interrupted": INTERRUPTED,
    "stopped": "The user stopped this one tool use. It was not finished: it may have run in part, or not at all.",
    "sibling_error": "Cancelled (sibling_error): another tool use of the same reply failed, so this one was not carried out.",
    "declined": "Cancelled: another tool use of the same reply was refused, so this one was not carried out.",
    "closed": "Cancelled: the turn ended before this tool use was done.",
}

ERROR_CHARS: Final = 10_000
_OPENING: Final = "<tool_use_error>"
_CLOSING: Final = "</tool_use_error>"
_MOST_NAMES: Final = 40
_LONGEST_NAME: Final = 200


class ToolFailure(Exception):  # noqa: N818 - what it is to the tool use, not a fault of the program
    """A tool use ends here with an error result of this kind. `text` is what the model gets, not yet wrapped."""

    def __init__(
        self, kind: ErrorKind, text: str, *, data: Mapping[str, Any] | None = None, ends_turn: bool = False
    ) -> None:
        super().__init__(text)
        self.kind: Final = kind
        self.text: Final = text
        self.data: Final = dict(data) if data else None
        self.ends_turn: Final = ends_turn

    @classmethod
    def of(cls, error: ToolError) -> ToolFailure:
        """Return the failure for an error that a tool raised."""
        text = failure_text(error.message, error.stderr, error.stdout)
        return cls(error.kind, text, data=error.data, ends_turn=error.ends_turn)

    @classmethod
    def unexpected(cls, error: BaseException, where: str) -> ToolFailure:
        """Return the failure for an unexpected exception; `data` names the type, so that the fault can be found."""
        _LOG.debug("a tool use failed in %s", where, exc_info=error)
        name = type(error).__name__
        printed = [_printed(getattr(error, stream, None)) for stream in ("stderr", "stdout")]
        text = failure_text(f"The tool failed in {where} ({name}): {error}", *printed)
        return cls("execution", text, data={"exception": name, "message": str(error)})


def wrap(text: str) -> str:
    """Mark text as an error of a tool use."""
    return f"{_OPENING}{text}{_CLOSING}"


def unwrap(text: str) -> str | None:
    """Return what `wrap` was given, or None where `text` is no error of a tool use."""
    if text.startswith(_OPENING) and text.endswith(_CLOSING):
        return text[len(_OPENING) : -len(_CLOSING)]
    return None


def cut_middle(text: str, limit: int) -> str:
    """Return at most about `limit` characters of `text`: equal head and tail, and how much is left out between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… [{len(text) - 2 * half:,} characters left out] …\n{text[-half:]}"


def failure_text(message: str, stderr: str = "", stdout: str = "") -> str:
    """Return what an exception says: its message, then what was printed; the middle is cut where that is long."""
    parts = [message]
    if stderr:
        parts.append(f"Stderr:\n{stderr}")
    if stdout:
        parts.append(f"Stdout:\n{stdout}")
    return cut_middle("\n".join(parts), ERROR_CHARS)


def _printed(output: object) -> str:
    """Return what a failed program printed, which exceptions of `subprocess` carry."""
    return output.decode(errors="replace") if isinstance(output, bytes) else output if isinstance(output, str) else ""


def abort_text(reason: AbortReason) -> str:
    """Return the fixed text for a tool use that was cancelled."""
    return _ABORTED[reason]


def aborted(reason: AbortReason, partial: Partial | None = None) -> ToolFailure:
    """A tool use was cancelled; what it had to show until then, if anything, follows the fixed text."""
    text, data = abort_text(reason), {"reason": reason}
    if partial is None:
        return ToolFailure("aborted", text, data=data)
    return ToolFailure("aborted", f"{text}\n{cut_middle(partial.text, ERROR_CHARS)}", data={**partial.data, **data})


def unknown_tool(name: str, nearest: Sequence[str], known: Sequence[str] = ()) -> ToolFailure:
    """There is no such tool: the text names those that look like it, or, where none does, those that there are."""
    hint = ""
    if nearest:
        hint = f" Did you mean {' or '.join(nearest)}?"
    elif known:
        more = f" and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
        hint = f" There are {', '.join(known[:_MOST_NAMES])}{more}."
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    return ToolFailure("unknown_tool", f"There is no tool named {shown!r}.{hint}", data={"nearest": list(nearest)})


def invalid_input(problem: Exception) -> ToolFailure:
    """The input does not fit the tool's schema; `problem` names field, expected and received."""
    return ToolFailure("invalid_input", f"InputValidationError: {problem}")


def unreadable_input(problem: str) -> ToolFailure:
    """The arguments of the call could not be read at all; `problem` is a clause that says why."""
    text = f"InputValidationError: {problem}. Nothing ran. Call again with complete arguments, as one JSON object."
    return ToolFailure("invalid_input", text)


def denied(name: str, reason: str, *, by: str, rule: str | None = None) -> ToolFailure:
    """A rule, the mode or the tool itself forbids the call."""
    return ToolFailure("denied", f"Permission to use {name} here was denied: {reason}", data={"by": by, "rule": rule})


def refused(words: str | None) -> ToolFailure:
    """The user said no: with words the turn goes on with them, without it ends."""
    if words and words.strip():
        text = REFUSED_WITH_WORDS.format(words=words)
        return ToolFailure("denied", text, data={"by": "person", "words": words})
    return ToolFailure("denied", REFUSED, data={"by": "person"}, ends_turn=True)


def refused_by_hook(reason: str, *, ends_turn: bool = False) -> ToolFailure:
    """A hook said no, before the call was judged or in the user's place."""
    text = f"A hook refused this call: {reason}" if reason.strip() else "A hook refused this call."
    return ToolFailure("hook", text, data={"by": "hook"}, ends_turn=ends_turn)


def unanswered(name: str, reason: str, message: str | None) -> ToolFailure:
    """A user would have to be asked about the call, and there is none."""
    text = message or f"Using {name} here needs the user's approval, and nobody is there to give it: {reason}"
    return ToolFailure("denied", text, data={"by": "policy"})
