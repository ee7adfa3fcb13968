"""How a Bash is drawn: the command in its colours, and what it prints in the colours it chose."""

from __future__ import annotations

import re
from typing import Final

from tui_agent.text import clean, clean_line, is_odd
from tui_agent.viewkit.ansi import add_output
from tui_agent.viewkit.change_body import diff_of
from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.plain import add_text
from tui_agent.viewkit.runs import Run
from tui_agent.viewkit.tool_text import (
    argument,
    arguments,
    count,
    display_path,
    duration,
    error_text,
    one_line,
    time_limit,
)
from tui_agent.viewkit.tool_use import ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = ["View"]

_EXIT: Final = re.compile(r"^Exit code (-?\d+)$", re.MULTILINE)
_SAID: Final = frozenset({"command", "description", "cwd", "env", "timeout", "run_in_background"})
_UNTIL_THEN: Final = "What it had printed until then:\n"


class View(ToolView):
    """Title `Bash pytest -q · exit 1 · 3.2s`; opens to the command and its output, live while it runs.

    A substitution that was shown as a change (`sed -i`) opens to that.
    """

    def question(self, use: ToolUse) -> str:
        return f"Change {display_path(use.change.path, use.base)}?" if use.change is not None else "Run this command?"

    def subject(self, use: ToolUse, state: RenderState) -> list[Run]:
        lines = argument(use, "command").strip().split("\n")
        return [Run(" ⏎ ".join(one_line(line) for line in lines[:5]), state.palette.text)] if lines != [""] else []

    def outcome(self, use: ToolUse, state: RenderState) -> list[Run]:
        palette = state.palette
        if _job(use):
            return [Run("in the background", palette.accent)]
        if use.change is not None:
            sizes = [Run(f"+{use.change.added}", palette.success), Run(f" −{use.change.removed}", palette.error)]
            if use.refused_hunks:
                sizes.append(Run(f", {count(use.refused_hunks, 'hunk')} refused", palette.warning))
            return sizes
        code = _exit_code(use)
        took = [Run(duration(use.run_ms), palette.muted)]
        if code is None or code == 0:
            return took
        return [Run(f"exit {code}", state.palette.muted), Run(" · ", state.palette.faint), *took]

    def failure(self, use: ToolUse, state: RenderState) -> list[Run]:
        code, palette = _exit_code(use), state.palette
        if code is None:
            return super().failure(use, state)
        took = Run(duration(use.run_ms), palette.muted)
        return [Run(f"exit {code}", palette.error), Run(" · ", palette.faint), took]

    def body(self, use: ToolUse, width: int, state: RenderState) -> Rendered:
        if use.change is not None and not use.is_error and not use.is_rejected:
            return diff_of(use, use.change).render(width, state)
        return super().body(use, width, state)

    def request(self, use: ToolUse, width: int, state: RenderState) -> Rendered:
        return super().request(use, width, state) if use.change is None else DiffView(use.change).render(width, state)

    def preview(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        _add_command(use, builder, width, state)

    def progress(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        _add_long_command(use, builder, width, state)
        super().progress(use, builder, width, state)

    def result(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        _add_long_command(use, builder, width, state)
        if _job(use):
            _add_job(use, builder, width, state)
            return
        output = _output(use)
        if output.strip():
            add_output(builder, output, width, state.palette)
        else:
            add_text(builder, "no output", state.palette.faint, width)

    def error(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        _add_long_command(use, builder, width, state)
        if _exit_code(use) is None or not _output(use).strip():
            super().error(use, builder, width, state)
            return
        head = error_text(use).partition("\n")[0]
        if head:
            add_text(builder, head, state.palette.error, width)
        add_output(builder, _output(use), width, state.palette)

    def stopped(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        _add_long_command(use, builder, width, state)
        _, _, printed = error_text(use).partition(_UNTIL_THEN)
        self.add_output_so_far(use, printed, builder, width, state)

    def ask(self, use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
        palette = state.palette
        if is_odd(argument(use, "command")):
            odd = "This command holds characters that do not show; here they are spelled out."
            add_text(builder, odd, palette.warning, width)
            builder.add(())
        _add_command(use, builder, width, state)  # first, so that it is seen where there is room for a line only
        values = arguments(use)
        timeout, env = values.get("timeout"), values.get("env")
        folder = argument(use, "cwd") or use.cwd or use.base
        facts = [
            clean(argument(use, "description")).strip(),
            f"in {clean_line(folder)}" if folder else "",
            _how_long(timeout if isinstance(timeout, int) else None, is_job=bool(values.get("run_in_background"))),
        ]
        said = " · ".join(filter(None, facts))
        if said:
            add_text(builder, said, palette.muted, width)
        fields: list[tuple[str, str]] = []
        if isinstance(env, dict):
            settings = [f"{name}={value}".replace("\n", "⏎") for name, value in env.items()]
            fields.append(("with", "\n".join(settings)))
        fields += [(key, str(value)) for key, value in values.items() if key not in _SAID and value is not None]
        if any(value for _, value in fields):
            self.add_fields(builder, fields, width, state)


def _how_long(timeout_ms: int | None, *, is_job: bool) -> str:
    """Return where a command runs and when it is stopped; empty where neither is out of the ordinary."""
    if is_job:
        limit = "until it ends or is stopped" if timeout_ms is None else f"for at most {time_limit(timeout_ms)}"
        return f"in the background, {limit}"
    return "" if timeout_ms is None else f"stops after {time_limit(timeout_ms)}"


def _add_command(use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
    """Add the whole command, nothing in it hidden."""
    view = CodeView(argument(use, "command"), language="bash", has_numbers=False, is_revealed=True)
    builder.extend(view.render(width, state))


def _add_long_command(use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
    """Add a command that the title had no room for."""
    command = argument(use, "command").strip()
    if "\n" in command or len(command) > width - len("Bash ") - len(" · exit 1 · 3.2s"):
        _add_command(use, builder, width, state)
        builder.add(())


def _job(use: ToolUse) -> str:
    """Return the id of the job that the command goes on as; empty where it does not."""
    return str((use.data or {}).get("backgroundTaskId") or "")


def _add_job(use: ToolUse, builder: LinesBuilder, width: int, state: RenderState) -> None:
    """Add what a command had printed before it went on in the background, and where the rest goes."""
    palette, output = state.palette, _output(use)
    why = use.text.partition("\n")[0]
    if not why.startswith("Started "):
        add_text(builder, clean(why), palette.warning, width)
        if output.strip():
            add_output(builder, output, width, palette)
    path = str((use.data or {}).get("persistedOutputPath") or "")
    where = f", all it prints goes to {display_path(path, use.base)}" if path else ""
    add_text(builder, f"runs in the background as {_job(use)}{where}", palette.muted, width)


def _exit_code(use: ToolUse) -> int | None:
    """Return the program's exit code; None where it did not end by itself."""
    data = use.data or {}
    code = data.get("exitCode")
    if data.get("interrupted") or isinstance(code, int):
        return None if data.get("interrupted") else code
    match = _EXIT.search(use.text[:2000])
    return int(match[1]) if match else None


def _output(use: ToolUse) -> str:
    """Return what the program printed, in its order where that is known: apart, its streams have lost it."""
    data = use.data or {}
    streams = [stream.strip("\n") for key in ("stdout", "stderr") if isinstance(stream := data.get(key), str)]
    if not streams or (all(streams) and len(streams) > 1 and not use.is_error):
        return use.text
    return "\n".join(filter(None, streams))
