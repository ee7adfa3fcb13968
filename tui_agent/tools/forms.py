"""Forms: what a tool may ask the person, as plain data. The person's answers are plain data too.

A form travels in an event to whatever front end there is, so it is made of JSON values alone (`to_json`, `from_json`).
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

__all__ = ["Answers", "Form", "FormField", "Option", "field_problem"]

Answers = dict[str, str | list[str]]
Check = Literal["", "email"]

_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer to choose. `preview` is text to look at while it is under the cursor."""

    label: str
    description: str = ""
    preview: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One question. With `options` it is a choice (of several with `is_multiple`), else a text.

    `key` names the answer; `header` is a word or two for a tab or a label. `allows_other` adds a free text to the options.
    Texts have at most `max_length` characters, and hold what `check` says.
    """

    key: str
    question: str
    header: str = ""
    options: tuple[Option, ...] = ()
    is_multiple: bool = False
    allows_other: bool = False
    is_required: bool = True
    max_length: int = 2000
    check: Check = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Questions that are answered together. `about` says in a sentence what for."""

    title: str
    fields: tuple[FormField, ...]
    about: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the form as JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Form:
        """Return the form that `to_json` made `data` of.

        Raises:
            KeyError, TypeError: it is not one.
        """
        fields = tuple(
            FormField(**{**field, "options": tuple(Option(**option) for option in field.get("options", ()))})
            for field in data["fields"]
        )
        return cls(title=data["title"], fields=fields, about=data.get("about", ""))


def field_problem(field: FormField, answer: str | list[str] | None) -> str:
    """Return what is wrong with an answer, in a sentence for the person; empty when nothing is."""
    texts = [answer] if isinstance(answer, str) else list(answer or ())
    given = [text for text in texts if text.strip()]
    if not given:
        return "An answer is needed." if field.is_required else ""
    if len(given) > 1 and not field.is_multiple:
        return "Only one answer can be given."
    if any(len(text) > field.max_length for text in given):
        return f"At most {field.max_length:,} characters fit."
    if field.options and not field.allows_other and not set(given) <= {option.label for option in field.options}:
        return "Choose from what is offered."
    if field.check == "email" and not all(_EMAIL.fullmatch(text.strip()) for text in given):
        return "That is not an e-mail address."
    return ""
