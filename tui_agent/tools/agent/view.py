"""How an agent's tool use is drawn: the task, how far it is, its answer. What it did itself is drawn below by the host."""

from __future__ import annotations

from typing import Any, Final

from tui_agent.text import clean, clean_line
from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.tool_text import argument, arguments, count, duration, one_line, tokens
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_PREVIEW_CHARS: Final = 2_000
_ANSWER_CHARS: Final = 12_000
_SAID: Final = frozenset({"description", "prompt", "steps", "subagent_type"})


class View(ToolView):
    """Title `Agent Explore: find the callers · 12 tool uses · 34k tokens · 1m 05s`; opens to the answer."""

    def question(self, use: ToolUse) -> str:
        return "Start this agent?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        palette = state.palette
        steps = arguments(use).get("steps")
        about = one_line(argument(use, "description") or argument(use, "prompt"), 200)
        if isinstance(steps, list) and steps:
            return [Run(count(len(steps), "step"), palette.text), *([Run(f" {about}", palette.muted)] if about else [])]
        type = argument(use, "subagent_type")
        kind = [Run(f"{one_line(type, 60)}: ", palette.accent)] if type else []
        return [*kind, Run(about, palette.text)]

    def so_far(self, use: ToolUse, state: RenderState) -> list[Run]:
        message = (use.progress or {}).get("message")
        return [Run(clean_line(message, 200), state.palette.muted)] if isinstance(message, str) and message else []

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data, palette = use.data or {}, state.palette
        match data.get("status"):
            case "async_launched":
                return [Run("works in the background", palette.accent)]
            case "delivered":
                return [Run("delivered", palette.muted)]
        steps = data.get("steps")
        if isinstance(steps, list):
            return [Run(count(len(steps), "step"), palette.muted)]
        return [Run(_spent(data) or "done", palette.muted)]

    def failure(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        steps, total = data.get("steps"), data.get("total")
        if isinstance(steps, list) and isinstance(total, int):
            return [Run(f"failed at step {len(steps)} of {total}", state.palette.error)]
        detail = data.get("detail")
        if isinstance(detail, str) and detail:
            return [Run(clean_line(detail, 200), state.palette.error)]
        return super().failure(use, state)

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        palette = state.palette
        for number, step in enumerate(_steps(use), 1):
            words = f"{number}. {clean_line(str(step.get('tool', '')), 60)} {one_line(_first(step), 200)}"
            add_runs(builder, [Run(words, palette.muted)], width)
        prompt = clean(argument(use, "prompt")).strip()
        if prompt:
            shown = prompt if len(prompt) <= _PREVIEW_CHARS else f"{prompt[:_PREVIEW_CHARS]}…"
            add_text(builder, shown, palette.muted, width)

    def progress(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self.preview(use, builder, width, state)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        data = use.data or {}
        if isinstance(data.get("steps"), list):
            for number, step in enumerate(_of(data["steps"]), 1):
                is_error = bool(step.get("is_error"))
                style = state.palette.error if is_error else state.palette.muted
                how = "failed" if is_error else "done"
                words = f"{number}. {clean_line(str(step.get('tool', '')), 60)} {one_line(_first(step), 160)} · {how}"
                add_runs(builder, [Run(words, style)], width)
            return
        content = data.get("content")
        text = _of(content)[0].get("text", "") if isinstance(content, list) and _of(content) else use.text
        text = str(text).strip()
        shown = text if len(text) <= _ANSWER_CHARS else text[:_ANSWER_CHARS]
        builder.extend(MarkdownView(shown).render(width, state))
        if len(text) > len(shown):
            add_text(builder, f"… {count(len(text) - len(shown), 'more character')}", state.palette.faint, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        steps = [f"{step.get('tool', '')} {_first(step)}" for step in _steps(use)]
        fields = [
            ("type", argument(use, "subagent_type") or ("" if steps else "general-purpose")),
            ("task", argument(use, "prompt")),
            *((f"step {number}", words) for number, words in enumerate(steps, 1)),
        ]
        rest = [(key, str(value)) for key, value in arguments(use).items() if key not in _SAID]
        self.add_fields(builder, [*fields, *rest], width, state)


def _spent(data: dict[str, Any]) -> str:
    uses, used, took = data.get("totalToolUseCount"), data.get("totalTokens"), data.get("totalDurationMs")
    parts = [
        count(uses, "tool use") if isinstance(uses, int) and uses else "",
        f"{tokens(used)} tokens" if isinstance(used, int) and used else "",
        duration(took) if isinstance(took, int | float) and took else "",
    ]
    return " · ".join(filter(None, parts))


def _steps(use: ToolUse) -> list[dict[str, Any]]:
    return _of(arguments(use).get("steps"))


def _of(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _first(step: dict[str, Any]) -> str:
    """Return the first short argument of a step."""
    given = step.get("input")
    values = given.values() if isinstance(given, dict) else ()
    return next((value for value in values if isinstance(value, str) and value), "")
