"""Forms: what a tool may ask the user, as plain data. The user's answers are plain data too.

A form travels in an event to whatever front end there is, so it is made of JSON values alone (`to_json`, `from_json`).
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

__all__ = [
    "LONGEST_WORDS", "WORDS", "Answers", "Check", "Form", "FormField", "Option", "field_problem", "form_problem", "words_of",
]  # fmt: skip

Answers = dict[str, str | list[str]]
Check = Literal["", "email", "postcode"]

WORDS: Final = ""  # the key of what a user said in place of answers; no field has it

_CHECKS: Final = {
    "email": (re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+"), "That is not an e-mail address."),
    "postcode": (re.compile(r"[^\W_][\w -]{1,10}[^\W_]"), "That is not a postcode."),
}
LONGEST_WORDS: Final = 10_000  # characters


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
    """Questions that are answered together. `about` says in a sentence what for.

    With `takes_words` it may be closed with a text in place of answers, which comes as the one answer `WORDS`. With
    `is_private` the answers go to the tool alone: into no event, so neither into the journal nor to another front end.
    """

    title: str
    fields: tuple[FormField, ...]
    about: str = ""
    takes_words: bool = False
    is_private: bool = False

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
        return cls(
            title=data["title"],
            fields=fields,
            about=data.get("about", ""),
            takes_words=data.get("takes_words", False),
            is_private=data.get("is_private", False),
        )


def words_of(answers: Answers) -> str:
    """Return what the user said in place of answers; empty where they answered."""
    words = answers.get(WORDS, "")
    return words if isinstance(words, str) else ""


def form_problem(form: Form, answers: Answers) -> str:
    """Return what keeps `answers` from being a whole answer to the form, in a sentence; empty when nothing does."""
    if WORDS in answers:
        if not form.takes_words or len(answers) > 1:
            return "This form takes answers only."
        return "" if 0 < len(words_of(answers).strip()) <= LONGEST_WORDS else "Say it in a few words."
    unknown = answers.keys() - {field.key for field in form.fields}
    if unknown:
        return f"Nothing was asked about {', '.join(sorted(unknown))}."
    return next(filter(None, (field_problem(field, answers.get(field.key)) for field in form.fields)), "")


def field_problem(field: FormField, answer: str | list[str] | None) -> str:
    """Return what is wrong with an answer, in a sentence for the user; empty when nothing is."""
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
    if field.check:
        pattern, problem = _CHECKS[field.check]
        if not all(pattern.fullmatch(text.strip()) for text in given):
            return problem
    return ""
