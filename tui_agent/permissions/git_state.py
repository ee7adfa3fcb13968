"""What of git's own folder commands may write, as commits, merges and rebases need it, and what git obeys of the rest."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final

from tui_agent.git_config import module_folders
from tui_agent.regular_files import read_regular

__all__ = ["kept_of_bare", "kept_of_git", "obeyed_in_git"]

# A commit needs it, and nothing in it is run or obeyed.
_STATE: Final = frozenset({
    "objects", "refs", "logs", "index", "packed-refs", "packed-refs.new", "shallow", "reftable", "rr-cache", "lfs", "gc.log",
    "gc.pid",
})  # fmt: skip
# What merges, rebases and their like keep between their steps. Some of it git would run.
_STEPS: Final = frozenset({"rebase-merge", "rebase-apply", "sequencer"})
_LISTS_OF_STEPS: Final = ("git-rebase-todo", "todo")
_STEP: Final = re.compile(
    r"[ \t]*(?:[^\w\s].*|\s*|(?:[prestfbdlmu]|pick|reword|edit|squash|fixup|break|drop|label|reset|merge|update-ref|noop"
    r"|revert)(?:[ \t\r].*)?)",
    re.DOTALL,
)
_AUTHOR: Final = re.compile(r"GIT_AUTHOR_(?:NAME|EMAIL|DATE)=.*|\s*", re.DOTALL)
_STRATEGY: Final = re.compile(r"\s*(?:ort|recursive|resolve|octopus|ours|subtree)?\s*")
_EVALUATED: Final = re.compile(r"[^`$;|&<>()\n]*\n?")  # by old versions of git, as the shell does
_OBEYED: Final = ("hooks", "config", "info", "objects/info")  # always, be they there or not
_OF_WORKTREE: Final = ("gitdir", "commondir", "config.worktree", "locked")
_MOST_REPOSITORIES: Final = 64
_MOST_BYTES: Final = 1 << 20
_UNREAD: Final = "it cannot be read"


def kept_of_git(git: str) -> Iterator[str]:
    """Yield what of git's own files a command may not write: all but the state that a commit changes.

    `git` is a `.git`: a folder, of which also those of submodules and worktrees are looked at, or a file, which is kept whole.
    What is yielded may not exist.
    """
    if not os.path.isdir(git) or os.path.islink(git):  # noqa: PTH112, PTH114 - text
        yield git
        return
    waiting = [git]
    seen = 0
    while waiting and seen < _MOST_REPOSITORIES:
        folder = waiting.pop()
        seen += 1
        inside = _names(folder)
        if folder != git and not {"HEAD", "config", "objects"} & set(inside):  # a folder on the way to a submodule's
            waiting += [f"{folder}/{name}" for name in inside]
            continue
        if any(_is_link_to_keep(f"{folder}/{name}", name) for name in inside):
            yield folder  # what a link leads to could not be kept from being replaced
            continue
        yield from (f"{folder}/{name}" for name in _OBEYED)
        for name in inside:
            if name == "modules":
                waiting += [f"{folder}/modules/{one}" for one in _names(f"{folder}/modules")]
            elif name == "worktrees":
                own = (
                    f"{folder}/worktrees/{one}/{file}" for one in _names(f"{folder}/worktrees") for file in _OF_WORKTREE
                )
                yield from filter(os.path.lexists, own)
            elif not (_is_state(name) or name in _STEPS or name in _OBEYED):
                yield f"{folder}/{name}"
    yield from waiting  # there are too many: the others are kept whole


def _is_link_to_keep(path: str, name: str) -> bool:
    return not _is_state(name) and os.path.islink(path)  # noqa: PTH114 - text


def kept_of_bare(folder: str) -> Iterator[str]:
    """Yield what to keep of a repository that is a folder of any name, in which there may be work as well."""
    yield from (f"{folder}/{name}" for name in _OBEYED)
    inside = (f"{folder}/{name}" for name in ("commondir", "config.worktree", "modules"))
    owns = (f"{folder}/worktrees/{one}/{file}" for one in _names(f"{folder}/worktrees") for file in _OF_WORKTREE)
    yield from filter(os.path.lexists, (*inside, *owns))


def obeyed_in_git(folder: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what git may obey in one of its own folders, each with what it would run; that is empty for what is no state.

    Repositories in it, of submodules and worktrees, are left out.
    """
    modules = (f"{folder}/modules/{name}" for name in _names(f"{folder}/modules"))
    yield from ((path, frozenset()) for path in modules if next(module_folders(path), None) is None)
    for name in _names(folder):
        path = f"{folder}/{name}"
        if name in _STEPS:
            if lines := frozenset(_run_by_steps(path)):
                yield path, lines
        elif name == "BISECT_NAMES":
            if not _EVALUATED.fullmatch(text := _text(path)):
                yield path, frozenset({text})
        elif name not in ("modules", "worktrees") and not _is_state(name):
            yield path, frozenset()


def _run_by_steps(folder: str) -> Iterator[str]:
    """Yield what git would run when it goes on with a rebase or the like, and whatever is not understood."""
    if os.path.islink(folder):  # noqa: PTH114 - text
        yield "it is a link"
        return
    for name in _LISTS_OF_STEPS:
        yield from (line for line in _text(f"{folder}/{name}").split("\n") if not _STEP.fullmatch(line))
    yield from (line for line in _text(f"{folder}/author-script").split("\n") if not _AUTHOR.fullmatch(line))
    if not _STRATEGY.fullmatch(strategy := _text(f"{folder}/strategy")):
        yield strategy


def _text(path: str) -> str:
    """Return a file's text; empty where there is none, and something that nobody means where it is not a plain file."""
    try:
        return read_regular(path, _MOST_BYTES).decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError):
        return f"$({_UNREAD})\nx {_UNREAD}"


def _is_state(name: str) -> bool:
    plain = name.removesuffix(".lock")
    return (
        plain in _STATE
        or plain.startswith(("index.", "sharedindex."))
        or (plain.isascii() and plain.replace("_", "").isalpha() and plain.isupper())  # HEAD, MERGE_MSG …
    )


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - text
    except OSError:
        return []
