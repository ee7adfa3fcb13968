"""The command line's grammar: which words are a command, which are options, and which are something to say to the model.

`tui-agent tools list` is a command and `tui-agent "fix the bug"` is a message. A message is one word of the shell (quoted);
a word that only looks like a misspelt command is refused rather than sent.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import Final

from tui_agent.headless.mcp_parsers import without_target
from tui_agent.headless.parsers import COMMANDS, UsageError, command_parser, group_parser, main_parser
from tui_agent.settings.features import FEATURES
from tui_agent.text import clean_line

__all__ = ["call_hint", "parse_arguments", "split_rules"]

_RULE_FLAGS: Final = frozenset({"--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools"})
_RULE: Final = re.compile(r"[A-Z*][\w*]*(\(.*\))?|mcp__[\w*-]+", re.DOTALL)


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Return the options, with `command` ("tools run", or "" for the app and `-p`).

    Raises:
        UsageError: they make no sense.
        SystemExit: `--help` or `--version` was asked for and printed.
    """
    words = _spread_rules(argv)
    place = _first_word(words)
    if place is None or words[place] not in COMMANDS:
        options = main_parser().parse_args(words)
        options.command = ""
        _check_features(options)
        _check_main(options, is_quoted="--" in words)
        return options
    command = words[place]
    rest = [*words[:place], *words[place + 1 :]]
    if COMMANDS[command]:
        following = _first_word(rest)
        name = rest[following] if following is not None else ""
        if name not in COMMANDS[command]:
            if "-h" in rest or "--help" in rest:
                group_parser(command).parse_args(["--help"])
            shown = " | ".join(f"{command} {known}" for known in COMMANDS[command])
            raise UsageError(
                f"`{command}` needs one of: {shown}", "A message that begins like this goes in quotes, after `--`."
            )
        assert following is not None
        del rest[following]
        command = f"{command} {name}"
    line = _take_line(rest) if command == "tools words" else None
    if command == "mcp add":
        rest, target = without_target(rest)
        options = command_parser(command).parse_intermixed_args(rest)
        options.target += target
    else:
        options = command_parser(command).parse_args(rest)
    options.command = command
    options.line = line
    _check_features(options)
    return options


def split_rules(values: Sequence[str]) -> tuple[str, ...]:
    """Return the rules in what was given to a rule flag: several are parted by commas or blanks outside of brackets."""
    rules: list[str] = []
    for value in values:
        depth, word = 0, ""
        for character in value:
            depth += (character == "(") - (character == ")" and depth > 0)
            if not depth and (character == "," or character.isspace()):
                rules.append(word)
                word = ""
            else:
                word += character
        rules.append(word)
    return tuple(rule for rule in rules if rule)


def call_hint(options: argparse.Namespace) -> str:
    """Return what to write where a command lacks a tool's NAME and JSON: a rule flag may have taken NAME as a rule."""
    help_ = f"See `tui-agent {options.command} --help`."
    for flag, values in (("--allowedTools", options.allow_rules), ("--disallowedTools", options.deny_rules)):
        if len(values) > 1 or (values and options.name is not None and options.name.lstrip().startswith("{")):
            given = " ".join(values)
            return (
                f"A rule flag takes every rule that follows it: {flag} has taken {clean_line(given, 120)}. Put NAME and JSON "
                f"before it, or write {flag}=RULES. {help_}"
            )
    return help_


# --- words -----------------------------------------------------------------------------------------------------------


def _first_word(words: Sequence[str]) -> int | None:
    """Return where the first word stands that is neither an option nor an option's value."""
    takes_value: dict[str, bool] = {}
    for action in main_parser()._actions:  # noqa: SLF001 - argparse has no other way to ask which options take a value
        for flag in action.option_strings:
            takes_value[flag] = action.nargs != 0
    skip = False
    for place, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            return None
        elif word.startswith("-") and len(word) > 1:
            skip = takes_value.get(word, False)
        else:
            return place
    return None


def _take_line(words: list[str]) -> str:
    """Take the LINE of `tools words` out of the arguments: it is free to begin with a dash.

    Raises:
        UsageError: there is none, or more than one.
    """
    if "-h" in words or "--help" in words:
        return ""
    options = command_parser("tools words")._option_string_actions  # noqa: SLF001 - see `_first_word`
    lines: list[int] = []
    at = 0
    while at < len(words):
        action = options.get(words[at].partition("=")[0])
        if words[at] == "--":
            del words[at]
            lines += range(at, len(words))
            break
        if action is None:
            lines.append(at)
        elif action.nargs != 0 and "=" not in words[at]:
            at += 1
        at += 1
    if len(lines) != 1:
        raise UsageError(
            "one LINE is needed" if not lines else "there is more than one LINE", "Put the line in quotes."
        )
    return words.pop(lines[0])


def _spread_rules(argv: Sequence[str]) -> list[str]:
    """Let a rule flag be followed by several rules: each but the first gets a flag of its own."""
    words: list[str] = []
    flag = ""
    is_value = False
    for word in argv:
        if flag and not is_value and all(_RULE.fullmatch(rule) for rule in split_rules([word])) and word.strip():
            words += [flag, word]
            continue
        flag, is_value = (word, True) if word in _RULE_FLAGS else (flag if is_value else "", False)
        words.append(word)
    return words


def _check_main(options: argparse.Namespace, *, is_quoted: bool) -> None:
    words = options.prompt
    if len(words) > 1:
        raise UsageError(f"`{words[0]}` is not a command", 'Put a message in quotes: tui-agent "fix the bug".')
    prompt = words[0] if words else None
    near = difflib.get_close_matches(prompt, COMMANDS, n=1, cutoff=0.75) if prompt and not is_quoted else []
    if near:
        raise UsageError(
            f"`{prompt}` is not a command; did you mean `{near[0]}`?", f"To send it: tui-agent -- {prompt}"
        )
    if options.print and prompt is not None:
        raise UsageError("there are two prompts: one after -p and one at the end", "Give one.")
    if options.output_format is not None and options.print is None:
        raise UsageError(
            "--output-format goes with -p", 'For example: tui-agent -p "what is this?" --output-format events.'
        )
    if options.output_format in ("json", "stream-json"):
        raise UsageError(f"--output-format {options.output_format} is not available yet", "Use text or events.")
    if options.continue_newest and options.resume is not None:
        raise UsageError("--continue and --resume exclude each other", "Give one.")
    if options.resume == "" and options.print is not None:
        raise UsageError("--resume needs an ID with -p", "`tui-agent sessions list` names the sessions.")
    options.prompt = options.print or prompt


def _check_features(options: argparse.Namespace) -> None:
    options.features = options.features.lower()
    unknown = [name for part in options.features.split(",") if (name := part.strip()) and name not in FEATURES]
    if unknown:
        known = ", ".join(FEATURES)
        raise UsageError(f"--features: there is no feature {', '.join(unknown)}", f"There are {known}.")
