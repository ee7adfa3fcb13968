"""What git shows of the contents of files: which it is asked for by name, and whether it shows others, or older versions.

git keeps every version of every file that was ever committed. Whoever may not read a file may not read those either. The words
alone are read here, nothing on the disk; a form that is not known counts as one that shows everything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import Final

from tui_agent.permissions.shell.programs.table import entry_for
from tui_agent.permissions.shell.words import Word

__all__ = ["GitReads", "Shows", "git_reads", "is_glob"]


class Shows(IntEnum):
    """Whose contents git shows beside the files that it is asked for by name."""

    NOTHING = 0
    """Nobody's: names, numbers, messages."""
    EVERYTHING = 1
    """Any file that ever was committed, or nobody knows which."""


@dataclass(frozen=True, slots=True)
class GitReads:
    """What a call of git shows.

    `folders` are the values of `-C`, in turn. `paths` are texts of paths: those in commits start at the top of the repository
    unless they begin with a dot, the others in the folder; each may be meant either way. `operands` are words that are paths if
    something of that name is there, and else revisions; `limits` are the paths behind `--`. `excludes` are the patterns that
    are left out.
    """

    shows: Shows
    paths: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    is_current: bool = False
    """Whether it shows the present state alone where none of the operands is a revision."""
    is_outside: bool = False
    """Whether it goes through the folders among `limits` as they lie on the disk, and shows what is there."""


_EVERYTHING: Final = GitReads(Shows.EVERYTHING)
# Subcommands that show no contents of files, or none that is not in the working tree anyway.
_QUIET: Final = frozenset({
    "add", "am", "apply", "bisect", "branch", "bugreport", "check-attr", "check-ignore", "check-mailmap", "check-ref-format",
    "checkout", "cherry", "cherry-pick", "clean", "clone", "column", "commit-graph", "count-objects", "describe", "fetch",
    "for-each-ref", "gc", "get-tar-commit-id", "hash-object", "help", "init", "interpret-trailers", "lfs", "ls-files",
    "ls-remote", "ls-tree", "maintenance", "merge", "merge-base", "mktag", "mktree", "name-rev", "notes", "pack-refs",
    "patch-id", "prune", "pull", "push", "rebase", "remote", "repack", "replace", "reset", "restore", "rev-list",
    "rev-parse", "revert", "rm", "shortlog", "show-branch", "show-ref", "sparse-checkout", "stripspace", "submodule",
    "switch", "symbolic-ref", "tag", "update-index", "update-ref", "update-server-info", "var", "verify-commit",
    "verify-pack", "verify-tag", "version", "worktree", "write-tree",
})  # fmt: skip
_PICKS: Final = frozenset({"add", "checkout", "commit", "reset", "restore"})
"""Those that may show what changed, piece by piece, to choose from."""
# Those that list commits, and print differences where they are told to; and those that print them by themselves.
_LISTS: Final = frozenset(
    {"log", "whatchanged", "reflog", "diff-tree", "diff-index", "diff-files", "stash list", "stash show"}
)
_PRINTS: Final = frozenset({"show", "diff", "range-diff"})
_INSTEAD: Final = re.compile(
    r"-s|-q|--(?:no-patch|quiet|raw|summary|name-only|name-status|numstat|shortstat|compact-summary|stat(?:=.*)?|dirstat(?:=.*)?"
    r"|dirstat-by-file(?:=.*)?|cumulative)"
)
"""What a difference is told by in place of its lines."""
_HARMLESS_DIFF: Final = re.compile(
    r"--(?:(?:no-)?color(?:=.*)?|(?:no-)?renames|(?:no-)?rename-empty|full-index|(?:no-)?abbrev(?:=.*)?|find-(?:renames|copies)(?:=.*)?"
    r"|find-copies-harder|break-rewrites(?:=.*)?|irreversible-delete|diff-filter=.*|(?:no-)?relative(?:=.*)?|exit-code"
    r"|no-ext-diff|no-textconv|ignore-[\w-]+(?:=.*)?|(?:src|dst|line)-prefix=.*|no-prefix|default-prefix|minimal|patience|histogram"
    r"|diff-algorithm(?:=.*)?|(?:no-)?indent-heuristic|stat-[\w-]+=.*|no-diff-merges|cached|staged|merge-base|base|ours|theirs|stdin"
    r"|no-commit-id|always|root|skip-to=.*|rotate-to=.*|ita-invisible-in-index|follow|(?:no-)?include-untracked|only-untracked"
    r"|creation-factor=.*|no-dual-color)"
)
_QUIET_SHORT: Final = re.compile(r"-(?:[MCBlnO]\d*%?|\d+|[iEFPgszqtrRbwavD]+|X.*)")
_COMMIT_ONLY: Final = re.compile(r"(?:HEAD|@)(?:[~^]\d*)*(?:\^\{(?:commit|tree)\})?|[\w./-]+\^\{(?:commit|tree)\}")
_OBJECT_ID: Final = re.compile(r"[0-9a-f]{4,64}")
# Subcommands that show files which they are given for something else, and options that have one taken for a text.
_SHOWS_OPERANDS: Final = frozenset(
    {"mv", "merge-file", "interpret-trailers", "mailinfo", "mailsplit", "am", "apply", "send-email"}
)
# In a format for names of objects, this is the object itself, which may be a file.
_RAW: Final = re.compile(r"(?:%\(|=|^)-?\*?raw(?!:size)\b", re.MULTILINE)
# Long options may be cut short, and letters that take no value stand in front of another.
_TEXT_FILE: Final = re.compile(
    r"(?:-[aqvensSzfkul]*F|--(?:fi|fil|file|tem[a-z]*|pathspec-fr[a-z-]*|ignore-revs[a-z-]*|conte[a-z]*|exclude-f[a-z-]*)(?:=|$))(.*)",
    re.DOTALL,
)
_MAGIC: Final = re.compile(r":(?:\(([^)]*)\)|([!^/]*):?)(.*)", re.DOTALL)
_GLOB: Final = re.compile(r"[*?\[\\]")
_STAGE: Final = re.compile(r":[0-3]:(.*)", re.DOTALL)


