"""Which tool uses the tool pane shows: those in a state, those that are about something, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.tool_view import phase_glyph

if TYPE_CHECKING:
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["STATES", "State", "ToolFilter", "state_of"]

State = Literal["running", "waiting", "failed", "done"]

STATES: Final[tuple[State, ...]] = ("running", "waiting", "failed", "done")
_GROUPS: Final[dict[str, State]] = {
    "arriving": "waiting", "queued": "waiting", "waits for you": "waiting", "running": "running",
    "done, held for order": "done", "done": "done",
    "failed": "failed", "refused": "failed", "stopped": "failed", "dropped": "failed",
}  # fmt: skip
_LONGEST_TEXT: Final = 60
_SAMPLE_CHARS: Final = 2000  # characters of each argument that are searched


def state_of(use: ToolUse) -> State:
    """Return in which of the states that one can filter by a tool use is: what was refused or stopped counts as failed."""
    return _GROUPS[phase_glyph(use)[1]]


@dataclass(frozen=True, slots=True)
class ToolFilter:
    """A state (None: any) and words that name or arguments must all contain, in any case of letters."""

    state: State | None = None
    text: str = ""

    def __bool__(self) -> bool:
        return self.state is not None or bool(self.text.strip())

    def next_state(self) -> ToolFilter:
        """Return the filter with the next state; after the last one any is right again."""
        order = (None, *STATES)
        return ToolFilter(order[(order.index(self.state) + 1) % len(order)], self.text)

    def edited(self, key: str, character: str | None) -> ToolFilter | None:
        """Return the filter after a key that edits its text, None where the key does not; `character` is what it prints."""
        match key:
            case "backspace":
                return ToolFilter(self.state, self.text[:-1])
            case "ctrl+u":
                return ToolFilter(self.state, "")
            case _ if character:
                return ToolFilter(self.state, (self.text + character)[:_LONGEST_TEXT])
            case _:
                return None

    def takes(self, use: ToolUse) -> bool:
        """Whether a tool use is shown."""
        if self.state is not None and state_of(use) != self.state:
            return False
        words = self.text.lower().split()
        if not words:
            return True
        known = [view_for(use.name).name(use), use.name, phase_glyph(use)[1]]
        known += [str(value)[:_SAMPLE_CHARS] for value in use.input.values()]
        text = " ".join(known).lower()
        return all(word in text for word in words)

    @property
    def words(self) -> str:
        """What is shown, in words: `failed · "pytest"`."""
        text = " ".join(self.text.split())
        return " · ".join(filter(None, (self.state or "", f'"{text}"' if text else "")))
