"""What linear mode asks, and the commands that answers become."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from fake_engine import FakeEngine
from linear_stage import Stage, staged

from tui_agent import events as ev
from tui_agent.changes import FileChange
from tui_agent.queries import PlanOffer
from tui_agent.settings.schema import SettingsValues

BEFORE = "".join(f"line {number}\n" for number in range(1, 41))
AFTER = BEFORE.replace("line 5\n", "line five\n").replace("line 30\n", "line thirty\nand more\n")


def permission(**more: Any) -> ev.PermissionRequested:
    given: dict[str, Any] = {
        "request_id": "q1",
        "tool_use_id": "t1",
        "name": "Bash",
        "input": {"command": "git push origin main", "description": "send it"},
        "by": "classifier",
        "reason": "it sends data to another machine",
        "cwd": "/home/dev/shop",
        "offers": (("Bash(git push *)", "Bash(git push origin main)"),),
    }
    return ev.PermissionRequested(**{**given, **more})


def edit() -> tuple[ev.PermissionRequested, tuple[FileChange, ...]]:
    changes = (FileChange.between("/home/dev/src/shop/a.py", BEFORE, AFTER),)
    asked = permission(
        name="Edit", input={"file_path": "a.py"}, has_proposal=True, reason="it changes a file", by="tool"
    )
    return asked, changes


async def decision(stage: Stage) -> Any:
    return (await stage.until_asked(named="answer"))[2]


async def test_yes_once_with_all_that_is_to_be_known() -> None:
    async with staged() as stage:
        stage.engine.say(permission())
        about = await stage.wait_for("^6. Edit the command")
        for line in ("  git push origin main", "in /home/dev/shop", "The model says: send it"):
            assert line in about.splitlines()
        assert "Why: it sends data to another machine (the shell check)" in about
        await stage.answer("y")
        found = await decision(stage)
        assert (found.behavior, found.rules, found.input) == ("allow", (), None)


async def test_a_question_of_an_agent_says_whose_it_is() -> None:
    async with staged() as stage:
        stage.engine.say(ev.AgentStarted(agent_id="a1", parent_agent_id="", tool_use_id="t0", name="Explore"))
        stage.engine.say(permission(agent_id="a1"))
        about = await stage.wait_for("^6. Edit the command")
        assert "Agent Explore asks:" in about.splitlines()
        await stage.answer("y")
        assert (await decision(stage)).behavior == "allow"


async def test_always_for_a_rule_and_its_scope() -> None:
    async with staged() as stage:
        stage.engine.say(permission())
        await stage.answer("always", "2", "this is no scope", "2")
        found = await decision(stage)
        assert (found.rules, found.scope) == (("Bash(git push origin main)",), "local")


async def test_a_rule_of_ones_own_is_checked() -> None:
    async with staged() as stage:
        stage.engine.say(permission())
        await stage.answer("always", "edit", "Bash(git push")
        await stage.wait_for("^This rule cannot be used: ")
        await stage.answer("edit", "Bash(git push --dry-run *)", "1")
        found = await decision(stage)
        assert (found.rules, found.scope) == (("Bash(git push --dry-run *)",), "session")


async def test_what_cannot_be_undone_says_so_and_offers_no_always() -> None:
    async with staged() as stage:
        stage.engine.say(permission(is_destructive=True))
        about = await stage.wait_for(r"\(1 to \d\): $")
        assert "Warning: this cannot be undone." in about
        assert "Always is not available" in about
        assert "Yes, always" not in about


@pytest.mark.parametrize(("typed", "message"), [(("no",), None), (("words", "use make"), "use make")])
async def test_no(typed: tuple[str, ...], message: str | None) -> None:
    async with staged() as stage:
        stage.engine.say(permission())
        await stage.answer(*typed)
        found = await decision(stage)
        assert (found.behavior, found.message) == ("deny", message)


async def test_yes_with_words_gives_them_with_the_answer() -> None:
    async with staged() as stage:
        stage.engine.say(permission())
        await stage.answer("tell", "and tag it")
        found = await decision(stage)
        assert (found.behavior, found.message) == ("allow", "and tag it")


@pytest.mark.parametrize(
    ("typed", "behavior", "message"),
    [
        (("yes, but only this branch",), "allow", "but only this branch"),
        (("1: and tell me its hash",), "allow", "and tell me its hash"),
        (("always, from now on", "1", "1"), "allow", "from now on"),
        (("no, ask me tomorrow",), "deny", "ask me tomorrow"),
        (("words: use the other remote",), "deny", "use the other remote"),
        (("perhaps, later", "yes"), "allow", None),
    ],
)
async def test_words_may_follow_any_answer(typed: tuple[str, ...], behavior: str, message: str | None) -> None:
    async with staged() as stage:
        stage.engine.say(permission())
        await stage.answer(*typed)
        found = await decision(stage)
        assert (found.behavior, found.message) == (behavior, message)


async def test_words_follow_a_yes_to_a_change_and_to_a_plan() -> None:
    asked, changes = edit()
    engine = FakeEngine()
    async with staged(engine) as stage:
        engine.changes["q1"] = changes
        engine.say(asked)
        await stage.answer("accept-edits, and run the tests")
        assert (await decision(stage)).message == "and run the tests"
    engine = FakeEngine()
    engine.offer = PlanOffer(text="1. do", file="/p.md", modes=("acceptEdits", "default"), before="default")
    async with staged(engine) as stage:
        engine.say(permission(name="ExitPlanMode", input={}))
        await stage.answer("default: begin with the tests")
        found = await decision(stage)
        assert (found.behavior, found.message) == ("allow", "begin with the tests")


async def test_an_edited_command_is_judged_and_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    async with staged() as stage:
        stage.engine.say(permission())
        await stage.answer("edit", "git push --dry-run")
        await stage.wait_for("^Checked: asks, nothing allows it.$")
        await stage.answer("yes")
        assert (await decision(stage)).input == {"command": "git push --dry-run", "description": "send it"}


async def test_what_is_typed_before_a_question_can_be_read_does_not_answer_it() -> None:
    async with staged(has_grace=True) as stage:
        stage.engine.say(permission())
        await stage.answer("1")
        await stage.wait_for("^That came before the question can have been read")
        await stage.answer("no")
        assert (await decision(stage)).behavior == "deny"


async def test_a_message_that_was_being_typed_is_sent_not_lost() -> None:
    async with staged(has_grace=True) as stage:
        stage.engine.say(permission())
        await stage.answer("and the docs, too")
        assert await stage.until_asked(named="submit") == ("submit", "and the docs, too")
        assert not [asked for asked in stage.engine.asked if asked[0] == "answer"]


async def test_a_question_settled_elsewhere_goes_away() -> None:
    async with staged() as stage:
        stage.engine.say(permission())
        await stage.wait_for(r"\(1 to \d\): $")
        stage.engine.say(ev.PermissionResolved(request_id="q1", tool_use_id="t1", behavior="allow", by="rule"))
        await stage.wait_for(r"^The question is settled\.$")
        await stage.wait_for("^You: $")


async def test_the_next_question_can_be_seen_first() -> None:
    async with staged() as stage:
        stage.engine.say(permission(), permission(request_id="q2", input={"command": "ls"}))
        about = await stage.wait_for(r"See the next question first$")
        assert "Question 1 of 2." in about
        await stage.answer("next")
        await stage.wait_for("^  ls$")
        await stage.answer("yes")
        assert (await stage.until_asked(named="answer"))[1] == "q2"


async def test_end_of_input_is_a_no() -> None:
    async with staged() as stage:
        stage.engine.say(permission())
        await stage.wait_for(r"\(1 to \d\): $")
        stage.lines.type(None)  # type: ignore[arg-type]
        assert (await decision(stage)).behavior == "deny"


# --- reviews ---------------------------------------------------------------------------------------------------------


async def review(stage: Stage) -> tuple[FileChange, ...]:
    asked, changes = edit()
    stage.engine.changes["q1"] = changes
    stage.engine.say(asked)
    return changes


async def test_a_change_is_shown_by_line_and_word() -> None:
    async with staged() as stage:
        await review(stage)
        about = await stage.wait_for(r"\(1 to \d\): $")
        lines = about.splitlines()
        assert "Edit a.py?" in lines or "Edit /home/dev/src/shop/a.py?" in lines
        for line in ("Hunk 1 of 2, at line 5:", "- removed 5: line 5", "+ added 5: line five", "  kept 6: line 6"):
            assert line in lines
        assert "  words of line 5: “5” becomes “five”" in lines


async def test_hunks_are_taken_one_by_one() -> None:
    async with staged() as stage:
        (change,) = await review(stage)
        await stage.answer("hunks", "x", "accept", "apply")
        (approved,) = (await decision(stage)).approved
        assert (approved.accepted, approved.refused) == ((1,), (0,))
        assert approved.after == change.select([1])


async def test_an_edited_hunk_and_a_refused_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    async with staged() as stage:
        await review(stage)
        await stage.answer("hunks", "edit", "line V", "and V\n.", "refuse", "apply")
        (approved,) = (await decision(stage)).approved
        assert approved.is_edited
        assert approved.after == BEFORE.replace("line 5\n", "line V\nand V\n")
        assert approved.refused == (1,)


async def test_refusing_all_hunks_writes_nothing_and_the_turn_goes_on() -> None:
    async with staged() as stage:
        await review(stage)
        await stage.answer("hunks", "none", "apply")
        found = await decision(stage)
        assert found.behavior == "deny"
        assert found.message


async def test_a_comment_goes_with_the_answer() -> None:
    async with staged() as stage:
        await review(stage)
        await stage.answer("hunks", "comment", "99")
        await stage.wait_for("^This hunk has no such line. Added are 5 to 5.$")
        await stage.answer("comment", "5", "write 5", "back", "yes")
        (comment,) = (await decision(stage)).comments
        assert (comment.line, comment.side, comment.quote, comment.text) == (5, "new", "line five", "write 5")


async def test_yes_after_hunks_were_decided_asks_again() -> None:
    async with staged() as stage:
        await review(stage)
        await stage.answer("hunks", "refuse", "back", "yes", "no", "no")
        assert (await decision(stage)).behavior == "deny"


async def test_accept_edits_from_now_on() -> None:
    async with staged() as stage:
        await review(stage)
        await stage.answer("accept edits")
        assert (await decision(stage)).behavior == "allow"
        assert await stage.until_asked(named="set_mode") == ("set_mode", "acceptEdits")


# --- plans and forms -------------------------------------------------------------------------------------------------


async def test_a_plan_is_approved_in_a_mode() -> None:
    engine = FakeEngine()
    engine.offer = PlanOffer(
        text="# Round once\n1. do", file="/p.md", modes=("acceptEdits", "default"), before="default"
    )
    async with staged(engine) as stage:
        engine.say(permission(name="ExitPlanMode", input={}))
        about = await stage.wait_for(r"\(1 to \d\): $")
        assert "# Round once" in about
        stage.lines.type("2")
        found = await decision(stage)
        assert (found.behavior, found.mode) == ("allow", "default")


async def test_a_form_takes_words_in_place_of_answers() -> None:
    field = {"key": "a", "question": "Which?", "options": [{"label": "x"}, {"label": "y"}], "allows_other": True}
    form = {"title": "Choose", "fields": [field], "takes_words": True}
    async with staged() as stage:
        stage.engine.say(ev.FormRequested(request_id="f1", tool_use_id="t1", form=form))
        await stage.answer("words", "neither")
        async with asyncio.timeout(5):
            while not stage.engine.forms:
                await asyncio.sleep(0)
        assert stage.engine.forms == [("f1", {"": "neither"})]


async def test_a_form_takes_an_answer_of_ones_own() -> None:
    field = {"key": "a", "question": "Which?", "options": [{"label": "x"}, {"label": "y"}], "allows_other": True}
    async with staged() as stage:
        stage.engine.say(
            ev.FormRequested(request_id="f1", tool_use_id="t1", form={"title": "Choose", "fields": [field]})
        )
        await stage.answer("answer", "something else", "again", "1", "send")
        async with asyncio.timeout(5):
            while not stage.engine.forms:
                await asyncio.sleep(0)
        assert stage.engine.forms == [("f1", {"a": "x"})]


async def test_the_bell_rings_where_the_settings_want_it() -> None:
    engine = FakeEngine()
    engine.settings = SimpleNamespace(values=SettingsValues.model_validate({"preferredNotifChannel": "terminal_bell"}))
    async with staged(engine) as stage:
        engine.say(permission())
        assert "(bell)" in await stage.wait_for(r"\(1 to \d\): $")
    async with staged() as stage:
        stage.engine.say(permission())
        assert "(bell)" not in await stage.wait_for(r"\(1 to \d\): $")
