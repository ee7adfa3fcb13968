"""`settings`: where each value comes from, which files are read, and the schema of those files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tui_agent.headless.options import listed, working_folder
from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError
from tui_agent.text import clean_line

if TYPE_CHECKING:
    from tui_agent.settings.load import Settings
    from tui_agent.settings.report import SettingRow

__all__ = ["explain_settings", "list_files", "print_schema"]


def explain_settings(options: argparse.Namespace, output: CliOutput) -> int:
    """Print what is in force for one key, or for all that somebody has set, and who says what.

    Raises:
        UsageError: there is no such key.
    """
    from tui_agent.settings.report import all_rows, near_keys, row_of

    settings = _load(options)
    if options.key is None:
        rows = all_rows(settings)
    else:
        row = row_of(settings, options.key)
        if row.state == "unknown" and not row.said:
            near = near_keys(settings, options.key)
            hint = (
                f"Did you mean {' or '.join(near)}?"
                if near
                else "`tui-agent settings explain` lists those that are set."
            )
            raise UsageError(f"there is no setting `{options.key}`", hint)
        rows = (row,)
    for problem in settings.problems:
        output.message(str(problem))
    if options.json:
        for row in rows:
            output.json(row.to_json())
    elif options.key is None:
        _print_table(rows, output)
    else:
        _print_row(rows[0], output)
    return 0


def _print_table(rows: tuple[SettingRow, ...], output: CliOutput) -> None:
    if not rows:
        output.text("All settings have their default values.")
        return
    width = min(44, max(len(row.key) for row in rows))
    for row in rows:
        value = row.shown(limit=60) if row.state == "set" else "-"
        place = ", ".join(f"{item.file}:{item.line}" for item in row.counting or row.said)
        output.text(f"{clean_line(row.key, 200):{width}}  {clean_line(value)}  {row.source}, {clean_line(place, 500)}")


def _print_row(row: SettingRow, output: CliOutput) -> None:
    output.text(f"{clean_line(row.key, 200)} = {clean_line(row.shown(limit=2000), 2000)}")
    if row.meaning:
        output.text(f"  {row.meaning}")
    if not row.said:
        output.text("  the default; no file sets it")
    for item in row.said:
        mark = "counts" if item.counts else f"does not count: {item.reason}"
        output.text(
            f"  {item.source}, {clean_line(item.file, 500)}:{item.line}: {clean_line(row.shown(item))} ({mark})"
        )


def list_files(options: argparse.Namespace, output: CliOutput) -> int:
    """Print every file that settings may come from, strongest first, and what became of it; 1 when one is broken."""
    from tui_agent.settings.sources import NAMES

    settings = _load(options)
    for report in settings.files:
        if options.json:
            output.json({"source": report.kind, "file": str(report.file), "state": report.state})
        else:
            output.text(f"{report.state:7} {NAMES[report.kind]:24} {clean_line(str(report.file), 500)}")
    for problem in settings.problems:
        output.message(str(problem))
    return int(any(report.state == "broken" for report in settings.files))


def print_schema(output: CliOutput) -> int:
    """Print the JSON Schema of settings files."""
    from tui_agent.settings.schema_export import settings_schema

    output.json_document(settings_schema())
    return 0


def _load(options: argparse.Namespace) -> Settings:
    from tui_agent.settings.load import SettingsError, load_settings

    sources = options.setting_sources
    try:
        return load_settings(
            working_folder(options), inline=options.settings, sources=None if sources is None else listed(sources)
        )
    except SettingsError as error:
        raise UsageError(str(error), "") from error
