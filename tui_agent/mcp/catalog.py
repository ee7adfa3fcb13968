"""What a server has, as plain data: tools, resources, prompts. All texts are foreign; they were cleaned and cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Catalog", "PromptArgument", "PromptInfo", "ResourceInfo", "ToolInfo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInfo:
    """One tool. The hints are what the server says of it, and no promise."""

    name: str
    title: str = ""
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    is_read_only: bool = False
    is_destructive: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceInfo:
    """One resource; with `is_template` its address has places to fill in (RFC 6570). `size` is in bytes, None where unknown."""

    uri: str
    name: str = ""
    description: str = ""
    mime_type: str = ""
    size: int | None = None
    is_template: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptArgument:
    """One argument of a prompt."""

    name: str
    description: str = ""
    is_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInfo:
    """One prompt, which a user may type as a command."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All that a server has. `protocol` is the revision that is spoken; `problems` names what was left out, a sentence each."""

    tools: tuple[ToolInfo, ...] = ()
    resources: tuple[ResourceInfo, ...] = ()
    prompts: tuple[PromptInfo, ...] = ()
    instructions: str = ""
    server_name: str = ""
    server_version: str = ""
    protocol: str = ""
    has_resources: bool = False
    problems: tuple[str, ...] = ()
