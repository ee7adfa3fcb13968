"""What a conversation is, as its events tell: the one place that says what each adds to it, changes in it or takes from it.

`Conversation` follows one agent's events. Whoever goes on with a recording, counts it or writes it down reads the result, and
does not look at the events for it again. Events that start a conversation afresh or shorten it are understood here alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Self

from tui_agent.events import (
    AgentEnded,
    AgentStarted,
    AssistantMessageCompleted,
    Event,
    HistoryCleared,
    MessageWithdrawn,
    ModeChanged,
    ModelChanged,
    ReminderSent,
    SessionStarted,
    TasksChanged,
    ThinkingChanged,
    ToolResultReady,
    ToolResultShrunk,
    ToolsActivated,
    UserMessageSent,
)

__all__ = ["MAIN", "THINKING", "Agents", "Block", "Conversation", "Message", "by_agent", "events_of", "spoken_text"]

MAIN: Final = ""  # the agent id of the main conversation
THINKING: Final = frozenset({"thinking", "redacted_thinking"})
# A model may ask for a tool by a name that the API gives out but does not take back.
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 200

Message = dict[str, Any]
Block = dict[str, Any]


class Conversation:
    """What one agent's conversation has come to: messages and results as the model gets them, and what holds in it.

    `said` holds messages in the Messages API's shapes, without results: these stand in `results`, by the id of their tool use.
    """

    def __init__(self, agent_id: str = MAIN) -> None:
        self.agent_id: Final = agent_id
        self.said: list[Message] = []
        self.results: dict[str, Block] = {}
        self.kept_in: dict[str, str] = {}  # the file that holds the whole of a result
        self.mode = ""
        self.model = ""
        self.is_thinking: bool | None = None  # None: the events do not say
        self.task_lists: list[tuple[dict[str, Any], ...]] = []  # each state of the task list, the last one at the end
        self._activated: dict[str, None] = {}
        self._shortened: set[str] = set()
        self._newest: tuple[str, Message] | None = None  # the user's last message, with its id
        self._uses: set[str] = set()  # ids of all tool uses there ever were, also before a `clear`

    @classmethod
    def from_events(cls, events: Iterable[Event], agent_id: str = MAIN) -> Self:
        """Fold a recording whose open ends were closed (`journal.repair`)."""
        conversation = cls(agent_id)
        for event in events:
            conversation.apply(event)
        return conversation

    def apply(self, event: Event) -> None:
        """Take in an event; one of another agent changes nothing."""
        if event.agent_id != self.agent_id:
            return
        match event:
            case UserMessageSent():
                self.add_user(event.text, event.context, event.blocks, event.message_id)
            case MessageWithdrawn():
                self.withdraw(event.message_id)
            case ReminderSent():
                self.add_user(event.text)
            case AssistantMessageCompleted():
                self.add_reply(event.content)
            case ToolResultReady():
                self.add_result(event.tool_use_id, event.content, is_error=event.is_error, kept_in=event.kept_in)
            case ToolResultShrunk():
                self.shrink(event.tool_use_id, event.content)
            case HistoryCleared():
                self.clear()
            case _:
                self._apply_standing(event)

    def _apply_standing(self, event: Event) -> None:
        """Take in an event about what the conversation is held under."""
        match event:
            case ToolsActivated(names=names):
                self._activated |= dict.fromkeys(names)
            case TasksChanged(tasks=tasks):
                self.task_lists.append(tasks)
            case SessionStarted():
                self.mode, self.model = event.mode, event.model
                if event.is_thinking is not None:
                    self.is_thinking = event.is_thinking
            case ModeChanged(mode=mode):
                self.mode = mode
            case ModelChanged(model=model):
                self.model = model
            case ThinkingChanged(is_on=is_on):
                self.is_thinking = is_on
            case _:
                pass

    # --- what is said ------------------------------------------------------------------------------------------------

    def add_user(
        self, text: str, context: str = "", attached: Iterable[Block] = (), message_id: str | None = None
    ) -> None:
        """Add what the user said; `context`, the program's own addition, stands before it, and so does what is `attached`.

        Only a message with an id can be withdrawn.
        """
        blocks: list[Block] = []
        if context:
            blocks.append({"type": "text", "text": context})
        blocks += attached
        blocks.append({"type": "text", "text": text or "(empty message)"})
        message = {"role": "user", "content": blocks}
        self.said.append(message)
        self._newest = (message_id, message) if message_id is not None else None

    def withdraw(self, message_id: str) -> None:
        """Take the user's words out of the newest message, and its pictures, which go with them when they are sent again."""
        if (
            self._newest is None
            or self._newest[0] != message_id
            or not self.said
            or self.said[-1] is not self._newest[1]
        ):
            return
        message, self._newest = self._newest[1], None
        message["content"] = [block for block in message["content"][:-1] if block.get("type") != "image"]
        if not message["content"]:
            self.said.pop()

    def add_reply(self, content: list[Block]) -> None:
        """Add the model's reply; blocks that cannot be sent back (empty text, unsigned thinking) are left out.

        A tool use whose name the API would refuse stays, under a name that it takes: its result needs it.
        """
        kept = [_with_valid_name(block) for block in content if _can_return(block)]
        self._uses.update(block["id"] for block in kept if block.get("type") == "tool_use")
        while kept and kept[-1].get("type") in THINKING:
            kept.pop()  # a reply that was cut off after thinking: the API takes none that ends with it
        if kept:
            self.said.append({"role": "assistant", "content": kept})

    def add_result(
        self, tool_use_id: str, content: str | list[Block], *, is_error: bool, kept_in: str | None = None
    ) -> None:
        """Add a tool's result. It may come before the reply that asked for it: tools start while the model still talks.

        `kept_in` is the file that holds the whole of a result of which `content` is only a part.
        """
        block: Block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content or "(no output)"}
        if is_error:
            block["is_error"] = True
        self.results.setdefault(tool_use_id, block)
        if kept_in is not None:
            self.kept_in.setdefault(tool_use_id, kept_in)

    def shrink(self, tool_use_id: str, content: str | list[Block]) -> None:
        """Give the model `content` in the place of a result from now on; a use without a result is left alone."""
        block = self.results.get(tool_use_id)
        if block is not None:
            self.results[tool_use_id] = {**block, "content": content or "(no output)"}
            self._shortened.add(tool_use_id)

    def clear(self) -> None:
        """Start afresh: nothing that was said before is part of the conversation."""
        self.said.clear()
        self.results.clear()
        self.kept_in.clear()
        self.task_lists.clear()
        self._activated.clear()
        self._shortened.clear()

    # --- what it comes to --------------------------------------------------------------------------------------------

    def has_use(self, tool_use_id: str) -> bool:
        """Whether a tool use has this id, or had it before the conversation was cleared: its result is known by it."""
        return tool_use_id in self._uses or tool_use_id in self.results

    @property
    def shortened(self) -> frozenset[str]:
        """The tool uses whose results the model no longer gets whole."""
        return frozenset(self._shortened)

    @property
    def activated_tools(self) -> tuple[str, ...]:
        """The deferred tools that were looked up, in that order."""
        return tuple(self._activated)


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


