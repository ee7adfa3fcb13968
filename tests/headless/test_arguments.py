from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.headless.arguments import parse_arguments, split_rules
from tui_agent.headless.parsers import UsageError


@pytest.mark.parametrize(
    ("argv", "command", "prompt"),
    [
        ([], "", None),
        (["fix the bug"], "", "fix the bug"),
        (["--", "doctor"], "", "doctor"),
        (["-p", "why?"], "", "why?"),
        (["-p", "--output-format", "events", "why?"], "", "why?"),
        (["tools", "list"], "tools list", None),
        (["--simple", "tools", "list"], "tools list", None),
        (["--model", "tools", "fix it"], "", "fix it"),
        (["--cwd", "/tmp", "tools", "--simple", "list"], "tools list", None),
        (["--allowedTools", "Edit", "Bash(git *)", "sessions", "list"], "sessions list", None),
        (["doctor", "--settings", "{}"], "doctor", None),
        (["--demo", "fix"], "", None),
        (["--demo", "fix", "hello there"], "", "hello there"),
    ],
)
def test_commands_are_told_from_messages(argv: list[str], command: str, prompt: str | None) -> None:
    options = parse_arguments(argv)
    assert options.command == command
    if not command:
        assert options.prompt == prompt


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["fix", "the", "bug"], "quotes"),
        (["doctr"], "did you mean `doctor`"),
        (["tools"], "tools list"),
        (["tools", "lst"], "tools list"),
        (["--modle", "x"], "--modle"),
        (["-p", "a", "b"], "two prompts"),
        (["--output-format", "events"], "-p"),
        (["-p", "x", "--output-format", "json"], "not available yet"),
        (["-p", "x", "--output-format", "xml"], "xml"),
        (["--continue", "--resume", "abc"], "exclude"),
        (["--max-turns", "0"], "whole number"),
        (["replay", "x", "--size", "big"], "WIDTHxHEIGHT"),
        (["replay", "x", "--speed", "0"], "above 0"),
        (["tools", "run", "Read", "{}", "extra"], "extra"),
    ],
)
def test_what_cannot_be_meant_is_said_in_one_line(argv: list[str], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_arguments(argv)
    assert says in f"{caught.value.message} {caught.value.hint}"
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    "argv", [["--help"], ["tools", "--help"], ["tools", "run", "--help"], ["replay", "-h"], ["--version"]]
)
def test_help_is_everywhere(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_arguments(argv)
    assert caught.value.code == 0
    assert "tui-agent" in capsys.readouterr().out


def test_a_rule_flag_takes_several_rules_and_leaves_the_message_alone() -> None:
    options = parse_arguments(
        ["--allowedTools", "Edit,Read", "Bash(git log *)", "--disallowedTools", "mcp__x", "Fix the bug"]
    )
    assert split_rules(options.allow_rules) == ("Edit", "Read", "Bash(git log *)")
    assert split_rules(options.deny_rules) == ("mcp__x",)
    assert options.prompt == "Fix the bug"


def test_rules_are_parted_outside_of_brackets_only() -> None:
    assert split_rules(["Edit, Bash(a, b (c) d)  Read", "Bash(x y)"]) == (
        "Edit",
        "Bash(a, b (c) d)",
        "Read",
        "Bash(x y)",
    )


def test_options_keep_their_values() -> None:
    options = parse_arguments(
        ["--add-dir", "a", "--add-dir", "b", "--max-turns", "3", "-r", "abc", "--features", "Kairos,memory", "-p", "hi"]
    )
    assert options.add_dir == [Path("a"), Path("b")]
    assert (options.max_turns, options.resume, options.features) == (3, "abc", "kairos,memory")


@pytest.mark.parametrize("command", [[], ["tools", "list"], ["doctor"]])
def test_a_feature_that_does_not_exist_is_refused_and_those_that_do_are_named(command: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_arguments([*command, "--features", "proactive, proactve"])
    assert "proactve" in caught.value.message
    assert "proactive" not in caught.value.message
    assert caught.value.hint == "There are architect, kairos, memory, proactive."


def test_a_drawing_has_a_size() -> None:
    assert parse_arguments(["replay", "f", "--svg", "o.svg", "--size", "80x24"]).size == (80, 24)
