"""What is answered about settings and hooks, as plain data."""

from __future__ import annotations

from tui_agent.hooks.registry import Handler, HookRegistry
from tui_agent.queries import (
    HookRow,
    HooksReport,
    Preferences,
    SettingRow,
    SettingSaid,
    SettingsReport,
    StatusLineCommand,
    WithheldReport,
)
from tui_agent.settings import report
from tui_agent.settings.keys import KEYS
from tui_agent.settings.load import Settings
from tui_agent.settings.problems import Problem
from tui_agent.settings.schema import SettingsValues

__all__ = ["hooks_report", "preferences", "settings_report", "withheld_report"]


def settings_report(settings: Settings) -> SettingsReport:
    """Return what is set, by whom, and what the other keys are."""
    rows = report.all_rows(settings)
    said = {row.key for row in rows} | {row.key.partition(".")[0] for row in rows}
    others = (report.row_of(settings, key) for key in KEYS if key not in said)
    return SettingsReport(
        rows=tuple(_row(row) for row in rows),
        defaults=tuple(_row(row) for row in others),
        problems=settings.problems,
        project_root=str(settings.project_root),
    )


def _row(row: report.SettingRow) -> SettingRow:
    said = tuple(
        SettingSaid(
            source=item.source,
            file=item.file,
            line=item.line,
            value=data["value"],
            parts=row.parts(item),
            counts=item.counts,
            reason=item.reason,
        )
        for item, data in zip(row.said, row.to_json()["sources"], strict=True)
    )
    return SettingRow(
        key=row.key,
        value=row.value,
        parts=row.parts(),
        meaning=row.meaning,
        source=row.source,
        state=row.state,
        said=said,
    )


def withheld_report(settings: Settings) -> WithheldReport:
    """Return what the folder's own files want that is held back."""
    return WithheldReport(
        project_root=str(settings.project_root),
        is_trusted=settings.is_trusted,
        settings=settings.withheld,
        hashes=tuple(sorted(settings.pending)),
    )


def preferences(values: SettingsValues, *, is_trusted: bool) -> Preferences:
    """Return what the settings say about the front end itself."""
    line = values.status_line
    return Preferences(
        notification_channel=values.preferred_notif_channel,
        editor_mode=values.editor_mode,
        layout=values.layout,
        vim_insert_mode_remaps=values.vim_insert_mode_remaps,
        respects_gitignore=values.respect_gitignore,
        review_moves_on=values.review_moves_on,
        is_trusted=is_trusted,
        status_line=StatusLineCommand(line.command, line.padding, line.refresh_interval)
        if line.command and not values.disable_all_hooks
        else None,
    )


def hooks_report(registry: HookRegistry) -> HooksReport:
    """Return all hooks, and what is wrong with others."""
    problems = tuple(Problem(problem.file, problem.line, problem.text) for problem in registry.problems)
    return HooksReport(tuple(map(_hook, registry.handlers)), problems)


def _hook(handler: Handler) -> HookRow:
    return HookRow(
        id=handler.id,
        event=handler.event,
        type=handler.type,
        matcher=handler.matcher.text,
        what=handler.what,
        name=handler.name,
        file=handler.file,
        line=handler.line,
        limit_s=handler.limit_s,
        shell=handler.shell,
        has_arguments=handler.args is not None,
        rule=handler.rule,
        status_message=handler.status_message,
        headers=handler.headers,
        is_async=handler.is_async,
        wakes=handler.wakes,
        blocks_on_failure=handler.blocks_on_failure,
        why_not=handler.why_not,
        notes=handler.notes,
    )
