"""A status line of the user's own: a command that gets the session's state as JSON and prints what is shown.

It runs when something has changed, a moment later and never twice at once; a newer run ends the one before. What it prints is
shown in its own colours, cleaned, a few lines at most. Where a folder is not trusted, or hooks are off, it does not run.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tui_agent import __version__
from tui_agent.hooks.process import ProcessStartError, run_process
from tui_agent.secrets.names import is_secret
from tui_agent.viewkit.ansi import ansi_lines
from tui_agent.viewkit.runs import Run, add_runs, crop
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

if TYPE_CHECKING:
    from tui_agent.queries import StatusLineCommand
    from tui_agent.ui.projection.projection import Projection

__all__ = ["OutputView", "StatusCommand", "state_of"]

_CALM_S: Final = 0.3  # from a change until it runs
_LIMIT_S: Final = 5.0
_MOST_LINES: Final = 3
_WIDEST: Final = 1_000


@dataclass(frozen=True)
class OutputView:
    """What the command printed, cut at the width; `padding` columns stay free at both sides."""

    text: str
    padding: int = 0

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return its first lines."""
        builder = LinesBuilder()
        blank = Run(" " * self.padding, state.palette.muted)
        for runs in list(ansi_lines(self.text, state.palette.muted))[:_MOST_LINES]:
            add_runs(builder, (blank, *runs), _WIDEST)
        return crop(builder.build(), max(1, width - self.padding))


class StatusCommand:
    """Runs the command of the settings in force. `show` gets what it printed, with the padding; empty: nothing to show."""

    def __init__(
        self, session_id: str, show: Callable[[str, int], object], size: Callable[[], tuple[int, int]]
    ) -> None:
        self._session_id = session_id
        self._show = show
        self._size = size
        self._run: asyncio.Task[None] | None = None
        self._again: asyncio.TimerHandle | None = None
        self._last = ""  # the state that the last run was given

    def follow(self, projection: Projection, line: StatusLineCommand) -> None:
        """Take in how things stand; run the command if it has not been told so yet."""
        if not projection.status.is_trusted:
            return
        state = json.dumps(state_of(projection, self._session_id))
        if state != self._last:
            self._last = state
            self._start(line.command, line.padding, line.refresh_interval)

    def _start(self, command: str, padding: int, interval: float | None, delay_s: float = _CALM_S) -> None:
        self.close()
        self._run = asyncio.create_task(self._go(command, padding, interval, delay_s))

    async def _go(self, command: str, padding: int, interval: float | None, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        columns, lines = self._size()
        environment = {name: value for name, value in os.environ.items() if not is_secret(name)}
        environment |= {"COLUMNS": str(columns), "LINES": str(lines)}
        folder = json.loads(self._last)["cwd"]
        try:
            done = await run_process(
                ["/bin/sh", "-c", command],
                stdin=self._last.encode(),
                folder=folder,
                environment=environment,
                timeout_s=_LIMIT_S,
            )
        except ProcessStartError:
            self._show("", padding)
        else:
            text = done.stdout.decode("utf-8", "replace") if done.exit_code == 0 else ""
            self._show(text.strip("\n"), padding)
        if interval is not None:
            loop = asyncio.get_running_loop()
            self._again = loop.call_later(interval, self._start, command, padding, interval, 0.0)

    def close(self) -> None:
        """End what runs, and run no more by itself."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        if self._run is not None:
            self._run.cancel()
            self._run = None


def state_of(projection: Projection, session_id: str) -> dict[str, Any]:
    """Return the state of a session as status line commands know it."""
    status, total = projection.status, projection.cost.total
    share = 100 * status.context_tokens / status.context_size if status.context_size else None
    return {
        "session_id": session_id,
        "cwd": status.cwd,
        "version": __version__,
        "model": {"id": status.model, "display_name": status.model},
        "workspace": {"current_dir": status.cwd, "project_dir": status.cwd, "added_dirs": []},
        "output_style": {"name": "default"},
        "permission_mode": status.mode,
        "cost": {"total_cost_usd": status.cost_usd or 0.0},
        "context_window": {
            "total_input_tokens": total.prompt_tokens,
            "total_output_tokens": total.output_tokens,
            "context_window_size": status.context_size,
            "used_percentage": round(share) if share is not None and status.context_tokens else None,
            "remaining_percentage": 100 - round(share) if share is not None and status.context_tokens else None,
        },
        "exceeds_200k_tokens": status.context_tokens > 200_000,
    }
