"""What a command may read beside the files that it names: what lies below a folder, what a link leads to, what git keeps.

Looking it up is bounded. What would take longer counts as if it were there: then a user is asked.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from tui_agent.git_index import repository_top, tracked_files, tracked_names
from tui_agent.permissions.path_context import PathContext, is_within
from tui_agent.permissions.paths import PathPattern
from tui_agent.permissions.rules import Behavior, Rule, RuleSet
from tui_agent.permissions.secret_files import is_secret_file
from tui_agent.permissions.shell.analysis import Part
from tui_agent.permissions.shell.effective_command import base_name
from tui_agent.permissions.shell.files import FileUse, loose_roots
from tui_agent.permissions.shell.git_reads import GitReads, Shows, git_reads, is_glob
from tui_agent.permissions.shell.path_expansion import Places
from tui_agent.permissions.shell.words import Word
from tui_agent.regular_files import read_regular

__all__ = [
    "git_secrets",
    "is_searching",
    "why_links_may_lead_out",
    "why_may_read_asked",
    "why_may_read_denied",
    "why_strays",
]

_MOST_ENTRIES: Final = 4000
_MOST_TRACKED: Final = 20_000
# Names that `xargs`, or a shell that splits what a command prints, takes for several, or for others.
_SPLIT: Final = re.compile(r"[\s'\"\\*?\[]")
_OBJECT_ID: Final = re.compile(r"[0-9a-f]{4,64}")
# By these git shows contents whatever its attributes say.
_RAW: Final = frozenset({
    "format-patch", "archive", "fast-export", "bundle", "unpack-file", "checkout-index", "for-each-ref", "tag", "branch",
    "verify-tag",
})  # fmt: skip
_RAW_OPTIONS: Final = frozenset({"-a", "--text", "--binary"})
_TEXT_LETTERS: Final = re.compile(r"-[a-zA-Z]*a[a-zA-Z]*")
_SHOWN: Final = re.compile(rb"[ \t](?:diff\b|!diff\b)")
_MOST_LISTS: Final = 200
_LARGEST_LIST: Final = 1 << 20
# What of git's own folder holds no contents of files.
_OPEN_IN_GIT: Final = frozenset({
    "HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "COMMIT_EDITMSG", "config", "description", "packed-refs",
    "refs", "logs", "info", "hooks", "branches", "index",
})  # fmt: skip
_EXCLUDE: Final = re.compile(r":(?:\(([^)]*)\)|([!^/]+):?)(.*)", re.DOTALL)
_HINT: Final = "name the files behind `--`, or leave those out: `-- . ':(top,exclude,glob)**/NAME'`"


class _TooManyError(Exception):
    """There are more files than are looked at."""


def why_may_read_denied(
    uses: FileUse, rules: RuleSet, where: PathContext, *, hidden_from: Literal["nothing", "reading", "everything"]
) -> str:
    """Return why a command may show a file that a rule keeps from being read; empty where it surely shows none.

    Args:
        uses: what the command reads.
        rules: all rules in force.
        where: the folders it is judged by.
        hidden_from: which parts of it run in a sandbox that hides these files: those that only read, or all. Older versions,
            which git keeps, no sandbox hides.
    """
    for git, folders in uses.git:
        reason = _git_shows_denied(git, folders, rules, where)
        if reason:
            return reason
    for path in uses.reads:
        if (kept := _kept_by_git(path)) and _concerning(kept, rules, where):
            return f"`{where.shown(path)}` may hold old versions of files, and a rule denies some"
    for loose in uses.loose:
        if hidden_from == "everything" or (hidden_from == "reading" and loose.is_reading):
            continue
        if loose.roots is None:
            return "which files it reads is unknown before it runs, and a rule denies some"
        try:
            denied = next(_ruled_below(loose.roots, "deny", rules, where), None)
        except _TooManyError:
            return "there are too many files below the folders that it reads to look for those that a rule denies"
        if denied is not None:
            return f"it may read `{where.shown(denied[0])}`, which `{denied[1].text}` denies"
    return ""


def why_may_read_asked(uses: FileUse, rules: RuleSet, where: PathContext) -> str:
    """Return why a command may show a file that a rule wants to be asked about; no sandbox hides those."""
    for loose in uses.loose:
        if loose.roots is None:
            return "which files it reads is unknown before it runs, and a rule asks about some"
        try:
            found = next(_ruled_below(loose.roots, "ask", rules, where), None)
        except _TooManyError:
            return "there are too many files below the folders that it reads to look for those that a rule asks about"
        if found is not None:
            return f"it may read `{where.shown(found[0])}`, which `{found[1].text}` asks about"
    return ""


def is_searching(part: Part) -> bool:
    """Whether a command shows files that it does not name; git's own ways to old versions are not meant."""
    if part.judgement.loose & {"contents", "names", "lists"}:
        return True
    return any(base_name(one.words[0]) == "git" and git_reads(one.words).is_outside for one in part.reached)


