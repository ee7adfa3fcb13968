"""The shell's own commands that change what later ones mean: where it stands, its variables, whether it goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tui_agent.permissions.shell.conditions import judge_test
from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.pipeline_output import named
from tui_agent.permissions.shell.values import Atom, State, Value, is_free_name, is_harmless_setting
from tui_agent.permissions.shell.words import Word

__all__ = ["BUILTINS", "READ_ONLY", "BuiltinOutcome", "Ends", "judge_builtin"]

Ends = tuple[State | None, State | None]
"""The states after something that succeeded, and after it failed; None where that never happens."""

READ_ONLY: Final = Judgement(kind="read_only")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNED: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_SETTINGS: Final = frozenset({"errexit", "nounset", "pipefail", "xtrace", "noglob", "noclobber", "verbose"})
_SET_LETTERS: Final = re.compile(r"[-+][euxfvC]*o?")
# Not those that make a glob stand for names that it does not show: hidden ones, or ones in other letters.
_SHOPT: Final = frozenset({"nullglob", "globstar", "failglob"})
_COUNT: Final = re.compile(r"[0-9]+")
_PRINTED: Final = re.compile(r"%[-+ #0-9.*'hljztL]*n")
_RUNS_TEXT: Final = frozenset({"eval", "source", ".", "exec", "trap", "coproc"})
_TELLS: Final = frozenset({"alias", "hash", "history", "jobs", "trap", "umask"})
"""Those that tell how things are, where nothing follows."""
_TELLS_WITH: Final = {
    "ulimit": re.compile(r"(?: -[SH]*[a-zA-Z])+"),  # one letter: what stands behind it in the word would be a limit
    "umask": re.compile(r" -[Sp]+"),
    "jobs": re.compile(r" -[lnprs]+"),
    "history": re.compile(r" [0-9]+"),
    "kill": re.compile(r" -[lL](?: [A-Z0-9]+)*"),
    "trap": re.compile(r" -[lp]"),
}
"""What follows those that then tell how things are."""
_CHANGES_SHELL: Final = frozenset({
    "alias", "unalias", "enable", "hash", "bind", "complete", "compgen", "compopt", "let", "getopts", "fc", "history",
    "ulimit", "umask", "pushd", "popd", "disown", "suspend", "logout", "bg", "fg", "kill", "jobs", "caller",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class BuiltinOutcome:
    """What running a command means: its judgement, and the state after it where it succeeds and where it fails.

    None for a state that is never reached. `leaves` says that it goes to the end of the loop it stands in.
    """

    judgement: Judgement
    succeeded: State | None
    failed: State | None
    leaves: State | None = None


def judge_builtin(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome | None:
    """Judge a command of the shell's own, or return None where nothing about the shell hangs on it.

    Args:
        words: the command.
        state: what is known before it.
        names: a glob that what it can read from its input lies under, or empty.
    """
    name = words[0].value
    known = BUILTINS.get(name)
    if known is not None:
        return known(words, state, names)
    follows = "".join(f" {word.raw}" for word in words[1:])
    if (not follows and name in _TELLS | {"ulimit"}) or (name in _TELLS_WITH and _TELLS_WITH[name].fullmatch(follows)):
        return BuiltinOutcome(READ_ONLY, state, state)
    if name in _RUNS_TEXT:
        return BuiltinOutcome(
            _refused("eval", f"`{name}` runs code that cannot be seen here"), _lost(state), _lost(state)
        )
    if name in _CHANGES_SHELL:
        return BuiltinOutcome(
            _refused("shell-state", f"`{name}` changes how the shell reads what follows"), _lost(state), _lost(state)
        )
    return None


def _lost(state: State) -> State:
    """Return the state after something that may have set any variable and gone anywhere."""
    return state.forgetting().entering([Word("$_", "$_", "", is_plain=True, is_literal=False, may_split=True)])


def _refused(check: str, reason: str) -> Judgement:
    return Judgement(kind="unknown", check=check, reason=reason)


def _shell_state(words: Sequence[Word], state: State, what: str) -> BuiltinOutcome:
    judgement = _refused("shell-state", f"`{words[0].value}` {what}")
    return BuiltinOutcome(judgement, _lost(state), _lost(state))


def _cd(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    rest = list(words[1:])
    while rest and rest[0].is_known and rest[0].value in {"-L", "-P", "-e", "--"}:
        rest.pop(0)
    target = rest[0] if rest else Word("~", "~", "~", is_plain=True, is_literal=True)
    if len(rest) > 1 or not target.is_known or not target.value or target.value.startswith("-"):
        return BuiltinOutcome(_refused("cd-unknown", "where `cd` goes is unknown before it runs"), _lost(state), state)
    return BuiltinOutcome(Judgement(kind="read_only", reads=(target,)), state.entering([target]), state)


def _exit(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    if len(words) > 2:  # then it only complains
        return BuiltinOutcome(READ_ONLY, state, state)
    return BuiltinOutcome(READ_ONLY, None, None)


def _leave(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    if len(words) > 1:
        return BuiltinOutcome(_refused("loop", f"`{words[0].value}` leaves several loops at once"), state, state, state)
    return BuiltinOutcome(READ_ONLY, None, None, state)


def _nothing(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    return BuiltinOutcome(
        READ_ONLY, None if words[0].value == "false" else state, state if words[0].value != "true" else None
    )


def _return(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    return BuiltinOutcome(READ_ONLY, state, state)


def _wait(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    if len(words) > 1:
        return _shell_state(words, state, "is known to do nothing only when it is alone")
    return BuiltinOutcome(READ_ONLY, state, state)


def _test(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    operands = list(words[1:])
    if words[0].value == "[":
        if not operands or operands[-1].raw != "]":
            return BuiltinOutcome(_refused("test-expression", "a condition is not closed"), state, state)
        operands.pop()
    return BuiltinOutcome(judge_test(operands), state, state)


def _set(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    rest = list(words[1:])
    while rest:
        word = rest.pop(0)
        if not word.is_known or not _SET_LETTERS.fullmatch(word.value) or len(word.value) < 2:
            return _shell_state(words, state, "changes how the shell reads what follows")
        if word.value.endswith("o") and (not rest or not rest[0].is_known or rest.pop(0).value not in _SETTINGS):
            return _shell_state(words, state, "changes how the shell reads what follows")
    if len(words) < 2:
        return _shell_state(words, state, "tells every variable")
    return BuiltinOutcome(READ_ONLY, state, state)


def _shopt(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    options = [word.value if word.is_known else "" for word in words[1:]]
    if len(options) < 2 or options[0] not in {"-s", "-u"} or not _SHOPT.issuperset(options[1:]):
        return _shell_state(words, state, "changes how the shell reads what follows")
    return BuiltinOutcome(READ_ONLY, state, state)


def _declare(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    """Judge `export`, `declare` and `local`: harmless where each name is the script's own, or safe to hand on."""
    name = words[0].value
    after = state
    for word in words[1:]:
        found = _ASSIGNED.match(word.value)
        is_named = found is not None and word.raw.startswith(f"{found[1]}=") and word.known.startswith(f"{found[1]}=")
        text = found[2] if found is not None and word.is_known else None
        is_own = name != "export" and found is not None and is_free_name(found[1])
        if found is None or not is_named or not (is_own or is_harmless_setting(found[1], text)):
            return BuiltinOutcome(
                _refused("assignment", f"`{name}` sets variables that programs or the shell obey"),
                _lost(state),
                _lost(state),
            )
        # Outside a function `local` fails, and sets nothing.
        after = after.having(
            found[1], frozenset({Atom("text", text)}) if text is not None and name != "local" else None
        )
    if len(words) < 2:
        return _shell_state(words, state, "tells every variable")
    return BuiltinOutcome(READ_ONLY, after, after)


