"""What the table cannot say of a program: functions that judge a call as a whole, or check one more thing about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.programs.awk_program import awk_doubt
from tui_agent.permissions.shell.programs.call import ProgramCall, read_only, refused
from tui_agent.permissions.shell.programs.find import judge_find
from tui_agent.permissions.shell.programs.git import git_config_doubt, git_doubt, git_format_doubt
from tui_agent.permissions.shell.programs.options import OptionDoubt
from tui_agent.permissions.shell.programs.sed_script import sed_doubt
from tui_agent.permissions.shell.programs.shapes import beginning
from tui_agent.permissions.shell.programs.system import date_doubt, ifconfig_doubt, judge_ip, ps_doubt
from tui_agent.permissions.shell.words import Word

__all__ = ["CHECKERS", "JUDGES"]

_JAR_LIST: Final = re.compile(r"-?(?:t|tv|vt)f")
_YQ_READS: Final = re.compile(r"(?<![.\w])(?:load\w*|system|eval)\s*\(|(?<![.\w$])(?:import|include)\s*[\"#]")
_RUSTC_FACTS: Final = frozenset({
    "sysroot", "cfg", "target-list", "target-cpus", "target-features", "target-libdir", "host-tuple", "calling-conventions",
    "relocation-models", "code-models", "tls-models", "supported-crate-types",
})  # fmt: skip
_JQ_MODULES: Final = re.compile(r"(?<![.\w$])(?:(?:import|include)\s*[\"#]|modulemeta)")


def judge_text(call: ProgramCall) -> Judgement:  # noqa: ARG001
    """Judge a program that takes whatever it is given for text."""
    return read_only()


def judge_jar(call: ProgramCall) -> Judgement:
    """Judge `jar tf file`."""
    words = list(call.words)
    if len(words) < 2 or not words[0].is_known or not _JAR_LIST.fullmatch(words[0].value):
        return refused(OptionDoubt("needed-option", "`jar` is known to be read-only only with `tf`"))
    if not all(word.is_known and word.value[:1] not in {"-", "@"} for word in words[1:]):
        return refused(OptionDoubt("argument-file", "a word may stand for options that `jar` reads from a file"))
    return read_only(words[1:2])


def _program_text(call: ProgramCall, *instead: str) -> tuple[list[Word], OptionDoubt | None]:
    """Return the words that are the program's text: the first operand, or the values of the options that take its place."""
    texts = [value for name, value in call.reading.values if name in instead]
    if not texts:
        texts = call.reading.operands[:1]
    for text in texts:
        if not text.is_known:
            what = f"what `{call.entry.called}` does depends on `{text.raw}`, which is unknown before it runs"
            return [], OptionDoubt("unknown-word", what)
    if call.names_from and not texts:
        return [], OptionDoubt("names-unknown", f"what `{call.entry.called}` does would be told by a name")
    return texts, None


def _sed(call: ProgramCall) -> OptionDoubt | None:
    texts, doubt = _program_text(call, "-e", "--expression")
    return doubt or sed_doubt("\n".join(text.value for text in texts))


def _awk(call: ProgramCall) -> OptionDoubt | None:
    texts, doubt = _program_text(call)
    return doubt or next(filter(None, (awk_doubt(text.value) for text in texts)), None)


def _jq(call: ProgramCall) -> OptionDoubt | None:
    texts, doubt = _program_text(call)
    if doubt is None and any(_JQ_MODULES.search(text.value) for text in texts):
        doubt = OptionDoubt("interpreter", "the jq filter reads modules")
    return doubt


def _yq(call: ProgramCall) -> OptionDoubt | None:
    _, doubt = _program_text(call)
    # `yq e filter file` has the filter behind a word of its own.
    if doubt is None and any(_YQ_READS.search(text.value) for text in call.reading.operands):
        doubt = OptionDoubt("interpreter", "the yq filter reads other files or runs a program")
    return doubt


def _bat(call: ProgramCall) -> OptionDoubt | None:
    operands = call.reading.operands
    if operands and operands[0].value == "cache":
        return OptionDoubt("subcommand", "`bat cache` changes what bat keeps")
    paging = call.reading.given.get("--paging")
    if paging is not None and paging.value not in {"never", "auto"}:
        return OptionDoubt("pager", "`--paging` makes `bat` run a pager")
    return None


