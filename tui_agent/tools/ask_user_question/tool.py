"""AskUserQuestion: put up to four questions to the user, each with answers to choose from, and wait for the answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field

from tui_agent.tools.base import (
    Allow,
    Claims,
    Deny,
    Invalid,
    Opinion,
    Progress,
    Result,
    Tool,
    ToolContext,
    ToolInput,
    Valid,
    Validity,
)
from tui_agent.tools.forms import Answers, Form, FormField, Option, words_of

__all__ = ["NOBODY", "TOOL", "AskUserQuestionTool"]

NOBODY: Final = (
    "nobody is there to answer. Decide yourself where a wrong choice can be taken back; "
    "else end your reply with the question."
)


class Choice(ToolInput):
    """One answer to choose."""

    label: Annotated[str, Field(min_length=1, description="The answer in one to five words.")]
    description: Annotated[str, Field(description="What choosing it means or leads to.")]
    preview: Annotated[
        str | None,
        Field(description="Something to look at while it is under the cursor: a mock-up, a piece of code, a variant."),
    ] = None


class Question(ToolInput):
    """One question."""

    question: Annotated[str, Field(min_length=1, description="The whole question, with a question mark at its end.")]
    header: Annotated[str, Field(min_length=1, max_length=12, description="A word or two for its tab: “Library”.")]
    options: Annotated[
        list[Choice],
        Field(
            min_length=2, max_length=4, description="The answers. A free text is always offered besides; do not add it."
        ),
    ]
    multiSelect: Annotated[bool, Field(description="Whether several answers may be chosen.")] = False  # noqa: N815


class AskUserQuestionInput(ToolInput):
    """What is asked."""

    questions: Annotated[list[Question], Field(min_length=1, max_length=4, description="The questions, in order.")]


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What was asked and answered; `answers` is None where the user closed the questions, perhaps with `words`."""

    input: AskUserQuestionInput
    answers: Answers | None
    words: str = ""


class AskUserQuestionTool(Tool[AskUserQuestionInput, None, QuestionOutcome]):
    """Puts a form to the user. The form is the permission, so nothing else is asked."""

    name = "AskUserQuestion"
    search_hint = "ask question choose decide preference clarify options person"
    Input = AskUserQuestionInput
    interrupt_behavior: ClassVar[Literal["block", "cancel"]] = "cancel"

    def description(self) -> str:
        return (
            "Asks the user up to four questions with two to four answers each, and waits for what they choose.\n"
            "- They can always write an answer of their own, or close the questions without answering.\n"
            "- `multiSelect` lets them choose several answers; then the answers must not exclude each other.\n"
            "- Put the answer you recommend first and say so in its label: “SQLite (recommended)”.\n"
            "- `preview` shows what is better seen than told, such as a layout or code."
        )

    def prompt(self) -> str:
        return (
            "Ask with AskUserQuestion when what to do depends on a choice that is the user's and that neither the request "
            "nor the code answers. Do not ask for permission to go on, and do not ask what you can look up."
        )

    def is_concurrency_safe(self, input: AskUserQuestionInput) -> bool:
        return True

    def is_read_only(self, input: AskUserQuestionInput) -> bool:
        return True

    def claims(self, input: AskUserQuestionInput) -> Claims:
        return Claims()

    async def validate(self, input: AskUserQuestionInput, ctx: ToolContext) -> Validity[None]:
        asked = [question.question.strip() for question in input.questions]
        if "" in asked:
            return Invalid("A question says nothing.", "blank")
        if len(set(asked)) < len(asked):
            return Invalid("Two questions are the same; answers are told apart by their question.", "same_question")
        for question in input.questions:
            labels = [option.label.strip() for option in question.options]
            if "" in labels:
                return Invalid(f"An answer to “{question.question}” is empty.", "blank")
            if len({label.casefold() for label in labels}) < len(labels):
                return Invalid(f"Two answers to “{question.question}” are the same.", "same_option")
        return Valid(None)

    async def check_permissions(self, input: AskUserQuestionInput, ctx: ToolContext) -> Opinion:
        return Deny(NOBODY) if ctx.ask_user is None else Allow()

    async def call(
        self, input: AskUserQuestionInput, plan: None, ctx: ToolContext
    ) -> AsyncIterator[Progress | Result[QuestionOutcome]]:
        assert ctx.ask_user is not None, "refused by `check_permissions`"
        answers = await ctx.ask_user(_form(input))
        words = words_of(answers) if answers else ""
        yield Result(QuestionOutcome(input, None if words or not answers else answers, words))

    def to_result(self, output: QuestionOutcome) -> str:
        if output.answers is None:
            text = "The user closed the questions without answering."
            if output.words:
                return f"{text} They said instead:\n{output.words}"
            return f"{text} Do not ask the same again; go on without the answers where that is safe, or wait for them."
        parts = ["The user answered:"]
        for question in output.input.questions:
            chosen, own = _split(question, output.answers.get(question.question, ""))
            answers = [*chosen, *(f"in their own words: {text}" for text in own)]
            parts.append(f"\n{question.question}\n→ {'; '.join(answers)}")
        return "\n".join(parts)

    def to_data(self, output: QuestionOutcome) -> dict[str, Any]:
        return {
            "questions": [question.model_dump(exclude_none=True) for question in output.input.questions],
            "answers": output.answers or {},
            "declined": output.answers is None,
            "words": output.words,
        }


def _form(input: AskUserQuestionInput) -> Form:
    fields = tuple(
        FormField(
            key=question.question,
            question=question.question,
            header=question.header,
            options=tuple(
                Option(label=option.label, description=option.description, preview=option.preview or "")
                for option in question.options
            ),
            is_multiple=question.multiSelect,
            allows_other=True,
        )
        for question in input.questions
    )
    return Form(title="A question" if len(fields) == 1 else f"{len(fields)} questions", fields=fields, takes_words=True)


def _split(question: Question, answer: str | list[str]) -> tuple[list[str], list[str]]:
    """Return what of an answer was chosen, and what was written."""
    labels = {option.label for option in question.options}
    given = [answer] if isinstance(answer, str) else answer
    return [text for text in given if text in labels], [text.strip() for text in given if text not in labels]


TOOL = AskUserQuestionTool
