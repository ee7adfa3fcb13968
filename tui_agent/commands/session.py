"""Commands about the session as a whole: its beginning and end, what it runs under, what it looks at again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui_agent.commands.command import Command, Done
from tui_agent.permissions.modes import Mode
from tui_agent.plain import Plain

__all__ = [
    "AddFolder",
    "Close",
    "ConfirmSettings",
    "CycleMode",
    "DeleteSession",
    "EndReason",
    "FolderAdded",
    "Refresh",
    "ReloadSettings",
    "RenameSession",
    "SessionDeleted",
    "SetMasking",
    "SetMode",
    "SetModel",
    "SetSpendingLimit",
    "SetThinking",
    "SignIn",
    "Start",
]

EndReason = Literal["exit", "clear", "done", "failed", "interrupted"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Start(Command[Done]):
    """Publish what a subscriber must know first: the recorded part, then who and where this is. Given once, first of all."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Refresh(Command[Done]):
    """Look again at what other programs may have changed meanwhile: settings files, the git branch."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReloadSettings(Command[Done]):
    """Read the settings anew if one of their files has changed, and tell what is different."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfirmSettings(Command[Done]):
    """Let settings of the folder that are held back count from now on. `hashes` are those that the user was shown."""

    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetMode(Command[Done]):
    """Change the permission mode. Bypassing needs to have been allowed at the start, and is refused by a notice otherwise."""

    mode: Mode


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CycleMode(Command[Done]):
    """Go to the next of the modes that may be cycled through."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetModel(Command[Done]):
    """Send requests to `model` from now on; `opus` and the like stand for the newest of their kind."""

    model: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetThinking(Command[Done]):
    """Let the model think before it answers from the next message on, or not; some models always do."""

    on: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetMasking(Command[Done]):
    """Hide secrets from now on, or show them until the session ends; a policy may forbid that. What was hidden stays so."""

    on: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetSpendingLimit(Command[Done]):
    """Limit what the session may cost, in US dollars; null takes the limit away."""

    usd: float | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SignIn(Command[Done]):
    """Go to the model's endpoint with this key from now on, or to another; an empty key is none. Nothing is kept of it."""

    api_key: str = ""
    base_url: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FolderAdded(Plain):
    """The folder, as an absolute path, is a working folder now."""

    path: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AddFolder(Command[FolderAdded]):
    """Let the session work in another folder, too, until it ends; a relative path starts where the shell stands."""

    path: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SessionDeleted(Plain):
    """The session is no longer recorded. `was_gone` says that it was not when the command came."""

    was_gone: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DeleteSession(Command[SessionDeleted]):
    """Delete a recorded session with all that is kept of it, for good. Refused where it is open, here or elsewhere."""

    session_id: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RenameSession(Command[Done]):
    """Call a recorded session `title`; an empty one takes its title away. Without an id the session that is open."""

    title: str
    session_id: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Close(Command[Done]):
    """Stop what runs, end the session and release what it holds. May be given again."""

    reason: EndReason = "exit"
