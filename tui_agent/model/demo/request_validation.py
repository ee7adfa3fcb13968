"""What the Messages API refuses. A request that passes here has the shape that the real API takes.

The messages of the refusals are close to the real ones, as they are what a developer sees.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard

from tui_agent.model.demo.media_validation import media_problem, source_problem

__all__ = ["RefusalError", "check_headers", "check_request", "signature"]

MAX_CACHE_MARKS: Final = 4
_TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
_PROPERTY: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}\Z")
_TOOL_USE_ID: Final = re.compile(r"[a-zA-Z0-9_-]+\Z")
_FIELDS: Final = frozenset(
    {
        "model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "thinking", "metadata", "temperature",
        "top_p", "top_k", "stop_sequences", "service_tier", "output_config", "context_management", "container", "cache_control",
        "inference_geo", "speed",
    }
)  # fmt: skip
# Fields of each block by type, without `type` and `cache_control`: (required, optional).
_BLOCKS: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "text": (frozenset({"text"}), frozenset({"citations"})),
    "thinking": (frozenset({"thinking", "signature"}), frozenset()),
    "redacted_thinking": (frozenset({"data"}), frozenset()),
    "tool_use": (frozenset({"id", "name", "input"}), frozenset()),
    "tool_result": (frozenset({"tool_use_id"}), frozenset({"content", "is_error"})),
    "image": (frozenset({"source"}), frozenset({"transformations"})),
    "document": (frozenset({"source"}), frozenset({"title", "context", "citations"})),
}
_ROLES: Final = {
    "user": {"text", "image", "document", "tool_result"},
    "assistant": {"text", "thinking", "redacted_thinking", "tool_use"},
}
_THINKING_TYPES: Final = ("enabled", "disabled", "adaptive", "between_tools")
_SIGNING_KEY: Final = b"tui-agent demo server"


class RefusalError(Exception):
    """The request is refused with `status`, an error of type `kind`, and a message for the developer."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message


def signature(thinking: str) -> str:
    """Return the signature this server puts under a thinking block, and expects to get back with the same text."""
    return b64encode(hmac.new(_SIGNING_KEY, thinking.encode("utf-8", "replace"), hashlib.sha256).digest()).decode()


