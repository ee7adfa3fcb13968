"""Commands of one text in sandboxes of their own, within a shell that is in none.

Where the machine has no sandbox, those that only read still get an environment of their own, in which git is neutral.

For each way of confining there is a launcher: a small script that starts what follows it in the sandbox, from the folder the
shell stands in and with its variables. It is put in front of the words of each command that is to run so; the rest of the text
stays as it is: `git add x && LAUNCHER git status`.

The launchers lie where only the shell itself, which has the user's rights anyway, could change them: a confined command can
write in none of their folders.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tui_agent.sandbox.confined import Confined, Unconfined
from tui_agent.sandbox.limits import Launch, SandboxStartError

__all__ = ["ConfinedCommands"]

_RUN: Final = "run"
# What the sandbox starts: it goes where the shell stood. Were that not there, another folder would be taken for it.
_ENTER: Final = ("/bin/sh", "-c", 'cd -- "$0" && exec "$@"')
# Variables by which the shell, meanwhile, may have led git elsewhere.
_FORGET_GIT: Final = 'for name in "${!GIT_@}"; do unset "$name"; done'


@dataclass(frozen=True, slots=True)
class ConfinedCommands:
    """Which commands of a text run confined: for each where it begins in `source`, the text that was judged.

    The text that is run may lack the beginning of `source`, which says in which folder and with which variables.
    """

    source: str
    commands: tuple[tuple[int, Confined | Unconfined], ...]

    def prepare(
        self, command: str, *, bash: str, folder: str, scratch: str, environment: Mapping[str, str]
    ) -> tuple[str, tuple[Launch, ...]]:
        """Return the text to run, with launchers in it, and what is to be cleaned when it has ended. Blocks for a moment.

        Args:
            command: the text as it would be run without any sandbox.
            bash: the shell, which runs the launchers as well.
            folder: where the shell starts.
            scratch: the folder that goes with the command, whose path bash is to find in no need of a user.
            environment: the shell's own.

        Raises:
            SandboxStartError: it cannot be held here, or it is not the text that was judged.
        """
        launchers: dict[int, str] = {}
        launches: list[Launch] = []
        try:
            out, end = "", len(command)
            for start, confined in sorted(self.commands, key=lambda one: -one[0]):
                at = len(command) - (len(self.source) - start)
                if at < 0 or command[at:] != self.source[start:]:
                    raise SandboxStartError("the command is not the one that was judged")
                if id(confined) not in launchers:
                    own = Path(scratch, f"confined-{len(launchers)}")
                    launchers[id(confined)] = shlex.join((bash, "-p", str(own / _RUN)))
                    launches.append(self._written(confined, own, folder=folder, environment=environment))
                out = f"{launchers[id(confined)]} {command[at:end]}{out}"
                end = at
            return command[:end] + out, tuple(launches)
        except BaseException:
            for launch in launches:
                launch.clean()
            raise

    def _written(
        self, confined: Confined | Unconfined, own: Path, *, folder: str, environment: Mapping[str, str]
    ) -> Launch:
        if isinstance(confined, Unconfined):
            return _write_unheld(confined, own, folder=folder, environment=environment)
        return _write(confined, own, self.source, folder=folder, environment=environment)


def _write_unheld(confined: Unconfined, own: Path, *, folder: str, environment: Mapping[str, str]) -> Launch:
    """Write a launcher that changes the environment alone."""
    own.mkdir(parents=True)
    variables = confined.environment(folder, environment)
    gone = [name for name in environment if name not in variables]
    git = {name: value for name, value in variables.items() if name.startswith("GIT_")}
    lines = [f"unset {name}" for name in gone if name.isidentifier()]
    lines += [_FORGET_GIT, *(f"export {name}={shlex.quote(value)}" for name, value in git.items())]
    lines.append('exec -- "$@"')
    (own / _RUN).write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
    return Launch(())


def _write(confined: Confined, own: Path, source: str, *, folder: str, environment: Mapping[str, str]) -> Launch:
    """Write a launcher and what it reads; return what is left to watch and to clean."""
    scratch = own / "scratch"
    scratch.mkdir(parents=True)
    launch, variables = confined.reusable(_ENTER, source, folder=folder, scratch=str(scratch), environment=environment)
    try:
        opened: list[str] = []
        for number in launch.fds:
            # What is in memory can be read once through a descriptor; each run of the launcher opens the file anew.
            kept = own / f"given-{number}"
            kept.write_bytes(_content(number))
            opened.append(f"{number}<{shlex.quote(str(kept))}")
        gone = [name for name in environment if name not in variables]
        changed = {name: value for name, value in variables.items() if environment.get(name) != value}
        lines = [f"unset {name}" for name in gone if name.isidentifier()]
        lines += [f"export {name}={shlex.quote(value)}" for name, value in changed.items()]
        lines.append(f'exec {shlex.join(launch.argv)} "$PWD" "$@" {" ".join(opened)}')
        (own / _RUN).write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
    except BaseException:
        launch.clean()
        raise
    finally:
        launch.close()
    return replace(launch, argv=(), fds=())


def _content(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0)