def git_secrets(part: Part, folders: Places, where: PathContext) -> Iterator[str]:
    """Yield files that are there to hold secrets which git may show of the repository, though none is named as on the disk."""
    for one in part.reached:
        if base_name(one.words[0]) != "git":
            continue
        found = git_reads(one.words)
        for folder in folders.paths:
            top = repository_top(where.resolve(folder)) or folder
            yield from (f"{top}/{name}" for name in found.paths if is_secret_file(f"{top}/{name}"))
            values = [word.value for word in one.words[1:] if not word.value.startswith(":")]
            names = [value.partition(":")[2] for value in values if ":" in value]
            yield from (f"{top}/{name}" for name in names if is_secret_file(f"{top}/{name}"))
            secret = _SECRETS.of(top)
            if secret and _of_the_past(found, folder, top):
                yield from (f"{top}/{name}" for name, _ in secret)
            if found.shows is Shows.NOTHING:
                continue
            is_raw = bool(secret) and (_shows_raw(one.words) or _overrules_attributes(top, secret))
            ids = [value for value in (one.rpartition("=")[2] for one in values) if _OBJECT_ID.fullmatch(value)]
            yield from (
                f"{top}/{name}" for name, number in secret if is_raw or any(number.startswith(text) for text in ids)
            )


def _shows_raw(words: Sequence[Word]) -> bool:
    """Whether git is told to show contents that its attributes would keep to itself, or does so by what it is."""
    values = [word.value for word in words[1:]]
    name = next((value for value in values if not value.startswith("-")), "")
    if name in _RAW or (name == "cat-file" and any(value.startswith("--batch") for value in values)):
        return True
    return any(value in _RAW_OPTIONS or (name == "grep" and _TEXT_LETTERS.fullmatch(value)) for value in values)


def _overrules_attributes(top: str, secret: Iterable[tuple[str, str]]) -> bool:
    """Whether a list of the repository's own, which outranks the user's, may have git show contents of some of these files."""
    folders = {above for name, _ in secret for above in _folders_above(name)}
    lists = [f"{top}/.git/info/attributes", *(f"{top}/{folder}.gitattributes" for folder in folders)]
    for path in lists[:_MOST_LISTS]:
        try:
            if _SHOWN.search(read_regular(path, _LARGEST_LIST)):
                return True
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
    return len(lists) > _MOST_LISTS


def _folders_above(name: str) -> Iterator[str]:
    """Yield the folders that a file lies in, each with the slash behind it."""
    parts = name.split("/")[:-1]
    return ("".join(f"{part}/" for part in parts[:end]) for end in range(len(parts) + 1))


class _TrackedSecrets:
    """The tracked files that are there to hold secrets, with the numbers of their contents, as long as the index stays."""

    def __init__(self) -> None:
        self._last: tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] = ((), ())

    def of(self, top: str) -> tuple[tuple[str, str], ...]:
        files = tracked_files(top) or ()
        last, found = self._last
        if last is not files:
            found = tuple(one for one in files if is_secret_file("/" + one[0]))
            self._last = files, found
        return found


_SECRETS: Final = _TrackedSecrets()


def why_strays(part: Part, folders: Places, where: PathContext) -> str:
    """Return why a command that only reads may leave the work by links that it meets; empty where it surely does not."""
    loose = part.judgement.loose
    if "lists" in loose:
        return "it reads files that another file names"
    if not loose & {"links", "names"}:
        return ""
    return why_links_may_lead_out(loose_roots(part, folders, where), where, are_names_split="names" in loose)


