"""Tools that put a form to the user: the form is the permission, except where nobody is to be asked."""

from __future__ import annotations

import pytest

from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.verdict import ToolCall, ToolOpinion, Verdict

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


def judged(tool: str, mode: Mode, *, hook: ToolOpinion | None = None, **lists: list[str]) -> Verdict:
    call = ToolCall(tool=tool, input={}, is_read_only=True, opinion=ToolOpinion("allow"))
    return decide(call, rules=RuleSet.from_lists(**lists), mode=mode, where=WHERE, hook=hook)  # type: ignore[arg-type]


@pytest.mark.parametrize("tool", ["AskUserQuestion", "StickerRequest"])
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "bypassPermissions"])
def test_a_form_needs_no_permission(tool: str, mode: Mode) -> None:
    assert judged(tool, mode).behavior == "allow"


@pytest.mark.parametrize("tool", ["AskUserQuestion", "StickerRequest"])
def test_in_dont_ask_mode_there_is_no_form_whatever_allows_it(tool: str) -> None:
    for verdict in (judged(tool, "dontAsk", allow=[tool]), judged(tool, "dontAsk", hook=ToolOpinion("allow"))):
        assert (verdict.behavior, verdict.by) == ("deny", "mode")
        assert "nobody can be asked" in verdict.reason


def test_a_deny_rule_forbids_a_form() -> None:
    assert judged("AskUserQuestion", "bypassPermissions", deny=["AskUserQuestion"]).by == "rule"
