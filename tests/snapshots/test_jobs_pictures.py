"""Background commands on the whole screen: while they run, when they end, and what else a Bash may show besides its output."""

from __future__ import annotations

import pytest
from pictures import Album, Stage, settle, staged
from recording import SHOP, TESTS, Recording

from tui_agent import events as ev
from tui_agent.changes import FileChange

SERVE = "npm run dev -- --port 5173"
FILE = "/home/dev/.local/state/tui-agent/sessions/1/results/bash_1f2e3d4c.txt"
PRINTED = "reading sources... 12%\nreading sources... 40%"
ALL = "All it prints, from its beginning on, goes to"
UNTIL = "It is stopped after 30 minutes, or by TaskStop. You will be told when it ends."


def recording() -> Recording:
    log = Recording()
    log.begin("Start the server, then run the slow tests.")
    log.reply()
    log.use("u1", "Bash", {"command": SERVE, "run_in_background": True, "description": "Start the server"})
    log.execute("u1")
    log.say(ev.JobStarted(job_id="bash_1f2e3d4c", tool_use_id="u1", command=SERVE, output_path=FILE))
    log.result(
        "u1",
        "Bash",
        f"Started in the background as job bash_1f2e3d4c. {ALL} {FILE}: read that file, or call TaskOutput. {UNTIL}",
        {
            "stdout": "",
            "stderr": "",
            "interrupted": False,
            "backgroundTaskId": "bash_1f2e3d4c",
            "persistedOutputPath": FILE,
        },
    )
    log.use("u2", "Bash", {**TESTS, "timeout": 5000})
    log.execute("u2")
    log.wait(5000)
    log.say(
        ev.JobProgressed(job_id="bash_1f2e3d4c", data={"tail": ["\x1b[32mready\x1b[0m in 412 ms"], "total_lines": 1})
    )
    log.say(ev.JobStarted(job_id="bash_2b", tool_use_id="u2", command=TESTS["command"], output_path=FILE))
    log.result(
        "u2",
        "Bash",
        f"Command timed out after 5s\ntest_discount ... ok\n[It goes on in the background as job bash_2b. {ALL} {FILE}: read "
        f"that file, or call TaskOutput. {UNTIL}]",
        {
            "stdout": "test_discount ... ok\n",
            "stderr": "",
            "interrupted": False,
            "backgroundTaskId": "bash_2b",
            "persistedOutputPath": FILE,
        },
        ms=5000,
    )
    log.use("u3", "Bash", {"command": "make docs"})
    log.execute("u3")
    log.progress("u3", tail=["reading sources... \x1b[35m12%\x1b[0m"], total_lines=1, total_bytes=22, message="2 s")
    log.wait(2000)
    return log


def interrupted() -> Recording:
    log = recording()
    text = "The user stopped this one tool use. It was not finished: it may have run in part, or not at all."
    log.result(
        "u3",
        "Bash",
        f"<tool_use_error>{text}\nWhat it had printed until then:\n{PRINTED}</tool_use_error>",
        {
            "stdout": PRINTED,
            "stderr": "",
            "interrupted": True,
            "reason": "stopped",
        },
        error="aborted",
        ms=2000,
    )
    log.say(ev.JobEnded(job_id="bash_2b", outcome="failed", exit_code=1))
    before, after = "DEBUG = True\nPORT = 80\n", "DEBUG = False\nPORT = 80\n"
    change = FileChange.between(f"{SHOP}/shop/settings.py", before, after, before_hash="0" * 64)
    log.use("u4", "Bash", {"command": "sed -i 's/DEBUG = True/DEBUG = False/' shop/settings.py"})
    log.execute("u4")
    log.propose("u4", change)
    log.apply("u4", change)
    log.result("u4", "Bash", "(no output)", {"stdout": "", "stderr": "", "exitCode": 0, "interrupted": False})
    return log


def asked() -> Recording:
    log = Recording()
    log.begin("Serve the docs.")
    log.reply()
    call = {
        "command": "python3 -m http.server 8000",
        "description": "Serve the built documentation",
        "run_in_background": True,
        "cwd": "docs/build",
        "env": {"PYTHONUNBUFFERED": "1", "PYTHONPATH": "../../tools"},
        "timeout": 600_000,
    }
    log.use("u1", "Bash", call)
    log.end_reply()
    log.execute("u1")
    log.ask("u1", "Bash", call)
    return log


@pytest.mark.parametrize("size", [(120, 40), (72, 34)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_background_commands_look_as_they_did(size: tuple[int, int], album: Album) -> None:
    stage = Stage(Recording().events)
    async with staged(stage, size) as (app, pilot):
        app.screen.action_details()
        for name, log in (("running", recording()), ("ended", interrupted()), ("asked", asked())):
            stage.start_over(log.events)
            await settle(app, pilot)
            album.compare(app, f"{name}-{size[0]}x{size[1]}")
    album.verify()
