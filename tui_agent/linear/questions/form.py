"""A form of a tool's: one question after the other, then what was answered, before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent.commands import AnswerForm
from tui_agent.linear.asker import Choice
from tui_agent.text import clean, clean_line
from tui_agent.tools.forms import WORDS, Answers, Form, FormField, field_problem

if TYPE_CHECKING:
    from tui_agent.events import FormRequested
    from tui_agent.linear.asker import Asker

__all__ = ["ask_form"]


async def ask_form(request: FormRequested, asker: Asker) -> AnswerForm:
    """Return what the user answers.

    Raises:
        EndOfInputError: there will be no answer.
    """
    form = Form.from_json(request.form)
    asker.say(f"Question for you: {clean_line(form.title, 300)}")
    if form.about:
        asker.say(clean(form.about))
    start = [Choice("answer", "Answer", ("a", "y", "yes"))]
    if form.takes_words:
        start.append(Choice("words", "Say something instead", ("w",)))
    start.append(Choice("close", "Close it without an answer", ("c", "n", "no")))
    while True:
        way = await asker.choose(start)
        if way == "close":
            return AnswerForm(request.request_id, None)
        if way == "words":
            words = await asker.text("Say instead (just Enter goes back): ")
            if words:
                return AnswerForm(request.request_id, {WORDS: words})
            continue
        while True:
            answers = await _answers(form, asker)
            done = await _checked(form, answers, asker)
            if done != "again":
                return AnswerForm(request.request_id, answers if done == "send" else None)


async def _checked(form: Form, answers: Answers, asker: Asker) -> str:
    """Say what was answered, and return whether that is sent."""
    asker.say("Your answers:")
    for field in form.fields:
        given = answers.get(field.key)
        text = ", ".join(given) if isinstance(given, list) else given
        asker.say(f"  {clean_line(field.header or field.question, 100)}: {clean_line(text or '(none)', 500)}")
    return await asker.choose(
        [
            Choice("send", "Send them", ("y", "yes")),
            Choice("again", "Answer again", ("a",)),
            Choice("close", "Close it without an answer", ("c",)),
        ]
    )


async def _answers(form: Form, asker: Asker) -> Answers:
    answers: Answers = {}
    for number, field in enumerate(form.fields, 1):
        of = f" {number} of {len(form.fields)}" if len(form.fields) > 1 else ""
        asker.say(f"Question{of}: {clean(field.question)}")
        answer = await (_choice(field, asker) if field.options else _text(field, asker))
        if answer:
            answers[field.key] = answer
    return answers


async def _text(field: FormField, asker: Asker) -> str:
    needed = "" if field.is_required else " (just Enter leaves it out)"
    while True:
        text = await asker.text(f"Answer{needed}: ")
        problem = field_problem(field, text)
        if not problem:
            return text
        asker.say(problem)


async def _choice(field: FormField, asker: Asker) -> str | list[str]:
    """Return what is chosen of the options: a label, or where several may be chosen a list of them."""
    for number, option in enumerate(field.options, 1):
        said = f": {clean_line(option.description, 500)}" if option.description else ""
        asker.say(f"{number}. {clean_line(option.label, 200)}{said}")
        if option.preview:
            asker.say_all(f"     {line}" for line in clean(option.preview).split("\n"))
    other = ", or an answer of your own" if field.allows_other else ""
    skip = "" if field.is_required else ", just Enter leaves it out"
    many = "Numbers with commas between them" if field.is_multiple else "A number"
    while True:
        typed = await asker.text(f"{many}{other}{skip}: ")
        given, problem = _read(field, typed)
        problem = problem or field_problem(field, given)
        if not problem:
            return given
        asker.say(problem)


def _read(field: FormField, typed: str) -> tuple[str | list[str], str]:
    """Return the answer that was typed, and what is wrong with it."""
    labels = [option.label for option in field.options]
    words = [word.strip() for word in typed.split(",")] if field.is_multiple else [typed.strip()]
    found: list[str] = []
    own: list[str] = []
    for word in filter(None, words):
        if word.isascii() and word.isdigit() and len(word) < 4:
            if not 1 <= int(word) <= len(labels):
                return "", f"There is no answer {word}: they are 1 to {len(labels)}."
            found.append(labels[int(word) - 1])
        else:
            label = next((label for label in labels if label.lower() == word.lower()), None)
            (own if label is None else found).append(label or word)
    if own and not field.allows_other:
        return "", f"“{clean_line(own[0], 60)}” is none of the answers."
    answers = [*dict.fromkeys(found), *([", ".join(own)] if own else [])]
    if field.is_multiple:
        return answers, ""
    return (answers[0] if answers else ""), ""
