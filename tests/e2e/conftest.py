"""Where each black-box test runs: a home, a state folder and a workspace of its own, and a scripted model on loopback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from person import Launch, Serve
from preloaded import fork_in_terminal
from terminal import Terminal
from world import World

from tui_agent.model.demo.scenario import Scenario
from tui_agent.model.demo.thread import ServerThread, start_in_thread


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.make(tmp_path)


@pytest.fixture
def serve(world: World) -> Iterator[Serve]:
    """Start a server for a scenario at full speed and point the world's environment at it."""
    running: list[ServerThread] = []

    def start(scenario: Scenario, **options: Any) -> ServerThread:
        variables = {"cwd": str(world.folder), **options.pop("variables", {})}
        server = start_in_thread(scenario, variables=variables, **{"pace": 0.0, **options})
        world.env["ANTHROPIC_BASE_URL"] = server.base_url
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def launch(world: World, request: pytest.FixtureRequest) -> Iterator[Launch]:
    """Start the program in a terminal; it is ended with the test."""
    opened: list[Terminal] = []
    is_fresh = request.node.get_closest_marker("fresh_start") is not None

    def start(*arguments: str, **options: Any) -> Terminal:
        if is_fresh:
            command = [sys.executable, "-m", "tui_agent", *arguments]
            terminal = Terminal(command, env=world.env, cwd=world.folder, **options)
        else:
            terminal = Terminal(arguments, env=world.env, cwd=world.folder, start=fork_in_terminal, **options)
        opened.append(terminal)
        return terminal

    yield start
    for terminal in opened:
        terminal.close()


@pytest.fixture(autouse=True)
def _no_leftovers() -> Iterator[None]:
    """Whatever a test starts in the workspace must be gone after it; a zombie of ours would hide that."""
    yield
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
