"""`sed -i 's/…/…/' FILE`: recognised in a command, and tried out by sed itself on a file's text, without touching the file.

Only the shape is read here: one substitution, one file, and no flag that writes or runs anything. What the expression means is
for sed to say, in the locale and with the variables that the command would have. It runs with `--sandbox`, in which GNU sed
refuses whatever is not about its input and output. A sed that does not know this option is another sed: nothing is tried then.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_agent.programs import find_program
from tui_agent.tools.bash.strict_parse import strict_words

__all__ = ["Sed", "read_sed"]

# A sed of the machine's own, not one that a project's folder puts into the way.
_PLACES: Final = frozenset({"/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"})
_DELIMITERS: Final = frozenset("/|#,:@%~!;=_")
_FLAGS: Final = re.compile(r"[gpiImM0-9]*")
# sed grows a line as it replaces, and may need much longer than its input is long: it gets 5 s of the processor and 1 GB.
_LIMITED: Final = 'ulimit -t 5 && ulimit -v 1000000 && exec "$@"'
_MOST_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Sed:
    """One substitution in one file."""

    path: str
    script: str
    is_extended: bool = False

    def apply(self, data: bytes, environment: Mapping[str, str], most: int) -> bytes | None:
        """Return what sed makes of a file's content; None where it fails, takes too long, or makes more than `most` bytes.

        Blocks for as long as sed takes, at most some seconds.
        """
        program = _program(environment)
        if program is None:
            return None
        options = ("-E",) if self.is_extended else ()
        argv = ("/bin/sh", "-c", _LIMITED, "sh", program, "--sandbox", *options, "-e", self.script)
        given = os.memfd_create("tui-agent-sed", os.MFD_CLOEXEC)
        with open(given, "r+b") as file:  # noqa: PTH123
            file.write(data)
            file.seek(0)
            try:
                running = subprocess.Popen(
                    argv,
                    stdin=file,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env=environment,
                    start_new_session=True,
                )
            except (OSError, ValueError):
                return None
        return _output(running, most)


def _output(running: subprocess.Popen[bytes], most: int) -> bytes | None:
    assert running.stdout is not None
    ending = threading.Timer(_MOST_S, running.kill)
    ending.start()
    with running:
        try:
            made = running.stdout.read(most + 1)
            if len(made) > most:
                running.kill()
            code = running.wait()
        finally:
            ending.cancel()
    return made if code == 0 else None


def _program(environment: Mapping[str, str]) -> str | None:
    """Return the sed that the command would run, if it is the machine's own."""
    found = find_program("sed", environment.get("PATH", os.defpath))
    return found if found is not None and str(Path(found).parent) in _PLACES else None


def read_sed(command: str) -> Sed | None:
    """Return the substitution that the command is, or None where it is anything else."""
    if sys.platform != "linux":  # other systems have another sed
        return None
    words = strict_words(command)
    if words is None or len(words) < 4 or words[0] != "sed":
        return None
    is_extended = is_in_place = False
    script: str | None = None
    files: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        match word:
            case "-i" | "--in-place":
                is_in_place = True
            case "-E" | "-r" | "--regexp-extended":
                is_extended = True
            case "-Ei" | "-ri":
                is_extended = is_in_place = True
            case "-e" | "--expression" if script is None and not files:
                script = next(rest, None)
            case _ if word.startswith("-") or not word:
                return None
            case _ if script is None:
                script = word
            case _:
                files.append(word)
    if not is_in_place or script is None or len(files) != 1 or not _is_one_substitution(script):
        return None
    return Sed(files[0], script, is_extended)


def _is_one_substitution(script: str) -> bool:
    script = script.strip(" \t")
    if len(script) < 4 or script[0] != "s" or script[1] not in _DELIMITERS or "\n" in script or "\0" in script:
        return False
    mark = re.escape(script[1])
    found = re.fullmatch(rf"s{mark}(?:\\.|[^\\{mark}])*{mark}(?:\\.|[^\\{mark}])*{mark}(.*)", script)
    return found is not None and _FLAGS.fullmatch(found[1]) is not None
