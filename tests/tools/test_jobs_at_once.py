"""A job that is stopped before it had a turn still ends what was started for it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tui_agent.tools.jobs import JobEnd, Jobs


@pytest.mark.parametrize("is_closing", [False, True])
async def test_a_job_that_is_stopped_at_once_ends_what_it_runs(tmp_path: Path, is_closing: bool) -> None:
    ended: list[str] = []

    async def work() -> JobEnd:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")
        raise AssertionError

    jobs = Jobs(lambda _event: None)
    job = jobs.start(
        work,
        job_id="job_1",
        kind="bash",
        tool_use_id="toolu_1",
        command="sleep 60",
        description="",
        output_path=tmp_path / "output",
    )
    await (jobs.close() if is_closing else jobs.stop(job.id))
    assert ended == ["work"]
    assert job.end == JobEnd("stopped")
