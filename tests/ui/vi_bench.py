"""A text with a machine of vi's keys."""

from __future__ import annotations

from tui_agent.ui.prompting.editing.vi import Vi
from tui_agent.ui.prompting.editing.vi.registers import RegisterClipboard


class Bench:
    """A text and a cursor, in NORMAL at first; what is typed in INSERT is put in, as a text area would."""

    def __init__(self, text: str, cursor: int, *, clipboard: RegisterClipboard | None = None) -> None:
        self.vi = Vi(clipboard)
        self.vi.take("escape", "", 0)
        self.text, self.cursor = text, cursor
        self.requests: list[str] = []

    def press(self, *keys: str) -> Bench:
        for key in keys:
            if self.vi.is_inserting and key != "escape":
                typed = {"enter": "\n"}.get(key, key) if len(key) == 1 or key == "enter" else ""
                self.text = self.text[: self.cursor] + typed + self.text[self.cursor :]
                self.cursor += len(typed)
                continue
            step = self.vi.take(key, self.text, self.cursor)
            self.text, self.cursor = step.text, step.cursor
            if step.request:
                self.requests.append(step.request)
        return self
