"""What a user has filled in of a form so far: plain data and its rules, without the screen that shows it.

A field has chosen options, a text of the user's own, or both. Of a choice of one, the newest of the two counts.
"""

from __future__ import annotations

from typing import Final

from tui_agent.tools.forms import WORDS, Answers, Form, FormField, field_problem

__all__ = ["FormDraft"]


class FormDraft:
    """The answers to `form` while they are being given. `page` is where the user is in it."""

    def __init__(self, form: Form) -> None:
        self.form: Final = form
        self.page = 0
        self._chosen: dict[str, list[str]] = {field.key: [] for field in form.fields}
        self._texts: dict[str, str] = {field.key: "" for field in form.fields}

    @property
    def is_touched(self) -> bool:
        """Whether there is anything to lose."""
        return any(self._chosen.values()) or any(text.strip() for text in self._texts.values())

    def is_chosen(self, field: FormField, label: str) -> bool:
        """Whether this option is part of the answer."""
        return label in self._chosen[field.key]

    def choose(self, field: FormField, label: str) -> None:
        """Choose an option: in the place of what was chosen, or, where several may be, as well; there, once more undoes it."""
        chosen = self._chosen[field.key]
        if not field.is_multiple:
            self._chosen[field.key] = [label]
        elif label in chosen:
            chosen.remove(label)
        else:
            chosen.append(label)

    def text(self, field: FormField) -> str:
        """Return the user's own text, whether it counts or not."""
        return self._texts[field.key]

    def write(self, field: FormField, text: str) -> None:
        """Put a text of the user's own; it counts unless it is blank."""
        self._texts[field.key] = text
        if text.strip() and not field.is_multiple:
            self._chosen[field.key] = []

    def has_own(self, field: FormField) -> bool:
        """Whether the user's own text is part of the answer."""
        is_alone = field.is_multiple or not self._chosen[field.key]
        return bool(self._texts[field.key].strip()) and is_alone

    def answer(self, field: FormField) -> str | list[str] | None:
        """Return the answer to one field, None where there is none: options as they are offered, the own text last."""
        chosen = [option.label for option in field.options if self.is_chosen(field, option.label)]
        given = [*chosen, self._texts[field.key].strip()] if self.has_own(field) else chosen
        if not given:
            return None
        return list(dict.fromkeys(given)) if field.is_multiple else given[0]

    def problem(self, field: FormField) -> str:
        """Return what is wrong with the answer to one field; empty when nothing is."""
        return field_problem(field, self.answer(field))

    def answers(self) -> Answers:
        """Return the answers there are, by key."""
        given = ((field.key, self.answer(field)) for field in self.form.fields)
        return {key: answer for key, answer in given if answer is not None}

    @staticmethod
    def instead(words: str) -> Answers:
        """Return what stands for words in place of answers."""
        return {WORDS: words.strip()}
