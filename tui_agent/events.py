"""Every fact of a session, one frozen dataclass each: what the engine says and the only thing a screen is drawn from.

Facts are named in the past tense and never changed. `Bus.publish` stamps the four header fields; whoever makes an event
gives only what it says. `event_json` writes and reads them.

Order that subscribers may rely on, for one tool use: `ToolUseStarted`, any `ToolInputDelta`, `ToolUseCompleted`,
`ToolStateChanged` (→ queued), then stages and further states, `ToolProgressed` while it executes, one `ToolResultReady`
before the move to *completed*, and the move to *yielded* last; a `ToolResultShrunk` may come later. A tool use whose block
never became whole ends with `ToolUseDropped` and has none of the rest. `PermissionResolved` always follows its
`PermissionRequested`, also when the session ends first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from tui_agent.changes import FileChange

__all__ = [
    "AssistantMessageCompleted", "BranchChanged", "EditApplied", "EditProposed", "EditReviewed", "EditUndone", "Event",
    "FormAnswered", "FormRequested", "HistoryCleared", "HookEnded", "HookStarted", "JobEnded", "JobProgressed",
    "JobStarted", "MaskingChanged", "MessageQueued",
    "MessageUnqueued", "ModeChanged", "ModelChanged", "Notice", "PermissionRequested", "PermissionResolved", "ReminderSent",
    "RequestSent", "ResponseStarted", "RetryScheduled", "SessionEnded", "SessionStarted", "SettingsReloaded",
    "SpendingLimitChanged",
    "TasksChanged", "TextDelta", "TextFinished", "ThinkingDelta", "ThinkingFinished", "ToolInputChanged",
    "ToolInputDelta", "ToolProgressed", "ToolResultReady", "ToolResultShrunk", "ToolStageEnded", "ToolStageStarted",
    "ToolState", "ToolStateChanged", "ToolUseCompleted", "ToolUseDropped", "ToolUseStarted", "ToolsActivated",
    "TurnFailed", "TurnFinished", "TurnStarted", "UsageReported", "UserMessageSent",
]  # fmt: skip

ToolState = Literal["new", "queued", "executing", "completed", "yielded"]
TurnOutcome = Literal[
    "done",
    "interrupted",
    "refused",
    "failed",
    "max_turns",
    "repeated_failure",
    "max_tokens",
    "declined",
    "stopped_by_hook",
    "spending_limit",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Event:
    """What all events share; the bus fills the header when the event is published.

    `time` is wall time in seconds since the epoch; `monotonic_ms` counts milliseconds on a clock that never goes back,
    comparable within one process only. `seq` counts from 1 in the order of publication.

    Events are equal if they are of one kind and all their fields are. That is said here once: made for each kind, as
    dataclasses do by themselves, it takes half the time of importing this module, and the first answer waits for that.
    """

    session_id: str = ""
    seq: int = 0
    time: float = 0.0
    monotonic_ms: float = 0.0

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, part.name) == getattr(other, part.name) for part in fields(self))

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, part.name) for part in fields(self)))


# --- session ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SessionStarted(Event):
    """First event of a process's part of a session; a resumed journal holds one for every process that went on with it.

    `sandbox` is the one that commands which only read run in: its name, followed by `, on` where others run in it too; `none`
    where there is none, and empty where that was not recorded.
    """

    cwd: str
    model: str
    mode: str
    version: str
    source: Literal["startup", "continue", "resume", "clear"] = "startup"
    trusted: bool = True
    tools: tuple[str, ...] = ()
    additional_dirs: tuple[str, ...] = ()
    sandbox: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModeChanged(Event):
    """The permission mode is now `mode`."""

    mode: str
    previous: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaskingChanged(Event):
    """Secrets are hidden from here on, or shown. `names` are the variables and the like whose values are known."""

    is_on: bool
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelChanged(Event):
    """Requests from now on go to `model`."""

    model: str
    previous: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpendingLimitChanged(Event):
    """The session may cost so many US dollars before the person is asked; None: any number. `by` says who wanted it so."""

    limit_usd: float | None
    by: Literal["settings", "person"] = "settings"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SettingsReloaded(Event):
    """Settings files were read; `problems` are the entries that do not count, each naming file, line and reason.

    When they were read anew, `problems` are those that are new, and `changes` says what is different now. `sandbox` is as in
    `SessionStarted`; empty where nothing is said of it.
    """

    problems: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    sandbox: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BranchChanged(Event):
    """The workspace's git branch and its number of changed files, as of the end of a turn; empty outside git."""

    branch: str
    changed_files: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SessionEnded(Event):
    """Last event of a process that ended in order; a killed one leaves none."""

    reason: Literal["exit", "clear", "done", "failed", "interrupted"] = "exit"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryCleared(Event):
    """The conversation starts afresh: nothing before this is sent to the model again."""