def check_headers(headers: Mapping[str, str], api_key: str | None, *, has_body: bool = True) -> None:
    """Check key, version and content type. `api_key` is the only key that counts; None takes any.

    Raises:
        RefusalError: 401 or 400.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    given = headers.get("x-api-key") or (token if scheme.lower() == "bearer" else "")
    if not given:
        raise RefusalError(401, "authentication_error", "x-api-key header is required")
    if api_key is not None and not hmac.compare_digest(given.encode(), api_key.encode()):
        raise RefusalError(401, "authentication_error", "invalid x-api-key")
    if "anthropic-version" not in headers:
        raise _invalid("anthropic-version: header is required")
    if has_body and not headers.get("content-type", "").startswith("application/json"):
        raise _invalid("content-type: must be application/json")


def check_request(body: object) -> dict[str, Any]:
    """Check a parsed request body and return it.

    Raises:
        RefusalError: 400, naming the first thing that is wrong.
    """
    if not isinstance(body, dict):
        raise _invalid("The request body is not a JSON object")
    for key in body:
        if key not in _FIELDS:
            raise _invalid(f"{key}: Extra inputs are not permitted")
    for key in ("model", "max_tokens", "messages"):
        if key not in body:
            raise _invalid(f"{key}: Field required")
    if not isinstance(body["model"], str) or not body["model"]:
        raise _invalid("model: String should have at least 1 character")
    if not _is_count(body["max_tokens"]):
        raise _invalid("max_tokens: Input should be an integer greater than or equal to 1")
    if body.get("stream") is not True:
        raise _invalid("stream: this server answers streamed requests only")
    _check_thinking(body)
    _check_system(body.get("system", ""))
    _check_tools(body.get("tools", []))
    _check_messages(body["messages"])
    if problem := media_problem(body):
        raise _invalid(problem)
    marks = sum(1 for _ in _cache_marks(body))
    if marks > MAX_CACHE_MARKS:
        raise _invalid(f"A maximum of {MAX_CACHE_MARKS} blocks with cache_control may be provided. Found {marks}.")
    return body


def _invalid(message: str) -> RefusalError:
    return RefusalError(400, "invalid_request_error", message)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _check_thinking(body: Mapping[str, Any]) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        return
    if not isinstance(thinking, Mapping) or thinking.get("type") not in _THINKING_TYPES:
        raise _invalid("thinking: Input tag must be one of 'enabled', 'disabled', 'adaptive', 'between_tools'")
    if thinking["type"] != "enabled":
        return
    budget = thinking.get("budget_tokens")
    if not _is_count(budget) or budget < 1024:
        raise _invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
    if budget >= body["max_tokens"]:
        raise _invalid("`max_tokens` must be greater than `thinking.budget_tokens`")


def _check_system(system: object) -> None:
    if isinstance(system, str):
        return
    if not isinstance(system, list):
        raise _invalid("system: Input should be a valid string or a list of text blocks")
    for number, block in enumerate(system):
        _check_block(block, {"text"}, f"system.{number}")


def _check_tools(tools: object) -> None:
    if not isinstance(tools, list):
        raise _invalid("tools: Input should be a valid list")
    names: set[str] = set()
    for number, tool in enumerate(tools):
        where = f"tools.{number}"
        if not isinstance(tool, dict):
            raise _invalid(f"{where}: Input should be an object")
        allowed = {"type", "name", "description", "input_schema", "cache_control", "strict", "eager_input_streaming"}
        if extra := set(tool) - allowed:
            raise _invalid(f"{where}.custom.{min(extra)}: Extra inputs are not permitted")
        name = tool.get("name")
        if not isinstance(name, str) or not _TOOL_NAME.match(name):
            raise _invalid(f"{where}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if name in names:
            raise _invalid("tools: Tool names must be unique.")
        names.add(name)
        if not isinstance(tool.get("description", ""), str):
            raise _invalid(f"{where}.custom.description: Input should be a valid string")
        _check_schema(tool.get("input_schema"), f"{where}.custom.input_schema")


def _check_schema(schema: object, where: str) -> None:
    """Check what the API checks of a JSON schema at its top, and that its references lead somewhere."""
    if not isinstance(schema, dict):
        raise _invalid(f"{where}: Field required")
    if schema.get("type") != "object":
        raise _invalid(f"{where}.type: Input should be 'object'")
    properties = schema.get("properties", {})
    if not isinstance(properties, dict) or not all(isinstance(value, dict | bool) for value in properties.values()):
        raise _invalid(f"{where}.properties: Input should be an object of schemas")
    if any(key in schema for key in ("oneOf", "allOf", "anyOf")):
        raise _invalid(f"{where}: input_schema does not support oneOf, allOf, or anyOf at the top level")
    if not all(_PROPERTY.match(name) for name in properties):
        raise _invalid(f"{where}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise _invalid(f"{where}.required: Input should be a list of names")
    if missing := set(required) - set(properties):
        raise _invalid(f"{where}.required: {min(missing)!r} is not among the properties")
    for reference in _references(schema):
        target: object = schema
        for part in reference.removeprefix("#").strip("/").split("/"):
            target = target.get(part) if isinstance(target, dict) and part else None if part else target
        if not reference.startswith("#") or target is None:
            raise _invalid(f"{where}: JSON schema is invalid: cannot resolve {reference!r}")


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _check_messages(messages: object) -> None:
    if not isinstance(messages, list):
        raise _invalid("messages: Input should be a valid list")
    if not messages:
        raise _invalid("messages: at least one message is required")
    previous = "assistant"
    open_uses: list[str] = []  # of the message before
    seen: set[str] = set()
    for number, message in enumerate(messages):
        role, blocks = _check_message(message, previous, number)
        if role == "user":
            _check_results(blocks, open_uses, number)
        open_uses = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if twice := [use for at, use in enumerate(open_uses) if use in seen or use in open_uses[:at]]:
            raise _invalid(f"messages.{number}: `tool_use` ids must be unique: {twice[0]}")
        seen.update(open_uses)
        previous = role
    if open_uses:
        raise _unanswered(len(messages) - 1, open_uses)
    if previous == "assistant":
        raise _invalid(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )


def _check_message(message: object, previous: str, number: int) -> tuple[str, list[dict[str, Any]]]:
    """Check one message by itself and against the role before; return its role and its blocks."""
    where = f"messages.{number}"
    if not isinstance(message, dict) or set(message) - {"role", "content"}:
        raise _invalid(f"{where}: Input should be an object of role and content")
    role, content = message.get("role"), message.get("content")
    if role not in _ROLES:
        raise _invalid(f"{where}.role: Input should be 'user' or 'assistant'")
    if role == previous:
        if number == 0:
            raise _invalid('messages: first message must use the "user" role')
        raise _invalid(
            'messages: roles must alternate between "user" and "assistant", but found multiple '
            f'"{role}" roles in a row (at {where})'
        )
    if not content:
        raise _invalid(f"{where}: all messages must have non-empty content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(blocks, list):
        raise _invalid(f"{where}.content: Input should be a valid string or list")
    for at, block in enumerate(blocks):
        _check_block(block, _ROLES[role], f"{where}.content.{at}")
    return role, blocks


def _unanswered(number: int, uses: list[str]) -> RefusalError:
    return _invalid(
        f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(uses)}. Each "
        "`tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def _check_results(blocks: list[dict[str, Any]], open_uses: list[str], number: int) -> None:
    """Every tool use of the message before has exactly one result here, ahead of everything else."""
    answered: set[str] = set()
    head_is_over = False
    for at, block in enumerate(blocks):
        if block["type"] != "tool_result":
            head_is_over = True
            continue
        use = block["tool_use_id"]
        where = f"messages.{number}.content.{at}"
        if use not in open_uses:
            raise _invalid(
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {use}. Each `tool_result` block must have a "
                "corresponding `tool_use` block in the previous message."
            )
        if use in answered:
            raise _invalid(
                f"{where}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {use}"
            )
        if head_is_over:
            raise _invalid(f"{where}: `tool_result` blocks must come before other content")
        answered.add(use)
    if missing := [use for use in open_uses if use not in answered]:
        raise _unanswered(number - 1, missing)


def _check_block(block: object, allowed: set[str], where: str) -> None:
    if not isinstance(block, dict):
        raise _invalid(f"{where}: Input should be an object")
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in allowed:
        raise _invalid(
            f"{where}: Input tag {kind!r} found using 'type' does not match any of the expected tags: {sorted(allowed)}"
        )
    required, optional = _BLOCKS[kind]
    if missing := required - set(block):
        raise _invalid(f"{where}.{kind}.{min(missing)}: Field required")
    if extra := set(block) - required - optional - {"type", "cache_control"}:
        raise _invalid(f"{where}.{kind}.{min(extra)}: Extra inputs are not permitted")
    _check_mark(block, kind, where)
    match kind:
        case "text":
            if not isinstance(block["text"], str) or not block["text"].strip():
                raise _invalid(f"{where}: text content blocks must contain non-whitespace text")
        case "thinking":
            if not isinstance(block["thinking"], str) or block["signature"] != signature(block["thinking"]):
                raise _invalid(f"{where}: Invalid `signature` in `thinking` block")
        case "tool_use":
            _check_use(block, where)
        case "tool_result":
            _check_result(block, where)
        case "image" | "document":
            if problem := source_problem(kind, block["source"], where):
                raise _invalid(problem)


def _check_use(block: Mapping[str, Any], where: str) -> None:
    if not isinstance(block["id"], str) or not _TOOL_USE_ID.match(block["id"]):
        raise _invalid(f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    if not isinstance(block["name"], str) or not 1 <= len(block["name"]) <= 200:
        raise _invalid(f"{where}.tool_use.name: String should have 1 to 200 characters")
    if not isinstance(block["input"], dict):
        raise _invalid(f"{where}.tool_use.input: Input should be an object")


def _check_result(block: Mapping[str, Any], where: str) -> None:
    content = block.get("content", "")
    if not isinstance(block.get("is_error", False), bool):
        raise _invalid(f"{where}.tool_result.is_error: Input should be a valid boolean")
    if not isinstance(block["tool_use_id"], str):
        raise _invalid(f"{where}.tool_result.tool_use_id: Input should be a valid string")
    if isinstance(content, list):
        for number, part in enumerate(content):
            if block.get("is_error") and isinstance(part, dict) and part.get("type") != "text":
                raise _invalid(f"{where}.tool_result: all content must be type `text` if `is_error` is true")
            _check_block(part, {"text", "image", "document"}, f"{where}.tool_result.content.{number}")
    elif not isinstance(content, str):
        raise _invalid(f"{where}.tool_result.content: Input should be a valid string or list")


def _check_mark(block: Mapping[str, Any], kind: str, where: str) -> None:
    mark = block.get("cache_control")
    if mark is None:
        return
    if kind in ("thinking", "redacted_thinking"):
        raise _invalid(f"{where}.{kind}.cache_control: Extra inputs are not permitted")
    if not isinstance(mark, Mapping) or mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in ("5m", "1h"):
        raise _invalid(f"{where}.cache_control: Input should be {{'type': 'ephemeral'}}")


def _cache_marks(value: object) -> Iterator[object]:
    """Yield the cache marks of a request. A tool's own schema and a tool use's input are data, not marks."""
    if isinstance(value, dict):
        if value.get("cache_control") is not None:
            yield value["cache_control"]
        for key, item in value.items():
            if key not in ("input", "input_schema", "cache_control"):
                yield from _cache_marks(item)
    elif isinstance(value, list):
        for item in value:
            yield from _cache_marks(item)
