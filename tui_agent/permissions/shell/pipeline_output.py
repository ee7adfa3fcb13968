"""What a pipeline hands on: names of files that lie where the work is, or a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.values import Atom
from tui_agent.permissions.shell.words import Word

__all__ = ["COMMITS", "listed", "named", "prints_number"]

_FIND_OTHER: Final = frozenset({"-printf", "-exec", "-execdir", "-ls", "-ok", "-okdir", "-follow", "-files0-from"})
_GIT_OPTIONS: Final = {
    "ls-files": re.compile(r"-[zcdmo]+|--(?:cached|deleted|modified|others|exclude-standard|full-name)"),
    "diff": re.compile(r"-z|--(?:name-only|cached|staged|relative|no-renames|diff-filter=\w+)"),
    "grep": re.compile(r"-[nilwEFIPz]+|--(?:files-with-matches|name-only|cached|untracked|fixed-strings)|-e"),
}
_SEARCH: Final = re.compile(
    r"-[nilrIRwvEFsaHzZ0PSu]+|--(?:files-with-matches|files|hidden|no-ignore|include=.*|exclude=.*|exclude-dir=.*|glob=.*"
    r"|type=\w+|null|recursive|ignore-case)|-[tge]",
    re.DOTALL,
)
_NAMES_ONLY: Final = re.compile(r"-[a-zA-Z0]*[lL][a-zA-Z0]*|--files(?:-with-matches|-without-match)?")
_STRIPS: Final = frozenset({r"s|^\./||", r"s/^\.\///", r"s#^\./##"})
_LINES: Final = re.compile(r"[0-9]+(?:,[0-9$]+)?p")
# Filters that hand on some of the lines as they are, with the options that keep it so.
_FILTERS: Final = {
    "sort": re.compile(r"-[urnVfzbdhR]+|--(?:unique|reverse|version-sort|numeric-sort)"),
    "uniq": re.compile(r"-[udiz]+"),
    "head": re.compile(r"-[0-9]+|-n ?[0-9]*|[0-9]+|-z|--lines=[0-9]+"),
    "tail": re.compile(r"-[0-9]+|-n ?\+?[0-9]*|\+?[0-9]+|-z|--lines=\+?[0-9]+"),
    "tac": re.compile(r"(?!)"),
    "cat": re.compile(r"(?!)"),
    "shuf": re.compile(r"-n ?[0-9]*|[0-9]+|-z"),
}
COMMITS: Final = "[0-9a-f]*"
"""What the names of commits lie under."""
_BY_LINES: Final = "\n"
_COMMIT_LIST: Final = re.compile(
    r"-\d+|-n\d+|-n|\d+|--(?:max-count|skip|min-parents|max-parents)=\d+|--(?:since|until|after|before|author|grep)=.*"
    r"|--(?:all|branches|tags|remotes|no-merges|merges|reverse|first-parent|topo-order|date-order)|--|[A-Za-z0-9_@][^\n]*",
    re.DOTALL,
)
_COMMIT_FORMAT: Final = re.compile(r"--(?:format|pretty)=(?:t?format:)?%[Hh]")
_GREP: Final = re.compile(r"-[ivEFwxsPz]+|-e|--(?:invert-match|ignore-case)")
_PLAIN_NAME: Final = re.compile(r"[^\s/~'\"\\-][^\s'\"\\]*")  # which `xargs` takes for one name
_PLAIN_ROOT: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
_GREPS: Final = frozenset({"grep", "egrep", "fgrep"})
_COUNTED: Final = re.compile(r"-[lcwm]|--(?:lines|bytes|words|chars)")


def listed(words: Sequence[Word], judgement: Judgement, incoming: str) -> str:
    """Return a glob that each line or record a command prints lies under, or nothing where they may be anything.

    `**` in it stands for any depth. A line break behind it says that names may lack what they begin with.

    Args:
        words: the command, wrappers off.
        judgement: what was made of it; the files it reads are its roots.
        incoming: the same for what it is given.
    """
    if judgement.kind != "read_only" or not words or not all(word.is_known for word in words[:1]):
        return ""
    name = words[0].value.rpartition("/")[2]
    values = [word.value for word in words[1:]]
    rest = list(words[1:])
    if incoming and name == "sed" and len(values) == 1 and values[0] in _STRIPS:
        return by_lines(incoming)  # what stands behind the `./` may be a dash
    if incoming and (name in _FILTERS or name in _GREPS or name in {"sed", "tr"}):
        if not _is_filter(name, rest):
            return ""
        # Of a name with a line break in it, a filter of lines may hand on the second line alone.
        keeps_names = name in _FILTERS and any(re.fullmatch(r"-[a-z]*z[a-z]*", value) for value in values)
        return incoming if keeps_names else by_lines(incoming)
    roots = [word for word in judgement.reads if not (word.is_known and word.value == ".")]
    if not all(_is_below(word) for word in roots):
        return ""
    if name == "find":
        return _found(rest, judgement)
    if name in {"fd", "fdfind"}:
        is_other = any(
            value.startswith(("--format", "--absolute", "-a", "--list", "-l", "--color")) for value in values
        )
        return "" if is_other else "*"
    if name == "ls":
        return "**" if all(not value.startswith("-") or re.fullmatch(r"-[1trSU]+", value) for value in values) else ""
    if name == "git" and _lists_commits(values):
        return COMMITS
    if name == "git":
        return "**" if _is_git_listing(values) else ""
    if name == "rg" or name in _GREPS:
        return _matches(words, judgement)
    if name in {"echo", "printf"}:
        texts = rest if name == "echo" else rest[1:]
        if name == "printf" and values[:1] not in ([r"%s\n"], [r"%s\0"]):
            return ""
        return "**" if texts and all(_is_below(word) and not word.value.startswith("-") for word in texts) else ""
    return ""


def _is_below(word: Word) -> bool:
    """Whether a word names something below where the command runs."""
    if not (word.is_known or (word.has_glob and word.is_literal)) or not word.value:
        return False
    return _PLAIN_NAME.fullmatch(word.value) is not None and ".." not in word.value.split("/")


def _found(rest: Sequence[Word], judgement: Judgement) -> str:
    values = [word.value if word.is_known else "" for word in rest]
    if any(value in _FIND_OTHER or value in {"-L", "-H"} for value in values):
        return ""
    roots = []
    for word in rest:
        if word.value.startswith(("-", "(", "!", ")")):
            break
        roots.append(word)
    if not all(_is_below(word) for word in roots) or not all(_is_below(word) for word in judgement.reads):
        return ""
    if all(word.value == "." or word.value.startswith("./") for word in roots):
        return "./**"
    if len(roots) == 1 and re.fullmatch(r"[\w./-]+", roots[0].value):
        return roots[0].value.rstrip("/") + "/**"
    return "**"


def _is_git_listing(values: Sequence[str]) -> bool:
    options = _GIT_OPTIONS.get(values[0]) if values else None
    if options is None:
        return False
    given = [value for value in values[1:] if value.startswith("-")]
    if "--" in given:
        given = given[: given.index("--")]
    if not all(options.fullmatch(value) for value in given):
        return False
    if values[0] == "diff":
        return "--name-only" in given
    if values[0] == "grep":
        return any(re.fullmatch(r"-[a-zA-Z]*l[a-zA-Z]*|--files-with-matches|--name-only", value) for value in given)
    return True


def _lists_commits(values: Sequence[str]) -> bool:
    """Whether git prints names of commits in hex digits, one a line, and nothing else."""
    if values[:1] == ["log"]:
        formats = [value for value in values if _COMMIT_FORMAT.fullmatch(value)]
        return len(formats) == 1 and all(value in formats or _COMMIT_LIST.fullmatch(value) for value in values[1:])
    return values[:1] == ["rev-list"] and all(_COMMIT_LIST.fullmatch(value) for value in values[1:])


def named(names: str, *, is_whole: bool) -> Atom:
    """Return the value of a variable that is one of the names under a glob which `listed` returned.

    Unless names are surely handed over whole, one with a line break in it is taken for two; of the second nothing is known.
    """
    if names == COMMITS:
        return Atom("commit")
    is_whole = is_whole and not names.endswith(_BY_LINES)
    return Atom("glob" if is_whole else "line", names.removesuffix(_BY_LINES))


def by_lines(names: str) -> str:
    """Return the same names, some of them without the line that they begin with."""
    return names if names == COMMITS else names.removesuffix(_BY_LINES) + _BY_LINES


def _is_filter(name: str, rest: Sequence[Word]) -> bool:
    if not all(word.is_known for word in rest) and name not in _GREPS:
        return False
    values = [word.value for word in rest]
    if name in _GREPS:
        options = [value for value in values if value.startswith("-")]
        operands = [word for word in rest if not word.value.startswith("-")]
        return all(_GREP.fullmatch(value) for value in options) and len(operands) == 1 and not operands[0].may_split
    if name == "sed":
        return (len(values) == 1 and values[0] in _STRIPS) or (
            len(values) == 2 and values[0] == "-n" and _LINES.fullmatch(values[1]) is not None
        )
    if name == "tr":
        return values in ([r"\n", r"\0"], [r"\0", r"\n"], ["\n", "\0"])
    return all(_FILTERS[name].fullmatch(value) for value in values)


def _matches(words: Sequence[Word], judgement: Judgement) -> str:
    """Return what the names lie under that a search prints: each begins with the one folder that it is told to search."""
    if not _lists_matches(words, judgement):
        return ""
    roots = [word.value for word in judgement.reads]
    return f"{roots[0]}**" if len(roots) == 1 and _PLAIN_ROOT.fullmatch(roots[0]) else "**"


def _lists_matches(words: Sequence[Word], judgement: Judgement) -> bool:
    """Whether a search prints nothing but the names of files below where it runs."""
    options = [word.value for word in words[1:] if word.value.startswith("-")]
    return (
        all(_SEARCH.fullmatch(value) for value in options)
        and any(_NAMES_ONLY.fullmatch(value) for value in options)
        and all(_is_below(word) for word in judgement.reads)
    )


def prints_number(words: Sequence[Word]) -> bool:
    """Whether a command surely prints one whole number and nothing else."""
    if not words or not all(word.is_known for word in words):
        return False
    name, *values = (word.value for word in words)
    if name == "wc":
        return len(values) == 1 and _COUNTED.fullmatch(values[0]) is not None
    if name == "date":
        return len(values) == 1 and values[0] in {"+%s", "+%Y"}
    if name == "nproc":
        return not values
    if name == "git":
        # `--left-right` and others print several.
        return values[:2] == ["rev-list", "--count"] and all(map(_COMMIT_LIST.fullmatch, values[2:]))
    if name in {"grep", "rg"}:
        # A second option could have it print names, too.
        is_plain = not any(value.startswith("-") for value in values[1:])
        is_count = len(values) in {2, 3} and re.fullmatch(r"-[ivwEF]*c[ivwEF]*", values[0]) is not None
        return is_count and is_plain and name == "grep"
    return False
