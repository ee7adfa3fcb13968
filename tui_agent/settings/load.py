"""All settings of a session: read from every source, checked entry by entry, laid over each other.

Sources, strongest first: command line, local project, project, policy, user. A single value comes from the strongest
source that has it, objects are merged key by key, lists are joined. What a policy *restricts* holds whatever the others say.

A source that cannot be read or parsed is a `Problem`, never an error: the rest holds. Until a folder is trusted, what its own
files would loosen (allow rules, environment, hooks, added folders, a freer start mode) does not count; what they tighten does.
Nor does what is new or has changed since then, until the user confirms it. Of the local files, what this program wrote itself
counts either way.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from tui_agent.settings import standard_paths, trust_filter
from tui_agent.settings.confirmed import confirmed_file
from tui_agent.settings.consent import Consent
from tui_agent.settings.entries import (
    HookEntry,
    RuleEntry,
    SandboxPaths,
    directories,
    hook_entries,
    rule_entries,
    sandbox_paths,
)
from tui_agent.settings.explanation import Explanation, explain
from tui_agent.settings.problems import Problem
from tui_agent.settings.reading import MAX_BYTES, UnreadableError
from tui_agent.settings.schema import SettingsValues
from tui_agent.settings.source_text import MalformedJson
from tui_agent.settings.sources import (
    SOURCES,
    SettingsLocation,
    SettingsSource,
    SourceKind,
    checked,
    read,
    settings_places,
)
from tui_agent.settings.trust import is_trusted as folder_is_trusted
from tui_agent.settings.values import dotted, merged, undotted
from tui_agent.settings.watch import Stamps, stamps_of
from tui_agent.settings.withheld_settings import WithheldSetting, withheld_settings
from tui_agent.settings.withholding import HELD_REASONS

__all__ = [
    "SOURCES",
    "Explanation",
    "FileReport",
    "HookEntry",
    "RuleEntry",
    "Settings",
    "SettingsError",
    "SourceKind",
    "load_settings",
    "own_settings",
]

_NO_HOOKS: Final = "no hook runs until the folder is trusted"
_FOLDERS_OWN: Final = frozenset({"local", "project"})
_LEADS_OUT: Final = "is a link that leads out of this folder, which is not trusted"
_CHOOSABLE: Final = frozenset({"local", "project", "user"})


class SettingsError(ValueError):
    """What the command line gave cannot be used at all; the message says why."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file: it was read, it is not there, it is broken (left out), or broken and still counts as it was."""

    kind: SourceKind
    file: Path
    state: Literal["read", "absent", "broken", "kept"]


@dataclass(frozen=True)
class Settings:
    """The settings in force. `problems` lists what was left out of which file and why.

    `withheld` is what the folder's own files want that is held back, in words; `held_back` the same by file and key, and
    `pending` by hash, for `settings.confirmed`. `confirmed` is what counts of what needs the user's consent, by hash: None
    where everything counts, whatever it is. `is_first_visit` is that the folder is trusted, and nothing was recorded yet of
    what it says.
    `stamps` is what the files looked like when they were read.
    """

    values: SettingsValues
    problems: tuple[Problem, ...]
    rules: tuple[RuleEntry, ...]
    hooks: tuple[HookEntry, ...]
    start_dir: Path
    project_root: Path
    is_trusted: bool
    additional_directories: tuple[Path, ...]
    held_back: tuple[str, ...]
    pending: frozenset[str] = frozenset()
    confirmed: frozenset[str] | None = None
    is_first_visit: bool = False
    sandbox_paths: SandboxPaths = field(default_factory=SandboxPaths)
    withheld: tuple[WithheldSetting, ...] = ()
    files: tuple[FileReport, ...] = ()
    stamps: Stamps = field(default_factory=dict, repr=False)
    _sources: tuple[SettingsSource, ...] = ()
    _read: tuple[SettingsSource, ...] = field(default=(), repr=False)
    _merged: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def explain(self, key: str) -> tuple[Explanation, ...]:
        """Return what each source says on `key` (dotted, as in `permissions.defaultMode`), strongest first."""
        found = explain(self._sources, undotted(key))
        if key.partition(".")[0] != "hooks":
            return found
        idle = {hook.file: hook.reason for hook in self.hooks if hook.reason}
        return tuple(
            replace(item, counts=False, reason=idle[item.file]) if item.counts and item.file in idle else item
            for item in found
        )

    @property
    def has_waiting_hooks(self) -> bool:
        """Whether hooks of the user's own do not run as the folder is not trusted."""
        return any(hook.reason == _NO_HOOKS for hook in self.hooks)

    def keys(self) -> tuple[str, ...]:
        """Return the dotted keys that any source says something on, in the order of the files, strongest first."""
        from tui_agent.settings.explanation import keys_of

        return keys_of(self._sources)

    def value(self, key: str) -> Any:  # noqa: ANN401 - any JSON
        """Return what is in force for a dotted key: as merged, or its default; None for a key that means nothing."""
        from tui_agent.settings.explanation import value_of

        return value_of(self.values, self._merged, key)


