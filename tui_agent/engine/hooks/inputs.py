"""What hooks are given: the fields that all events share, and tool calls as they know them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tui_agent.execution.errors import unwrap
from tui_agent.execution.results import text_of
from tui_agent.hooks.dispatch import HookedUse
from tui_agent.hooks.post_tool_use import HookedResult
from tui_agent.tools.workspace import Workspace

__all__ = ["HookInputs", "as_content", "by_file", "suggestions", "tool_names", "with_changes"]

_PATH_FIELDS: Final = ("file_path", "notebook_path", "path")
# Other names that hooks may know a tool by. Whoever guards edits means those of several files too.
_OTHER_NAMES: Final = {
    "Agent": ("Task",), "TaskStop": ("KillShell",), "TaskOutput": ("BashOutput",), "MultiEdit": ("Edit",),
}  # fmt: skip


def tool_names(name: str) -> tuple[str, ...]:
    """Return the names of a tool that matchers may name, its own first."""
    return (name, *_OTHER_NAMES.get(name, ()))


def by_file(use: HookedUse) -> list[HookedUse]:
    """Return a use as hooks hear of it: one that edits several files once for each, in the shape of one file's edits."""
    entries = use.input.get("edits")
    if use.name != "MultiEdit" or "file_path" in use.input or not isinstance(entries, list):
        return [use]
    if not all(isinstance(entry, dict) and isinstance(entry.get("file_path"), str) for entry in entries):
        return [use]
    return [replace(use, input=dict(entry)) for entry in entries] or [use]


def with_changes(use: HookedUse, changes: Sequence[dict[str, Any] | None]) -> dict[str, Any] | None:
    """Return the input that hooks want, given what they want for each part of `by_file`; None where they want nothing."""
    parts = by_file(use)
    if all(change is None for change in changes):
        return None
    if parts == [use]:
        return changes[0]
    edits = [part.input if change is None else change for part, change in zip(parts, changes, strict=True)]
    return {**use.input, "edits": edits}


@dataclass(slots=True, kw_only=True)
class HookInputs:
    """Makes inputs. `prompt_id` is the message that is being worked on; `agent` names the agent whose hooks these are."""

    session_id: str
    transcript: str
    workspace: Workspace
    mode: Callable[[], str]
    prompt_id: str = ""
    agent: Mapping[str, str] = field(default_factory=dict)

    def for_agent(self, agent_id: str, agent_type: str, workspace: Workspace) -> HookInputs:
        """Return what makes the inputs of an agent that works on the present message."""
        return replace(self, workspace=workspace, agent={"agent_id": agent_id, "agent_type": agent_type})

    def work_on(self, message_id: str) -> None:
        """Name the message that is being worked on from now on."""
        self.prompt_id = message_id

    def common(self, event: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON is any value
        """Return what every hook gets, with fields of its own event."""
        shared = {
            "session_id": self.session_id,
            "transcript_path": self.transcript,
            "cwd": str(self.workspace.cwd),
            "permission_mode": self.mode(),
            "hook_event_name": event,
        }
        if self.prompt_id:
            shared["prompt_id"] = self.prompt_id
        return {**shared, **self.agent, **fields}

    def of_use(self, event: str, use: HookedUse, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
        """Return the input of an event about a tool use."""
        more = {"tool_use_id": use.tool_use_id} if event != "PermissionRequest" else {}
        return self.common(event, tool_name=use.name, tool_input=self.tool_input(use.name, use.input), **more, **fields)

    def of_result(self, event: str, result: HookedResult) -> dict[str, Any]:
        """Return the input of an event about what came of a tool use."""
        duration = round(result.duration_ms)
        if not result.is_error:
            return self.of_use(
                event, result.use, tool_response=self.response(result.content, result.data), duration_ms=duration
            )
        text = text_of(result.content)
        return self.of_use(event, result.use, error=unwrap(text) or text, is_interrupt=False, duration_ms=duration)

    @staticmethod
    def response(content: str | list[dict[str, Any]], data: Mapping[str, Any] | None) -> Any:  # noqa: ANN401
        """Return a result as hooks read it: its structured output, or else what the model gets."""
        return dict(data) if data is not None else content

    def tool_input(self, name: str, input: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tool's input, its paths absolute; what a server's tool calls a path is its own affair."""
        if name.startswith("mcp__"):
            return dict(input)
        return {
            field: self.workspace.absolute(value)
            if field in _PATH_FIELDS and isinstance(value, str) and value and "\0" not in value
            else value
            for field, value in input.items()
        }

    def changed_files(self, use: HookedUse) -> tuple[Path, ...]:
        """Return the files that a use names as what it is about."""
        given = [self.tool_input(part.name, part.input) for part in by_file(use)]
        found = [one[name] for one in given for name in _PATH_FIELDS if isinstance(one.get(name), str) and one[name]]
        return tuple(map(Path, dict.fromkeys(found)))


def suggestions(rules: Sequence[str]) -> list[dict[str, Any]]:
    """Return rules that would allow a call for good, as hooks read and write changes of permissions."""
    found: list[dict[str, Any]] = []
    for rule in rules:
        name, bracket, rest = rule.partition("(")
        entry = {"toolName": name, "ruleContent": rest.removesuffix(")")} if bracket else {"toolName": name}
        found.append({"type": "addRules", "rules": [entry], "behavior": "allow", "destination": "localSettings"})
    return found


def as_content(output: Any) -> str | list[dict[str, Any]]:  # noqa: ANN401
    """Return a tool's structured output, as a hook gave it, as what the model gets."""
    match output:
        case str():
            return output
        case {"stdout": str() as stdout, **rest}:
            return "\n".join(filter(None, (stdout, str(rest.get("stderr") or ""))))
        case {"file": {"content": str() as text}} | {"content": str() as text}:
            return text
        case {"content": list() as blocks} if _are_texts(blocks):
            return blocks
        case list() if output and _are_texts(output):
            return output
        case _:
            return json.dumps(output, ensure_ascii=False, indent=1)


def _are_texts(blocks: list[Any]) -> bool:
    return all(
        isinstance(block, dict)
        and block.keys() == {"type", "text"}
        and block["type"] == "text"
        and type(block["text"]) is str
        for block in blocks
    )
