"""One command's confinement, ready to be used by whoever starts it: which sandbox, which limits, what to say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui_agent.sandbox.limits import Launch, Sandbox, SandboxLimits

__all__ = ["Confined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confined:
    """How a command is to run. `temp` is where its temporary files go; empty for a folder of its own that goes with it.

    `summary` says what it could not do, for whoever wonders why it failed; `may_leave` whether it may ask to run outside.
    """

    sandbox: Sandbox
    limits: SandboxLimits
    summary: str
    temp: str = ""
    may_leave: bool = True
    variables: Mapping[str, str] = field(default_factory=dict)

    def environment(self, scratch: str) -> dict[str, str]:
        """Return the variables that the command gets besides its own; `scratch` is the folder that goes with it."""
        temp = self.temp or str(Path(scratch, "tmp"))
        return {**self.variables, "TMPDIR": temp, "TMP": temp, "TEMP": temp}

    def launch(self, argv: tuple[str, ...], *, folder: str, scratch: str, environment: Mapping[str, str]) -> Launch:
        """Return what runs `argv` with these variables and those of the sandbox; it may also write in `scratch`.

        Blocks for a moment.

        Raises:
            SandboxStartError: it cannot be held here.
        """
        limits, variables = self._prepared(scratch, environment)
        return self.sandbox.wrap(argv, limits, folder=folder, environment=variables)

    def reusable(
        self, argv: tuple[str, ...], *, folder: str, scratch: str, environment: Mapping[str, str]
    ) -> tuple[Launch, dict[str, str]]:
        """Return what runs `argv` any number of times with the variables it is started with, and which those should be.

        Raises:
            SandboxStartError: it cannot be held here.
        """
        limits, variables = self._prepared(scratch, environment)
        return self.sandbox.wrap(argv, limits, folder=folder, environment=None), variables

    def _prepared(self, scratch: str, environment: Mapping[str, str]) -> tuple[SandboxLimits, dict[str, str]]:
        Path(scratch, "tmp").mkdir(exist_ok=True)
        own = tuple(filter(None, (scratch, self.temp)))
        limits = replace(self.limits, writable=(*self.limits.writable, *own), readable=(*self.limits.readable, *own))
        return limits, {**environment, **self.environment(scratch)}
