"""What a command may leave otherwise than it was judged: files, folders and links that later ones are led by."""

from __future__ import annotations

from typing import Final

from tui_agent.permissions.command_part import Judged
from tui_agent.permissions.shell.effective_command import base_name

__all__ = ["disturbs", "makes_links", "may_do_anything"]

# Programs that put files, folders and links where they are told to.
_MOVERS: Final = frozenset({
    "7z", "bsdtar", "cp", "cpio", "curl", "dd", "install", "ln", "mv", "patch", "rename", "rsync", "scp", "sed", "sftp", "tar",
    "tee", "truncate", "unzip", "wget",
})  # fmt: skip
# Those of them that make plain files and nothing else.
_MAKE_NO_LINKS: Final = frozenset({"curl", "dd", "sed", "tee", "truncate"})
# Subcommands of git that put no files or links in place; the others do.
_LEAVES_FILES: Final = frozenset({
    "add", "branch", "commit", "config", "diff", "fetch", "log", "push", "remote", "show", "status", "tag",
})  # fmt: skip
_STASH_LOOKS: Final = frozenset({"list", "show"})
# What bash does itself, without touching a file.
_OWN_STATE: Final = frozenset({
    "declare", "export", "kill", "local", "read", "readonly", "set", "shopt", "sleep", "typeset", "ulimit", "umask", "unset",
    "wait",
})  # fmt: skip


def disturbs(one: Judged, *, by_git: bool = True) -> bool:
    """Whether a part is known to leave links, folders or settings otherwise than they were judged.

    Programs that are not known to move files about do not count: whoever allows `npm` or `make` allows what the project's own
    code does, and no program that runs later is safer for being asked about.
    """
    if _leaves_all(one):
        return False
    return not one.part.programs.isdisjoint(_MOVERS) or (by_git and _moves_by_git(one))


def makes_links(one: Judged) -> bool:
    """Whether a part is known to put folders and links in place."""
    if _leaves_all(one):
        return False
    return not one.part.programs.isdisjoint(_MOVERS - _MAKE_NO_LINKS) or _moves_by_git(one)


def may_do_anything(one: Judged) -> bool:
    """Whether a part has the user's rights and is not known to leave files, folders and links as they are.

    What the shell opens later is named by the text alone: no rule on a program covers it.
    """
    if _leaves_all(one) or one.least != "free" or not one.part.words:
        return False
    if base_name(one.part.words[0]) in _OWN_STATE:
        return False
    return one.part.programs != {"git"} or _moves_by_git(one)


def _leaves_all(one: Judged) -> bool:
    return one.part.judgement.kind == "read_only" or one.is_harmless_edit


def _moves_by_git(one: Judged) -> bool:
    if "git" not in one.part.programs:
        return False
    words = [word.value for word in one.part.words]
    behind = words[next((at for at, word in enumerate(one.part.words) if base_name(word) == "git"), 0) + 1 :]
    if behind[:1] == ["stash"]:
        return not _STASH_LOOKS.intersection(behind[1:2])
    return not behind or behind[0] not in _LEAVES_FILES
