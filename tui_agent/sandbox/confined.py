"""One command's confinement, ready to be used by whoever starts it: which sandbox, which limits, what to say of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tui_agent.git_redirects import is_led_out
from tui_agent.neutral_git import neutral_environment
from tui_agent.sandbox.limits import MEMORY_BYTES, Launch, Sandbox, SandboxLimits

__all__ = ["SCRATCH_BYTES", "Confined", "Unconfined"]

SCRATCH_BYTES: Final = (
    256 << 20
)  # what temporary files of a command that only looks may take, in memory where that can be


def _no_places(_command: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Unconfined:
    """How a command runs that only reads, where nothing holds it to that; git runs nothing that a repository names.

    `neutral_in` and `git_attributes`: see `Confined`.
    """

    neutral_in: tuple[str, ...]
    git_attributes: str = ""

    def environment(self, folder: str, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables for a command in `folder`, from those it would have. Blocks for a moment."""
        variables = neutral_environment((folder, *self.neutral_in), environment, attributes=self.git_attributes)
        count = int(variables["GIT_CONFIG_COUNT"])
        # A sandbox would keep git from writing the index, when all that it finds changed of a file is its time.
        variables |= {
            "GIT_CONFIG_COUNT": str(count + 1),
            f"GIT_CONFIG_KEY_{count}": "diff.autoRefreshIndex",
            f"GIT_CONFIG_VALUE_{count}": "false",
        }
        # A sandbox would not show what lies elsewhere; here git must not be led there.
        return {**variables, "GIT_DIR": "/dev/null"} if is_led_out(folder, variables) else variables


@dataclass(frozen=True, slots=True, kw_only=True)
class Confined:
    """How a command is to run. `temp` is where its temporary files go; empty for a folder of its own that goes with it.

    `summary` says what it could not do, for whoever wonders why it failed; `may_leave` whether it may ask to run outside.
    `neutral_in` are folders with repositories, besides that of the command, in which git runs nothing that a repository names;
    None leaves git as it is. `git_attributes` is a file that git then takes for the user's list of attributes; empty for none.
    `places` tells what is visible for a command besides what its limits name, where these name any.
    `watch` is called before the command starts, and returns what `Launch.settle` calls when it has ended.
    """

    sandbox: Sandbox
    limits: SandboxLimits
    summary: str
    temp: str = ""
    may_leave: bool = True
    variables: Mapping[str, str] = field(default_factory=dict)
    neutral_in: tuple[str, ...] | None = None
    git_attributes: str = ""
    places: Callable[[str], tuple[str, ...]] = field(default=_no_places)
    watch: Callable[[], Callable[[], tuple[str, ...]]] | None = None

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
        limits, variables = self._prepared(argv[-1], folder, scratch, environment)
        return self._watched(lambda: self.sandbox.wrap(argv, limits, folder=folder, environment=variables))

    def reusable(
        self, argv: tuple[str, ...], command: str, *, folder: str, scratch: str, environment: Mapping[str, str]
    ) -> tuple[Launch, dict[str, str]]:
        """Return what runs `argv` any number of times with the variables it is started with, and which those should be.

        `command` is the text that what it runs comes from.

        Raises:
            SandboxStartError: it cannot be held here.
        """
        limits, variables = self._prepared(command, folder, scratch, environment)
        return self._watched(lambda: self.sandbox.wrap(argv, limits, folder=folder, environment=None)), variables

    def _watched(self, wrap: Callable[[], Launch]) -> Launch:
        on_end = None if self.watch is None else self.watch()
        launch = wrap()
        launch.on_end = on_end
        return launch

    def _prepared(
        self, command: str, folder: str, scratch: str, environment: Mapping[str, str]
    ) -> tuple[SandboxLimits, dict[str, str]]:
        files = Path(scratch, "tmp")
        files.mkdir(exist_ok=True)
        limits = self.limits
        if limits.is_read_only:
            # the notes alone may be written besides, of which each has the same limit
            notes = tuple(entry.path for entry in os.scandir(scratch) if entry.is_file(follow_symlinks=False))
            limits = replace(
                limits,
                writable=(*limits.writable, *notes),
                scratch=str(files),
                scratch_bytes=SCRATCH_BYTES,
                memory_bytes=MEMORY_BYTES,
            )
            if limits.visible is not None:
                limits = replace(limits, visible=(*limits.visible, scratch, *self.places(command)))
            limits = replace(limits, readable=(*limits.readable, scratch))
        else:
            own = tuple(filter(None, (scratch, self.temp)))
            limits = replace(limits, writable=(*limits.writable, *own), readable=(*limits.readable, *own))
            if limits.visible is not None:
                limits = replace(limits, visible=(*limits.visible, *self.places(command)))
        variables = {**environment, **self.environment(scratch)}
        if self.neutral_in is not None:
            attributes = self.git_attributes if "git" in command else ""
            variables = neutral_environment((folder, *self.neutral_in), variables, attributes=attributes)
            if attributes and limits.visible is not None:
                limits = replace(limits, visible=(*limits.visible, attributes))
        return limits, variables