def why_links_may_lead_out(roots: Iterable[str], where: PathContext, *, are_names_split: bool) -> str:
    """Return why links below these folders may lead out of the work; empty where none does.

    With `are_names_split` names that would be taken for several are a reason, too.
    """
    try:
        for path, is_link in _below(roots):
            if is_link and not where.is_free_to_read(path):
                return f"`{where.shown(path)}` is a link that leads outside the working folders"
            if are_names_split and _SPLIT.search(os.path.basename(path)):  # noqa: PTH119
                return f"the name of `{where.shown(path)}` may be read as several names"
    except _TooManyError:
        return "there are too many files to look for links that lead outside the working folders"
    return ""


def _below(roots: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the folders themselves and what lies below them, and whether it is a link. Links are not followed.

    What git keeps of files is left out: it is packed, and read by git alone.

    Raises:
        _TooManyError: there is too much of it.
    """
    left = _MOST_ENTRIES
    waiting = list(dict.fromkeys(roots))
    for root in waiting:
        yield root, os.path.islink(root)  # noqa: PTH114
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        raise _TooManyError
                    is_link = entry.is_symlink()
                    yield entry.path, is_link
                    if not is_link and entry.is_dir(follow_symlinks=False) and not folder.endswith("/.git"):
                        waiting.append(entry.path)
        except (FileNotFoundError, ValueError):
            raise _TooManyError from None  # or one that comes and goes
        except OSError:
            continue  # a file, or closed to the command as well


def _ruled_below(
    roots: Iterable[str], behavior: Behavior, rules: RuleSet, where: PathContext
) -> Iterator[tuple[str, Rule]]:
    """Yield what lies below folders and rules of a list are about, each with the first of these."""
    listed = rules.path_rules(behavior, "read")
    for path, is_link in _below(roots):
        if is_link:
            found = rules.path_rule(behavior, path, "read", where)
        elif listed.may_match(path, where):
            # What is no link is where its name says.
            found = next((rule for rule, pattern in listed if pattern is None or pattern.matches(path, where)), None)
        else:
            found = None
        if found is None and not is_link:
            others = where.others(path)
            if others is None:
                raise _TooManyError
            found = rules.path_rule(behavior, path, "read", where) if others else None
        if found is not None:
            yield path, found


# git


def _git_shows_denied(git: GitReads, folders: Places, rules: RuleSet, where: PathContext) -> str:
    for folder in folders.paths:
        top = repository_top(where.resolve(folder))
        concerned = _concerning(top or folder, rules, where)
        if not concerned:
            continue
        if gone := _of_the_past(git, folder, top):
            return f"`{gone}` is no file now; it may be an old version of one that `{concerned[0][0].text}` denies"
        if git.shows is Shows.NOTHING:
            continue
        if not top or not folders.is_certain:
            return "which repository git shows is unknown before it runs, and a rule denies some files"
        named = [*git.limits, *(one for one in git.operands if _is_there(folder, one))]
        if named and all(_is_file(folder, one) for one in named):
            continue  # what is named is judged by its name
        is_whole = where.resolve(folder) == top
        if all(_is_left_out(rule, pattern, git.excludes, is_whole=is_whole) for rule, pattern in concerned):
            continue
        if git.is_current and len(named) == len(git.limits) + len(git.operands):
            names = tracked_names(top)
            if names is not None and len(names) <= _MOST_TRACKED:
                denied = _TRACKED.first_denied(top, names, rules, where)
                if not denied:
                    continue
                return f"git may show `{where.shown(denied)}`, which a rule denies"
        return f"git may show old versions of files that `{concerned[0][0].text}` denies; {_HINT}"
    return ""


def _of_the_past(git: GitReads, folder: str, top: str) -> str:
    """Return a file of a commit that git is to show, and that has no such name now: perhaps it was given another one."""
    paths = [path for path in git.paths if path]
    if not paths:
        return ""
    tracked = frozenset(tracked_names(top) or ()) if top else frozenset()
    for path in paths:
        spots = (os.path.normpath(os.path.join(start, path)) for start in (folder, top) if start)  # noqa: PTH118
        if not any(os.path.lexists(spot) or spot.removeprefix(f"{top}/") in tracked for spot in spots):
            return path
    return ""


class _GitTracked:
    """The first tracked file that a rule denies, kept as long as neither the index nor the rules change."""

    def __init__(self) -> None:
        self._last: tuple[tuple[object, ...], str] = ((), "")

    def first_denied(self, top: str, names: tuple[str, ...], rules: RuleSet, where: PathContext) -> str:
        denied = rules.path_rules("deny", "read")
        key = (top, names, denied, where.cwd, where.home, where.is_case_blind)
        last, found = self._last
        if len(last) == len(key) and all(one is other or one == other for one, other in zip(last, key, strict=True)):
            return found
        found = ""
        for name in names:
            path = f"{top}/{name}"
            if denied.may_match(path, where) and any(
                pattern is None or pattern.matches(path, where) for _rule, pattern in denied
            ):
                found = path
                break
        self._last = key, found
        return found


_TRACKED: Final = _GitTracked()


def _is_there(folder: str, text: str) -> bool:
    try:
        return os.path.lexists(os.path.join(folder, text))  # noqa: PTH118
    except ValueError:
        return False


def _is_file(folder: str, text: str) -> bool:
    """Whether a path names one file that is there, so that git shows it and no other."""
    try:
        return not is_glob(text) and stat.S_ISREG(os.lstat(os.path.join(folder, text)).st_mode)  # noqa: PTH118
    except (OSError, ValueError):
        return False


def _concerning(folder: str, rules: RuleSet, where: PathContext) -> list[tuple[Rule, PathPattern | None]]:
    """Return the rules that may deny something in a folder, or that a repository there kept."""
    found: list[tuple[Rule, PathPattern | None]] = []
    for rule, pattern in rules.path_rules("deny", "read"):
        starts = [] if pattern is None else where.bases(_fixed_start(pattern, where))
        if pattern is None or any(is_within(start, folder) or is_within(folder, start) for start in starts):
            found.append((rule, pattern))
    return found


def _fixed_start(pattern: PathPattern, where: PathContext) -> str:
    """Return the folder that all that a pattern matches lies in, as far as that is spelled out."""
    start = pattern.start(where)
    if pattern.anchor not in {"root", "home"}:
        return start
    parts = pattern.rest.lstrip("/").split("/")
    fixed = next((at for at, part in enumerate(parts) if is_glob(part) or "{" in part), len(parts))
    return os.path.normpath(os.path.join(start, *parts[:fixed])) if fixed else start  # noqa: PTH118


def _is_left_out(rule: Rule, pattern: PathPattern | None, excludes: Iterable[str], *, is_whole: bool) -> bool:
    """Whether git is told to leave out all that a rule denies. Only patterns that surely mean no less count."""
    if pattern is None or pattern.anchor != "cwd" or pattern.ups or "{" in pattern.text or rule.is_inert:
        return False
    name = pattern.text.removeprefix("./").removeprefix("**/").rstrip("/")
    is_content = name.endswith("/**")
    bare = name.removesuffix("/**")
    if "/" in bare or not bare:
        return False
    for text in excludes:
        match = _EXCLUDE.fullmatch(text)
        if match is None:
            continue
        magic = {one.strip() for one in (match[1] or "").split(",") if one.strip()}
        signs = match[2] or ""
        if not (is_whole or "top" in magic or "/" in signs) or not magic <= {"exclude", "top", "glob"}:
            continue
        wanted = {f"**/{bare}/**"} if is_content else {f"**/{bare}"}
        if "glob" not in magic:  # then a star also stands for slashes
            wanted = set() if is_content else {bare if bare.startswith("*") else f"*{bare}"}
        if match[3] in wanted:
            return True
    return False


def _kept_by_git(path: str) -> str:
    """Return the repository whose contents a path inside of `.git` may hold; empty for other paths."""
    top, mark, rest = path.partition("/.git/")
    return top if mark and rest.split("/")[0] not in _OPEN_IN_GIT else ""
