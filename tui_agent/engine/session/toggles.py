"""What a user can switch while a session runs besides the permission mode: thinking, and whether secrets are hidden."""

from __future__ import annotations

from tui_agent.engine.session.core import SessionCore
from tui_agent.engine.session.current_model import CurrentModel
from tui_agent.engine.session.thinking import Thinking
from tui_agent.events import MaskingChanged, Notice, ThinkingChanged
from tui_agent.model.prices import ModelInfo

__all__ = ["SessionToggles"]


class SessionToggles:
    """Changes what `core` and `thinking` hold, as far as the model and the policy allow, and tells of it."""

    def __init__(
        self,
        core: SessionCore,
        thinking: Thinking,
        model: CurrentModel,
    ) -> None:
        self._core = core
        self._thinking = thinking
        self._model = model
        self._publish = core.bus.publish

    # --- thinking ----------------------------------------------------------------------------------------------------

    @property
    def is_thinking(self) -> bool:
        """Whether the user wants the model to think."""
        return self._thinking.is_on

    def set_thinking(self, is_on: bool) -> None:
        """Let the model think before it answers from the next message on, or not. One that cannot be told not to goes on."""
        if not is_on and (problem := _why_always(self._model.table.info(self._model.name))):
            self._publish(Notice(level="warning", text=problem, hint="/model chooses another."))
        elif is_on != self._thinking.is_on:
            self._thinking.switch(is_on=is_on)
            self._publish(ThinkingChanged(is_on=is_on))

    # --- secrets -----------------------------------------------------------------------------------------------------

    @property
    def masking(self) -> MaskingChanged:
        """Whether secrets are hidden, and which are known by name."""
        return MaskingChanged(is_on=self._core.masker.is_on, names=self._core.masker.names)

    def set_masking(self, is_on: bool) -> None:
        """Hide secrets from now on, or show them until the session ends; a policy may forbid that. What was hidden stays so."""
        said = self._core.settings.now.explain("maskSecrets")
        if not is_on and any(item.source == "policy" and item.value is True for item in said):
            self._publish(Notice(level="warning", text="Secrets stay hidden: the policy of this machine says so."))
        elif is_on != self._core.masker.is_on:
            self._core.masker.switch(is_on=is_on)
            self._publish(self.masking)


def _why_always(known: ModelInfo) -> str:
    """Return why a model cannot be told not to think, in a sentence; empty where it can."""
    if known.has_optional_thinking:
        return ""
    if known.thinking is None:
        return f"Whether {known.id} supports thinking is unknown, so requests leave it out."
    return (
        f"{known.id} never thinks."
        if known.thinking == "none"
        else f"{known.id} always thinks: that cannot be switched off."
    )
