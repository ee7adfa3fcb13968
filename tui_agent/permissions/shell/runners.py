"""Programs that run other programs, by how they are told what to run.

This is for rules that forbid or ask: a program that is listed here without need costs a question, one that is missing lets a
denied command run in its care.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tui_agent.permissions.shell.runner_names import (
    OTHER_RUNNERS,
    OTHER_SHELLS,
    OTHER_WRAPPERS,
    WRAPPERS_WITH_ONE_WORD,
)
from tui_agent.permissions.shell.words import Word

__all__ = ["RUNNERS", "SHELLS", "WRAPPERS", "Texts", "is_command_output", "may_run_operands", "run_texts"]

WRAPPERS: Final = {
    **dict.fromkeys((
        "aa-exec", "apptainer", "arch", "authbind", "autossh", "builtin", "busybox", "bwrap", "capsh", "caffeinate",
        "catchsegv", "cgexec", "choom", "chpst", "chronic", "chroot", "chrt", "command", "coproc", "cpulimit",
        "dbus-launch", "dpkg-architecture", "jobs", "uclampset", "uname26", "start-stop-daemon",
        "dbus-run-session", "doas", "dotenv", "dumb-init", "eatmydata", "entr", "env", "envdir", "exec", "exec_with_piped",
        "faketime", "fakechroot", "fakeroot", "firejail", "flock", "gdb", "gtime", "gtimeout", "gosu", "heaptrack",
        "hyperfine", "i386", "ifne", "ionice", "linux32", "linux64", "lldb", "ltrace", "memusage", "mispipe", "nice",
        "nocache", "nocorrect", "noglob", "nohup", "nodemon", "nsenter", "nsjail", "numactl", "openvt", "parallel", "pkexec",
        "prlimit", "proot", "proxychains", "proxychains4", "psexec", "rlwrap", "rr", "runcon", "runuser", "sandbox-exec",
        "schedtool", "screen", "script", "setarch", "setpriv", "setsid", "setuidgid", "sg", "softlimit", "sotruss",
        "sshpass", "ssh-agent", "stdbuf", "strace", "su-exec", "sudo", "systemd-inhibit", "systemd-run", "taskset", "time",
        "timeout", "tini", "torify", "torsocks", "toybox", "tsocks", "unbuffer", "unshare", "valgrind", "watch", "watchexec",
        "winpty", "with-contenv", "x86_64", "xargs", "xvfb-run", "zargs",
        *OTHER_WRAPPERS,
        # Behind `time` and `coproc` the grammar takes the shell's own words for arguments.
        "!", "{", "if", "elif", "else", "then", "while", "until", "do",
    ), 0),
    **dict.fromkeys((
        "cgexec", "chroot", "chrt", "coresched", "cpulimit", "envdir", "faketime", "flock", "gosu", "mispipe", "runuser",
        "setarch", "setuidgid", "sg", "su-exec", "taskset", "timeout", "gtimeout",
        *WRAPPERS_WITH_ONE_WORD,
    ), 1),
    **dict.fromkeys(("sslclient", "sslserver", "switch_root", "tcpclient", "tcpserver", "tcpsvd", "udpsvd"), 2),
    "bwrap": 12,  # many of its options take two words
}  # fmt: skip
"""Programs that run what follows them; the number is how many words of their own may come first."""

SHELLS: Final = frozenset({
    "sh", "bash", "rbash", "dash", "zsh", "ksh", "ksh93", "mksh", "oksh", "pdksh", "lksh", "ash", "yash", "posh", "fish",
    "csh", "tcsh", "rc", "es", "elvish", "nu", "xonsh", "osh", "ysh", "pwsh", "powershell", "su", "runuser", "script", "sg",
    "flock", "capsh", "newgrp", "nix-shell", "hush", *OTHER_SHELLS,
})  # fmt: skip
"""Programs that take the text behind `-c` for a command of a shell. Those that are also wrappers read none of their own."""

RUNNERS: Final = frozenset({
    "asdf", "aws-vault", "chamber", "doppler", "dotenv", "infisical", "op", "teller", "bun", "bundle", "bunx", "cargo",
    "conda", "crictl", "devbox", "direnv", "distrobox", "docker", "docker-compose",
    "flatpak", "fly", "flyctl", "gcloud", "guix", "hatch", "heroku", "ip", "kubectl", "lxc", "lxc-attach", "lxc-execute",
    "machinectl", "mamba", "micromamba", "mise", "mosh", "multipass", "nerdctl", "nix", "npm", "npx", "oc", "pdm", "perf",
    "pipenv", "pipx", "pixi", "pnpm", "podman", "poetry", "pyenv", "rbenv", "rustup", "rye", "singularity", "snap", "ssh",
    *OTHER_RUNNERS,
    "systemd-nspawn", "tmux", "execution_context", "uv", "uvx", "vagrant", "volta", "wsl", "wsl.exe", "yarn",
})  # fmt: skip
"""Programs that run a command which stands somewhere among their operands."""
_ALWAYS: Final = frozenset({
    "bunx", "lxc-attach", "lxc-execute", "mosh", "npx", "perf", "ssh", "systemd-nspawn", "uvx", "foot", "footclient", "kgx",
    "st", "terminator", "uxterm", "lxterm", "x-terminal-emulator", "xdg-terminal-exec", "memray", "viztracer", "trace-cmd",
})  # fmt: skip
_TO_RUN: Final = frozenset({
    "run", "exec", "x", "dlx", "shell", "ssh", "enter", "attach", "debug", "create", "develop", "tool", "start", "stat",
    "record", "new", "new-session", "neww", "new-window", "split-window", "splitw", "send-keys", "send", "respawn-pane",
    "respawn-window", "run-shell", "if-shell", "pipe-pane", "popup", "display-popup", "--", "-c", "--command", "-e", "watch",
    "--exec", "--execute",
})  # fmt: skip
_TO_RUN_OF: Final = {
    "cmake": ("-E",), "consul": ("lock",), "cset": ("proc", "shield"), "dialog": ("--prgbox", "--programbox"),
    "etcdctl": ("lock", "exec-watch"), "keyctl": ("session",), "meson": ("devenv",), "mix": ("cmd", "do"), "rvm": ("do",),
    "sops": ("exec-env", "exec-file"), "xfce4-terminal": ("-x",), "proot-distro": ("login",),
}  # fmt: skip

# Programs whose arguments may be programs in some language that can run others.
_INTERPRETERS: Final = re.compile(
    r"(?:python|pypy|ruby|perl|lua|php|tclsh|wish|node|julia|ghc|guile|jruby)[\d.]*(?:\.exe)?"
)
_OTHER_INTERPRETERS: Final = frozenset({
    "nodejs", "deno", "bun", "luajit", "texlua", "expect", "awk", "gawk", "mawk", "nawk", "original-awk", "sed", "gsed",
    "ed", "ex", "vi", "view", "vim", "nvim", "gvim", "emacs", "emacsclient", "gdb", "lldb", "osascript", "Rscript", "R",
    "octave", "ghci", "runghc", "groovy", "scala", "kotlin", "swift", "jshell", "jjs", "elixir", "erl", "iex", "escript",
    "sbcl", "clisp", "racket", "crystal", "nim", "cmd", "cmd.exe", "psql", "mysql", "mariadb", "sqlite3", "mongosh", "ftp",
    "sftp", "lftp", "less", "more", "most", "dc", "m4", "yq", "ansible", "salt", "fab", "socat", "ncat", "nc", "nmap", "at",
    "batch", "crontab", "xterm", "gnome-terminal", "konsole", "alacritty", "kitty", "wezterm", "start-stop-daemon", "irb",
    "ipython", "jupyter", "raku", "rexx", "ocaml", "utop", "clojure", "bb", "ts-node", "tsx", "esbuild", "bpftrace", "stap",
    "dtrace", "mapfile", "readarray", "complete", "compgen", "bind", "fc", "enable",
})  # fmt: skip
# Options of any program whose value is run, by what they are called.
_RUNNING_OPTION: Final = re.compile(
    r"--?(?:[\w-]*(?:program|command|cmd|exec|pager|editor|shell|rsh|filter|hostname-bin|-pack|extcmd|eval|action|interpreter"
    r"|askpass|invoke|wrapper|entrypoint|script|hook|linker|opener|handler)|pre|run)(?:=(?P<value>.*))?",
    re.DOTALL | re.IGNORECASE,
)
_RUNNING_LETTERS: Final = {
    "tar": "IF", "rsync": "e", "man": "PH", "zip": "T", "scp": "So", "sftp": "So", "ssh": "o", "git": "cxOu", "tcpdump": "z",
    "rg": "", "cargo": "xs", "make": "f", "gcc": "B", "cc": "B", "clang": "B", "perf": "", "hyperfine": "psc", "restic": "",
    "gh": "",
}  # fmt: skip
# Variables that something runs.
_RUN_VARIABLE: Final = re.compile(
    r"(?:export\s+)?(?:PS[0-4]|PROMPT_COMMAND|BASH_ENV|ENV|BASH_ALIASES.*|BASH_CMDS.*|VISUAL|BROWSER|SHELL|LESSOPEN|LESSCLOSE|MAKEFLAGS|CC|CXX|LD"
    r"|CVS_RSH|GIT_(?:SSH|PROXY_COMMAND|EXTERNAL_DIFF|CONFIG_\w+)|RUSTC_\w+|\w*(?:PAGER|EDITOR|COMMAND|ASKPASS|_RSH|_CMD|WRAPPER))"
)
_SETTING: Final = re.compile(r"([A-Za-z_][\w\[\]]*)=(.*)", re.DOTALL)
_ALIAS: Final = re.compile(r"[^=\s]+=(.*)", re.DOTALL)
_CODE_OPTION: Final = re.compile(r"-[A-Za-z]*c|--command|--init-command|--session-command|-[Cc]ommand|--run|--eval|-C")
_CODE_INLINE: Final = re.compile(r"--(?:init-|session-)?command=(.*)|--(?:run|eval)=(.*)", re.DOTALL)
_QUEUES: Final = frozenset({"at", "batch", "crontab"})  # of commands for a shell
_TAKES_USER: Final = frozenset({"newgrp", "su"})  # whose operand is no file
_RECIPES: Final = frozenset({"make", "gmake", "bmake", "remake", "just", "ninja", "task", "go-task"})
"""Programs whose file, `-f` as a rule, holds commands of a shell."""
# Long options may be cut short.
_SYSTEM: Final = ("/bin/", "/sbin/", "/usr/", "/opt/", "/nix/", "/snap/")
_STARTED_FROM: Final = frozenset({"--rcfile", "--init-file"})  # by an interactive bash, whatever else it is to run
_RECIPES_INPUT: Final = re.compile(
    r"(?<!\S)(?:-[A-Za-z]*f ?|--[fm][a-z]*(?:[= ]|$))(?:-(?!\S)|/dev/(?:stdin|fd/.*)|/proc/.*/fd/.*)"
)
_VALUED: Final = re.compile(r"[-+][A-Za-z]*[oO]|--(?:rcfile|init-file)")
_INPUT: Final = re.compile(r"<\(.*|-|/dev/(?:stdin|fd/.*)|/proc/.*/fd/.*", re.DOTALL)
_GIT_RUNS: Final = re.compile(r"!.*|ext::.*|[\w.]+=!?.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that a command may run.

    `shell` are commands of a shell; `foreign` are in some other language, or may be. `is_opaque` says that it runs what cannot
    be seen; `reads_input` and `runs_file` that a program comes from its standard input or from a file that it names.
    """

    shell: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    is_opaque: bool = False
    reads_input: bool = False
    runs_file: bool = False


