"""Rules that "always" would save: as narrow as is useful, and never one that would let anything through."""

from __future__ import annotations

import os
import re
from typing import Final

from tui_agent.hosts import host_of
from tui_agent.permissions.paths import escape
from tui_agent.permissions.shell.parse import Script
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.shell.reach import base_name, whole_text, without_safe_wrappers
from tui_agent.permissions.shell.words import Word
from tui_agent.permissions.surroundings import Surroundings, is_within
from tui_agent.permissions.verdict import Call

__all__ = ["suggestions"]

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
    "rm", "rmdir", "mv", "cp", "chmod", "chown",
})  # fmt: skip
_PYTHON: Final = re.compile(r"python(?:\d+(?:\.\d+)*)?|pypy\d?")
_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9][\w.:/@+-]*")
_MODULE: Final = re.compile(r"[A-Za-z_][\w.]*")


def suggestions(call: Call, where: Surroundings, script: Script | None) -> tuple[str, ...]:
    """Return rules that would have allowed this call, the best one first; empty where none should be kept."""
    if call.command is not None:
        return _for_command(call.tool, script)
    if call.writes:
        return tuple(f"Edit({_pattern(path, where)})" for path in call.writes[:5])
    if call.is_read_only and call.reads:
        outside = [path for path in call.reads if not where.is_free_to_read(path)]
        return tuple(dict.fromkeys(f"Read({_folder_pattern(path, where)})" for path in outside[:5]))
    url = call.input.get("url")
    if call.tool == "WebFetch" and isinstance(url, str):
        host = host_of(url)
        return (f"WebFetch(domain:{host})",) if host else ()
    return (call.tool,)


def _for_command(tool: str, script: Script | None) -> tuple[str, ...]:
    if script is None or script.single is None or any(redirect.is_output for redirect in script.redirects):
        return ()
    stripped = list(without_safe_wrappers(script.single))
    if not stripped:
        return ()
    words = stripped[-1]
    found: list[str] = []
    prefix = _prefix(words)
    if prefix is not None:
        found.append(f"{prefix} *")
    exact = whole_text(words)
    # A star, or a colon and star at the end, would make an exact rule mean more than the command that was shown.
    if "*" not in exact and "\n" not in exact and ")" not in exact and len(exact) <= 200:
        found.append(exact)
    return tuple(
        f"{tool}({text})" for text in dict.fromkeys(found) if CommandPattern.parse(text).matches(whole_text(words))
    )


def _prefix(words: tuple[Word, ...]) -> str | None:
    """Return the words that say what kind of command it is, or None where no such words are narrow enough."""
    name = words[0].raw
    if not _PLAIN_WORD.fullmatch(name) and not name.startswith(("./", "/")):
        return None
    program = base_name(words[0])
    if _PYTHON.fullmatch(program):
        is_module = len(words) > 2 and words[1].raw == "-m" and _MODULE.fullmatch(words[2].raw) is not None
        return f"{name} -m {words[2].raw}" if is_module else None
    if program in _SUBCOMMANDS:
        chosen = [name]
        for word in words[1:3]:
            if not _PLAIN_WORD.fullmatch(word.raw):
                break
            chosen.append(word.raw)
            if word.raw not in _SCRIPTS:
                break
        last = chosen[-1]
        is_narrow = len(chosen) > 1 and last not in _SCRIPTS | _TOO_POWERFUL and "exec" not in chosen
        return " ".join(chosen) if is_narrow and not _PYTHON.fullmatch(last) else None
    return None if program in _TOO_POWERFUL else name


def _pattern(path: str, where: Surroundings) -> str:
    """Return the shortest pattern that means exactly this path, whichever settings it is saved in."""
    if is_within(path, where.cwd) and path != where.cwd:
        inner = escape(path[len(where.cwd.rstrip("/")) + 1 :])
        return inner if "/" in inner else f"./{inner}"  # a bare name would match further down too
    if is_within(path, where.home) and path != where.home:
        return f"~/{escape(path[len(where.home.rstrip('/')) + 1 :])}"
    return f"/{escape(path)}"


def _folder_pattern(path: str, where: Surroundings) -> str:
    folder = os.path.dirname(path)  # noqa: PTH120 - of a text, not of a file
    if folder in {"/", where.home}:
        return _pattern(path, where)
    return f"{_pattern(folder, where)}/**"
