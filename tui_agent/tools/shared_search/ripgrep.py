"""Running ripgrep: where it is, how it is started, and its output as it comes. What the three search tools share.

A glob that narrows a search is handed over as an ignore file, not as `--glob`: there it would win over `.gitignore`, and
`**/*` would search everything that is ignored. Paths are given and come back relative to the folder that is searched.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import resource
import shutil
import sys
import sysconfig
from collections.abc import AsyncGenerator, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from tui_agent.ignore_files import IgnoreFiles
from tui_agent.programs import find_program
from tui_agent.tools.cancel_shield import unbroken
from tui_agent.tools.shared_search.search_root import SearchRoot

__all__ = ["COMMON", "RipgrepError", "Search", "find_ripgrep", "has_files", "without_dot"]

# Hidden files are searched and `.git` is not; `.gitignore` counts outside repositories too.
COMMON: Final = ("--no-config", "--color=never", "--hidden", "--no-require-git", "--null", "--glob=!.git")

_CHUNK: Final = 1 << 18
_SILENT_S: Final = 0.4  # then it is looked whether ripgrep waits for a pipe
_RELEASE_S: Final = 0.05
_MOST_STDERR: Final = 10_000
_HAS_HANDLES: Final = os.path.isdir("/proc/self/fd")  # noqa: PTH112 - else a folder has no name but its path
# ripgrep reads lists of what to ignore whole, and a repository may have put a device without end in place of one. Files that
# are searched are mapped, and do not count.
_MOST_MEMORY: Final = 512 << 20
_NO_ENVIRONMENT: Final = ("RIPGREP_CONFIG_PATH",)
# A file that cannot be read is no reason to fail: the rest was searched.
_ABOUT_A_FILE: Final = re.compile(r"\S.*: .*\(os error \d+\)\Z")
_NAMED: Final = re.compile(r"\./(.+?): [^:]*\(os error \d+\)\Z")
# It quotes the line that is no glob. Whose list that is only its path tells, and a path may hold line ends and all of this.
_ABOUT_A_LINE: Final = "error parsing glob '"
_OF_A_LIST: Final = re.compile(r"\./(.+?): (line \d+): error parsing glob '")
_GLOB_TOLD: Final = re.compile(r"(?<=parsing glob ')!?")


class RipgrepError(Exception):
    """The search could not be made; the text is ripgrep's own."""


@lru_cache(maxsize=1)
def find_ripgrep() -> str | None:
    """Return the path of ripgrep: the one installed with this program, or else the first on PATH; None without either."""
    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]  # noqa: PTH120
    for folder in folders:
        if found := shutil.which("rg", path=folder):
            return found
    return find_program("rg")


def without_dot(path: bytes) -> bytes:
    """Return a path as ripgrep prints it without the `./` in front."""
    return path[2:] if path.startswith(b"./") else path


