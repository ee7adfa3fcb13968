"""How an AskUserQuestion is drawn: the questions, and what was answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.segment import Segment

from tui_agent.text import clean, clean_line
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.tool_text import arguments, count, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]


class View(ToolView):
    """Title `Question Which library? · pendulum`; opens to questions and answers."""

    def name(self, use: ToolUse) -> str:
        return "Question"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        questions = _questions(use)
        if len(questions) == 1:
            return [Run(clean_line(_text(questions[0], "question"), 300), state.palette.text)]
        headers = [clean_line(_text(question, "header"), 40) for question in questions]
        return [Run(", ".join(filter(None, headers)), state.palette.text)]

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        if data.get("declined"):
            words = clean_line(str(data.get("words") or ""), 200)
            return [Run(f"not answered{f': {words}' if words else ''}", state.palette.warning)]
        answers = [answer for question in _questions(use) for answer in _answers(use, question)]
        if not answers:
            return super().outcome(use, state)
        return [Run(", ".join(one_line(answer, 120) for answer in answers), state.palette.accent)]

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        palette = state.palette
        for number, question in enumerate(_questions(use)):
            if number:
                builder.add(())
            _add(builder, _text(question, "question"), width, state, is_strong=True)
            for option in _options(question):
                description = clean_line(_text(option, "description"), 400)
                runs = [Run(one_line(_text(option, "label")), palette.text)]
                if description:
                    runs.append(Run(f"  {description}", palette.muted))
                mark = "○ " if not question.get("multiSelect") else "☐ "
                add_runs(builder, runs, width, first=(Segment(mark, palette.faint),), gutter=0)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        palette, data = state.palette, use.data or {}
        questions = _questions(use)
        if data.get("declined"):
            words = clean(str(data.get("words") or "")).strip()
            said = f"Closed without an answer, saying: {words}" if words else "Closed without an answer."
            add_text(builder, said, palette.warning, width)
            for question in questions:
                _add(builder, _text(question, "question"), width, state)
            return
        if not any(_answers(use, question) for question in questions):
            super().result(use, builder, width, state)
            return
        for question in questions:
            _add(builder, _text(question, "question"), width, state)
            labels = {_text(option, "label") for option in _options(question)}
            for answer in _answers(use, question):
                mark = Segment("● " if answer in labels else "✎ ", palette.accent)
                add_runs(builder, [Run(one_line(answer), palette.strong)], width, first=(mark,), gutter=0)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        add_text(builder, f"ask you {count(len(_questions(use)), 'question')}", state.palette.muted, width)
        self.preview(use, builder, width, state)


def _add(builder: LinesBuilder, text: str, width: int, state: RenderState, *, is_strong: bool = False) -> None:
    style = state.palette.strong if is_strong else state.palette.muted
    add_text(builder, clean(text).strip(), style, width)


def _questions(use: ToolUse) -> Sequence[Mapping[str, Any]]:
    """Return the questions as far as they are known."""
    known = arguments(use).get("questions")
    return [question for question in known if isinstance(question, Mapping)] if isinstance(known, list) else []


def _options(question: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    known = question.get("options")
    return [option for option in known if isinstance(option, Mapping)] if isinstance(known, list) else []


def _answers(use: ToolUse, question: Mapping[str, Any]) -> list[str]:
    """Return what a question was answered with."""
    answers = (use.data or {}).get("answers")
    given = answers.get(_text(question, "question")) if isinstance(answers, Mapping) else None
    return [str(answer) for answer in (given if isinstance(given, list) else [given] if given else [])]


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""