@lru_cache(maxsize=128)
def git_reads(words: tuple[Word, ...]) -> GitReads:
    """Return what a call of git, whose name is the first word, shows of the contents of files."""
    rest = list(words[1:])
    folders: list[str] = []
    while rest and rest[0].value.startswith("-"):
        option = rest.pop(0)
        if not option.is_known:
            return _EVERYTHING
        if option.value in {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}:
            if not rest:
                return GitReads(Shows.NOTHING)
            value = rest.pop(0)
            if option.value == "-C":
                folders.append(value.value)
            if option.value in {"--git-dir", "--work-tree"} or not (value.is_known or option.value == "-c"):
                return _EVERYTHING
        elif option.value.startswith(("--git-dir=", "--work-tree=")):
            return _EVERYTHING
        elif option.value.startswith("-C"):
            folders.append(option.value[2:])
    if not rest:
        return GitReads(Shows.NOTHING)
    if not rest[0].is_known:
        return _EVERYTHING
    found = _Subcommand(rest[0].value, rest[1:]).run()
    return replace(found, folders=tuple(folders))


class _Subcommand:
    def __init__(self, name: str, words: Sequence[Word]) -> None:
        self.name = name
        self.words = list(words)
        if name == "stash":
            self.name = f"stash {self.words.pop(0).value}" if self.words else "stash"
        ends = next((at for at, word in enumerate(self.words) if word.value == "--" and word.is_known), len(self.words))
        self.before, self.behind = self.words[:ends], self.words[ends + 1 :]
        self.values = [word.value for word in self.before]
        self.paths: list[str] = []
        self.operands: list[str] = []
        self.limits: list[str] = []
        self.excludes: list[str] = []
        self.is_wide = False  # whether something it names may be anything

    def run(self) -> GitReads:
        name, values = self.name, self.values
        if name in _LISTS | _PRINTS:
            return self._differences()
        if name == "grep":
            return self._grep()
        if name == "cat-file":
            return self._object()
        if name in {"blame", "annotate"}:
            self._operands([word for word in self.before if not word.value.startswith("-")])
            self._pathspecs(self.behind)
            self._named_files()
            return self._found(Shows.NOTHING, (*self.paths, *self.operands, *self.limits))
        if name == "config":
            return self._blob()
        if name == "status":
            is_verbose = any(value == "--verbose" or re.fullmatch(r"-[a-z]*v[a-z]*", value) for value in values)
            return self._found(Shows.EVERYTHING if is_verbose else Shows.NOTHING)
        if name == "fsck":
            return self._found(Shows.EVERYTHING if "--lost-found" in values else Shows.NOTHING)
        shows_objects = _SHOWS_OBJECTS.get(name)
        if shows_objects is not None and any(map(shows_objects, self.words)):
            return self._found(Shows.EVERYTHING)
        if name in _SHOWS_OPERANDS:
            operands = [word for word in self.words if not word.value.startswith("-")]
            return self._found(Shows.NOTHING, [word.value for word in operands])
        is_quiet = name in _QUIET or name.startswith("stash")
        if name == "commit":
            is_quiet = not any(value == "--verbose" or re.fullmatch(r"-[a-z]*v[a-z]*", value) for value in values)
        self._named_files()
        if name in _PICKS or name.startswith("stash"):
            is_quiet = is_quiet and not {"-p", "--patch", "-i", "--interactive"} & set(values)
        return self._found(Shows.NOTHING if is_quiet else Shows.EVERYTHING)

    def _found(self, shows: Shows, paths: Sequence[str] | None = None) -> GitReads:
        return GitReads(
            Shows.EVERYTHING if self.is_wide else shows,
            tuple(self.paths if paths is None else paths),
            tuple(self.operands),
            tuple(self.limits),
            tuple(self.excludes),
        )

    def _named_files(self) -> None:
        """Take in the files that options name to be read."""
        for index, value in enumerate(self.values):
            match = _TEXT_FILE.fullmatch(value)
            if match is not None:
                following = self.values[index + 1] if index + 1 < len(self.values) else ""
                self.paths.append(match[1] or following)

    # Commits and differences

    def _differences(self) -> GitReads:
        shows_lines = self.name in _PRINTS
        has_ranges = False
        operands: list[Word] = []
        takes_value = ""
        for word in self.before:
            value = word.value
            if takes_value:
                has_ranges = self._range(value) if takes_value == "-L" else has_ranges
                takes_value = ""
            elif (not word.is_known and not word.known.startswith("-")) or not value.startswith("-") or value == "-":
                operands.append(word)
            elif value.startswith("-L"):
                shows_lines = True
                if value == "-L":
                    takes_value = "-L"
                else:
                    has_ranges = self._range(value[2:])
            else:
                shows_lines = shows_lines or self._shows_lines(value)
                takes_value = value if value in {"-n", "-O", "-l"} or self._takes_word(value) else ""
        told = any(_INSTEAD.fullmatch(value) for value in self.values)
        if not shows_lines or (told and not any(map(self._shows_lines, self.values)) and not has_ranges):
            return self._whole_objects(operands) if self.name == "show" else self._found(Shows.NOTHING, ())
        if "--no-index" in self.values:
            self.limits.extend(word.value for word in (*operands, *self.behind))
            return replace(self._found(Shows.NOTHING), is_outside=True)
        self._operands(operands)
        self._pathspecs(self.behind)
        if {"--full-diff", "--pickaxe-all", "--follow"} & set(self.values):
            self.limits, self.operands, self.excludes = [], [], []  # whole commits, or other names
        elif has_ranges:
            return self._found(Shows.NOTHING)
        if self.paths and not self.operands and not self.limits and self.name in {"show", "diff"}:
            return self._found(Shows.NOTHING)
        is_staged = {"--cached", "--staged", "--merge-base"} & set(self.values)
        is_current = self.name == "diff-files" or (self.name == "diff" and not is_staged)
        return replace(self._found(Shows.EVERYTHING), is_current=is_current)

    def _whole_objects(self, operands: Sequence[Word]) -> GitReads:
        """Read `git show --stat OBJECT`: of a commit it shows no contents, but a file it shows as a whole."""
        self._operands(operands)
        may_be_file = self.is_wide or any(_OBJECT_ID.fullmatch(one) for one in self.operands)
        self.operands = []
        return self._found(Shows.EVERYTHING if may_be_file else Shows.NOTHING)

    def _takes_word(self, value: str) -> bool:
        """Whether the next word is the value of an option, going by the table of options."""
        entry = entry_for("git log")
        kind = None if entry is None else entry.options.get(value)
        return kind in {"=", "@"} and not _INSTEAD.fullmatch(value)

    def _shows_lines(self, value: str) -> bool:
        """Whether an option makes git show lines of files, or search in them; those that are not known do."""
        if not value.startswith("-") or value in {"-", "--"} or _INSTEAD.fullmatch(value):
            return False
        if not value.startswith("--"):
            return _QUIET_SHORT.fullmatch(value) is None
        if _HARMLESS_DIFF.fullmatch(value):
            return False
        name = value.partition("=")[0]
        return name not in _log_options()

    def _range(self, value: str) -> bool:
        """Take in the file of `-L 1,5:file`; a colon may also stand in the pattern that tells the lines."""
        pieces = value.split(":")
        self.paths.extend(":".join(pieces[at:]) for at in range(1, len(pieces)))
        self.is_wide = self.is_wide or len(pieces) < 2
        return True

    def _operands(self, words: Sequence[Word]) -> None:
        for word in words:
            value = word.value
            if not word.is_known:
                self.operands.append(value if word.is_plain else "$()")
                self.is_wide = self.is_wide or not word.known.strip("./")
            elif value.startswith(":"):
                self._colon(value)
            elif ":" in value and not re.match(r"[\w./-]*\^\{/", value):
                self.paths.append(value.partition(":")[2])
                self.is_wide = self.is_wide or not value.partition(":")[2]
            elif not value.endswith("^{tree}"):  # of which only names are shown
                self.operands.append(value)

    def _colon(self, value: str) -> None:
        """Read `:file`, `:0:file`, `:/words` and pathspecs with magic, which all begin alike."""
        stage = _STAGE.fullmatch(value)
        if stage is not None:
            self.paths.append(stage[1])
        elif value.startswith((":(", ":!", ":^")):
            self._pathspec(value)
        elif value.startswith(":/"):
            self.paths.append(value[2:])
            self.operands.append(value)  # or the words of a commit's message
        else:
            self.paths.append(value[1:])

    def _pathspecs(self, words: Sequence[Word]) -> None:
        for word in words:
            if word.is_known:
                self._pathspec(word.value)
            else:
                self.limits.append(word.value)
                self.is_wide = True

    def _pathspec(self, value: str) -> None:
        match = _MAGIC.fullmatch(value)
        if match is None:
            self.limits.append(value)
            return
        magic = {one.strip() for one in (match[1] or "").split(",") if one.strip()}
        if set(match[2] or "") & set("!^"):
            magic.add("exclude")
        if "exclude" in magic:
            self.excludes.append(value)
        elif magic <= {"top", "literal"}:
            self.limits.append(match[3])
            self.paths.append(match[3])
        else:
            self.is_wide = True
            self.paths.append(match[3])

    # Other subcommands

    def _grep(self) -> GitReads:
        has_pattern = any(re.fullmatch(r"-[a-zA-Z]*[ef].*", value) for value in self.values)
        takes_word = frozenset({"-e", "-f", "-A", "-B", "-C", "-m", "-O", "--max-depth", "--threads", "--max-count"})
        operands = [
            word
            for word, before in zip(self.before, ["", *self.values], strict=False)
            if not word.value.startswith("-") and before not in takes_word
        ]
        self._pathspecs(self.behind)
        self._operands(operands if has_pattern else operands[1:])
        if {"--untracked", "--no-index"} & set(self.values):
            return self._found(Shows.EVERYTHING)
        return replace(self._found(Shows.EVERYTHING), is_current=True)

    def _object(self) -> GitReads:
        flags = [value for value in self.values if value.startswith("-")]
        if any(value.startswith(("--batch", "--textconv", "--filters")) for value in flags):
            is_quiet = all(not value.startswith("--batch") or value.startswith("--batch-check") for value in flags)
            return self._found(Shows.NOTHING if is_quiet else Shows.EVERYTHING)
        operands = [word for word in self.before if not word.value.startswith("-")]
        if {"-t", "-s", "-e"} & set(flags):
            return self._found(Shows.NOTHING)
        if "-p" not in flags and operands:
            operands = operands[1:]  # the kind of the object
        if all(word.is_known and _COMMIT_ONLY.fullmatch(word.value) for word in operands):
            return self._found(Shows.NOTHING)
        self._operands(operands)
        return self._found(Shows.EVERYTHING if self.operands or not self.paths else Shows.NOTHING)

    def _blob(self) -> GitReads:
        for index, word in enumerate(self.words):
            if word.value == "--blob" and index + 1 < len(self.words):
                self._operands([self.words[index + 1]])
            elif word.value.startswith("--blob="):
                text = word.value.partition("=")[2]
                self._operands([Word(text, text, text if word.is_known else "", word.is_plain, word.is_literal)])
        return self._found(Shows.EVERYTHING if self.operands else Shows.NOTHING)


def _may_show_raw(word: Word) -> bool:
    """Whether a word may have git show objects as they are, or sort by that."""
    if word.is_known:
        return _RAW.search(word.value) is not None
    return not word.known or word.known.startswith("-") or "%" in word.value


def _may_name_objects(word: Word) -> bool:
    """Whether a word makes `git merge-file` take its operands for objects, which are any file's."""
    return (not word.is_known and word.known[:1] in ("", "-")) or word.value.startswith("--o")


# These show objects, which may be any files, where one of their words is such.
_SHOWS_OBJECTS: Final = {
    **dict.fromkeys(("for-each-ref", "branch", "tag", "verify-tag", "ls-remote"), _may_show_raw),
    "merge-file": _may_name_objects,
}


def _log_options() -> frozenset[str]:
    """Return the long options of `git log` that choose and name commits."""
    shared = entry_for("git shortlog")
    return frozenset() if shared is None else frozenset(name for name in shared.options if name.startswith("--"))


def is_glob(text: str) -> bool:
    """Whether git takes a path for a pattern."""
    return _GLOB.search(text) is not None
