"""What a MultiEdit asks for."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from tui_agent.tools.base import ToolInput

__all__ = ["FileEdits", "MultiEditInput", "OneEdit", "in_present_shape"]


class OneEdit(ToolInput):
    """A search and replace, or new text for a range of lines."""

    new_string: str = Field(
        description="The text to put there. For a range of lines: the lines to put there; empty deletes them."
    )
    old_string: str | None = Field(
        None,
        description="The text to replace, exactly as the edits before left it. Empty in a file's first edit: make the file.",
    )
    replace_all: bool = Field(
        False, description="Replace every place where old_string is (default: there must be one)."
    )
    start_line: int | None = Field(
        None,
        ge=1,
        description="In place of old_string: first line to replace, counting from 1 in the file as it was read.",
    )
    end_line: int | None = Field(
        None, ge=1, description="Last line to replace, also counted as it was read; start_line when left out."
    )

    @property
    def lines(self) -> tuple[int, int] | None:
        """The first and the last line that are replaced, from 1; None for a search and replace."""
        return None if self.start_line is None else (self.start_line, self.end_line or self.start_line)

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.old_string is None) == (self.start_line is None):
            raise ValueError("either old_string or start_line (with end_line)")
        if self.start_line is None and self.end_line is not None:
            raise ValueError("end_line only with start_line")
        if self.start_line is not None and self.replace_all:
            raise ValueError("replace_all only with old_string")
        if self.lines is not None and self.lines[1] < self.lines[0]:
            raise ValueError("end_line not before start_line")
        return self


class FileEdits(ToolInput):
    """The edits of one file, made one after the other."""

    file_path: str = Field(description="The file to change; an absolute path, or one relative to the working folder.")
    edits: list[OneEdit] = Field(min_length=1, description="Its edits, in the order in which they are made.")

    @property
    def makes_file(self) -> bool:
        """Whether the file is to be made."""
        return self.edits[0].old_string == ""


class MultiEditInput(ToolInput):
    """Edits of several files."""

    edits: list[FileEdits] = Field(min_length=1, description="For each file its edits; each file stands here once.")


def in_present_shape(raw: dict[str, Any]) -> dict[str, Any]:
    """Return an input of the old shape, `{file_path, edits: [{old_string, new_string}]}` for one file, in the present one."""
    if set(raw) != {"file_path", "edits"}:
        return raw
    return {"edits": [{"file_path": raw["file_path"], "edits": raw["edits"]}]}
