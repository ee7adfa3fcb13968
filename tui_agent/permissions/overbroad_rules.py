"""Allow rules that let more through than they seem to: said while a user writes one, never a reason to refuse it."""

from __future__ import annotations

import re
from typing import Final

from tui_agent.permissions.paths import PathPattern
from tui_agent.permissions.rules import Rule
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.specifiers import DomainPattern

__all__ = ["breadth_warning", "command_breadth"]

# Programs that run whatever text, file or command they are given.
_RUNNERS: Final = frozenset({
    ".", "awk", "bash", "bunx", "busybox", "command", "dash", "deno", "doas", "env", "eval", "exec", "find", "fish", "gawk",
    "irb", "ksh", "lua", "nice", "node", "nohup", "npx", "nsenter", "parallel", "perl", "php", "pipx", "psql", "pwsh",
    "Rscript", "ruby", "script", "setsid", "sh", "source", "ssh", "su", "sudo", "tclsh", "time", "timeout", "tmux", "ts-node",
    "tsx", "uvx", "watch", "xargs", "zsh",
})  # fmt: skip
# These run what they are given where this word follows.
_RUNNING: Final = frozenset({
    ("bun", "run"), ("bun", "x"), ("cargo", "run"), ("docker", "exec"), ("docker", "run"), ("go", "run"), ("kubectl", "exec"),
    ("npm", "exec"), ("npm", "run"), ("pnpm", "dlx"), ("pnpm", "exec"), ("pnpm", "run"), ("podman", "exec"), ("podman", "run"),
    ("poetry", "run"), ("uv", "run"), ("yarn", "dlx"), ("yarn", "run"),
})  # fmt: skip
_MANAGERS: Final = frozenset(
    {"bun", "cargo", "docker", "go", "kubectl", "npm", "pnpm", "podman", "poetry", "uv", "yarn"}
)
# Alone, these run what they read.
_READERS: Final = frozenset({
    "bash", "dash", "fish", "ksh", "lua", "node", "perl", "php", "pwsh", "ruby", "sh", "tclsh", "xargs", "zsh"
})  # fmt: skip
_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*")
_WHOLE: Final = {
    "Bash": "every command",
    "Monitor": "every command",
    "Edit": "a change of any file",
    "Write": "a change of any file",
    "MultiEdit": "a change of any file",
    "NotebookEdit": "a change of any notebook",
    "Read": "reading any file",
    "WebFetch": "fetching from any host",
}


def breadth_warning(rule: Rule) -> str:
    """Return what an allow rule lets through that its writer may not have meant; empty where it is narrow enough."""
    match rule.specifier:
        case None if rule.tool in _WHOLE:
            return f"allows {_WHOLE[rule.tool]}"
        case None if rule.tool.startswith("mcp__") and rule.tool.count("__") < 2:
            return "allows every tool of that server"
        case CommandPattern() as pattern:
            return command_breadth(pattern)
        case PathPattern() as pattern if pattern.covers_all and pattern.anchor in {"root", "home"}:
            place = "on this machine" if pattern.anchor == "root" else "in your home folder"
            return f"allows {'a change of' if rule.tool == 'Edit' else 'reading'} any file {place}"
        case DomainPattern() as pattern if pattern.is_any:
            return "allows fetching from any host"
        case _:
            return ""


def command_breadth(pattern: CommandPattern) -> str:
    """Return what a command pattern lets through beyond what it shows; empty where that is nothing."""
    fixed = pattern.parts[0].split()
    if pattern.is_exact:
        program = fixed[0].rpartition("/")[2] if fixed else ""
        is_bare = len(fixed) == 1 or fixed[1:] in (["-"], ["-s"])
        if is_bare and (program in _READERS or _PYTHON.fullmatch(program)):
            return f"allows whatever `{program}` is given to read, as by `… | {program}`"
        return ""
    if not fixed:
        return (
            "allows every command" if not any(part.strip() for part in pattern.parts) else "does not say which program"
        )
    if len(pattern.parts) > 1 and len(fixed) == 1 and not pattern.parts[0].endswith(" "):
        return f"allows every program whose name begins with `{fixed[0]}`"
    program = fixed[0].rpartition("/")[2]
    if len(fixed) == 1 and program in _MANAGERS:
        return f"allows whatever `{program}` can do, running programs included"
    if len(fixed) == 1 and (program in _RUNNERS or _PYTHON.fullmatch(program)):
        return f"allows whatever `{program}` is told to run"
    if len(fixed) == 2 and (program, fixed[1]) in _RUNNING:
        return f"allows whatever `{program} {fixed[1]}` is told to run"
    if len(fixed) == 2 and fixed[1] in {"-c", "-e", "-exec"} and (program in _RUNNERS or _PYTHON.fullmatch(program)):
        return f"allows whatever `{program}` is told to run"
    return ""
