"""The pieces of a conversation as the screen shows them: plain data, kept by the projection, painted by the transcript."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_agent.viewkit.tool_use import ToolUse
    from tui_agent.viewkit.view import View

__all__ = ["Block", "BlockKind", "ShownAgent"]

BlockKind = Literal["user", "text", "thinking", "tool", "notice", "error", "turn"]


class ShownBlocks(Protocol):
    """A conversation as a window shows it: the whole session's, or one agent's."""

    @property
    def blocks(self) -> list[Block]:
        """Its blocks, oldest first; the same list as long as nothing is cleared."""
        ...

    def position(self, block_id: str) -> int | None:
        """Return where in `blocks` the block is."""
        ...


class ShownAgent(Protocol):
    """An agent as it is shown at the tool use that started it. Texts are foreign, times on the events' clock.

    `outcome` is empty while it works; `talk` is what it does then, in a word or two. `label` is what the model calls it.
    """

    id: str
    name: str
    description: str
    talk: str
    outcome: str
    detail: str
    started_ms: float
    ended_ms: float | None
    use_count: int
    label: str
    tokens: int
    cost_usd: float

    @property
    def parts(self) -> Sequence[Block]:
        """Its own conversation."""
        ...


@dataclass(slots=True, eq=False, kw_only=True)
class Block:
    """One thing in the conversation. A reply's text is a block for each top-level part of its Markdown.

    Blocks of one `group` belong to one message and stand closer together. `version` goes up whenever the block would look
    different. What else is set depends on `kind`: `view` for text, `tool` for a tool use, with the `agents` that it has
    started, `level` and `hint` for a notice or error, `duration_ms` for thinking and the end of a turn, `outcome` for the
    latter, and `asked_ms`: how much of its time questions waited for the user. The `pieces` of a part of a reply are those of
    the whole text that it is a part of. Of a message, `shown` is the text with what was pasted folded to labels, empty where
    that is the text; `attached` is what goes along with it, as in `events.UserMessageSent`.
    """

    id: str
    kind: BlockKind
    group: str = ""
    version: int = 0
    is_live: bool = False  # more of it may come
    view: View | None = None  # None while there is nothing to see of it
    tool: ToolUse | None = None
    level: Literal["info", "warning", "error"] = "info"
    hint: str = ""
    outcome: str = ""
    duration_ms: float = 0.0
    asked_ms: float = 0.0
    length: int = 0  # characters of text
    shown: str = ""
    attached: tuple[dict[str, Any], ...] = ()
    agents: list[ShownAgent] = field(default_factory=list, repr=False)
    pieces: list[str] = field(default_factory=list, repr=False)

    @property
    def text(self) -> str:
        """The text of a user's message, thinking, notice, error or end of turn, as it came (not cleaned)."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def append(self, text: str) -> None:
        """Add text that has streamed in; joined when somebody looks."""
        self.pieces.append(text)
        self.length += len(text)
