r"""Scenario files: what the scripted model says, step by step, and how it misbehaves.

A scenario is a TOML file. It holds replies in order; the server gives the first reply, and after each reply's tool results
the next one whose conditions hold:

    title = "Fix a bug"
    about = "…one sentence for the list…"
    prompt = "…what a user might say to start it…"
    project = "shop"                      # the sample project it works on
    pace = { delta_bytes = 20, delay_ms = 15 }

    [[answer]]                            # what free text leads to; the first that matches
    said = '(?i)refund|fix'               # without any [[answer]], free text leads to the next reply
    after = ["edit"]                      # only when the script stands at one of these replies
    goto = "look"

    [[reply]]
    name = "edit"
    when = { ok = "tests" }               # `ok`, `failed`, `refused`: a labelled result; `result = { label = 'regex' }`
    next = "retest"                       # go on there; without it, with the following reply
    faults = [{ kind = "status", status = 529, times = 2 }]

    [[reply.block]]
    thinking = "…"                        # or `text`, `tool` with `input`, or `markdown_bytes` (that much generated Markdown)
    pause_ms = 400                        # silence before the block

    [[reply.block]]
    tool = "Bash"
    label = "tests"                       # names its result: `{{ results.tests | match 'Ran (\d+)' }}`; the newest counts
    input = { command = "python3 -m unittest" }

Strings may hold templates (`template.py`); numbers may be given as a template over the scenario's variables.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from tui_agent.model.demo.scenario import (
    BlockKind,
    FaultKind,
    Pace,
    Scenario,
    ScenarioError,
    ScriptedAnswer,
    ScriptedBlock,
    ScriptedFault,
    ScriptedReply,
    When,
)
from tui_agent.model.demo.template import TemplateError, expand

__all__ = ["find_scenario", "list_scenarios", "load_scenario", "parse_scenario"]

FOLDER: Final = Path(__file__).parent / "scenarios"
_LABEL: Final = re.compile(r"[a-z0-9][a-z0-9-]*\Z")


def list_scenarios() -> list[Scenario]:
    """Return the scenarios that a demo can show, by name."""
    return [load_scenario(path) for path in sorted(FOLDER.glob("*.toml"))]


def find_scenario(name: str, variables: Mapping[str, str] | None = None) -> Scenario:
    """Return the shipped scenario of this name, or the one in the file of this path.

    Raises:
        ScenarioError: there is none; the text names those that exist.
    """
    path = FOLDER / f"{name}.toml"
    if not _LABEL.match(name) or not path.is_file():
        path = Path(name)
        if path.suffix != ".toml":
            known = ", ".join(sorted(entry.stem for entry in FOLDER.glob("*.toml")))
            raise ScenarioError(f"no scenario {name!r}; there are: {known}")
    return load_scenario(path, variables)


def load_scenario(path: Path, variables: Mapping[str, str] | None = None) -> Scenario:
    """Read a scenario file.

    Raises:
        ScenarioError: it cannot be read, is not TOML, or an entry makes no sense.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{path}: {error}") from error
    return parse_scenario(data, path.stem, variables, where=str(path))


def parse_scenario(
    data: Mapping[str, Any], name: str, variables: Mapping[str, str] | None = None, *, where: str = "scenario"
) -> Scenario:
    """Make a scenario of TOML data.

    Raises:
        ScenarioError: an entry makes no sense; the text says which.
    """
    values = {"cwd": ".", **_texts(data.get("variables", {}), where), **(variables or {})}
    table = _Table(data, where, values)
    replies = tuple(_reply(entry, number) for number, entry in enumerate(table.tables("reply"), 1))
    answers = tuple(_answer(entry) for entry in table.tables("answer"))
    scenario = Scenario(
        name=name,
        title=table.text("title", name),
        about=table.text("about"),
        prompt=table.text("prompt"),
        project=table.text("project"),
        replies=replies,
        answers=answers,
        pace=table.pace() or Pace(),
        variables=values,
    )
    table.skip("variables")
    table.finish()
    _check_names(scenario, where)
    return scenario


