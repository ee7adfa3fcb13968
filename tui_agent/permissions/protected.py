"""Places that are never written on the strength of a rule: what they hold is run or obeyed by other programs later."""

from __future__ import annotations

from typing import Final

from tui_agent.permissions.surroundings import Surroundings

__all__ = ["protected_reason"]

_FOLDERS: Final = frozenset(
    {".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".claude", ".tui-agent"}
)
_FILES: Final = frozenset({
    ".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bash_logout",
    ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".profile", ".envrc", ".npmrc", ".yarnrc",
    ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml", ".bazelrc",
    ".bazelversion", ".bazeliskrc", ".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml",
    ".lefthook.yaml", "gradle-wrapper.properties", "maven-wrapper.properties", ".devcontainer.json", ".ripgreprc",
    "pyrightconfig.json", ".mcp.json", ".claude.json",
})  # fmt: skip


def protected_reason(path: str, where: Surroundings) -> str | None:
    """Return why writing an absolute path needs a person each time, or None. Links are followed and both ends judged."""
    for face in where.faces(path):
        parts = [part.lower() for part in face.split("/")]
        for index, part in enumerate(parts):
            if part == ".claude" and parts[index + 1 : index + 2] == ["worktrees"]:
                continue
            if part in _FOLDERS:
                return f"`{part}` is a protected folder"
            if part == ".config" and parts[index + 1 : index + 2] == ["git"]:
                return "`.config/git` is a protected folder"
        if parts[-1] in _FILES:
            return f"`{parts[-1]}` is a protected file"
    return None
