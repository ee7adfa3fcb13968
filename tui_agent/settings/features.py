"""The features that can be switched on (`--features A,B`, the setting `features`): what is not finished for everybody.

A tool or an input field that belongs to a feature is not there while it is off: not imported, in no schema, unknown when
called. Their entries say so in `tools.catalog` and with `tools.base.gated`. Imports nothing: the command line checks names
before anything else is there.
"""

from __future__ import annotations

from typing import Final, Literal

__all__ = ["FEATURES", "Feature"]

Feature = Literal["architect", "kairos", "memory", "proactive"]

FEATURES: Final[dict[Feature, str]] = {
    "architect": "the Architect tool, which has a plan worked out by a subagent that only reads",
    "kairos": "the Sleep tool, and a working folder of its own (`cwd`) for each Agent",
    "memory": "the MemoryRead and MemoryWrite tools",
    "proactive": "the Sleep tool",
}
