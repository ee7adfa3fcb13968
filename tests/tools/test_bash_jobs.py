"""Commands in the background: how they begin, what they print, how they end, and that nothing of them stays."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from processes import gone
from tool_bench import Bench, Ran

from tui_agent.events import Event, JobEnded, JobProgressed, JobStarted
from tui_agent.tools.bash.background import may_go_on
from tui_agent.tools.jobs import Job, JobEnd, Jobs
from tui_agent.tools.services import Services


class JobBench(Bench):
    """A bench with background jobs, and the events they publish."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        super().__init__(folder, **limits)
        self.events: list[Event] = []
        self.jobs = Jobs(self.events.append)
        self.services = Services(jobs=self.jobs)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    async def start(self, command: str, **more: Any) -> Job:
        ran = await self.run("Bash", {"command": command, "run_in_background": True, **more})
        assert not ran.is_error, ran.text
        job = self.jobs.get(ran.data["backgroundTaskId"])
        assert job is not None
        return job

    async def look(self, job: Job, **more: Any) -> Ran:
        return await self.run("TaskOutput", {"task_id": job.id, **more})


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[JobBench]:
    runtime = JobBench(tmp_path)
    yield runtime
    await runtime.jobs.close()


async def pid_in(path: Path) -> int:
    while not path.exists() or not path.read_text().strip():
        await asyncio.sleep(0.01)
    return int(path.read_text())


async def test_a_command_in_the_background_returns_at_once_with_its_id_and_its_file(runtime: JobBench) -> None:
    ran = await runtime.run("Bash", {"command": "echo hello; sleep 60", "run_in_background": True})
    job = runtime.jobs.all[0]
    assert not ran.is_error
    assert job.id in ran.text
    assert str(job.output_path) in ran.text
    assert job.output_path.parent == runtime.results_dir
    assert ran.data["backgroundTaskId"] == job.id
    (started,) = runtime.of(JobStarted)
    assert (started.job_id, started.tool_use_id, started.command) == (job.id, "toolu_1", "echo hello; sleep 60")


async def test_all_it_prints_goes_to_the_file_and_its_end_is_told(runtime: JobBench) -> None:
    job = await runtime.start("echo out; echo err >&2; exit 3")
    assert await job.wait(10)
    assert sorted(job.output_path.read_text().split()) == ["err", "out"]
    (ended,) = runtime.of(JobEnded)
    assert (ended.job_id, ended.outcome, ended.exit_code) == (job.id, "failed", 3)
    assert runtime.jobs.take_news() == [job]
    assert runtime.jobs.take_news() == []


async def test_a_link_in_the_place_of_a_jobs_output_is_not_read(runtime: JobBench) -> None:
    job = await runtime.start("echo out")
    assert await job.wait(10)
    (runtime.folder / "other").write_text("SECRET")
    job.output_path.unlink()
    job.output_path.symlink_to(runtime.folder / "other")
    assert "SECRET" not in (await runtime.look(job)).text


async def test_progress_of_a_job_shows_its_last_lines(runtime: JobBench) -> None:
    await runtime.start("seq 50; sleep 60")
    while not any(event.data["total_lines"] == 50 for event in runtime.of(JobProgressed)):
        await asyncio.sleep(0.01)
    assert runtime.of(JobProgressed)[-1].data["tail"] == ["46", "47", "48", "49", "50"]


async def test_what_a_job_prints_is_looked_at_piece_by_piece(runtime: JobBench) -> None:
    job = await runtime.start("echo one; until test -e go; do sleep 0.01; done; echo two; exit 0")
    while not job.output_path.read_bytes():
        await asyncio.sleep(0.01)
    first = await runtime.look(job, block=False)
    assert first.text.endswith("one")
    assert "runs since" in first.text
    assert "(no new output)" in (await runtime.look(job, block=False)).text
    (runtime.folder / "go").touch()
    second = await runtime.look(job, timeout=10_000)
    assert second.text == f"Job {job.id} ended with exit code 0.\ntwo"
    assert second.data["status"] == "done"


async def test_waiting_for_a_job_ends_with_its_time(runtime: JobBench) -> None:
    job = await runtime.start("sleep 60")
    assert "runs since" in (await runtime.look(job, timeout=50)).text


