"""What a conversation has of its tools: looked up by name or words, activated once, and carried from then on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_bench import Bench
from tool_folders import ToolFolders

from tui_agent.tools.loading import LoadedTools
from tui_agent.tools.mcp_tool import McpAnswer, McpTool
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.services import Services


async def answer(_tool: str, _input: dict[str, Any], _told: object) -> McpAnswer:
    return McpAnswer()


def mcp(server: str, tool: str, description: str = "Does something.") -> McpTool:
    schema = {"type": "object", "properties": {tool: {"type": "string"}}}
    return McpTool(server=server, tool=tool, description=description, schema=schema, call_server=answer)


GITHUB = [
    mcp("github", "create_issue", "Opens a new issue in a repository."),
    mcp("github", "list_issues", "Lists the issues of a repository."),
    mcp("slack", "send_message", "Posts to a channel. Links to an ISSUE are shown with a preview."),
]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolFolders:
    folders = ToolFolders(tmp_path, monkeypatch)
    folders.only("Read", "ToolSearch")
    folders.add("NoteTaker", is_deferred=True, hint="memo jot", aliases=("note_down",), prompt="Note sparingly.")
    return folders


@pytest.fixture
def loaded(folders: ToolFolders) -> LoadedTools:
    return LoadedTools(ToolPool.build(mcp=GITHUB))


def carried(loaded: LoadedTools) -> list[str]:
    return [schema["name"] for schema in loaded.schemas()]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("NoteTaker", ["NoteTaker"]),
        ("notetaker", ["NoteTaker"]),
        ("note_down", ["NoteTaker"]),
        ("NoteTakerTool", ["NoteTaker"]),
        ("note", ["NoteTaker"]),
        ("MEMO", ["NoteTaker"]),
        ("create an issue", ["mcp__github__create_issue", "mcp__github__list_issues", "mcp__slack__send_message"]),
        ("issue", ["mcp__github__create_issue", "mcp__github__list_issues", "mcp__slack__send_message"]),
        ("slack", ["mcp__slack__send_message"]),
        ("channel", ["mcp__slack__send_message"]),
        ("select:NoteTaker", ["NoteTaker"]),
        ("select: mcp__slack__send_message , NoteTaker,,nothing", ["mcp__slack__send_message", "NoteTaker"]),
        ("SELECT:notetaker", ["NoteTaker"]),
        ("select:Read", ["Read"]),
        ("file", []),
        ("a", []),
        ("xyzzy", []),
        ("select:", []),
        ("", []),
        ("---", []),
    ],
)
def test_tools_are_found_by_name_and_by_words(loaded: LoadedTools, query: str, found: list[str]) -> None:
    assert loaded.find(query, 5) == found


def test_a_limit_is_for_words_and_not_for_names(loaded: LoadedTools) -> None:
    assert loaded.find("issue", 1) == ["mcp__github__create_issue"]
    assert len(loaded.find("select:NoteTaker,mcp__slack__send_message", 1)) == 2


@given(st.text(max_size=40), st.integers(1, 9))
def test_any_query_finds_tools_that_exist(query: str, limit: int) -> None:
    loaded = LoadedTools(ToolPool.build(mcp=GITHUB))
    assert set(loaded.find(query, limit)) <= set(loaded.pool.names)


def test_activated_tools_are_carried_in_the_order_of_their_activation(loaded: LoadedTools) -> None:
    assert carried(loaded) == ["Read", "ToolSearch"]
    assert loaded.core_count == 2
    (schema,) = loaded.activate(["mcp__slack__send_message"])
    assert schema == {
        "name": "mcp__slack__send_message",
        "description": "Posts to a channel. Links to an ISSUE are shown with a preview.",
        "input_schema": {"type": "object", "properties": {"send_message": {"type": "string"}}},
    }
    loaded.activate(["NoteTaker", "mcp__slack__send_message"])
    assert carried(loaded) == ["Read", "ToolSearch", "mcp__slack__send_message", "NoteTaker"]
    assert loaded.schemas()[2] == schema
    assert (loaded.core_count, loaded.activated) == (2, ["mcp__slack__send_message", "NoteTaker"])
    assert loaded.guidance(["NoteTaker", "Read"])[0] == "Note sparingly."


def test_who_hears_of_activations_hears_of_each_once(folders: ToolFolders) -> None:
    heard: list[tuple[str, ...]] = []
    loaded = LoadedTools(ToolPool.build(mcp=GITHUB), on_activate=heard.append)
    loaded.activate(["NoteTaker", "Read", "nothing"])
    loaded.activate(["NoteTaker", "mcp__slack__send_message", "mcp__slack__send_message"])
    loaded.restore(["mcp__github__create_issue"])
    assert heard == [("NoteTaker",), ("mcp__slack__send_message",)]


def test_a_call_of_a_deferred_tool_activates_it_under_any_name(loaded: LoadedTools) -> None:
    tool = loaded.get("note_down")
    assert tool is not None
    assert tool.name == "NoteTaker"
    loaded.on_use(tool)
    assert carried(loaded) == ["Read", "ToolSearch", "NoteTaker"]
    assert loaded.get("nothing") is None


def test_a_recorded_conversation_goes_on_with_its_tools_and_a_new_one_without(loaded: LoadedTools) -> None:
    loaded.restore(["mcp__slack__send_message", "gone", "Read", "NoteTaker"])
    assert loaded.activated == ["mcp__slack__send_message", "NoteTaker"]
    loaded.reset()
    assert carried(loaded) == ["Read", "ToolSearch"]


def test_with_a_hundred_tools_a_request_carries_the_core_and_what_was_activated(folders: ToolFolders) -> None:
    many = [mcp("big", f"tool_{number:03}", f"Does the thing number {number}.") for number in range(100)]
    loaded = LoadedTools(ToolPool.build(mcp=many))
    assert carried(loaded) == ["Read", "ToolSearch"]
    assert len(loaded.deferred) == 101
    assert loaded.find("tool_042", 5)[0] == "mcp__big__tool_042"
    loaded.activate(loaded.find("thing number 42", 1))
    assert carried(loaded) == ["Read", "ToolSearch", "mcp__big__tool_042"]


# The tool


class FinderBench(Bench):
    """Runs ToolSearch with a finder behind it."""

    def __init__(self, folder: Path, loaded: LoadedTools | None) -> None:
        super().__init__(folder)
        self.loaded = loaded

    def context(self, *approved: Any) -> Any:
        context = super().context(*approved)
        context.services = Services(finder=self.loaded)
        return context


async def test_what_is_found_is_shown_with_schema_and_guidance_and_activated(
    tmp_path: Path, loaded: LoadedTools
) -> None:
    ran = await FinderBench(tmp_path, loaded).run("tool_search", {"query": "note", "max_results": "3"})
    assert ran.text.startswith("Loaded, to be called from now on:\n{")
    schema = json.loads(ran.text.splitlines()[1])
    assert schema == loaded.schemas()[-1]
    assert ran.text.endswith("\n\nNote sparingly.")
    assert ran.data == {
        "query": "note",
        "matches": ["NoteTaker"],
        "tools": [{"name": "NoteTaker", "description": "Takes a note."}],
        "total_deferred_tools": 4,
    }
    assert loaded.activated == ["NoteTaker"]


async def test_what_is_not_found_is_said_with_what_there_is(tmp_path: Path, loaded: LoadedTools) -> None:
    runtime = FinderBench(tmp_path, loaded)
    ran = await runtime.run("ToolSearch", {"query": "xyzzy"})
    assert ran.text.splitlines() == [
        "No tool matches 'xyzzy'.",
        "These can be looked up: NoteTaker, mcp__github__create_issue, mcp__github__list_issues, mcp__slack__send_message.",
    ]
    ran = await runtime.run("ToolSearch", {"query": "select:NoteTakr,NoteTaker"})
    assert "There is no tool named 'NoteTakr'. Did you mean NoteTaker?" in ran.text
    assert loaded.activated == ["NoteTaker"]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"query": " "}, "validation"),
        ({"query": "x", "max_results": 0}, "invalid_input"),
        ({"query": "x"}, "execution"),
    ],
)
async def test_a_search_that_makes_no_sense_is_an_error(tmp_path: Path, raw: dict[str, Any], kind: str) -> None:
    ran = await FinderBench(tmp_path, None).run("ToolSearch", raw)
    assert (ran.is_error, ran.kind) == (True, kind)
