"""Rules that "always" would save: as narrow as is useful, and never one that would let anything through."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final

from tui_agent.hosts import host_of
from tui_agent.permissions.overbroad_rules import command_breadth
from tui_agent.permissions.path_context import PathContext, is_within
from tui_agent.permissions.paths import escape
from tui_agent.permissions.rules import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS
from tui_agent.permissions.secret_files import is_secret_file
from tui_agent.permissions.shell.match import names
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.verdict import Naming, Need, ToolCall

__all__ = ["offers_for"]

_MOST_OFFERS: Final = 5
_LONGEST: Final = 200
_SUBCOMMANDS: Final = frozenset({
    "git", "npm", "pnpm", "yarn", "bun", "cargo", "go", "docker", "kubectl", "helm", "gh", "glab", "aws", "gcloud",
    "az", "terraform", "pip", "pip3", "uv", "poetry", "hatch", "pdm", "rye", "conda", "dotnet", "mvn", "gradle",
    "gradlew", "make", "rake", "bundle", "composer", "apt", "apt-get", "brew", "systemctl", "nix", "just", "task",
    "deno", "mix", "stack", "cabal",
})  # fmt: skip
_SCRIPTS: Final = frozenset({"run", "exec", "tool", "compose", "remote", "stash", "config"})
# A rule on one of these alone would allow everything; only the command at hand may be allowed.
_TOO_POWERFUL: Final = frozenset({
    "sh", "bash", "dash", "zsh", "ksh", "fish", "sudo", "doas", "su", "env", "xargs", "eval", "exec", "source", ".",
    "node", "deno", "bun", "perl", "ruby", "php", "lua", "Rscript", "ssh", "docker", "watch", "setsid", "ionice",
    "flock", "parallel", "npx", "bunx", "uvx", "pipx", "find", "fd", "awk", "sed", "tee", "dd", "curl", "wget",
    "rm", "rmdir", "mv", "cp", "chmod", "chown", "kill", "killall", "pkill", "cd", "pushd", "popd", "export", "declare",
    "typeset", "readonly", "local", "unset", "set", "shopt", "alias", "unalias", "trap", "enable", "hash", "read", "mapfile",
    "readarray", "umask", "ulimit", "builtin", "command", "nohup", "time", "timeout", "nice", "stdbuf", "script", "busybox",
    "chroot", "psql", "mysql", "sqlite3", "osascript", "at", "crontab", "tmux", "screen",
})  # fmt: skip
_PYTHON: Final = re.compile(r"python(?:\d+(?:\.\d+)*)?|pypy\d?")
_PROGRAM: Final = re.compile(r"(?:\.?/)?[A-Za-z0-9][\w./+-]*")
_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9][\w.:/@+-]*")
_MODULE: Final = re.compile(r"[A-Za-z_][\w.]*")


def offers_for(call: ToolCall, needs: Sequence[Need], where: PathContext) -> tuple[tuple[str, ...], ...]:
    """Return the rules that would have allowed this call: for each thing it lacks those to choose from, the best one first.

    Taking one of each is enough. Empty where no rules are, or should be kept, or where they would be too many to look over.
    """
    found: list[tuple[tuple[str, ...], tuple[Need, ...]]] = []
    for need in needs:
        if need.commands or need.paths:
            offers = _for_need(call.tool, need, where)
        else:
            offers = [] if call.command is not None else _for_tool(call)
        if not offers:
            return ()
        for offer in offers:
            _join(found, offer, need)
        if len(found) > _MOST_OFFERS:
            return ()
    return tuple(rules for rules, _needs in found)


def _join(found: list[tuple[tuple[str, ...], tuple[Need, ...]]], offer: tuple[str, ...], need: Need) -> None:
    """Add an offer; where its best rule is on offer already, only what serves both stays to choose from."""
    for at, (rules, served) in enumerate(found):
        if rules[0] == offer[0]:
            both = tuple(rule for rule in rules if rule in offer)
            found[at] = both, (*served, need)
            return
    found.append((offer, (need,)))


def _for_need(tool: str, need: Need, where: PathContext) -> list[tuple[str, ...]]:
    """Return what to choose from for a command, or for each path."""
    for_command = tuple(
        dict.fromkeys(
            f"{tool}({text})" for naming in reversed(need.commands[-1:]) for text in _for_naming(naming, need)
        )
    )
    for_paths = [_for_path(path.operation, face, where) for path in need.paths for face in path.faces]
    rules = list(dict.fromkeys(for_paths))
    if not rules or None in rules:
        return [for_command] if for_command else []
    if len(rules) == 1:
        return [tuple(rule for rule in (*rules, *for_command) if rule is not None)]
    return [(rule,) for rule in rules if rule is not None]


def _for_naming(naming: Naming, need: Need) -> Iterator[str]:
    prefix = None if need.is_reading else _prefix(naming.text)
    exact = naming.text
    # A star, or a colon and star at the end, would make an exact rule mean more than the command that was shown.
    is_sayable = not naming.is_cut and not set("*\n)") & set(exact) and len(exact) <= _LONGEST
    if any(way.text.startswith("xargs ") for way in need.commands):
        is_sayable = False  # more words follow than are shown, and the rule would be about whatever they are
    for text in (None if prefix is None else f"{prefix} *", exact if is_sayable else None):
        pattern = None if text is None else CommandPattern.parse(text)
        # A shell on its own runs whatever it is given: such a rule would let more through than it shows.
        if pattern is None or text is None or command_breadth(pattern):
            continue
        if any(names(pattern, way) for way in need.commands):
            yield text


def _for_path(operation: str, path: str, where: PathContext) -> str | None:
    if path in {"/", where.home} or any(char in path for char in "\n\r\0"):
        return None
    if operation == "edit":
        return f"Edit({_pattern(path, where)})"
    if is_secret_file(path):
        return f"Read({_pattern(path, where)})"  # this one, and none beside it
    return f"Read({_folder_pattern(path, where)})"


def _for_tool(call: ToolCall) -> list[tuple[str, ...]]:
    """Return what to choose from where the tool as a whole, or what its input names, is what a rule can be about."""
    if call.tool in SHELL_TOOLS | EDIT_TOOLS | READ_TOOLS:
        return []
    url = call.input.get("url")
    if call.tool == "WebFetch":
        host = host_of(url) if isinstance(url, str) else None
        return [(f"WebFetch(domain:{host})",)] if host else []
    skill = call.input.get("skill")
    if call.tool == "Skill" and isinstance(skill, str) and _PLAIN_WORD.fullmatch(skill):
        return [(f"Skill({skill} *)",) if call.input.get("args") else (f"Skill({skill})", f"Skill({skill} *)")]
    return [(call.tool,)]


def _prefix(text: str) -> str | None:
    """Return the words that say what kind of command it is, or None where no such words are narrow enough."""
    words = text.split(" ")
    name = words[0]
    if not _PROGRAM.fullmatch(name):
        return None
    program = name.rpartition("/")[2]
    if _PYTHON.fullmatch(program):
        is_module = len(words) > 2 and words[1] == "-m" and _MODULE.fullmatch(words[2]) is not None
        return f"{name} -m {words[2]}" if is_module else None
    if program in _SUBCOMMANDS:
        chosen = [name]
        for word in words[1:3]:
            if not _PLAIN_WORD.fullmatch(word):
                break
            chosen.append(word)
            if word not in _SCRIPTS:
                break
        last = chosen[-1]
        is_narrow = len(chosen) > 1 and last not in _SCRIPTS | _TOO_POWERFUL and "exec" not in chosen
        return " ".join(chosen) if is_narrow and not _PYTHON.fullmatch(last) else None
    if program == "sed" and words[1:2] == ["-i"]:
        return f"{name} -i"
    return None if program in _TOO_POWERFUL else name


def _pattern(path: str, where: PathContext) -> str:
    """Return the shortest pattern that means exactly this path, whichever settings it is saved in."""
    if is_within(path, where.cwd) and path != where.cwd:
        inner = escape(path[len(where.cwd.rstrip("/")) + 1 :])
        return inner if "/" in inner else f"./{inner}"  # a bare name would match further down too
    if is_within(path, where.home) and path != where.home:
        return f"~/{escape(path[len(where.home.rstrip('/')) + 1 :])}"
    return f"/{escape(path)}"


def _folder_pattern(path: str, where: PathContext) -> str:
    """Return a pattern for what lies beside a file, or for a folder and what lies in it."""
    folder = os.path.dirname(path)  # noqa: PTH120 - of a text, not of a file
    if os.path.isdir(path) or folder in {"/", where.home}:  # noqa: PTH112
        return _pattern(path, where)
    return f"{_pattern(folder, where)}/**"
