"""Making tool results shorter: those of one reply that are too much together, and old ones that no longer fit the context.

What the model gets becomes shorter; the record keeps each result as it was, and what had not been kept whole on disk is kept
before it is cut. Each result that changes is one event, so that a session that is taken up again sends the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from tui_agent.engine.conversation.history import Answered, History
from tui_agent.events import Notice, ToolResultShrunk
from tui_agent.execution.errors import wrap
from tui_agent.execution.execution_context import Content, Publish, ToolOutcome
from tui_agent.execution.results import ResultStore, text_chars, text_of

__all__ = ["ContextTrimmer"]

_LAST_ATTEMPT: Final = 3  # in a row: it gives up everything
_KEPT: Final = frozenset({"Skill"})  # instructions, which the model goes by as long as they stand there
_LARGE: Final = 2_000  # a result below this is not worth the note that would stand in its place
_IMAGE_CHARS: Final = 6_000  # what an image or a document costs, as so many characters of text
_INPUT_CHARS: Final = 300


class ContextTrimmer:
    """Shortens results of one conversation, live and as events. `store` keeps what is cut."""

    def __init__(self, history: History, store: ResultStore, publish: Publish) -> None:
        self._history = history
        self._store = store
        self._publish = publish

    async def fit_reply(self, outcomes: Sequence[ToolOutcome]) -> None:
        """Bring the results of one reply within the limit for all of them together, the largest first."""
        for tool_use_id, content in (await self._store.fit_together(outcomes)).items():
            self._history.shrink(tool_use_id, content)
            self._publish(ToolResultShrunk(tool_use_id=tool_use_id, content=content, reason="reply_limit"))

    async def make_room(self, attempt: int) -> bool:
        """Shorten old results, the largest first, and say so; False when there is nothing left to shorten.

        `attempt` is how often this has been tried in a row, from 1: more is given up each time, and everything at the third, so
        that a fourth has nothing left.
        """
        found = (one for one in self._history.old_results() if one.name not in _KEPT or attempt >= _LAST_ATTEMPT)
        old = sorted(found, key=lambda answered: -_weight(answered.content))
        wanted = sum(_weight(answered.content) for answered in old) * attempt / (_LAST_ATTEMPT + 1)
        freed = count = 0
        for answered in old:
            weight = _weight(answered.content)
            if weight < _LARGE or (freed >= wanted and attempt < _LAST_ATTEMPT):
                break
            content = await self._note(answered)
            self._history.shrink(answered.tool_use_id, content)
            self._publish(ToolResultShrunk(tool_use_id=answered.tool_use_id, content=content, reason="context"))
            freed += weight
            count += 1
        if not count:
            return False
        shortened = "One older tool result was" if count == 1 else f"{count} older tool results were"
        self._publish(
            Notice(
                level="info",
                text=f"The conversation exceeded the model's context. {shortened} shortened; the request is sent again.",
                hint="The journal keeps them whole. /clear starts a new conversation.",
            )
        )
        return True

    async def drop(self, tool_use_id: str) -> str:
        """Leave one result out, as the user wishes, and say so. Return why that cannot be; empty where it is done."""
        answered = self._history.answered(tool_use_id)
        if answered is None:
            return "The model no longer gets this result."
        if tool_use_id in self._history.shortened:
            return "This result has been shortened already."
        content = await self._note(answered, why="by the user, to save space")
        before, after = _weight(answered.content), _weight(content)
        if after >= before:
            return "It is not longer than the note that would replace it."
        self._history.shrink(tool_use_id, content)
        self._publish(ToolResultShrunk(tool_use_id=tool_use_id, content=content, reason="context"))
        text = f"The model no longer gets the result of {answered.name} ({before:,} characters)."
        self._publish(
            Notice(
                level="info", text=text, hint="This conversation still shows it; the model is told where it is kept."
            )
        )
        return ""

    async def _note(self, answered: Answered, why: str = "to save space") -> Content:
        """Return what stands in a result's place: what was there, and where the whole of it is."""
        given = json.dumps(answered.input, ensure_ascii=False)
        given = given if len(given) <= _INPUT_CHARS else f"{given[:_INPUT_CHARS]}…"
        text = text_of(answered.content)
        parts = [f"{len(text):,} characters"] if text else []
        others = _others(answered.content)
        if others:
            parts.append("one image or document" if others == 1 else f"{others} images or documents")
        path = answered.kept_in or (await self._store.keep(text, answered.tool_use_id) if text else None)
        where = (
            f" The whole text is in {path}; read it there if you need it again."
            if path
            else " Call the tool again if you need it."
        )
        note = f"[The result of {answered.name}({given}) was here: {' and '.join(parts)}, left out {why}.{where}]"
        return wrap(note) if answered.is_error else note


def _others(content: Content) -> int:
    return 0 if isinstance(content, str) else sum(block.get("type") != "text" for block in content)


def _weight(content: str | list[dict[str, Any]]) -> int:
    return text_chars(content) + _IMAGE_CHARS * _others(content)
