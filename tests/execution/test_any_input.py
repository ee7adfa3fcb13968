"""Whatever a model sends to whichever tool, it gets a result or an error it knows, soon, in a block that can be sent back.

Inputs are made from each tool's own schema and then spoilt. They go through the whole executor, in a folder of their own,
without a network, and with commands from a list. A new tool is tried as soon as it stands in the catalog.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runtimes import make_runtime

from tui_agent.changes import FileChange
from tui_agent.engine.session.tool_runtime import ToolRuntimeOptions
from tui_agent.event_json import to_json
from tui_agent.events import Event
from tui_agent.execution.single_use import SingleRun, run_one
from tui_agent.permissions.verdict import ToolCall, Verdict
from tui_agent.settings.features import FEATURES
from tui_agent.settings.load import load_settings
from tui_agent.tools.base import ErrorKind, Limits
from tui_agent.tools.inputs.schema import api_schema
from tui_agent.tools.registry import ToolPool

POOL = ToolPool.build(features=tuple(FEATURES))
SCHEMAS = {tool.name: api_schema(tool) for tool in POOL.tools}
PATIENCE_S = 15

Strategy = st.SearchStrategy[Any]

# What a tool meets by the name of its field. Paths are relative to a folder whose parents are scratch folders too.
COMMANDS = st.sampled_from(
    [
        "true",
        "echo hi",
        "cat text",
        "exit 3",
        "printf '\\0\\377'",
        "ls -la",
        "echo x >&2; false",
        "vim x",
        "((",
        "",
        "\0",
    ]
)
PATHS = st.sampled_from(
    ["text", "crlf", "binary", "empty", "sub", "sub/deep", "link", "loop", "pipe", "page.ipynb", "bad.ipynb", "picture.png",
     "paper.pdf", "new", "new/one/two", "outside", "", " ", ".", "..", "../x", "../../x", "~", "~/x", "~nobody/x", "/", "//",
     "/dev/null", "/dev/full", "/proc/self/mem", "text/x", "text\0", "\ud800", "\x1b]0;x\x07", "-rf", "--help", "*", "a" * 300,
     "a/" * 3000, "文/𝄞", ".git/config", ".tui-agent/settings.json", "text\n", "file:///etc/passwd"]
)  # fmt: skip
URLS = st.sampled_from(
    ["http://127.0.0.1:9/", "https://example.com/x", "http://[::1]/", "http://169.254.169.254/", "ftp://x", "http://", "x", "",
     "http://user:pw@example.com", "http://example.com\\@127.0.0.1", "http://exa mple.com", "http://\ud800", "javascript:x"]
)  # fmt: skip
PATTERNS = st.sampled_from(
    ["a", "(", "[", "*", "**/*", "-e", "(a+)+$", "\\p{Greek}", "{a,b", "../*", "a\nb", "\0", "!x", "sub/", "s*/.."]
)
TEXTS = st.sampled_from(
    ["", "one", "one\n", "two", "“", "'", "\r\n", "\0", "\ud800", "\u202e", "\x1b[2J\x1b]0;x\x07", "文", "x" * 40_000,
     "{}", "[]", "true", "-1", "cell-1", "select:Read", "note", "1", "a@b.c"]
) | st.text(max_size=6)  # fmt: skip
BY_NAME = {
    "command": COMMANDS, "path": PATHS, "file": PATHS, "cwd": PATHS, "url": URLS, "pattern": PATTERNS, "glob": PATTERNS,
}  # fmt: skip
ODD_NUMBERS = [-1, 0, 1, 2, 10**6, 2**63, -(2**63), 10**30, 0.5, 1e308, float("nan"), float("inf")]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.sampled_from(ODD_NUMBERS) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def value_of(node: dict[str, Any], name: str = "") -> Strategy:
    """Return values that a schema takes, near its bounds and just beyond them."""
    if "enum" in node:
        return st.sampled_from(node["enum"])
    if "anyOf" in node:
        return st.one_of([value_of(part, name) for part in node["anyOf"]])
    match node.get("type"):
        case "string":
            return next((found for part, found in BY_NAME.items() if part in name.lower()), TEXTS)
        case "integer" | "number":
            low, high = node.get("minimum", 0), node.get("maximum", 5)
            return st.sampled_from([low, low + 1, high, high + 1, low - 1])
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(value_of(node.get("items", {}), name), max_size=3)
        case "object" if "properties" in node:
            return object_of(node)
        case "object":
            return st.dictionaries(TEXTS, ANYTHING, max_size=2)
        case _:
            return ANYTHING


def object_of(node: dict[str, Any]) -> Strategy:
    fields = {name: value_of(inner, name) for name, inner in node["properties"].items()}
    needed = {name: fields.pop(name) for name in node.get("required", ()) if name in fields}
    return st.fixed_dictionaries(needed, optional=fields)


@st.composite
def inputs(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Return an input as the schema wants it, or one with a fault or two in it."""
    raw: dict[str, Any] = draw(object_of(schema))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        match draw(st.sampled_from(["drop", "replace", "add"])):
            case "drop" if raw:
                del raw[draw(st.sampled_from(sorted(raw)))]
            case "replace" if raw:
                raw[draw(st.sampled_from(sorted(raw)))] = draw(ANYTHING)
            case _:
                raw[draw(TEXTS)] = draw(ANYTHING)
    return raw


