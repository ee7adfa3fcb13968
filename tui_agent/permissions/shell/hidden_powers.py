"""Options by which a program known for something else runs another, or writes elsewhere: no rule with `*` covers them unnamed.

Whoever allows `git log *` or `sort *` thinks of reading. `git log --output=FILE` and `sort --compress-program=PROGRAM` are
covered by rules that name the option, or the whole command. Programs whose work it is to run or to write (`npm`, `cp`) are not
among these; nor is what a rule's own words say (`git worktree add FOLDER`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tui_agent.neutral_git import names_of_programs
from tui_agent.permissions.shell.effective_command import base_name
from tui_agent.permissions.shell.programs.shapes import names_commits
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.shell.written_files import part_of_word, written_words

__all__ = ["hidden_power"]

# What runs another program, by the program whose option it is; `=` stands behind those that take a value.
_RUNS: Final[Mapping[str, str]] = {
    "sort": "--compress-program=",
    "rg": "--pre= --hostname-bin=",
    "ag": "--pager=",
    "bat": "--pager= --lessopen",
    "batcat": "--pager= --lessopen",
    "diff3": "--diff-program=",
    "sdiff": "--diff-program=",
    "man": "-P= --pager= -H= --html=",
    "split": "--filter=",
    "nm": "--plugin=",
    "gcc": "-wrapper= -fplugin=",
    "zip": "-TT= --unzip-command=",
    "git clone": "-u= --upload-pack= --template= -c= --config=",
    "git init": "--template=",
    "git fetch": "--upload-pack=",
    "git pull": "--upload-pack=",
    "git ls-remote": "--upload-pack= --exec=",
    "git fetch-pack": "--upload-pack= --exec=",
    "git archive": "--exec=",
    "git push": "--receive-pack= --exec=",
    "git send-pack": "--receive-pack= --exec=",
    "git grep": "-O= --open-files-in-pager= --textconv",
    "git cat-file": "--textconv --filters",
    **dict.fromkeys(
        ("git log", "git show", "git diff", "git stash", "git reflog", "git whatchanged"), "--ext-diff --textconv"
    ),
    "git difftool": "-x= --extcmd=",
    "git rebase": "-x= --exec=",
    "git send-email": "--smtp-server= --sendmail-cmd= --to-cmd= --cc-cmd= --header-cmd=",
    "git blame": "--contents=",
}
# Subcommands of git that are there to run what they are given, or that leave something which runs later.
_RUNNING: Final = frozenset({
    "submodule foreach", "bisect run", "filter-branch", "maintenance start", "maintenance register", "hook run", "daemon",
    "instaweb", "for-each-repo", "credential",
})  # fmt: skip
# Tools that read and may write what they found into a file.
_READERS: Final = frozenset({
    "sort", "uniq", "shuf", "iconv", "tree", "sdiff", "xxd", "base64", "less", "cloc", "tokei", "scc", "xmllint", "diff", "rg",
    "grep", "jq", "column", "cut", "pr", "hg", "nm", "objdump", "strings", "wc", "ps", "lsof", "du", "find", "fd",
})  # fmt: skip
_GIT_WRITES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("log", "diff", "show", "shortlog", "reflog", "stash", "whatchanged", "range-diff"), "--output="),
    "format-patch": "-o= --output-directory= --output=",
    "archive": "-o= --output=",
}
_HARMLESS_PROGRAMS: Final = frozenset({"", "true", "false", ":", "cat", "0", "1", "/dev/null"})
_GIT_VALUED: Final = frozenset({"-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source"})
_SETTING: Final = re.compile(r"([A-Za-z][\w-]*)\.(?:(.*)\.)?([A-Za-z][\w-]*)", re.DOTALL)
_COMPRESSORS: Final = re.compile(r"(?:/usr)?(?:/bin/)?(?:gzip|pigz|bzip2|xz|zstd|zstdmt|lz4|lzip|brotli)(?: -[\w-]+)*")
_TAR: Final = (
    "-I= --use-compress-program= --to-command= --checkpoint-action= --rsh-command= --rmt-command= -F= --info-script= "
    "--new-volume-script="
)
_SHORTEST: Final = 4  # of a long option that is cut short, dashes included


def hidden_power(words: Sequence[Word], is_elsewhere: Callable[[Word], bool]) -> str:
    """Return the option, or subcommand, that a rule has to name to cover a command; empty where it need not.

    Args:
        words: the command, its program first.
        is_elsewhere: whether a word names a file outside of what commands may write without a rule on that.
    """
    name = base_name(words[0]) if words else ""
    if name == "git":
        return _of_git(words[1:], is_elsewhere)
    if name in {"tar", "bsdtar"}:
        found = ((option, value) for option, value in _given(words[1:], _TAR) if not _compresses(option, value))
        return next((option for option, _ in found), "")
    if power := next((option for option, _ in _given(words[1:], _RUNS.get(name, ""))), ""):
        return power
    if name in _READERS:
        return next((word.raw for word in written_words(name, tuple(words[1:])) if is_elsewhere(word)), "")
    return ""


def _compresses(option: str, value: Word | None) -> bool:
    is_named = value is not None and value.is_known and _COMPRESSORS.fullmatch(value.value) is not None
    return is_named and option in {"-I", "--use-compress-program"}


def _of_git(words: Sequence[Word], is_elsewhere: Callable[[Word], bool]) -> str:
    rest = list(words)
    while rest and rest[0].value.startswith("-"):
        name, equals, _ = rest.pop(0).value.partition("=")
        if name in {"--exec-path", "--config-env"} and (equals or rest):
            return name
        if name == "-c" and rest and _runs_by_setting(rest.pop(0)):
            return "-c"
        if name in _GIT_VALUED and not equals and rest:
            rest.pop(0)
    if not rest:
        return ""
    subcommand, behind = rest[0].value, rest[1:]
    pair = f"{subcommand} {behind[0].value}" if behind else subcommand
    if subcommand in _RUNNING or pair in _RUNNING:
        return pair.rpartition(" ")[2] if pair in _RUNNING else subcommand
    if subcommand == "config":
        return "config" if _sets_program(behind) else ""
    for option, value in _given(behind, _RUNS.get(f"git {subcommand}", "")):
        if option not in {"-c", "--config"} or value is None or _runs_by_setting(value):
            return option
    for option, value in _given(behind, _GIT_WRITES.get(subcommand, "")):
        if value is None or is_elsewhere(value):
            return option
    return ""


def _runs_by_setting(word: Word) -> bool:
    """Whether a `name=value` has git run something, or read settings or files of the command's choosing."""
    name, _, value = (word.value if word.is_known else word.known).partition("=")
    if not word.is_known and not _SETTING.fullmatch(name):
        return True
    return _is_program(name) and (not word.is_known or value not in _HARMLESS_PROGRAMS)