def spoken_text(content: Iterable[Block]) -> str:
    """Return what a reply says to the user: its texts, without thinking and tool uses."""
    texts = (block.get("text") for block in content if block.get("type") == "text")
    return "\n\n".join(text for text in texts if isinstance(text, str))


# --- agents --------------------------------------------------------------------------------------------------------------


class Agents:
    """Which agents there are, what started each, and which are over. Feed it all events; only two kinds matter."""

    def __init__(self) -> None:
        self.started: dict[str, AgentStarted] = {}  # by id, the oldest first
        self.ended: dict[str, AgentEnded] = {}
        self._of_use: dict[tuple[str, str], list[str]] = {}

    @classmethod
    def from_events(cls, events: Iterable[Event]) -> Self:
        """Find the agents of a recording."""
        agents = cls()
        for event in events:
            agents.apply(event)
        return agents

    def apply(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case AgentStarted(agent_id=agent_id) if agent_id in self.started:
                self.ended.pop(agent_id, None)  # a message continues it
            case AgentStarted(agent_id=agent_id) if agent_id != MAIN:
                self.started[agent_id] = event
                self._of_use.setdefault((event.parent_agent_id, event.tool_use_id), []).append(agent_id)
            case AgentEnded(agent_id=agent_id):
                self.ended[agent_id] = event
            case _:
                pass

    def started_by(self, agent_id: str, tool_use_id: str) -> Sequence[str]:
        """Return the agents that a tool use of an agent started, the oldest first."""
        return self._of_use.get((agent_id, tool_use_id), ())

    def name_of(self, agent_id: str) -> str:
        """Return what an agent is called (foreign text); its id where its beginning is not known."""
        begun = self.started.get(agent_id)
        return begun.name if begun is not None else agent_id


def events_of(events: Iterable[Event], agent_id: str = MAIN) -> Iterator[Event]:
    """Return the events of one agent, in their order."""
    return (event for event in events if event.agent_id == agent_id)


def by_agent(events: Iterable[Event]) -> dict[str, list[Event]]:
    """Return the events of each agent, in their order; the main conversation's first, then the others as they began."""
    found: dict[str, list[Event]] = {MAIN: []}
    for event in events:
        found.setdefault(event.agent_id, []).append(event)
    return found