class _Table:
    """One TOML table being read: takes known keys out by type, and refuses what is left over."""

    def __init__(self, data: object, where: str, variables: Mapping[str, str]) -> None:
        if not isinstance(data, Mapping):
            raise ScenarioError(f"{where} must be a table")
        self.data = data
        self.where = where
        self.variables = variables
        self._seen: set[str] = set()

    def skip(self, key: str) -> None:
        self._seen.add(key)

    def has(self, key: str) -> bool:
        return key in self.data

    def text(self, key: str, default: str = "") -> str:
        value = self._take(key, default)
        if not isinstance(value, str):
            raise ScenarioError(f"{self.where}.{key} must be a string")
        return value

    def number(self, key: str, default: float = 0) -> float:
        value = self._take(key, default)
        if isinstance(value, str):
            try:
                value = float(expand(value, self.variables))
            except (TemplateError, ValueError) as error:
                raise ScenarioError(f"{self.where}.{key}: {error}") from error
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ScenarioError(f"{self.where}.{key} must be a number")
        return value

    def pattern(self, key: str) -> re.Pattern[str]:
        return _pattern(self.text(key), f"{self.where}.{key}")

    def patterns(self, key: str) -> dict[str, re.Pattern[str]]:
        value = self._take(key, {})
        if not isinstance(value, Mapping):
            raise ScenarioError(f"{self.where}.{key} must be a table")
        return {str(name): _pattern(item, f"{self.where}.{key}.{name}") for name, item in value.items()}

    def names(self, key: str) -> tuple[str, ...]:
        value = self._take(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ScenarioError(f"{self.where}.{key} must be a list of strings")
        return tuple(value)

    def mapping(self, key: str) -> Mapping[str, Any]:
        value = self._take(key, {})
        if not isinstance(value, Mapping):
            raise ScenarioError(f"{self.where}.{key} must be a table")
        return value

    def table(self, key: str) -> _Table | None:
        return _Table(self._take(key, None), f"{self.where}.{key}", self.variables) if self.has(key) else None

    def tables(self, key: str) -> list[_Table]:
        value = self._take(key, [])
        if not isinstance(value, list):
            raise ScenarioError(f"{self.where}.{key} must be a list of tables")
        return [_Table(entry, f"{self.where}: {key} {number}", self.variables) for number, entry in enumerate(value, 1)]

    def pace(self) -> Pace | None:
        entry = self.table("pace")
        if entry is None:
            return None
        pace = Pace(max(1, int(entry.number("delta_bytes", 20))), entry.number("delay_ms"))
        entry.finish()
        return pace

    def finish(self) -> None:
        """Refuse what nobody asked for: a misspelt key would otherwise be quietly without effect."""
        if unknown := sorted(set(self.data) - self._seen):
            raise ScenarioError(f"{self.where} has no {', '.join(unknown)}")

    def _take(self, key: str, default: object) -> Any:  # noqa: ANN401 - any TOML value
        self._seen.add(key)
        return self.data.get(key, default)


def _reply(entry: _Table, number: int) -> ScriptedReply:
    name = entry.text("name", f"reply-{number}")
    entry.where = f"{entry.where} ({name})"
    conditions = entry.table("when")
    when = When()
    if conditions is not None:
        when = When(
            ok=conditions.text("ok"),
            failed=conditions.text("failed"),
            refused=conditions.text("refused"),
            result=conditions.patterns("result"),
        )
        conditions.finish()
    reply = ScriptedReply(
        name=name,
        blocks=tuple(_block(block, f"{name}-{at}") for at, block in enumerate(entry.tables("block"), 1)),
        when=when,
        next=entry.text("next"),
        stop_reason=entry.text("stop_reason"),
        pace=entry.pace(),
        faults=tuple(_fault(fault) for fault in entry.tables("faults")),
    )
    entry.finish()
    if not reply.blocks and not reply.faults:
        raise ScenarioError(f"{entry.where} has no block")
    return reply


def _block(entry: _Table, label: str) -> ScriptedBlock:
    keys: dict[str, BlockKind] = {
        "text": "text",
        "thinking": "thinking",
        "tool": "tool",
        "markdown_bytes": "markdown",
    }
    kinds = [key for key in keys if entry.has(key)]
    if len(kinds) != 1:
        raise ScenarioError(f"{entry.where} needs exactly one of {', '.join(keys)}")
    block = ScriptedBlock(
        kind=keys[kinds[0]],
        text=(entry.text("text") or entry.text("thinking")).removesuffix("\n"),
        tool=entry.text("tool"),
        label=entry.text("label", label),
        use_id=entry.text("use_id") if entry.has("use_id") else None,
        input=entry.mapping("input"),
        raw_input=entry.text("raw_input") if entry.has("raw_input") else None,
        markdown_bytes=int(entry.number("markdown_bytes")),
        pause_ms=entry.number("pause_ms"),
        pace=entry.pace(),
        cut_after=int(entry.number("cut_after")) if entry.has("cut_after") else None,
    )
    entry.finish()
    if not _LABEL.match(block.label):
        raise ScenarioError(f"{entry.where}.label {block.label!r} must be lower-case letters, digits and dashes")
    return block


def _fault(entry: _Table) -> ScriptedFault:
    kind: FaultKind | None = next((known for known in get_args(FaultKind) if known == entry.text("kind")), None)
    if kind is None:
        raise ScenarioError(f"{entry.where}.kind must be one of {', '.join(get_args(FaultKind))}")
    fault = ScriptedFault(
        kind=kind,
        times=int(entry.number("times", 1)),
        status=int(entry.number("status", 529)),
        retry_after=entry.text("retry_after"),
        after_events=int(entry.number("after_events")),
        seconds=entry.number("seconds"),
        error=entry.text("error", "overloaded_error"),
        message=entry.text("message"),
    )
    entry.finish()
    return fault


def _answer(entry: _Table) -> ScriptedAnswer:
    answer = ScriptedAnswer(said=entry.pattern("said"), goto=entry.text("goto"), after=entry.names("after"))
    entry.finish()
    return answer


def _pattern(value: object, where: str) -> re.Pattern[str]:
    if not isinstance(value, str):
        raise ScenarioError(f"{where} must be a regular expression")
    try:
        return re.compile(value)
    except re.error as error:
        raise ScenarioError(f"{where} is not a regular expression: {error}") from error


def _texts(value: object, where: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ScenarioError(f"{where}.variables must be a table")
    return {str(key): str(item) for key, item in value.items()}


def _check_names(scenario: Scenario, where: str) -> None:
    """References lead somewhere, names are unique."""
    names = [reply.name for reply in scenario.replies]
    labels = [block.label for reply in scenario.replies for block in reply.blocks if block.kind == "tool"]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ScenarioError(f"{where}: two times the reply {', '.join(sorted(twice))}")
    for reply in scenario.replies:
        if reply.next and reply.next not in names:
            raise ScenarioError(f"{where}: reply {reply.name}: no reply {reply.next!r} to go on with")
        when = reply.when
        for label in filter(None, (when.ok, when.failed, when.refused, *when.result)):
            if label not in labels:
                raise ScenarioError(f"{where}: reply {reply.name}: no tool use is labelled {label!r}")
    for answer in scenario.answers:
        for name in (answer.goto, *answer.after):
            if name not in names:
                raise ScenarioError(f"{where}: an answer leads to or from {name!r}, which is no reply")