class Search:
    """One run of ripgrep on a place that is held open.

    Iterate `chunks` once; the process is gone when that ends, however it ends.

    `ignore` is the text of an ignore file that holds besides those in the folder, in their syntax.
    """

    def __init__(self, arguments: Sequence[str], place: SearchRoot, *, timeout_s: float, ignore: str = "") -> None:
        self._arguments: Final = tuple(arguments)
        self._place: Final = place
        self._timeout_s: Final = timeout_s
        self._ignore: Final = os.fsencode(ignore)
        self._lists: Final = IgnoreFiles(place.folder_real, are_read="--no-ignore" not in arguments)
        self._list_path = ""  # what ripgrep knows the ignore file by
        self.is_timed_out = False
        self.problems = ""  # what ripgrep said on stderr: files that it could not read, for example

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the output as it comes, cut anywhere; an empty piece now and then while nothing comes.

        Raises:
            RipgrepError: ripgrep is missing, or refuses the search.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._timeout_s
        try:
            process = await unbroken(self._start(), undo=_end)
        except (OSError, ValueError) as error:
            raise RipgrepError(f"ripgrep could not be started: {error}") from error
        assert process.stdout is not None
        assert process.stderr is not None
        complaints = asyncio.ensure_future(_read_bounded(process.stderr))
        has_output = False
        try:
            while True:
                left = deadline - loop.time()
                if left <= 0:
                    self.is_timed_out = True
                    return
                try:
                    # not `wait_for`: before Python 3.12 it loses a cancellation that comes together with the data
                    async with asyncio.timeout(min(left, _RELEASE_S if self._lists.has_pipes else _SILENT_S)):
                        chunk = await process.stdout.read(_CHUNK)
                except TimeoutError:
                    if reason := await asyncio.to_thread(self._lists.release):
                        raise RipgrepError(reason) from None
                    yield b""
                    continue
                if not chunk:
                    break
                has_output = True
                yield chunk
            code = await process.wait()
            if code not in (0, 1, 2) and (reason := await asyncio.to_thread(self._lists.why_failed)):
                raise RipgrepError(f"{reason}; reading it takes more memory than a search may")
            self._judge(code, (await complaints).decode("utf-8", "replace"), has_output=has_output)
            self.problems = "\n".join(filter(None, (*self._lists.told, self.problems)))
        finally:
            complaints.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await complaints
            await _end(process)

    def _judge(self, code: int, complaints: str, *, has_output: bool) -> None:
        """Tell a search that failed from one that left something out; that nothing was found (exit code 1) is neither."""
        lines = [line.removeprefix("rg: ") for line in complaints.split("\n") if line.strip()]
        if (own := next(filter(self._is_of_own_list, lines), None)) is not None:
            raise RipgrepError(_as_given(own.partition(": line ")[2].partition(": ")[2]))
        lists = [self._shown(match) for match in map(_OF_A_LIST.match, lines) if match is not None]
        # One that begins so is about an argument, unless it goes on with another: then it is the end of a path.
        lines = [line for line in lines if line.rfind(_ABOUT_A_LINE) <= 0]
        about_files = [line for line in lines if _ABOUT_A_FILE.match(line) and self._is_told(line)]
        self.problems = "\n".join((*filter(None, lists), *about_files))
        if code in (0, 1):
            return
        if not has_output and not (lines and all(map(_ABOUT_A_FILE.match, lines))):
            raise RipgrepError(
                _as_given("\n".join(filter(self._is_told, lines))) or f"ripgrep failed with exit code {code}"
            )
        if code < 0:
            self.problems = f"ripgrep was ended by signal {-code}\n{self.problems}".rstrip()

    def _is_of_own_list(self, line: str) -> bool:
        """Whether a complaint is about a glob that the search was given, and quotes nothing else."""
        pattern = rf"{re.escape(self._list_path)}: line \d+: {_ABOUT_A_LINE}"
        return bool(self._list_path) and re.match(pattern, line) is not None and line.count(_ABOUT_A_LINE) == 1

    def _shown(self, complaint: re.Match[str]) -> str:
        """Tell of a line that is no glob without quoting it: the list may be a link to any file."""
        is_there = self._place.settled is not None and self._place.settled.is_something(complaint[1])
        return f"{complaint[1]}, {complaint[2]}: not a glob" if is_there else ""

    def _is_told(self, line: str) -> bool:
        """Whether a complaint is told: what it names must lie in the folder that is searched, behind no link."""
        named = _NAMED.match(line)
        return named is None or self._place.settled is None or self._place.settled.is_something(named[1])

    async def _start(self) -> asyncio.subprocess.Process:
        program = find_ripgrep()
        if program is None:
            raise RipgrepError(
                "ripgrep (rg) was not found; it is installed with this program, or by the system's packages"
            )
        with _readable(self._ignore) as handles:
            self._list_path = "".join(f"/dev/fd/{handle}" for handle in handles)
            process = await asyncio.create_subprocess_exec(
                program,
                *(f"--ignore-file=/dev/fd/{handle}" for handle in handles),
                *self._arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                **_working_folder(self._place),
                env={name: value for name, value in os.environ.items() if name not in _NO_ENVIRONMENT},
                pass_fds=(*handles, self._place.handle) if self._place.is_file else handles,
                limit=_CHUNK,
                start_new_session=True,  # a list of what to ignore may be a link to the terminal
            )
        _bound_memory(process.pid)
        return process


def _bound_memory(pid: int) -> None:
    """Keep a process from taking more memory than a search needs; not every system can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # it has ended already
            resource.prlimit(pid, resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))


def _as_given(problem: str) -> str:
    """Tell of a glob as it was given: ripgrep gets each one turned round, as what is to be left out or taken back in."""
    return _GLOB_TOLD.sub(lambda sign: "" if sign[0] else "!", problem)


def _working_folder(place: SearchRoot) -> dict[str, Any]:
    """Return how a process is started in a folder that is held open, whatever its path has come to mean."""
    if place.is_file:
        return {"cwd": "/"}
    if _HAS_HANDLES:
        return {"cwd": f"/proc/self/fd/{place.handle}"}
    return {"preexec_fn": partial(os.fchdir, place.handle)}


async def has_files(place: SearchRoot, timeout_s: float) -> bool:
    """Whether a search in this folder meets any file: none is there, or all are ignored, when it does not."""
    chunks = Search([*COMMON, "--files", "./"], place, timeout_s=timeout_s).chunks()
    try:
        async for chunk in chunks:
            if chunk:
                return True
    except RipgrepError:
        return True  # the search itself tells what is wrong
    finally:
        await chunks.aclose()
    return False


@contextlib.contextmanager
def _readable(content: bytes) -> Iterator[tuple[int, ...]]:
    """Yield a descriptor that the content can be read from; none for none."""
    if not content:
        yield ()
        return
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        with open(writer, "wb", buffering=0) as pipe:  # noqa: PTH123
            if pipe.write(content) != len(content):
                raise ValueError("the globs are too long")
        yield (reader,)
    finally:
        os.close(reader)


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
