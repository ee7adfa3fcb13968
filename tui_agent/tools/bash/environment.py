"""The environment that commands run in: the person's, without keys and tokens, and with nothing that waits for a person."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["command_environment", "is_secret"]

# A name is secret when one of these is a whole part of it, parts being separated by underscores: GITHUB_TOKEN, DB_PASS_2.
_SECRET_PARTS: Final = frozenset(
    {"TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PAT", "APIKEY", "CREDENTIAL", "CREDENTIALS",
     "BEARER", "COOKIE"}
)  # fmt: skip
_SECRET_NAMES: Final = re.compile(
    r"(^|_|API|ACCESS|SECRET|PRIVATE)KEY(_ID|_BASE|_\d+)?$|^ANTHROPIC_CUSTOM_HEADERS$|^MYSQL_PWD$|^SSHPASS$|_DSN$|CONNECTION_STRING"
)
# What bash itself would take from the environment: files to source, options, functions of the person's.
_SHELL_NAMES: Final = frozenset(
    {"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE", "BASH_XTRACEFD"}
)
_TERMINAL_NAMES: Final = frozenset(
    {"FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "LS_COLORS", "GREP_COLORS", "COLUMNS", "LINES"}
)
_FIXED: Final = {
    "TUI_AGENT": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
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


def is_secret(name: str) -> bool:
    """Whether a variable's name says that its value is a key, a token or a password."""
    upper = name.upper()
    return not _SECRET_PARTS.isdisjoint(upper.split("_")) or _SECRET_NAMES.search(upper) is not None


def command_environment(base: Mapping[str, str], folder: str) -> dict[str, str]:
    """Return the environment of a command that starts in `folder`."""
    kept = {
        name: value
        for name, value in base.items()
        if not is_secret(name)
        and name not in _SHELL_NAMES
        and name not in _TERMINAL_NAMES
        and not name.startswith("BASH_FUNC_")
    }
    return {**kept, **_FIXED, "PWD": folder}
