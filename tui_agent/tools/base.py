"""The tool contract: what a tool says about itself, what it may see, and how it answers. Every default is the unsafe answer.

A tool knows neither the bus, the screen nor the model. The engine asks it questions about one input (is it read-only, what
does it touch), puts permission, order and size limits round it, and runs `call`, an async generator that yields any number
of `Progress` and exactly one `Result`. Failures are raised as `ToolError`; cancellation arrives as `CancelledError`.

Its looks live beside it in `view.py`, found by the tool's folder name and imported by the user interface alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.settings.variables import count, is_on
from tui_agent.tools.agents import AgentType
from tui_agent.tools.progress import Progress
from tui_agent.tools.resolved_path import ResolvedPaths
from tui_agent.tools.services import AskPerson, Services

if TYPE_CHECKING:
    from tui_agent.sandbox.confined import Confined, Unconfined
    from tui_agent.sandbox.launchers import ConfinedCommands
    from tui_agent.tools.file_state import FileState
    from tui_agent.tools.workspace import Workspace

__all__ = [
    "FEATURES", "INTERNAL", "Allow", "Ask", "Claims", "Deny", "ErrorKind", "Invalid", "Limits", "Opinion", "Partial",
    "Progress", "PromptContext", "Result", "ShellEffect", "Tool", "ToolContext", "ToolError", "ToolInput", "Valid",
    "Validity", "gated", "internal",
]  # fmt: skip

INTERNAL: Final = "internal"
FEATURES: Final = "features"
_CHARS_PER_TOKEN: Final = 4
_LEAST_READ_CHARS: Final = 2000
ErrorKind = Literal["unknown_tool", "aborted", "invalid_input", "validation", "denied", "hook", "execution", "timeout"]


class ToolInput(BaseModel):
    """Base of every tool's input model: the API schema and the run-time check both come from it, at their first use."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def internal(default: Any) -> Any:  # noqa: ANN401 - stands in a model's body as the field's value
    """Declare a field that only the program itself may set: left out of the API schema and refused from the model."""
    return Field(default, json_schema_extra={INTERNAL: True})


def gated(default: Any, *features: str, **options: Any) -> Any:  # noqa: ANN401 - stands in a model's body
    """Declare a field that exists only while one of `features` is on: else it is in no schema, and refused as unknown.

    `options` are those of pydantic's `Field`. The default has to be what a call without the field means.
    """
    return Field(default, json_schema_extra={FEATURES: list(features)}, **options)


InputT = TypeVar("InputT", bound=ToolInput)
PlanT = TypeVar("PlanT")
OutputT = TypeVar("OutputT")


@dataclass(frozen=True, slots=True)
class Claims:
    """The files one call reads and writes, as absolute paths, or that it must run alone (the default).

    `holds` names what belongs to the session and no file (`"tasks"`): calls that hold the same run one after the other, in
    the order they were made.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    is_exclusive: bool = False
    holds: frozenset[str] = frozenset()

    @classmethod
    def exclusive(cls) -> Claims:
        """Nothing may run beside this call."""
        return cls(is_exclusive=True)

    def conflicts(self, other: Claims) -> bool:
        """Whether one of the two writes what the other touches; a folder is touched by whatever is in it."""
        if self.is_exclusive or other.is_exclusive or self.holds & other.holds:
            return True
        return _meet(self.writes, other.writes | other.reads) or _meet(other.writes, self.reads)


def _meet(left: frozenset[str], right: frozenset[str]) -> bool:
    return any(
        a == b or a.startswith(b.rstrip("/") + "/") or b.startswith(a.rstrip("/") + "/") for a in left for b in right
    )


@dataclass(frozen=True, slots=True)
class Partial:
    """What a call that was cut short has to show for itself: text for the model, and the data it would have given."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result(Generic[OutputT]):
    """The call's one outcome. `is_error` marks an outcome the model should take as a failure (a command's exit code)."""

    output: OutputT
    is_error: bool = False
    error_kind: ErrorKind | None = None


