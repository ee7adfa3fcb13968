"""What may be asked about permissions: open questions, rules, refusals, and what a call would get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tui_agent.changes import FileChange
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.verdict import Behavior, SourceKind, Verdict
from tui_agent.plain import Plain
from tui_agent.queries.query import Query

__all__ = [
    "Coverage",
    "CoverageQuery",
    "CoveredCall",
    "Denial",
    "JudgeQuery",
    "PermissionsQuery",
    "PermissionsReport",
    "PlanOffer",
    "PlanQuery",
    "Proposals",
    "ProposalsQuery",
    "RuleCheckQuery",
    "RuleFiles",
    "RuleNotes",
    "RuleRow",
    "TrialQuery",
]


# --- open questions --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Proposals(Plain):
    """The changes that a question is about, with their texts; none where there is no longer a question."""

    changes: tuple[FileChange, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProposalsQuery(Query[Proposals]):
    """Which changes is an open question about?"""

    request_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgeQuery(Query[Verdict]):
    """What would the call of an open question get with another input?"""

    request_id: str
    input: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PlanOffer(Plain):
    """A plan that waits for approval: its text and file, and the modes to choose from, the one of before first marked."""

    text: str
    file: str
    modes: tuple[Mode, ...]
    before: Mode


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlanQuery(Query[PlanOffer | None]):
    """Which plan waits for approval? Null where nobody can approve one, as in a recording."""


# --- rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RuleRow(Plain):
    """One rule as a user sees it listed.

    `source` is where it comes from: a file, `session` or `command line`; `line` where in the file, 0 for nowhere. `problem`
    says why it does nothing, or is empty. `is_removable` is whether it can be taken away here.
    """

    text: str
    behavior: Behavior
    kind: SourceKind
    source: str
    line: int = 0
    problem: str = ""
    is_removable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Denial(Plain):
    """A call that did not run: when (seconds since the epoch), by whom, by which rule from where, and why.

    `subject` is what it was about: the command, the path or the address, empty where the call names none. `by` is the kind of
    check that denied it, or `person` or `hook`.
    """

    time: float
    tool: str
    subject: str
    by: str
    reason: str
    rule: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleFiles(Plain):
    """The settings files that rules are saved in, by scope; they may not exist yet."""

    local: str
    project: str
    user: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PermissionsReport(Plain):
    """Every rule by its source, strongest first, those that do nothing included; and what was refused, newest last.

    `folders` are the working folders: where the session was started, then the added ones.
    """

    rules: tuple[RuleRow, ...]
    denials: tuple[Denial, ...]
    folders: tuple[str, ...]
    files: RuleFiles


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PermissionsQuery(Query[PermissionsReport | None]):
    """Which rules are there, and what was refused? Null where nothing is judged, as in a recording."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleNotes(Plain):
    """Why a rule could not be used, and what it lets through that its writer may not have meant; each empty where nothing."""

    problem: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleCheckQuery(Query[RuleNotes]):
    """Could this rule be used, and does it let through more than it seems to? It need not be one of the session's."""

    text: str
    behavior: Behavior = "allow"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrialQuery(Query[Verdict]):
    """How would a call be decided now, step by step? Nothing runs, nobody is asked, and nothing is counted."""

    tool: str
    input: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoveredCall(Plain):
    """A call that was asked about. `subject` is its command, path or address; empty where it names none."""

    tool: str
    input: dict[str, Any]
    subject: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coverage(Plain):
    """The calls that rules would have covered, of how many that were asked. `problem` is why they cannot be used, or empty."""

    covered: tuple[CoveredCall, ...]
    asked: int
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoverageQuery(Query[Coverage | None]):
    """Which calls that were asked about in this session would these rules have covered, all of them together?

    For an allowing list those that would not have been asked; for the others those the rules are about. Null where nothing is
    judged.
    """

    rules: tuple[str, ...]
    behavior: Behavior = "allow"
