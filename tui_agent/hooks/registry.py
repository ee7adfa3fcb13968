"""The hooks that the settings name: each handler checked for itself, so that a bad one costs nothing but itself."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, Literal

from tui_agent.hooks.catalog import EVENTS, HookEvent, HookType
from tui_agent.hooks.matchers import EVERYTHING, BadMatcherError, HookMatcher, parse_matcher
from tui_agent.settings.load import HookEntry, SourceKind
from tui_agent.text import clean_line

__all__ = ["Handler", "HookProblem", "HookRegistry"]

_PROMPT_TIMEOUT_S: Final = 30.0
_SHOWN_CHARS: Final = 60
_LATER_TYPES: Final = frozenset({"mcp_tool", "agent"})
_SHELLS: Final = ("sh", "bash", "powershell")
_PROGRAMS: Final = frozenset(
    {"sh", "bash", "zsh", "python", "python3", "node", "npx", "uv", "uvx", "deno", "bun", "env"}
)


class _BadHandlerError(ValueError):
    """The handler cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class HookProblem:
    """Something about a hook in a settings file that does not count: which file, which line, and why."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """One hook: when it is heard, and what is run, called or asked then.

    `timeout_s` is what its settings say, None where they say nothing. `rule` is the permission rule of its `if`. `why_not`
    says why it does not run, where it does not; `notes` what of its settings does not count. `plugin_root` is the folder of the
    plugin that it comes with; `is_once` is that it runs once in a session.
    """

    event: str
    matcher: HookMatcher
    type: HookType
    kind: SourceKind
    file: str
    line: int
    command: str = ""
    args: tuple[str, ...] | None = None
    shell: Literal["sh", "bash", "powershell"] = "sh"
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    allowed_env_vars: frozenset[str] = frozenset()
    prompt: str = ""
    rule: str = ""
    timeout_s: float | None = None
    status_message: str = ""
    is_async: bool = False
    wakes: bool = False
    blocks_on_failure: bool = False
    goes_on_after_block: bool = False
    why_not: str = ""
    notes: tuple[str, ...] = ()
    plugin_root: str = ""
    is_once: bool = False

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes two handlers the same: what they do, wherever they stand."""
        does = self.command, self.args, self.shell, self.url, self.headers, self.prompt
        return self.type, *does, self.is_async, self.plugin_root

    @property
    def id(self) -> str:
        """What events call it: the same for as long as it stands where it does."""
        digest = hashlib.sha256(repr((self.identity, self.matcher.text, self.rule)).encode()).hexdigest()[:8]
        return f"{self.event}:{self.file}:{self.line}:{digest}"

    @property
    def what(self) -> str:
        """The command, address or question, as it was written."""
        return self.url or self.prompt or " ".join((self.command, *(self.args or ())))

    @property
    def name(self) -> str:
        """A few words that a user knows it by: the script's name, the address, the question."""
        words = [word.strip("\"'") for word in self.what.split()]
        if self.type == "command":
            scripts = [word for word in words if PurePath(word).name not in _PROGRAMS and not word.startswith("-")]
            if scripts and "/" in scripts[0]:
                return clean_line(PurePath(scripts[0]).name, _SHOWN_CHARS)
        return clean_line(self.what, _SHOWN_CHARS)

    @property
    def limit_s(self) -> float:
        """How many seconds it may take."""
        if self.timeout_s is not None:
            return self.timeout_s
        return _PROMPT_TIMEOUT_S if self.type == "prompt" else EVENTS[self.event].timeout_s


@dataclass(frozen=True, slots=True)
class HookRegistry:
    """All hooks, in the settings' order: those that run, and those that are only listed."""

    handlers: tuple[Handler, ...] = ()
    problems: tuple[HookProblem, ...] = ()

    @classmethod
    def read(
        cls, entries: Iterable[HookEntry], *, rule_problem: Callable[[str], str] = lambda _rule: ""
    ) -> HookRegistry:
        """Read hooks one by one; one that cannot be used becomes a problem.

        Args:
            entries: the handlers as written.
            rule_problem: says what is wrong with the permission rule of an `if`, empty where nothing is.
        """
        handlers: list[Handler] = []
        problems: list[HookProblem] = []
        for entry in entries:
            why_not = (entry.reason or "the folder is not trusted") if entry.is_held_back else ""
            try:
                handlers.append(_read(entry, why_not, rule_problem))
            except (_BadHandlerError, BadMatcherError) as error:
                what = f"a hook for {clean_line(entry.event, _SHOWN_CHARS)}"
                problems.append(HookProblem(entry.file, entry.line, f"{what} is ignored: {error}"))
        return cls(tuple(handlers), tuple(problems))

    def listening(self, event: str) -> tuple[Handler, ...]:
        """Return the handlers that run at this event, whatever their matchers say."""
        return tuple(handler for handler in self.handlers if handler.event == event and not handler.why_not)


