"""Where a conversation stands in its scenario, and which reply comes next. Read off the conversation alone.

The ids of tool uses carry their labels, so a server that was started anew takes a resumed conversation up where it stood, and
a request that is repeated gets the same reply. Only replies without tools leave no trace in a conversation; for those the
script remembers which messages it answered with what.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tui_agent.model.demo.scenario import Scenario, ScriptedAnswer, ScriptedBlock, ScriptedReply, When
from tui_agent.model.demo.scenario_file import list_scenarios

__all__ = ["ScenarioScript", "new_tool_use_id"]

_REFUSED: Final = re.compile(
    r"(?i)\b(refus|reject|declin|denied|deny|doesn't want|does not want|not allowed|needs the user's approval)"
)
# Results after which nothing goes on until the user speaks.
_ENDED: Final = re.compile(r"(?i)user (refused|interrupted|stopped)|cancelled|never answered|turn ended")
_INTRODUCTION: Final = """\
I am a scripted model: I run on your machine, without a key and without a network, and can only play what was written for me. \
The tools, the files and the questions you are asked are real."""
_ASIDE: Final = "I am a scripted model and cannot read, so this is no answer."
_ASIDE_CHARS: Final = 300
_DOCUMENT: Final = re.compile(r"<document [^>]*>\n(.*?)\n</document", re.DOTALL)
_REMINDER: Final = re.compile(r"<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


def new_tool_use_id(label: str) -> str:
    """Return a fresh id that names its block."""
    return f"toolu_{label}_{secrets.token_hex(6)}"


def _label_of(tool_use_id: str) -> str:
    return tool_use_id.removeprefix("toolu_").rpartition("_")[0]


@dataclass(frozen=True, slots=True)
class _Result:
    text: str
    is_error: bool

    @property
    def is_refused(self) -> bool:
        return self.is_error and _REFUSED.search(self.text) is not None


class ScenarioScript:
    """A scenario being played. `variables` override the scenario's own in its templates."""

    def __init__(self, scenario: Scenario, variables: Mapping[str, str] | None = None) -> None:
        self.scenario = scenario
        self._variables = {**scenario.variables, **(variables or {})}
        self._by_name = {reply.name: number for number, reply in enumerate(scenario.replies)}
        self._by_label: dict[str, int] = {}
        for number, reply in enumerate(scenario.replies):
            for block in reply.blocks:
                if block.kind == "tool":
                    self._by_label.setdefault(block.label, number)
        self._given: dict[str, int] = {}
        self._answered: set[int] = set()  # how many messages the conversations in `_given` have

    def next_reply(self, messages: Sequence[Mapping[str, Any]]) -> tuple[ScriptedReply, dict[str, Any]]:
        """Return the reply to this conversation, and the values for its templates."""
        results = _results(messages)
        said = _said(messages[-1])
        values = {
            **self._variables,
            "said": said,
            "results": {label: result.text for label, result in results.items()},
        }
        number = self._choose(messages, results, said)
        if number is None:
            return self._fallback(), values
        self._given[_digest(messages)] = number
        self._answered.add(len(messages))
        return self.scenario.replies[number], values

    def answer_aside(self, messages: Sequence[Mapping[str, Any]]) -> tuple[ScriptedReply, dict[str, Any]]:
        """Return the answer to a question about a text, which leaves the script where it stands: how the text begins."""
        found = _DOCUMENT.search(_said(messages[-1]))
        beginning = " ".join(found[1].split())[:_ASIDE_CHARS] if found else ""
        text = f"{_ASIDE} It begins: “{beginning}”" if beginning else _ASIDE
        return ScriptedReply(name="aside", blocks=(ScriptedBlock(kind="text", text="{{aside}}"),)), {"aside": text}

    def _choose(self, messages: Sequence[Mapping[str, Any]], results: Mapping[str, _Result], said: str) -> int | None:
        position = self._position(messages)
        if said and self.scenario.answers and not _has_open_results(messages[-1]):
            stood_at = "" if position is None else self.scenario.replies[position].name
            chosen = next((answer for answer in self.scenario.answers if _leads(answer, said, stood_at)), None)
            return None if chosen is None else self._by_name[chosen.goto]
        if position is None:
            start = 0
        elif goto := self.scenario.replies[position].next:
            start = self._by_name[goto]
        else:
            start = position + 1
        following = range(start, len(self.scenario.replies))
        return next((n for n in following if _holds(self.scenario.replies[n].when, results)), None)

    def _position(self, messages: Sequence[Mapping[str, Any]]) -> int | None:
        """Return which reply was given last: the one to the longest known beginning of the conversation, else by its ids."""
        for end in range(len(messages), 0, -1):
            *before, last = messages[:end]
            blocks = _blocks(last)
            for block in blocks:
                if (
                    block.get("type") == "tool_use"
                    and (number := self._by_label.get(_label_of(str(block["id"])))) is not None
                ):
                    return number
            if last["role"] != "user" or end not in self._answered:
                continue
            # Of a reply that left nothing behind, the message it answered has grown by what was said since.
            for size in range(len(blocks) - (end == len(messages)), 0, -1):
                beginning = [*before, {"role": "user", "content": blocks[:size]}]
                if (number := self._given.get(_digest(beginning))) is not None:
                    return number
        return None

    def _fallback(self) -> ScriptedReply:
        """Say what can be had: this model has only its script."""
        lines = [_INTRODUCTION, ""]
        if self.scenario.prompt:
            lines += [f"In this session, try: **{self.scenario.prompt}**", ""]
        lines += ["Scenarios that `tui-agent --demo NAME` can show:", ""]
        lines += [f"- `{scenario.name}`: {scenario.about or scenario.title}" for scenario in list_scenarios()]
        return ScriptedReply(name="help", blocks=(ScriptedBlock(kind="text", text="\n".join(lines)),))


