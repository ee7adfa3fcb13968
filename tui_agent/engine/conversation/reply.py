"""One reply of the model: its stream turned into events, content to keep, and tool uses to run.

A tool use is handed on the moment its block is whole, while the rest of the reply is still to come. One whose arguments are
empty text, or cannot be read, waits until the stream has moved on, because a reply that is cut off closes its last block too.

Whatever a model writes, each of its tool uses gets an id that no other use of the conversation has and that a request can
carry, and each gets a result: one whose arguments cannot be read is handed on with what is wrong with them.

This is where deltas are joined before they reach the bus: pieces of a block that are there already when one is read become one
event, and while text flows those of the next milliseconds too, as it takes a few turns of the event loop to fetch each. A delta
that comes after silence is published before the loop waits again.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tui_agent.engine.conversation.stream_throttle import paced
from tui_agent.events import (
    Event,
    ResponseStarted,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ThinkingFinished,
    ToolInputDelta,
    ToolUseCompleted,
    ToolUseDropped,
    ToolUseStarted,
)
from tui_agent.execution.resolution import NamedTool, ResolvedUse, resolve_use
from tui_agent.model.protocol import (
    BlockDelta,
    BlockFinished,
    BlockStarted,
    ReplyFinished,
    ReplyStarted,
    StreamItem,
    Usage,
)

__all__ = ["Reply", "ReplyReader"]

Publish = Callable[[Event], Event]
RunTool = Callable[[str, ResolvedUse], None]
FindTool = Callable[[str], NamedTool]
LookAhead = Callable[[dict[str, Any]], Awaitable[None]]

_FLOW_S: Final = 0.1  # text of which a piece was told so recently flows
_JOIN_S: Final = 0.003
_GOOD_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")  # the API takes no others back


@dataclass(slots=True)
class Reply:
    """What came of one request. `stop_reason` is None while the stream has not ended by itself."""

    message_id: str = ""
    content: list[dict[str, Any]] = field(default_factory=list)
    stop_reason: str | None = None
    usage: Usage | None = None
    tool_uses: int = 0
    has_begun: bool = False  # to answer, beyond thinking
    malformed: list[str] = field(default_factory=list)  # names of tools whose arguments the end of the reply cut off

    def begin(self, message_id: str) -> None:
        """The reply began."""
        self.message_id = message_id

    def begin_block(self, kind: str) -> None:
        """A block began; anything but thinking is the beginning of an answer."""
        self.has_begun = self.has_begun or "thinking" not in kind

    def add_tool_use(self, block: dict[str, Any]) -> None:
        """A whole tool use came."""
        self.content.append(block)
        self.tool_uses += 1

    def end(self, stop_reason: str, usage: Usage) -> None:
        """The stream ended by itself."""
        self.stop_reason = stop_reason
        self.usage = usage


async def _no_look_ahead(block: dict[str, Any]) -> None:
    """A reader whose events nobody changes has nothing to look at before it publishes a block."""


class ReplyReader:
    """Reads one stream. After `read` returned, raised or was cancelled, call `cut` and then use `reply`.

    `find_tool` looks a name up when a tool use begins. Events tell the tool's own name and input; `reply` holds the blocks as
    they were written; `run_tool` gets the id of a use and what was found for it. `look_ahead` is awaited with each whole
    block before it is told. `has_use` says whether the conversation has a tool use of this id already.
    """

    def __init__(
        self,
        *,
        publish: Publish,
        run_tool: RunTool,
        find_tool: FindTool,
        look_ahead: LookAhead = _no_look_ahead,
        has_use: Callable[[str], bool] = lambda _id: False,
        turn_id: str,
        request_id: str,
    ) -> None:
        self.reply = Reply()
        self._publish = publish
        self._run_tool = run_tool
        self._find_tool = find_tool
        self._tools: dict[str, NamedTool] = {}  # by tool use, from its beginning until it runs or is dropped
        self._look_ahead = look_ahead
        self._has_use = has_use
        self._ids: set[str] = set()
        self._turn_id = turn_id
        self._request_id = request_id
        self._open: dict[int, BlockStarted] = {}
        self._texts: dict[int, list[str]] = {}
        self._began: dict[int, float] = {}
        self._uncertain: tuple[BlockStarted, dict[str, Any], str] | None = None
        self._grown: BlockStarted | None = None  # the block whose newest pieces have not been published yet
        self._pieces: list[str] = []
        self._telling: asyncio.Handle | None = None
        self._told_at = 0.0  # on the event loop's clock

    async def read(self, stream: AsyncIterator[StreamItem]) -> None:
        """Follow the stream to its end.

        Raises:
            ModelError: the stream broke; what was whole until then is in `reply`.
        """
        async with aclosing(paced(stream, may_wait=lambda item: isinstance(item, BlockDelta))) as items:
            async for item in items:
                await self._take(item)

    async def _take(self, item: StreamItem) -> None:
        match item:
            case BlockDelta():
                self._grow(item)
            case BlockStarted():
                self._settle(is_certain=True)
                self._begin(item)
            case BlockFinished():
                if item.block is not None:
                    await self._look_ahead(item.block)
                self._finish(item)
            case ReplyStarted():
                self.reply.begin(item.message_id)
                self._publish(ResponseStarted(request_id=self._request_id, message_id=item.message_id))
            case ReplyFinished():
                self._settle(is_certain=item.stop_reason in ("tool_use", "end_turn", "pause_turn"))
                self.reply.end(item.stop_reason, item.usage)

    def cut(self, reason: str) -> None:
        """Close what the stream left open: text stays as far as it came, half tool uses are dropped."""
        self._tell()
        self._settle(is_certain=False, reason=reason)
        for index in tuple(self._open):
            self._close(index, reason)

    def _close(self, index: int, reason: str) -> None:
        """End a block that was left open."""
        started = self._open.pop(index)
        if started.kind == "tool_use":
            self._publish(ToolUseDropped(tool_use_id=started.id, reason=reason))
        elif started.kind == "text":
            self._publish(TextFinished(block_id=self._block_id(index)))
            self.reply.content.append({"type": "text", "text": "".join(self._texts[index])})
        elif started.kind == "thinking":
            self._end_thinking(index)

    def _block_id(self, index: int) -> str:
        return f"{self._request_id}:{index}"

    def _begin(self, item: BlockStarted) -> None:
        self._tell()
        if item.index in self._open:  # a second block in the place of one that never ended
            self._close(item.index, "the stream went on without it")
        if item.kind == "tool_use":
            item = replace(item, id=self._own_id(item.id))
        self.reply.begin_block(item.kind)
        self._open[item.index] = item
        self._texts[item.index] = []
        self._began[item.index] = time.monotonic()
        if item.kind == "tool_use":
            found = self._tools[item.id] = self._find_tool(item.name)
            self._publish(ToolUseStarted(tool_use_id=item.id, name=found.name, turn_id=self._turn_id))

    def _own_id(self, given: str) -> str:
        """Return the id a model gave, or a fresh one where that is taken or no request could carry it."""
        is_good = _GOOD_ID.fullmatch(given) and given not in self._ids and not self._has_use(given)
        own = given if is_good else f"toolu_{uuid.uuid4().hex[:24]}"
        self._ids.add(own)
        return own

    def _grow(self, item: BlockDelta) -> None:
        started = self._open.get(item.index)
        if started is None:
            return
        if started.kind == "text":
            self._texts[item.index].append(item.text)
        if started is not self._grown:
            self._tell()
            self._grown = started
        self._pieces.append(item.text)
        if self._telling is None:
            loop = asyncio.get_running_loop()
            flows = loop.time() - self._told_at < _FLOW_S
            self._telling = loop.call_later(_JOIN_S, self._tell) if flows else loop.call_soon(self._tell)

    def _tell(self) -> None:
        """Publish the pieces of a block that have not been published yet."""
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        started, self._grown = self._grown, None
        if started is None:
            return
        self._told_at = asyncio.get_running_loop().time()
        text = "".join(self._pieces)
        self._pieces.clear()
        match started.kind:
            case "text":
                self._publish(TextDelta(block_id=self._block_id(started.index), text=text))
            case "thinking":
                self._publish(ThinkingDelta(block_id=self._block_id(started.index), text=text))
            case "tool_use":
                self._publish(ToolInputDelta(tool_use_id=started.id, partial_json=text))
            case _:
                pass

    def _finish(self, item: BlockFinished) -> None:
        self._tell()
        started = self._open.pop(item.index, None)
        if started is None:
            return
        if started.kind == "tool_use":
            if item.block is None:
                self._uncertain = (started, {"input": {}}, item.problem or "the arguments are not JSON")
            elif item.is_certain:
                self._start_tool(started, item.block)
            else:
                self._uncertain = (started, item.block, "")
            return
        if started.kind == "text":
            self._publish(TextFinished(block_id=self._block_id(item.index)))
        elif started.kind == "thinking":
            self._end_thinking(item.index, str((item.block or {}).get("signature", "")))
        if item.block is not None:
            self.reply.content.append(item.block)

    def _end_thinking(self, index: int, signature: str = "") -> None:
        elapsed = (time.monotonic() - self._began[index]) * 1000
        block_id = self._block_id(index)
        self._publish(ThinkingFinished(block_id=block_id, duration_ms=elapsed, signature=signature))

    def _settle(self, *, is_certain: bool, reason: str = "the reply was cut off") -> None:
        """Decide on the tool use that waits to know whether it was whole."""
        if self._uncertain is None:
            return
        started, block, problem = self._uncertain
        self._uncertain = None
        if is_certain:
            self._start_tool(started, block, problem)
            return
        if problem:
            self.reply.malformed.append(started.name)
        self._publish(ToolUseDropped(tool_use_id=started.id, reason=problem or reason))

    def _start_tool(self, started: BlockStarted, block: dict[str, Any], problem: str = "") -> None:
        self.reply.add_tool_use({**block, "type": "tool_use", "id": started.id, "name": started.name})
        use = resolve_use(self._tools.pop(started.id), block["input"], problem)
        written = None if use.name == started.name else {"name": started.name, "input": block["input"]}
        self._publish(ToolUseCompleted(tool_use_id=started.id, name=use.name, input=use.raw, written=written))
        self._run_tool(started.id, use)
