"""Messages that begin with the names of skills: `/review src/`, or up to six of them, `/plan /review src/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tui_agent.context_marks import neutral
from tui_agent.drafts import Draft
from tui_agent.engine.context.attachments import Attached
from tui_agent.engine.hooks.session_hooks import SessionHooks
from tui_agent.engine.skills.invocation import SkillInvoker
from tui_agent.events import Event, Notice
from tui_agent.skills.skill import Skill
from tui_agent.text import clean_line
from tui_agent.tools.services import SkillError

__all__ = ["PromptExpander"]

_MOST_STACKED: Final = 6
_GENERAL: Final = "general-purpose"
_FORKED: Final = (
    "The user has invoked this skill, which is for an agent: start one with Agent, of the type {type}, with the whole text of "
    "the skill as its prompt. Report its answer; do not follow the skill yourself."
)


class PromptExpander:
    """Expands messages that invoke skills. `use_model` has the turn that follows asked of another model."""

    def __init__(
        self,
        invoker: SkillInvoker,
        session_hooks: SessionHooks,
        publish: Callable[[Event], object],
        *,
        use_model: Callable[[str], object] = lambda _name: None,
    ) -> None:
        self._invoker = invoker
        self._session_hooks = session_hooks
        self._publish = publish
        self._use_model = use_model

    async def refresh(self) -> None:
        """Look whether skills have changed."""
        await self._invoker.skills.refresh()

    def is_needed(self, draft: Draft) -> bool:
        """Whether a message invokes a skill that there is."""
        return bool(self._invoked(draft.whole)[0])

    def _invoked(self, text: str) -> tuple[list[Skill], str]:
        """Return the skills that a message begins with, and the rest of it."""
        catalog = self._invoker.skills.catalog
        found: list[Skill] = []
        rest = text.strip()
        while rest.startswith("/") and len(found) < _MOST_STACKED:
            name = rest.split(None, 1)[0][1:]
            skill = catalog.find(name)
            if skill is None or not catalog.is_for_user(skill):
                break
            found.append(skill)
            rest = rest[len(name) + 1 :].lstrip()
        return found, rest

    async def expand(self, message_id: str, draft: Draft) -> Attached | None:
        """Return what stands before a message that invokes skills; None where one cannot be, which the user is told."""
        skills, arguments = self._invoked(draft.whole)
        blocks: list[dict[str, Any]] = []
        facts: list[dict[str, Any]] = []
        for number, skill in enumerate(skills):
            if not await self._session_hooks.expansion(skill.name, arguments, skill.place, draft.whole):
                return None
            try:
                loaded = await self._invoker.load(skill, arguments, use_id=f"{message_id}_skill{number}")
            except SkillError as error:
                self._publish(Notice(level="error", text=str(error), hint=f"It was: {clean_line(draft.text, 500)}"))
                return None
            text = loaded.text
            if loaded.is_forked:
                kind = neutral(clean_line(loaded.agent_type, 60)) or _GENERAL
                text = f"{_FORKED.format(type=kind)}\n{text}"
            blocks += [{"type": "text", "text": text}, *loaded.blocks]
            facts += [
                {"kind": "skill", "name": f"/{loaded.name}", "note": f"{skill.kind}, {loaded.place}"},
                *loaded.facts,
            ]
            if loaded.model:
                self._use_model(loaded.model)
        return Attached(tuple(blocks), tuple(facts))