def _unset(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    after = state
    for word in words[1:]:
        if word.is_known and word.value == "-v":
            continue
        if not word.is_known or not _NAME.fullmatch(word.value) or not is_free_name(word.value):
            return BuiltinOutcome(_refused("assignment", f"it unsets `{word.raw}`"), _lost(state), _lost(state))
        after = after.having(word.value, None)
    return BuiltinOutcome(READ_ONLY, after, after)


def _read(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:
    """Judge `read`: its variables become what the input holds."""
    rest, is_raw, is_whole = list(words[1:]), False, False
    while rest and rest[0].is_known and rest[0].value.startswith("-") and rest[0].value != "-":
        option = rest.pop(0).value
        if option == "--":
            break
        if re.fullmatch(r"-[rse]+", option):
            is_raw = is_raw or "r" in option
        elif match := re.fullmatch(r"-[rs]*([dntNpa])(.*)", option, re.DOTALL):
            is_raw = is_raw or "r" in option.partition(match[1])[0]
            value = match[2]
            if not value:
                following = rest.pop(0) if rest else None
                if following is None or following.may_split or (match[1] != "p" and not following.is_known):
                    return _read_refused(state)
                value = following.value
            if match[1] == "a":
                if not _NAME.fullmatch(value) or not is_free_name(value):
                    return _read_refused(state)
                state, names = state.having(value, None), ""
                continue
            if match[1] in "ntN" and not re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", value):
                return _read_refused(state)
            is_whole = is_whole or (match[1] == "d" and not value)
            names = names if match[1] == "p" or (match[1] == "d" and not value) else ""
        else:
            return _read_refused(state)
    targets = [word.value if word.is_known else "" for word in rest]
    if not all(_NAME.fullmatch(name) and (name == "REPLY" or is_free_name(name)) for name in targets):
        return _read_refused(state)
    value_of: Value | None = (
        frozenset({named(names, is_whole=is_whole)}) if names and is_raw and len(targets) == 1 else None
    )
    after = state
    for name in targets or ["REPLY"]:
        after = after.having(name, value_of)
    return BuiltinOutcome(READ_ONLY, after, after)


def _read_refused(state: State) -> BuiltinOutcome:
    return BuiltinOutcome(
        _refused("assignment", "it sets a variable in a way that is not understood"), _lost(state), _lost(state)
    )


def _mapfile(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:  # noqa: ARG001
    rest = list(words[1:])
    while rest and rest[0].is_known and rest[0].value == "-t":
        rest.pop(0)
    if len(rest) != 1 or not rest[0].is_known or not _NAME.fullmatch(rest[0].value) or not is_free_name(rest[0].value):
        return _read_refused(state)
    after = state.having(rest[0].value, None)
    return BuiltinOutcome(READ_ONLY, after, after)


def _printf(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome | None:  # noqa: ARG001
    """Judge what `printf` sets: with `-v`, or with `%n` in older shells. What it prints is for the table of programs."""
    rest = list(words[1:])
    ended = bool(rest) and rest[0].is_known and rest[0].value == "--"
    if ended:
        rest.pop(0)
    if not rest:
        return None
    first = rest[0]
    is_option = not ended and (first.known.startswith("-") if first.known else not first.is_known)
    if is_option or (len(rest) > 1 and (not first.is_known or _PRINTED.search(first.value))):
        return BuiltinOutcome(_refused("assignment", "`printf` may set a variable"), _lost(state), _lost(state))
    return None


def _readonly(words: Sequence[Word], state: State, names: str) -> BuiltinOutcome:
    """Judge `readonly`: what is set here can be set no more, so that whatever sets a variable later may fail."""
    outcome = _declare(words, state, names)
    if outcome.judgement.kind != "read_only":
        return outcome
    return BuiltinOutcome(outcome.judgement, state.forgetting(), state.forgetting())


BUILTINS: Final[dict[str, Callable[[Sequence[Word], State, str], BuiltinOutcome | None]]] = {
    "cd": _cd, "exit": _exit, "break": _leave, "continue": _leave, ":": _nothing, "true": _nothing, "false": _nothing,
    "return": _return, "shift": _return, "wait": _wait, "test": _test, "[": _test, "set": _set, "shopt": _shopt,
    "export": _declare, "declare": _declare, "typeset": _declare, "local": _declare, "readonly": _readonly,
    "unset": _unset, "read": _read, "mapfile": _mapfile, "readarray": _mapfile, "printf": _printf,
}  # fmt: skip
