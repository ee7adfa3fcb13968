"""Programs that both show and set something about the system: `date`, `ifconfig`, `ip`."""

from __future__ import annotations

from typing import Final

from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.programs.call import ProgramCall, read_only, refused
from tui_agent.permissions.shell.programs.options import OptionDoubt
from tui_agent.permissions.shell.programs.shapes import beginning

__all__ = ["date_doubt", "ifconfig_doubt", "judge_ip", "ps_doubt"]

_IP_OPTIONS: Final = frozenset({
    "-4", "-6", "-0", "-br", "-brief", "-c", "-color", "--color", "-color=auto", "-color=never", "-color=always", "-d",
    "-details", "-h", "-human", "-j", "-json", "-N", "-Numeric", "-o", "-oneline", "-p", "-pretty", "-s", "-stats",
    "-statistics", "-ts", "-t", "-timestamp", "-iec", "-V", "-Version",
})  # fmt: skip
_IP_OBJECTS: Final = frozenset({
    "address", "addr", "a", "link", "l", "route", "r", "ro", "neighbour", "neighbor", "neigh", "n", "rule", "ru", "maddress",
    "maddr", "m", "mroute", "tunnel", "tunl", "netns", "nexthop", "netconf",
})  # fmt: skip
_PS_VALUED: Final = frozenset("oOktpqU")
"""Letters without a dash whose value is the next word."""
_IP_SHOWS: Final = frozenset({"show", "list", "lst", "ls", "sh"})
_IP_SHORT: Final = frozenset({"address", "addr", "a", "route", "ro", "r", "neigh", "neighbour", "n"})
"""The objects for which `s` is `show`; a link it sets."""


def date_doubt(call: ProgramCall) -> OptionDoubt | None:
    """Say why a call of `date` may set the clock: an operand that is no format does."""
    if call.has("-j"):  # on BSD and macOS: does not set
        return None
    for word in call.reading.operands:
        if not beginning(word).startswith("+"):
            return OptionDoubt("date-set", f"`date {word.raw}` may set the clock")
    return OptionDoubt("names-unknown", "a name would set the clock") if call.names_from else None


def ps_doubt(call: ProgramCall) -> OptionDoubt | None:
    """Say why a call of `ps` may show the variables of other programs, and so their secrets: the letter `e` without a dash."""
    takes_value = False
    for word in call.reading.operands:
        shows = not takes_value and word.value.isalpha() and "e" in word.value
        if not word.is_known or shows or "env" in word.value:
            return OptionDoubt("process-variables", f"`ps {word.raw}` may show the variables of other programs")
        takes_value = not takes_value and word.value[-1:] in _PS_VALUED
    for name, value in call.reading.values:
        if name in {"-o", "-O", "--format"} and (not value.is_known or "env" in value.value):
            return OptionDoubt("process-variables", f"`ps {name} {value.raw}` may show the variables of other programs")
    return None


def ifconfig_doubt(call: ProgramCall) -> OptionDoubt | None:
    """Say why a call of `ifconfig` may change the network: BSD and macOS do to every interface what follows `-a`."""
    if call.has("-a", "-l") and call.reading.operands:
        return OptionDoubt("extra-operand", f"`ifconfig` may do `{call.reading.operands[0].raw}` to every interface")
    return None


def judge_ip(call: ProgramCall) -> Judgement:
    """Judge the words behind `ip`: an object, and nothing or `show` behind it."""
    if call.names_from or not all(word.is_known for word in call.words):
        return refused(OptionDoubt("unknown-word", "what `ip` does is unknown before it runs"))
    words = [word.value for word in call.words]
    while words and words[0].startswith("-"):
        if words.pop(0) not in _IP_OPTIONS:
            return refused(OptionDoubt("unknown-option", "an option of `ip` is not known to be harmless"))
    is_short = len(words) > 1 and words[0] in _IP_SHORT and words[1] == "s"
    is_shown = (
        len(words) < 2
        or is_short
        or words[1] in _IP_SHOWS
        or (words[:2] in (["route", "get"], ["r", "get"], ["ro", "get"]))
    )
    if (words and words[0] not in _IP_OBJECTS) or not is_shown:
        return refused(OptionDoubt("subcommand", f"`ip {' '.join(words[:2])}` is not known to be read-only"))
    return read_only()
