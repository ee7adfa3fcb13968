"""The options of each command, as argparse has them."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final, NoReturn

from tui_agent import __version__
from tui_agent.headless.mcp_parsers import MCP_ABOUT, MCP_COMMANDS, add_mcp_arguments
from tui_agent.permissions.modes import MODES, mode_from_setting
from tui_agent.settings.features import FEATURES

__all__ = ["COMMANDS", "UsageError", "command_parser", "group_parser", "main_parser"]

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "tools": ("list", "schema", "run", "words"),
    "permissions": ("explain",),
    "settings": ("explain", "files", "schema"),
    "sessions": ("list",),
    "mcp": MCP_COMMANDS,
    "serve": (),
    "replay": (),
    "doctor": (),
}
OUTPUT_FORMATS: Final = ("text", "json", "stream-json", "events")
_EPILOG: Final = """\
commands:
  tools list [--json] | schema NAME | run NAME JSON | run --jsonl | words LINE --env JSON
  permissions explain NAME JSON | explain --jsonl
  settings explain [KEY] | files | schema
  sessions list
  mcp list | get NAME | add NAME COMMAND|URL | add-json NAME JSON | remove NAME | login NAME | logout NAME | reset-choices
  mcp serve [--http PORT]
  serve --stdio | --schema
  replay FILE
  doctor

