"""How many more pictures and documents a conversation takes before the API would refuse it, and every later request with it."""

from __future__ import annotations

from tui_agent.media import MOST_IMAGES, MOST_PAGES, REQUEST_CHARS, Media
from tui_agent.tools.base import ToolContext, ToolError
from tui_agent.tools.shared_read.images import MOST_BYTES

__all__ = ["media_room", "pictures_in", "take_room"]

# Some is kept free: for what the user attaches, and for the text of the conversation.
_MOST = Media(images=MOST_IMAGES - 10, pages=MOST_PAGES, chars=REQUEST_CHARS * 3 // 4)


def media_room(ctx: ToolContext) -> Media:
    """Return how much more fits, at least nothing: beside what the conversation holds and what other calls are about to add."""
    conversation = ctx.services.conversation
    used = conversation.media() if conversation else Media()
    for tool_use_id, media in ctx.files.media.items():
        if tool_use_id != ctx.tool_use_id and (conversation is None or conversation.result_of(tool_use_id) is None):
            used += media
    return Media(
        images=max(0, _MOST.images - used.images),
        pages=max(0, _MOST.pages - used.pages),
        chars=max(0, _MOST.chars - used.chars),
    )


def pictures_in(room: Media) -> int:
    """Return how many pictures fit, however heavy."""
    return min(room.images, room.chars // (MOST_BYTES // 3 * 4))


def take_room(ctx: ToolContext, media: Media) -> None:
    """Claim room for what the call's result holds.

    Raises:
        ToolError: there is not enough of it (`no_room`).
    """
    room = media_room(ctx)
    if media.images > room.images or media.pages > room.pages or media.chars > room.chars:
        raise ToolError(
            "This does not fit the conversation: it holds as many pictures and documents already as one request may carry. "
            "Work with what was seen, or ask the user to start a new conversation (/clear).",
            kind="validation",
            data={"code": "no_room"},
        )
    if media != Media():
        ctx.files.media[ctx.tool_use_id] = media
