"""What linear mode says of events, and what it does with what is typed."""

from __future__ import annotations

from linear_stage import staged

from tui_agent import events as ev
from tui_agent.linear.tool_words import outcome_words, use_title


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
        stage.lines.type("/clear")
        await stage.until_asked(named="clear")
        await stage.wait_for("^New conversation.$")
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
