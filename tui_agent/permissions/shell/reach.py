"""What a command runs in the end: itself, or what stands behind `sudo`, `timeout`, `xargs`, `bash -c`, `find -exec` …

Two readers need this and differ in care. A rule that allows may look through a few wrappers, and only where their options
are fully known. A rule that forbids looks through everything that could run something, and rather once too often.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from tui_agent.permissions.shell.parse import Command, Script, parse
from tui_agent.permissions.shell.words import Word

__all__ = ["Reached", "base_name", "reached", "unfolded", "without_safe_wrappers"]

SAFE_VARIABLES: Final = frozenset(
    {"NODE_ENV", "LANG", "LANGUAGE", "NO_COLOR", "FORCE_COLOR", "TZ", "TERM", "COLUMNS", "LINES", "CI"}
    | {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "RUST_BACKTRACE", "RUST_LOG", "GIT_PAGER_IN_USE"}
)
_DURATION: Final = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*=")
# Wrappers that run what follows them; the number is how many words of their own come first.
_WRAPPERS: Final = {
    "builtin": 0, "busybox": 0, "chroot": 1, "chrt": 1, "command": 0, "coproc": 0, "doas": 0, "env": 0, "exec": 0,
    "flock": 1, "ionice": 0, "ltrace": 0, "nice": 0, "nocorrect": 0, "noglob": 0, "nohup": 0, "parallel": 0,
    "setpriv": 0, "setsid": 0, "stdbuf": 0, "strace": 0, "sudo": 0, "taskset": 1, "time": 0, "timeout": 1,
    "unshare": 0, "watch": 0, "xargs": 0,
}  # fmt: skip
# Behind `time` and `coproc` the grammar takes the shell's own words for arguments.
_WRAPPERS.update(dict.fromkeys(("!", "{", "if", "elif", "else", "then", "while", "until", "do"), 0))
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "su", "script"})
_RUNS_STRINGS: Final = frozenset({"eval", "trap", "watch", "parallel"})
# Builtins that evaluate array subscripts, and so commands in them, even where quotes hide these from the tree.
_SUBSCRIPTS: Final = frozenset({
    "test", "[", "[[", "printf", "read", "unset", "declare", "typeset", "local", "export", "readonly", "let",
    "mapfile", "readarray", "wait", "getopts",
})  # fmt: skip
_CODE: Final = re.compile(r"\$\(|`|[<>]\(|\$\{\w+[^\w}]")
_DEPTH: Final = 6
_MOST: Final = 1000
_MOST_BEHIND: Final = 20  # of one wrapper: where its command may begin


@dataclass(frozen=True, slots=True)
class Reached:
    """A command that may run. `is_opaque` means that it may run more than can be seen; `depth` counts wrappers round it."""

    words: tuple[Word, ...]
    is_opaque: bool = False
    depth: int = 0


def base_name(word: Word) -> str:
    """Return the program a word names, without its folder."""
    return word.value.rpartition("/")[2] or word.value


def reached(script: Script) -> tuple[Reached, ...]:
    """Return every command that a script may run, wrappers and what stands behind them alike."""
    return _reached(script.source)


@lru_cache(maxsize=512)
def _reached(source: str) -> tuple[Reached, ...]:
    return tuple(found for command in parse(source).commands for found in _unfold(command.words, 0))


@lru_cache(maxsize=1024)
def unfolded(words: tuple[Word, ...]) -> tuple[Reached, ...]:
    """Return what one command may run: itself, and whatever stands behind its wrappers."""
    return tuple(_unfold(words, 0))


def _unfold(words: Sequence[Word], depth: int) -> Iterator[Reached]:
    """Yield a command and all behind it, what has fewest wrappers round it first, and nothing twice."""
    waiting: deque[tuple[Sequence[Word], int]] = deque([(words, depth)])
    seen: dict[tuple[int, int, int], Sequence[Word]] = {}
    while waiting:
        words, depth = waiting.popleft()
        if not words:
            continue
        key = (id(words[0]), id(words[-1]), len(words))
        if key in seen:
            continue
        seen[key] = words
        inner, is_opaque = _inner(words) if depth < _DEPTH else ([], True)
        if len(seen) + len(waiting) > _MOST:
            inner, is_opaque = [], True
        is_opaque = is_opaque or not words[0].is_known
        if base_name(words[0]) in _SUBSCRIPTS and any(_hides_code(word) for word in words):
            is_opaque = True
        yield Reached(tuple(words), is_opaque, depth)
        waiting.extend((more, depth + 1) for more in inner)


def _inner(words: Sequence[Word]) -> tuple[list[Sequence[Word]], bool]:
    """Return the commands right behind a command, and whether there may be others."""
    name = base_name(words[0])
    inner: list[Sequence[Word]] = []
    is_long = False
    if name in _WRAPPERS:
        behind = list(islice(_behind(words, _WRAPPERS[name]), _MOST_BEHIND + 1))
        is_long = len(behind) > _MOST_BEHIND
        inner.extend(behind[:_MOST_BEHIND])
    if name in {"find", "fd"}:
        inner.extend(_executed(words))
    texts, is_opaque = _strings(name, words)
    is_opaque = is_opaque or is_long
    for text in texts:
        script = parse(text)
        is_opaque = is_opaque or not script.is_understood
        inner.extend(command.words for command in script.commands)
    return inner, is_opaque


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
        if value.startswith("-") and value != "-":
            waiting.append((at + 1, left))
            if value != "--":
                waiting.append((at + 2, left))
        elif _ASSIGNED.match(value):
            waiting.append((at + 1, left))
        elif left:
            waiting.append((at + 1, left - 1))
        else:
            yield words[at:]


def _executed(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the commands of `find … -exec …`."""
    for index, word in enumerate(words):
        if word.value in {"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}:
            rest = list(words[index + 1 :])
            end = next((at for at, other in enumerate(rest) if other.value in {";", "+"}), len(rest))
            yield rest[:end]


def _strings(name: str, words: Sequence[Word]) -> tuple[list[str], bool]:
    """Return the texts that a command runs as code, and whether there may be others."""
    rest = words[1:]
    if name in _RUNS_STRINGS:
        known = all(word.is_known for word in rest)
        if name == "trap":
            rest = rest[:1]
        return ([" ".join(word.value for word in rest)] if rest else []), not known
    if name in _SHELLS:
        for index, word in enumerate(rest[:-1]):
            if re.fullmatch(r"-[A-Za-z]*c", word.value) or word.value == "--command":
                code = rest[index + 1]
                return [code.value], not code.is_known
        has_file = any(not word.value.startswith(("-", "+")) for word in rest)
        return [], not has_file  # then what it reads is what it runs
    return [], False


def without_safe_wrappers(command: Command) -> Iterator[tuple[Word, ...]]:
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
    name, rest = words[0].raw, list(words[1:])
    options: dict[str, re.Pattern[str]] = {
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
    if name not in options:
        return None
    while rest and rest[0].raw.startswith("-"):
        option = rest.pop(0).raw
        if option == "--":
            break
        if (name == "nice" and option == "-n" and rest and re.fullmatch(r"-?\d+", rest[0].raw)) or (
            name == "timeout" and option in {"-k", "-s"} and rest and re.fullmatch(r"\w+", rest[0].raw)
        ):
            rest.pop(0)
        elif not options[name].fullmatch(option):
            return None
    if name == "timeout" and (not rest or not _DURATION.fullmatch(rest.pop(0).raw)):
        return None
    if not rest or rest[0].raw.startswith("-") or not rest[0].is_known or _ASSIGNED.match(rest[0].raw):
        return None
    return tuple(rest)


def whole_text(words: Sequence[Word]) -> str:
    """Return a command's words as written, one space between them."""
    return " ".join(word.raw for word in words)


def plain_text(words: Sequence[Word]) -> str:
    """Return a command's words as bash understands them, quotes off, one space between them."""
    return " ".join(word.value for word in words)


def known_beginning(words: Sequence[Word]) -> str | None:
    """Return how the command surely begins, or None if all of it is certain."""
    out: list[str] = []
    for word in words:
        if not word.is_known:
            return " ".join([*out, word.known])
        out.append(word.value)
    return None