environment:
  ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL, ANTHROPIC_MODEL
  TUI_AGENT_HOME (where sessions are kept), NO_COLOR
  ACCESSIBLE, INK_SCREEN_READER, CLAUDE_AX_SCREEN_READER or GH_ACCESSIBLE_PROMPTER (`1`: as --linear, for screen readers)
  ENABLE_TOOL_SEARCH (`false`: send every tool's schema from the start; `auto:N`: while they take up to N % of the context)

exit codes: 0 done, 1 the job failed, 2 wrong usage or configuration, 130 interrupted"""


class UsageError(Exception):
    """The command line cannot be meant that way; the text says why, the hint what to write."""

    def __init__(self, message: str, hint: str = "See `tui-agent --help`.") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"See `{self.prog} --help`.")


def _shared() -> argparse.ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    group = parser.add_argument_group("shared options")
    group.add_argument("--model", metavar="NAME", help="the model to ask")
    group.add_argument("--permission-mode", metavar="MODE", help=f"one of {', '.join(MODES)}")
    group.add_argument("--dangerously-skip-permissions", action="store_true", help="ask nothing, allow everything")
    for flag, meaning in (("--allowedTools", "allow"), ("--disallowedTools", "deny")):
        dashed = "--" + flag[2:].replace("Tools", "-tools")
        group.add_argument(
            flag, dashed, dest=f"{meaning}_rules", action="append", default=[], metavar="RULES",
            help=f"{meaning} these, for example 'Edit,Bash(git status)'",
        )  # fmt: skip
    group.add_argument("--add-dir", action="append", default=[], type=Path, metavar="DIR", help="one more folder")
    group.add_argument("--settings", metavar="FILE|JSON", help="settings that override all files")
    group.add_argument("--setting-sources", metavar="A,B", help="which files to read: user, project, local")
    group.add_argument(
        "--plugin-dir", action="append", default=[], type=_folder, metavar="DIR", help="a plugin's folder"
    )
    group.add_argument("--agents", metavar="JSON", help="types of subagents besides those of files, by name")
    group.add_argument(
        "--mcp-config", action="append", default=[], metavar="FILE|JSON", help="more MCP servers; may be repeated"
    )
    group.add_argument("--strict-mcp-config", action="store_true", help="no MCP servers but those of --mcp-config")
    group.add_argument("--simple", action="store_true", help="offer only Bash, Edit and Read")
    group.add_argument("--features", default="", metavar="A,B", help=f"switch features on: {', '.join(FEATURES)}")
    group.add_argument("--max-turns", type=_positive, metavar="N", help="stop after this many requests to the model")
    group.add_argument(
        "--max-budget-usd",
        type=_dollars,
        metavar="N",
        help="stop or ask when the session has cost this many US dollars",
    )
    group.add_argument(
        "-c", "--continue", dest="continue_newest", action="store_true", help="continue the newest session"
    )
    group.add_argument(
        "-r",
        "--resume",
        nargs="?",
        const="",
        metavar="ID",
        help="resume this session; without ID the app lists them",
    )
    group.add_argument("--cwd", type=Path, metavar="DIR", help="the folder to work in")
    group.add_argument("--debug", action="store_true", help="write a log, and show where errors come from")
    return parser


def main_parser() -> argparse.ArgumentParser:
    """Return the options of the app and of `-p`."""
    parser = _Parser(
        prog="tui-agent",
        description="A full-screen terminal coding agent. Without a command it opens the app.",
        epilog=_EPILOG,
        parents=[_shared()],
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("prompt", nargs="*", metavar="PROMPT", help="the first message (in quotes)")
    parser.add_argument(
        "--linear",
        action="store_true",
        help="lines of text instead of a screen: for screen readers, dumb terminals, logs",
    )
    parser.add_argument("--version", action="version", version=f"tui-agent {__version__}")
    _add_demo(parser)
    parser.add_argument(
        "-p", "--print", dest="print", nargs="?", const="", metavar="PROMPT", help="print the answer, without the app"
    )
    parser.add_argument(
        "--output-format", choices=OUTPUT_FORMATS, metavar="FORMAT", help="of -p: text (default) or events"
    )
    return parser


def group_parser(group: str) -> argparse.ArgumentParser:
    """Return what `--help` says of commands that share their first word."""
    about = "\n".join(f"  {group} {name:8} {_ABOUT[f'{group} {name}']}" for name in COMMANDS[group])
    return _Parser(
        prog=f"tui-agent {group}",
        usage=f"tui-agent {group} {{{','.join(COMMANDS[group])}}} …",
        epilog=f"commands:\n{about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def command_parser(command: str) -> argparse.ArgumentParser:
    """Return the options of one command, such as `tools run`."""
    parser = _Parser(
        prog=f"tui-agent {command}",
        parents=[_shared()],
        allow_abbrev=False,
        description=_ABOUT[command],
        epilog=_WORDS_EPILOG if command == "tools words" else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    match command:
        case "tools words":
            parser.add_argument("line", nargs="?", metavar="LINE", help="the line, as one word of your shell")
            parser.add_argument("--env", default="{}", metavar="JSON", help="its variables, an object (default: none)")
        case "tools list":
            parser.add_argument("--json", action="store_true", help="one JSON list, with what is known of each")
        case "tools schema":
            parser.add_argument("name", metavar="NAME")
        case "tools run" | "permissions explain":
            parser.add_argument("name", nargs="?", metavar="NAME", help="the tool")
            parser.add_argument("input", nargs="?", metavar="JSON", help="its input, an object")
            parser.add_argument("--jsonl", action="store_true", help="read many calls from standard input, one a line")
            if command == "tools run":
                parser.add_argument(
                    "--yes", action="store_true", help="approve what would be asked (never what is denied)"
                )
            else:
                _add_trials(parser)
        case "settings explain":
            parser.add_argument(
                "key", nargs="?", metavar="KEY", help="for example permissions.defaultMode (default: all set)"
            )
            parser.add_argument("--json", action="store_true", help="one JSON object a line")
        case "settings files":
            parser.add_argument("--json", action="store_true", help="one JSON object a line")
        case "sessions list":
            parser.add_argument("--all", action="store_true", help="of every folder, not only this one")
            parser.add_argument("--json", action="store_true", help="one JSON object a line")
        case _ if command.startswith("mcp "):
            add_mcp_arguments(parser, command)
        case "serve":
            how = parser.add_mutually_exclusive_group(required=True)
            how.add_argument(
                "--stdio", action="store_true", help="one JSON object a line, on standard input and output"
            )
            how.add_argument("--schema", action="store_true", help="print the JSON Schema of the lines, and end")
            _add_demo(parser)
        case "replay":
            parser.add_argument("file", type=Path, metavar="FILE", help="a session's id, folder or journal.jsonl")
            parser.add_argument("--speed", type=_speed, default=1.0, metavar="N", help="times as fast as it was")
            parser.add_argument("--instant", action="store_true", help="show how it ended, at once")
            parser.add_argument("--at", metavar="PLACE", help="begin there: 1:23, 83s, 40%%, 'turn 2', '#120' (events)")
            parser.add_argument(
                "--svg",
                type=Path,
                metavar="OUT",
                help="draw the end, or what is --at, into this file, without a screen",
            )
            parser.add_argument("--size", type=_size, default=(120, 40), metavar="WxH", help="of the drawing, in cells")
        case _:
            pass
    return parser


def _add_demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--demo",
        nargs="?",
        const="",
        metavar="SCENARIO",
        help="on an embedded model and a scratch project; `list` names all",
    )


def _add_trials(parser: argparse.ArgumentParser) -> None:
    """Add what `permissions explain` can try out."""
    parser.add_argument(
        "--mode", choices=MODES, type=_mode, metavar="MODE", help=f"judge in this mode: {', '.join(MODES)}"
    )
    for behavior in ("allow", "ask", "deny"):
        parser.add_argument(
            f"--{behavior}", dest=f"tried_{behavior}", action="append", default=[], metavar="RULE",
            help=f"as if the settings had this rule too, to {behavior} (may be given more than once)",
        )  # fmt: skip
    parser.add_argument("--text", dest="as_text", action="store_true", help="print text instead of JSON")


_WORDS_EPILOG: Final = """\
A word is a JSON string and an operator is {"op": "|"}; there are || && ;; ; |& | >> > < & ( ).
$NAME and ${NAME} expand outside single quotes. A string of --env becomes part of its word, undefined is empty; any
other value comes out as it is where it is the whole word, and as JSON text in the middle of one. --k=$X gives two
words, "--k" and the value. A value with the one key `op` or `value` is printed as {"value": {...}}.

example: tui-agent tools words 'show --rows=$R | sort' --env '{"R": [1, 2]}'
         ["show","--rows",[1,2],{"op":"|"},"sort"]"""

_ABOUT: Final = {
    "tools list": "Name the tools that a session here would have.",
    "tools schema": "Print a tool's description and input schema, as the model gets them.",
    "tools run": "Run one tool, or many in one session, through all eight stages; one line of JSON each.",
    "tools words": "Print the shell words of a line as one JSON list, without running it.",
    "permissions explain": "Explain the decision about a call, without running it.",
    "settings explain": "Say what is set, where it comes from, and which source does not count and why.",
    "settings files": "List the files that settings come from, strongest first, and which of them were read.",
    "settings schema": 'Print the JSON Schema of settings files; name it in one by "$schema".',
    "sessions list": "List recorded sessions, newest first.",
    **MCP_ABOUT,
    "serve": "Give a front end in another process the engine: commands and queries in, events and answers out.",
    "replay": "Play a recorded session: pause, step, other speeds, any place of it.",
    "doctor": "Check the set-up.",
}


# --- values ----------------------------------------------------------------------------------------------------------


def _mode(name: str) -> str:
    """Return the mode that a name means: there are names of other programs for the first one."""
    return mode_from_setting(name) or name


def _folder(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return path


def _positive(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not {text!r}")
    return value


def _dollars(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"expected an amount above 0, not {text!r}")
    return value


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not {text!r}")
    return value


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text)
    if match is None or not (int(match[1]) and int(match[2])):
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT in cells, for example 120x40, not {text!r}")
    return int(match[1]), int(match[2])
