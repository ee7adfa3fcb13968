"""Grep: search file contents with ripgrep."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from typing import Any, ClassVar, Literal

from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolError, Validity
from tui_agent.tools.files import similar_paths
from tui_agent.tools.grep.findings import Findings, collector, result_text, to_data
from tui_agent.tools.grep.input import HEAD_LIMIT, GrepInput, arguments
from tui_agent.tools.grep.ripgrep import RipgrepError, Search, find_ripgrep

__all__ = ["TOOL", "GrepTool"]


class GrepTool(Tool[GrepInput, Findings]):
    """Searches files below a folder, as ripgrep does, and shows a bounded part of what it finds."""

    name = "Grep"
    aliases = ("grep_search",)
    search_hint = "search find text pattern regex in files"
    Input = GrepInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Searches the contents of files with ripgrep.\n"
            "- `pattern` is a regular expression (Rust syntax: no look-around or back-references; write `\\{` for a brace); "
            "with `literal` it is plain text.\n"
            "- `output_mode`: `files_with_matches` lists paths (default), `content` shows lines, `count` counts them.\n"
            "- Narrow it with `path`, `glob` or `type`; hidden files are searched, what .gitignore names is not.\n"
            f"- Shows the first {HEAD_LIMIT} lines or files and how many more there are; `offset` reads on."
        )

    def prompt(self) -> str:
        return (
            "Search file contents with Grep, not with `grep` or `rg` in Bash. Start with `files_with_matches`, or `content` "
            "with a few lines of `-C` where you need to see the code. Independent searches can go out in one reply."
        )

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        if "include" in raw and "glob" not in raw:
            raw["glob"] = raw.pop("include")
        return raw

    def is_enabled(self) -> bool:
        return find_ripgrep() is not None

    def is_concurrency_safe(self, input: GrepInput) -> bool:
        return True

    def is_read_only(self, input: GrepInput) -> bool:
        return True

    def claims(self, input: GrepInput) -> Claims:
        return Claims(reads=frozenset({input.path or "."}))

    async def validate(self, input: GrepInput, ctx: ToolContext) -> Validity:
        if "\0" in input.pattern or "\0" in (input.glob or "") or "\0" in (input.type or ""):
            return Invalid("The search holds a NUL character, which no text file does.", "bad_pattern")
        if input.path is not None and (not input.path.strip() or "\0" in input.path):
            return Invalid(f"{input.path!r} is not a path.", "bad_path")
        path = ctx.workspace.absolute(input.path or ".")
        if reason := ctx.denied(path, "read"):
            return Invalid(f"Reading {path} is denied: {reason}", "denied_path")
        return None

    async def call(self, input: GrepInput, ctx: ToolContext) -> AsyncIterator[Progress | Result[Findings]]:
        path = ctx.workspace.absolute(input.path or ".")
        folder = await asyncio.to_thread(_search_folder, path, ctx)
        found = collector(
            input, base=str(ctx.workspace.cwd), is_denied=lambda file: ctx.denied(file, "read") is not None
        )
        search = Search(arguments(input, path), folder, found.separator, ctx.limits.search_timeout_s)
        loop = asyncio.get_running_loop()
        shown_at = loop.time()
        pieces = search.pieces()
        try:
            async for batch in pieces:
                found.add(batch)
                if loop.time() - shown_at >= 1:
                    shown_at = loop.time()
                    yield Progress(message=found.so_far())
        except RipgrepError as error:
            raise ToolError(f"The search failed. {error}") from error
        finally:
            await pieces.aclose()  # also when the call is dropped between two batches: no process is left behind
        yield Result(found.finish(is_timed_out=search.is_timed_out, problems=search.problems))

    def to_result(self, output: Findings) -> str:
        return result_text(output)

    def to_data(self, output: Findings) -> dict[str, Any]:
        return to_data(output)


def _search_folder(path: str, ctx: ToolContext) -> str:
    """Return the folder that globs are relative to; refuse what cannot be searched, or would hang the search."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError) as error:
        near = similar_paths(path, str(ctx.workspace.root), lambda other: ctx.denied(other, "read") is not None)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        reason = getattr(error, "strerror", None) or str(error)
        raise ToolError(
            f"{path} cannot be searched: {reason}.{hint}", kind="validation", data={"code": "missing"}
        ) from error
    if stat.S_ISDIR(mode):
        return path
    if not stat.S_ISREG(mode):
        raise ToolError(
            f"{path} cannot be searched: it is neither a file nor a folder.",
            kind="validation",
            data={"code": "not_regular"},
        )
    return os.path.dirname(path)  # noqa: PTH120


TOOL = GrepTool
