"""The project of the scenario *fix a bug* has the bug that the script says it has, and each hunk of the repair stands alone."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tui_agent.changes import FileChange
from tui_agent.model.demo.demo import start_demo
from tui_agent.model.demo.projects import prepare_project
from tui_agent.model.demo.scenario import ScenarioError
from tui_agent.model.demo.scenario_file import find_scenario


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare_project("shop", tmp_path_factory.mktemp("projects"))


def failures_of(project: Path) -> int:
    command = [sys.executable, "-B", "-m", "unittest"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, check=False)
    assert "Ran 15 tests" in done.stderr, done.stderr
    failed = re.search(r"FAILED \(failures=(\d+)\)$", done.stderr)
    return int(failed[1]) if failed else 0


def test_every_selection_of_the_repairs_hunks_gives_a_file_that_runs(project: Path) -> None:
    scenario = find_scenario("fix")
    path = project / "shop" / "refund.py"
    before = path.read_text()
    assert before.count(scenario.variables["old"]) == 1
    change = FileChange.between(str(path), before, before.replace(scenario.variables["old"], scenario.variables["new"]))
    assert len(change.hunks) == 3
    failures = {}
    for taken in itertools.chain.from_iterable(itertools.combinations(range(3), count) for count in range(4)):
        path.write_text(change.select(taken))
        failures[taken] = failures_of(project)
    path.write_text(before)
    assert failures[()] == 3
    assert failures[0, 1, 2] == 0
    assert all(0 < count <= 3 for taken, count in failures.items() if len(taken) < 3)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_copy_is_a_clean_repository(project: Path) -> None:
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=project, capture_output=True, text=True, check=True).stdout

    assert git("status", "--porcelain", "--branch") == "## main\n"
    assert git("log", "--format=%an") == "tui-agent demo\n"


def test_without_git_the_copy_is_plain_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    copy = prepare_project("shop", tmp_path)
    assert (copy / "shop" / "refund.py").is_file()
    assert not (copy / ".git").exists()


@pytest.mark.parametrize("name", ["nope", "../../scenarios", ""])
def test_a_project_that_is_not_there_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no sample project"):
        prepare_project(name, tmp_path)


def test_a_demo_has_a_project_and_a_server_and_leaves_nothing_behind() -> None:
    demo = start_demo("fix", pace=0)
    assert (demo.folder / "README.md").is_file()
    assert demo.server.base_url.startswith("http://127.0.0.1:")
    assert "fix" in demo.prompt
    demo.close()
    assert not demo.folder.parent.exists()


def test_a_demo_of_an_unknown_scenario_says_what_there_is() -> None:
    with pytest.raises(ScenarioError, match="there are: agents, explore, fix"):
        start_demo("nope")