async def test_the_old_names_look_filter_and_stop(runtime: JobBench) -> None:
    job = await runtime.start("echo apple; echo pear; sleep 60")
    while job.output_path.stat().st_size < 11:
        await asyncio.sleep(0.01)
    seen = await runtime.run("BashOutput", {"bash_id": job.id, "filter": "^p"})
    assert seen.text.splitlines()[1:] == ["pear"]
    stopped = await runtime.run("KillShell", {"shell_id": job.id})
    assert f"Stopped job {job.id}" in stopped.text
    assert not job.is_running


async def test_stopping_ends_the_whole_group_and_the_model_is_not_told_again(runtime: JobBench) -> None:
    job = await runtime.start("sleep 60 & echo $! > child; echo $$ > parent; wait")
    pids = [await pid_in(runtime.folder / name) for name in ("child", "parent")]
    ran = await runtime.run("TaskStop", {"task_id": job.id})
    assert ran.data["stopped"] is True
    await gone(*pids)
    assert runtime.of(JobEnded)[0].outcome == "stopped"
    assert runtime.jobs.take_news() == []
    again = await runtime.run("TaskStop", {"task_id": job.id})
    assert (again.is_error, again.data["stopped"]) == (False, False)


async def test_a_job_that_is_stopped_before_its_first_step_is_ended_all_the_same(tmp_path: Path) -> None:
    jobs = Jobs(lambda _event: None)
    steps: list[str] = []

    async def work() -> JobEnd:
        try:
            await asyncio.Event().wait()
        finally:
            steps.append("ended")
        return JobEnd("done")

    job = jobs.start(work, job_id="x_1", kind="x", tool_use_id="t", command="c", output_path=tmp_path / "o")
    await jobs.stop(job.id)
    assert (steps, job.end) == (["ended"], JobEnd("stopped"))


async def test_a_job_that_the_person_stops_is_told_to_the_model(runtime: JobBench) -> None:
    job = await runtime.start("sleep 60")
    await runtime.jobs.stop(job.id)
    assert runtime.jobs.take_news() == [job]


@pytest.mark.parametrize("name", ["TaskOutput", "TaskStop"])
async def test_an_unknown_job_is_refused_with_those_that_there_are(runtime: JobBench, name: str) -> None:
    job = await runtime.start("true")
    ran = await runtime.run(name, {"task_id": "bash_nope"})
    assert (ran.code, job.id in ran.text) == ("unknown_job", True)


async def test_a_filter_that_is_no_expression_is_refused(runtime: JobBench) -> None:
    job = await runtime.start("true")
    assert (await runtime.look(job, filter="(")).code == "bad_filter"


async def test_of_a_long_output_the_end_is_shown(runtime: JobBench) -> None:
    job = await runtime.start("seq 100000")
    ran = await runtime.look(job, timeout=20_000)
    assert ran.text.endswith("\n100000")
    assert len(ran.text) <= runtime.limits.result_chars
    assert f"all of it is in {job.output_path}" in ran.text


async def test_closing_ends_every_job(runtime: JobBench) -> None:
    await runtime.start("trap '' TERM; echo $$ > one; sleep 60; sleep 60")
    await runtime.start("echo $$ > two; sleep 60")
    pids = [await pid_in(runtime.folder / name) for name in ("one", "two")]
    await runtime.jobs.close()
    await gone(*pids)
    assert [event.outcome for event in runtime.of(JobEnded)] == ["stopped", "stopped"]


# --- limits


async def test_a_job_is_stopped_when_its_time_is_up(tmp_path: Path) -> None:
    runtime = JobBench(tmp_path, job_timeout_ms=100)
    job = await runtime.start("echo $$ > pid; sleep 60")
    assert await job.wait(10)
    assert job.end == JobEnd("timeout")
    await gone(await pid_in(tmp_path / "pid"))


async def test_a_job_may_ask_for_more_time_but_not_for_more_than_there_is(tmp_path: Path) -> None:
    runtime = JobBench(tmp_path, job_timeout_ms=1, job_timeout_max_ms=100)
    job = await runtime.start("sleep 60", timeout=999_999)
    assert await job.wait(10)
    assert job.end == JobEnd("timeout")