# --- turn ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MessageQueued(Event):
    """The person sent `text` while a turn ran; a `UserMessageSent` or `MessageUnqueued` with this id follows.

    `shown` is as in `UserMessageSent`.
    """

    message_id: str
    text: str
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MessageUnqueued(Event):
    """A queued message was taken back."""

    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UserMessageSent(Event):
    """The person's message entered the conversation. `context` is what the program added for the model's eyes only.

    `shown` is the text as it stood in the prompt, where what was pasted is folded to a label; empty where that is `text`.
    `blocks` are content blocks that stand before the text: files it mentions, pictures. `attached` tells people what they are,
    and what was not attached and why; keys are those of `agent.attaching.Attached`.
    """

    message_id: str
    text: str
    context: str = ""
    shown: str = ""
    blocks: tuple[dict[str, Any], ...] = ()
    attached: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReminderSent(Event):
    """The program told the model something between two steps of a turn, where no message of the person's carried it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnStarted(Event):
    """The model is asked until it stops asking for tools; `TurnFinished` with this id ends it."""

    turn_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnFinished(Event):
    """The turn is over and the program waits for the person. `detail` is a sentence for the person, or empty."""

    turn_id: str
    outcome: TurnOutcome
    detail: str = ""
    duration_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RequestSent(Event):
    """A request left for the model; `ResponseStarted`, `RetryScheduled` or `TurnFailed` follows.

    One that was too much for the model is followed by `ToolResultShrunk` for what was shortened, and the next request.
    """

    turn_id: str
    request_id: str
    model: str
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResponseStarted(Event):
    """The first event of the model's reply came in."""

    request_id: str
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TextDelta(Event):
    """More text of a block. Deltas of one block may arrive joined: only their concatenation means anything."""

    block_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TextFinished(Event):
    """The text block is whole, or was cut off here."""

    block_id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThinkingDelta(Event):
    """More of the model's thinking; joins as `TextDelta` does."""

    block_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThinkingFinished(Event):
    """The thinking block is whole, or was cut off here; `duration_ms` is how long it took.

    `signature` is what the API wants back with the thinking; empty where the block was cut off.
    """

    block_id: str
    duration_ms: float = 0.0
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolUseStarted(Event):
    """A tool-use block began in the stream; its arguments are still to come. `name` is the tool's own, where there is one.

    One `by` a person, or inside another tool use (its parent), stands in no reply of the model's: it is whole at once.
    """

    tool_use_id: str
    name: str
    turn_id: str = ""
    parent_tool_use_id: str | None = None
    by: Literal["model", "person"] = "model"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolInputDelta(Event):
    """More of the block's argument text (a fragment of JSON); joins as `TextDelta` does."""

    tool_use_id: str
    partial_json: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolUseCompleted(Event):
    """The block is whole: its input parsed, and the executor takes it from here.

    Name and input are the tool's own. Where the model wrote another name of it, `written` holds what it wrote, as `name` and
    `input`: that is what stands in the conversation.
    """

    tool_use_id: str
    name: str
    input: dict[str, Any]
    written: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolUseDropped(Event):
    """The reply ended before the block was whole; nothing ran, and the block is not part of the conversation."""

    tool_use_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssistantMessageCompleted(Event):
    """The reply as it enters the conversation: its content blocks in the Messages API's own shape.

    Follows the deltas and `ToolUseCompleted` of its blocks; results of tools that started early may precede it.
    """

    message_id: str
    content: list[dict[str, Any]]
    stop_reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UsageReported(Event):
    """Token counts of one request; `cost_usd` is this request's, None where the model's price is unknown.

    `context_tokens` is what the conversation now fills of `context_size` (None: unknown model); 0 for a request aside from
    the conversation, which changes nothing about it.
    """

    request_id: str
    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    context_tokens: int = 0
    context_size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RetryScheduled(Event):
    """A request failed in a way that may pass; the next attempt starts in `delay_s` seconds."""

    request_id: str
    attempt: int
    max_attempts: int
    delay_s: float
    reason: str
    status: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnFailed(Event):
    """The request failed for good. `message` says what was wrong and `hint` what to do about it."""

    turn_id: str
    kind: str
    message: str
    hint: str = ""


