"""A project apart, and sessions in it that are closed at the end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from session_front import Front, place_apart


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return place_apart(tmp_path, monkeypatch)


@pytest.fixture
async def fronts() -> AsyncIterator[list[Front]]:
    opened: list[Front] = []
    yield opened
    for front in opened:
        await front.session.close()
