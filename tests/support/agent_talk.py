"""A session whose model starts agents: the scripted model answers each agent by what its first message says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from scripted_model import Script, ScriptedModel, calls, reply
from session_driver import open_session
from session_front import Front

from tui_agent.engine.session.config import SessionOptions
from tui_agent.events import Event, ToolResultReady
from tui_agent.model.protocol import ModelError, ModelRequest, StreamItem

__all__ = ["AgentModel", "AgentTalk", "agent", "agent_talk", "asked"]


def asked(request: ModelRequest) -> str:
    """Return what the conversation of a request began with, without what the program added."""
    texts = [block["text"] for block in request.messages[0]["content"] if block["type"] == "text"]
    return str(texts[-1])


class AgentModel(ScriptedModel):
    """The main conversation follows `scripts`; an agent those of the key that its task begins with."""

    def __init__(self, *scripts: Script, **agents: list[Script]) -> None:
        super().__init__(*scripts)
        self.agents = agents
        self.of: dict[str, list[ModelRequest]] = {}

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        key = asked(request).partition(" ")[0]
        if key not in self.agents:
            async for item in super().stream(request):
                yield item
            return
        self.of.setdefault(key, []).append(request)
        for item in self.agents[key].pop(0):
            if isinstance(item, ModelError):
                raise item
            if callable(item):
                waiting = item()
                if waiting is not None:
                    await waiting  # type: ignore[misc]
                continue
            yield item
            await asyncio.sleep(0)


def agent(*tasks: str, **input: Any) -> Script:
    """A reply that starts an agent for each task."""
    uses = [
        calls(
            number,
            "Agent",
            {"description": f"do {task.split()[0]}", "prompt": task, **input},
            f"toolu_{task.split()[0]}",
        )
        for number, task in enumerate(tasks)
    ]
    return reply(*uses, stop="tool_use")


class AgentTalk(Front):
    """A front end that says something and waits for the end of it."""

    model: AgentModel

    async def say(self, text: str) -> None:
        self.session.submit(text)
        await self.session.wait_idle()

    def result(self, tool_use_id: str) -> ToolResultReady:
        found = [event for event in self.of(ToolResultReady) if event.tool_use_id == tool_use_id]
        assert len(found) == 1, f"{tool_use_id} has {len(found)} results"
        result: ToolResultReady = found[0]
        return result

    def by(self, agent_id: str, kind: type[Event] = Event) -> list[Any]:
        """The events of one agent."""
        return [event for event in self.of(kind) if event.agent_id == agent_id]

    async def when(self, holds: Callable[[], bool]) -> None:
        """Wait for events until something holds."""

        async def wait() -> None:
            while not holds():
                await self.subscription.wait()
                self.of(Event)

        await asyncio.wait_for(wait(), 20)


async def agent_talk(place: Path, model: AgentModel, **options: Any) -> AgentTalk:
    given = {"is_trusted": True, "is_attended": False, **options}
    return AgentTalk(await open_session(SessionOptions(cwd=place, **given), model), model)
