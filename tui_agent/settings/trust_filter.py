"""What of a source counts: trust in the folder it came with, keys that not everybody may set, and what a policy restricts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tui_agent.settings.keys import is_used
from tui_agent.settings.problems import Problem
from tui_agent.settings.sources import SettingsSource
from tui_agent.settings.values import ABSENT, Path, dotted, leaves, look_up, put

__all__ = ["is_guarded", "obey_policy", "refuse_misplaced", "restricted"]

_MODE: Final = ("permissions", "defaultMode")
_TIGHT_MODES: Final = frozenset({"default", "manual", "plan", "dontAsk"})

# What an untrusted folder may say: whatever only tightens, and what cannot do harm. All else that is used is held back.
_HARMLESS: Final = frozenset({
    ("permissions", "deny"), ("permissions", "ask"), ("permissions", "disableBypassPermissionsMode"),
    ("sandbox", "filesystem", "denyWrite"), ("sandbox", "filesystem", "denyRead"), ("sandbox", "network", "deniedDomains"),
    ("model",), ("smallModel",), ("maxTurns",), ("maxTokens",), ("thinking",), ("features",), ("theme",), ("screen",),
    ("respectGitignore",), ("alwaysThinkingEnabled",), ("preferredNotifChannel",), ("prefersReducedMotion",),
    ("reviewMovesOn",), ("disabledMcpjsonServers",), ("deniedMcpServers",),
    ("mcpIdleSeconds",), ("skillListingBudgetFraction",), ("skillListingMaxDescChars",), ("autoMemoryEnabled",),
    ("claudeMdExcludes",),
    ("statusLine", "padding"), ("statusLine", "type"), ("statusLine", "refreshInterval"),
})  # fmt: skip
# Keys of which one value tightens. Said by a policy, that value holds whatever the others say.
_TIGHT: Final[Mapping[Path, Any]] = {
    ("permissions", "disableBypassPermissionsMode"): "disable",
    ("maskSecrets",): True,
    ("sandbox", "enabled"): True,
    ("sandbox", "failIfUnavailable"): True,
    ("sandbox", "autoAllowBashIfSandboxed"): False,
    ("sandbox", "allowUnsandboxedCommands"): False,
    ("sandbox", "readOnlyWithout"): False,
    ("sandbox", "filesystem", "disabled"): False,
    ("sandbox", "network", "enabled"): False,
    ("sandbox", "network", "allowAllUnixSockets"): False,
    ("sandbox", "network", "allowLocalBinding"): False,
    ("disableSkillShellExecution",): True,
}
# Tight for the sandbox that is, but not on its own: to enable the sandbox is also to run commands without asking.
_NEVER_HARMLESS: Final = frozenset({("sandbox", "enabled")})
_POLICY_ONLY: Final[tuple[Path, ...]] = (
    ("allowManagedPermissionRulesOnly",),
    ("allowManagedHooksOnly",),
    ("allowManagedMcpServersOnly",),
)
_POLICY_LISTS: Final[tuple[Path, ...]] = (("allowedHttpHookUrls",), ("httpHookAllowedEnvVars",), ("allowedMcpServers",))
# What would weaken the sandbox that a policy requires, in a file that comes with the project.
_WEAKENING: Final = frozenset({
    ("sandbox", "excludedCommands"), ("sandbox", "filesystem", "allowWrite"), ("sandbox", "filesystem", "allowRead"),
    ("sandbox", "network", "allowedDomains"), ("sandbox", "network", "allowUnixSockets"),
})  # fmt: skip
# Modes that a file which comes with the project may not start sessions in.
_REFUSED_MODES: Final = frozenset({"bypassPermissions", "auto"})
_NOT_FOR_PROJECTS: Final = frozenset({
    "autoMemoryDirectory", "autoMode", "mcpClientMetadataUrl", "providers", "skipDangerousModePermissionPrompt",
    "vimInsertModeRemaps",
})  # fmt: skip


def is_guarded(path: Path, value: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether what a folder's own file says here needs the user's consent: it is used, and could loosen something."""
    return value not in ([], {}) and is_used(dotted(path)) and not _is_harmless(path, value)


