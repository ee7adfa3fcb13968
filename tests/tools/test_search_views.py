"""How Glob and LS are drawn."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from viewing import STATE, check

from tui_agent.tools.glob.view import View as GlobView
from tui_agent.tools.grep.view import View as GrepView
from tui_agent.tools.ls.view import View as LSView
from tui_agent.viewkit.tool_use import Phase, ToolUse
from tui_agent.viewkit.tool_view import ToolView

BASE = "/w/shop"
FOUND = {"filenames": ["cart/b.py", "a.py", "cart/a.py"], "numFiles": 3, "truncated": False, "moreEntries": 0}
ENTRIES = [
    {"name": "cart", "kind": "folder", "depth": 0},
    {"name": "ab.py", "kind": "file", "depth": 1, "size": 1234},
    {"name": "vendor", "kind": "folder", "depth": 0, "files": 40},
    {"name": "link", "kind": "link", "depth": 0, "target": "../x\x1b[31m"},
    {"name": "pipe", "kind": "other", "depth": 0},
]
LISTED = {"path": BASE, "entries": ENTRIES, "moreEntries": 40}


def use(name: str, input: dict[str, Any] | None = None, **known: Any) -> ToolUse:
    return ToolUse(id="u", name=name, input=input or {}, is_input_whole=True, base=BASE, **{"phase": "yielded"} | known)


def title(view: ToolView, tool: ToolUse) -> str:
    return view.title(tool, 80, STATE).text


def body(view: ToolView, tool: ToolUse) -> list[str]:
    return [line.text.rstrip() for line in view.body(tool, 60, STATE).lines]


def request(view: ToolView, tool: ToolUse) -> list[str]:
    return [line.text.rstrip() for line in view.request(tool, 60, STATE).lines]


def test_found_files_stand_in_their_folders() -> None:
    tool = use("Glob", {"pattern": "**/*.py", "path": f"{BASE}/lib"}, data=FOUND)
    assert title(GlobView(), tool) == "Glob **/*.py in lib · 3 files"
    assert body(GlobView(), tool) == ["cart/", "  b.py", "  a.py", "./", "  a.py"]
    alone = {**FOUND, "filenames": ["a.py"], "numFiles": 1}
    assert body(GlobView(), use("Glob", {"pattern": f"{BASE}/*.py"}, data=alone)) == ["a.py"]
    assert title(GlobView(), use("Glob", {"pattern": f"{BASE}/*.py", "path": BASE}, data=alone)) == "Glob *.py · 1 file"


def test_more_files_than_shown_and_none_at_all_are_said() -> None:
    tool = use("Glob", {"pattern": "*"}, data={**FOUND, "moreEntries": 1200, "timedOut": True})
    assert title(GlobView(), tool) == "Glob * · 1,203 files, stopped early"
    assert body(GlobView(), tool)[-1] == "… and 1,200 more"
    nothing = use("Glob", {"pattern": "*"}, data={"filenames": [], "numFiles": 0, "moreEntries": 0})
    assert (title(GlobView(), nothing), body(GlobView(), nothing)) == ("Glob * · no files", ["no files"])


def test_a_folder_is_a_tree() -> None:
    tool = use("LS", {"path": f"{BASE}/lib", "ignore": ["*.svg"]}, data=LISTED)
    assert title(LSView(), tool) == "LS lib/ without *.svg · 2 folders, 3 files, 40 more"
    assert body(LSView(), tool) == [
        "cart/", "  ab.py  1.2 KB", "vendor/  40 files", "link → ../x⟨ESC⟩[31m", "pipe     no regular file", "… and 40 more",
    ]  # fmt: skip
    empty = use("LS", data={"path": BASE, "entries": [], "moreEntries": 0})
    assert (title(LSView(), empty), body(LSView(), empty)) == ("LS . · empty", ["empty"])


def test_what_is_asked_for_is_said_in_words() -> None:
    glob = use("Glob", {"pattern": "/etc/**"}, phase="executing", cwd=f"{BASE}/lib")
    assert request(GlobView(), glob) == ["find files  /etc/**", "in          lib"]
    tree = use("LS", {"path": "/etc", "ignore": ["a", "b"], "depth": 2}, phase="executing")
    assert request(LSView(), tree) == ["list folder  /etc", "leave out    a", "             b", "levels       2"]


@pytest.mark.parametrize("view", [GlobView(), LSView()])
@pytest.mark.parametrize("phase", get_args(Phase))
@pytest.mark.parametrize(
    "data", [None, {}, {"filenames": 3, "numFiles": "x"}, {"entries": [1, {}, {"depth": "x"}]}, FOUND, LISTED]
)
def test_whatever_the_data_says_it_is_drawn(view: ToolView, phase: Phase, data: dict[str, Any] | None) -> None:
    odd = {"pattern": 3, "path": ["x"], "ignore": {"a": 1}, "depth": "deep"}
    for input in ({}, odd, {"pattern": "\x1b[2J\n*", "path": "\u202e", "ignore": ["\x07"]}):
        for width in (4, 30, 100):
            tool = use("Glob", input, phase=phase, data=data, content="text")
            check(view.body(tool, width, STATE), width)
            check(view.request(tool, width, STATE), width)
            assert view.title(tool, width, STATE).segments is not None


def test_of_a_very_long_line_the_part_round_the_match_is_shown() -> None:
    line = {"file": "a.js", "line": 1, "text": "x" * 900 + " needle " + "y" * 900, "isMatch": True}
    data = {"mode": "content", "numFiles": 1, "numMatches": 1, "matches": [line]}
    shown = body(GrepView(), use("Grep", {"pattern": "needle"}, data=data))
    assert len(shown) == 1 + 3
    assert "needle" in "".join(shown[1:])
    assert (shown[1].split()[1][0], shown[-1][-1]) == ("…", "…")
    begin = {**line, "text": "needle" + "y" * 900}
    shown = body(GrepView(), use("Grep", {"pattern": "needle"}, data={**data, "matches": [begin]}))
    assert shown[1].split()[1].startswith("needle")


def test_an_offset_behind_the_last_match_is_not_called_no_matches() -> None:
    data = {"mode": "content", "numFiles": 1, "numMatches": 9, "matches": []}
    text = "No entries at this offset: there are 9."
    assert body(GrepView(), use("Grep", {"pattern": "x"}, data=data, content=text)) == [text]