def may_run_operands(name: str, words: Sequence[Word]) -> bool:
    """Whether one of the operands, nobody knows which, may be the name of a program that is run."""
    own = _TO_RUN_OF.get(name, ())
    if "/" in words[0].value and not words[0].value.startswith(_SYSTEM):
        return True  # a script of one's own may hand them on
    return name in RUNNERS and (
        name in _ALWAYS or any(word.value in _TO_RUN or word.value in own for word in words[1:])
    )


def run_texts(name: str, words: Sequence[Word]) -> Texts:
    """Return the texts among a command's words that it may run."""
    rest = words[1:]
    if name in {"eval", "trap"}:
        shown = rest[:1] if name == "trap" else rest
        text = " ".join(word.value for word in shown)
        return Texts(shell=(text,) if shown else (), is_opaque=not all(word.is_known for word in rest))
    if name == "alias":
        found = [match[1] for word in rest if (match := _ALIAS.fullmatch(word.value))]
        return Texts(shell=tuple(found), is_opaque=not all(word.is_known for word in rest))
    if name in {"source", "."}:
        is_hidden = bool(rest) and (not rest[0].is_plain or _INPUT.fullmatch(rest[0].raw) is not None)
        return Texts(is_opaque=is_hidden, runs_file=bool(rest))
    if len(rest) == 1 and rest[0].raw in {"--version", "--help"}:
        return Texts()
    shell: list[str] = []
    is_opaque = False
    if name in {"watch", "parallel", "hyperfine", "entr", "watchexec", "nodemon", "pee"}:
        shell.extend(_each(rest))
        is_opaque = not all(word.is_known for word in rest)
    if name == "env":
        shell.extend(_split_strings(rest))
    reads_input = runs_file = False
    if name in SHELLS:
        codes, is_unknown = _codes(rest)
        shell.extend(codes)
        operands = [word for word in rest if not word.value.startswith(("-", "+"))]
        if name in WRAPPERS:
            is_opaque = is_opaque or is_unknown
        elif not codes:
            is_started_so = not operands or name in _TAKES_USER
            from_input = is_started_so or any(_INPUT.fullmatch(word.raw) for word in rest) or _reads_input(rest)
            is_opaque, runs_file = is_unknown or from_input, bool(operands)
        else:
            is_opaque = is_unknown
        is_opaque = is_opaque or any(map(is_command_output, rest))  # `$0` in the text, as a rule
        files = [following for word, following in pairwise(rest) if word.value in _STARTED_FROM]
        is_opaque = is_opaque or any(_INPUT.fullmatch(word.raw) for word in files)
        runs_file = runs_file or bool(files)
    foreign = [*_settings(words), *_values_that_run(name, rest)]
    if _INTERPRETERS.fullmatch(name) or name in _OTHER_INTERPRETERS:
        foreign.extend(word.value for word in rest)
        has_file = any(not word.value.startswith("-") and not _INPUT.fullmatch(word.raw) for word in rest)
        reads_input, runs_file = not has_file, has_file
        if name in _QUEUES and reads_input and not any(word.value in {"-l", "-r"} for word in rest):
            is_opaque = True
    elif name in _RECIPES:
        text = " ".join(word.value for word in rest)
        reads_input, runs_file = _RECIPES_INPUT.search(text) is not None or any(map(is_command_output, rest)), True
        is_opaque = is_opaque or reads_input  # recipes are for a shell, where one name can be written in many ways
    elif "/" in words[0].value:
        runs_file = True
    # Any program may take for a script what it is handed as `<(…)`.
    reads_input = reads_input or any(map(is_command_output, rest))
    return Texts(tuple(shell), tuple(foreign), is_opaque, reads_input, runs_file)


