"""What a fetch asks for."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from tui_agent.tools.base import ToolInput

__all__ = ["DEFAULT_LENGTH", "MAX_LENGTH", "WebFetchInput"]

DEFAULT_LENGTH: Final = 20_000
MAX_LENGTH: Final = 50_000


class WebFetchInput(ToolInput):
    """An address, and what is wanted of what is there."""

    url: str = Field(description="The address, beginning with https:// or http://.")
    prompt: str | None = Field(
        None, description="A question that a small model answers about the page; without it you get the text itself."
    )
    max_length: int = Field(
        DEFAULT_LENGTH,
        ge=1,
        le=MAX_LENGTH,
        description=f"Return at most this many characters (default {DEFAULT_LENGTH}).",
    )
    offset: int = Field(0, ge=0, description="Begin at this character of the text, to read on in a long one.")
