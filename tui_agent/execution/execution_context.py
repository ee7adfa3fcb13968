"""What the tool uses of a conversation share, the door they must pass, and the shape in which they end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from tui_agent.changes import FileChange
from tui_agent.events import Event
from tui_agent.execution.available_tools import AvailableTools
from tui_agent.execution.extensions import Extensions
from tui_agent.execution.resolution import ResolvedUse
from tui_agent.execution.responders import ResponderAnswer, Responders
from tui_agent.permissions.verdict import Confinement, ToolCall, Verdict
from tui_agent.sandbox.confined import Confined, Unconfined
from tui_agent.sandbox.launchers import ConfinedCommands
from tui_agent.tools.base import ErrorKind, Limits
from tui_agent.tools.file_state import FileState
from tui_agent.tools.forms import Answers, Form
from tui_agent.tools.resolved_path import ResolvedPaths
from tui_agent.tools.services import Services
from tui_agent.tools.workspace import Workspace

__all__ = ["Content", "ExecutionContext", "Gate", "PermissionQuestion", "Publish", "ToolOutcome"]

Content = str | list[dict[str, Any]]
Publish = Callable[[Event], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionQuestion:
    """What the user is asked: the call as it would run, and why it asks.

    `proposals` are the changes it would make, one for each file. `call` is it as permissions see it. `judge` tells what
    another input would be answered with, without asking anybody; for a dialog in which it is edited. `paths` says where the
    paths of the call led when it was judged.
    """

    tool_use_id: str
    name: str
    input: dict[str, Any]
    verdict: Verdict
    proposals: tuple[FileChange, ...]
    is_destructive: bool
    judge: Callable[[dict[str, Any]], Verdict]
    call: ToolCall | None = None
    paths: ResolvedPaths = field(default_factory=ResolvedPaths)


class Gate(Protocol):
    """Who lets a tool use through: rules and mode at once, a user when those leave it open."""

    def decide(self, call: ToolCall, proposals: tuple[FileChange, ...]) -> Verdict:
        """Judge a call by rules and mode, at once and without asking anybody."""
        ...

    async def ask(self, question: PermissionQuestion, rivals: Responders) -> ResponderAnswer:
        """Put a question to the user, let `rivals` race for it, and return the first answer; later ones are ignored.

        Questions that come meanwhile queue. Publishes `PermissionRequested` and `PermissionResolved`, the latter also when the
        waiting task is cancelled. Where there is no user and no rival answers, that is a denial by nobody.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """The one result of a tool use. `content` is what the model gets; `data` is the structured output, or facts of the error.

    `ends_turn` says that nothing more is to be done until the user speaks: they refused without a word, or a hook wants it
    so. `kept_in` is the file that holds the whole of a result of which `content` is only a part. `use` is what was asked for
    in the end, after all changes of its input; None where an outcome was made up without it.
    """

    tool_use_id: str
    name: str
    content: Content
    is_error: bool = False
    error_kind: ErrorKind | None = None
    data: dict[str, Any] | None = None
    ends_turn: bool = False
    kept_in: str | None = None
    use: ResolvedUse | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", _sendable(self.content))

    def to_block(self) -> dict[str, Any]:
        """Return the `tool_result` block of the Messages API."""
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": self.tool_use_id, "content": self.content}
        return {**block, "is_error": True} if self.is_error else block


def _sendable(content: Content) -> Content:
    r"""Return what a request can carry: names of files may hold bytes that are no text, and these are written as `\udcff`."""
    if not isinstance(content, str):
        return [{**block, "text": _sendable(block["text"])} if "text" in block else block for block in content]
    try:
        content.encode()
    except UnicodeEncodeError:
        return content.encode("utf-8", "backslashreplace").decode()
    return content


def _unconfined(
    _confinement: Confinement | None, _readable: tuple[str, ...] | None, _is_searching: bool
) -> Confined | ConfinedCommands | Unconfined | None:
    return None


def _nothing_denied(_path: str, _operation: Literal["read", "edit"]) -> str | None:
    return None


@dataclass(frozen=True, kw_only=True)
class ExecutionContext:
    """What all tool uses of one conversation share. `publish` takes events; it must neither block nor raise.

    `results_dir` is where results too large for the model are kept whole (None: they are cut without being kept);
    `state_dir` is the program's own folder, where changes under way are noted. `denied` is handed to tools as
    `ToolContext.denied`, and so are `is_doubtful` and the session's `services`. `is_interactive` says whether there is a user
    to ask; `ask_user` puts the form of a tool use to them. `kept_names`: see `ToolContext`. `confine` says how a command runs
    that was let through on these terms; it may block for a moment, and raise `ToolError` where the command must not run.
    """

    pool: AvailableTools
    workspace: Workspace
    files: FileState
    gate: Gate
    publish: Publish
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    results_dir: Path | None = None
    state_dir: Path | None = None
    denied: Callable[[str, Literal["read", "edit"]], str | None] = _nothing_denied
    is_doubtful: Callable[[str], bool] = lambda _path: False
    is_withheld: Callable[[str], bool] = lambda _path: False
    is_interactive: bool = False
    services: Services = field(default_factory=Services)
    ask_user: Callable[[str, Form], Awaitable[Answers | None]] | None = None
    kept_names: frozenset[str] = frozenset()
    confine: Callable[
        [Confinement | None, tuple[str, ...] | None, bool], Confined | ConfinedCommands | Unconfined | None
    ] = _unconfined
    extensions: Extensions = field(default_factory=Extensions)
