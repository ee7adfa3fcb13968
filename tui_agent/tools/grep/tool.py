"""Grep: search file contents with ripgrep."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar, Final, Literal

from tui_agent.tools.base import Claims, Invalid, Progress, Result, Tool, ToolContext, ToolError, Validity
from tui_agent.tools.grep.collecting import Collector, collector
from tui_agent.tools.grep.findings import Findings, result_text, to_data
from tui_agent.tools.grep.input import HEAD_LIMIT, GrepInput, arguments
from tui_agent.tools.grep.long_lines import show_matches
from tui_agent.tools.shared_search.globs import ignore_text
from tui_agent.tools.shared_search.ripgrep import RipgrepError, Search, find_ripgrep, has_files
from tui_agent.tools.shared_search.search_root import SearchRoot, check_path, open_search_root

__all__ = ["TOOL", "GrepTool"]

_PROGRESS_S: Final = 0.25


class GrepTool(Tool[GrepInput, None, Findings]):
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
            "- Narrow it with `path`, `glob` or `type`; hidden files are searched, what .gitignore names is not, nor are "
            "files that may hold secrets (`.env`, private keys) unless `path` names one.\n"
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

    async def validate(self, input: GrepInput, ctx: ToolContext) -> Validity[None]:
        if any("\n" in glob for glob in input.globs):
            return Invalid("A glob is one line.", "bad_glob")
        if "\0" in input.pattern or "\0" in (input.glob or "") or "\0" in (input.type or ""):
            return Invalid("The search holds a NUL character, which no text file does.", "bad_pattern")
        return check_path(input.path, ctx)

    async def call(self, input: GrepInput, plan: None, ctx: ToolContext) -> AsyncIterator[Progress | Result[Findings]]:
        path = ctx.workspace.absolute(input.path or ".")
        async with open_search_root(path, ctx) as place, aclosing(_search(input, place, ctx)) as items:
            async for item in items:
                yield item

    def to_result(self, output: Findings) -> str:
        return result_text(output)

    def to_data(self, output: Findings) -> dict[str, Any]:
        return to_data(output)


async def _search(input: GrepInput, place: SearchRoot, ctx: ToolContext) -> AsyncGenerator[Progress | Result[Findings]]:
    extra: tuple[str, ...] = ()
    while True:
        found = collector(
            input,
            folder=place.folder,
            base=str(ctx.workspace.cwd),
            is_denied=lambda file: (
                ctx.denied(file, "read") is not None
                or ctx.is_doubtful(file)
                or (not place.is_file and ctx.is_withheld(file))
            ),
            alias=place.alias,
            settled=place.settled,
        )
        search = Search(
            [*extra, *arguments(input, place.target)],
            place,
            timeout_s=ctx.limits.search_timeout_s,
            ignore=ignore_text(input.globs),
        )
        chunks = search.chunks()
        try:
            async for progress in _collected(chunks, found):
                yield progress
        except RipgrepError as error:
            raise ToolError(f"The search failed. {error}") from error
        finally:
            await chunks.aclose()  # also when the call is dropped between two pieces: no process is left behind
        findings = await asyncio.to_thread(found.finish)
        findings.is_timed_out, findings.problems = search.is_timed_out, search.problems
        is_empty = not (findings.total or search.is_timed_out or extra or place.is_file)
        if not is_empty or await has_files(place, ctx.limits.search_timeout_s):
            break
        extra = ("--no-ignore",)  # asked for a folder in which all is ignored, somebody wants to see just that
    findings.is_all_ignored = bool(extra and findings.total)
    if findings.cut:
        await show_matches(findings, input, place, extra, time_s=ctx.limits.search_timeout_s)
    yield Result(findings)


async def _collected(chunks: AsyncIterator[bytes], found: Collector) -> AsyncIterator[Progress]:
    """Put the output together in a thread, and yield word of it a few times a second."""
    loop = asyncio.get_running_loop()
    shown_at = loop.time()
    async for chunk in chunks:
        if chunk:
            await asyncio.to_thread(found.add, chunk)
        if loop.time() - shown_at >= _PROGRESS_S:
            shown_at = loop.time()
            yield Progress(message=found.so_far())


TOOL = GrepTool
