"""What a command runs in the end: itself, or what stands behind `sudo`, `timeout`, `xargs`, `bash -c`, `find -exec` …

Two readers need this and differ in care. A rule that allows may look through a few wrappers, and only where their options
are fully known. A rule that forbids looks through everything that could run something, and rather once too often.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Final

from tui_agent.permissions.shell.parse import ParsedCommand, ParsedScript, parse
from tui_agent.permissions.shell.pattern import normalise
from tui_agent.permissions.shell.programs import judge_program
from tui_agent.permissions.shell.runners import SHELLS, WRAPPERS, Texts, may_run_operands, run_texts
from tui_agent.permissions.shell.words import Word

__all__ = ["EffectiveCommand", "base_name", "reached", "unfolded", "without_safe_wrappers"]

SAFE_VARIABLES: Final = frozenset(
    {"NODE_ENV", "LANG", "LANGUAGE", "NO_COLOR", "FORCE_COLOR", "TZ", "TERM", "COLUMNS", "LINES", "CI"}
    | {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "RUST_BACKTRACE", "RUST_LOG", "GIT_PAGER_IN_USE"}
)
# Wrappers that change nothing, and the options that leave it so.
_SAFE_OPTIONS: Final = {
    "timeout": re.compile(r"--foreground|--preserve-status|-v|--verbose|-[ks]\S+|--(?:signal|kill-after)=\S+"),
    "time": re.compile(r"-p"),
    "nice": re.compile(r"-n?-?\d+|--adjustment=-?\d+"),
    "nohup": re.compile(r"(?!)"),
    "stdbuf": re.compile(r"-[ioe][0L]|-[ioe]\d+|--(?:input|output|error)=\w+"),
    "command": re.compile(r"-p"),
    "builtin": re.compile(r"(?!)"),
    "noglob": re.compile(r"(?!)"),
    "xargs": re.compile(r"(?!)"),
}
_DURATION: Final = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*=")
# Builtins that evaluate array subscripts, and so commands in them, even where quotes hide these from the tree.
_SUBSCRIPTS: Final = frozenset({
    "test", "[", "[[", "printf", "read", "unset", "declare", "typeset", "local", "export", "readonly", "let",
    "mapfile", "readarray", "wait", "getopts",
})  # fmt: skip
_CODE: Final = re.compile(r"\$\(|`|[<>]\(|\$\{\w+[^\w}]")
_DEPTH: Final = 6
_MOST: Final = 1000
_MOST_BEHIND: Final = 20  # of one wrapper: where its command may begin
_MOST_OPERANDS: Final = 60
_XARGS_VALUED: Final = frozenset({
    "-I", "-J", "-R", "-S", "-d", "-n", "-P", "-L", "-s", "-E", "-a", "-j", "--max-args", "--max-procs", "--max-lines",
    "--arg-file", "--delimiter", "--max-chars", "--jobs",
})  # fmt: skip
_PROGRAM_FILE: Final = re.compile(r"/(?:[\w.+-]+/)*s?bin/[\w.+-]+")


@dataclass(frozen=True)
class EffectiveCommand:
    """A command that may run. `is_opaque` means that it may run more than can be seen; `depth` counts wrappers round it.

    `is_guess` marks operands of a command that may name a program which it runs, or may not. `foreign` are texts in some other
    language that it may run; `reads_input` and `runs_file` say that a program comes from its standard input, or from a file.
    """

    words: tuple[Word, ...]
    is_opaque: bool = False
    depth: int = 0
    is_guess: bool = False
    foreign: tuple[str, ...] = ()
    reads_input: bool = False
    runs_file: bool = False

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The ways a rule may name this command: as written, quotes off, and by the program without its folder."""
        whole, plain = whole_text(self.words), plain_text(self.words)
        name = self.words[0].value
        short = base_name(self.words[0]) + plain[len(name) :]
        return (whole,) if whole == plain == short else tuple(dict.fromkeys((whole, plain, short)))

    @cached_property
    def beginning(self) -> str | None:
        """How this command surely begins, blanks made one; None if all of it is certain, and nothing if it is opaque."""
        beginning = "" if self.is_opaque else known_beginning(self.words)
        return normalise(beginning) if beginning else beginning


