"""What a person can switch while a session runs: the permission mode, and whether secrets are hidden."""

from __future__ import annotations

from collections.abc import Callable

from tui_agent.agent.workbench import Workbench
from tui_agent.events import Event, MaskingChanged, ModeChanged, Notice
from tui_agent.permissions.modes import Mode, next_mode

__all__ = ["Switches"]


class Switches:
    """Changes what `bench` holds, as far as the start of the session and the policy allow, and tells of it.

    `may_start_bypassing` is whether the mode that asks nothing was allowed at the start.
    """

    def __init__(self, bench: Workbench, publish: Callable[[Event], object], *, may_start_bypassing: bool) -> None:
        self._bench = bench
        self._publish = publish
        self._may_start_bypassing = may_start_bypassing

    # --- the mode ----------------------------------------------------------------------------------------------------

    @property
    def may_bypass(self) -> bool:
        """Whether the mode that asks nothing may be taken: allowed at the start, and not forbidden since."""
        forbidden = self._bench.settings.values.permissions.disable_bypass_permissions_mode == "disable"
        return self._may_start_bypassing and not forbidden

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode. Bypassing needs to have been allowed at the start, and is refused otherwise."""
        previous = self._bench.rulebook.mode
        if mode == previous:
            return
        if mode == "bypassPermissions" and not self.may_bypass:
            self._publish(
                Notice(
                    level="warning",
                    text="Bypassing permissions was not allowed when this session was started.",
                    hint="Start with --dangerously-skip-permissions if you mean it.",
                )
            )
            return
        self._bench.rulebook.mode = mode
        self._bench.plan.mode_changed(previous)
        self._publish(ModeChanged(mode=mode, previous=previous))
        self._bench.desk.reconsider()

    def cycle_mode(self) -> None:
        """Go to the next mode in the cycle."""
        self.set_mode(next_mode(self._bench.rulebook.mode, is_bypass_enabled=self.may_bypass))

    # --- secrets -----------------------------------------------------------------------------------------------------

    @property
    def masking(self) -> MaskingChanged:
        """Whether secrets are hidden, and which are known by name."""
        return MaskingChanged(is_on=self._bench.masker.is_on, names=self._bench.masker.names)

    def set_masking(self, is_on: bool) -> None:
        """Hide secrets from now on, or show them until the session ends; a policy may forbid that. What was hidden stays so."""
        said = self._bench.settings.explain("maskSecrets")
        if not is_on and any(item.source == "policy" and item.value is True for item in said):
            self._publish(Notice(level="warning", text="Secrets stay hidden: the policy of this machine says so."))
        elif is_on != self._bench.masker.is_on:
            self._bench.masker.is_on = is_on
            self._publish(self.masking)
