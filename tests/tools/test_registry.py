"""The pool holds what a run may use, in an order that never changes, and understands other names for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tui_agent.tools import catalog
from tui_agent.tools.catalog import Entry
from tui_agent.tools.registry import ToolPool

GATED = """
from tui_agent.tools.base import Tool, ToolInput

class Input(ToolInput):
    note: str

class Gated(Tool[Input, str]):
    name = "{name}"
    Input = Input
    def is_enabled(self):
        {is_enabled}

TOOL = Gated
"""


@pytest.fixture
def folder_of_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(catalog, "_ENTRIES", dict(catalog._ENTRIES))
    return tmp_path


def add(folder: Path, name: str, *, features: tuple[str, ...] = (), is_enabled: str = "return True") -> str:
    package = f"added_{name.lower()}"
    (folder / package).mkdir()
    (folder / package / "__init__.py").touch()
    (folder / package / "tool.py").write_text(GATED.format(name=name, is_enabled=is_enabled))
    catalog.register(Entry(name, package, features))
    return f"{package}.tool"


def names(pool: ToolPool) -> list[str]:
    return [tool.name for tool in pool.tools]


def test_the_pool_is_sorted_by_name() -> None:
    assert names(ToolPool.build()) == ["Bash", "Edit", "Grep", "Read"]


def test_simple_mode_has_exactly_three_tools(folder_of_tools: Path) -> None:
    add(folder_of_tools, "Another")
    assert names(ToolPool.build(simple=True)) == ["Bash", "Edit", "Read"]


@pytest.mark.parametrize(
    ("denied", "left"),
    [
        ({"Bash"}, ["Edit", "Grep", "Read"]),
        ({"*"}, []),
        ({"*e*"}, ["Bash", "Edit"]),
        ({"bash"}, ["Bash", "Edit", "Grep", "Read"]),
    ],
)
def test_a_tool_denied_as_a_whole_is_not_there(denied: set[str], left: list[str]) -> None:
    assert names(ToolPool.build(denied=denied)) == left


def test_a_tool_whose_feature_is_off_is_not_even_imported(folder_of_tools: Path) -> None:
    module = add(folder_of_tools, "Sleepy", features=("kairos", "proactive"))
    pool = ToolPool.build(features=("other",))
    assert (pool.get("Sleepy"), module in sys.modules) == (None, False)
    assert ToolPool.build(features=("proactive",)).get("Sleepy") is not None


def test_a_tool_that_cannot_work_here_is_left_out(folder_of_tools: Path) -> None:
    add(folder_of_tools, "Off", is_enabled="return False")
    add(folder_of_tools, "Broken", is_enabled="raise OSError")
    assert names(ToolPool.build()) == ["Bash", "Edit", "Grep", "Read"]


def test_a_tool_folder_added_at_run_time_is_there(folder_of_tools: Path) -> None:
    add(folder_of_tools, "Added")
    pool = ToolPool.build()
    assert names(pool) == ["Added", "Bash", "Edit", "Grep", "Read"]
    assert pool.schemas()[0]["input_schema"]["properties"] == {"note": {"type": "string"}}


@pytest.mark.parametrize(
    ("alias", "raw", "name", "adapted"),
    [
        ("read_file", {"path": "f"}, "Read", {"file_path": "f"}),
        ("FileRead", {"file_path": "f"}, "Read", {"file_path": "f"}),
        ("ReadTool", {"file_path": "f"}, "Read", {"file_path": "f"}),
        ("edit_file", {"path": "f", "old_str": "a", "new_str": "b"}, "Edit",
         {"file_path": "f", "old_string": "a", "new_string": "b"}),
        ("grep_search", {"pattern": "p", "include": "*.py"}, "Grep", {"pattern": "p", "glob": "*.py"}),
        ("run_shell", {"command": "ls"}, "Bash", {"command": "ls", "timeout": 30_000}),
        ("run_shell", {"command": "ls", "timeout": 2}, "Bash", {"command": "ls", "timeout": 2000}),
        ("run_shell", {"command": "ls", "timeout": "1.5"}, "Bash", {"command": "ls", "timeout": 1500}),
        ("BashTool", {"command": "ls", "timeout": 2}, "Bash", {"command": "ls", "timeout": 2}),
    ],
)  # fmt: skip
def test_other_names_come_with_their_input(
    alias: str, raw: dict[str, object], name: str, adapted: dict[str, object]
) -> None:
    given = dict(raw)
    tool, found = ToolPool.build().adapt(alias, given)
    assert (tool.name, found, given) == (name, adapted, raw)


def test_other_names_never_reach_the_api() -> None:
    assert [schema["name"] for schema in ToolPool.build().schemas()] == ["Bash", "Edit", "Grep", "Read"]


@pytest.mark.parametrize(
    ("name", "nearest"), [("bash", "Bash"), ("Raed", "Read"), ("grepsearch", "Grep"), ("edit-file", "Edit")]
)
def test_the_nearest_names_are_canonical(name: str, nearest: str) -> None:
    assert ToolPool.build().nearest(name)[0] == nearest


def test_nothing_is_near_to_nonsense() -> None:
    assert ToolPool.build().nearest("xyzzy") == []


def test_two_builds_give_the_same_request() -> None:
    assert repr(ToolPool.build().schemas()) == repr(ToolPool.build().schemas())
    assert all(tool.description() for tool in ToolPool.build().tools)
    assert len(ToolPool.build().prompts()) == 4
