"""What a user can switch while a session runs: the permission mode, thinking, and whether secrets are hidden."""

from __future__ import annotations

from collections.abc import Callable

from tui_agent.engine.session.thinking import Thinking
from tui_agent.engine.session.tool_runtime import ToolRuntime
from tui_agent.events import Event, MaskingChanged, ModeChanged, Notice, ThinkingChanged
from tui_agent.model import prices
from tui_agent.permissions.modes import Mode, next_mode

__all__ = ["SessionToggles"]


class SessionToggles:
    """Changes what `runtime` holds, as far as the start of the session and the policy allow, and tells of it.

    `may_start_bypassing` is whether the mode that asks nothing was allowed at the start; `model` is where requests go.
    """

    def __init__(
        self,
        runtime: ToolRuntime,
        thinking: Thinking,
        publish: Callable[[Event], object],
        *,
        model: Callable[[], str],
        may_start_bypassing: bool,
    ) -> None:
        self._runtime = runtime
        self._thinking = thinking
        self._model = model
        self._publish = publish
        self._may_start_bypassing = may_start_bypassing

    # --- the mode ----------------------------------------------------------------------------------------------------

    @property
    def may_bypass(self) -> bool:
        """Whether the mode that asks nothing may be taken: allowed at the start, and not forbidden since."""
        forbidden = self._runtime.settings.values.permissions.disable_bypass_permissions_mode == "disable"
        return self._may_start_bypassing and not forbidden

    def set_mode(self, mode: Mode) -> None:
        """Change the permission mode. Bypassing needs to have been allowed at the start, and is refused otherwise."""
        previous = self._runtime.rulebook.mode
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
        self._runtime.rulebook.mode = mode
        self._runtime.plan.mode_changed(previous)
        self._publish(ModeChanged(mode=mode, previous=previous))
        self._runtime.broker.reconsider()

    def cycle_mode(self) -> None:
        """Go to the next mode in the cycle."""
        self.set_mode(next_mode(self._runtime.rulebook.mode, is_bypass_enabled=self.may_bypass))

    # --- thinking ----------------------------------------------------------------------------------------------------

    @property
    def is_thinking(self) -> bool:
        """Whether the user wants the model to think."""
        return self._thinking.is_on

    def set_thinking(self, is_on: bool) -> None:
        """Let the model think before it answers from the next message on, or not. One that cannot be told not to goes on."""
        if not is_on and (problem := _why_always(self._model())):
            self._publish(Notice(level="warning", text=problem, hint="/model chooses another."))
        elif is_on != self._thinking.is_on:
            self._thinking.is_on = is_on
            self._publish(ThinkingChanged(is_on=is_on))

    # --- secrets -----------------------------------------------------------------------------------------------------

    @property
    def masking(self) -> MaskingChanged:
        """Whether secrets are hidden, and which are known by name."""
        return MaskingChanged(is_on=self._runtime.masker.is_on, names=self._runtime.masker.names)

    def set_masking(self, is_on: bool) -> None:
        """Hide secrets from now on, or show them until the session ends; a policy may forbid that. What was hidden stays so."""
        said = self._runtime.settings.explain("maskSecrets")
        if not is_on and any(item.source == "policy" and item.value is True for item in said):
            self._publish(Notice(level="warning", text="Secrets stay hidden: the policy of this machine says so."))
        elif is_on != self._runtime.masker.is_on:
            self._runtime.masker.is_on = is_on
            self._publish(self.masking)


def _why_always(model: str) -> str:
    """Return why a model cannot be told not to think, in a sentence; empty where it can."""
    known = prices.info(model)
    if known.has_optional_thinking:
        return ""
    if known.thinking is None:
        return f"Nothing is known of how {model} thinks, so that nothing is said of it in requests."
    return (
        f"{model} never thinks." if known.thinking == "none" else f"{model} always thinks: that cannot be switched off."
    )
