"""What a command in the sandbox made under a protected name gets another one, and that is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from policed import Place
from sandboxes import sandbox_or_skip
from tool_bench import Bench

LATE = "(echo x > sub/.envrc; sleep 60) & sleep 60"


@pytest.mark.parametrize("command", ["echo x > sub/.envrc", "echo x > sub/.envrc; exit 3", LATE])
async def test_the_model_is_told_what_became_of_it(tmp_path: Path, command: str) -> None:
    place = Place(tmp_path, sandbox_or_skip("bubblewrap"))
    runtime = Bench(place.work)
    runtime.confined = place.sandbox_policy().confine("workspace", None)
    ran = await runtime.run("Bash", {"command": command, "timeout": 1000})
    if command != LATE:
        assert "sub/.envrc.made-in-sandbox" in ran.text
    assert not (place.work / "sub/.envrc").exists()
    assert (place.work / "sub/.envrc.made-in-sandbox").exists()
