"""All settings of a session: read from every source, checked entry by entry, laid over each other.

Sources, strongest first: command line, local project, project, policy, user. A single value comes from the strongest
source that has it, objects are merged key by key, lists are joined. What a policy *restricts* holds whatever the others say.

A source that cannot be read or parsed is a `Problem`, never an error: the rest holds. Until a folder is trusted, what its own
files would loosen (allow rules, environment, added folders, a freer start mode) does not count; what they tighten does.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.settings import places
from tui_agent.settings.schema import Problem, SettingsValues, prune
from tui_agent.settings.source_text import Location, MalformedJson, SourceText, parse
from tui_agent.settings.trust import is_trusted as folder_is_trusted

__all__ = ["SOURCES", "Explanation", "RuleEntry", "Settings", "SettingsError", "SourceKind", "load_settings"]

SourceKind = Literal["cli", "local", "project", "policy", "user"]
SOURCES: Final[tuple[SourceKind, ...]] = ("cli", "local", "project", "policy", "user")
_CHOOSABLE: Final = frozenset({"local", "project", "user"})
_NAMES: Final[Mapping[SourceKind, str]] = {
    "cli": "command line",
    "local": "local project settings",
    "project": "project settings",
    "policy": "policy",
    "user": "user settings",
}
_MAX_BYTES: Final = 2 * 1024 * 1024
_TIGHT_MODES: Final = frozenset({"default", "manual", "plan", "dontAsk"})


class SettingsError(ValueError):
    """What the command line gave cannot be used at all; the message says why."""


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One permission rule as written, and where. `base` is the folder that its `/path` starts at.

    `is_held_back` marks an allow rule of a folder that is not trusted: it is known but does not count.
    """

    behavior: Literal["allow", "ask", "deny"]
    text: str
    kind: SourceKind
    file: str
    line: int
    base: Path
    is_held_back: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one source says on a key, and whether it counts (`reason` says why not)."""

    source: str
    file: str
    line: int
    value: Any
    counts: bool
    reason: str = ""


@dataclass(frozen=True)
class _Source:
    kind: SourceKind
    file: str
    base: Path
    text: SourceText
    values: Mapping[str, Any]
    held_back: frozenset[tuple[str, ...]] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Settings:
    """The settings in force. `problems` lists what was left out of which file and why."""

    values: SettingsValues
    problems: tuple[Problem, ...]
    rules: tuple[RuleEntry, ...]
    start_dir: Path
    project_root: Path
    is_trusted: bool
    additional_directories: tuple[Path, ...]
    held_back: tuple[str, ...]
    _sources: tuple[_Source, ...]

    def explain(self, key: str) -> tuple[Explanation, ...]:
        """Return what each source says on `key` (dotted, as in `permissions.defaultMode`), strongest first."""
        path = tuple(key.split("."))
        found: list[Explanation] = []
        is_settled = False
        for source in self._sources:
            value = _lookup(source.values, path)
            if value is _ABSENT:
                continue
            is_joined = isinstance(value, dict | list)
            if path in source.held_back:
                counts, reason = False, "held back until the folder is trusted"
            elif is_settled and not is_joined:
                counts, reason = False, "a stronger source has its own value"
            else:
                counts, reason = True, ""
                is_settled = True
            line = source.text.line(path)
            found.append(Explanation(_NAMES[source.kind], source.file, line, value, counts, reason))
        return tuple(found)


def load_settings(
    start_dir: Path,
    *,
    home: Path | None = None,
    config_dir: Path | None = None,
    inline: str | None = None,
    sources: Collection[str] | None = None,
    is_trusted: bool | None = None,
    policy_dir: Path = places.POLICY_FOLDER,
) -> Settings:
    """Read the settings for a session that starts in `start_dir`.

    Args:
        start_dir: the folder the session starts in.
        home: the person's home folder, by default the real one.
        config_dir: where the person's own settings lie, by default where the platform keeps them.
        inline: what `--settings` gave: a file's name, or the JSON itself.
        sources: which of `user`, `project` and `local` are read; None for all.
        is_trusted: whether the folder is trusted; None looks it up.
        policy_dir: where an administrator's settings lie.

    Raises:
        SettingsError: `inline` is neither JSON nor a file that can be read, or `sources` names an unknown source.
    """
    start_dir = Path(os.path.abspath(start_dir))  # noqa: PTH100 - links stay
    home = home or Path.home()
    wanted = _CHOOSABLE if sources is None else frozenset(sources)
    if unknown := sorted(wanted - _CHOOSABLE):
        raise SettingsError(f"unknown settings source `{unknown[0]}`; choose from local, project, user")
    root = places.project_root(start_dir)
    trusted = folder_is_trusted(start_dir) if is_trusted is None else is_trusted
    problems: list[Problem] = []
    loaded: list[_Source] = []
    for kind, file, base in _files(start_dir, root, home, config_dir, policy_dir):
        if kind not in _CHOOSABLE or kind in wanted:
            source = _read(kind, file, base, problems)
            if source is not None:
                loaded.append(source if trusted else _hold_back(source))
    if inline is not None:
        loaded.insert(0, _read_inline(inline, start_dir, problems))
    loaded = [_refuse_free_start(source, problems) for source in loaded]
    merged: dict[str, Any] = {}
    for source in reversed(loaded):
        merged = _merge(merged, _counting(source))
    values = SettingsValues.model_validate(_with_policy(merged, loaded))
    rules = tuple(_rules(loaded, values.allow_managed_permission_rules_only))
    return Settings(
        values=values,
        problems=tuple(problems),
        rules=rules,
        start_dir=start_dir,
        project_root=root,
        is_trusted=trusted,
        additional_directories=tuple(_directories(loaded, start_dir, home)),
        held_back=tuple(_held_back_names(loaded)),
        _sources=tuple(loaded),
    )


def _files(
    start: Path, root: Path, home: Path, config: Path | None, policy: Path
) -> Iterator[tuple[SourceKind, Path, Path]]:
    """Yield every file that may hold settings, strongest first, with the folder that its `/path` rules start at."""
    local = places.local_settings_file(start, home=home)
    yield "local", local, start
    yield "project", places.project_settings_file(start), root
    for file in reversed(places.policy_settings_files(policy)):
        yield "policy", file, file.parent
    user = places.user_settings_file(config)
    yield "user", user, user.parent


def _read(kind: SourceKind, file: Path, base: Path, problems: list[Problem]) -> _Source | None:
    try:
        raw = _bytes_of(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        problems.append(Problem(str(file), 1, f"cannot be read: {error.strerror or error}; the file is left out"))
        return None
    try:
        return _checked(kind, str(file), base, raw.decode("utf-8-sig"), problems)
    except UnicodeDecodeError:
        problems.append(Problem(str(file), 1, "is not UTF-8 text; the file is left out"))
    except MalformedJson as error:
        problems.append(Problem(str(file), error.line, f"column {error.column}: {error.reason}; the file is left out"))
    return None


def _read_inline(inline: str, start: Path, problems: list[Problem]) -> _Source:
    if len(inline) > _MAX_BYTES:
        raise SettingsError("--settings is larger than 2 MiB")
    if inline.lstrip().startswith("{"):
        try:
            return _checked("cli", "--settings", start, inline, problems)
        except MalformedJson as error:
            raise SettingsError(f"--settings: {error}") from None
    file = start / Path(inline).expanduser()
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise SettingsError(f"--settings {inline}: larger than 2 MiB")
        return _checked("cli", str(file), file.parent, file.read_bytes().decode("utf-8-sig"), problems)
    except MalformedJson as error:
        raise SettingsError(f"--settings {inline}: {error}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"--settings {inline}: not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SettingsError(f"--settings {inline}: {reason}") from None


def _bytes_of(file: Path) -> bytes:
    """Read a settings file that nobody pointed at: in a foreign folder it may be a pipe, or link to a device without end.

    Raises:
        OSError: it cannot be read, or should not be.
    """
    with open(file, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError("it is not a regular file")
        data = opened.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError("it is larger than 2 MiB")
    return data


def _checked(kind: SourceKind, file: str, base: Path, text: str, problems: list[Problem]) -> _Source:
    source = parse(text) if text.strip() else SourceText({})
    values, found = prune(source, file)
    problems.extend(found)
    return _Source(kind, file, base, source, values)


_LOOSENING: Final = (("permissions", "allow"), ("permissions", "additionalDirectories"), ("env",))
_DEFAULT_MODE: Final = ("permissions", "defaultMode")


def _hold_back(source: _Source) -> _Source:
    """Mark what an untrusted folder's own file would loosen."""
    if source.kind not in {"local", "project"}:
        return source
    held = {path for path in _LOOSENING if _lookup(source.values, path) not in (_ABSENT, [], {})}
    mode = _lookup(source.values, _DEFAULT_MODE)
    if mode is not _ABSENT and mode not in _TIGHT_MODES:
        held.add(_DEFAULT_MODE)
    return _Source(source.kind, source.file, source.base, source.text, source.values, frozenset(held))