def is_command_output(word: Word) -> bool:
    """Whether a word is a file that holds what a command prints, or an option with one: `<(…)`, `--file=<(…)`."""
    return not word.is_known and "<(" in word.raw


def _each(rest: Sequence[Word]) -> list[str]:
    """Return each argument as a command, and all of them as one; what stands behind `:::` are commands or their arguments."""
    values = [word.value for word in rest]
    joined = [" ".join(values)] if values else []
    return joined + [value for value in values if " " in value]


def _split_strings(rest: Sequence[Word]) -> list[str]:
    """Return what `env -S` splits into a command and its arguments."""
    found: list[str] = []
    for index, word in enumerate(rest):
        match = re.fullmatch(r"(?:-[iv0]*S|--split-string(?:=|$))(.*)", word.value, re.DOTALL)
        if match is not None:
            # What it splits may begin with options of its own; `\_` is a blank.
            text = " ".join(filter(None, (match[1], *(other.value for other in rest[index + 1 :]))))
            found.append("env " + text.replace("\\_", " "))
    return found


def _codes(rest: Sequence[Word]) -> tuple[list[str], bool]:
    """Return the texts that a shell is given to run, and whether one of them is not known."""
    found: list[Word] = []
    inline: list[str] = []
    for index, word in enumerate(rest):
        match = _CODE_INLINE.fullmatch(word.value)
        if match is not None:
            inline.append(match[1] or match[2] or "")
        if not _CODE_OPTION.fullmatch(word.value):
            continue
        following = rest[index + 1 :]
        # More options may stand between `-c` and the text; some of these take a word of their own.
        count = 1 + sum(_VALUED.fullmatch(other.value) is not None for other in rest)
        found.extend([other for other in following if not other.value.startswith(("-", "+"))][:count])
    return [*inline, *(word.value for word in found)], not all(word.is_known for word in found)


