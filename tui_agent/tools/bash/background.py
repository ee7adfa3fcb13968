"""Commands that go on in the background: which may, and how they become jobs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tui_agent.tools.base import ToolContext
from tui_agent.tools.bash.report import Moved
from tui_agent.tools.bash.rough_parse import simple_commands
from tui_agent.tools.bash.run import CommandRun
from tui_agent.tools.jobs import Jobs

__all__ = ["KIND", "may_go_on", "to_background"]

KIND: Final = "bash"
_GIT: Final = re.compile(r"\bgit\b")


def may_go_on(command: str) -> bool:
    """Whether a command that has run out of time may go on in the background.

    Not one that only waits, not git, which would hold the repository's locks, and not what is not understood.
    """
    commands = simple_commands(command)
    return bool(commands) and commands[0].program != "sleep" and _GIT.search(command) is None


def to_background(
    run: CommandRun,
    jobs: Jobs,
    ctx: ToolContext,
    path: Path,
    *,
    command: str,
    description: str,
    timeout_s: float,
    job_id: str = "",
) -> Moved:
    """Hand a running command over to the session's jobs, which end it from now on."""
    job = jobs.start(
        run.as_job,
        job_id=job_id or jobs.new_id(KIND),
        kind=KIND,
        tool_use_id=ctx.tool_use_id,
        command=command,
        description=description,
        output_path=path,
        timeout_s=timeout_s,
        progress=run.progress,
    )
    return Moved(job.id, path, timeout_s)
