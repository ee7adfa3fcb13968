"""Programs that wait for a user at a terminal: there is none, so they are refused with a hint instead of hanging."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from tui_agent.tools.bash.rough_parse import SimpleCommand, git_verb, simple_commands

__all__ = ["interactive_problem"]

_EDITORS: Final = frozenset(
    {
        "vi",
        "vim",
        "nvim",
        "view",
        "vimdiff",
        "nano",
        "pico",
        "emacs",
        "emacsclient",
        "micro",
        "joe",
        "hx",
        "helix",
        "kak",
        "ne",
    }
)
_PAGERS: Final = frozenset({"less", "more", "most", "lv"})
_MONITORS: Final = frozenset({"top", "htop", "btop", "atop", "iotop", "nmon", "glances", "watch", "nvtop", "k9s"})
_SCREENS: Final = frozenset(
    {
        "tmux",
        "screen",
        "mc",
        "ranger",
        "nnn",
        "tig",
        "lazygit",
        "ncdu",
        "fzf",
        "dialog",
        "whiptail",
        "passwd",
        "su",
        "visudo",
        "vipw",
    }
)
_REMOTE: Final = frozenset({"ssh", "telnet", "ftp", "sftp", "mosh"})
_READERS: Final = frozenset(
    {"python", "python2", "python3", "ipython", "bpython", "node", "deno", "bun", "irb", "pry", "lua", "R", "julia", "ghci",
     "iex", "erl", "scala", "jshell", "php", "gdb", "lldb", "bc", "dc"}
)  # fmt: skip
_DATABASES: Final = {
    "psql": ("-c", "-f", "-l", "--command", "--file", "--list", "--version", "-V", "--help"),
    "mysql": ("-e", "--execute", "--version", "-V", "--help"),
    "mariadb": ("-e", "--execute", "--version", "-V", "--help"),
    "mongosh": ("--eval", "-f", "--file", "--version", "--help"),
    "redis-cli": (),
    "sqlite3": ("-version", "--version", "-help", "-cmd", "-init"),
}
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "fish", "dash", "ksh"})
_DEEPEST: Final = 3
# Switches of Python that leave it without anything to run.
_PYTHON_SWITCHES: Final = re.compile(r"-[bBdEIOPqsSuvx]+")
# What spares `git commit` the editor in which the message would be written.
_WITH_MESSAGE: Final = re.compile(
    r"-[A-Za-z]*[mFCh].*|--(?:message|file|reuse-message|fixup|no-edit|amend|dry-run|help|allow-empty-message)(?:=.*)?"
)
_GIT_PATCH: Final = frozenset({"add", "checkout", "commit", "reset", "restore", "stash"})
_BATCH_FLAGS: Final = {
    "vim": ("-es", "-Es", "--version", "--help"),
    "vi": ("-es", "-Es", "--version"),
    "nvim": ("--headless", "-es", "-Es", "--version", "--help"),
    "emacs": ("--batch", "-batch", "--script", "--version", "--help"),
    "emacsclient": ("--eval", "-e", "--version"),
    "top": ("-b", "-bn1", "-bn", "-l"),
    "tmux": ("new-session", "-V", "ls", "list-sessions", "kill-session", "send-keys", "capture-pane", "has-session"),
    "screen": ("-dm", "-dmS", "-ls", "-v", "-X", "-S"),
    "sftp": ("-b",),
    "fzf": ("-f", "--filter"),
    "gdb": ("-batch", "--batch", "--version"),
    "lldb": ("-b", "--batch", "--version"),
}
_SSH_WITH_VALUE: Final = frozenset("BbcDEeFIiJLlmOopQRSWw")


def interactive_problem(command: str, depth: int = 0) -> str | None:
    """Return what to do instead of the first command in the line that needs a user at a terminal; None without one."""
    for simple in simple_commands(command):
        for rule in _RULES:
            if hint := rule(simple):
                return f"`{' '.join(simple.words[:3])}` is interactive, and there is no terminal to use it on. {hint}"
        inner = _inner(simple)
        if inner and depth < _DEEPEST and (problem := interactive_problem(inner, depth + 1)):
            return problem
    return None


def _inner(simple: SimpleCommand) -> str:
    """Return the command line that a shell is given with `-c`."""
    if simple.program in _SHELLS:
        for option, text in pairwise(simple.words[1:]):
            if re.fullmatch(r"-[a-z]*c", option):
                return text
    return ""


def _full_screen(simple: SimpleCommand) -> str | None:
    program = simple.program
    if any(_is_flag(word, _BATCH_FLAGS.get(program, ())) for word in simple.words[1:]):
        return None
    if program in _EDITORS:
        return "Change files with Edit."
    if program in _PAGERS:
        return "Show files with Read, or leave the pager out: output is never paged."
    if program in _MONITORS:
        return "Take one snapshot instead, for example with `ps aux` or `top -b -n 1`."
    if program in _SCREENS:
        return "Use a command that takes all it needs as arguments."
    return None


def _remote(simple: SimpleCommand) -> str | None:
    if simple.program not in _REMOTE or "-b" in simple.words:
        return None
    if simple.program == "ssh" and (_has_remote_command(simple.words[1:]) or "-V" in simple.words):
        return None
    return "Give the remote command as an argument: `ssh -o BatchMode=yes HOST COMMAND`."


def _has_remote_command(words: Sequence[str]) -> bool:
    plain, skip = 0, False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and not plain:
            skip = len(word) == 2 and word[1] in _SSH_WITH_VALUE
        else:
            plain += 1
    return plain > 1


def _reader(simple: SimpleCommand) -> str | None:
    """A language or database that reads commands from its input when it is given none."""
    program, rest = simple.program, simple.words[1:]
    if "-i" in rest and (program in _READERS or program in _SHELLS):
        return "Leave out `-i`."
    if program in _SHELLS and not simple.has_input and all(word in ("-l", "--login") for word in rest):
        return "Give the commands themselves: they run in bash as they are."
    if simple.has_input or any(_is_flag(word, _BATCH_FLAGS.get(program, ())) for word in rest):
        return None
    name = program.rstrip("0123456789.") if program.startswith("python") else program
    is_bare = not rest or (name == "python" and all(_PYTHON_SWITCHES.fullmatch(word) for word in rest))
    if (program in _READERS or name == "python") and is_bare:
        return f"Give it something to run: a file, or `{program} -c …` where it has that."
    if program in _DATABASES:
        given = [word for word in rest if not word.startswith("-")]
        enough = {"redis-cli": 1, "sqlite3": 2}.get(program, 1000)
        if len(given) < enough and not any(_is_flag(word, _DATABASES[program]) for word in rest):
            return "Give it the statement as an argument, for example with `-c` or `-e`."
    if name == "python" and rest[:2] == ("-m", "pdb"):
        return "Run the program without the debugger, with prints where you need them."
    return None


def _git(simple: SimpleCommand) -> str | None:
    if simple.program != "git":
        return None
    verb, arguments = git_verb(simple.words[1:])
    flags = {word for word in arguments if word.startswith("-")}
    if verb == "rebase" and flags & {"-i", "--interactive", "--edit-todo"}:
        return "Rebase without `-i`; `git commit --fixup` with `git rebase --autosquash` and reset cover most of it."
    if verb in _GIT_PATCH and flags & (
        {"-p", "--patch"} | ({"-i", "--interactive"} if verb in ("add", "commit") else set())
    ):
        return "Name whole files, or apply a patch with `git apply --cached`."
    if verb == "clean" and flags & {"-i", "--interactive"}:
        return "Use `git clean -n` to look and `git clean -f` to do it."
    if verb == "commit" and not any(_WITH_MESSAGE.fullmatch(word) for word in flags):
        return 'Give the message: `git commit -m "…"`, or `-F FILE`.'
    if verb == "config" and flags & {"-e", "--edit"}:
        return "Set one value: `git config NAME VALUE`."
    if verb in ("difftool", "mergetool", "gui"):
        return "Use `git diff`, and settle conflicts with Edit."
    return None


def _edits(simple: SimpleCommand) -> str | None:
    """Programs that open an editor on something of theirs."""
    if simple.program == "crontab" and "-e" in simple.words:
        return "Show it with `crontab -l`, and set it with `crontab FILE`."
    return None


def _attached(simple: SimpleCommand) -> str | None:
    """Containers asked for a terminal."""
    if simple.program not in ("docker", "podman", "kubectl") or not {"run", "exec", "attach"} & set(simple.words):
        return None
    if {"-it", "-ti", "-t", "--tty"} & set(simple.words) or "attach" in simple.words:
        return "Leave out `-t`."
    return None


_RULES: Final[tuple[Callable[[SimpleCommand], str | None], ...]] = (
    _full_screen,
    _remote,
    _reader,
    _git,
    _edits,
    _attached,
)


def _is_flag(word: str, flags: Sequence[str]) -> bool:
    return any(word == flag or (flag.startswith("--") and word.startswith(flag + "=")) for flag in flags)