def _is_program(name: str) -> bool:
    match = _SETTING.fullmatch(name)
    if match is None:
        return False
    middle = "" if match[2] is None else f"{match[2]}."
    return bool(names_of_programs([f"{match[1].lower()}.{middle}{match[3].lower()}"]))


def _sets_program(words: Sequence[Word]) -> bool:
    """Whether `git config` is to set something that git will run."""
    operands = [word for word in words if not word.value.startswith("-") and word.value not in {"set", "get", "list"}]
    is_reading = any(word.value in {"get", "list", "--list", "-l"} or word.value.startswith("--get") for word in words)
    if is_reading or len(operands) < 2:
        return False
    return any(not word.is_known or _is_program(word.value) for word in operands[:-1])


def _given(words: Sequence[Word], options: str) -> Iterator[tuple[str, Word | None]]:
    """Yield which of these options are there, maybe cut short or behind other letters, and their values where they are clear.

    A word that may turn out to be any option counts as the first of them.
    """
    names = [one.removesuffix("=") for one in options.split()]
    if not names:
        return
    before = ""
    for at, word in enumerate(words):
        text = word.value
        if word.is_known and text == "--":
            return
        following = words[at + 1] if at + 1 < len(words) else None
        is_any = not word.is_known and not word.known and not names_commits(word)
        if is_any and not before.startswith("-"):
            yield names[0], None
        elif text.startswith("--"):
            name, equals, _ = text.partition("=")
            for one in names:
                is_meant = name == one or (one.startswith(name) and len(name) >= _SHORTEST)
                if one.startswith("--") and is_meant:
                    yield one, part_of_word(word, text[len(name) + 1 :]) if equals else following
        elif text.startswith("-") and len(text) > 1:
            for one in names:
                if one.startswith("--"):
                    continue
                if text.startswith(one) if len(one) > 2 else one[1] in text[1:]:
                    is_joined = len(text) > 2 and text.startswith(one)
                    yield one, part_of_word(word, text[len(one) :]) if is_joined else following
        before = text
