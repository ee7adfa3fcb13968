"""Which variables hold secrets, told by their names.

Two answers, for two uses. `is_secret` is sure: what it names is kept from commands and masked wherever it turns up, so that one
too many does harm. `may_be_secret` is for what is only shown: rather one too many is hidden. What is secret may be, too.
"""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["is_secret", "may_be_secret", "shown_value"]

# A name is secret when one of these is a whole part of it, parts being separated by underscores: GITHUB_TOKEN, DB_PASS_2.
_SECRET_PARTS: Final = frozenset(
    {"TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PAT", "APIKEY", "CREDENTIAL", "CREDENTIALS",
     "BEARER", "COOKIE"}
)  # fmt: skip
_SECRET_NAMES: Final = re.compile(
    r"(^|_|API|ACCESS|SECRET|PRIVATE)KEY(_ID|_BASE|_\d+)?$|^ANTHROPIC_CUSTOM_HEADERS$|^MYSQL_PWD$|^SSHPASS$|_DSN$|CONNECTION_STRING"
)
# Anywhere in a name, whatever stands around it.
_HINTS: Final = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR)|COOKIE|BEARER|_DSN")


def is_secret(name: str) -> bool:
    """Whether a variable's name says that its value is a key, a token or a password."""
    upper = name.upper()
    return not _SECRET_PARTS.isdisjoint(upper.split("_")) or _SECRET_NAMES.search(upper) is not None


def may_be_secret(name: str) -> bool:
    """Whether a variable's name gives reason to think so; true of every name of which `is_secret` is."""
    return is_secret(name) or _HINTS.search(name.upper()) is not None


def shown_value(name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a variable's value as it may be shown: an address keeps all but the password in it."""
    if may_be_secret(name):
        return "(hidden)"
    if isinstance(value, str):
        from tui_agent.secrets.masker import (
            Masker,
        )  # its patterns take a moment to compile, and few settings have variables

        return Masker().mask(value)
    return value
