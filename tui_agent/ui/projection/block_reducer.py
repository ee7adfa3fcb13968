"""The part of the projection that is the conversation's blocks: which there are, where, and how a reply's text becomes them.

A text block of a reply is a screen block for each top-level part of its Markdown: closed parts for good, the open one behind
them until it closes. Thinking is one block. What changed goes into the `Dirty` the track was given last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tui_agent.ui.projection.blocks import Block, BlockKind
from tui_agent.ui.projection.state import Dirty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_agent.viewkit.tool_use import ToolUse
    from tui_agent.viewkit.view import View

__all__ = ["BlockReducer", "MarkdownFeed", "markdown_feed"]


class MarkdownFeed(Protocol):
    """What the track needs of `viewkit.markdown.MarkdownStream`."""

    @property
    def parts(self) -> Sequence[View]:
        """The closed top-level parts; only ever grows."""
        ...

    @property
    def tail(self) -> View | None:
        """The part that is still open."""
        ...

    def feed(self, text: str) -> None:
        """Take more of the text."""
        ...

    def finish(self) -> None:
        """Close what is open."""
        ...


def markdown_feed() -> MarkdownFeed:
    """Return an empty stream of Markdown."""
    from tui_agent.viewkit.markdown import MarkdownStream  # the parser waits for the first reply

    return MarkdownStream()


@dataclass(slots=True)
class _TextStream:
    """A text block of a reply that is being written, and the screen blocks made of it so far."""

    feed: MarkdownFeed
    group: str
    pieces: list[str] = field(default_factory=list)  # all of it as it came, for whoever copies it
    shown: int = 0  # closed parts that have their final view


class BlockReducer:
    """The blocks, oldest first, and the texts that are being written into them. `message` is the reply they belong to."""

    def __init__(self, markdown: Callable[[], MarkdownFeed] = markdown_feed) -> None:
        self.all: list[Block] = []
        self.message = ""
        self.dirty = Dirty()
        self._markdown = markdown
        self._positions: dict[str, int] = {}
        self._texts: dict[str, _TextStream] = {}

    def position(self, block_id: str) -> int | None:
        """Return where in `all` the block is."""
        return self._positions.get(block_id)

    def block(self, block_id: str) -> Block | None:
        """Return the block of this id."""
        position = self._positions.get(block_id)
        return self.all[position] if position is not None else None

    def add(
        self,
        kind: BlockKind,
        name: str,
        *,
        group: str = "",
        text: str = "",
        hint: str = "",
        level: str = "info",
        tool: ToolUse | None = None,
        is_live: bool = False,
    ) -> Block:
        """Add a block at the end."""
        while name in self._positions:  # a resumed journal may count from 1 again
            name += "'"
        block = Block(id=name, kind=kind, group=group, hint=hint, tool=tool, is_live=is_live)
        block.level = "error" if level == "error" else "warning" if level == "warning" else "info"
        if text:
            block.append(text)
        if self.dirty.blocks_from is None:
            self.dirty.blocks_from = len(self.all)
        self._positions[name] = len(self.all)
        self.all.append(block)
        return block

    def withdraw(self, message_id: str) -> None:
        """Take a message of the user's away, with the thinking about it and the end of its turn."""
        position = self._positions.get(message_id)
        if position is None:
            return
        after = (block for block in self.all[position + 1 :] if block.kind not in ("thinking", "turn"))
        self.all = [*self.all[:position], *after]
        self._positions = {block.id: number for number, block in enumerate(self.all)}
        self.dirty.blocks_from, self.dirty.is_reset = 0, True

    def touch(self, name: str) -> None:
        """The block looks different now, where there is one of this name."""
        position = self._positions.get(name)
        if position is not None:
            self.all[position].version += 1
            self.dirty.block_ids.add(name)

    def settle(self) -> None:
        """Leave out of what changed the blocks that are new anyway."""
        first = self.dirty.blocks_from
        if first is not None:
            self.dirty.block_ids = {name for name in self.dirty.block_ids if self._positions.get(name, first) < first}

    def clear(self) -> None:
        """Forget all blocks."""
        self.all = []
        self._positions.clear()
        self._texts.clear()
        self.message = ""
        self.dirty.block_ids.clear()
        self.dirty.blocks_from, self.dirty.is_reset = 0, True

    # --- what the model writes ---------------------------------------------------------------------------------------

    def write(self, block_id: str, text: str) -> None:
        """Go on with a text."""
        stream = self._texts.get(block_id)
        if stream is None:
            stream = self._texts[block_id] = _TextStream(self._markdown(), self.message or block_id)
        stream.feed.feed(text)
        stream.pieces.append(text)
        self._show(block_id, stream)

    def finish(self, block_id: str) -> None:
        """A text is whole."""
        stream = self._texts.pop(block_id, None)
        if stream is not None:
            stream.feed.finish()
            stream.pieces[:] = ["".join(stream.pieces)]
            self._show(block_id, stream)

    def finish_all(self) -> None:
        """Nothing is being written any more."""
        for block_id in list(self._texts):
            self.finish(block_id)

    def thinking(self, block_id: str) -> Block:
        """Return the block of a thought; it is about to change."""
        position = self._positions.get(block_id)
        if position is None:
            return self.add("thinking", block_id, group=self.message or block_id, is_live=True)
        self.touch(block_id)
        return self.all[position]

    def _show(self, block_id: str, stream: _TextStream) -> None:
        """Give each closed part its block for good and the open tail the block behind them."""
        parts = stream.feed.parts
        for number in range(stream.shown, len(parts)):
            self._part(block_id, stream, number, parts[number], is_live=False)
        stream.shown = len(parts)
        tail = stream.feed.tail
        if tail is not None or f"{block_id}:{stream.shown}" in self._positions:
            self._part(block_id, stream, stream.shown, tail, is_live=tail is not None)

    def _part(self, block_id: str, stream: _TextStream, number: int, view: View | None, *, is_live: bool) -> None:
        name = f"{block_id}:{number}"
        position = self._positions.get(name)
        block = self.all[position] if position is not None else self.add("text", name, group=stream.group)
        block.view, block.is_live, block.pieces = view, is_live, stream.pieces
        self.touch(name)
