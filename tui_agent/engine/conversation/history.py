"""The conversation as the model gets it: messages in the Messages API's shapes, always valid to send.

Valid means: roles alternate, a reply's tool uses are answered in the very next message, each exactly once and in order, and
thinking without a signature is never sent back. It is built from the same events that the screen is drawn from, so a
recorded session goes on by reading its journal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from tui_agent.events import (
    AssistantMessageCompleted,
    Event,
    HistoryCleared,
    ReminderSent,
    ToolResultReady,
    ToolResultShrunk,
    UserMessageSent,
)
from tui_agent.media import Media, media_in

__all__ = ["UNANSWERED_TEXT", "Answered", "History"]

UNANSWERED_TEXT: Final = "<tool_use_error>This tool use was never answered: the program was stopped.</tool_use_error>"

_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
# A model may ask for a tool by a name that the API gives out but does not take back.
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 200

Message = dict[str, Any]
Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A tool use and what the model got for it."""

    tool_use_id: str
    name: str
    input: dict[str, Any]
    content: str | list[Block]
    is_error: bool
    kept_in: str | None  # the file that holds the whole result, where `content` is only a part


class History:
    """One conversation. Add what was said in the order it was said; `messages` gives it in a form the API accepts."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._results: dict[str, Block] = {}
        self._kept_in: dict[str, str] = {}
        self._shortened: set[str] = set()
        self._uses: set[str] = set()  # ids of all tool uses there ever were, also before a `clear`

    @classmethod
    def from_events(cls, events: Iterable[Event]) -> History:
        """Rebuild the conversation from a recording whose open ends were closed (`journal.repair`)."""
        history = cls()
        for event in events:
            match event:
                case UserMessageSent():
                    history.add_user(event.text, event.context, event.blocks)
                case ReminderSent():
                    history.add_user(event.text)
                case AssistantMessageCompleted():
                    history.add_reply(event.content)
                case ToolResultReady():
                    history.add_result(event.tool_use_id, event.content, is_error=event.is_error, kept_in=event.kept_in)
                case ToolResultShrunk():
                    history.shrink(event.tool_use_id, event.content)
                case HistoryCleared():
                    history.clear()
                case _:
                    pass
        return history

    def __len__(self) -> int:
        return len(self._messages)

    def clear(self) -> None:
        """Forget everything."""
        self._messages.clear()
        self._results.clear()
        self._kept_in.clear()
        self._shortened.clear()

    def add_user(self, text: str, context: str = "", attached: Iterable[Block] = ()) -> None:
        """Add what the user said; `context`, the program's own addition, stands before it, and so does what is `attached`."""
        blocks: list[Block] = []
        if context:
            blocks.append({"type": "text", "text": context})
        blocks += attached
        blocks.append({"type": "text", "text": text or "(empty message)"})
        self._messages.append({"role": "user", "content": blocks})

    def add_reply(self, content: list[Block]) -> None:
        """Add the model's reply; blocks that cannot be sent back (empty text, unsigned thinking) are left out.

        A tool use whose name the API would refuse stays, under a name that it takes: its result needs it.
        """
        kept = [_with_valid_name(block) for block in content if _can_return(block)]
        self._uses.update(block["id"] for block in kept if block.get("type") == "tool_use")
        while kept and kept[-1].get("type") in _THINKING:
            kept.pop()  # a reply that was cut off after thinking: the API takes none that ends with it
        if kept:
            self._messages.append({"role": "assistant", "content": kept})

    def add_result(
        self, tool_use_id: str, content: str | list[Block], *, is_error: bool, kept_in: str | None = None
    ) -> None:
        """Add a tool's result. It may come before the reply that asked for it: tools start while the model still talks.

        `kept_in` is the file that holds the whole of a result of which `content` is only a part.
        """
        block: Block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content or "(no output)"}
        if is_error:
            block["is_error"] = True
        self._results.setdefault(tool_use_id, block)
        if kept_in is not None:
            self._kept_in.setdefault(tool_use_id, kept_in)

    def has_use(self, tool_use_id: str) -> bool:
        """Whether a tool use has this id, or had it before the conversation was cleared: its result is known by it."""
        return tool_use_id in self._uses or tool_use_id in self._results

    def result_of(self, tool_use_id: str) -> str | list[Block] | None:
        """Return the content of a tool use's result as the model gets it; None where the messages do not hold the use."""
        for message in reversed(self._messages):
            if message["role"] == "assistant" and any(block.get("id") == tool_use_id for block in message["content"]):
                result = self._results.get(tool_use_id)
                return result["content"] if result else None
        return None

    def media(self) -> Media:
        """Return how many pictures and documents the messages hold."""
        total = Media()
        for message in self._messages:
            total += media_in(message["content"])
            for block in message["content"]:
                if block.get("type") == "tool_use" and block["id"] in self._results:
                    total += media_in(self._results[block["id"]]["content"])
        return total

    def shrink(self, tool_use_id: str, content: str | list[Block]) -> None:
        """Give the model `content` in the place of a result from now on; a use without a result is left alone."""
        block = self._results.get(tool_use_id)
        if block is not None:
            self._results[tool_use_id] = {**block, "content": content or "(no output)"}
            self._shortened.add(tool_use_id)

    @property
    def shortened(self) -> frozenset[str]:
        """The tool uses whose results the model no longer gets whole."""
        return frozenset(self._shortened)

    def answered(self, tool_use_id: str) -> Answered | None:
        """Return a tool use with its result as the model gets it; None where the messages do not hold it, or it has none."""
        for message in reversed(self._messages):
            for block in message["content"]:
                if block.get("type") == "tool_use" and block["id"] == tool_use_id:
                    return self._answered(block)
        return None

    def _answered(self, use: Block) -> Answered | None:
        name = use["id"]
        result = self._results.get(name)
        if result is None:
            return None
        return Answered(
            tool_use_id=name,
            name=use["name"],
            input=use["input"],
            content=result["content"],
            is_error=bool(result.get("is_error")),
            kept_in=self._kept_in.get(name),
        )

    def old_results(self) -> list[Answered]:
        """Return the results there are, oldest first, without those of the newest reply that used tools.

        They are old too once the model has answered from them and the user has gone on.
        """
        found: list[Answered] = []
        newest_from, is_answered = 0, True
        for message in self._messages:
            if message["role"] == "user":
                newest_from = len(found) if is_answered else newest_from
                continue
            uses = [block for block in message["content"] if block.get("type") == "tool_use"]
            is_answered = not uses
            newest_from = len(found) if uses else newest_from
            found += filter(None, map(self._answered, uses))
        return found[:newest_from]

    def drop_thinking(self) -> None:
        """Leave out the thinking of all replies so far.

        It is signed for the model and the prompt it was made under; sent with others it may be refused.
        """
        for message in self._messages:
            if message["role"] == "assistant":
                message["content"] = [block for block in message["content"] if block.get("type") not in _THINKING]
        self._messages = [message for message in self._messages if message["content"]]

    def messages(self) -> list[Message]:
        """Return the conversation as one request carries it. The lists are new, the blocks shared: do not change them."""
        out: list[Message] = []
        for message in self._messages:
            if message["role"] == "user":
                _append(out, "user", message["content"])
                continue
            _append(out, "assistant", message["content"])
            answers = [
                self._results.get(block["id"]) or _unanswered(block["id"])
                for block in message["content"]
                if block["type"] == "tool_use"
            ]
            if answers:
                _append(out, "user", answers)
        if out and out[0]["role"] == "assistant":
            out.insert(0, {"role": "user", "content": [{"type": "text", "text": "(earlier messages were removed)"}]})
        return out


def _append(out: list[Message], role: str, content: list[Block]) -> None:
    if out and out[-1]["role"] == role:
        out[-1]["content"].extend(content)
    else:
        out.append({"role": role, "content": list(content)})


def _can_return(block: Block) -> bool:
    match block.get("type"):
        case "text":
            return bool(str(block.get("text", "")).strip())
        case "thinking":
            return bool(block.get("signature"))
        case "redacted_thinking":
            return bool(block.get("data"))
        case _:
            return True


def _with_valid_name(block: Block) -> Block:
    if block.get("type") != "tool_use":
        return block
    name = str(block["name"])
    valid = _NOT_IN_NAMES.sub("_", name)[:_LONGEST_NAME] or "_"
    return block if valid == name else {**block, "name": valid}


def _unanswered(tool_use_id: str) -> Block:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": UNANSWERED_TEXT, "is_error": True}
