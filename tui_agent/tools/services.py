"""What a session offers to its tools besides files: the shared task list, background jobs, deferred tools, a small model.

One object, handed to every call as `ToolContext.services`. Each part may be absent where there is no session behind a call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tui_agent.media import Media
from tui_agent.secrets.masker import Masker
from tui_agent.tools.memory_folder import MemoryFolder
from tui_agent.tools.shared_read.content_cache import ContentCache
from tui_agent.tools.task_list import Task, TaskList

if TYPE_CHECKING:
    from tui_agent.tools.agents import AgentService
    from tui_agent.tools.forms import Answers, Form
    from tui_agent.tools.jobs import Jobs

__all__ = [
    "AskError", "AskModel", "AskPerson", "Conversation", "InvokedSkill", "KeepVersions", "PlanService", "RuleCheck", "Services",
    "SkillError", "SkillService", "ToolFinder", "keep_nothing", "no_rule_problem",
]  # fmt: skip

# Puts a form to the user and waits; None when they closed it without an answer.
AskPerson = Callable[["Form"], Awaitable["Answers | None"]]
# Asks the small model a question about a text and returns its answer. Raises AskError.
AskModel = Callable[[str], Awaitable[str]]
# Says what is wrong with a permission rule as a member of this list, in words for whoever writes it; empty where nothing is.
RuleCheck = Callable[[str, Literal["allow", "ask", "deny"]], str]


# Hears of a task that is made or done, and says why it is not to be; None where it may.
TaskGuard = Callable[[Literal["TaskCreated", "TaskCompleted"], "Task"], Awaitable[str | None]]


class AskError(Exception):
    """The small model gave no answer; the text says why, in a sentence."""


class ToolFinder(Protocol):
    """The tools whose schemas the model does not have yet."""

    def find(self, query: str, limit: int) -> Sequence[str]:
        """Return names of tools: those that `select:A,B` or a tool's name says, else deferred ones by words, best first.

        `limit` is for what was found by words.
        """
        ...

    def nearest(self, name: str) -> Sequence[str]:
        """Return names that look like `name`, the closest first."""
        ...

    def activate(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Let later requests carry these tools, and return their schemas as the API gets them."""
        ...

    def guidance(self, names: Sequence[str]) -> Sequence[str]:
        """Return what these tools would have said in the system prompt, where anything."""
        ...

    @property
    def deferred(self) -> Sequence[str]:
        """The names of all deferred tools, sorted."""
        ...


class SkillError(Exception):
    """A skill cannot be invoked; the text says why, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InvokedSkill:
    """What an invocation came to: its text for the model, and content blocks of files that it mentions with facts on them.

    `place` says where it comes from, `words` what it is for; both are foreign text. `model` is the one that the header wants.
    With `is_forked` an agent of `agent_type` (empty: the general one) is to follow it, and not this conversation.
    """

    name: str
    text: str
    place: str
    file: str
    words: str = ""
    blocks: tuple[dict[str, Any], ...] = ()
    facts: tuple[dict[str, Any], ...] = ()
    model: str = ""
    agent_type: str = ""
    is_forked: bool = False


class SkillService(Protocol):
    """The skills that the model may invoke."""

    def problem_of(self, name: str) -> str:
        """Return why the model cannot invoke a skill of this name; empty where it can."""
        ...

    async def invoke(self, name: str, arguments: str, tool_use_id: str) -> InvokedSkill:
        """Load a skill; from now to the end of the turn, what it allows counts.

        Raises:
            SkillError: it cannot be invoked.
        """
        ...


class Conversation(Protocol):
    """What the model has before it: the messages that the next request will carry."""

    def result_of(self, tool_use_id: str) -> str | list[dict[str, Any]] | None:
        """Return the content of a tool use's result as the model gets it now; None where it is not, or no longer, there."""
        ...

    def media(self) -> Media:
        """Return how many pictures and documents there are."""
        ...


class PlanService(Protocol):
    """Plan mode as its two tools see it, and the file that the plan is written to."""

    @property
    def is_on(self) -> bool:
        """Whether plan mode is on."""
        ...

    @property
    def file(self) -> Path:
        """The one file that may be written in plan mode; it may not exist yet."""
        ...

    @property
    def note(self) -> str:
        """What the model should know of plan mode: what it means, and how it ends."""
        ...

    def read(self) -> str:
        """Return the plan as it stands in its file, empty where there is none; blocks.

        Raises:
            OSError: its file cannot be read.
        """
        ...

    def write(self, text: str) -> None:
        """Write the plan; blocks.

        Raises:
            OSError: its file cannot be written.
        """
        ...

    def enter(self) -> None:
        """Turn plan mode on."""
        ...

    def present(self, text: str) -> None:
        """This plan is about to be put to the user."""
        ...

    def leave(self) -> str:
        """Turn plan mode off, and return the mode that the work goes on in: the one chosen, else that of before."""
        ...


# Gets a file's path, what it holds (None: there is none yet) and what a tool is about to make of it; in a thread.
KeepVersions = Callable[[str, "bytes | None", bytes], None]


def keep_nothing(_path: str, _before: bytes | None, _after: bytes) -> None:
    """Keep no version of any file."""


def _no_rule(_host: str) -> bool:
    return False


async def _no_task_problem(_event: Literal["TaskCreated", "TaskCompleted"], _task: Task) -> str | None:
    return None


def no_rule_problem(_rule: str, _behavior: Literal["allow", "ask", "deny"]) -> str:
    """Find nothing wrong with any rule: what a rule means is not known where there is no session."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What there is.

    `permits_host` says whether a rule of the user's names this host, so that even a private address may be fetched;
    `guards_host`, whether one denies or asks about it. Both take hosts in the spelling of `tui_agent.hosts`.
    `user_wrote` is set whenever the user sends a message, and cleared when a turn begins. `conversation` is the one that
    the calls belong to; `contents` keeps what was made of files for the whole session. `rule_problem` judges the rules that
    a settings file is about to get. `keep_versions` keeps what files hold, so that changes can be
    undone. `masker` hides secrets in what tools found; `plan` is plan mode. `agents` starts agents for this conversation;
    `skills` are the skills that the model may invoke, `notes` is the folder of its own notes.
    """

    tasks: TaskList = field(default_factory=TaskList)
    jobs: Jobs | None = None
    finder: ToolFinder | None = None
    ask_model: AskModel | None = None
    permits_host: Callable[[str], bool] = _no_rule
    guards_host: Callable[[str], bool] = _no_rule
    rule_problem: RuleCheck = no_rule_problem
    keep_versions: KeepVersions = keep_nothing
    task_guard: TaskGuard = _no_task_problem
    user_wrote: asyncio.Event = field(default_factory=asyncio.Event)
    conversation: Conversation | None = None
    contents: ContentCache = field(default_factory=ContentCache)
    plan: PlanService | None = None
    agents: AgentService | None = None
    skills: SkillService | None = None
    notes: MemoryFolder | None = None
    masker: Masker = field(default_factory=Masker)
