"""The words on whether the model thinks before it answers: as it is switched, and as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tui_agent.ui.projection.state import Status

__all__ = ["standing", "switched"]

_OFF: Final = "thinking off"


def standing(status: Status) -> str:
    """Return what to say beside the model: something only where it is told not to think, and takes that."""
    if status.is_thinking:
        return ""
    from tui_agent.model.prices import info  # nobody needs it for the first frame

    return _OFF if info(status.model).has_optional_thinking else ""


def switched(model: str, *, is_on: bool) -> str:
    """Return what the user is told when they have switched it; it fits into the status line of a narrow terminal."""
    from tui_agent.model.prices import info

    if not is_on and info(model).thinking_off == "between_tools":
        return "thinks only between tools from your next message"
    return f"thinking is {'on' if is_on else 'off'} from your next message on"
