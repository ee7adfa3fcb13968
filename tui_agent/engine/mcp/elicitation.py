"""A server's question to the user as a form, and the form's answers as the server wants them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tui_agent.mcp.host import Elicitation, ElicitationAnswer
from tui_agent.text import clean, clean_line
from tui_agent.tools.forms import Answers, Form, FormField, Option

__all__ = ["FormProblem", "elicitation_content", "elicitation_form", "url_answer", "url_form"]

_MOST_FIELDS: Final = 20
_MOST_OPTIONS: Final = 50
_YES: Final = "Yes"
_NO: Final = "No"
_OPEN: Final = "Open it in the browser"
_DONE: Final = "I have been there"
_DECLINE: Final = "No"


class FormProblem(ValueError):  # noqa: N818 - what is wrong with a server's question
    """What a server asks for cannot be shown as a form; the text says why."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """What stands for a value in a form."""

    label: str
    value: Any


def elicitation_form(server: str, asked: Elicitation) -> Form:
    """Return a form for what a server asks: one field for each property of its schema.

    Raises:
        FormProblem: the schema is not flat, or holds what no form can ask.
    """
    properties = asked.schema.get("properties", {})
    if not isinstance(properties, Mapping) or len(properties) > _MOST_FIELDS:
        raise FormProblem("its form has no fields, or too many")
    required = asked.schema.get("required", ())
    fields = tuple(
        _field(str(name), schema, is_required=isinstance(required, list) and name in required)
        for name, schema in properties.items()
    )
    return Form(
        title=f"The MCP server {server} asks",
        about=clean(asked.message),
        fields=fields
        or (FormField(key="ok", question="Do you agree?", options=(Option(label=_YES), Option(label=_NO))),),
    )


def _field(name: str, schema: object, *, is_required: bool) -> FormField:
    if not isinstance(schema, Mapping):
        raise FormProblem(f"`{clean_line(name, 40)}` is no field")
    title = clean_line(str(schema.get("title") or name), 200)
    about = clean_line(str(schema.get("description") or ""), 500)
    default = schema.get("default")
    hint = f" (default: {clean_line(_shown(default), 100)})" if default is not None else ""
    question = f"{title}: {about}{hint}" if about else f"{title}{hint}"
    choices = _choices(schema)
    limit = schema.get("maxLength")
    return FormField(
        key=name,
        question=question,
        header=clean_line(title, 12),
        options=tuple(Option(label=choice.label) for choice in choices),
        is_multiple=schema.get("type") == "array",
        is_required=is_required and default is None,
        max_length=limit if isinstance(limit, int) and 0 < limit < 10_000 else 2000,
        check="email" if schema.get("format") == "email" else "",
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return _YES if value else _NO
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _choices(schema: Mapping[str, Any]) -> tuple[_Choice, ...]:
    """Return what can be chosen, in the protocol's several spellings; nothing for a free text."""
    kind = schema.get("type")
    if kind == "boolean":
        return (_Choice(_YES, value=True), _Choice(_NO, value=False))
    source: Any = schema.get("items", {}) if kind == "array" else schema
    if not isinstance(source, Mapping) or kind not in ("string", "array", "number", "integer", None):
        raise FormProblem(f"fields of type {clean_line(str(kind), 40)} are not supported")
    titled = source.get("oneOf") or source.get("anyOf")
    if isinstance(titled, list):
        found = [
            _Choice(clean_line(str(one.get("title") or one["const"]), 200), one["const"])
            for one in titled[:_MOST_OPTIONS]
            if isinstance(one, Mapping) and "const" in one
        ]
    else:
        values = source.get("enum") or []
        names = source.get("enumNames")
        labels = names if isinstance(names, list) and len(names) == len(values) else values
        found = [_Choice(clean_line(str(label), 200), value) for label, value in zip(labels, values, strict=True)][
            :_MOST_OPTIONS
        ]
    if kind == "array" and not found:
        raise FormProblem("a list without a fixed set of choices is not supported")
    return tuple(found)


def elicitation_content(asked: Elicitation, answers: Answers) -> dict[str, Any]:
    """Return a form's answers as the content that the server's schema wants. What was left empty has its default, if any.

    Raises:
        FormProblem: an answer is not what the schema wants; the text says which.
    """
    content: dict[str, Any] = {}
    for name, schema in asked.schema.get("properties", {}).items():
        given = answers.get(name)
        texts = [text for text in (given if isinstance(given, list) else [given or ""]) if text.strip()]
        if texts:
            content[name] = _value(name, schema, texts)
        elif schema.get("default") is not None:
            content[name] = schema["default"]
    return content


def _value(name: str, schema: Mapping[str, Any], texts: list[str]) -> Any:  # noqa: ANN401 - any value of JSON
    choices = {choice.label: choice.value for choice in _choices(schema)}
    kind = schema.get("type")
    if kind == "array":
        return [choices.get(text, text) for text in texts]
    text = texts[0]
    if choices:
        return choices.get(text, text)
    if kind not in ("integer", "number"):
        return text
    try:
        number = int(text) if kind == "integer" else float(text)
    except ValueError:
        raise FormProblem(f"{clean_line(name, 40)}: a {kind} is needed") from None
    low, high = schema.get("minimum"), schema.get("maximum")
    if (isinstance(low, int | float) and number < low) or (isinstance(high, int | float) and number > high):
        raise FormProblem(f"{clean_line(name, 40)}: a number from {low} to {high} is needed")
    return number


def url_form(server: str, asked: Elicitation) -> Form:
    """Return the question whether an address is to be opened. The address is shown whole, its host apart."""
    from urllib.parse import urlsplit

    host = urlsplit(asked.url).hostname or ""
    return Form(
        title=f"The MCP server {server} wants you to visit {clean_line(host, 100)}",
        about=f"{clean(asked.message)}\n\n{clean_line(asked.url, 2000)}",
        fields=(
            FormField(
                key="open",
                question="Open this address?",
                options=(
                    Option(label=_OPEN, description="Only if you expect this, and know the site."),
                    Option(label=_DONE, description="You opened it yourself."),
                    Option(label=_DECLINE),
                ),
            ),
        ),
    )


def url_answer(answers: Answers | None) -> tuple[ElicitationAnswer, bool]:
    """Return the answer to the server, and whether the address is to be opened."""
    if answers is None:
        return ElicitationAnswer("cancel"), False
    said = answers.get("open")
    if said == _DECLINE:
        return ElicitationAnswer("decline"), False
    return ElicitationAnswer("accept"), said == _OPEN
