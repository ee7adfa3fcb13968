"""What a hook says: the JSON object on its standard output, or in an answer, checked against what its event allows."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from tui_agent.hooks.permission_request import PermissionUpdate
from tui_agent.text import clean_line, sound_json

__all__ = ["BadOutputError", "HookOutput", "parse_output"]

Text = str | None


class BadOutputError(ValueError):
    """It is an object, but not one that means something at this event; the text says where."""


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=False,
        validate_by_alias=True,
    )


class _Own(_Part):
    """What any event's own part may hold."""

    hook_event_name: str
    additional_context: Text = None


class _BeforeTool(_Own):
    permission_decision: Literal["allow", "deny", "ask", "defer"] | None = None
    permission_decision_reason: Text = None
    updated_input: dict[str, Any] | None = None


class _AfterTool(_Own):
    updated_tool_output: Any = None
    updated_mcp_tool_output: Any = Field(default=None, alias="updatedMCPToolOutput")


class _Rule(_Part):
    tool_name: str = Field(min_length=1)
    rule_content: Text = None

    @property
    def text(self) -> str:
        return f"{self.tool_name}({self.rule_content})" if self.rule_content else self.tool_name


_Destination = Literal["session", "localSettings", "projectSettings", "userSettings"]


class _Rules(_Part):
    type: Literal["addRules", "replaceRules", "removeRules"]
    rules: list[_Rule]
    behavior: Literal["allow", "ask", "deny"]
    destination: _Destination


class _Mode(_Part):
    type: Literal["setMode"]
    mode: str
    destination: _Destination


class _Directories(_Part):
    type: Literal["addDirectories", "removeDirectories"]
    directories: list[str]
    destination: _Destination


class _Decision(_Part):
    behavior: Literal["allow", "deny"]
    updated_input: dict[str, Any] | None = None
    updated_permissions: list[_Rules | _Mode | _Directories] | None = None
    message: Text = None
    interrupt: bool | None = None


class _AtQuestion(_Own):
    decision: _Decision | None = None


class _AfterDenial(_Own):
    retry: bool | None = None


class _AtStart(_Own):
    initial_user_message: Text = None
    session_title: Text = None
    watch_paths: list[str] | None = None
    reload_skills: bool | None = None


class _AtPrompt(_Own):
    session_title: Text = None
    suppress_original_prompt: bool | None = None


_OWN: Final[dict[str, type[_Own]]] = {
    "PreToolUse": _BeforeTool,
    "PostToolUse": _AfterTool,
    "PostToolUseFailure": _AfterTool,
    "PermissionRequest": _AtQuestion,
    "PermissionDenied": _AfterDenial,
    "SessionStart": _AtStart,
    "UserPromptSubmit": _AtPrompt,
}


class _Whole(_Part):
    go_on: bool | None = Field(default=None, alias="continue")
    stop_reason: Text = None
    system_message: Text = None
    suppress_output: bool | None = None
    terminal_sequence: Text = None
    decision: Literal["approve", "block"] | None = None
    reason: Text = None
    hook_specific_output: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOutput:
    """What one hook says, of whatever event; what it leaves out is empty.

    `decision` is about a tool call before it runs, or about its question; `blocks` is the general no, with `reason`.
    `stops` ends the whole turn, with `stop_reason` for the user. `message` is for the user, `context` for the model.
    """

    stops: bool = False
    stop_reason: str = ""
    message: str = ""
    blocks: bool = False
    reason: str = ""
    context: str = ""
    decision: Literal["allow", "ask", "deny"] | None = None
    updated_input: dict[str, Any] | None = None
    updated_output: Any = None
    updates: tuple[PermissionUpdate, ...] = ()
    ends_turn: bool = False
    retries: bool = False
    hides_prompt: bool = False
    first_message: str = ""
    ignored: tuple[str, ...] = field(default=())  # fields it used that do nothing here


def parse_output(event: str, text: str) -> HookOutput | None:
    """Read what a hook printed. None where it is no JSON object, and so is plain text.

    Raises:
        BadOutputError: an object that breaks the event's schema.
    """
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = sound_json(json.loads(text))
    except (ValueError, RecursionError):
        return None
    try:
        whole = _Whole.model_validate(value)
        own = _own_part(event, whole.hook_specific_output)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "output"
        raise BadOutputError(f"its JSON does not fit: `{clean_line(place, 80)}` {_clause(first['msg'])}") from None
    return _said(event, whole, own)


def _clause(message: str) -> str:
    return "must be" + message[15:] if message.startswith("Input should be") else message[:1].lower() + message[1:]


def _own_part(event: str, value: dict[str, Any] | None) -> _Own | None:
    if value is None:
        return None
    own = _OWN.get(event, _Own).model_validate(value)
    if own.hook_event_name != event:
        name = clean_line(own.hook_event_name, 40)
        raise BadOutputError(f"its JSON does not fit: `hookEventName` is {name}, but the event is {event}")
    return own


def _said(event: str, whole: _Whole, own: _Own | None) -> HookOutput:
    ignored = ["terminalSequence"] if whole.terminal_sequence else []
    more: dict[str, Any] = {}
    reason = whole.reason or ""
    match own:
        case _BeforeTool():
            # to put a call off until somebody is there means, where somebody is there, to ask
            decision = "ask" if own.permission_decision == "defer" else own.permission_decision
            more = {"decision": decision, "updated_input": own.updated_input}
            reason = own.permission_decision_reason or reason
        case _AtQuestion(decision=_Decision() as answer):
            more = {
                "decision": answer.behavior,
                "updated_input": answer.updated_input,
                "updates": tuple(map(_update, answer.updated_permissions or ())),
                "ends_turn": bool(answer.interrupt),
            }
            reason = answer.message or reason
        case _AfterTool():
            mcp = own.updated_mcp_tool_output
            more = {"updated_output": own.updated_tool_output if mcp is None else mcp}
        case _AfterDenial():
            more = {"retries": bool(own.retry)}
        case _AtStart():
            more = {"first_message": own.initial_user_message or ""}
            given = {
                "sessionTitle": own.session_title,
                "watchPaths": own.watch_paths,
                "reloadSkills": own.reload_skills,
            }
            ignored += [name for name, value in given.items() if value]
        case _AtPrompt():
            more = {"hides_prompt": bool(own.suppress_original_prompt)}
            ignored += ["sessionTitle"] if own.session_title else []
        case _:
            pass
    if event == "PreToolUse" and more.get("decision") is None and whole.decision is not None:
        more["decision"] = "allow" if whole.decision == "approve" else "deny"
    return HookOutput(
        stops=whole.go_on is False,
        stop_reason=whole.stop_reason or "",
        message=whole.system_message or "",
        blocks=whole.decision == "block",
        reason=reason,
        context=(own.additional_context or "") if own else "",
        ignored=tuple(ignored),
        **more,
    )


def _update(update: _Rules | _Mode | _Directories) -> PermissionUpdate:
    match update:
        case _Rules():
            rules = tuple(rule.text for rule in update.rules)
            return PermissionUpdate(
                type=update.type, destination=update.destination, rules=rules, behavior=update.behavior
            )
        case _Mode():
            return PermissionUpdate(type=update.type, destination=update.destination, mode=update.mode)
        case _Directories():
            folders = tuple(update.directories)
            return PermissionUpdate(type=update.type, destination=update.destination, directories=folders)
