"""Handlers as settings write them: each is checked for itself, and what does not count is said with its place."""

from __future__ import annotations

from typing import Any

import pytest

from tui_agent.hooks.registry import HookRegistry
from tui_agent.settings.load import HookEntry


def entry(event: str = "PreToolUse", matcher: str = "", line: int = 3, **handler: Any) -> HookEntry:
    held = handler.pop("is_held_back", False)
    reason = handler.pop("reason", "")
    return HookEntry(event, matcher, handler, "project", "s.json", line, held, reason)


def command(**more: Any) -> HookEntry:
    return entry(type="command", command="./check.sh", **more)


def test_a_bad_handler_is_ignored_with_its_place_and_the_others_hold() -> None:
    book = HookRegistry.read([command(), entry(line=9, type="command"), command(line=12)])
    assert [handler.line for handler in book.handlers] == [3, 12]
    assert [str(problem) for problem in book.problems] == [
        "s.json:9: a hook for PreToolUse is ignored: `command` is missing"
    ]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (entry(type="magic", command="x"), "`type` must be command, http or prompt, not `magic`"),
        (entry(type="mcp_tool", server="s", tool="t"), "hooks of type `mcp_tool` are not supported yet"),
        (entry(type="agent", prompt="p"), "hooks of type `agent` are not supported yet"),
        (entry(event="PreTool", type="command", command="x"), "there is no event of this name"),
        (entry(event="SessionStart", type="http", url="http://x"), "cannot be heard at this event"),
        (entry(event="SessionEnd", type="prompt", prompt="p"), "cannot be heard at this event"),
        (command(timeout=0), "`timeout` must be a number of seconds above 0"),
        (command(timeout=True), "`timeout` must be a number"),
        (command(timeout="5"), "`timeout` must be a number"),
        (entry(type="command", command=["a"]), "`command` must be text"),
        (entry(type="command", command="a", args="b"), "`args` must be a list of texts"),
        (entry(type="command", command="a", args=["\0"]), "`args` must be a list of texts"),
        (entry(type="command", command="a", shell="fish"), "`shell` must be bash or powershell"),
        (entry(type="command", command="a", **{"async": "yes"}), "`async` must be true or false"),
        (entry(type="command", command="a", onFailure="explode"), "`onFailure` must be continue or block"),
        (entry(type="http", url="file:///etc/passwd"), "`url` must be an http or https address"),
        (entry(type="http", url="http://x", headers={"A": 1}), "`headers` must be an object of texts"),
        (entry(matcher="(", type="command", command="a"), "its matcher `(`: it is not a regular expression"),
    ],
)
def test_what_is_wrong_is_said(bad: HookEntry, words: str) -> None:
    book = HookRegistry.read([bad])
    assert book.handlers == ()
    assert words in str(book.problems[0])


def test_a_rule_that_means_nothing_is_a_problem() -> None:
    book = HookRegistry.read([command(**{"if": "Bash("})], rule_problem=lambda rule: f"`{rule}` is no rule")
    assert "its `if`: `Bash(` is no rule" in str(book.problems[0])


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (command(is_held_back=True), "the folder is not trusted"),
        (command(is_held_back=True, reason="only the policy's hooks run"), "only the policy's hooks run"),
        (command(event="PreCompact"), "this event does not happen here yet"),
        (command(event="Stop", **{"if": "Bash(ls)"}), "it has an `if`, which is about tools"),
    ],
)
def test_what_does_not_run_is_listed_with_the_reason(one: HookEntry, why: str) -> None:
    book = HookRegistry.read([one])
    assert [handler.why_not for handler in book.handlers] == [why]
    assert book.listening(one.event) == ()


def test_time_limits_are_those_of_event_and_type() -> None:
    book = HookRegistry.read(
        [
            command(),
            command(event="UserPromptSubmit"),
            command(event="SessionEnd"),
            entry(event="Stop", type="prompt", prompt="done?"),
            command(timeout=2.5),
        ]
    )
    assert [handler.limit_s for handler in book.handlers] == [600, 30, 1.5, 30, 2.5]


def test_only_where_it_can_a_failure_blocks() -> None:
    found = [
        command(onFailure="block"),
        command(event="Stop", onFailure="block"),
        command(event="TaskCompleted", onFailure="block"),
        command(onFailure="block", **{"async": True}),
    ]
    book = HookRegistry.read(found)
    assert [handler.blocks_on_failure for handler in book.handlers] == [True, False, False, False]
    assert book.handlers[1].notes == ("`onFailure` cannot block at this event",)


def test_a_hook_is_called_by_its_script() -> None:
    def name(text: str) -> str:
        return HookRegistry.read([entry(type="command", command=text)]).handlers[0].name

    assert name('"$CLAUDE_PROJECT_DIR"/.claude/hooks/fmt.sh --all') == "fmt.sh"
    assert name("python3 /h/check.py") == "check.py"
    assert name("echo hello") == "echo hello"


def test_other_events_have_matchers_that_are_not_looked_at() -> None:
    book = HookRegistry.read([command(event="UserPromptSubmit", matcher="(")])
    assert book.problems == ()
    assert book.handlers[0].matcher.matches("anything")
