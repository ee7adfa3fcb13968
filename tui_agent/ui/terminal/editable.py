"""What the terminal's layers need to know of a widget that text is written in, without knowing the widget."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

__all__ = ["EditableWidget", "as_editable"]


@runtime_checkable
class EditableWidget(Protocol):
    """A widget that takes every key itself, also those with Alt; it says in which context keys mean something there."""

    @property
    def key_context(self) -> str:
        """The name of the context, as the files of bindings have it."""
        ...

    def write(self, text: str) -> None:
        """Write text at the cursor."""
        ...


def as_editable(widget: object) -> EditableWidget | None:
    """Return a widget if it is such a place, None if not."""
    return widget if isinstance(widget, EditableWidget) else None
