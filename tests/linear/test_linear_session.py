"""What linear mode says of events, and what it does with what is typed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from linear_stage import StandInEntrance, staged

from tui_agent import events as ev
from tui_agent.commands import SignIn
from tui_agent.linear import work
from tui_agent.linear.tool_words import outcome_words, use_title
from tui_agent.queries import ModelName


async def test_a_turn_in_lines() -> None:
    async with staged(width=40) as stage:
        stage.lines.type("why?")
        assert await stage.until_asked(named="submit") == ("submit", "why?")
        stage.engine.begin("why?")
        text = "Because one thing leads to another, and that to a third."
        stage.engine.reply(f"{text}\n\n```\na long line of code that is not broken\n```")
        use = stage.engine.call("Bash", {"command": "pytest -q"})
        stage.engine.result(use, "Bash", "...\n15 passed")
        failing = stage.engine.call("Read", {"file_path": "/home/dev/src/shop/x.py"})
        stage.engine.result(failing, "Read", "<tool_use_error>no such file</tool_use_error>", is_error=True)
        stage.engine.end()
        said = (await stage.wait_for("^Done(?s:.)*?^You: $")).splitlines()
        assert "Model: Because one thing leads to" in said
        assert "another, and that to a third." in said
        assert "a long line of code that is not broken" in said
        assert "Tool 1, Bash pytest -q: done, 0.1s, 2" in said
        assert "Tool 2, Read x.py: failed, 0.1s: no such" in said
        assert "Done, 12.3s, 2 tool uses, 1 failed." in said
        stage.lines.type("/show 1")
        assert "15 passed" in await stage.wait_for("^You: $")


async def test_lines_wait_while_a_question_is_read() -> None:
    async with staged() as stage:
        asked = ev.PermissionRequested(
            request_id="q", tool_use_id="t", name="Bash", input={"command": "ls"}, by="mode", reason="it asks"
        )
        stage.engine.say(asked)
        await stage.wait_for(r"\(1 to \d\): $")
        stage.engine.say(ev.Notice(level="warning", text="Look here."))
        stage.lines.type("?")
        assert "Look here" not in await stage.wait_for(r"\(1 to \d\): $")
        stage.lines.type("1")
        await stage.wait_for(r"^Warning: Look here\.$")


async def test_a_message_of_several_lines() -> None:
    async with staged() as stage:
        stage.lines.type("one \\")
        await stage.wait_for(r"^\.\.\. $")
        stage.lines.type("two")
        assert (await stage.until_asked(named="submit"))[1] == "one \ntwo"
        stage.engine.asked.clear()
        for line in ('"""', "three", "", "four", '"""'):
            stage.lines.type(line)
        assert (await stage.until_asked(named="submit"))[1] == "three\n\nfour"


async def test_commands_of_the_shell_and_of_the_program() -> None:
    async with staged() as stage:
        stage.lines.type("!ls -l")
        assert await stage.until_asked(named="run_shell") == ("run_shell", "ls -l")
        stage.lines.type("/mode plan")
        assert await stage.until_asked(named="set_mode") == ("set_mode", "plan")
        stage.lines.type("/theme light")
        await stage.wait_for("^Linear mode has no colours")
        stage.lines.type("/nonsense")
        await stage.wait_for("^No command is named /nonsense")
        stage.lines.type("/tool Nothing")
        await stage.wait_for("^There is no such tool.$")


async def test_commands_that_send_a_message_to_the_model() -> None:
    async with staged() as stage:
        stage.lines.type("/review the parser")
        assert (await stage.until_asked(named="submit"))[1].startswith("Review the parser. ")


async def test_clear_begins_another_session_and_keeps_this_one_under_its_name() -> None:
    first, second = FakeEngine(), FakeEngine()
    entrance = StandInEntrance(second)
    async with staged(first, entrance=entrance) as stage:
        stage.lines.type("/clear")
        await stage.wait_for("^Nothing has been said in this session yet.$")
        first.begin("why?")
        first.reply("Because.")
        first.end()
        await stage.wait_for("^Done(?s:.)*?^You: $")
        entrance.problem = OSError("the disk is full")
        stage.lines.type("/clear")
        await stage.wait_for("^A new session cannot start: the disk is full$")
        assert ("close",) not in first.asked
        entrance.problem = None
        await stage.wait_for("^You: $")
        stage.lines.type("/clear the totals")
        await stage.wait_for(rf"^This is a new session. /resume {first.id} goes back")
        assert ("rename_session", "the totals") in first.asked
        assert first.asked[-1] == ("close",)
        stage.lines.type("hello")
        async with asyncio.timeout(10):
            while ("submit", "hello") not in second.asked:
                await asyncio.sleep(0)
        assert entrance.renewed == [(first.id, None)] * 2


async def test_clear_asks_before_it_stops_background_jobs() -> None:
    engine = FakeEngine()
    entrance = StandInEntrance(FakeEngine())
    async with staged(engine, entrance=entrance) as stage:
        engine.begin("watch")
        use = engine.call("Bash", {"command": "make watch"})
        engine.say(ev.JobStarted(job_id="job_1", tool_use_id=use, command="make watch", output_path="/tmp/out"))
        engine.end()
        await stage.wait_for("^Done(?s:.)*?^You: $")
        stage.lines.type("/clear")
        await stage.wait_for("^A background job runs. Stop what runs")
        stage.lines.type("no")
        await stage.wait_for("^You: $")
        assert entrance.renewed == []


async def test_a_reply_is_copied_or_written_out_where_nothing_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "clipboard_command", lambda: None)
    async with staged() as stage:
        stage.lines.type("/copy")
        await stage.wait_for("^There is no reply to copy yet.$")
        for said in ("The **first**.", "The `second`.\nOf two lines."):
            stage.engine.begin("say it")
            stage.engine.reply(said)
            stage.engine.end()
            await stage.wait_for("^Done(?s:.)*?^You: $")
        stage.lines.type("/copy 2")
        await stage.wait_for(r"^The \*\*first\*\*\.$")
        taken: list[str] = []

        async def take(text: str, command: list[str]) -> bool:
            taken.append(text)
            return True

        monkeypatch.setattr(work, "clipboard_command", lambda: ["pbcopy"])
        monkeypatch.setattr(work, "copy_by_program", take)
        stage.lines.type("/copy")
        await stage.wait_for("^Copied: 2 lines.$")
        assert taken == ["The `second`.\nOf two lines."]
        stage.lines.type("/copy all")
        await stage.wait_for("^/copy expects a number, not all.")


async def test_folders_memory_and_keys_from_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    async def open_file(_console: object, file: Path) -> None:
        opened.append(file.name)

    monkeypatch.setattr(work, "open_file", open_file)
    entrance = StandInEntrance()
    async with staged(entrance=entrance) as stage:
        stage.lines.type("/add-dir")
        await stage.wait_for("^/add-dir expects a folder")
        stage.lines.type("/add-dir ../library")
        await stage.wait_for(r"^\.\./library is a working folder now")
        stage.lines.type("/memory")
        await stage.wait_for(r"^CLAUDE\.md goes to the model at the start of the next session\.$")
        assert opened == ["CLAUDE.md"]
        stage.lines.type("/logout")
        await stage.wait_for("^The key was removed.$")
        stage.lines.type("/login")
        await stage.wait_for("^You: $")
        assert not [asked for asked in stage.engine.asked if asked[0] == "sign_in"]
        entrance.signs_in = SignIn("sk-new")
        stage.lines.type("/login")
        await stage.wait_for("^The next message goes there.$")
        assert ("sign_in", "sk-new", "") in stage.engine.asked


async def test_models_are_those_that_are_known_and_those_that_the_endpoint_has() -> None:
    engine = FakeEngine()
    engine.listed = (ModelName("local-coder", "Local Coder"),)
    async with staged(engine) as stage:
        stage.lines.type("/model")
        await stage.wait_for("^1. local-coder: Local Coder$")
        await stage.wait_for(r"^Model \(1 to 2\): $")
        stage.lines.type("1")
        assert await stage.until_asked(named="set_model") == ("set_model", "local-coder")


async def test_hints_for_commands_of_habit() -> None:
    async with staged() as stage:
        stage.lines.type("/rewind")
        await stage.wait_for("^There is no /rewind here. /undo takes")
        stage.lines.type("/effort high")
        await stage.wait_for("^There is no /effort here. /thinking turns")
        stage.lines.type("/rename")
        await stage.wait_for("^/rename NAME names")


async def test_ctrl_c() -> None:
    async with staged() as stage:
        stage.engine.begin()
        await stage.wait_for("")
        stage.session.interrupt()
        assert await stage.until_asked(named="interrupt")
        stage.engine.end("interrupted")
        await stage.wait_for(r"^Interrupted, 12\.3s\.$")
        await stage.wait_for("^You: $")


async def test_background_jobs_and_notices() -> None:
    async with staged() as stage:
        stage.engine.say(
            ev.JobStarted(job_id="b1", tool_use_id="t", command="make watch", output_path="/o"),
            ev.RetryScheduled(request_id="r", attempt=1, max_attempts=10, delay_s=3.0, reason="Overloaded."),
            ev.TasksChanged(tasks=({"id": "1", "subject": "Round", "status": "in_progress"},)),
        )
        await stage.wait_for("^Background job b1: running, make watch$")
        await stage.wait_for("^Overloaded. Trying again in 3 s, attempt 2 of 10.$")
        await stage.wait_for("^  in progress: Round$")
        stage.lines.type("/stop")
        assert await stage.until_asked(named="stop_job") == ("stop_job", "b1")
        stage.engine.say(ev.JobEnded(job_id="b1", outcome="stopped"))
        await stage.wait_for("^Background job b1: stopped, make watch$")


async def test_help_lists_what_can_be_done_here() -> None:
    async with staged() as stage:
        stage.lines.type("/help")
        said = await stage.wait_for("^/todo: ")
        assert "/resume [id]: " in said
        assert "/theme" not in said
        assert "/show [number]: " in said


def test_how_tool_uses_end() -> None:
    def words(content: str, kind: str | None = None, name: str = "Bash") -> str:
        return outcome_words(
            ev.ToolResultReady(tool_use_id="t", name=name, is_error=kind is not None, content=content, error_kind=kind)
        )

    assert words("") == "done"
    assert words("one\n") == "done: one"
    assert words("<tool_use_error>gone</tool_use_error>", "validation") == "failed: gone"
    assert words("Exit code 1\na\nFAILED", "execution") == "failed: Exit code 1; 2 lines, the last: FAILED"
    assert words("The user refused this tool use; it did not run.", "denied") == "refused"
    assert words("Denied by a rule.", "denied") == "refused: Denied by a rule."
    assert words("The user interrupted.", "aborted") == "stopped"
    assert use_title("Grep", {"path": "/w/shop", "pattern": "total"}, "/w") == "Grep total in shop"
    assert use_title("Read", {"file_path": "/w/a\x1b[2J.py"}, "/w") == "Read a⟨ESC⟩[2J.py"


async def test_a_running_tool_is_stopped_or_moved_by_its_number() -> None:
    async with staged() as stage:
        stage.engine.begin()
        use = stage.engine.call("Bash", {"command": "sleep 60"})
        stage.engine.say(ev.ToolStageStarted(tool_use_id=use, stage="call"))
        await stage.wait_for("^Tool 1, Bash sleep 60: running$")
        stage.lines.type("/background 2")
        await stage.wait_for("^Give the number of a command that runs.$")
        stage.lines.type("/background")
        assert await stage.until_asked(named="move_to_background") == ("move_to_background", use)
        stage.lines.type("/stop 1")
        assert await stage.until_asked(named="stop_tool") == ("stop_tool", use)
