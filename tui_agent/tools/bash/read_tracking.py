"""A command that does nothing but show one file counts as having read it, so that the file may be edited.

Only what is certain counts: one program that is known, options that leave its output a view of the file, one file, and no
pipe, redirection or expansion. `cat`, `nl` and `bat` show a whole file, the others a part of one.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

from tui_agent.tools.bash.strict_parse import strict_words
from tui_agent.tools.file_state import FileRecord
from tui_agent.tools.files import FileProblem, load
from tui_agent.tools.resolved_path import ResolvedPath, resolve
from tui_agent.tools.shared_read.cached_files import stamp_of
from tui_agent.tools.shared_read.content_cache import Stamp

__all__ = ["SeenFile", "seen_file"]

# Options that change how a file is shown, not how much of it. Each stands for itself, as one word.
_WHOLE: Final[dict[str, re.Pattern[str]]] = {
    "cat": re.compile(r"-[nbAeEtTv]+|--(?:number|number-nonblank|show-all|show-ends|show-tabs|show-nonprinting)"),
    "nl": re.compile(r"-b?[at]|-ba|--body-numbering=[at]"),
    "bat": re.compile(r"-[nPp]+|--(?:plain|number|style=[a-z,]+|paging=never|color=never|decorations=\w+)"),
}
_COUNT: Final = re.compile(r"-(?:[nc]?\d+|[nc]\+\d+|-(?:lines|bytes)=[+-]?\d+)")
_NUMBER: Final = re.compile(r"[+-]?\d+")
_SED_PRINT: Final = re.compile(r"\d+(?:,(?:\d+|\$))?p")
_SEARCH_FLAGS: Final = re.compile(
    r"-[niEFPwxohHsSN]+|--(?:line-number|ignore-case|fixed-strings|no-heading|color=never)"
)
_SEARCH_VALUED: Final = re.compile(r"-n?[ABCm]")
_SEARCH_COUNT: Final = re.compile(r"-n?[ABCm]\d+")


@dataclass(frozen=True, slots=True)
class SeenFile:
    """The file that a command shows, whether it shows all of it, and what it was before."""

    place: ResolvedPath
    is_whole: bool
    before: Stamp

    @property
    def path(self) -> str:
        """The file as it is named, absolute."""
        return self.place.path

    def record(self) -> FileRecord | None:
        """Return what to remember once it was shown; None where it is not the file of before, or no text. Blocks.

        What is not UTF-8 was not shown as it is.
        """
        try:
            file = load(self.place)
        except FileProblem:
            return None
        if file.encoding != "utf-8" or stamp_of(self.place) != self.before:
            return None
        return FileRecord(self.path, file.hash, file.mtime_ns, file.size, is_partial=not self.is_whole, real=file.real)


def seen_file(command: str, folder: str) -> SeenFile | None:
    """Return the file that a command run in `folder` is going to show; None where that is not certain. Blocks."""
    words = strict_words(command)
    if not words or (found := _file_of(words[0], words[1:])) is None:
        return None
    name, is_whole = found
    joined = os.path.join(folder, name)  # noqa: PTH118
    path = os.path.normpath(joined)
    # A notebook is read by its cells; and `..` behind a link leads elsewhere than the path says.
    try:
        if path.endswith(".ipynb") or os.path.realpath(joined) != os.path.realpath(path):
            return None
    except ValueError:  # half a surrogate pair is in no file's name
        return None
    place = resolve(path)
    before = stamp_of(place)
    return None if before is None else SeenFile(place, is_whole, before)


def _file_of(program: str, arguments: list[str]) -> tuple[str, bool] | None:
    """Return the one file that is shown, and whether all of it is."""
    if program in _WHOLE:
        options, files = _apart(arguments, _WHOLE[program])
    elif program in ("head", "tail"):
        options, files = _apart(arguments, _COUNT, valued=re.compile(r"-[nc]"), value=_NUMBER)
    elif program == "sed":
        is_print = len(arguments) == 3 and arguments[0] == "-n" and _SED_PRINT.fullmatch(arguments[1])
        options, files = bool(is_print), arguments[2:]
    elif program in ("grep", "rg"):
        flags = re.compile(f"{_SEARCH_FLAGS.pattern}|{_SEARCH_COUNT.pattern}")
        options, words = _apart(arguments, flags, valued=_SEARCH_VALUED, value=_NUMBER)
        options, files = options and len(words) == 2, words[1:]
    else:
        return None
    if not options or len(files) != 1 or not files[0] or files[0].startswith("-"):
        return None
    return files[0], program in _WHOLE


def _apart(
    arguments: list[str],
    options: re.Pattern[str],
    *,
    valued: re.Pattern[str] | None = None,
    value: re.Pattern[str] | None = None,
) -> tuple[bool, list[str]]:
    """Part options from words: whether every option is known, and the words. One of `valued` takes the next as its value."""
    words: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if valued is not None and valued.fullmatch(argument):
            if value is None or not value.fullmatch(next(rest, "")):
                return False, []
        elif argument == "--":
            words += rest
        elif not argument.startswith("-"):
            words.append(argument)
        elif not options.fullmatch(argument):
            return False, []
    return True, words
