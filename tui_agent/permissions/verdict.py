"""The words of a permission decision: what is judged, what came out and why, and what a user may answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tui_agent.changes import ApprovedChange
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import FileId
from tui_agent.review_comments import LineComment, review_text

__all__ = [
    "Behavior",
    "By",
    "Confinement",
    "ConfinementKind",
    "Decision",
    "DecisionStep",
    "Effect",
    "Naming",
    "Need",
    "PartVerdict",
    "PathNeed",
    "PerCommand",
    "ReadOnlyWithSockets",
    "Scope",
    "SingleConfinement",
    "SourceKind",
    "ToolCall",
    "ToolOpinion",
    "Verdict",
    "kind_of",
]  # fmt: skip

Behavior = Literal["allow", "ask", "deny"]
SourceKind = Literal["session", "cli", "local", "project", "policy", "user"]
Scope = Literal["session", "local", "project", "user"]
Effect = Literal["destroys", "sends", "escalates", "runs"]
"""What a command does that matters most: it deletes or overwrites, sends something out, needs more rights, or runs any code."""
By = Literal["rule", "mode", "tool", "classifier", "protected_path", "hook", "sandbox", "default"]


@dataclass(frozen=True, slots=True)
class ReadOnlyWithSockets:
    """Able to read only, and to ask one program of this machine through its own sockets.

    The paths are as the table of programs has them; they may begin with `~` or `$XDG_RUNTIME_DIR`.
    """

    sockets: tuple[str, ...]


# How a command that is let through is to run: able to read only; the same with a program to ask; able to change the working
# folders, as edits are accepted there; or able to write what the settings of the sandbox let commands write.
SingleConfinement = Literal["read_only", "edits", "workspace"] | ReadOnlyWithSockets


@dataclass(frozen=True, slots=True)
class PerCommand:
    """The shell runs with the user's rights; commands in it that nobody gave these rights run in sandboxes of their own.

    `source` is the text that was judged. `confined` says for each such command where in the text it begins, and how it runs.
    """

    source: str
    confined: tuple[tuple[int, SingleConfinement], ...]


Confinement = SingleConfinement | PerCommand
ConfinementKind = Literal["read_only", "read_only_asking", "edits", "workspace", "per_command"]


def kind_of(confinement: Confinement) -> ConfinementKind:
    """Return the name of a confinement, for those who show it."""
    if isinstance(confinement, ReadOnlyWithSockets):
        return "read_only_asking"
    return "per_command" if isinstance(confinement, PerCommand) else confinement


@dataclass(frozen=True, slots=True)
class ToolOpinion:
    """What the tool itself says of the call; None in its place is no opinion."""

    behavior: Literal["allow", "ask", "deny"]
    message: str = ""
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call as permissions see it: canonical name, final input, and what it touches (absolute paths).

    `reals` says where paths of the call led, links resolved, when it was first looked at; others are resolved by who judges.
    `files` says which file was there then, by real path, where it has several names; None for all else.
    `command` is the shell command it runs, None for tools that run none. `opinion` may also come from a business check that
    hands the decision to the user; `hook` is what the user's own hooks said of the call. `is_own_change` is that no shell runs:
    the tool itself makes the change that the command would make, in the place that was judged.
    """

    tool: str
    input: dict[str, Any]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    reals: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, FileId | None] = field(default_factory=dict)
    command: str | None = None
    is_read_only: bool = False
    is_destructive: bool = False
    is_own_change: bool = False
    opinion: ToolOpinion | None = None
    hook: ToolOpinion | None = None


@dataclass(frozen=True, slots=True)
class DecisionStep:
    """One check of a decision and how it went, for `permissions explain`."""

    check: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartVerdict:
    """What one simple command of a script would get on its own. `check` is the id of the classifier's check that spoke last.

    `effect` is what it does that matters most, None where that is not known; `is_careful` as in `shell.dangers.Danger`.
    """

    command: str
    behavior: Literal["allow", "ask", "deny"]
    by: By
    reason: str
    check: str = ""
    rule: str | None = None
    effect: Effect | None = None
    is_careful: bool = False


@dataclass(frozen=True, slots=True)
class Naming:
    """One way in which an allow rule may name a command: as written, or less a wrapper that changes nothing.

    `is_exact_only` means that no pattern with `*` covers it. `is_cut` means that only this beginning of it is certain, so that
    only a pattern which leaves the rest open covers it. `power` is an option by which it does more than its rules are about: a
    pattern with `*` covers it only where it names that.
    """

    text: str
    is_exact_only: bool = False
    is_cut: bool = False
    power: str = ""


@dataclass(frozen=True, slots=True)
class PathNeed:
    """A path, absolute, that a rule would have to allow, as named and as what it leads to."""

    operation: Literal["read", "edit"]
    path: str
    faces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Something about a call that nothing allows yet: a rule on the command does, or rules on all of these paths.

    One without either is what no rule can allow. `subject` is for people. `is_reading` says that the command only reads, but
    not surely what it may: a pattern for its like would let it read anything.
    """

    subject: str
    commands: tuple[Naming, ...] = ()
    paths: tuple[PathNeed, ...] = ()
    is_reading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was decided, by which kind of check, by which rule from where, and each step on the way.

    `reason` is a sentence for a user. `offers` are rules that would allow this call for good: for each of its commands that
    is not allowed yet the rules to choose from, the best one first; empty where no rule can. `suggestions` are the same for
    whoever takes a plain list: of one command all its rules, of several the best of each. `confinement` says how a command
    that is let through must run, None for with the user's own rights. `readable` are the paths outside of the working folders
    that a command held to reading may read, as it was let through for those; None where it may read whatever no rule forbids.
    `is_searching` says of a command that it reads files which it does not name: those that may hold secrets are not for it.
    `check` is the id of the classifier's check that decided. `needs` is what is missing, where nothing but that asks
    (`is_open`): rules, or a classifier, may then answer as well as a user. `effect` is what a command does that matters most,
    where that is known, and `part` the text in the command that does it.
    """

    behavior: Literal["allow", "ask", "deny"]
    by: By
    reason: str
    rule: str | None = None
    source: str | None = None
    steps: tuple[DecisionStep, ...] = ()
    suggestions: tuple[str, ...] = ()
    offers: tuple[tuple[str, ...], ...] = ()
    is_read_only: bool = False
    confinement: Confinement | None = None
    readable: tuple[str, ...] | None = None
    is_searching: bool = False
    check: str = ""
    parts: tuple[PartVerdict, ...] = ()
    needs: tuple[Need, ...] = ()
    is_open: bool = False
    effect: Effect | None = None
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A user's answer to one question.

    `rules` and `scope` save an "always"; `message` goes to the model with the result, or with the refusal; `input` is the whole
    input where the user changed it; `approved` is what was taken of each proposed change (none: all of all). `comments` are
    what the user wrote on its lines: they go to the model with the result, or with the refusal. A refusal without message and
    comments also ends the turn. `mode` is the permission mode to go on in, where the answer approves a plan.
    """

    behavior: Literal["allow", "deny"]
    rules: tuple[str, ...] = ()
    scope: Scope | None = None
    message: str | None = None
    input: dict[str, Any] | None = field(default=None)
    approved: tuple[ApprovedChange, ...] = ()
    comments: tuple[LineComment, ...] = ()
    mode: Mode | None = None

    @property
    def words(self) -> str:
        """All that the model is told with a refusal."""
        return "\n\n".join(filter(None, (self.message, review_text(self.comments))))
