"""The part of `doctor` that is about settings: what was read, what is wrong with it, and what of it does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_agent.headless.findings import Finding

if TYPE_CHECKING:
    from tui_agent.permissions.rules import RuleSet
    from tui_agent.settings.load import Settings

__all__ = ["examine_settings"]


def examine_settings(cwd: Path, inline: str | None) -> Iterator[Finding]:
    """Yield what is to be said of the settings that a session in `cwd` would have."""
    from tui_agent.permissions.rules import RuleSet
    from tui_agent.settings.load import SettingsError, load_settings

    try:
        settings = load_settings(cwd, inline=inline)
    except SettingsError as error:
        yield Finding("problem", "settings", str(error))
        return
    rules = RuleSet.from_entries(settings.rules)
    problems = (*settings.problems, *rules.problems)
    for problem in problems:
        yield Finding("problem", "settings", str(problem))
    read = _read(settings)
    if not problems:
        yield Finding("ok", "settings", f"no entry had to be left out; {read or 'no settings file was found'}")
    elif read:
        yield Finding("ok", "settings", read)
    yield from _without_effect(settings)
    yield from _dead(settings, rules)
    if settings.held_back:
        held = "; ".join(settings.held_back)
        why = (
            "is trusted, but not these settings, which are new or have changed"
            if settings.is_trusted
            else "is not trusted yet"
        )
        todo = (
            "start `tui-agent` there to confirm them" if settings.is_trusted else "start `tui-agent` there to trust it"
        )
        yield Finding("warning", "trust", f"{cwd} {why}; held back: {held}; {todo}")


def _read(settings: Settings) -> str:
    from tui_agent.settings.sources import NAMES

    read = [f"{report.file} ({NAMES[report.kind]})" for report in settings.files if report.state == "read"]
    return f"read: {', '.join(read)}" if read else ""


def _without_effect(settings: Settings) -> Iterator[Finding]:
    """Yield keys that mean nothing: those nobody knows may be slips, the others are only mentioned."""
    from tui_agent.settings.report import all_rows, near_keys

    unused: dict[str, None] = {}
    for row in all_rows(settings):
        if row.state == "not used":
            unused[row.key.partition(".")[0] if row.key.partition(".")[0] not in _OURS else row.key] = None
        elif row.state == "unknown":
            near = [key for key in near_keys(settings, row.key) if key != row.key]
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            for item in row.said:
                text = f"{item.file}:{item.line}: there is no setting `{row.key}`; it is ignored{hint}"
                yield Finding("warning", "settings", text)
    if unused:
        yield Finding("ok", "settings", f"read past, as tui-agent does not use it: {', '.join(unused)}")


def _dead(settings: Settings, rules: RuleSet) -> Iterator[Finding]:
    """Yield the rules that do nothing, besides those that could not be used at all."""
    from tui_agent.permissions.dead_rules import dead_rules, unknown_tools
    from tui_agent.permissions.path_context import PathContext
    from tui_agent.tools.catalog import entries

    where = PathContext(cwd=str(settings.start_dir), project_root=str(settings.project_root), home=str(Path.home()))
    known = [entry.name for entry in entries()]
    told = {(problem.rule, problem.source, problem.line) for problem in rules.problems}
    for problem in dict.fromkeys((*unknown_tools(rules, known), *dead_rules(rules, where, known=known))):
        place = (problem.rule, problem.source, problem.line)
        if place not in told:
            told.add(place)
            yield Finding("warning", "rules", str(problem))


_OURS: Final = frozenset({"permissions", "sandbox"})