@dataclass(frozen=True, slots=True)
class _Inner:
    """What is right behind a command: `sure` runs, `guesses` may; `is_opaque` says that there may be others."""

    sure: list[Sequence[Word]]
    guesses: list[Sequence[Word]]
    is_opaque: bool


def base_name(word: Word) -> str:
    """Return the program a word names, without its folder."""
    return word.value.rpartition("/")[2] or word.value


def reached(script: ParsedScript, *, guesses: bool = False) -> tuple[EffectiveCommand, ...]:
    """Return every command that a script may run, wrappers and what stands behind them alike; with `guesses` those, too."""
    everything, sure = _reached(script.source)
    return everything if guesses else sure


@lru_cache(maxsize=512)
def _reached(source: str) -> tuple[tuple[EffectiveCommand, ...], tuple[EffectiveCommand, ...]]:
    """Return every command that a text may run, and those of them that are no guesses."""
    found: list[EffectiveCommand] = []
    for command in parse(source).commands:
        found.extend(_unfolded(command.words)[0])
        for item in command.assignments:
            setting = _word(f"{item.name}={item.value.value}")
            if texts := run_texts("", (setting,)).foreign:
                found.append(EffectiveCommand((setting,), foreign=texts))
    return tuple(found), tuple([one for one in found if not one.is_guess])


def unfolded(words: tuple[Word, ...]) -> tuple[EffectiveCommand, ...]:
    """Return what one command surely runs: itself, and whatever stands behind its wrappers."""
    return _unfolded(words)[1]


@lru_cache(maxsize=1024)
def _unfolded(words: tuple[Word, ...]) -> tuple[tuple[EffectiveCommand, ...], tuple[EffectiveCommand, ...]]:
    """Return all that one command may run, and what of it is no guess."""
    found = tuple(_unfold(words, 0))
    return found, tuple([one for one in found if not one.is_guess])


def _word(text: str) -> Word:
    return Word(text, text, text, is_plain=True, is_literal=True)


def _unfold(words: Sequence[Word], depth: int) -> Iterator[EffectiveCommand]:
    """Yield a command and all behind it, what has fewest wrappers round it first, and nothing twice."""
    waiting: deque[tuple[Sequence[Word], int, bool]] = deque([(words, depth, False)])
    seen: dict[tuple[int, int, int, bool], Sequence[Word]] = {}
    while waiting:
        words, depth, is_guess = waiting.popleft()
        if not words:
            continue
        key = (id(words[0]), id(words[-1]), len(words), is_guess)
        if key in seen:
            continue
        seen[key] = words
        texts = run_texts(base_name(words[0]), words)
        inner = _inner(words, texts) if depth < _DEPTH else _Inner([], [], is_opaque=True)
        if len(seen) + len(waiting) > _MOST:
            inner = _Inner([], [], is_opaque=True)
        is_opaque = inner.is_opaque or not _is_named(words[0])
        if base_name(words[0]) in _SUBSCRIPTS and any(_hides_code(word) for word in words):
            is_opaque = True
        # What an operand that is no command would hide is nobody's concern.
        yield EffectiveCommand(
            tuple(words), is_opaque and not is_guess, depth, is_guess, texts.foreign, texts.reads_input, texts.runs_file
        )
        waiting.extend((more, depth + 1, is_guess) for more in inner.sure)
        waiting.extend((more, depth + 1, True) for more in inner.guesses)


def _is_named(word: Word) -> bool:
    """Whether it is certain which command a word names; the bracket of a condition is no glob."""
    return word.is_known or word.raw in {"[", "[["}


