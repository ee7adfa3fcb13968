"""Which arguments of a well-known program name files that it writes, for programs that are not known to only read.

A word too many costs a question where it names a file that is protected or that a rule is about, and nothing elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tui_agent.permissions.shell.words import Word

__all__ = ["part_of_word", "written_words"]

# They change whatever they are given ...
_ALL: Final = frozenset({
    "mv", "tee", "rm", "rmdir", "touch", "mkdir", "chmod", "chown", "chgrp", "truncate", "unlink", "link", "shred", "sponge",
    "patch", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "dos2unix", "unix2dos", "setfacl",
    "chattr", "mkfifo", "mknod", "ed", "ex", "vi", "vim", "nvim", "nano", "sd", "fallocate", "rename", "zip",
})  # fmt: skip
# ... the last of what they are given ...
_LAST: Final = frozenset({"cp", "install", "ln", "rsync", "scp", "split"})
# ... that, if there are two ...
_SECOND: Final = frozenset({"uniq", "xxd", "ddrescue", "qemu-img", "pdftotext", "ditto"})
# ... or all, when they are told to work in place.
_IN_PLACE: Final = frozenset({"perl", "ruby", "yq", "gawk", "awk", "sed", "gsed", "jq"})
_IN_PLACE_OPTION: Final = re.compile(r"-[A-Za-z0-9]*i.*|--in-?place.*", re.DOTALL)
# They name files like this.
_BY_OPERAND: Final = frozenset({"dd", "gdd", "dcfldd", "dc3dd"})
_OPERAND: Final = re.compile(r"(?:of|ofs|hof|hofs|out|output|outfile|log|hlog|hashlog|errlog)=(.+)", re.DOTALL)
# What nearly all programs call an option whose value is a file to write, and those that some do.
_OPTIONS: Final = frozenset({
    "-o", "-O", "-out", "--out", "--output", "--outfile", "--out-file", "--output-file", "--output-document", "--output-dir",
    "--out-dir", "--outdir", "--output-directory", "--log-file", "--logfile", "--target-directory", "--write-out-file",
    "--dump-header", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--etag-save", "--libcurl", "--append-output",
    "--directory-prefix", "--report-file", "--save", "--dest", "--destination",
})  # fmt: skip
_OPTIONS_OF: Final = {
    "curl": frozenset({"-D", "-c"}),
    "wget": frozenset({"-a", "-P"}),
    "cp": frozenset({"-t"}),
    "mv": frozenset({"-t"}),
    "ln": frozenset({"-t"}),
    "install": frozenset({"-t"}),
    "tar": frozenset({"-f", "--file", "-C", "--directory"}),
    "bsdtar": frozenset({"-f", "--file", "-C", "--directory"}),
    "unzip": frozenset({"-d"}),
    "csplit": frozenset({"-f", "--prefix"}),
    "script": frozenset({"-O", "-B", "-T"}),
    "strace": frozenset({"-o"}),
}
_OLD_TAR: Final = re.compile(r"-?[A-Za-z]+f")  # `tar cf archive`
_BUNDLE: Final = re.compile(r"-[A-Za-z]*[oO]")  # `curl -fsSLo file`
_LONG: Final = re.compile(r"(--[\w-]+)=(.+)", re.DOTALL)
_SHORT: Final = re.compile(r"(-\w)(.+)", re.DOTALL)


def written_words(name: str, words: tuple[Word, ...]) -> Iterator[Word]:
    """Yield what of the arguments of the program `name` stands for files or folders that it may write."""
    own = _OPTIONS | _OPTIONS_OF.get(name, frozenset())
    operands: list[Word] = []
    is_value = is_told = False
    for word in words:
        text = word.value
        if is_value:
            is_value = False
            yield word
            continue
        if not text.startswith("-"):
            operands.append(word)
            is_value = name in {"tar", "bsdtar"} and len(operands) == 1 and _OLD_TAR.fullmatch(text) is not None
            if name in _BY_OPERAND and (operand := _OPERAND.fullmatch(text)):
                yield part_of_word(word, operand[1])
            continue
        is_value = text in own or _BUNDLE.fullmatch(text) is not None
        is_value = is_value or (name in {"tar", "bsdtar"} and _OLD_TAR.fullmatch(text) is not None)
        is_told = is_told or text.startswith(("-t", "--target"))
        for joined in (_LONG.fullmatch(text), _SHORT.fullmatch(text)):
            if joined is not None and joined[1] in own:
                yield part_of_word(word, joined[2])
    is_in_place = name in _IN_PLACE and any(_IN_PLACE_OPTION.fullmatch(word.value) for word in words)
    if name in _ALL or is_in_place or (name in _LAST and is_told):
        yield from operands or words
    elif name in _LAST or (name in _SECOND and len(operands) > 1):
        yield from operands[-1:] or words
    elif name == "git" and operands and operands[0].value == "mv":
        yield from operands[1:]


def part_of_word(word: Word, text: str) -> Word:
    """Return the word that `text`, the end of another word's value, would be by itself."""
    return replace(word, raw=text, value=text, known=text if word.is_literal else "")
