"""Commands in the background."""

from __future__ import annotations

from tool_case import Case

OUTPUT = (
    "\x1b[32mready\x1b[0m in 412 ms\n  \x1b[1mLocal\x1b[0m  http://localhost:5173/\nGET / \x1b[32m200\x1b[0m 3 ms\n"
)
COMMAND = "npm run dev -- --port 5173"
JOB = "bash_1f2e3d4c"

CASES = {
    "TaskOutput": Case(
        {"task_id": JOB, "timeout": 5000},
        f"Job {JOB} runs since 12 s.\n{OUTPUT}",
        {"task_id": JOB, "command": COMMAND, "status": "running", "exitCode": None, "output": OUTPUT},
        f"<tool_use_error>There is no background job 'bash_9'. Jobs of this session: {JOB}.</tool_use_error>",
        "validation",
        {"code": "unknown_job"},
        progress={"message": f"waits for {JOB}, 1 s"},
    ),
    "TaskStop": Case(
        {"task_id": JOB},
        f"Stopped job {JOB} after 95 s. What it printed is in /home/dev/.local/state/tui-agent/results/{JOB}.txt.",
        {"task_id": JOB, "task_type": "bash", "command": COMMAND, "stopped": True},
        f"<tool_use_error>There is no background job 'bash_9'. Jobs of this session: {JOB}.</tool_use_error>",
        "validation",
        {"code": "unknown_job"},
    ),
}
