"""Plan mode of one session: the plan's file, the instructions for the model, and the mode that follows it.

The plan is put to the user by a tool; the mode they choose with their yes waits here until the tool has its turn.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from tui_agent.engine.gate.permission_mode import PermissionMode
from tui_agent.permissions.modes import Mode
from tui_agent.queries import PlanOffer
from tui_agent.regular_files import open_regular

__all__ = ["PlanMode", "plan_file"]

_LARGEST: Final = 1_000_000  # bytes of a plan that are read
_MEANING: Final = (
    "Plan mode is on: read, search and think, but change nothing. Edits, and commands that do more than read, are refused "
    "until the user has approved a plan, whatever else you were told."
)


def plan_file(folder: str | None, *, state: Path, project_root: Path, name: str) -> Path:
    """Return the file of a session's plan. `folder` is the setting: at home with `~`, else from the project's root on."""
    if not folder:
        return state / "plans" / f"{name}.md"
    return Path(os.path.abspath(project_root / Path(folder).expanduser())) / f"{name}.md"  # noqa: PTH100 - links stay


class PlanMode:
    """Implements `tools.services.PlanService`, and is where a session says what the user chose.

    `tools` gives the names of those there are: what is not there is not spoken of.
    """

    def __init__(
        self,
        file: Path,
        *,
        mode: PermissionMode,
        tools: Callable[[], Collection[str]],
        is_attended: bool,
    ) -> None:
        self._file = file
        self._mode = mode
        self._tools = tools
        self._is_attended = is_attended
        self._chosen: Mode | None = None
        self._text = ""

    # --- for the tools -----------------------------------------------------------------------------------------------

    @property
    def is_on(self) -> bool:
        return self._mode.now == "plan"

    @property
    def file(self) -> Path:
        return self._file

    @property
    def note(self) -> str:
        tools = self._tools()
        parts = [_MEANING]
        if "Write" in tools:
            parts.append(f"The one file you may write is the plan: {self._file} (Markdown; Write, then Edit).")
        parts.append(
            "A plan says what changes and why, names files and steps, says how it will be verified, and is short."
        )
        if self._is_attended and "ExitPlanMode" in tools:
            parts.append("Ask what only the user can decide. When the plan is complete, call ExitPlanMode.")
        else:
            parts.append("Nobody is here to approve it: give the whole plan as your final answer.")
        return " ".join(parts)

    def read(self) -> str:
        try:
            with os.fdopen(open_regular(self._file), "rb") as file:
                return file.read(_LARGEST).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def write(self, text: str) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=".plan-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            Path(name).replace(self._file)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
        self._text = text

    def enter(self) -> None:
        self._mode.change("plan", is_told=True)

    def present(self, text: str) -> None:
        self._text = text
        self._chosen = None

    def leave(self) -> str:
        chosen, self._chosen = self._chosen, None
        if chosen is not None or self.is_on:
            self._mode.change(chosen or self._mode.before_plan, is_told=True)
        return self._mode.now

    # --- for the session ---------------------------------------------------------------------------------------------

    def offer(self) -> PlanOffer:
        """Return the plan as it is put to the user."""
        modes: list[Mode] = ["acceptEdits", "default"]
        if self._mode.may_bypass:
            modes.append("bypassPermissions")
        return PlanOffer(text=self._text, file=str(self._file), modes=tuple(modes), before=self._mode.before_plan)

    def reload(self) -> None:
        """Put to the user what the plan's file says now.

        Raises:
            OSError: it cannot be read.
        """
        self._text = self.read()

    def choose(self, mode: Mode) -> None:
        """The user approves, and wants the work to go on in this mode."""
        if mode != "bypassPermissions" or self._mode.may_bypass:
            self._chosen = mode
