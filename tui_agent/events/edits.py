"""A change to a file: proposed, judged by the user, written, taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.changes import FileChange
from tui_agent.events.event import Event

__all__ = ["EditApplied", "EditProposed", "EditReviewed", "EditUndone", "ProposedFileChanged"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EditProposed(Event):
    """A tool wants to make this change; nothing is written yet."""

    tool_use_id: str
    change: FileChange


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ProposedFileChanged(Event):
    """A file on disk stands otherwise to the change that is proposed for it, while the user is asked about that.

    Between the question's `PermissionRequested` and its `PermissionResolved`; nothing is said of a file as long as it is what
    was read. `gone` is a file that was removed, `made` one that was to be new and is there by now; `as_read` takes back what
    was said before.
    """

    request_id: str
    tool_use_id: str
    path: str
    standing: Literal["as_read", "changed", "gone", "made"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EditReviewed(Event):
    """The user took some hunks of the proposal and refused others; the numbers are positions in `change.hunks`."""

    tool_use_id: str
    accepted: tuple[int, ...]
    refused: tuple[int, ...]
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EditApplied(Event):
    """The file on disk now holds what was approved; `change` is what was really written.

    `after_hash` is the hash of what it holds (`changes.content_hash`), `real` where the path of the change led, links resolved;
    both are empty in older records.
    """

    tool_use_id: str
    change: FileChange
    after_hash: str = ""
    real: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EditUndone(Event):
    """The user took back what this session had changed in a file. `change` is what that did to it.

    `after_hash` is the hash of what the file holds now; empty where it is gone. `left` is how many places others have changed
    too, and which were therefore left as they are.
    """

    path: str
    change: FileChange
    after_hash: str
    left: int = 0
