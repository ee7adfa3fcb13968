"""How a WebFetch is drawn: the address, what the server said, and how the text begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tui_agent.hosts import host_of
from tui_agent.text import clean
from tui_agent.viewkit.markdown import MarkdownView
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.tool_text import argument, arguments, count, one_line
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, RenderState

__all__ = ["View"]

_LINES: Final = 40  # of the text
_CHARS: Final = 6_000
_DRAWN_TYPES: Final = frozenset({"text/html", "application/xhtml+xml", "text/markdown"})
_SAID: Final = frozenset({"url", "prompt"})
_WORDS: Final = {"max_length": "at most", "offset": "from character"}


class View(ToolView):
    """Title `WebFetch docs.python.org/3/ · 200 · 34.2 KB`; opens to the beginning of the text, or to the answer."""

    def question(self, use: ToolUse) -> str:
        return "Fetch this page?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        url = argument(use, "url")
        if not url:
            return []
        runs = [Run(one_line(url.removeprefix("https://"), 300), state.palette.text)]
        prompt = argument(use, "prompt").strip()
        return [*runs, Run(f" “{one_line(prompt, 200)}”", state.palette.muted)] if prompt else runs

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        data, palette = use.data or {}, state.palette
        code = data.get("code")
        if not isinstance(code, int):
            return super().outcome(use, state)
        target = data.get("redirectUrl")
        if isinstance(target, str):
            return [Run("leads to ", palette.warning), Run(host_of(target) or one_line(target, 80), palette.warning)]
        parts = [str(code), _size(data)]
        if data.get("savedTo"):
            parts.append("kept")
        elif data.get("isAnswer"):
            parts.append("answered")
        return [Run(" · ".join(filter(None, parts)), palette.muted)]

    def failure(self, use: ToolUse, state: RenderState) -> list[Run]:
        data = use.data or {}
        code, words = data.get("code"), data.get("codeText")
        if isinstance(code, int) and isinstance(words, str):
            return [Run(one_line(f"{code} {words}", 80), state.palette.error)]
        return super().failure(use, state)

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        prompt = clean(argument(use, "prompt")).strip()
        if len(prompt) > width // 2:  # the title has no room for it
            add_text(builder, prompt, state.palette.muted, width)

    def progress(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        self.preview(use, builder, width, state)
        super().progress(use, builder, width, state)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        data, palette = use.data or {}, state.palette
        self.preview(use, builder, width, state)
        title = data.get("title")
        text = data.get("result")
        text = text if isinstance(text, str) else use.text
        if isinstance(title, str) and title and not text.startswith("# "):
            add_runs(builder, [Run(one_line(title, 300), palette.strong)], width)
        shown, hidden = _beginning(text)
        if data.get("isAnswer") or str(data.get("contentType")) in _DRAWN_TYPES:
            builder.extend(MarkdownView(shown).render(width, state))
        else:
            add_text(builder, clean(shown), palette.text, width)
        if hidden:
            add_text(builder, f"… {count(hidden, 'more character')}", palette.faint, width)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        url = argument(use, "url")
        host = host_of(url) or ""
        fields = [("fetch", url), ("host", host if host not in url else ""), ("and ask", argument(use, "prompt"))]
        rest = [(_WORDS.get(key, key), str(value)) for key, value in arguments(use).items() if key not in _SAID]
        self.add_fields(builder, [*fields, *rest], width, state)


def _beginning(text: str) -> tuple[str, int]:
    """Return the first lines, and how many characters come after them."""
    text = text.strip("\n")
    lines = text[:_CHARS].split("\n")
    shown = "\n".join(lines[:_LINES])
    hidden = len(text) - len(shown)
    if hidden and _is_in_fence(lines[:_LINES]):
        shown += "\n```"
    return shown, hidden


def _is_in_fence(lines: Sequence[str]) -> bool:
    return sum(line.lstrip().startswith("```") for line in lines) % 2 == 1


def _size(data: Mapping[str, Any]) -> str:
    size = data.get("bytes")
    if not isinstance(size, int):
        return ""
    if size < 1000:
        return count(size, "byte")
    return f"{size / 1000:.1f} KB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
