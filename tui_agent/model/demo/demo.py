"""What `--demo` needs, in one object: a scenario, a fresh project to work in, and the server that plays it."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from tui_agent.model.demo.projects import prepare_project
from tui_agent.model.demo.scenario import Scenario, ScenarioError
from tui_agent.model.demo.scenario_file import find_scenario
from tui_agent.model.demo.thread import ServerThread, start_in_thread

__all__ = ["Demo", "start_demo"]


@dataclass(frozen=True, slots=True)
class Demo:
    """A running demo. The work goes on in `folder`; `server.base_url` is the endpoint, which takes `api_key` and no other."""

    scenario: Scenario
    folder: Path
    server: ServerThread
    api_key: str

    @property
    def prompt(self) -> str:
        """What to say to start the scenario."""
        return self.scenario.prompt

    def close(self) -> None:
        """Stop the server and remove the copy of the project."""
        self.server.stop()
        shutil.rmtree(self.folder.parent, ignore_errors=True)


def start_demo(name: str = "fix", *, pace: float | None = None) -> Demo:
    """Copy the scenario's project and start its server.

    Raises:
        ScenarioError: no such scenario, or one whose project does not exist.
        OSError: no temporary folder, or no port on 127.0.0.1.
    """
    scenario = find_scenario(name)
    try:
        folder = prepare_project(scenario.project or "shop")
    except LookupError as error:
        raise ScenarioError(f"scenario {name!r}: {error}") from error
    # Other users of this machine, and pages in a browser, can reach the port.
    api_key = secrets.token_urlsafe(24)
    server = start_in_thread(scenario, variables={"cwd": str(folder)}, pace=pace, api_key=api_key)
    return Demo(scenario, folder, server, api_key)