def _tar(call: ProgramCall) -> OptionDoubt | None:
    for name in ("-f", "--file"):
        value = call.reading.given.get(name)
        if value is not None and not (value.is_known and ":" not in value.value):
            return OptionDoubt("network-path", f"`{value.raw}` may be an archive on another computer")
    if call.has("-x", "--extract", "--get") and not call.has("-O", "--to-stdout"):
        return OptionDoubt("needed-option", f"`{call.entry.called}` takes files out of an archive without `-O`")
    if not call.has("-x", "--extract", "--get", "-t", "--list"):
        return OptionDoubt(
            "needed-option", f"`{call.entry.called}` is known to be read-only only with `-t`, or `-x` and `-O`"
        )
    return None


def _pager(call: ProgramCall) -> OptionDoubt | None:
    for word in call.reading.operands:
        if beginning(word)[:1] in {"", "+"}:
            return OptionDoubt("pager", f"`{word.raw}` may be a command to `{call.entry.called}`")
    return None


def _rustc(call: ProgramCall) -> OptionDoubt | None:
    for name, value in call.reading.values:
        if name == "--print" and not (value.is_known and value.value in _RUSTC_FACTS):
            return OptionDoubt("unknown-option", f"`--print {value.raw}` may make `rustc` compile, or write a file")
    return None


def _clang_format(call: ProgramCall) -> OptionDoubt | None:
    for _name, value in call.reading.values:
        if not value.is_known or value.value.startswith("file:"):
            return OptionDoubt("unknown-option", f"`{value.raw}` may name a file anywhere, of which parts are shown")
    return None


def _javap(call: ProgramCall) -> OptionDoubt | None:
    for word in call.reading.operands:
        if not word.is_known or ":" in word.value:
            return OptionDoubt("network-path", f"`{word.raw}` may be an address")
    return None


def _lsof(call: ProgramCall) -> OptionDoubt | None:
    for word in (*call.reading.operands, *(value for name, value in call.reading.values if name == "-i")):
        if not word.is_known or "@" in word.value:
            return OptionDoubt("network-path", f"`{word.raw}` may be a name that the network is asked for")
    return None


def _svn(call: ProgramCall) -> OptionDoubt | None:
    for word in call.reading.operands:
        # `^/trunk` is an address at the server, and `file@REVISION` may be one that only the server has.
        if not word.is_known or word.value.startswith("^") or "@" in word.value:
            return OptionDoubt("network-path", f"`{word.raw}` may be something that svn asks the server for")
    return None


def _gzip(call: ProgramCall) -> OptionDoubt | None:
    if call.has("-c", "--stdout", "--to-stdout"):
        return None
    if call.has("-l", "--list", "-t", "--test") and not call.has("-d", "--decompress", "--uncompress"):
        return None
    return OptionDoubt("needed-option", f"`{call.entry.called}` is known to be read-only only with `-c`, `-l` or `-t`")


JUDGES: Final[dict[str, Callable[[ProgramCall], Judgement]]] = {
    "find": judge_find,
    "ip": judge_ip,
    "jar": judge_jar,
    "text": judge_text,
}
"""Functions that judge the words behind a program's name by themselves."""

CHECKERS: Final[dict[str, Callable[[ProgramCall], OptionDoubt | None]]] = {
    "awk": _awk,
    "bat": _bat,
    "clang-format": _clang_format,
    "date": date_doubt,
    "git": git_doubt,
    "git config": git_config_doubt,
    "git format": git_format_doubt,
    "gzip": _gzip,
    "jq": _jq,
    "javap": _javap,
    "pager": _pager,
    "rustc": _rustc,
    "ifconfig": ifconfig_doubt,
    "lsof": _lsof,
    "ps": ps_doubt,
    "sed": _sed,
    "svn": _svn,
    "tar": _tar,
    "yq": _yq,
}
"""Functions that say what else speaks against a call whose options are all harmless."""
