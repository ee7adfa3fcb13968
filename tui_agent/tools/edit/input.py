"""What an edit asks for."""

from __future__ import annotations

from pydantic import Field

from tui_agent.tools.base import ToolInput

__all__ = ["EditInput"]


class EditInput(ToolInput):
    """A search and replace in one file."""

    file_path: str = Field(description="The file to change; an absolute path, or one relative to the working folder.")
    old_string: str = Field(
        description="The text to replace, exactly as it is in the file, indentation included. Empty: make a new file."
    )
    new_string: str = Field(description="The text to put in its place; different from old_string.")
    replace_all: bool = Field(
        False, description="Replace every place where old_string is (default: there must be one)."
    )
