"""The permission mode of one session: which it is, who may change it to what, and which one the model knows of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tui_agent.events import Event, ModeChanged, Notice
from tui_agent.permissions.modes import Mode, next_mode
from tui_agent.settings.current import CurrentSettings

__all__ = ["PermissionMode"]

_NO_BYPASS: Final = Notice(
    level="warning",
    text="Bypassing permissions was not allowed when this session was started.",
    hint="Start with --dangerously-skip-permissions if you mean it.",
)


class PermissionMode:
    """The mode in force. A change is published as `ModeChanged`.

    `may_start_bypassing` is whether the mode that asks nothing was allowed at the start. `known` is the mode that the model
    knows of.
    """

    def __init__(
        self,
        mode: Mode,
        *,
        publish: Callable[[Event], object],
        settings: CurrentSettings | None = None,
        may_start_bypassing: bool = False,
        known: Mode = "default",
    ) -> None:
        self._mode: Mode = mode
        self._before_plan: Mode = "default"
        self._publish = publish
        self._settings = settings
        self._may_start_bypassing = may_start_bypassing
        self._known: Mode = known

    @property
    def now(self) -> Mode:
        """The mode in force."""
        return self._mode

    @property
    def before_plan(self) -> Mode:
        """The mode that plan mode was entered from."""
        return self._before_plan

    @property
    def may_bypass(self) -> bool:
        """Whether the mode that asks nothing may be taken: allowed at the start, and not forbidden since."""
        if self._settings is None:
            return self._may_start_bypassing
        permissions = self._settings.now.values.permissions
        return self._may_start_bypassing and permissions.disable_bypass_permissions_mode != "disable"

    def change(self, mode: Mode, *, is_told: bool = False) -> None:
        """Change the mode. Bypassing is refused with a notice where it may not be chosen.

        `is_told` is that the model learns of the change by a tool's result.
        """
        if mode != self._mode:
            if mode == "bypassPermissions" and not self.may_bypass:
                self._publish(_NO_BYPASS)
            else:
                previous, self._mode = self._mode, mode
                if mode == "plan":
                    self._before_plan = previous
                self._publish(ModeChanged(mode=mode, previous=previous))
        if is_told:
            self._known = self._mode

    def cycle(self) -> None:
        """Go to the next mode in the cycle."""
        self.change(next_mode(self._mode, is_bypass_enabled=self.may_bypass))

    # --- what the model knows ----------------------------------------------------------------------------------------

    def tell(self) -> Mode:
        """Return the mode that the model knew of so far; it is about to be told of the one in force."""
        known, self._known = self._known, self._mode
        return known

    def forget_told(self) -> None:
        """A new conversation begins, in which the model knows of the usual mode alone."""
        self._known = "default"
