"""Starts a command in a sandbox, says so, and waits to be killed; see `test_bash_confined`."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from tui_agent.sandbox.bubblewrap import find_bubblewrap
from tui_agent.sandbox.confined import Confined
from tui_agent.sandbox.landlock import find_landlock
from tui_agent.sandbox.limits import SandboxLimits
from tui_agent.tools.bash.process import Shell


async def main() -> None:
    """Run what the argument says."""
    order = json.loads(sys.argv[1])
    sandbox = find_bubblewrap() if order["name"] == "bubblewrap" else find_landlock()
    assert sandbox
    folder = order["folder"]
    limits = SandboxLimits(writable=(folder,), unwritable=(f"{folder}/.claude", f"{folder}/sub/a b "))
    confined = Confined(sandbox=sandbox, limits=limits, summary="")
    shell = await Shell.start(
        order["command"],
        folder=order["folder"],
        environment=dict(os.environ),
        on_output=lambda _fd, _data: None,
        confined=confined,
    )
    print("runs", flush=True)
    await shell.wait(60)


asyncio.run(main())
