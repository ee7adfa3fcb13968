"""What a settings file may say, and how one bad entry is left out without losing the rest."""

from __future__ import annotations

import copy
import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from tui_agent.settings.features import Feature
from tui_agent.settings.problems import Problem
from tui_agent.settings.source_text import Location, SourceText

__all__ = ["Permissions", "ProviderModel", "ProviderValues", "SettingsValues", "Thinking", "prune"]

ModeName = Literal["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]
Thinking = Literal["adaptive", "off"]
NotifyBy = Literal["auto", "iterm2", "iterm2_with_bell", "terminal_bell", "kitty", "ghostty", "notifications_disabled"]


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=False,
        validate_by_alias=True,
    )


class Permissions(_Part):
    """Rules as written, the mode to start in, and folders that belong to the work."""

    allow: tuple[str, ...] = Field(default=(), strict=False)
    ask: tuple[str, ...] = Field(default=(), strict=False)
    deny: tuple[str, ...] = Field(default=(), strict=False)
    default_mode: ModeName | None = None
    additional_directories: tuple[str, ...] = Field(default=(), strict=False)
    disable_bypass_permissions_mode: Literal["disable"] | None = None


class SandboxFiles(_Part):
    """Folders a sandboxed command may or may not touch, as written (a leading `/` is the root of the file system)."""

    allow_write: tuple[str, ...] = Field(default=(), strict=False)
    deny_write: tuple[str, ...] = Field(default=(), strict=False)
    deny_read: tuple[str, ...] = Field(default=(), strict=False)
    allow_read: tuple[str, ...] = Field(default=(), strict=False)
    disabled: bool = False


class SandboxNetwork(_Part):
    """What a sandboxed command may reach."""

    allowed_domains: tuple[str, ...] = Field(default=(), strict=False)
    denied_domains: tuple[str, ...] = Field(default=(), strict=False)
    allow_unix_sockets: tuple[str, ...] = Field(default=(), strict=False)
    allow_all_unix_sockets: bool = False
    allow_local_binding: bool = False
    enabled: bool = False  # own key: the network on or off; rules for single hosts need a proxy, which there is not


class SandboxValues(_Part):
    """The sandbox of commands that are not known to only read.

    `read_only_without` is the consent to let read-only commands through where no sandbox holds them.
    """

    enabled: bool = False
    fail_if_unavailable: bool = False
    auto_allow_bash_if_sandboxed: bool = True
    excluded_commands: tuple[str, ...] = Field(default=(), strict=False)
    allow_unsandboxed_commands: bool = True
    read_only_without: bool = False
    filesystem: SandboxFiles = SandboxFiles()
    network: SandboxNetwork = SandboxNetwork()


class HookGroup(_Part):
    """Hooks of one event with what they are heard for. What a handler may say is the hooks' own business."""

    matcher: str | None = None
    hooks: tuple[dict[str, Any], ...] = Field(strict=False)


class StatusLine(_Part):
    """A command whose output is the status line. `refresh_interval` is seconds between two runs besides the usual ones."""

    type: Literal["command"] = "command"
    command: str = ""
    padding: int = Field(default=0, ge=0, le=20)
    refresh_interval: float | None = Field(default=None, ge=1, allow_inf_nan=False)


class ModelPrice(_Part):
    """US dollars per million tokens."""

    input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    output: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_read: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class ProviderModel(_Part):
    """What is said of one model; `context` and `max_output` are tokens. None: unknown, or as the built-in data has it."""

    context: int | None = Field(default=None, gt=0)
    max_output: int | None = Field(default=None, gt=0)
    price: ModelPrice = ModelPrice()
    thinking: Literal["adaptive", "budget", False] | None = None
    images: bool | None = None
    cache: bool | None = None


class ProviderValues(_Part):
    """A way to models: an endpoint, the variable that its key is in, and what is known of its models, by their names there."""

    type: Literal["anthropic"] = "anthropic"
    base_url: str | None = None
    api_key_env: str | None = None
    models: dict[str, ProviderModel] = {}


