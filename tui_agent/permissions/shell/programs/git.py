"""git: settings given for one call, and the forms of `git config` that only print."""

from __future__ import annotations

import re
from typing import Final

from tui_agent.permissions.shell.programs.call import ProgramCall
from tui_agent.permissions.shell.programs.options import OptionDoubt

__all__ = ["git_config_doubt", "git_doubt", "git_format_doubt"]

# Settings that change how things look, and cannot name a program to run.
_HARMLESS_SETTING: Final = re.compile(
    r"""(?:
        color\.[\w.-]+ | column\.\w+ | status\.\w+ | advice\.\w+ | i18n\.\w+ | grep\.(?:lineNumber|column|patternType|fullName)
      | core\.(?:quotePath|abbrev|ignoreCase|precomposeUnicode|commentChar) | blame\.(?:date|showEmail|showRoot|coloring)
      | log\.(?:date|decorate|abbrevCommit|follow|mailmap|showRoot|diffMerges)
      | diff\.(?:renames|renameLimit|algorithm|context|interHunkContext|mnemonicPrefix|noprefix|colorMoved|colorMovedWS
          |wsErrorHighlight|relative|indentHeuristic|ignoreSubmodules|statGraphWidth|suppressBlankEmpty)
    )(?:=.*)? | log\.showSignature=(?:false|0|no|off) | diff\.submodule=(?:short|log)
      | core\.pager=(?:cat)? | pager\.\w+=(?:false|0|no|off)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SETTING_NAME: Final = re.compile(r"[A-Za-z][\w-]*(?:\..*)?\.[A-Za-z][\w-]*", re.DOTALL)
# Fields that git fills by having a program check the signature.
_SIGNATURE: Final = re.compile(r"%[-+ ]?G|%\(\*?signature")
# Ways to show a submodule for which git is run in it, with its own settings.
_ENTERS: Final = re.compile(r"(?!(?:short|log)$)", re.DOTALL)
_PRINTS: Final = ("--get", "--get-all", "--get-regexp", "--get-urlmatch")


def git_doubt(call: ProgramCall) -> OptionDoubt | None:
    """Say what speaks against the options before git's subcommand."""
    for name, value in call.reading.values:
        if name == "-c" and not (value.is_known and _HARMLESS_SETTING.fullmatch(value.value)):
            return OptionDoubt("git-config", f"the setting `{value.raw}` may make git run a program")
    return None


def git_format_doubt(call: ProgramCall) -> OptionDoubt | None:
    """Say why the format of what git prints may make it run a program."""
    for name, value in call.reading.values:
        if name == "--submodule" and (not value.is_known or _ENTERS.match(value.value)):
            return OptionDoubt(
                "git-format", "to show what changed in a submodule, git goes by the settings of that repository"
            )
        is_asked = name in {"--format", "--pretty", "--group"} and (
            not value.is_known or _SIGNATURE.search(value.value)
        )
        if is_asked or (name == "--sort" and (not value.is_known or "signature" in value.value)):
            return OptionDoubt("git-format", f"to fill `{value.raw}` in, git may run a program that checks signatures")
    return None


def git_config_doubt(call: ProgramCall) -> OptionDoubt | None:
    """Say why a call of `git config` may change a setting."""
    operands = call.reading.operands
    if any(not word.is_known for word in operands):
        return OptionDoubt("git-config", "which setting git is asked for is unknown before it runs")
    values = [word.value for word in operands]
    if call.has(*_PRINTS):
        fits = 1 <= len(values) <= 2
    elif call.has("-l", "--list"):
        fits = not values
    elif values[:1] == ["list"]:
        fits = len(values) == 1
    elif values[:1] == ["get"]:
        fits = len(values) == 2
    else:
        fits = len(values) == 1 and _SETTING_NAME.fullmatch(values[0]) is not None
    return None if fits else OptionDoubt("git-config", "`git config` may change a setting like this")
