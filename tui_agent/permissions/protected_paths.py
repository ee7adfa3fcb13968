"""Places that are never written on the strength of a rule: what they hold is run or obeyed by other programs later.

This is the one list of them, for edits, for commands that edit, and for the sandbox, which mounts them read-only. Names are
compared as the most lenient file system would: without regard to case and to characters that some ignore.
"""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from tui_agent.git_dangers import is_bare
from tui_agent.permissions.git_state import kept_of_bare, kept_of_git
from tui_agent.permissions.path_context import PathContext

__all__ = [
    "AT_HOME",
    "HOLDERS",
    "STAND_INS",
    "ProtectedMatcher",
    "hidden_at_home",
    "may_be_protected",
    "protected_reason",
]

# Anywhere: folders, by one name or by several that follow each other.
_FOLDERS: Final = frozenset({
    ".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".claude", ".tui-agent", ".hg", ".jj",
    ".circleci", ".githooks", ".buildkite", ".cursor", ".codex", ".gemini", ".windsurf", ".zed",
    ".helix", ".fleet",
})  # fmt: skip
_NESTED: Final[tuple[tuple[str, ...], ...]] = (
    (".config", "mise"),
    (".config", "git"), (".github", "workflows"), (".github", "actions"), ("node_modules", ".bin"), (".venv", "bin"),
    (".venv", "scripts"), ("venv", "bin"), ("venv", "scripts"),
)  # fmt: skip
# Anywhere: files.
_FILES: Final = frozenset({
    ".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bash_logout",
    ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".profile", ".envrc", ".npmrc", ".yarnrc",
    ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml", ".bazelrc",
    ".bazelversion", ".bazeliskrc", ".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml",
    ".lefthook.yaml", "gradle-wrapper.properties", "maven-wrapper.properties", ".devcontainer.json", ".ripgreprc",
    "pyrightconfig.json", ".mcp.json", ".claude.json", ".pdbrc", ".rprofile", ".gitlab-ci.yml", ".gdbinit", ".lldbinit",
    ".irbrc", ".pryrc", ".hgrc", ".curlrc", ".wgetrc", ".psqlrc", ".sqliterc", ".exrc", ".nvimrc", ".dir-locals.el",
    "sitecustomize.py", "usercustomize.py", "pyvenv.cfg", ".pylintrc", ".ghci", ".ocamlinit", ".octaverc", ".renviron",
    ".rdata", ".latexmkrc", "latexmkrc", ".rspec", ".iex.exs", ".nvim.lua", ".lvimrc", ".mise.toml", "mise.toml",
    ".tool-versions", "ansible.cfg", ".aider.conf.yml", "rust-toolchain", "rust-toolchain.toml",
    ".travis.yml", ".drone.yml", ".woodpecker.yml", ".woodpecker.yaml", "azure-pipelines.yml", "bitbucket-pipelines.yml",
    "jenkinsfile", ".cirrus.yml", ".appveyor.yml", "appveyor.yml", ".vimrc", "mise.local.toml", ".mise.local.toml", ".rtx.toml",
})  # fmt: skip
# In home alone: elsewhere these names mean nothing to anybody.
AT_HOME: Final = (
    ".ssh", ".gnupg", ".aws", ".kube", ".docker", ".config/git", ".config/systemd", ".config/autostart", ".config/fish",
    ".config/environment.d", ".config/zsh", ".config/nvim", ".config/direnv", ".config/pip", ".config/htop", ".local/bin",
    ".local/share/systemd", ".local/share/applications", ".local/share/dbus-1", ".local/lib", "bin", ".vim", ".vimrc", ".emacs",
    ".emacs.d", ".tmux.conf", ".screenrc", ".inputrc", ".xprofile", ".xsession", ".xinitrc", ".xsessionrc", ".pam_environment",
    ".login", ".cshrc", ".tcshrc", ".kshrc", ".netrc", ".pypirc", ".forward", ".crontab", ".ipython", ".jupyter", ".oh-my-zsh",
    ".mkshrc", ".gvimrc", ".config/tmux", ".config/emacs", ".config/helix", ".config/kitty", ".config/alacritty",
    ".config/wezterm", ".config/ghostty", ".config/starship.toml", ".config/mise", ".config/gdb", ".config/hg", ".config/jj",
    ".config/gh", ".config/i3", ".config/sway", ".config/hypr", ".config/plasma-workspace", ".config/Code", ".config/zed",
    ".config/containers", ".config/uv",
    ".i3", ".xmonad", ".mailcap", ".muttrc", ".procmailrc", ".rhosts", ".shosts", ".my.cnf",
    ".m2", ".gradle/init.gradle", ".gradle/init.d", ".gradle/gradle.properties", ".rbenv", ".rvm", ".sdkman", ".julia",
    ".nanorc", ".wezterm.lua", ".direnvrc", ".xonshrc", ".lesskey", ".Xresources", ".xbindkeysrc", ".k5login", ".pythonrc",
    ".pythonrc.py", ".config/powershell", ".config/nushell", ".config/elvish", ".config/xonsh", ".config/zellij",
    ".config/lazygit", ".config/mpv", ".config/ranger", ".config/nano", ".config/cargo", ".config/lesskey",
    ".pip", ".asdfrc", ".rvmrc", ".gemrc", ".bundle", ".mongorc.js", ".mongoshrc.js", ".lessfilter", ".terraformrc",
    ".ansible.cfg", ".subversion", ".mozilla", ".password-store", ".local/share/keyrings", ".local/share/nvim",
    ".pyenv", ".nvm", ".rustup", ".asdf", ".tui-agent", ".claude", "Library/LaunchAgents",
)  # fmt: skip
_HARMLESS_AT_HOME: Final = frozenset({
    ".cache", ".Trash", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".coverage", ".tox", ".nox",
})  # fmt: skip
# What an empty folder stands in for while a command runs that must not make it. Programs take one of these names for nothing,
# though `git clean` stumbles over it; in place of other names it would disturb them.
STAND_INS: Final = (".claude", ".tui-agent", ".vscode", ".idea", ".mcp.json")

