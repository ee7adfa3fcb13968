"""Glob: find files by their names, the newest first."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import os
import stat
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.settings.variables import is_on
from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolError, ToolInput, Validity
from tui_agent.tools.files import shown
from tui_agent.tools.resolved_path import MovedPath
from tui_agent.tools.shared_search.globs import MAGIC, accepts, ignore_text
from tui_agent.tools.shared_search.ripgrep import COMMON, RipgrepError, Search, find_ripgrep, without_dot
from tui_agent.tools.shared_search.search_root import SearchRoot, check_path, open_search_root

__all__ = ["TOOL", "GlobTool"]

LIMIT: Final = 100
_PROGRESS_S: Final = 0.25
_MOST_CHARS: Final = 4096


class GlobInput(ToolInput):
    """A search for files by name."""

    pattern: str = Field(description='The glob that names must match, for example "**/*.py" or "src/**/*.{ts,tsx}".')
    path: str | None = Field(None, description="Folder to search in; the working folder when left out.")


@dataclass(slots=True)
class GlobOutput:
    """The newest files, and how many more there are. `filenames` are relative to the working folder where they lie in it."""

    filenames: list[str] = field(default_factory=list)
    left_out: int = 0
    is_timed_out: bool = False
    duration_ms: float = 0.0
    problems: str = ""
    hint: str = ""


class GlobTool(Tool[GlobInput, None, GlobOutput]):
    """Finds files below a folder by a glob, as ripgrep lists them, ignored ones too."""

    name = "Glob"
    aliases = ("list_files",)
    search_hint = "find files by name pattern path wildcard"
    Input = GlobInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Finds files by name, the last changed first.\n"
            "- `*.py` matches in every folder, `./*.py` only in the one that is searched; a pattern with a slash starts "
            "there (`src/**/*.ts`). `**`, `{a,b}`, `[a-z]` and `?` work; folders are no files and do not match.\n"
            "- Hidden files and those that .gitignore names are found too, only the inside of `.git` is not.\n"
            f"- Shows the first {LIMIT} and how many more there are."
        )

    def prompt(self) -> str:
        return "Find files by name with Glob, not with `find` or `ls` in Bash."

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        if "pattern" not in raw:
            raw["pattern"] = "./*"
        return raw

    def is_enabled(self) -> bool:
        return find_ripgrep() is not None

    def is_concurrency_safe(self, input: GlobInput) -> bool:
        return True

    def is_read_only(self, input: GlobInput) -> bool:
        return True

    def claims(self, input: GlobInput) -> Claims:
        return Claims(reads=frozenset({_place(input)[0] or "."}))

    async def validate(self, input: GlobInput, ctx: ToolContext) -> Validity[None]:
        if not input.pattern.strip() or "\0" in input.pattern or "\n" in input.pattern:
            return Invalid(f"{input.pattern!r} is not a glob.", "bad_pattern")
        if len(input.pattern) > _MOST_CHARS:
            return Invalid(f"The glob has more than {_MOST_CHARS:,} characters.", "bad_pattern")
        folder, glob = _place(input)
        if ".." in glob.split("/"):
            return Invalid(
                "`..` can stand only before the first wildcard of a glob. Name the folder in `path`.", "bad_pattern"
            )
        checked = check_path(input.path, ctx)
        return checked if isinstance(checked, Invalid) else check_path(folder or ".", ctx)

    async def call(
        self, input: GlobInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[GlobOutput]]:
        began = time.monotonic()
        named, glob = _place(input)
        async with open_search_root(ctx.workspace.absolute(input.path or "."), ctx, is_folder_needed=True):
            folder = ctx.workspace.absolute(named or ".")
        if not await asyncio.to_thread(_is_folder, folder, ctx):
            yield Result(GlobOutput(hint=f"There is no folder {folder}."))
            return
        async with (
            open_search_root(folder, ctx, is_folder_needed=True) as place,
            aclosing(_found(glob, place, ctx)) as items,
        ):
            async for item in items:
                if isinstance(item, Result):
                    item.output.duration_ms = (time.monotonic() - began) * 1000
                yield item

    def to_result(self, output: GlobOutput) -> str:
        lines = output.filenames or ["No files found"]
        if output.left_out:
            lines = [*lines, f"… and {output.left_out:,} more (a narrower pattern or path shows others)"]
        if output.hint:
            lines = [*lines, output.hint]
        if output.is_timed_out:
            lines = [*lines, "[The search took too long and was stopped; these are the files it had found so far.]"]
        if output.problems:
            problems = output.problems.splitlines()
            more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
            lines = [*lines, f"[Not everything could be searched: {'; '.join(problems[:3])}{more}]"]
        return "\n".join(lines)

    def to_data(self, output: GlobOutput) -> dict[str, Any]:
        return {
            "filenames": output.filenames,
            "numFiles": len(output.filenames),
            "truncated": output.left_out > 0 or output.is_timed_out,
            "moreEntries": output.left_out,
            "timedOut": output.is_timed_out,
            "durationMs": round(output.duration_ms),
        }


async def _found(glob: str, place: SearchRoot, ctx: ToolContext) -> AsyncGenerator[Progress | Result[GlobOutput]]:
    is_ignored_found = is_on(ctx.environment, "CLAUDE_CODE_GLOB_NO_IGNORE")
    options = [
        *(["--no-ignore"] if is_ignored_found else []),
        *([] if is_on(ctx.environment, "CLAUDE_CODE_GLOB_HIDDEN") else ["--glob=!.*"]),
    ]
    arguments = [*COMMON, *options, "--files", place.target]
    search = Search(arguments, place, timeout_s=ctx.limits.glob_timeout_s, ignore=ignore_text([glob]))
    # only a .gitignore can let through what the glob does not name
    files = _Files(place, () if is_ignored_found else (glob,))
    chunks = search.chunks()
    loop = asyncio.get_running_loop()
    shown_at = loop.time()
    try:
        async for chunk in chunks:
            if chunk:
                await asyncio.to_thread(files.add, chunk)
            if loop.time() - shown_at >= _PROGRESS_S:
                shown_at = loop.time()
                yield Progress(message=files.so_far())
    except RipgrepError as error:
        raise ToolError(f"The search failed. {error}") from error
    finally:
        await chunks.aclose()  # also when the call is dropped between two pieces: no process is left behind

    def is_hidden(path: str) -> bool:
        return ctx.denied(path, "read") is not None

    output = await asyncio.to_thread(files.newest, str(ctx.workspace.cwd), is_hidden)
    output.is_timed_out, output.problems = search.is_timed_out, search.problems
    if not output.filenames:
        output.hint = await asyncio.to_thread(_hint, place, glob)
    yield Result(output)


def _is_folder(path: str, ctx: ToolContext) -> bool:
    try:
        return stat.S_ISDIR(ctx.paths[path].status().st_mode)
    except MovedPath:
        return True  # opening it says what is wrong
    except (OSError, ValueError):
        return False


class _Files:
    """Takes in ripgrep's list of files, with the time of each one's last change; `globs` are checked once more."""

    def __init__(self, place: SearchRoot, globs: Sequence[str]) -> None:
        self._handle: Final = place.handle
        self._settled: Final = place.settled
        self._folder: Final = place.folder.rstrip("/") + "/"
        self._globs: Final = globs
        self._found: list[tuple[int, bytes]] = []
        self._rest = b""

    def add(self, data: bytes) -> None:
        """Take in a piece of output, cut anywhere."""
        *paths, self._rest = (self._rest + data).split(b"\0")
        for path in map(without_dot, paths):
            if self._globs and not accepts(self._globs, os.fsdecode(path)):
                continue
            changed = 0
            with contextlib.suppress(OSError, ValueError):  # gone meanwhile
                changed = os.stat(path, dir_fd=self._handle, follow_symlinks=False).st_mtime_ns
            self._found.append((-changed, path))

    def _is_there(self, name: str) -> bool:
        return self._settled is None or self._settled.is_there(name)

    def so_far(self) -> str:
        """Say in a few words what was found up to now."""
        if not self._found:
            return "nothing found so far"
        count = len(self._found)
        files = f"{count:,} {'file' if count == 1 else 'files'}"
        return f"{files} so far · {shown(os.fsdecode(self._found[-1][1]))}"

    def newest(self, base: str, is_hidden: Callable[[str], bool]) -> GlobOutput:
        """Return the newest files that may be read. `base` is what shown paths are relative to.

        Whether a file may be read is asked until enough are found; behind those, files are counted unasked.
        """
        output = GlobOutput()
        hidden = 0
        heapq.heapify(self._found)
        count = len(self._found)
        while self._found and len(output.filenames) < LIMIT:
            path = self._folder + os.fsdecode(heapq.heappop(self._found)[1])
            if is_hidden(path) or not self._is_there(path.removeprefix(self._folder)):
                hidden += 1
            else:
                output.filenames.append(shown(path.removeprefix(base.rstrip("/") + "/")))
        output.left_out = count - hidden - len(output.filenames)
        return output


def _place(input: GlobInput) -> tuple[str, str]:
    """Return the folder the search begins in, as far as path and pattern name it, and the glob from there on.

    What stands before the first wildcard is a path like any other: `..` in it goes up, a slash in front starts at the root.
    """
    parts = input.pattern.split("/")
    fixed = next((at for at, part in enumerate(parts) if MAGIC.search(part)), len(parts))
    fixed = min(fixed, len(parts) - 1)
    glob = "/".join(parts[fixed:]) or "**"
    if not fixed:
        return input.path or "", f"\\{glob}" if glob.startswith("!") else glob
    folder = "/".join(parts[:fixed]) or "/"
    if input.path and not folder.startswith(("/", "~")):
        folder = f"{input.path.rstrip('/') or '/'}/{folder}"
    return folder, f"/{glob}"


def _hint(place: SearchRoot, glob: str) -> str:
    """Return what may have been meant by a glob that names a folder; empty where it does not."""
    name = glob.strip("/")
    if name and not MAGIC.search(name):
        with contextlib.suppress(OSError, ValueError):
            if stat.S_ISDIR(os.stat(name, dir_fd=place.handle, follow_symlinks=False).st_mode):
                return f"{name} is a folder; `{name}/**` finds the files in it."
    return ""


TOOL = GlobTool
