"""The status line with a sandbox, with one that is on, and with none."""

from __future__ import annotations

import pytest
from pictures import Album, Stage, staged
from recording import Recording

from tui_agent.events import SettingsReloaded


@pytest.mark.parametrize(
    ("name", "sandbox", "size"),
    [("reading", "bubblewrap", (100, 20)), ("on", "landlock, on", (80, 20)), ("none", "none", (60, 20))],
)
async def test_the_line_with_a_sandbox_looks_as_it_did(
    name: str, sandbox: str, size: tuple[int, int], album: Album
) -> None:
    log = Recording()
    log.say(SettingsReloaded(sandbox=sandbox))
    async with staged(Stage(log.events), size) as (app, _):
        album.compare(app, name)
    album.verify()