_DEEPEST: Final = max(name.count("/") + 1 for name in AT_HOME)
_AT_HOME_BY_NAME: Final = {**{name.casefold(): name for name in AT_HOME}, **{name: name for name in AT_HOME}}
_IGNORED: Final = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")  # by HFS+
_GIT_SHORT: Final = "git~1"  # how an old file system of Windows calls `.git`
_OBEYED_IN_BARE: Final = frozenset({"config", "config.worktree", "commondir", "hooks", "info", "modules", "worktrees"})
_PROGRAMS: Final = frozenset({"bin", "scripts"})  # of a virtual environment
_LIBRARIES: Final = frozenset({"site-packages", "dist-packages"})
_CODE_AT_START: Final = ".pth"  # in those, it is run whenever an interpreter starts
_STARTS: Final = _FOLDERS | _PROGRAMS | _LIBRARIES | {one[0] for one in _NESTED}
# Folders that are protected only for what is in them: a link, or another folder, in place of one brings that along.
HOLDERS: Final = frozenset({".venv", "venv", ".github"})
_SUSPECT: Final = _STARTS | _FILES | {name for one in _NESTED for name in one} | {"pyvenv.cfg"}


def protected_reason(path: str, where: PathContext) -> str | None:
    """Return why writing an absolute path needs a user each time, or None. Links are followed and both ends judged."""
    for face in where.faces(path):
        named = face.split("/")
        parts = [_plain(part) for part in named]
        for index, part in enumerate(parts):
            if part in _STARTS and (reason := _folder_reason(named, parts, index)):
                return reason
        if parts[-1] in _FILES:
            return f"`{parts[-1]}` is a protected file"
        for index in (at for at, part in enumerate(parts) if part in _OBEYED_IN_BARE):
            if is_bare("/".join(named[:index])):
                return f"git obeys `{parts[index]}` of a repository"
        if where.lies_in(face, where.home):
            inside = face[len(where.home) :].strip("/")
            if name := _name_at_home(inside, where) or _hidden_at_home(inside, where):
                return f"`~/{name}` is protected"
        for place in where.own_places:
            if where.lies_in(face, place) and face not in where.writable_in_plan:
                return "the program keeps its own settings and state there"
    return None