def load_settings(
    start_dir: Path,
    *,
    home: Path | None = None,
    config_dir: Path | None = None,
    claude_dir: Path | None = None,
    inline: str | None = None,
    sources: Collection[str] | None = None,
    is_trusted: bool | None = None,
    confirmed: frozenset[str] | None = None,
    is_attended: bool = False,
    policy_dir: Path = standard_paths.POLICY_FOLDER,
    claude_policy_dir: Path = standard_paths.CLAUDE_POLICY_FOLDER,
    previous: Settings | None = None,
) -> Settings:
    """Read the settings for a session that starts in `start_dir`.

    Args:
        start_dir: the folder the session starts in.
        home: the user's home folder, by default the real one.
        config_dir: where the user's own settings lie, by default where the platform keeps them.
        claude_dir: the user's `.claude` folder, by default in `home` or where `CLAUDE_CONFIG_DIR` says.
        inline: what `--settings` gave: a file's name, or the JSON itself.
        sources: which of `user`, `project` and `local` are read; None for all.
        is_trusted: whether the folder is trusted; None looks it up. With True and no `confirmed`, all of its settings count.
        confirmed: hashes of entries of the folder's files that count besides those on record.
        is_attended: whether a user is there who was asked about trust; then no hook of theirs runs without it.
        policy_dir: where an administrator's settings lie.
        claude_policy_dir: where an administrator's settings for Claude Code lie.
        previous: what was in force: of a file that is broken now, what it said then goes on to count.

    Raises:
        SettingsError: `inline` is neither JSON nor a file that can be read, or `sources` names an unknown source.
    """
    start_dir = Path(os.path.abspath(start_dir))  # noqa: PTH100 - links stay
    wanted = _CHOOSABLE if sources is None else frozenset(sources)
    if unknown := sorted(wanted - _CHOOSABLE):
        raise SettingsError(f"unknown settings source `{unknown[0]}`; choose from local, project, user")
    known_places = tuple(
        place
        for place in settings_places(
            start_dir,
            home=home or Path.home(),
            config=config_dir,
            claude=claude_dir or standard_paths.claude_dir(home),
            policy=policy_dir,
            claude_policy=claude_policy_dir,
        )
        if place.kind not in _CHOOSABLE or place.kind in wanted
    )
    # Before the files are read: what changes meanwhile is seen the next time somebody looks.
    watched = (
        *(place.file for place in known_places),
        policy_dir / "settings.d",
        claude_policy_dir / "managed-settings.d",
        confirmed_file(),
    )
    stamps = stamps_of(watched if inline is None or _is_json(inline) else (*watched, _inline_file(inline, start_dir)))
    home = home or Path.home()
    trusted = folder_is_trusted(start_dir) if is_trusted is None else is_trusted
    is_all_confirmed = is_trusted is True and confirmed is None
    problems: list[Problem] = []
    reports: list[FileReport] = []
    top = None if trusted else standard_paths.project_root(start_dir)
    loaded = list(_loaded(known_places, problems, reports, previous, top))
    if inline is not None:
        loaded.insert(0, _read_inline(inline, start_dir, problems))
    as_read = tuple(loaded)
    consent = Consent(None) if is_all_confirmed else Consent.of(start_dir, is_trusted=trusted, confirmed=confirmed)
    loaded = [part for source in loaded for part in consent.parts(source)]
    loaded = [trust_filter.refuse_misplaced(source, problems) for source in loaded]
    found = trust_filter.obey_policy(loaded)
    joined: dict[str, Any] = {}
    for source in reversed(found):
        joined = merged(joined, source.counting)
    joined = trust_filter.restricted(joined, found)
    values = SettingsValues.model_validate(joined)
    return Settings(
        values=values,
        problems=tuple(problems),
        rules=tuple(rule_entries(found, is_policy_only=values.allow_managed_permission_rules_only)),
        hooks=tuple(
            hook_entries(
                found,
                is_off=values.disable_all_hooks,
                is_policy_only=values.allow_managed_hooks_only,
                only_policy_reason="" if trusted or not is_attended else _NO_HOOKS,
            )
        ),
        start_dir=start_dir,
        project_root=standard_paths.project_root(start_dir),
        is_trusted=trusted,
        additional_directories=tuple(directories(found, start_dir, home)),
        held_back=tuple(_held_back_names(found)),
        pending=consent.pending(as_read),
        confirmed=consent.counting(as_read),
        is_first_visit=consent.is_first_visit,
        sandbox_paths=sandbox_paths(found, home),
        withheld=tuple(withheld_settings(found)),
        files=tuple(reports),
        stamps=stamps,
        _sources=found,
        _read=as_read,
        _merged=joined,
    )


