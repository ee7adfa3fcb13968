"""The conversation as the model gets it: messages in the Messages API's shapes, always valid to send.

Valid means: roles alternate, a reply's tool uses are answered in the very next message, each exactly once and in order, and
thinking without a signature is never sent back. It is built from the same events that the screen is drawn from, so a
recorded session goes on by reading its journal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tui_agent.conversation_fold import THINKING, Block, Conversation, Message
from tui_agent.media import Media, media_in

__all__ = ["UNANSWERED_TEXT", "Answered", "History"]

UNANSWERED_TEXT: Final = "<tool_use_error>This tool use was never answered: the program was stopped.</tool_use_error>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A tool use and what the model got for it."""

    tool_use_id: str
    name: str
    input: dict[str, Any]
    content: str | list[Block]
    is_error: bool
    kept_in: str | None  # the file that holds the whole result, where `content` is only a part


class History(Conversation):
    """One conversation as requests carry it: `messages` gives what was said in a form that the API accepts."""

    def __len__(self) -> int:
        return len(self.said)

    def result_of(self, tool_use_id: str) -> str | list[Block] | None:
        """Return the content of a tool use's result as the model gets it; None where the messages do not hold the use."""
        for message in reversed(self.said):
            if message["role"] == "assistant" and any(block.get("id") == tool_use_id for block in message["content"]):
                result = self.results.get(tool_use_id)
                return result["content"] if result else None
        return None

    def media(self) -> Media:
        """Return how many pictures and documents the messages hold."""
        total = Media()
        for message in self.said:
            total += media_in(message["content"])
            for block in message["content"]:
                if block.get("type") == "tool_use" and block["id"] in self.results:
                    total += media_in(self.results[block["id"]]["content"])
        return total

    def answered(self, tool_use_id: str) -> Answered | None:
        """Return a tool use with its result as the model gets it; None where the messages do not hold it, or it has none."""
        for message in reversed(self.said):
            for block in message["content"]:
                if block.get("type") == "tool_use" and block["id"] == tool_use_id:
                    return self._answered(block)
        return None

    def _answered(self, use: Block) -> Answered | None:
        name = use["id"]
        result = self.results.get(name)
        if result is None:
            return None
        return Answered(
            tool_use_id=name,
            name=use["name"],
            input=use["input"],
            content=result["content"],
            is_error=bool(result.get("is_error")),
            kept_in=self.kept_in.get(name),
        )

    def old_results(self) -> list[Answered]:
        """Return the results there are, oldest first, without those of the newest reply that used tools.

        They are old too once the model has answered from them and the user has gone on.
        """
        found: list[Answered] = []
        newest_from, is_answered = 0, True
        for message in self.said:
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
        for message in self.said:
            if message["role"] == "assistant":
                message["content"] = [block for block in message["content"] if block.get("type") not in THINKING]
        self.said = [message for message in self.said if message["content"]]

    def messages(self) -> list[Message]:
        """Return the conversation as one request carries it. The lists are new, the blocks shared: do not change them."""
        out: list[Message] = []
        for message in self.said:
            if message["role"] == "user":
                _append(out, "user", message["content"])
                continue
            _append(out, "assistant", message["content"])
            answers = [
                self.results.get(block["id"]) or _unanswered(block["id"])
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


def _unanswered(tool_use_id: str) -> Block:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": UNANSWERED_TEXT, "is_error": True}