def _is_harmless(path: Path, value: Any) -> bool:  # noqa: ANN401 - any JSON
    if path == _MODE:
        return value in _TIGHT_MODES
    if path in _NEVER_HARMLESS:
        return False
    return path in _HARMLESS or (path in _TIGHT and value == _TIGHT[path]) or path in _POLICY_ONLY


def refuse_misplaced(source: SettingsSource, problems: list[Problem]) -> SettingsSource:
    """Leave out what this kind of source may not say, and say so."""
    wrong: dict[Path, str] = {}
    if source.kind == "project":
        mode = look_up(source.values, _MODE)
        if mode in _REFUSED_MODES:
            wrong[_MODE] = f"may be {mode} only in your own settings or on the command line"
        for key in _NOT_FOR_PROJECTS & source.values.keys():
            wrong[key,] = "counts only in your own settings"
    if source.kind != "policy":
        for path in _POLICY_ONLY:
            if look_up(source.values, path) is not ABSENT:
                wrong[path] = "counts only in a policy"
    for path, reason in wrong.items():
        problems.append(Problem(source.file, source.text.line(path), f"`{dotted(path)}` {reason}; ignored"))
    return replace(source, ignored={**source.ignored, **wrong})


def obey_policy(sources: Sequence[SettingsSource]) -> tuple[SettingsSource, ...]:
    """Mark what does not count as a policy restricts it."""
    policies = [source for source in sources if source.kind == "policy"]
    locks = dict(_locks(policies))
    is_sandbox_required = ("sandbox", "enabled") in locks
    return tuple(
        source
        if source.kind == "policy"
        else replace(source, ignored={**source.ignored, **dict(_overruled(source, locks, is_sandbox_required))})
        for source in sources
    )


def restricted(values: Mapping[str, Any], sources: Sequence[SettingsSource]) -> dict[str, Any]:
    """Return the merged values with what a policy restricts as the policy says it."""
    result = dict(values)
    for path, (value, _file) in _locks([source for source in sources if source.kind == "policy"]):
        result = put(result, path, value)
    return result


def _locks(policies: Sequence[SettingsSource]) -> Iterator[tuple[Path, tuple[Any, str]]]:
    """Yield what policies restrict: the path, the value that holds, and the file."""
    for source in policies:
        for path, value in _TIGHT.items():
            if look_up(source.values, path) == value:
                yield path, (value, source.file)
    for path in _POLICY_ONLY:
        for source in policies:
            if look_up(source.values, path) is True:
                yield path, (True, source.file)
    for path in _POLICY_LISTS:
        lists = [(found, source.file) for source in policies if isinstance(found := look_up(source.values, path), list)]
        if lists:
            yield path, (_unique(item for found, _ in lists for item in found), lists[0][1])


def _overruled(
    source: SettingsSource, locks: Mapping[Path, tuple[Any, str]], is_sandbox_required: bool
) -> Iterator[tuple[Path, str]]:
    comes_with_project = source.kind in {"local", "project"}
    for path, value in leaves(source.values):
        if path in locks and (path in _POLICY_LISTS or value != locks[path][0]):
            yield path, f"the policy in {locks[path][1]} restricts it"
        elif is_sandbox_required and comes_with_project and path[0] == "sandbox":
            is_loose = path in _WEAKENING or (path in _TIGHT and value != _TIGHT[path])
            if is_loose:
                yield path, "the policy requires the sandbox, which files of a project cannot weaken"


def _unique(items: Iterable[Any]) -> list[Any]:
    """Return the entries of lists without repetitions; those that are objects cannot be keys of a dictionary."""
    kept: list[Any] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return kept
