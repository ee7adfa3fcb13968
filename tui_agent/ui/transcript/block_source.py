"""The text behind a block: what a search looks through, and the source that a user copies. Nothing is drawn for either."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tui_agent.text import clean

if TYPE_CHECKING:
    from tui_agent.ui.projection.blocks import Block
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["copied_source", "searched_text"]


def searched_text(block: Block) -> str:
    """Return what is searched of a block: as it came, near enough to what is painted of it."""
    if block.kind == "text":
        return str(getattr(block.view, "source", ""))
    if block.tool is not None:
        use = block.tool
        return "\n".join((use.name, *_texts_in(use.input), use.text))
    return f"{block.text}\n{block.hint}" if block.hint else block.text


def copied_source(blocks: Sequence[Block], position: int) -> str:
    """Return the source of the block at `position`, cleaned.

    Of a reply's text it is the Markdown of the whole message, of a tool use what was asked and what came of it.
    """
    block = blocks[position]
    if block.kind == "text":
        return clean(_markdown([blocks[place] for place in _message_around(blocks, position)]))
    if block.tool is not None:
        return clean(_tool_source(block.tool)).rstrip("\n")
    return clean("\n".join(part for part in (block.text, block.hint) if part)).strip("\n")


def _texts_in(value: Any) -> Iterator[str]:  # noqa: ANN401 - JSON is any value
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_in(item)


def _message_around(blocks: Sequence[Block], position: int) -> list[int]:
    """Return where the parts of a reply's text are, tool uses and thinking between them passed over."""
    group = blocks[position].group
    found = [position]
    for direction in (-1, 1):
        place = position + direction
        while 0 <= place < len(blocks) and blocks[place].kind in ("text", "tool", "thinking"):
            if blocks[place].kind == "text":
                if blocks[place].group != group:
                    break
                found.append(place)
            place += direction
    return sorted(found)


def _markdown(parts: Sequence[Block]) -> str:
    """Return the Markdown of a message; the parts of one text all have the whole of it."""
    texts = {id(part.pieces): part.pieces for part in parts}
    return "\n\n".join("".join(pieces).strip("\n") for pieces in texts.values())


def _tool_source(use: ToolUse) -> str:
    command = use.input.get("command")
    asked = command if isinstance(command, str) else f"{use.name} {json.dumps(use.input, ensure_ascii=False, indent=2)}"
    return f"{asked}\n\n{use.text}" if use.text else asked