def _refuse_free_start(source: _Source, problems: list[Problem]) -> _Source:
    """A file that comes with the project may not switch all questions off for whoever opens it."""
    if source.kind != "project" or _lookup(source.values, _DEFAULT_MODE) != "bypassPermissions":
        return source
    text = (
        "`permissions.defaultMode` may be bypassPermissions only in your own settings or on the command line; left out"
    )
    problems.append(Problem(source.file, source.text.line(_DEFAULT_MODE), text))
    values = _without(source.values, _DEFAULT_MODE)
    return _Source(source.kind, source.file, source.base, source.text, values, source.held_back - {_DEFAULT_MODE})


def _counting(source: _Source) -> Mapping[str, Any]:
    values = source.values
    for path in source.held_back:
        values = _without(values, path)
    return values


def _with_policy(merged: dict[str, Any], loaded: list[_Source]) -> dict[str, Any]:
    """Lay what a policy restricts over what the stronger sources said; no other source may set its own locks."""
    lock = "allowManagedPermissionRulesOnly"
    result = {key: value for key, value in merged.items() if key != lock}
    policies = [source.values for source in loaded if source.kind == "policy"]
    if any(values.get(lock) for values in policies):
        result[lock] = True
    return result


def _rules(loaded: list[_Source], is_policy_only: bool) -> Iterator[RuleEntry]:
    behaviors: tuple[Literal["allow", "ask", "deny"], ...] = ("deny", "ask", "allow")
    for behavior in behaviors:
        path = ("permissions", behavior)
        for source in loaded:
            if is_policy_only and source.kind != "policy":
                continue
            for text, line in _listed(source, path):
                held = path in source.held_back
                yield RuleEntry(behavior, text, source.kind, source.file, line, source.base, held)


