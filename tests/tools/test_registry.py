"""The pool holds what a run may use, in an order that never changes, and understands other names for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tool_folders import ToolFolders

from tui_agent.execution.resolution import find_tool, resolve_use
from tui_agent.tools import catalog
from tui_agent.tools.base import PromptContext, Tool, ToolInput
from tui_agent.tools.mcp_tool import McpAnswer, McpHints, McpTool
from tui_agent.tools.registry import SIMPLE_TOOLS, ToolPool

BUILT_IN = sorted(entry.name for entry in catalog.entries() if not entry.features)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolFolders:
    return ToolFolders(tmp_path, monkeypatch)


async def answer(_tool: str, _input: dict[str, Any], _told: object) -> McpAnswer:
    return McpAnswer()


def mcp(server: str, tool: str, *, schema: dict[str, Any] | None = None, **hints: Any) -> McpTool:
    return McpTool(
        server=server,
        tool=tool,
        description=f"Does {tool}.",
        schema=schema or {"type": "object", "properties": {"x": {"type": "string"}}},
        call_server=answer,
        hints=McpHints(**hints),
    )


def names(pool: ToolPool) -> list[str]:
    return list(pool.names)


def sent(pool: ToolPool) -> list[str]:
    return [schema["name"] for schema in pool.schemas()]


# Which tools


def test_every_tool_that_belongs_to_no_feature_is_there_sorted_by_name() -> None:
    assert names(ToolPool.build()) == BUILT_IN


def test_simple_mode_has_exactly_three_tools(folders: ToolFolders) -> None:
    folders.add("Another")
    pool = ToolPool.build(simple=True, mcp=[mcp("git", "log")])
    assert names(pool) == sent(pool) == ["Bash", "Edit", "Read"] == sorted(SIMPLE_TOOLS)


@pytest.mark.parametrize(
    ("denied", "gone"),
    [
        ({"Bash"}, {"Bash"}),
        ({"*"}, {*BUILT_IN, "mcp__git__log", "mcp__gitlab__log"}),
        ({"*e*"}, {name for name in BUILT_IN if "e" in name}),
        ({"bash"}, set()),
        ({"[B]ash", "Bas?"}, set()),
        ({"Think"}, {"Think"}),
        ({"mcp__git"}, {"mcp__git__log"}),
        ({"mcp__git*"}, {"mcp__git__log", "mcp__gitlab__log"}),
        ({"mcp__git__l*"}, {"mcp__git__log"}),
    ],
)
def test_a_tool_denied_as_a_whole_is_not_there(denied: set[str], gone: set[str]) -> None:
    foreign = [mcp("git", "log"), mcp("gitlab", "log")]
    everything = set(names(ToolPool.build(mcp=foreign)))
    assert everything - set(names(ToolPool.build(denied=denied, mcp=foreign))) == gone


def test_a_tool_whose_feature_is_off_is_not_even_imported(folders: ToolFolders) -> None:
    module = folders.add("Sleepy", features=("kairos", "proactive"))
    pool = ToolPool.build(features=("memory",))
    assert (pool.get("Sleepy"), "Sleepy" in sent(pool), module in sys.modules) == (None, False, False)
    assert ToolPool.build(features=("proactive",)).get("Sleepy") is not None


@pytest.mark.parametrize("features", [(), ("proactive",), ("kairos",)])
def test_sleep_belongs_to_two_features(features: tuple[str, ...]) -> None:
    code = (
        "import json, sys; from tui_agent.tools.registry import ToolPool\n"
        f"pool = ToolPool.build(features={features!r}, tool_search='false')\n"
        "names = [schema['name'] for schema in pool.schemas()]\n"
        "print(json.dumps(['tui_agent.tools.sleep.tool' in sys.modules, 'Sleep' in names, pool.get('Sleep') is not None]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [bool(features)] * 3


def test_a_tool_that_cannot_work_here_is_left_out(folders: ToolFolders) -> None:
    folders.add("Off", is_enabled="return False")
    folders.add("Broken", is_enabled="raise OSError")
    assert names(ToolPool.build()) == BUILT_IN


def test_a_tool_folder_added_at_run_time_is_there(folders: ToolFolders) -> None:
    folders.add("Added")
    pool = ToolPool.build()
    assert names(pool) == sorted([*BUILT_IN, "Added"])
    schema = next(schema for schema in pool.schemas() if schema["name"] == "Added")
    assert schema["input_schema"]["properties"] == {"note": {"type": "string"}}


# The order of a request


def test_tools_of_servers_stand_behind_the_built_in_ones_and_never_among_them(folders: ToolFolders) -> None:
    folders.only("ToolSearch")
    folders.add("Zed")
    folders.add("Able")
    later = [mcp("b", "two", is_always_loaded=True), mcp("a", "one", is_always_loaded=True)]
    pool = ToolPool.build(mcp=later)
    assert names(pool) == sent(pool) == ["Able", "ToolSearch", "Zed", "mcp__a__one", "mcp__b__two"]
    assert [tool.name for tool in pool.core] == ["Able", "ToolSearch", "Zed"]


def test_of_two_tools_of_one_name_the_built_in_one_counts(folders: ToolFolders) -> None:
    folders.only()
    folders.add("mcp__git__log")
    pool = ToolPool.build(mcp=[mcp("git", "log", is_always_loaded=True), mcp("git", "log")])
    assert names(pool) == ["mcp__git__log"]
    assert pool.schemas()[0]["description"] == "Takes a note."


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"properties": {}},
        {"type": "object", "oneOf": [{"required": ["x"]}]},
        {"type": "object", "properties": {"a b": {}}},
        {"type": "object", "properties": ["x"]},
    ],
    ids=str,
)
def test_a_tool_of_a_server_that_the_api_would_not_take_is_left_out(schema: dict[str, Any]) -> None:
    assert "mcp__git__log" not in names(ToolPool.build(mcp=[mcp("git", "log", schema=schema)]))


def test_deferred_tools_are_not_in_a_request_until_they_are_activated(folders: ToolFolders) -> None:
    folders.only("ToolSearch")
    folders.add("Core", prompt="How to use Core.")
    folders.add("Later", is_deferred=True, prompt="How to use Later.")
    pool = ToolPool.build(mcp=[mcp("git", "log")])
    assert names(pool) == ["Core", "Later", "ToolSearch", "mcp__git__log"]
    assert sent(pool) == ["Core", "ToolSearch"]
    assert [tool.name for tool in pool.deferred] == ["Later", "mcp__git__log"]
    activated = [schema["name"] for schema in pool.schemas(activated=[pool.get("mcp__git__log"), pool.get("Later")])]
    assert activated == ["Core", "ToolSearch", "mcp__git__log", "Later"]
    assert "How to use Core." in pool.prompts()
    assert "How to use Later." not in pool.prompts()


@pytest.mark.parametrize(
    "options",
    [{"denied": {"ToolSearch"}}, {"tool_search": "false"}, {"tool_search": " False "}, {"tool_search": "0"}],
    ids=str,
)
def test_who_cannot_search_is_given_everything_up_front(options: dict[str, Any]) -> None:
    pool = ToolPool.build(mcp=[mcp("git", "log")], **options)
    assert pool.deferred == ()
    assert sent(pool) == [name for name in BUILT_IN if name != "ToolSearch"] + ["mcp__git__log"]
    assert len(pool.core) == len(BUILT_IN) - 1


@pytest.mark.parametrize(
    ("setting", "is_deferred"),
    [("", True), ("true", True), ("auto", False), ("auto:1", True), ("auto:90", False), ("AUTO:0", True)],
)
def test_a_share_of_the_context_may_decide(setting: str, is_deferred: bool) -> None:
    wordy = {"type": "object", "properties": {"x": {"type": "string", "description": "x" * 40_000}}}
    pool = ToolPool.build(mcp=[mcp("git", "log", schema=wordy)], tool_search=setting, context_tokens=200_000)
    assert bool(pool.deferred) == is_deferred


def test_two_builds_give_the_same_request() -> None:
    first, second = ToolPool.build(), ToolPool.build()
    assert json.dumps(first.schemas()) == json.dumps(second.schemas())
    assert all(schema["description"] for schema in first.schemas_of(first.tools))
    assert first.prompts() == second.prompts()


def test_a_tool_may_describe_itself_by_the_session() -> None:
    class Note(ToolInput):
        note: str

    class Seeing(Tool[Note, None, str]):
        name = "Seeing"
        Input = Note

        def describe(self, context: PromptContext) -> str:
            return f"{context.mode} with {', '.join(context.tool_names)}"

        def guide(self, context: PromptContext) -> str:
            return f"for {context.model}, {'with' if context.is_interactive else 'without'} a user"

    pool = ToolPool([Seeing()])
    context = PromptContext(tool_names=pool.names, is_interactive=True, mode="plan", model="m")
    assert pool.schemas(context)[0]["description"] == "plan with Seeing"
    assert pool.prompts(context) == ["for m, with a user"]
    assert pool.schemas()[0]["description"] == "default with Seeing"


def test_building_a_pool_builds_no_schema() -> None:
    code = (
        "from tui_agent.tools.base import ToolInput; from tui_agent.tools.registry import ToolPool\n"
        "def below(kind): return [kind, *(model for sub in kind.__subclasses__() for model in below(sub))]\n"
        "pool = ToolPool.build(features=('proactive', 'memory', 'architect'))\n"
        "built = [model.__qualname__ for model in below(ToolInput)[1:] if model.__pydantic_complete__]\n"
        "pool.schemas_of(pool.tools)\n"
        "print(built, len(below(ToolInput)) > 4, all(tool.Input.__pydantic_complete__ for tool in pool.tools))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "True", "True"]


# Other names


def test_another_name_comes_with_its_input_and_what_was_given_stays_as_it_was() -> None:
    given = {"path": "f"}
    use = resolve_use(find_tool(ToolPool.build(), "read_file"), given)
    assert (use.name, use.raw, given) == ("Read", {"file_path": "f"}, {"path": "f"})


@pytest.mark.parametrize("seconds", [2, "2", 2.0])
def test_the_shell_by_its_other_name_counts_in_seconds(seconds: object) -> None:
    pool = ToolPool.build()
    assert resolve_use(find_tool(pool, "run_shell"), {"command": "ls", "timeout": seconds}).raw["timeout"] == 2000
    assert resolve_use(find_tool(pool, "BashTool"), {"command": "ls", "timeout": 2}).raw["timeout"] == 2


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_name_followed_by_tool_is_the_same_tool(name: str) -> None:
    pool = ToolPool.build()
    use = resolve_use(find_tool(pool, f"{name}Tool"), {"any": "thing"})
    assert use.tool is pool.get(name)
    assert use.raw == {"any": "thing"}


def test_other_names_never_reach_the_api() -> None:
    pool = ToolPool.build()
    assert [schema["name"] for schema in pool.schemas_of(pool.tools)] == BUILT_IN


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("bash", "Bash"), ("Raed", "Read"), ("grepsearch", "Grep"), ("edit-file", "Edit"), ("thnik", "Think")],
)
def test_the_nearest_names_are_canonical(name: str, nearest: str) -> None:
    assert ToolPool.build().nearest(name)[0] == nearest


def test_nothing_is_near_to_nonsense() -> None:
    assert ToolPool.build().nearest("xyzzy" * 1000) == []
