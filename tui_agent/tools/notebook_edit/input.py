"""What a NotebookEdit asks for."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tui_agent.tools.base import ToolInput

__all__ = ["NotebookEditInput"]


class NotebookEditInput(ToolInput):
    """One cell to replace, insert or delete."""

    notebook_path: str = Field(
        description="The notebook (.ipynb); an absolute path, or one relative to the working folder."
    )
    new_source: str = Field(description="The cell's new source, all of it; empty when deleting.")
    cell_id: str | None = Field(
        None,
        description="The cell to replace or delete, or to insert after; left out when inserting: at the beginning.",
    )
    cell_type: Literal["code", "markdown"] | None = Field(
        None, description="Type of the cell; needed to insert one. Replacing one, its type stays when left out."
    )
    edit_mode: Literal["replace", "insert", "delete"] = Field("replace", description="What to do.")
