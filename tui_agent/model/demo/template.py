r"""Templates in scenario texts: `{{ source | filter 'argument' | … }}`, so that the scripted model quotes real results.

Sources are dotted names: `cwd` and other variables, `said` (what the user wrote last), `results.LABEL` (the newest result
of the tool use with that label). Filters: `match 'regex'` (the first group of the first match, or all of it), `count 'regex'`,
`line N` (1-based, negative from the end), `default 'text'` for when there is nothing. Nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["TemplateError", "expand", "expand_all"]

_TEMPLATE: Final = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_SOURCE: Final = re.compile(r"\s*([a-z_][\w-]*(?:\.[\w-]+)*)\s*")
_FILTER: Final = re.compile(r"\|\s*([a-z]+)\s*(?:'((?:[^'\\]|\\.)*)'|(-?\d+))?\s*", re.DOTALL)


class TemplateError(ValueError):
    """A template is malformed, or names something that does not exist and gives no default."""


def expand(text: str, values: Mapping[str, Any]) -> str:
    """Return `text` with every template replaced.

    Raises:
        TemplateError: see there.
    """
    return _TEMPLATE.sub(lambda match: _evaluate(match[1], values), text) if "{{" in text else text


def expand_all(value: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Return JSON data with the templates in all of its strings replaced."""
    if isinstance(value, str):
        return expand(value, values)
    if isinstance(value, Mapping):
        return {key: expand_all(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [expand_all(item, values) for item in value]
    return value


def _evaluate(expression: str, values: Mapping[str, Any]) -> str:
    head = _SOURCE.match(expression)
    if head is None:
        raise TemplateError(f"not a template: {expression.strip()!r}")
    value = _look_up(head[1], values)
    at = head.end()
    while at < len(expression):
        step = _FILTER.match(expression, at)
        if step is None:
            raise TemplateError(f"not a filter: {expression[at:].strip()!r}")
        value = _apply(value, step[1], step[2] if step[2] is not None else step[3])
        at = step.end()
    if value is None:
        raise TemplateError(f"nothing to put in for {expression.strip()!r}, and no default")
    return value


def _look_up(name: str, values: Mapping[str, Any]) -> str | None:
    value: Any = values
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else None


def _apply(value: str | None, name: str, argument: str | None) -> str | None:
    if name == "default":
        return argument or "" if value is None else value
    if argument is None:
        raise TemplateError(f"the filter {name!r} needs an argument")
    if value is None:
        return None
    try:
        match name:
            case "match":
                found = re.search(argument, value, re.MULTILINE)
                return None if found is None else found[1] if found.re.groups else found[0]
            case "count":
                return str(len(re.findall(argument, value, re.MULTILINE)))
            case "line":
                lines = value.splitlines()
                at = int(argument)
                return lines[at - 1 if at > 0 else at] if at and -len(lines) <= at <= len(lines) else None
    except (re.error, ValueError) as error:
        raise TemplateError(f"{name} {argument!r}: {error}") from error
    raise TemplateError(f"no filter {name!r}")
