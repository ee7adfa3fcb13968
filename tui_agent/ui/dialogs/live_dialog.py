"""A dialog that shows what goes on while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tui_agent.ui.dialogs.dialog import Dialog

if TYPE_CHECKING:
    from tui_agent.ui.projection.projection import Dirty, Projection

__all__ = ["LiveDialog"]

T = TypeVar("T")


class LiveDialog(Dialog[T]):
    """The app hands each open one what has changed."""

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Show what changed."""
        raise NotImplementedError