async def test_output_beyond_the_limit_kills(tmp_path: Path) -> None:
    runtime = JobBench(tmp_path, output_file_bytes=200_000)
    ran = await runtime.run("Bash", {"command": "echo $$ > pid; yes"})
    assert (ran.is_error, ran.kind) == (True, "execution")
    assert ran.text.startswith("Command killed: it printed more than 200,000 bytes")
    await gone(await pid_in(tmp_path / "pid"))
    job = await runtime.start("yes")
    assert await job.wait(10)
    assert job.end == JobEnd("too_much_output")


# --- from the foreground to the background


async def test_a_command_that_takes_too_long_goes_on_in_the_background(runtime: JobBench) -> None:
    command = "echo so far; until test -e go; do sleep 0.01; done; echo done"
    ran = await runtime.run("Bash", {"command": command, "timeout": 200})
    job = runtime.jobs.all[0]
    assert not ran.is_error
    assert ran.text.startswith("Command timed out after 0.2s\nso far\n")
    assert f"goes on in the background as job {job.id}" in ran.text
    assert str(job.output_path) in ran.text
    assert (ran.data["backgroundTaskId"], ran.data["interrupted"]) == (job.id, False)
    (runtime.folder / "go").touch()
    assert await job.wait(10)
    assert job.output_path.read_text() == "so far\ndone\n"


@pytest.mark.parametrize("command", ["sleep 60", "echo a; git status; sleep 60", "case x in x) sleep 60;; esac"])
async def test_what_must_not_go_on_is_killed_when_its_time_is_up(runtime: JobBench, command: str) -> None:
    assert not may_go_on(command)
    ran = await runtime.run("Bash", {"command": f"{command}", "timeout": 100})
    assert (ran.is_error, ran.kind, runtime.jobs.all) == (True, "timeout", ())


async def test_nothing_goes_on_where_nobody_would_look_after_it(tmp_path: Path) -> None:
    runtime = JobBench(tmp_path)
    runtime.jobs = Jobs(runtime.events.append, takes_late_commands=False)
    runtime.services = Services(jobs=runtime.jobs)
    ran = await runtime.run("Bash", {"command": "echo a; sleep 60", "timeout": 1500})
    assert (ran.text, ran.kind) == ("Command timed out after 1.5s\na", "timeout")


async def test_the_person_may_send_a_running_command_to_the_background(runtime: JobBench) -> None:
    task = asyncio.create_task(runtime.run("Bash", {"command": "echo $$ > pid; echo a; sleep 60"}))
    await pid_in(runtime.folder / "pid")
    runtime.jobs.want("toolu_1")
    ran = await task
    assert re.match(r"The user moved this command to the background after \d+s\na\n", ran.text)
    assert runtime.jobs.all[0].is_running


async def test_without_jobs_nothing_runs_in_the_background(tmp_path: Path) -> None:
    ran = await Bench(tmp_path).run("Bash", {"command": "true", "run_in_background": True})
    assert ran.code == "no_background"


async def test_a_file_that_cannot_be_written_keeps_the_job_from_beginning(runtime: JobBench) -> None:
    runtime.results_dir = runtime.write("a file, no folder", "")
    ran = await runtime.run("Bash", {"command": "echo $$ > pid", "run_in_background": True})
    assert ran.is_error
    assert "its output cannot be kept" in ran.text
    assert runtime.jobs.all == ()


async def test_work_that_breaks_is_a_job_that_failed(tmp_path: Path) -> None:
    events: list[Event] = []
    jobs = Jobs(events.append)

    async def work() -> JobEnd:
        raise RuntimeError("no")

    job = jobs.start(work, job_id="x_1", kind="x", tool_use_id="t", command="c", output_path=tmp_path / "o")
    assert await job.wait(5)
    assert job.end == JobEnd("failed")
    await jobs.close()
    with pytest.raises(RuntimeError, match="session has ended"):
        jobs.start(work, job_id="x_2", kind="x", tool_use_id="t", command="c", output_path=tmp_path / "o")