def _listed(source: _Source, path: Location) -> Iterator[tuple[str, int]]:
    """Yield the entries of a list that survived checking, with their lines in the file (where they may stand lower)."""
    original = _lookup(source.text.value, path)
    if isinstance(original, list):
        for index, item in enumerate(original):
            if isinstance(item, str):
                yield item, source.text.line((*path, index))


def _directories(loaded: list[_Source], start: Path, home: Path) -> Iterator[Path]:
    seen: set[str] = set()
    for source in loaded:
        path = ("permissions", "additionalDirectories")
        if path in source.held_back:
            continue
        for text, _line in _listed(source, path):
            expanded = str(home) + text[1:] if text == "~" or text.startswith("~/") else text
            folder = os.path.normpath(start / expanded)
            if folder not in seen:
                seen.add(folder)
                yield Path(folder)


def _held_back_names(loaded: list[_Source]) -> Iterator[str]:
    for source in loaded:
        for path in sorted(source.held_back):
            yield f"{source.file}: {'.'.join(path)}"


class _Absent:
    pass


_ABSENT: Final = _Absent()


def _lookup(values: Any, path: Location) -> Any:  # noqa: ANN401 - any JSON
    for part in path:
        if not isinstance(values, Mapping) or part not in values:
            return _ABSENT
        values = values[part]
    return values


def _without(values: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return a copy that lacks the entry at `path`."""
    result = dict(values)
    if len(path) == 1:
        result.pop(path[0], None)
    elif isinstance(result.get(path[0]), Mapping):
        result[path[0]] = _without(result[path[0]], path[1:])
    return result


def _merge(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    """Lay `high` over `low`: objects key by key, lists joined with the stronger entries first, else the stronger value."""
    result = dict(low)
    for key, value in high.items():
        below = result.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            result[key] = _merge(below, value)
        elif isinstance(value, list) and isinstance(below, list):
            result[key] = [*value, *(item for item in below if item not in value)]
        else:
            result[key] = value
    return result
