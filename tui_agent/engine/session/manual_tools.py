"""Tools run by the user: `/tool NAME --field=value …`, through the same stages as a model's use, without the model.

The line is read as typed shell words, in which `$R3` is the data of the third result of the conversation, `$R` that of the
last, and `$R3.field` or `$R3.list.0` a part of it. Fields are those of the tool's schema; what is not text there is read as
JSON.
"""

from __future__ import annotations

import difflib
import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from tui_agent.bus import Bus
from tui_agent.context_marks import framed
from tui_agent.events import (
    Event,
    HistoryCleared,
    ToolResultReady,
    ToolStateChanged,
    ToolUseCompleted,
    ToolUseStarted,
    TurnFinished,
    TurnOutcome,
    TurnStarted,
)
from tui_agent.execution.available_tools import AvailableTools
from tui_agent.execution.execution_context import ExecutionContext, ToolOutcome
from tui_agent.execution.executor import StreamingExecutor
from tui_agent.execution.resolution import NamedTool, find_tool, resolve_use
from tui_agent.shell_args import MissingPartError, Operator, WordsError, split_words, variables
from tui_agent.text import clean_line
from tui_agent.tools.base import Tool
from tui_agent.tools.file_state import FileState
from tui_agent.tools.inputs.schema import api_schema

__all__ = ["ManualToolCall", "ManualToolError", "ManualToolRunner", "ManualToolTurn", "Results", "read_call"]

_USAGE: Final = "Write /tool NAME --field=value …"
_SHOWN_INPUT: Final = 500


class ManualToolError(ValueError):
    """The line cannot be run; the text says what is wrong, and names what there is."""


@dataclass(frozen=True, slots=True)
class ManualToolCall:
    """What a line asks for: the tool that it names, and the input."""

    named: NamedTool
    input: dict[str, Any]


class Results:
    """The data of a conversation's results, numbered from 1 in the order in which their tool uses stand on the screen.

    What a tool use does inside another one has no number, and neither has what another agent does.
    """

    KINDS: ClassVar = (ToolUseStarted, ToolResultReady, ToolStateChanged, HistoryCleared)  # that it follows

    def __init__(self) -> None:
        self._results: list[tuple[str, Any]] = []
        self._ready: dict[str, tuple[str, Any]] = {}
        self._inner: set[str] = set()

    def follow(self, event: Event) -> None:
        """Take in an event."""
        if event.agent_id:
            return
        match event:
            case ToolUseStarted(tool_use_id=use) if event.parent_tool_use_id is not None:
                self._inner.add(use)
            case ToolResultReady(tool_use_id=use):
                self._ready[use] = (event.name, event.data)
            case ToolStateChanged(tool_use_id=use, to_state="yielded") if use in self._ready:
                result = self._ready.pop(use)
                if use not in self._inner:
                    self._results.append(result)
            case HistoryCleared():
                self.clear()
            case _:
                pass

    def clear(self) -> None:
        """Forget all: a new conversation begins."""
        self._results.clear()
        self._ready.clear()
        self._inner.clear()

    def env(self) -> dict[str, object]:
        """Return the variables of a line."""
        env: dict[str, object] = {f"R{number}": data for number, (_, data) in enumerate(self._results, 1)}
        if self._results:
            env["R"] = self._results[-1][1]
        return env

    def words(self) -> str:
        """Say which results there are."""
        if not self._results:
            return "There is no result yet."
        last = [f"$R{number} {name}" for number, (name, _) in enumerate(self._results, 1)][-5:]
        return f"The last results: {', '.join(last)}; $R is the last of them."


def read_call(line: str, pool: AvailableTools, results: Results) -> ManualToolCall:
    """Read what follows `/tool`.

    Raises:
        ManualToolError: it makes no sense.
    """
    name, *rest = _words(line, results) or [None]
    if name is None:
        raise ManualToolError(f"{_USAGE} There are {', '.join(pool.names)}. {results.words()}")
    named = find_tool(pool, name) if isinstance(name, str) else None
    if named is None or named.tool is None:
        near = pool.nearest(name) if isinstance(name, str) else []
        hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(pool.names)}."
        raise ManualToolError(f"There is no tool {clean_line(str(name), 60)}. {hint}")
    is_alias = named.written in named.tool.aliases
    return ManualToolCall(named, _Fields(named.tool, is_alias=is_alias).read(rest))


