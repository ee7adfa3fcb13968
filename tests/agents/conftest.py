"""A project apart, and sessions in it whose model starts agents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from agent_talk import AgentModel, AgentTalk, agent_talk
from session_front import place_apart


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


@pytest.fixture
async def talk(place: Path) -> AsyncIterator[Callable[..., Awaitable[AgentTalk]]]:
    opened: list[AgentTalk] = []

    async def begin(model: AgentModel, **options: Any) -> AgentTalk:
        opened.append(one := await agent_talk(place, model, **options))
        return one

    yield begin
    for one in opened:
        await one.session.close()
