"""Commands that settle what the engine has asked: whether a call may run, a form, a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tui_agent.changes import ApprovedChange, FileChange
from tui_agent.commands.command import Command, Done
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.verdict import Decision, Scope
from tui_agent.plain import Plain
from tui_agent.review_comments import LineComment
from tui_agent.tools.forms import Answers

__all__ = ["Answer", "AnswerForm", "PlanEdited", "ReviewedFile"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReviewedFile(Plain):
    """What is taken of the change that is proposed for one file.

    `accepted` are the numbers of the hunks that are taken, from 0; without them those that are not `refused`. `edited` is the
    whole text that the file is to have in place of the proposed one, where the user changed it.
    """

    path: str
    accepted: tuple[int, ...] | None = None
    refused: tuple[int, ...] = ()
    edited: str | None = None

    def approve(self, change: FileChange) -> ApprovedChange:
        """Return what is taken of `change`.

        Raises:
            ValueError: there is no such hunk, or one is both accepted and refused.
        """
        every = range(len(change.hunks))
        accepted = (
            [number for number in every if number not in self.refused] if self.accepted is None else self.accepted
        )
        wrong = [number for number in (*accepted, *self.refused) if number not in every]
        if wrong:
            raise ValueError(f"{self.path} has no such hunk: {wrong[0]}")
        if both := set(accepted) & set(self.refused):
            raise ValueError(f"hunk {min(both)} of {self.path} is both accepted and refused")
        return change.approve(accepted, self.edited)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Answer(Command[Done]):
    """Settle a question. Refused where it was settled already, or `hunks` are not about the changes that were proposed.

    `rules` and `scope` save an "always"; `message` goes to the model with the result, or with the refusal; `input` is the whole
    input where the user changed it; `hunks` is what is taken of each proposed change (none: all of all). `comments` are what
    the user wrote on lines. A refusal without message and comments also ends the turn. `mode` is the permission mode to go on
    in, where the answer approves a plan.
    """

    request_id: str
    decision: Literal["allow", "deny"]
    message: str | None = None
    input: dict[str, Any] | None = None
    rules: tuple[str, ...] = ()
    scope: Scope | None = None
    hunks: tuple[ReviewedFile, ...] = ()
    comments: tuple[LineComment, ...] = ()
    mode: Mode | None = None

    @classmethod
    def of(cls, request_id: str, decision: Decision) -> Answer:
        """Return the command that gives a decision."""
        hunks = tuple(
            ReviewedFile(path=one.path, accepted=one.accepted, edited=one.after if one.is_edited else None)
            for one in decision.approved
        )
        return cls(
            request_id=request_id,
            decision=decision.behavior,
            message=decision.message,
            input=decision.input,
            rules=decision.rules,
            scope=decision.scope,
            hunks=hunks,
            comments=decision.comments,
            mode=decision.mode,
        )

    def decide(self, proposals: tuple[FileChange, ...]) -> Decision:
        """Return the decision on a question with these proposals.

        Raises:
            ValueError: `hunks` are about other changes, or name hunks that there are not.
        """
        if self.hunks and [one.path for one in self.hunks] != [change.path for change in proposals]:
            named = ", ".join(change.path for change in proposals) or "no file"
            raise ValueError(f"`hunks` must name the files that are to be changed, in their order: {named}")
        pairs = zip(self.hunks, proposals, strict=True) if self.hunks else ()
        return Decision(
            behavior=self.decision,
            rules=self.rules,
            scope=self.scope,
            message=self.message,
            input=self.input,
            approved=tuple(one.approve(change) for one, change in pairs),
            comments=self.comments,
            mode=self.mode,
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnswerForm(Command[Done]):
    """Settle a form with answers by key, or close it without (null)."""

    request_id: str
    answers: Answers | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlanEdited(Command[Done]):
    """The plan's file was changed by the user: what it says now is what they approve."""