class OpenGate:
    """Lets through whatever the tool itself does not refuse, but writing outside of `folder`, which is not the test's."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:
        paths = (*call.writes, *(change.path for change in proposals))
        is_refused = call.opinion is not None and call.opinion.behavior == "deny"
        if not is_refused and all(
            os.path.realpath(path).startswith(self._folder + "/") for path in paths if "\0" not in path
        ):
            return Verdict(behavior="allow", by="default", reason="the test allows it")
        return Verdict(behavior="deny", by="default", reason="refused, or outside of the test's folder")

    async def ask(self, *_: Any) -> Any:
        raise AssertionError("nothing is asked here")


CELL = {"cell_type": "code", "id": "cell-1", "source": "1", "metadata": {}, "outputs": [], "execution_count": 1}
FILES = {
    "text": b"one\ntwo\nthree\n", "crlf": b'one\r\n"two"\r\n', "binary": bytes(range(256)), "empty": b"",
    "sub/deep/x.py": b"a\n", "bad.ipynb": b"{", "paper.pdf": b"%PDF-1.4\n%\xff\n", "picture.png": b"\x89PNG\r\n\x1a\n\0",
    "page.ipynb": json.dumps({"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode(),
    os.fsdecode(b"n\xffme"): b"one\n", "../outside": b"one\n",
}  # fmt: skip


def some_files(folder: Path) -> None:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "link").symlink_to("text")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No network, no home of anybody's."""

    def connect(self: socket.socket, address: object) -> None:
        raise ConnectionRefusedError("the test has no network")

    def resolve(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror("the test has no network")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect)
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    for name in ("HOME", "XDG_CONFIG_HOME", "TUI_AGENT_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("ENABLE_TOOL_SEARCH", raising=False)


async def run(folder: Path, calls: list[tuple[str, dict[str, Any]]]) -> tuple[list[SingleRun], list[Event]]:
    """Run calls in one session in a scratch folder."""
    work = folder / "one" / "two" / "work"
    work.mkdir(parents=True)
    some_files(work)
    events: list[Event] = []

    def publish(event: Event) -> Event:
        events.append(event)
        return event

    runtime = make_runtime(
        ToolRuntimeOptions(cwd=work, features=tuple(FEATURES)),
        load_settings(work, is_trusted=True),
        publish=publish,
        results_dir=folder / "results",
        state_dir=folder / "state",
        is_attended=False,
        gate=OpenGate(folder.resolve()),  # type: ignore[arg-type]
    )
    runtime.services.user_wrote.set()  # nothing waits for a time
    try:
        execution_context = replace(
            runtime.execution_context, limits=Limits(search_timeout_s=0.3)
        )  # it may search anywhere
        runs = [await asyncio.wait_for(run_one(execution_context, name, raw), PATIENCE_S) for name, raw in calls]
    finally:
        await runtime.jobs.close()
    return runs, events


def try_all(calls: list[tuple[str, dict[str, Any]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        runs, events = asyncio.run(run(Path(folder), calls))
    assert len(runs) == len(calls)
    for outcome, _, states in runs:
        assert states == ["queued", "executing", "completed", "yielded"]
        assert outcome.is_error == (outcome.error_kind is not None)
        assert outcome.error_kind in {None, *get_args(ErrorKind)} - {"unknown_tool", "aborted"}
        # What nobody foresaw names its exception.
        assert "exception" not in (outcome.data or {}), outcome.content
        json.dumps(outcome.to_block(), ensure_ascii=False, allow_nan=False).encode()
    for event in events:
        json.dumps(to_json(event)).encode()


@pytest.mark.parametrize("name", sorted(SCHEMAS))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_input_gives_a_result_or_an_error_for_the_model(name: str, data: st.DataObject) -> None:
    raws = data.draw(st.lists(inputs(SCHEMAS[name]), min_size=2, max_size=6))
    try_all([("Read", {"file_path": "text"}), *((name, raw) for raw in raws)])


def test_what_was_once_too_much_is_answered() -> None:
    deep: list[Any] = []
    for _ in range(2000):
        deep = [deep]
    try_all(
        [
            ("Bash", {"command": "true", "cwd": "text\0"}),
            ("Bash", {"command": "true", "cwd": "\ud800"}),
            ("Bash", {"command": "sleep 60", "run_in_background": True, "timeout": 1}),
            ("Write", {"file_path": "\ud800", "content": "x"}),
            ("Read", {"file_path": "n\udcffme"}),
            ("TaskCreate", {"subject": "x", "description": "y", "metadata": {"a": {"\ud800": 1}}}),
            ("TaskCreate", {"subject": "x", "description": "y", "metadata": {"a": deep}}),
            ("Edit", {"file_path": "text", "old_string": deep, "new_string": {"x": deep}}),
            ("ToolSearch", {"query": "select:" + "x," * 900}),
        ]
    )