def _words(line: str, results: Results) -> list[object]:
    env = results.env()
    try:
        if unknown := [name for name in variables(line) if name not in env]:
            text = f"There is no ${unknown[0]}. {results.words()} A dollar that is meant as one goes in single quotes."
            raise ManualToolError(text)
        words = split_words(line, env)
    except MissingPartError as error:
        raise ManualToolError(
            f"{clean_line(str(error), 300)}. A dot or bracket that is text goes in quotes."
        ) from error
    except WordsError as error:
        raise ManualToolError(f"The line is not whole: {error}.") from error
    if operator := next((word for word in words if isinstance(word, Operator)), None):
        raise ManualToolError(f"`{operator.text}` means nothing here; put it in quotes if it belongs to a value.")
    return words


class _Fields:
    """The fields of one tool, and how words become their values. Under an alias, any field name is accepted."""

    def __init__(self, tool: Tool[Any, Any, Any], *, is_alias: bool) -> None:
        schema = api_schema(tool)
        self._tool = tool
        self._known: dict[str, Any] = schema.get("properties", {})
        self._is_open = is_alias or schema.get("additionalProperties", True) is not False

    def read(self, words: Sequence[object]) -> dict[str, Any]:
        """Return the input.

        Raises:
            ManualToolError: a word is no field, or a field has no value.
        """
        given: dict[str, list[object]] = {}
        for name, value in self._pairs(words):
            given.setdefault(name, []).append(value)
        return {name: self._joined(name, values) for name, values in given.items()}

    def _pairs(self, words: Sequence[object]) -> Iterator[tuple[str, object]]:
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if not isinstance(word, str) or not word.startswith("-"):
                raise ManualToolError(f"{_shown(word)} belongs to no field: write --field=value. {self._names()}")
            label, has_value, text = word.partition("=")
            name = self._name(label)
            following = words[at] if at < len(words) else "--"
            # An object has lost its `=` on the way; text after a blank may be the value, but not of a flag.
            is_next = not isinstance(following, str) or not (following.startswith("--") or self._is_flag(name))
            if has_value:
                yield name, self._value(self._known.get(name, {}), text)
            elif is_next:
                at += 1
                yield name, self._value(self._known.get(name, {}), following)
            elif self._is_flag(name):
                yield name, True
            else:
                raise ManualToolError(f"--{name.lstrip('-')} has no value: write {label}=value.")

    def _name(self, label: str) -> str:
        """Return the field that a label means: `--file-path` as well as `--file_path`; some names begin with a dash."""
        bare = label.removeprefix("--") if label.startswith("--") else label
        for name in (bare, bare.replace("-", "_"), label):
            if name in self._known:
                return name
        if self._is_open and bare:
            return bare
        near = difflib.get_close_matches(bare.replace("-", "_"), self._known, n=1)
        hint = f"Did you mean --{near[0]}? " if near else ""
        raise ManualToolError(f"{self._tool.name} has no field {clean_line(label, 60)}. {hint}{self._names()}")

    def _names(self) -> str:
        if not self._known:
            return f"{self._tool.name} has no fields."
        labels = (name if name.startswith("-") else f"--{name}" for name in self._known)
        return f"{self._tool.name} has {', '.join(labels)}."

    def _is_flag(self, name: str) -> bool:
        return bool(self._known.get(name, {}).get("type") == "boolean")

    def _value(self, schema: Mapping[str, Any], word: object) -> object:
        """Return a word as the schema wants it: text where it takes text, else JSON where it is some."""
        if not isinstance(word, str) or _takes_text(schema):
            return word
        try:
            value: object = json.loads(word)
        except (ValueError, RecursionError):
            return self._value(schema.get("items", {"type": "string"}), word) if schema.get("type") == "array" else word
        if schema.get("type") == "array" and not isinstance(value, list) and _takes_text(schema.get("items", {})):
            return word
        return value

    def _joined(self, name: str, values: list[object]) -> object:
        """Return the one value of a field: several are a list, and so is one where a list is wanted."""
        if len(values) > 1:
            return values
        is_list = self._known.get(name, {}).get("type") == "array"
        return values if is_list and not isinstance(values[0], list) else values[0]