def _inner(words: Sequence[Word], texts: Texts) -> _Inner:
    """Return the commands right behind a command."""
    name = base_name(words[0])
    sure: list[Sequence[Word]] = []
    guesses: list[Sequence[Word]] = []
    is_opaque = texts.is_opaque
    if name in WRAPPERS and not (name == "command" and len(words) > 1 and words[1].value in {"-v", "-V"}):
        behind = list(islice(_behind(words, WRAPPERS[name]), _MOST_BEHIND + 1))
        is_opaque = is_opaque or len(behind) > _MOST_BEHIND
        sure.extend(behind[:_MOST_BEHIND])
        if name in {"xargs", "parallel", "zargs"}:
            is_opaque = is_opaque or _runs_what_it_is_given(words)
    if name in {"find", "fd", "fdfind"}:
        sure.extend(_executed(words))
    if may_run_operands(name, words):
        guesses.extend(words[at:] for at in range(1, min(len(words), _MOST_OPERANDS)))
        is_opaque = is_opaque or len(words) > _MOST_OPERANDS
        guesses.extend(_commands(word.value for word in words[1:] if " " in word.value)[0])
    if name not in WRAPPERS and any(map(_is_program_file, words[1:])) and judge_program(words).kind == "unknown":
        guesses.extend(words[at:] for at, word in enumerate(words) if at and _is_program_file(word))
    commands, is_unclear = _commands(texts.shell)
    sure.extend(commands)
    return _Inner(sure, guesses, is_opaque or is_unclear)


def _commands(texts: Iterable[str]) -> tuple[list[Sequence[Word]], bool]:
    """Return the commands in texts that a shell runs, and whether one of the texts is not understood."""
    found: list[Sequence[Word]] = []
    is_unclear = False
    for text in texts:
        script = parse(text)
        is_unclear = is_unclear or not script.is_understood
        found.extend(command.words for command in script.commands)
    return found, is_unclear


def _is_program_file(word: Word) -> bool:
    """Whether a word names a program by the folder that programs lie in."""
    return "bin/" in word.value and _PROGRAM_FILE.fullmatch(word.value) is not None


def _runs_what_it_is_given(words: Sequence[Word]) -> bool:
    """Whether the names that `xargs` hands over may be run: behind a wrapper, in a shell's text, or as the program."""
    rest, marks = list(words[1:]), {"{}"}
    while rest and rest[0].value.startswith("-") and rest[0].value != "-":
        option = rest.pop(0).value
        if option.startswith(("-I", "-J", "--replace=")) and len(option) > 2:
            marks.add(option.removeprefix("--replace=").removeprefix("-I").removeprefix("-J"))
        if option in _XARGS_VALUED and rest:
            marks.add(rest.pop(0).value)
    if not rest:
        return base_name(words[0]) == "parallel"  # `xargs` alone only prints
    name = base_name(rest[0])
    if any(mark in rest[0].value for mark in marks) or (name in WRAPPERS and _may_lack_command(rest, WRAPPERS[name])):
        return True
    return any(mark in text for mark in marks for inner in _wrapped(rest) for text in _shell_texts(inner))


def _wrapped(words: Sequence[Word]) -> list[Sequence[Word]]:
    """Return a command, and what may stand right behind it if it is a wrapper."""
    name = base_name(words[0])
    behind = islice(_behind(words, WRAPPERS[name]), _MOST_BEHIND) if name in WRAPPERS else ()
    return [words, *behind]


def _shell_texts(words: Sequence[Word]) -> tuple[str, ...]:
    name = base_name(words[0])
    return run_texts(name, words).shell if name in SHELLS or name == "eval" else ()


def _hides_code(word: Word) -> bool:
    """Whether quotes hide something from the tree that a builtin would run after taking them off."""
    return _CODE.search(word.value) is not None and (word.is_plain or "[" in word.value)