def _leads(answer: ScriptedAnswer, said: str, stood_at: str) -> bool:
    return answer.said.search(said) is not None and (not answer.after or stood_at in answer.after)


def _holds(when: When, results: Mapping[str, _Result]) -> bool:
    if when.ok and (when.ok not in results or results[when.ok].is_error):
        return False
    if when.failed and (when.failed not in results or not results[when.failed].is_error):
        return False
    if when.refused and (when.refused not in results or not results[when.refused].is_refused):
        return False
    return all(
        label in results and pattern.search(results[label].text) is not None for label, pattern in when.result.items()
    )


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _results(messages: Sequence[Mapping[str, Any]]) -> dict[str, _Result]:
    """Return the newest result for each label."""
    found: dict[str, _Result] = {}
    for message in messages:
        for block in _blocks(message):
            if block.get("type") == "tool_result":
                content = block.get("content", "")
                if not isinstance(content, str):
                    content = "\n".join(str(part.get("text", "")) for part in content)
                found[_label_of(str(block["tool_use_id"]))] = _Result(content, bool(block.get("is_error")))
    return found


def _said(message: Mapping[str, Any]) -> str:
    """Return what the user wrote in this message, without what the program added for the model."""
    texts = [str(block.get("text", "")) for block in _blocks(message) if block.get("type") == "text"]
    return "\n".join(filter(None, (_REMINDER.sub("", text).strip() for text in texts)))


def _has_open_results(message: Mapping[str, Any]) -> bool:
    """Whether the message brings results that the script should go on with: text beside them was queued meanwhile."""
    return any(
        not (block.get("is_error") and _ENDED.search(json.dumps(block.get("content", ""))))
        for block in _blocks(message)
        if block.get("type") == "tool_result"
    )


def _digest(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return a fingerprint of a conversation, whatever its cache marks (they move with every request)."""

    def strip(value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, Mapping):
            return {key: strip(item) for key, item in value.items() if key != "cache_control"}
        return [strip(item) for item in value] if isinstance(value, list) else value

    plain = [{"role": message["role"], "content": strip(_blocks(message))} for message in messages]
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