class SettingsValues(_Part):
    """All keys that mean something here. Unknown ones are ignored; None is "nobody said anything"."""

    permissions: Permissions = Permissions()
    env: dict[str, str] = {}
    model: str | None = None
    small_model: str | None = None
    providers: dict[str, ProviderValues] = {}
    max_turns: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    thinking: Thinking | None = None
    always_thinking_enabled: bool | None = None
    features: tuple[Feature, ...] = Field(default=(), strict=False)
    theme: str | None = None
    screen: Literal["full", "linear"] | None = None
    ax_screen_reader: bool | None = None
    allow_managed_permission_rules_only: bool = False
    allow_managed_hooks_only: bool = False
    allow_managed_mcp_servers_only: bool = False
    enable_all_project_mcp_servers: bool = False
    enabled_mcpjson_servers: tuple[str, ...] = Field(default=(), strict=False)
    disabled_mcpjson_servers: tuple[str, ...] = Field(default=(), strict=False)
    allowed_mcp_servers: tuple[dict[str, Any], ...] | None = Field(default=None, strict=False)
    mcp_client_metadata_url: str | None = None
    mcp_idle_seconds: int = Field(default=300, ge=0)
    denied_mcp_servers: tuple[dict[str, Any], ...] = Field(default=(), strict=False)
    hooks: dict[str, Annotated[tuple[HookGroup, ...], Field(strict=False)]] = {}
    disable_all_hooks: bool = False
    allowed_http_hook_urls: tuple[str, ...] | None = Field(default=None, strict=False)
    http_hook_allowed_env_vars: tuple[str, ...] | None = Field(default=None, strict=False)
    respect_gitignore: bool = True
    plans_directory: str | None = None
    mask_secrets: bool = True
    respond_to_bash_commands: bool = True
    layout: Literal["auto", "side", "strip", "alone"] = "auto"
    editor_mode: Literal["normal", "vim"] = "normal"
    vim_insert_mode_remaps: dict[str, str] = {}
    spending_limit_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    spending_warn_at: float = Field(default=0.8, gt=0, le=1)
    preferred_notif_channel: NotifyBy = "auto"
    prefers_reduced_motion: bool = False
    review_moves_on: bool = False
    status_line: StatusLine = StatusLine()
    sandbox: SandboxValues = SandboxValues()
    claude_md_excludes: tuple[str, ...] = Field(default=(), strict=False)
    auto_memory_enabled: bool = True
    auto_memory_directory: str | None = None
    skill_overrides: dict[str, Literal["on", "name-only", "user-invocable-only", "off"]] = {}
    skill_listing_budget_fraction: float = Field(default=0.01, ge=0, le=1, allow_inf_nan=False)
    skill_listing_max_desc_chars: int = Field(default=1536, ge=0, le=20_000)
    disable_skill_shell_execution: bool = False

    @property
    def is_thinking(self) -> bool:
        """Whether a new session's model thinks before it answers; our own key counts before that of Claude Code."""
        return self.thinking != "off" if self.thinking is not None else self.always_thinking_enabled is not False


_WORDS: Final[dict[str, str]] = {
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def prune(source: SourceText, file: str) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Return what is valid of a settings text, and a problem for each entry that had to go.

    Only the offending entry goes: one rule of a list, one variable of `env`, one key.
    """
    if not isinstance(source.value, dict):
        return {}, (Problem(file, 1, f"settings must be an object, not {_kind(source.value)}"),)
    value: dict[str, Any] = copy.deepcopy(source.value)
    problems: list[Problem] = []
    while bad := _invalid(value):
        is_told = bool(problems)  # what lacks an entry that had to go goes as well, without another word
        # Last and deepest first, so that removing one entry of a list does not move the others that are to go.
        for location in sorted(bad, key=_order, reverse=True):
            entry = bad[location]
            name = ".".join(part for part in location if isinstance(part, str))
            if entry["type"] == "missing":
                words = f"`{name}` lacks `{entry['loc'][-1]}`"
            else:
                wording = _WORDS.get(entry["type"], _clause(entry["msg"]))
                words = f"`{name}` {wording}, not {_shown(_at(value, location))}"
            if not is_told:
                problems.append(Problem(file, source.line(location), f"{words}; ignored"))
            _remove(value, location)
    return value, tuple(sorted(problems, key=lambda problem: problem.line))


def _invalid(value: dict[str, Any]) -> dict[Location, ErrorDetails]:
    """Return what is wrong with the entries of settings, by where they stand."""
    try:
        SettingsValues.model_validate(value)
    except ValidationError as error:
        return {_within(value, entry["loc"]): entry for entry in error.errors()}
    return {}


def _clause(message: str) -> str:
    """Return what pydantic says of a value as the end of a sentence about it."""
    return message[:1].lower() + message[1:] if not message.startswith("Input should be") else f"must be{message[15:]}"


def _order(location: Location) -> tuple[tuple[int, str], ...]:
    return tuple((part, "") if isinstance(part, int) else (-1, part) for part in location)


def _within(value: Any, location: Location) -> Location:  # noqa: ANN401
    """Return the longest beginning of `location` that exists: a validator may name places inside its own workings."""
    found: list[str | int] = []
    for part in location:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            break
        found.append(part)
    return tuple(found)


def _at(value: Any, location: Location) -> Any:  # noqa: ANN401
    for part in location:
        value = value[part]
    return value


def _remove(value: Any, location: Location) -> None:  # noqa: ANN401
    del _at(value, location[:-1])[location[-1]]


def _shown(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}…"'
    return _kind(value) if isinstance(value, dict | list) else json.dumps(value)


def _kind(value: Any) -> str:  # noqa: ANN401
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
