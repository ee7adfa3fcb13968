"""What a Read asks for."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tui_agent.tools.base import ToolInput

__all__ = ["ReadInput"]


class ReadInput(ToolInput):
    """Which part of which file, and as what."""

    file_path: str = Field(description="The file to read; an absolute path, or one relative to the working folder.")
    offset: int | None = Field(
        None, ge=0, description="Number of the first line to show, counting from 1; of a notebook, of the first cell."
    )
    limit: int | None = Field(
        None, ge=1, description="How many lines (of a notebook: cells) to show; left out, as many as fit."
    )
    pages: str | None = Field(
        None,
        description='Pages of a PDF, such as "3", "1-5" or "7-"; at most 20, and needed where it has more than 10.',
    )
    encoding: Literal["base64"] | None = Field(
        None,
        description="base64: show the bytes of a binary file, instead of refusing it; offset and limit count bytes.",
    )
    allow_large: bool = Field(
        False, description="Show as much as fits, instead of refusing a range of lines that is too long for one result."
    )
