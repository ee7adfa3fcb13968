"""What the user is shown before a server of a project may start."""

from __future__ import annotations

from tui_agent.engine.mcp.approval import approval_form
from tui_agent.mcp.definitions import read_entry


def shown(*args: str) -> str:
    raw = {"command": "run", "args": list(args), "env": {"LD_PRELOAD": "./x.so"}}
    server = read_entry("s", raw, scope="project", environment={})
    return approval_form([server]).fields[0].options[0].description


def test_all_that_would_run_is_there_and_nothing_odd_is_hidden() -> None:
    assert shown("--token", "a\u202eb") == "run --token a⟨RLO⟩b (with LD_PRELOAD=./x.so)"


def test_an_endless_entry_says_that_there_is_more_of_it() -> None:
    assert "MORE CHARACTERS" in shown("x" * 5000, "; evil")