def _takes_text(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        return True
    if "enum" in schema:
        return all(isinstance(value, str) for value in schema["enum"])
    return any(_takes_text(choice) for choice in schema.get("anyOf", ()))


def _shown(word: object) -> str:
    return f"`{clean_line(word, 60)}`" if isinstance(word, str) else "A value"


class ManualToolTurn:
    """One tool use of the user's, as a turn of its own: `interrupt` ends it, and it publishes the same events."""

    detail: ClassVar[str] = "Run by you: the model does not see the result."
    is_for_model: ClassVar[bool] = False  # whether `news` is the result itself

    def __init__(self, call: ManualToolCall, execution_context: ExecutionContext) -> None:
        self.id: Final = f"turn_{uuid.uuid4().hex[:12]}"
        self.call = call
        self._use_id = f"toolu_{uuid.uuid4().hex[:24]}"
        self._publish = execution_context.publish
        self._executor = StreamingExecutor(execution_context)
        self.is_interrupted = False

    def interrupt(self) -> None:
        """End it early."""
        self.is_interrupted = True
        self._executor.interrupt()

    def stop_tool(self, tool_use_id: str) -> None:
        """Stop the tool."""
        self._executor.stop(tool_use_id)

    async def run(self) -> ToolOutcome:
        """Run the tool to its end and return its one result."""
        began = time.monotonic()
        ended: TurnOutcome = "interrupted"
        self._publish(TurnStarted(turn_id=self.id))
        try:
            use = resolve_use(self.call.named, self.call.input)
            self._publish(ToolUseStarted(tool_use_id=self._use_id, name=use.name, turn_id=self.id, by="person"))
            self._publish(ToolUseCompleted(tool_use_id=self._use_id, name=use.name, input=use.raw))
            async with self._executor as executor:
                executor.add_resolved(self._use_id, use)
                executor.close()
                (outcome,) = [outcome async for outcome in executor.results()]
            if not self.is_interrupted:
                ended = "declined" if outcome.ends_turn else "done"
            return outcome
        finally:
            elapsed = (time.monotonic() - began) * 1000
            self._publish(TurnFinished(turn_id=self.id, outcome=ended, detail=self.detail, duration_ms=elapsed))

    def news(self, outcome: ToolOutcome) -> str:
        """Return a line for the model on what this may have changed; empty where it only looked."""
        use = outcome.use
        if use is None or use.tool is None or use.input is None:
            return ""
        if outcome.error_kind in ("unknown_tool", "invalid_input", "validation", "denied", "hook"):
            return ""
        try:
            if use.tool.is_read_only(use.input):
                return ""
        except Exception:  # noqa: BLE001, S110 - a predicate that fails counts as the unsafe answer
            pass
        ended = "failed" if outcome.is_error else "done"
        shown = clean_line(json.dumps(use.raw, ensure_ascii=False, default=str), _SHOWN_INPUT)
        return f"- {outcome.name} {shown} ({ended})"


class ManualToolRunner:
    """What a session keeps for tools that are run by hand: results by number, and what was read and changed that way.

    The results follow `bus`.

    What the user reads by hand the model has not seen, so it counts for tools by hand alone; and what they change by hand
    is, to the model's own tools, changed on disk.
    """

    def __init__(self, bus: Bus) -> None:
        self._results = Results()
        bus.follow("the numbered results", Results.KINDS, self._results.follow)
        self._files = FileState()
        self._news: list[str] = []
        self._told: list[str] = []

    def recall(self, events: Iterable[Event]) -> None:
        """Take in the results of a recorded conversation."""
        for event in events:
            self._results.follow(event)

    def turn(self, line: str, execution_context: ExecutionContext, pool: AvailableTools) -> ManualToolTurn:
        """Return the turn that a line asks for. `pool` holds all tools: naming a deferred one tells the model nothing.

        Raises:
            ManualToolError: the line makes no sense.
        """
        return ManualToolTurn(read_call(line, pool, self._results), self.own(replace(execution_context, pool=pool)))

    def own(self, execution_context: ExecutionContext) -> ExecutionContext:
        """Return an execution context for what the user does: it knows what they have read, and nothing of the conversation."""
        return replace(
            execution_context, files=self._files, services=replace(execution_context.services, conversation=None)
        )

    def note(self, turn: ManualToolTurn, outcome: ToolOutcome) -> None:
        """Remember what the model has to be told of a turn that has ended."""
        if news := turn.news(outcome):
            (self._told if turn.is_for_model else self._news).append(news)

    def take_news(self) -> str:
        """Return, once, the reminder that tells the model what the user did; empty where there is nothing to tell."""
        lines, self._news = self._news, []
        told, self._told = self._told, []
        if not lines:
            return "\n\n".join(told)
        head = "The user ran these tools. You do not see their results; files may have changed since you read them."
        return "\n".join([framed("\n".join([head, *lines])), *told])

    def clear(self) -> None:
        """Forget all: a new conversation begins."""
        self._results.clear()
        self._files.clear()
        self._news.clear()
        self._told.clear()
