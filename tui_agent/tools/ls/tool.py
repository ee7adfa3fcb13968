"""LS: list what is in a folder, level by level as far as it fits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolError, ToolInput, Validity
from tui_agent.tools.files import shown
from tui_agent.tools.ls.ignored import IgnoreRules
from tui_agent.tools.ls.sizes import size_text
from tui_agent.tools.ls.tree import Folder, Listing, TreeEntry, grow, take, why_unreadable
from tui_agent.tools.shared_search.ripgrep import COMMON, RipgrepError, Search, find_ripgrep, has_files, without_dot
from tui_agent.tools.shared_search.search_root import SearchRoot, check_path, open_search_root

__all__ = ["TOOL", "LSTool"]

LIMIT: Final = 300
_PROGRESS_S: Final = 0.25


class LSInput(ToolInput):
    """A folder to list."""

    path: str | None = Field(None, description="The folder to list; the working folder when left out.")
    ignore: list[str] = Field(
        default_factory=list, description='Globs of what to leave out, for example ["*.svg", "docs/"].'
    )
    depth: int | None = Field(
        None, ge=1, description="How many levels to open; 1 shows the folder alone. All when left out."
    )


class LSTool(Tool[LSInput, None, Listing]):
    """Lists a folder as a tree, without what `.gitignore` names."""

    name = "LS"
    search_hint = "list folder directory tree contents"
    Input = LSInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Lists a folder as a tree, folders first, with the sizes of files and where links lead.\n"
            "- Hidden files are listed; what .gitignore names and `.git` are not, unless all in the folder is ignored.\n"
            f"- Shows {LIMIT} entries: level by level, each folder that does not fit with the number of its files. "
            "`depth: 1` shows one level; `ignore` leaves things out."
        )

    def prompt(self) -> str:
        return "See what is in a folder with LS, not with `ls` or `tree` in Bash."

    def is_enabled(self) -> bool:
        return find_ripgrep() is not None

    def is_concurrency_safe(self, input: LSInput) -> bool:
        return True

    def is_read_only(self, input: LSInput) -> bool:
        return True

    def claims(self, input: LSInput) -> Claims:
        return Claims(reads=frozenset({input.path or "."}))

    async def validate(self, input: LSInput, ctx: ToolContext) -> Validity[None]:
        for glob in input.ignore:
            if not glob.strip() or "\0" in glob or "\n" in glob:
                return Invalid(f"{glob!r} is not a glob.", "bad_glob")
        return check_path(input.path, ctx)

    async def call(self, input: LSInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[Listing]]:
        path = ctx.workspace.absolute(input.path or ".")
        async with (
            open_search_root(path, ctx, is_folder_needed=True) as place,
            aclosing(_listing(input, place, ctx)) as items,
        ):
            async for item in items:
                yield item

    def to_result(self, output: Listing) -> str:
        lines = [f"{shown(output.path).rstrip('/')}/", *(_line(entry) for entry in output.entries)]
        if not output.entries:
            lines.append("  (empty)")
        if output.left_out:
            lines.append(f"… and {output.left_out:,} more (list a folder below, or use `ignore`)")
        if output.is_timed_out:
            lines.append("[It took too long and was stopped; these are the files it had found so far.]")
        if output.is_all_ignored:
            lines.append("[Everything here is ignored by .gitignore; it is listed all the same.]")
        if output.problems:
            lines.append(f"[Not everything could be listed: {'; '.join(output.problems.splitlines()[:3])}]")
        return "\n".join(lines)

    def to_data(self, output: Listing) -> dict[str, Any]:
        return {
            "path": shown(output.path),
            "entries": [_entry_data(entry) for entry in output.entries],
            "truncated": output.left_out > 0 or output.is_timed_out,
            "moreEntries": output.left_out,
            "timedOut": output.is_timed_out,
        }


async def _listing(input: LSInput, place: SearchRoot, ctx: ToolContext) -> AsyncGenerator[Progress | Result[Listing]]:
    if reason := await asyncio.to_thread(why_unreadable, ".", place.handle):
        raise ToolError(f"{place.folder} cannot be listed: {reason}.", kind="validation", data={"code": "unreadable"})
    globs = tuple(glob.removeprefix("!") for glob in input.ignore)
    loop = asyncio.get_running_loop()
    shown_at = loop.time()
    for extra in ((), ("--no-ignore",)):
        root, rest = Folder(), b""
        arguments = [*COMMON, *extra, *(f"--glob=!{glob}" for glob in globs), "--files", place.target]
        search = Search(arguments, place, timeout_s=ctx.limits.search_timeout_s)
        chunks = search.chunks()
        try:
            async for chunk in chunks:
                *paths, rest = (rest + chunk).split(b"\0")
                await asyncio.to_thread(take, root, [without_dot(found) for found in paths])
                if loop.time() - shown_at >= _PROGRESS_S:
                    shown_at = loop.time()
                    yield Progress(message=f"{root.count:,} files so far")
        except RipgrepError as error:
            raise ToolError(f"The folder could not be listed. {error}") from error
        finally:
            await chunks.aclose()  # also when the call is dropped between two pieces: no process is left behind
        if root.count or search.is_timed_out or (globs and await has_files(place, ctx.limits.search_timeout_s)):
            break
    listing = await asyncio.to_thread(
        grow,
        root,
        place.folder,
        place.real,
        limit=LIMIT,
        depth=input.depth,
        ignore=globs,
        is_hidden=lambda other: ctx.denied(other, "read") is not None,
        rules=None if extra else await asyncio.to_thread(IgnoreRules, place.folder),
    )
    listing.is_timed_out, listing.problems = search.is_timed_out, search.problems
    listing.is_all_ignored = bool(extra and root.count)
    yield Result(listing)


def _line(entry: TreeEntry) -> str:
    indent = "  " * (entry.depth + 1)
    match entry.kind:
        case "folder":
            inside = entry.problem or ("" if entry.count is None else _files(entry.count) if entry.count else "empty")
            return f"{indent}{entry.name}/{f'  ({inside})' if inside else ''}"
        case "link":
            return f"{indent}{entry.name} -> {entry.target}"
        case "file":
            return f"{indent}{entry.name}  {size_text(entry.size)}"
        case "other":
            return f"{indent}{entry.name}  ({entry.problem or 'not a regular file'})"


def _entry_data(entry: TreeEntry) -> dict[str, Any]:
    data: dict[str, Any] = {"name": entry.name, "kind": entry.kind, "depth": entry.depth}
    match entry.kind:
        case "file":
            data["size"] = entry.size
        case "link":
            data["target"] = entry.target
        case "folder" | "other" if entry.problem:
            data["problem"] = entry.problem
        case "folder" if entry.count is not None:
            data["files"] = entry.count
        case _:
            pass
    return data


def _files(count: int) -> str:
    return f"{count:,} file" if count == 1 else f"{count:,} files"


TOOL = LSTool
