"""The environment that commands run in: the user's, without keys and tokens, and with nothing that waits for a user."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from tui_agent.secrets.names import is_secret

if TYPE_CHECKING:
    from tui_agent.tools.base import ToolContext

__all__ = ["command_environment", "is_secret", "is_shells_own", "variables_of"]

# What bash itself would take from the environment: files to source, options, functions of the user's.
_SHELL_NAMES: Final = frozenset(
    {"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE", "BASH_XTRACEFD"}
)
_TERMINAL_NAMES: Final = frozenset(
    {"FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "LS_COLORS", "GREP_COLORS", "COLUMNS", "LINES"}
)
# Options of pagers, and programs that they run for each file.
_PAGER_NAMES: Final = frozenset({"LESS", "LESSOPEN", "LESSCLOSE", "LESSKEY", "LESSKEYIN", "LESSKEY_SYSTEM", "MORE"})
_FIXED: Final = {
    "TUI_AGENT": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    # `less` runs nothing, and keeps no log
    "LESSSECURE": "1",
    "SYSTEMD_PAGER": "cat",
    "AWS_PAGER": "",
    # an editor that leaves the file as it is: a commit without a message fails, a merge takes the one git wrote
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "NPM_CONFIG_YES": "true",
}


def is_shells_own(name: str) -> bool:
    """Whether bash itself would take something from a variable of this name: a file to run, options, a function."""
    return name in _SHELL_NAMES or name.startswith("BASH_FUNC_")


def command_environment(base: Mapping[str, str], folder: str, *, kept: Collection[str] = ()) -> dict[str, str]:
    """Return the environment of a command that starts in `folder`; names in `kept` stay even where they are secret."""
    usual = {
        name: value
        for name, value in base.items()
        if not is_secret(name) and not is_shells_own(name) and name not in _TERMINAL_NAMES | _PAGER_NAMES
    }
    wanted = {name: base[name] for name in kept if name in base and not is_shells_own(name)}
    return {**usual, **_FIXED, **wanted, "PWD": folder}


def variables_of(ctx: ToolContext, folder: str) -> dict[str, str]:
    """Return the environment of a command of this call, before what the call itself sets."""
    return command_environment({**os.environ, **ctx.environment}, folder, kept=ctx.kept_names)
