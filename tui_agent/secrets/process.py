"""The masker for what belongs to no session: messages of faults, logs, remembered prompts."""

from __future__ import annotations

import os
from functools import cache

from tui_agent.secrets.masker import Masker
from tui_agent.secrets.names import is_secret
from tui_agent.secrets.values import own_keys, secret_values

__all__ = ["process_masker"]


@cache
def process_masker() -> Masker:
    """Return the masker for this process's environment, as it was when this was first called."""
    environment = dict(os.environ)
    return Masker(secret_values(environment, is_secret), own=own_keys(environment))