def _behind(words: Sequence[Word], own: int) -> Iterator[Sequence[Word]]:
    """Yield what may be the command behind a wrapper: behind its options, whose values may or may not be words of their own."""
    seen: set[tuple[int, int]] = set()
    waiting = [(1, own)]
    while waiting:
        at, left = waiting.pop()
        if (at, left) in seen or at >= len(words):
            continue
        seen.add((at, left))
        value = words[at].value
        if value.startswith("-"):
            waiting.append((at + 1, left))
            if value == "-":  # an option of `env`, a file of others
                waiting.extend([(at + 1, left - 1)] if left else [])
            elif value != "--":
                waiting.append((at + 2, left))
        elif _ASSIGNED.match(value):
            waiting.append((at + 1, left))
        else:
            yield words[at:]
            if left:
                waiting.append((at + 1, left - 1))


def _may_lack_command(words: Sequence[Word], own: int) -> bool:
    """Whether a wrapper's own words may be all there is, so that what is added to them is what it runs."""
    waiting, seen = [(1, own)], set[tuple[int, int]]()
    while waiting:
        at, left = waiting.pop()
        if at >= len(words):
            return True
        if (at, left) in seen:
            continue
        seen.add((at, left))
        value = words[at].value
        if value.startswith("-") and value not in {"-", "--"}:
            waiting.extend(((at + 1, left), (at + 2, left)))
        elif value == "--" or _ASSIGNED.match(value):
            waiting.append((at + 1, left))
        elif left:
            waiting.append((at + 1, left - 1))
    return False


def _executed(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the commands of `find … -exec …`."""
    for index, word in enumerate(words):
        if word.value in {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}:
            rest = list(words[index + 1 :])
            end = next((at for at, other in enumerate(rest) if other.value in {";", "+"}), len(rest))
            yield rest[:end]


def without_safe_wrappers(command: ParsedCommand) -> Iterator[tuple[Word, ...]]:
    """Yield the command's words, then what is left as wrappers that change nothing are taken off, one by one.

    Yields nothing where a variable is set that may change what runs.
    """
    if not all(is_safe_variable(item.name) for item in command.assignments):
        return
    words = command.words
    while words:
        yield words
        shorter = _unwrapped(words)
        if shorter is None:
            return
        words = shorter


def is_safe_variable(name: str) -> bool:
    """Whether setting this variable cannot change which program runs or what it loads."""
    return name in SAFE_VARIABLES or name.startswith("LC_")


def _unwrapped(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Take one wrapper off whose every option is known, or return None."""
    name = words[0].raw
    options = _SAFE_OPTIONS.get(name)
    if options is None:
        return None
    rest = list(words[1:])
    while rest and rest[0].raw.startswith("-"):
        option = rest.pop(0).raw
        if option == "--":
            break
        if (name == "nice" and option == "-n" and rest and re.fullmatch(r"-?\d+", rest[0].raw)) or (
            name == "timeout" and option in {"-k", "-s"} and rest and re.fullmatch(r"\w+", rest[0].raw)
        ):
            rest.pop(0)
        elif not options.fullmatch(option):
            return None
    if name == "timeout" and (not rest or not _DURATION.fullmatch(rest.pop(0).raw)):
        return None
    if not rest or rest[0].raw.startswith("-") or not rest[0].is_known or _ASSIGNED.match(rest[0].raw):
        return None
    return tuple(rest)


def whole_text(words: Sequence[Word]) -> str:
    """Return a command's words as written, one space between them."""
    return " ".join([word.raw for word in words])


def plain_text(words: Sequence[Word]) -> str:
    """Return a command's words as bash understands them, quotes off, one space between them."""
    return " ".join([word.value for word in words])


def known_beginning(words: Sequence[Word]) -> str | None:
    """Return how the command surely begins, or None if all of it is certain."""
    out: list[str] = []
    for word in words:
        if not (word.is_known or (not out and _is_named(word))):
            return " ".join([*out, word.known])
        out.append(word.value)
    return None
