"""The commands that print and end: tools, permissions, the demo's scenarios. Heavy imports stand where they are used."""

from __future__ import annotations

import argparse
import asyncio
import json
import os

from tui_agent.headless.arguments import call_hint, split_rules
from tui_agent.headless.options import listed, unrecorded, working_folder
from tui_agent.headless.output import CliOutput
from tui_agent.headless.parsers import UsageError
from tui_agent.text import sound_json

__all__ = ["explain", "list_scenarios", "run_tools", "show_settings", "show_tools"]


def list_scenarios(output: CliOutput) -> int:
    """Print what `--demo` can play."""
    from tui_agent.model.demo.scenario_file import list_scenarios

    scenarios = list_scenarios()
    width = max((len(scenario.name) for scenario in scenarios), default=0)
    for scenario in scenarios:
        output.text(f"{scenario.name:{width}}  {scenario.about or scenario.title}")
    return 0


def show_tools(options: argparse.Namespace, output: CliOutput) -> int:
    """Print the tools that a session here would have, or one of their schemas."""
    from tui_agent.headless.tools import list_tools, list_tools_as_json, show_schema
    from tui_agent.permissions.rules import RuleSet
    from tui_agent.settings.load import SettingsError, load_settings
    from tui_agent.settings.variables import is_on, tools_left_out
    from tui_agent.tools.registry import ToolPool

    sources = options.setting_sources
    try:
        settings = load_settings(
            working_folder(options), inline=options.settings, sources=None if sources is None else listed(sources)
        )
    except SettingsError as error:
        raise UsageError(str(error), "") from error
    rules = RuleSet.merged(
        RuleSet.from_lists(deny=split_rules(options.deny_rules)), RuleSet.from_entries(settings.rules)
    )
    environment = {**os.environ, **settings.values.env}
    pool = ToolPool.build(
        denied=(*rules.denied_tools(), *tools_left_out(environment)),
        simple=options.simple or is_on(os.environ, "CLAUDE_CODE_SIMPLE"),
        features=(*settings.values.features, *listed(options.features)),
        tool_search=environment.get("ENABLE_TOOL_SEARCH", ""),
    )
    if options.command == "tools list":
        return list_tools_as_json(pool, output) if options.json else list_tools(pool, output)
    return show_schema(pool, options.name, output)


def show_settings(options: argparse.Namespace, output: CliOutput) -> int:
    """Print where settings come from, the files they are read from, or the schema of those."""
    from tui_agent.headless.settings_command import explain_settings, list_files, print_schema

    match options.command:
        case "settings explain":
            return explain_settings(options, output)
        case "settings files":
            return list_files(options, output)
        case _:
            return print_schema(output)


async def run_tools(options: argparse.Namespace, output: CliOutput) -> int:
    """Run the tool that is named, or those that standard input names."""
    from tui_agent.headless.signals import TerminationSignals
    from tui_agent.headless.tools import one_call, read_calls, run_calls

    name, raw = _one_or_many(options)
    calls = read_calls() if options.jsonl else one_call(name, raw)
    ending = TerminationSignals()
    try:
        with unrecorded(options) as opening:
            return await run_calls(opening, calls, output, approve=options.yes)
    except asyncio.CancelledError:
        if ending.code is None:
            raise  # Ctrl+C; the runner makes it a KeyboardInterrupt
        return ending.code


async def explain(options: argparse.Namespace, output: CliOutput) -> int:
    """Print what would be decided about the call that is named, or about those in standard input."""
    from tui_agent.headless.explain import Explainer, ExplainQuery
    from tui_agent.headless.stdin import read_lines
    from tui_agent.headless.verdict_words import in_words
    from tui_agent.permissions.rules import RuleSet, RuleSource

    name, raw = _one_or_many(options)
    with unrecorded(options) as opening:
        tried = RuleSet.from_lists(
            allow=options.tried_allow,
            ask=options.tried_ask,
            deny=options.tried_deny,
            source=RuleSource("cli", "command line", str(opening.runtime.cwd)),
        )
        if tried.problems:
            raise UsageError(f"the rule {tried.problems[0].text}", "Rules look like Bash(npm test *) or Read(./.env).")
        explainer = Explainer.of(opening, tried=tried)
        if options.jsonl:
            return await explainer.explain_lines(read_lines(), output)
        query = ExplainQuery(tool=name, input=raw, mode=options.mode)
        if options.as_text:
            output.text(in_words(query.tool, query.input, await explainer.verdict(query)))
        else:
            output.json(await explainer.explain(query))
    return 0


def _one_or_many(options: argparse.Namespace) -> tuple[str, dict[str, object]]:
    """Return the call that the arguments name; with `--jsonl` there is none."""
    if options.jsonl:
        if options.name is not None:
            raise UsageError("--jsonl reads the calls from standard input", "Leave NAME and JSON out.")
        return "", {}
    if options.name is None or options.input is None:
        raise UsageError("a tool's name and its input are needed", call_hint(options))
    try:
        raw = sound_json(json.loads(options.input))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the input is not JSON: {error}", """For example '{"file_path": "README.md"}'.""") from None
    if not isinstance(raw, dict):
        raise UsageError("the input must be a JSON object", """For example '{"file_path": "README.md"}'.""")
    return options.name, raw