def own_settings(
    start_dir: Path, *, inline: str | None = None, sources: Collection[str] | None = None
) -> SettingsValues:
    """Return what the user, an administrator or the command line sets; never what a project's files say.

    That is for what is needed before trust in the folder is settled, such as the way to a model. Settings that cannot be used
    say nothing: opening the session says what is wrong with them.
    """
    if sources is not None and "user" not in sources:
        kinds: tuple[str, ...] = ()
    else:
        kinds = ("user",)
    try:
        return load_settings(start_dir, inline=inline, sources=kinds, is_trusted=False).values
    except SettingsError:
        return SettingsValues()


def _loaded(
    known: tuple[SettingsLocation, ...],
    problems: list[Problem],
    reports: list[FileReport],
    previous: Settings | None,
    top: Path | None,
) -> Iterator[SettingsSource]:
    """Yield what each file says. Of one that is broken, what it said before goes on to count: a slip must not undo a rule.

    `top` is the folder that its own files may not lead out of, None where they may.
    """
    before = {source.file: source for source in previous._read} if previous else {}  # noqa: SLF001 - its own kind
    for place in known:
        try:
            if top is not None and place.kind in _FOLDERS_OWN and _leads_out(place.file, top):
                raise UnreadableError(Problem(str(place.file), 1, _LEADS_OUT))
            source = read(place, problems)
        except UnreadableError as error:
            kept = before.get(str(place.file))
            outcome = "the file is ignored" if kept is None else "the previous content still applies"
            problems.append(replace(error.problem, text=f"{error.problem.text}; {outcome}", is_whole_file=True))
            reports.append(FileReport(place.kind, place.file, "broken" if kept is None else "kept"))
            if kept is not None:
                yield replace(kept, ignored={})
            continue
        reports.append(FileReport(place.kind, place.file, "absent" if source is None else "read"))
        if source is not None:
            yield source


def _leads_out(file: Path, top: Path) -> bool:
    """Whether a file of a folder is a link, or in one, to somewhere else."""
    real = Path(os.path.realpath(file))
    tops = (top, file.parent.parent)  # a linked worktree's local settings lie in the main checkout
    return os.path.lexists(file) and not any(real.is_relative_to(os.path.realpath(one)) for one in tops)


def _is_json(inline: str) -> bool:
    return inline.lstrip().startswith("{")


def _inline_file(inline: str, start: Path) -> Path:
    return start / Path(inline).expanduser()


def _read_inline(inline: str, start: Path, problems: list[Problem]) -> SettingsSource:
    if len(inline) > MAX_BYTES:
        raise SettingsError("--settings is larger than 2 MiB")
    if _is_json(inline):
        try:
            return checked(SettingsLocation("cli", start, start, start), "--settings", inline, problems)
        except MalformedJson as error:
            raise SettingsError(f"--settings: {error}") from None
    file = _inline_file(inline, start)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise SettingsError(f"--settings {inline}: larger than 2 MiB")
        place = SettingsLocation("cli", file, file.parent, file.parent)
        return checked(place, str(file), file.read_bytes().decode("utf-8-sig"), problems)
    except MalformedJson as error:
        raise SettingsError(f"--settings {inline}: {error}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"--settings {inline}: not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SettingsError(f"--settings {inline}: {reason}") from None


def _held_back_names(loaded: tuple[SettingsSource, ...]) -> Iterator[str]:
    for source in loaded:
        for path in sorted(path for path, reason in source.ignored.items() if reason in HELD_REASONS):
            yield f"{source.file}: {dotted(path)}"
