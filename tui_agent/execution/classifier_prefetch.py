"""Asks the classifier about a call early, so that hooks, dialog and classifier do not wait for one another."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from tui_agent.execution.extensions import Classified, Classifier, ClassifierQuestion
from tui_agent.hooks.dispatch import end
from tui_agent.permissions.verdict import ToolCall, Verdict
from tui_agent.tools.base import Tool, ToolInput

__all__ = ["ClassifierPrefetch", "may_classify"]

_LOG = logging.getLogger(__name__)


def may_classify(verdict: Verdict, call: ToolCall) -> bool:
    """Whether a model's opinion may settle this question.

    It may where the only reason to ask is that no rule matches. It may not where a rule, a hook, the mode or the tool itself
    wants the user asked, where the call cannot be undone, or where no rule could allow it in advance.
    """
    return verdict.behavior == "ask" and (verdict.is_open or verdict.by == "default") and not call.is_destructive


class ClassifierPrefetch:
    """The classifier's opinion of one tool use. Only the newest input is classified."""

    def __init__(self, classifier: Classifier | None, tool_use_id: str) -> None:
        self._classifier = classifier
        self._tool_use_id = tool_use_id
        self._question: ClassifierQuestion | None = None
        self._classifying: asyncio.Task[Classified | None] | None = None

    def can_judge(self, tool: Tool[Any, Any, Any], input: ToolInput) -> bool:
        """Whether there is a classifier, and the tool lets it judge this input."""
        return self._classifier is not None and bool(_text(tool, input))

    def begin(self, tool: Tool[Any, Any, Any], input: ToolInput) -> None:
        """Start to classify a call, unless that is under way or not allowed."""
        text = _text(tool, input)
        if self._classifier is None or not text:
            return
        question = ClassifierQuestion(tool_use_id=self._tool_use_id, name=tool.name, text=text)
        if question == self._question:
            return
        if self._classifying is not None:
            self._classifying.cancel()
        self._question = question
        self._classifying = asyncio.create_task(_ask(self._classifier, question))

    async def is_safe(self, tool: Tool[Any, Any, Any], input: ToolInput) -> bool:
        """Return whether the classifier calls it safe. What it may not judge, or fails at, is not safe."""
        if not self.can_judge(tool, input):
            return False
        self.begin(tool, input)
        assert self._classifying is not None
        return await asyncio.shield(self._classifying) == "safe"

    async def aclose(self) -> None:
        """Stop classifying."""
        if self._classifying is not None:
            await end([self._classifying])


def _text(tool: Tool[Any, Any, Any], input: ToolInput) -> str:
    try:
        return tool.classifier_input(input)
    except Exception:  # noqa: BLE001 - a predicate that fails counts as the unsafe answer: no model may judge
        return ""


async def _ask(classifier: Classifier, question: ClassifierQuestion) -> Classified | None:
    try:
        return await classifier(question)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever its fault, it has not said that the call is safe
        _LOG.debug("the classifier failed on %s", question.name, exc_info=error)
        return None