def _read(entry: HookEntry, why_not: str, rule_problem: Callable[[str], str]) -> Handler:
    event = EVENTS.get(entry.event)
    if event is None:
        raise _BadHandlerError("there is no event of this name")
    fields = _Fields(entry.handler)
    kind = fields.text("type", is_needed=True)
    if kind in _LATER_TYPES:
        raise _BadHandlerError(f"hooks of type `{kind}` are not supported yet")
    type_: HookType
    match kind:
        case "command" | "http" | "prompt":
            type_ = kind
        case _:
            raise _BadHandlerError(f"`type` must be command, http or prompt, not `{clean_line(kind, 30)}`")
    if type_ not in event.types:
        raise _BadHandlerError(f"a hook of type `{type_}` cannot be heard at this event")
    rule = fields.text("if")
    if rule and (problem := rule_problem(rule)):
        raise _BadHandlerError(f"its `if`: {problem}")
    if not event.is_heard:
        why_not = why_not or "this event does not happen here yet"
    elif rule and not event.is_about_tool:
        why_not = why_not or "it has an `if`, which is about tools"
    try:
        matcher = EVERYTHING
        if event.matcher != "none":
            matcher = parse_matcher(entry.matcher, is_exact=event.matcher == "names")
    except BadMatcherError as error:
        raise _BadHandlerError(f"its matcher `{clean_line(entry.matcher, 40)}`: {error}") from None
    return Handler(
        event=entry.event,
        matcher=matcher,
        type=type_,
        kind=entry.kind,
        file=entry.file,
        line=entry.line,
        rule=rule,
        timeout_s=fields.seconds("timeout"),
        status_message=fields.text("statusMessage"),
        why_not=why_not,
        notes=tuple(_notes(fields, event, type_, is_of_skill=entry.is_of_skill)),
        plugin_root=entry.plugin_root,
        is_once=entry.is_of_skill and fields.switch("once"),
        **_own_fields(fields, event, type_),
    )


def _own_fields(fields: _Fields, event: HookEvent, type_: HookType) -> dict[str, Any]:
    """Return what belongs to this type of hook alone."""
    own: dict[str, Any] = {}
    match type_:
        case "command":
            shell = fields.text("shell") or "sh"
            if shell not in _SHELLS:
                raise _BadHandlerError(f"`shell` must be bash or powershell, not `{clean_line(shell, 30)}`")
            own = {
                "command": fields.text("command", is_needed=True),
                "args": fields.texts("args"),
                "shell": shell,
                "wakes": fields.switch("asyncRewake"),
                "is_async": fields.switch("async") or fields.switch("asyncRewake"),
            }
        case "http":
            url = fields.text("url", is_needed=True)
            if not url.lower().startswith(("http://", "https://")):
                raise _BadHandlerError("`url` must be an http or https address")
            own = {
                "url": url,
                "headers": fields.pairs("headers"),
                "allowed_env_vars": frozenset(fields.texts("allowedEnvVars") or ()),
            }
        case "prompt":
            own = {
                "prompt": fields.text("prompt", is_needed=True),
                "goes_on_after_block": fields.switch("continueOnBlock"),
            }
    if type_ != "prompt":
        on_failure = fields.text("onFailure") or "continue"
        if on_failure not in {"continue", "block"}:
            raise _BadHandlerError(f"`onFailure` must be continue or block, not `{clean_line(on_failure, 30)}`")
        own["blocks_on_failure"] = on_failure == "block" and event.may_block_on_failure and not own.get("is_async")
    return own


def _notes(fields: _Fields, event: HookEvent, type_: HookType, *, is_of_skill: bool) -> Iterable[str]:
    if fields.switch("once") and not is_of_skill:
        yield "`once` counts for hooks of skills only"
    if type_ == "prompt" and fields.text("model"):
        yield "`model` does not count: the small model is asked"
    if fields.text("onFailure") == "block" and not event.may_block_on_failure:
        yield "`onFailure` cannot block at this event"
    if fields.switch("async") and type_ != "command":
        yield "`async` counts for commands only"


class _Fields:
    """A handler's fields, each taken as what it has to be."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def text(self, name: str, *, is_needed: bool = False) -> str:
        value = self._values.get(name)
        if value is None:
            value = ""
        if not isinstance(value, str):
            raise _BadHandlerError(f"`{name}` must be text")
        if "\0" in value:
            raise _BadHandlerError(f"`{name}` holds a NUL character")
        if is_needed and not value.strip():
            raise _BadHandlerError(f"`{name}` is missing")
        return value

    def texts(self, name: str) -> tuple[str, ...] | None:
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) and "\0" not in item for item in value):
            raise _BadHandlerError(f"`{name}` must be a list of texts")
        return tuple(value)

    def pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        value = self._values.get(name)
        if value is None:
            return ()
        if not isinstance(value, Mapping) or not all(isinstance(item, str) for item in value.values()):
            raise _BadHandlerError(f"`{name}` must be an object of texts")
        return tuple((str(key), item) for key, item in value.items())

    def switch(self, name: str) -> bool:
        value = self._values.get(name, False)
        if not isinstance(value, bool):
            raise _BadHandlerError(f"`{name}` must be true or false")
        return value

    def seconds(self, name: str) -> float | None:
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise _BadHandlerError(f"`{name}` must be a number of seconds above 0")
        return float(value)