def _folder_reason(named: Sequence[str], parts: Sequence[str], index: int) -> str:
    """Return why what lies in a folder is protected, by that folder's name and those beside it; empty where it is not."""
    part = parts[index]
    if part in _FOLDERS and not (part == ".claude" and parts[index + 1 : index + 2] == ["worktrees"]):
        return f"`{part}` is a protected folder"
    nested = next((one for one in _NESTED if tuple(parts[index : index + len(one)]) == one), None)
    if nested is not None:
        return f"`{'/'.join(nested)}` is a protected folder"
    if part in _LIBRARIES and parts[-1].endswith(_CODE_AT_START):
        return f"`{parts[-1]}` is run whenever Python starts"
    if part in _PROGRAMS and os.path.exists(f"{'/'.join(named[:index])}/pyvenv.cfg"):  # noqa: PTH110 - text
        return f"`{part}` of a virtual environment is a protected folder"
    return ""


def may_be_protected(name: str) -> bool:
    """Whether something of this name may be protected, depending on what it lies in; False says that it is not.

    That does not count what is protected in home alone.
    """
    plain = _plain(name)
    return plain in _SUSPECT or plain.endswith(_CODE_AT_START)


def hidden_at_home(where: PathContext) -> Iterator[str]:
    """Yield the hidden files and folders of home that are protected, and are there."""
    try:
        names = sorted(os.listdir(where.home))  # noqa: PTH208 - text
    except OSError:
        return
    yield from (f"{where.home}/{name}" for name in names if name.startswith(".") and _hidden_at_home(name, where))


def _name_at_home(inside: str, where: PathContext) -> str:
    """Return the protected place of home that a path in it lies in; empty for none, or if that is what is worked on."""
    for name in _at_home(inside.casefold() if where.is_case_blind else inside):
        if not where.lies_in(where.cwd, f"{where.home}/{name}"):
            return name
    return ""


def _hidden_at_home(inside: str, where: PathContext) -> str:
    """Return the hidden file or folder of home that a path in it lies in; empty for none, or if that is what is worked on.

    Programs without number keep there what they obey: no list of them is ever whole.
    """
    name = inside.partition("/")[0]
    place = f"{where.home}/{name}"
    if not name.startswith(".") or name in _HARMLESS_AT_HOME or f"{where.home}/{inside}" in where.writable_in_plan:
        return ""
    return "" if any(where.lies_in(folder, place) for folder in where.folders) else name


def _at_home(inside: str) -> Iterator[str]:
    parts = inside.split("/", _DEEPEST)
    for count in range(1, _DEEPEST + 1):
        if name := _AT_HOME_BY_NAME.get("/".join(parts[:count])):
            yield name


class ProtectedMatcher:
    """Finds what is protected in folders that a sandbox lets be written; see `MatchingFiles`.

    Of `node_modules`, virtual environments and bare repositories it finds a sign, from which `places` makes what is kept.
    """

    def __init__(self, *, with_programs: bool) -> None:
        self._with_programs = with_programs

    @property
    def key(self) -> Hashable:
        """See `Matcher`."""
        return True

    def matches(self, path: str, name: str) -> bool:
        """See `Matcher`."""
        plain = _plain(name)
        if plain in _FOLDERS or plain in _FILES or plain == "node_modules":
            return True
        if plain in HOLDERS and os.path.islink(path):  # noqa: PTH114 - text
            return True
        if name == "HEAD" and is_bare(path[: -len("/HEAD")]):
            return True
        above = _plain(path[: -len(name) - 1].rpartition("/")[2])
        return any(one == (above, plain) for one in _NESTED)

    def skips(self, _path: str, name: str) -> bool:
        """See `Matcher`. What is installed there is not looked through: nobody works in it."""
        return name in ("site-packages", "dist-packages", "__pycache__")

    def places(self, found: str) -> Iterator[str]:
        """Yield what is to be kept from being written of what was found."""
        folder, _, name = found.rpartition("/")
        plain = _plain(name)
        if plain == ".git":
            yield from kept_of_git(found)
        elif name == "HEAD":
            yield from kept_of_bare(folder)
        elif plain == "node_modules":
            yield from filter(os.path.lexists, [f"{found}/.bin"] if self._with_programs else [])
        elif plain == "pyvenv.cfg":
            own = [f"{folder}/{one}" for one in ("bin", "Scripts")] if self._with_programs else []
            yield from filter(os.path.lexists, [*own, found])
        elif plain not in HOLDERS and (_plain(folder.rpartition("/")[2]) != ".venv" or self._with_programs):
            yield found


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    """Return a name as the most lenient file system has it."""
    plain = _IGNORED.sub("", name).casefold()
    stem = plain.partition(":")[0].rstrip(". ")
    return ".git" if stem in (".git", _GIT_SHORT) else plain
