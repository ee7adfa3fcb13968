"""The app, and an engine in which many agents stream at once: text, input of tools, output of commands. See `many_agents`.

The engine is the tests' own, with a real bus that masks. `AGENTS` in the environment says how many there are.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from fake_engine import FakeEngine  # noqa: E402 - found only now

from tui_agent import events as ev  # noqa: E402
from tui_agent.boundary import Engine  # noqa: E402
from tui_agent.bus import Bus  # noqa: E402
from tui_agent.engine.session.event_redaction import EventRedactor  # noqa: E402
from tui_agent.model.demo.markdown import sample_markdown  # noqa: E402
from tui_agent.secrets.masker import Masker  # noqa: E402
from tui_agent.ui.app import TuiAgentApp  # noqa: E402
from tui_agent.ui.engine import StartupPrompter  # noqa: E402

STEP_S = 0.04  # from one piece of an agent to the next: what a reply is told in
PIECE = 60  # characters
TEXT = sample_markdown(20_000)


class ManyAgents(FakeEngine):
    """Each message starts a turn in which the agents work until the process ends."""

    def __init__(self) -> None:
        super().__init__()
        self.bus = Bus("fake", redact=EventRedactor(Masker()))
        self._working: list[asyncio.Task[None]] = []

    def submit(self, message: object) -> str:
        """Have them begin."""
        self.bus.publish(ev.UserMessageSent(message_id="m1", text=str(getattr(message, "text", message))))
        self.bus.publish(ev.TurnStarted(turn_id="t1"))
        self._working = [asyncio.create_task(self._work(number)) for number in range(int(os.environ["AGENTS"]))]
        return "m1"

    async def _work(self, number: int) -> None:
        use, agent = f"u{number}", f"a{number}"
        given = {"description": f"task {number}", "prompt": "work", "subagent_type": "general-purpose"}
        for event in (
            ev.ToolUseStarted(tool_use_id=use, name="Agent", turn_id="t1"),
            ev.ToolUseCompleted(tool_use_id=use, name="Agent", input=given),
            *moves(use, "new", "queued", "executing"),
            ev.AgentStarted(
                agent_id=agent, parent_agent_id="", tool_use_id=use, name="Worker", description=f"task {number}"
            ),
        ):
            self.bus.publish(event)
        await asyncio.sleep(STEP_S * number / 20)
        for event in agent_events(number):
            self.bus.publish(replace(event, agent_id=agent))
            if isinstance(event, ev.TextDelta | ev.ToolProgressed | ev.ToolInputDelta):
                await asyncio.sleep(STEP_S)


def agent_events(number: int) -> Iterator[ev.Event]:
    """Yield what an agent does: it writes some paragraphs, then runs a command that prints, and so on."""
    yield ev.TurnStarted(turn_id="t")
    for round in itertools.count():
        block, use = f"b{round}", f"x{round}"
        start = (number * 997 + round * 1500) % len(TEXT)
        for at in range(0, 1500, PIECE):
            yield ev.TextDelta(block_id=block, text=(TEXT + TEXT)[start + at : start + at + PIECE])
        yield ev.TextFinished(block_id=block)
        command = {"command": f"make part-{round}"}
        yield ev.ToolUseStarted(tool_use_id=use, name="Bash", turn_id="t")
        yield ev.ToolInputDelta(tool_use_id=use, partial_json='{"command": ')
        yield ev.ToolUseCompleted(tool_use_id=use, name="Bash", input=command)
        yield from moves(use, "new", "queued", "executing")
        for line in range(25):
            yield ev.ToolProgressed(tool_use_id=use, data={"output": f"part {round}: step {line} of 25\n"})
        yield ev.ToolResultReady(tool_use_id=use, name="Bash", is_error=False, content="made")
        yield from moves(use, "executing", "completed", "yielded")


def moves(use: str, *states: str) -> Iterator[ev.Event]:
    """Yield the steps of a tool use through these states."""
    for before, after in itertools.pairwise(states):
        yield ev.ToolStateChanged(tool_use_id=use, from_state=before, to_state=after)  # type: ignore[arg-type]


async def connect(_prompter: StartupPrompter) -> Engine:
    """Return such an engine."""
    return ManyAgents()


if __name__ == "__main__":
    TuiAgentApp(connect).run()
