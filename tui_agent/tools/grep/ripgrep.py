"""Running ripgrep: where it is, how it is called, and what its output says, line by line as it comes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import sysconfig
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tui_agent.tools.shielding import unbroken

__all__ = ["Line", "RipgrepError", "Search", "find_ripgrep", "parse_line"]

_CHUNK: Final = 1 << 18
_MOST_STDERR: Final = 10_000
_NO_ENVIRONMENT: Final = ("RIPGREP_CONFIG_PATH",)


class RipgrepError(Exception):
    """The search could not be made; the text is ripgrep's own."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output in content mode. `is_match` is False for context; `text` may be cut by ripgrep."""

    path: str
    number: int
    text: str
    is_match: bool


@lru_cache(maxsize=1)
def find_ripgrep() -> str | None:
    """Return the path of ripgrep: the one installed with this program, or else the first on PATH; None without either."""
    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]  # noqa: PTH120
    for folder in folders:
        if found := shutil.which("rg", path=folder):
            return found
    return shutil.which("rg")


def parse_line(raw: bytes) -> Line | None:
    """Read one line of `--null --line-number` output; None for what separates groups and for remarks of ripgrep's own."""
    path, found, rest = raw.partition(b"\0")
    if not found:
        return None
    length = 0
    while length < len(rest) and rest[length : length + 1].isdigit():
        length += 1
    kind = rest[length : length + 1]
    if not length or kind not in (b":", b"-"):
        return None
    text = rest[length + 1 :].decode("utf-8", "replace").removesuffix("\r")
    return Line(os.fsdecode(path), int(rest[:length]), text, is_match=kind == b":")


class Search:
    """One run of ripgrep. Iterate `pieces` once; the process is gone when that ends, however it ends."""

    def __init__(self, arguments: Sequence[str], folder: str, separator: bytes, timeout_s: float) -> None:
        self._arguments: Final = arguments
        self._folder: Final = folder
        self._separator: Final = separator
        self._timeout_s: Final = timeout_s
        self.is_timed_out = False
        self.problems = ""  # what ripgrep said on stderr, files that it could not read for example

    async def pieces(self) -> AsyncGenerator[list[bytes], None]:
        """Yield the output split at the separator, as it comes; an empty list now and then while nothing does.

        Raises:
            RipgrepError: ripgrep is missing, or refuses the search.
        """
        program = find_ripgrep()
        if program is None:
            raise RipgrepError(
                "ripgrep (rg) was not found; it is installed with this program, or by the system's packages"
            )
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._timeout_s
        try:
            process = await unbroken(self._start(program), undo=_end)
        except (OSError, ValueError) as error:
            raise RipgrepError(f"ripgrep could not be started: {error}") from error
        assert process.stdout is not None
        assert process.stderr is not None
        complaints = asyncio.ensure_future(_read_bounded(process.stderr))
        has_output = False
        try:
            rest = b""
            while True:
                left = deadline - loop.time()
                if left <= 0:
                    self.is_timed_out = True
                    return
                try:
                    # not `wait_for`: before Python 3.12 it loses a cancellation that comes together with the data
                    async with asyncio.timeout(min(left, 0.5)):
                        chunk = await process.stdout.read(_CHUNK)
                except TimeoutError:
                    yield []
                    continue
                if not chunk:
                    break
                has_output = True
                *pieces, rest = (rest + chunk).split(self._separator)
                yield pieces
            if rest:
                yield [rest]
            code = await process.wait()
            self.problems = (await complaints).decode("utf-8", "replace").strip()
            if code not in (0, 1) and not has_output:
                raise RipgrepError(self.problems or f"ripgrep failed with exit code {code}")
        finally:
            complaints.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await complaints
            await _end(process)

    async def _start(self, program: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            program,
            *self._arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self._folder,
            env={name: value for name, value in os.environ.items() if name not in _NO_ENVIRONMENT},
        )


async def _read_bounded(stream: asyncio.StreamReader) -> bytes:
    kept = b""
    while chunk := await stream.read(_CHUNK):
        kept += chunk[: _MOST_STDERR - len(kept)]
    return kept


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the search, if it still runs, and collect it. Its output is read to the end: until then it is not collected."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    for stream in (process.stdout, process.stderr):
        while stream is not None and await stream.read(_CHUNK):
            pass
    await process.wait()
