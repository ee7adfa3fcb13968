"""Variables that hooks leave for later shell commands: lines `export NAME=value` in a file they are given."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tui_agent.hooks.process import ProcessStartError, run_process
from tui_agent.regular_files import read_regular

__all__ = ["EnvFile"]

_LIMIT_S: Final = 5.0
_MOST_BYTES: Final = 1_000_000
_SCRIPT: Final = '. "$1" >/dev/null 2>&1; exec env -0'
_OWN: Final = frozenset({"_", "PWD", "OLDPWD", "SHLVL", "BASH_ENV", "ENV", "CLAUDE_ENV_FILE", "TUI_AGENT_ENV_FILE"})


class EnvFile:
    """One such file, in a folder of its own. Made before the hooks run, read after them, and removed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    async def make(cls) -> EnvFile:
        """Make an empty one.

        Raises:
            OSError: it cannot be made.
        """
        return await asyncio.to_thread(cls._make)

    @classmethod
    def _make(cls) -> EnvFile:
        path = Path(tempfile.mkdtemp(prefix="tui-agent-env-"), "env.sh")
        path.touch(mode=0o600)
        return cls(path)

    async def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return what the file sets or changes; nothing where it is empty, no longer a file, or cannot be run to its end.

        A shell reads it, as its lines may use other variables: `export PATH="$PATH:/opt/x"`.
        """
        try:
            content = await asyncio.to_thread(read_regular, self.path, _MOST_BYTES)
        except OSError:
            return {}
        if not content.strip():
            return {}
        try:
            finished = await run_process(
                ["sh", "-c", f"set -a; {_SCRIPT}", "sh", str(self.path)],
                stdin=b"",
                folder="/",
                environment=environment,
                timeout_s=_LIMIT_S,
            )
        except ProcessStartError:
            return {}
        if finished.exit_code != 0:
            return {}
        found: dict[str, str] = {}
        for entry in finished.stdout.decode("utf-8", "surrogateescape").split("\0"):
            name, sign, value = entry.partition("=")
            if sign and name.isidentifier() and name not in _OWN and environment.get(name) != value:
                found[name] = value
        return found

    def remove(self) -> None:
        """Remove it, whatever hooks have put in its place or beside it."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
