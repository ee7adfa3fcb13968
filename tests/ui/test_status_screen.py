"""The status screen counts what each tool did, by tool and kind of error."""

from __future__ import annotations

from recording import GREP, TESTS, Recording

from tui_agent import events as ev
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.screen_text.status_text import sections


def told(log: Recording) -> dict[str, dict[str, str]]:
    projection = Projection()
    projection.apply(log.events)
    return {title: dict(rows) for title, rows in sections(projection)}


def test_uses_and_errors_are_counted_by_tool_and_kind() -> None:
    log = Recording()
    log.begin("go")
    log.reply()
    for name, tool, error in (
        ("a", "Bash", "execution"), ("b", "Bash", None), ("c", "Bash", "timeout"), ("d", "Bash", "execution"),
        ("e", "Grep", None), ("f", "\x1b[31mNope", "unknown_tool"),
    ):  # fmt: skip
        log.use(name, tool, TESTS if tool == "Bash" else GREP)
        log.execute(name)
        log.result(name, tool, "x", error=error)
    tools = told(log)["Tools"]
    assert tools["Bash"] == "4 uses · 2 failed · 1 timed out"
    assert tools["Grep"] == "1 use"
    assert tools["Nope"] == "1 use · 1 unknown"


def test_the_count_outlives_a_cleared_conversation() -> None:
    log = Recording()
    log.begin("go")
    log.reply()
    log.use("a", "Grep", GREP)
    log.execute("a")
    log.result("a", "Grep", "x", error="validation")
    log.say(ev.HistoryCleared())
    assert told(log)["Tools"] == {"Grep": "1 use · 1 refused by a check"}


def test_a_little_of_the_context_is_not_nothing() -> None:
    projection = Projection()
    projection.status.context_tokens, projection.status.context_size = 8_450, 1_000_000
    rows = dict(dict(sections(projection))["Context and cost"])
    assert rows["context"] == "8,450 tokens of 1,000,000, <1%"


def test_before_anything_happened_it_says_so() -> None:
    parts = told(Recording())
    assert parts["Tools"] == {"": "none used yet"}
    assert parts["Context and cost"]["cost"] == "nothing yet"