def _reads_input(rest: Sequence[Word]) -> bool:
    return any(re.fullmatch(r"-[A-Za-z]*s[A-Za-z]*", word.value) for word in rest)


def _settings(words: Sequence[Word]) -> list[str]:
    """Return the values of variables among a command's words that something runs."""
    matches = [_SETTING.fullmatch(word.value) for word in words if "=" in word.value]
    return [match[2] for match in matches if match is not None and _RUN_VARIABLE.fullmatch(match[1])]


def _values_that_run(name: str, rest: Sequence[Word]) -> list[str]:
    """Return the values of options that are run, as far as their names tell."""
    found: list[str] = []
    letters = _RUNNING_LETTERS.get(name, "")
    for index, word in enumerate(rest):
        value = word.value
        following = rest[index + 1].value if index + 1 < len(rest) else ""
        # None of these options is shorter than `-run`.
        match = _RUNNING_OPTION.fullmatch(value) if len(value) > 3 and value.startswith("-") else None
        if match is not None:
            found.append(following if match["value"] is None else match["value"])
        elif letters and value[:1] == "-" and value[1:2] in letters and len(value) > 1:
            found.append(value[2:] or following)
        elif name == "git" and _GIT_RUNS.fullmatch(value):
            found.append(value)
        elif name == "git" and value in {"foreach", "run"}:
            found.extend(other.value for other in rest[index + 1 :])
        elif name in {"make", "gmake", "just", "rake", "cmake", "ninja"} and ("=" in value or " " in value):
            found.append(value)
    return found
