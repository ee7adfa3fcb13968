"""Runs one tool the way the engine does, without the engine: shape, checks, proposal, call."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.execution.errors import ToolFailure
from tui_agent.execution.resolution import find_tool, resolve_use
from tui_agent.sandbox.confined import Confined
from tui_agent.tools.base import Invalid, Limits, Progress, Result, Tool, ToolContext, ToolError, Valid
from tui_agent.tools.file_state import FileRecord, FileState
from tui_agent.tools.files import load
from tui_agent.tools.registry import ToolPool
from tui_agent.tools.resolved_path import resolve
from tui_agent.tools.services import Services
from tui_agent.tools.workspace import Workspace

POOL = ToolPool.build()


@dataclass
class Ran:
    """What came of one run. `code` names the check that refused; `text` is what text there is in `content`."""

    text: str
    content: str | list[dict[str, Any]] = ""
    is_error: bool = False
    kind: str | None = None
    code: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    progress: list[Progress] = field(default_factory=list)
    proposals: tuple[FileChange, ...] = ()

    @property
    def proposal(self) -> FileChange | None:
        return self.proposals[0] if self.proposals else None


async def plan_of(tool: Tool[Any, Any, Any], input: Any, ctx: ToolContext) -> Any:
    """Return the plan that an input is good for."""
    verdict = await tool.validate(input, ctx)
    assert isinstance(verdict, Valid)
    return verdict.plan


class Bench:
    """A workspace in a folder, and what one session knows of its files."""

    def __init__(self, folder: Path, *, denied: dict[str, str] | None = None, **limits: Any) -> None:
        self.folder = folder
        self.workspace = Workspace(folder, home=folder / "home")
        self.files = FileState()
        self.services = Services()
        self.tool_use_id = "toolu_1"
        self.limits = Limits(**limits)
        self.results_dir: Path | None = folder / "results"
        self.environment: dict[str, str] = {}
        self.confined: Confined | None = None
        self._denied = denied or {}

    def context(self, *approved: ApprovedChange) -> ToolContext:
        return ToolContext(
            workspace=self.workspace,
            files=self.files,
            tool_use_id=self.tool_use_id,
            approved=approved,
            environment=self.environment,
            results_dir=self.results_dir,
            limits=self.limits,
            services=self.services,
            confined=self.confined,
            denied=lambda path, _operation: self._denied.get(os.path.relpath(path, self.folder)),
        )

    def write(self, name: str, content: str | bytes, *, is_read: bool = True) -> Path:
        """Make a file, and let it count as read whole."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if is_read:
            self.know(path)
        return path

    def know(self, path: Path, *, is_partial: bool = False) -> None:
        file = load(resolve(str(path)))
        self.files.record(FileRecord(str(path), file.hash, file.mtime_ns, file.size, is_partial))

    async def run(
        self, name: str, raw: dict[str, Any], *, accepted: set[int] | None = None, edited: str | None = None
    ) -> Ran:
        use = resolve_use(find_tool(POOL, name), raw)
        tool = use.found()
        try:
            input = use.parsed()
        except ToolFailure as failure:
            return Ran(failure.text, is_error=True, kind=failure.kind)
        verdict = await tool.validate(input, self.context())
        if isinstance(verdict, Invalid):
            return Ran(verdict.message, is_error=True, kind="validation", code=verdict.code)
        ran = Ran("")
        try:
            ran.proposals = await tool.propose(input, verdict.plan, self.context())
            approved = [change.approve(accepted, edited) for change in ran.proposals]
            results: list[Result[Any]] = []
            async for item in tool.call(input, verdict.plan, self.context(*approved)):
                if isinstance(item, Progress):
                    ran.progress.append(item)
                else:
                    results.append(item)
        except ToolError as error:
            return Ran(error.message, is_error=True, kind=error.kind, code=error.data.get("code"))
        (result,) = results
        ran.content = content = tool.to_result(result.output)
        if isinstance(content, list):
            content = "\n".join(block["text"] for block in content if block["type"] == "text")
        ran.text, ran.data = content, tool.to_data(result.output)
        ran.is_error, ran.kind = result.is_error, result.error_kind
        return ran