class ToolError(Exception):
    """A call failed. The text goes to the model and should let it correct itself; `data` is for programs.

    `ends_turn` says that nothing more is to be done until the user speaks: they refused a part of the call and said no more.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind = "execution",
        data: Mapping[str, Any] | None = None,
        stdout: str = "",
        stderr: str = "",
        ends_turn: bool = False,
    ) -> None:
        super().__init__(message)
        self.message: Final = message
        self.kind: Final = kind
        self.data: Final = dict(data or {})
        self.stdout: Final = stdout
        self.stderr: Final = stderr
        self.ends_turn: Final = ends_turn


@dataclass(frozen=True, slots=True)
class Invalid:
    """A check of the tool's own refuses the input; `code` names the check."""

    message: str
    code: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A check hands the decision to the user. `suggestions` are rules that would answer it for good."""

    message: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allow:
    """The tool itself sees no need to ask. Deny and ask rules still count."""


@dataclass(frozen=True, slots=True)
class Deny:
    """The tool itself refuses, whatever rules allow."""

    message: str


@dataclass(frozen=True, slots=True)
class Valid(Generic[PlanT]):
    """The input passed. `plan` is what the checks worked out: `propose` and `call` get it as it is here.

    `doubt` lets a user decide, whatever rules allow.
    """

    plan: PlanT
    doubt: Ask | None = None


Validity = Valid[PlanT] | Invalid
# What a shell command does: it only reads; it only reads and changes the folder the shell stands in; anything else.
ShellEffect = Literal["reads", "moves", "changes"]
Opinion = Allow | Ask | Deny | None


def _may_change(_command: str) -> ShellEffect:
    return "changes"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that the environment may move. The `job` ones are for commands in the background.

    `read_chars` is the most of a file that is shown at once; no more than `result_chars` in any case. `keeps_folder` has each
    command begin in the workspace's root. `has_background` says whether commands may run in the background.
    """

    command_timeout_ms: int = 120_000
    command_timeout_max_ms: int = 600_000
    job_timeout_ms: int = 1_800_000
    job_timeout_max_ms: int = 7_200_000
    output_file_bytes: int = 5_000_000_000  # a command that prints more is killed
    result_chars: int = 30_000
    command_output_chars: int = 30_000
    read_chars: int = 30_000
    search_timeout_s: float = 20.0
    glob_timeout_s: float = 20.0
    tool_concurrency: int = 10
    keeps_folder: bool = False
    has_background: bool = True

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Limits:
        """Return the limits as variables move them; see `settings.variables`."""
        default = cls()
        usual = count(environment, "BASH_DEFAULT_TIMEOUT_MS")
        wanted = count(environment, "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS") * _CHARS_PER_TOKEN
        return cls(
            command_timeout_ms=usual,
            command_timeout_max_ms=max(usual, count(environment, "BASH_MAX_TIMEOUT_MS")),
            command_output_chars=count(environment, "BASH_MAX_OUTPUT_LENGTH"),
            read_chars=min(default.read_chars, max(_LEAST_READ_CHARS, wanted)) if wanted else default.read_chars,
            glob_timeout_s=float(count(environment, "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS")),
            tool_concurrency=count(environment, "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"),
            keeps_folder=is_on(environment, "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"),
            has_background=not is_on(environment, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"),
        )


@dataclass(slots=True, kw_only=True)
class ToolContext:
    """All that a call may see of the world around it.

    `denied` says why a rule forbids an operation (`"read"` or `"edit"`) on an absolute path, or None; it looks at rules
    only, and at the other names that a file has. `is_doubtful` says of a path that these could not be looked for, and
    `is_withheld` that it may hold secrets: then it is shown only to whom names it.
    `approved` is what was let through of each change that the tool proposed, in the same order.
    `paths` says where each path of this use led at the first look at it: that is what permissions judge, and where the tool
    opens files, whatever has become of the path since.
    `state_dir` is the program's own folder, where a change that is under way is noted (None: nowhere).
    `services` is what the session offers besides; `ask_user` puts a form to the user (None: there is nobody).
    `kept_names` are variables of `environment` that the user wants commands to have, secret or not.

    `confined` is how a command must run that was let through on these terms (None: with the user's own rights).

    `partial` is the tool's to set: it is asked what there is to show when the call is cancelled, once it has ended.
    """

    workspace: Workspace
    files: FileState
    tool_use_id: str = ""
    approved: tuple[ApprovedChange, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    results_dir: Path | None = None
    state_dir: Path | None = None
    paths: ResolvedPaths = field(default_factory=ResolvedPaths)
    limits: Limits = field(default_factory=Limits)
    is_interactive: bool = False
    denied: Callable[[str, Literal["read", "edit"]], str | None] = lambda _path, _operation: None
    is_doubtful: Callable[[str], bool] = lambda _path: False
    is_withheld: Callable[[str], bool] = lambda _path: False
    services: Services = field(default_factory=Services)
    ask_user: AskPerson | None = None
    kept_names: frozenset[str] = frozenset()
    confined: Confined | ConfinedCommands | Unconfined | None = None
    partial: Callable[[], Partial] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContext:
    """What a tool may look at when it describes itself to the model: the session as it is when a request is made.

    `tool_names` are all tools that the run began with, deferred ones too, in the pool's order. `mode` is the permission mode
    that the conversation began in: tool descriptions must stay the same when the mode changes. `agent_types` are the types of
    agents that may be started, as they were when the conversation began.
    """

    tool_names: tuple[str, ...] = ()
    is_interactive: bool = False
    mode: str = "default"
    model: str = ""
    features: frozenset[str] = frozenset()
    agent_types: tuple[AgentType, ...] = ()


class Tool(Generic[InputT, PlanT, OutputT]):
    """Base of every tool. A subclass names itself, gives an `Input` model, and overrides what it can answer better.

    `PlanT` is what `validate` hands on to `propose` and `call`: an address that was parsed, a job that was found, a change
    that was worked out. It is `None` for a tool that has nothing to hand on; any other tool overrides `validate`.

    `json_schema` is a schema that came from outside (an MCP server): it goes to the API as it is, and inputs are checked
    against it instead of `Input`. `features` are those that are on in this run; the registry sets them. So it does
    `effect_of`, which says what a shell command does; without it every command may change anything.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    search_hint: ClassVar[str] = ""
    Input: type[InputT]
    json_schema: Mapping[str, Any] | None = None
    features: frozenset[str] = frozenset()
    effect_of: Callable[[str], ShellEffect] = staticmethod(_may_change)
    max_result_chars: ClassVar[int] = 50_000
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "block"
    aborts_siblings: ClassVar[bool] = False  # whether its failure makes the other tool uses of the reply pointless

    # What the model and the user are told

    def description(self) -> str:
        """What the tool does, for the API's tool list. Override `describe` instead where it depends on the session."""
        return ""

    def prompt(self) -> str:
        """Guidance on its use that joins the system prompt; empty for none. `guide` is the same with the session in view."""
        return ""

    def describe(self, context: PromptContext) -> str:
        """What the tool does, in this session; this is what the API gets."""
        return self.description()

    def guide(self, context: PromptContext) -> str:
        """Guidance on its use, in this session; this is what joins the system prompt."""
        return self.prompt()

    def is_enabled(self) -> bool:
        """Whether the tool can work at all here."""
        return True

    def from_alias(self, alias: str, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the input of a call that came under one of `aliases`, in the tool's own field names."""
        return raw

    def in_present_shape(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return an input that came in an older shape in the present one, as a new object; any other as it is."""
        return raw

    # What a call with this input would be

    def is_concurrency_safe(self, input: InputT) -> bool:
        """Whether it may run beside any other call that says so too."""
        return False

    def is_read_only(self, input: InputT) -> bool:
        """Whether it changes nothing anywhere."""
        return False

    def is_destructive(self, input: InputT) -> bool:
        """Whether what it does cannot be undone; "always" is never offered for it. Permissions know about commands."""
        return False

    def claims(self, input: InputT) -> Claims:
        """The paths it reads and writes (absolute or relative to the workspace's folder), or exclusive."""
        return Claims.exclusive()

    def shell_command(self, input: InputT) -> str | None:
        """The shell command it would run, for tools that run one; rules are matched on its syntax tree."""
        return None

    def classifier_input(self, input: InputT) -> str:
        """What a model may judge the safety of; empty means that no model may."""
        return ""

    # What it does

    async def validate(self, input: InputT, ctx: ToolContext) -> Validity[PlanT]:
        """Check what the input's shape cannot say, cheapest first, and return the plan of the call."""
        return Valid(cast("PlanT", None))  # a tool with a plan has a `validate` of its own

    async def propose(self, input: InputT, plan: PlanT, ctx: ToolContext) -> tuple[FileChange, ...]:
        """Return the changes it would make, one for each file, before anyone is asked; none for tools that change no files.

        Raises:
            ToolError: the change cannot be made.
        """
        return ()

    async def check_permissions(self, input: InputT, ctx: ToolContext) -> Opinion:
        """Return the tool's own opinion; None leaves it to rules and mode."""
        return None

    def call(self, input: InputT, plan: PlanT, ctx: ToolContext) -> AsyncIterator[Progress | Result[OutputT]]:
        """Do it: yield progress as it comes and one `Result`.

        Raises:
            ToolError: it failed; the text is for the model.
        """
        raise NotImplementedError(f"{self.name} has no call")

    def result_limit(self, limits: Limits) -> int:
        """How many characters of a result the model gets; of what is longer, beginning and end."""
        return min(self.max_result_chars, limits.result_chars)

    def to_result(self, output: OutputT) -> str | list[dict[str, Any]]:
        """Return what the model gets: text, or content blocks of the Messages API."""
        return str(output)

    def to_data(self, output: OutputT) -> dict[str, Any]:
        """Return the structured output, in the shape that hooks and scripts read."""
        return {"output": str(output)}
