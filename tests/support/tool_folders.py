"""Tool folders made while a test runs, each what a new tool is: a package with `tool.py`, and `view.py` where it has looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.tools import catalog
from tui_agent.tools.catalog import CatalogEntry

__all__ = ["ToolFolders"]

TOOL = """
from tui_agent.tools.base import Allow, Claims, Result, Tool, ToolInput, gated

class Input(ToolInput):
    note: str

class Made(Tool[Input, None, str]):
    name = "{name}"
    aliases = {aliases!r}
    search_hint = "{hint}"
    Input = Input

    def description(self):
        return "{description}"

    def prompt(self):
        return "{prompt}"

    def is_enabled(self):
        {is_enabled}

    def is_read_only(self, input):
        return {asks} is False

    async def check_permissions(self, input, ctx):
        return None if {asks} else Allow()

    async def call(self, input, plan, ctx):
        yield Result(f"{name} noted " + input.note)

TOOL = Made
"""

VIEW = """
from tui_agent.text import clean_line
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import argument
from tui_agent.viewkit.tool_view import ToolView

class View(ToolView):
    def subject(self, use, state):
        return [Run("{word} row " + clean_line(argument(use, "note")), state.palette.text)]

    def ask(self, use, builder, width, state):
        add_text(builder, "{word} asks about " + clean_line(argument(use, "note")), state.palette.text, width)

    def result(self, use, builder, width, state):
        add_text(builder, "{word} shows " + clean_line(use.text), state.palette.text, width)
"""


class ToolFolders:
    """Tools in folders below `folder`; the catalog is as it was when the test is over."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setattr(catalog, "_ENTRIES", dict(catalog._ENTRIES))

    def only(self, *names: str) -> None:
        """Take every tool but these out of the catalog."""
        for entry in catalog.entries():
            if entry.name not in names:
                del catalog._ENTRIES[entry.name]

    def add(
        self,
        name: str,
        *,
        features: tuple[str, ...] = (),
        is_deferred: bool = False,
        is_enabled: str = "return True",
        asks: bool = False,
        aliases: tuple[str, ...] = (),
        hint: str = "",
        description: str = "Takes a note.",
        prompt: str = "",
        word: str = "",
    ) -> str:
        """Make a tool and add it to the catalog; return its module. With a `word` it has a view that shows it."""
        package = f"made_{name.lower()}_{self._folder.name.replace('-', '_')}"
        (self._folder / package).mkdir()
        (self._folder / package / "__init__.py").touch()
        text = TOOL.format(
            name=name,
            aliases=aliases,
            hint=hint,
            description=description,
            prompt=prompt,
            is_enabled=is_enabled,
            asks=asks,
        )
        (self._folder / package / "tool.py").write_text(text)
        if word:
            (self._folder / package / "view.py").write_text(VIEW.format(word=word))
        catalog.register(CatalogEntry(name, package, features, is_deferred))
        return f"{package}.tool"