# --- tool ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolStateChanged(Event):
    """A tool use moved through its state machine; time spent on a person is the stage `permission` of *executing*."""

    tool_use_id: str
    from_state: ToolState = field(metadata={"json": "from"})
    to_state: ToolState = field(metadata={"json": "to"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolStageStarted(Event):
    """One of the eight stages began (`lookup validate pre_hooks permission call store post_hooks result`)."""

    tool_use_id: str
    stage: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolStageEnded(Event):
    """The stage ended with `outcome`: `ok`, or a word for why the rest was not reached."""

    tool_use_id: str
    stage: str
    outcome: str
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolInputChanged(Event):
    """A hook, the person or an alias changed the input; from here on this one is judged and run."""

    tool_use_id: str
    name: str
    input: dict[str, Any]
    by: Literal["hook", "person", "alias"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolProgressed(Event):
    """What a running tool has to show so far; only the newest matters. Keys are those of `tools.base.Progress`."""

    tool_use_id: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolResultReady(Event):
    """The one result of a tool use. `content` is what the model gets; `data` is the tool's own structured output.

    `duration_ms` is run time, without what was spent waiting for a person. `kept_in` is the file that holds the whole of a
    result of which `content` is only a part.
    """

    tool_use_id: str
    name: str
    is_error: bool
    content: list[dict[str, Any]] | str
    error_kind: str | None = None
    data: dict[str, Any] | None = None
    duration_ms: float = 0.0
    kept_in: str | None = None


# --- permission ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PermissionRequested(Event):
    """The person is asked. `by`, `check` and `reason` say which rule or check asks; `offers` are rules for "always".

    `cwd` is the folder a command would run in: where the shell stands now.
    """

    request_id: str
    tool_use_id: str
    name: str
    input: dict[str, Any]
    by: str
    reason: str
    cwd: str = ""
    rule: str | None = None
    source: str | None = None
    check: str = ""
    offers: tuple[tuple[str, ...], ...] = ()
    is_destructive: bool = False
    has_proposal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PermissionResolved(Event):
    """The question is settled, once: by the person, a rule, a hook or the classifier, or as nobody is there to answer.

    `message` is what was said with a refusal. `comments` are what the person wrote on lines of a proposed change; keys are
    those of `line_comments.LineComment`.
    """

    request_id: str
    tool_use_id: str
    behavior: Literal["allow", "deny", "cancelled"]
    by: Literal["person", "hook", "classifier", "rule", "interrupt", "nobody"]
    rules: tuple[str, ...] = ()
    saved_to: str | None = None
    message: str | None = None
    comments: tuple[dict[str, Any], ...] = ()


# --- edit ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EditProposed(Event):
    """A tool wants to make this change; nothing is written yet."""

    tool_use_id: str
    change: FileChange


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EditReviewed(Event):
    """The person took some hunks of the proposal and refused others; the numbers are positions in `change.hunks`."""

    tool_use_id: str
    accepted: tuple[int, ...]
    refused: tuple[int, ...]
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EditApplied(Event):
    """The file on disk now holds what was approved; `change` is what was really written.

    `after_hash` is the hash of what it holds (`changes.content_hash`); empty in older records.
    """

    tool_use_id: str
    change: FileChange
    after_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EditUndone(Event):
    """The person took back what this session had changed in a file. `change` is what that did to it.

    `after_hash` is the hash of what the file holds now; empty where it is gone. `left` is how many places others have changed
    too, and which were therefore left as they are.
    """

    path: str
    change: FileChange
    after_hash: str
    left: int = 0


# --- the session's own -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FormRequested(Event):
    """A tool puts questions to the person; `form` is that of `tools.forms.Form.to_json`. `FormAnswered` always follows."""

    request_id: str
    tool_use_id: str
    form: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FormAnswered(Event):
    """The form is closed: with `answers` by key (none of them told where the form is private), or without any."""

    request_id: str
    tool_use_id: str
    answers: dict[str, Any] | None
    by: Literal["person", "interrupt", "nobody"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TasksChanged(Event):
    """The task list is now this; keys are those of `tools.task_list.Task`."""

    tasks: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolsActivated(Event):
    """Requests from now on carry the schemas of these tools too, which the model had known by name only."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobStarted(Event):
    """A command goes on in the background after its tool use ended; all it prints goes to `output_path`."""

    job_id: str
    tool_use_id: str
    command: str
    output_path: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobProgressed(Event):
    """What a background job has to show so far; only the newest matters. Keys are those of `tools.base.Progress`."""

    job_id: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobEnded(Event):
    """A background job is over. `exit_code` is None where it was stopped before it ended by itself."""

    job_id: str
    outcome: Literal["done", "failed", "stopped", "timeout", "too_much_output"]
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HookStarted(Event):
    """One of the person's hooks runs now; `HookEnded` with this id always follows, also when it was cancelled.

    `event` is what it is heard at, `hook` names it from run to run, `name` for people. `message` is what it wants shown while
    it runs. One in the background holds nothing up.
    """

    run_id: str
    event: str
    hook: str
    name: str
    tool_use_id: str = ""
    message: str = ""
    is_background: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HookEnded(Event):
    """The hook is over. `message` is the reason of its no, or what went wrong with it; `exit_code` is a command's."""

    run_id: str
    event: str
    hook: str
    outcome: Literal["ok", "blocked", "failed", "timeout", "cancelled"]
    tool_use_id: str = ""
    exit_code: int | None = None
    duration_ms: float = 0.0
    message: str = ""


# --- context ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolResultShrunk(Event):
    """From here on the model gets `content` in the place of a tool use's result, which stays in the record as it was."""

    tool_use_id: str
    content: list[dict[str, Any]] | str
    reason: Literal["reply_limit", "context"]


# --- notice ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Notice(Event):
    """Something the person should know that belongs to no tool use. Shown in the conversation, not only for a moment."""

    level: Literal["info", "warning", "error"]
    text: str
    hint: str = ""
