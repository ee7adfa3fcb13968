"""Programs that do nothing but change the files they name: `mkdir`, `touch`, `rm`, `rmdir`, `mv`, `cp`, and `sed -i`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.programs.call import refused
from tui_agent.permissions.shell.programs.options import OptionDoubt, read_options
from tui_agent.permissions.shell.programs.sed_script import sed_doubt
from tui_agent.permissions.shell.programs.shapes import Shape, literal, shape
from tui_agent.permissions.shell.programs.table import ProgramEntry, options_of
from tui_agent.permissions.shell.words import Word

__all__ = ["EDITS", "judge_edit", "judge_sed_in_place"]


def _edit(name: str, options: str) -> ProgramEntry:
    return ProgramEntry(
        name=name, called=name, why="changes only the files it names", options=options_of(options), operands=("paths",)
    )


EDITS: Final = {
    entry.name: entry
    for entry in (
        _edit("mkdir", "-pv --parents --verbose -m= --mode="),
        _edit("touch", "-acmh --no-create --no-dereference -d= --date= -t= --time= -r@ --reference@"),
        _edit("rm", "-rRfivdI --recursive --force --verbose --dir --interactive? --one-file-system --preserve-root?"),
        _edit("rmdir", "-pv --parents --verbose --ignore-fail-on-non-empty"),
        _edit("mv", "-fnvuiT --force --no-clobber --verbose --update? --interactive --no-target-directory"),
        _edit(
            "cp",
            "-rRafnvuipdPLHlsxT --recursive --archive --force --no-clobber --verbose --update? --interactive --link "
            "--symbolic-link --dereference --no-dereference --preserve? --no-preserve= --one-file-system --parents "
            "--reflink? --sparse= --attributes-only --remove-destination --strip-trailing-slashes --no-target-directory",
        ),
    )
}
"""What is known of each: options not listed make a call unknown, `-t folder` and backups among them."""


_SED: Final = _edit(
    "sed",
    "-nrEsuz -i? -I? -e= -l= --in-place? --quiet --silent --expression= --line-length= --posix --regexp-extended --separate "
    "--unbuffered --null-data --debug",
)
_SUFFIX: Final = re.compile(r"[\w.~-]*", re.ASCII)


def judge_edit(name: str, words: Sequence[Word], names_from: str = "") -> Judgement:
    """Judge a call of one of `EDITS`."""
    entry = EDITS[name]
    reading = read_options(entry, words)
    if reading.doubt is not None:
        return refused(reading.doubt)
    if names_from:
        return refused(OptionDoubt("names-unknown", f"which files `{name}` changes is unknown before it runs"))
    operands = reading.operands
    if not operands:
        return refused(OptionDoubt("operand", f"`{name}` names no file"))
    if name != "cp":
        return _changes(name, operands, reading.paths)
    # Links would make a file outside reachable by a name inside.
    if not {"-l", "-s", "--link", "--symbolic-link"}.isdisjoint(reading.given):
        return refused(OptionDoubt("unknown-option", "`cp` makes links here"))
    # The names of what is copied then tell where to, below the folder that is named.
    if "--parents" in reading.given and not _parents_known(operands):
        return refused(
            OptionDoubt("unknown-option", "`cp --parents` makes folders of which it is not clear where they lie")
        )
    # A folder's links are judged as links; copied is what they lead to.
    if {"-L", "--dereference"} & reading.given.keys() and {
        "-r",
        "-R",
        "-a",
        "--recursive",
        "--archive",
    } & reading.given.keys():
        return refused(OptionDoubt("unknown-option", "`cp` copies what the links in a folder lead to"))
    if "--parents" in reading.given:
        return _changes(name, [literal(f"{operands[-1].value}/{word.value}") for word in operands[:-1]], operands[:-1])
    return _changes(name, operands[-1:], operands[:-1])


def judge_sed_in_place(words: Sequence[Word]) -> Judgement | None:
    """Judge a call of `sed` that changes files in place; None where it does not, or more than that."""
    reading = read_options(_SED, words)
    places = [reading.given[name] for name in ("-i", "-I", "--in-place") if name in reading.given]
    if reading.doubt is not None or not places:
        return None
    operands = list(reading.operands)
    scripts = [value for name, value in reading.values if name in {"-e", "--expression"}]
    suffixes = [word for word in places if word is not None]
    if operands and operands[0].is_known and not operands[0].value:
        # `sed -i '' s/a/b/ file`: on BSD the suffix, elsewhere a script that does nothing.
        del operands[0]
    if not scripts and operands:
        scripts = [operands.pop(0)]
    if not scripts or not operands:
        return None
    if not all(word.is_known for word in (*scripts, *suffixes)):
        return refused(OptionDoubt("unknown-word", "what `sed` does to which files is unknown before it runs"))
    if any(shape(word) is not Shape.KNOWN for word in operands):
        return refused(OptionDoubt("unquoted-glob", "which files `sed` changes is unknown before it runs"))
    doubt = sed_doubt("\n".join(script.value for script in scripts))
    if doubt is None and not all(_SUFFIX.fullmatch(word.value) for word in suffixes):
        doubt = OptionDoubt("output-option", "where `sed` keeps the old file is not clear")
    if doubt is not None:
        return refused(doubt)
    kept = [literal(word.value + suffix.value) for word in operands for suffix in suffixes if suffix.value]
    return _changes("sed", [*operands, *kept])


def _parents_known(operands: Sequence[Word]) -> bool:
    """Whether all operands of `cp --parents` are paths as they stand."""
    return all(shape(word) is Shape.KNOWN and word.raw[:1] != "~" for word in operands)


def _changes(name: str, writes: Sequence[Word], reads: Sequence[Word] = ()) -> Judgement:
    reason = f"`{name}` changes files"
    return Judgement(kind="edit", check="edits-files", reason=reason, reads=tuple(reads), writes=tuple(writes))
