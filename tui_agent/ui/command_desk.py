"""Carries out the commands that a person types after `/` or takes from the palette."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from tui_agent.ui import commands

if TYPE_CHECKING:
    from tui_agent.ui.app import TuiAgentApp
    from tui_agent.ui.main_screen import MainScreen

__all__ = ["CommandDesk"]


class CommandDesk:
    """One method a command, each with what followed its name. `models` gives names with words on them, for the chooser."""

    def __init__(self, app: TuiAgentApp, models: Callable[[], Iterable[tuple[str, str]]]) -> None:
        self._app = app
        self._models = models
        self._doers: dict[str, Callable[[str], object]] = {
            "help": self._help,
            "clear": self._clear,
            "model": self._model,
            "mode": self._mode,
            "theme": self._theme,
            "status": self._status,
            "tasks": self._tasks,
            "tool": self._tool,
            "quit": self._quit,
        }

    def run(self, name: str, argument: str = "") -> None:
        """Carry out a command, or say that there is none of this name."""
        command = commands.find(name)
        if command is None:
            self._app.tell(f"There is no command /{name}.", "/help lists the commands.")
        else:
            self._doers[command.name](argument)

    def palette(self, screen: MainScreen) -> Iterable[SystemCommand]:
        """Return all that the palette offers: the commands, and what the keys of the session's screen do."""
        for command in commands.COMMANDS:
            yield SystemCommand(command.name.capitalize(), command.words, partial(self.run, command.name))
        yield SystemCommand("Tools", "what runs and ran", partial(screen.action_pane, "tools"))
        yield SystemCommand("Diff", "what changed", partial(screen.action_pane, "diff"))
        yield SystemCommand("Tasks", "some of the model's plan, all of it, or none", screen.action_tasks)
        yield SystemCommand("Details", "open or fold everything in the conversation", screen.action_details)

    def _help(self, _argument: str) -> None:
        from tui_agent.ui.help_text import sections
        from tui_agent.ui.screens.help import HelpScreen

        self._app.push_screen(HelpScreen(sections()))

    def _clear(self, _argument: str) -> None:
        if self._app.engine is not None:
            self._app.engine.clear()

    def _model(self, name: str) -> None:
        from tui_agent.ui.screens.choosers import Choice, ModelChooser

        if name:
            self._set_model(name)
        else:
            choices = [Choice(model, words) for model, words in self._models()]
            self._app.push_screen(ModelChooser(choices, current=self._app.projection.status.model), self._set_model)

    def _set_model(self, name: str | None) -> None:
        if name and self._app.engine is not None:
            self._app.engine.set_model(name)

    def _mode(self, name: str) -> None:
        from tui_agent.ui.screens.choosers import ModeChooser

        if name:
            self._set_mode(name)
        else:
            self._app.push_screen(ModeChooser(current=self._app.projection.status.mode), self._set_mode)

    def _set_mode(self, name: str | None) -> None:
        from tui_agent.permissions.modes import MODES

        if not name:
            return
        mode = next((mode for mode in MODES if mode.lower() == name.lower()), None)
        if mode is None:
            self._app.tell(f"There is no mode {name}.", f"There are {', '.join(MODES)}.")
        elif self._app.engine is not None:
            self._app.engine.set_mode(mode)

    def _theme(self, name: str) -> None:
        from tui_agent.ui.screens.choosers import ThemeChooser

        if name:
            self._set_theme(name)
        else:
            self._app.push_screen(ThemeChooser(self._app.available_themes, current=self._app.theme), self._set_theme)

    def _set_theme(self, name: str | None) -> None:
        if name and name in self._app.available_themes:
            self._app.theme = name
            try:
                self._app.keep_theme(name)
            except (OSError, ValueError) as error:
                self._app.tell(f"The theme counts for this run only: {error}")
        elif name:
            self._app.tell(f"There is no theme {name}.", "/theme lists them.")

    def _status(self, _argument: str) -> None:
        from tui_agent.ui.screens.help import HelpScreen
        from tui_agent.ui.status_text import sections

        self._app.push_screen(HelpScreen(sections(self._app.projection), "Status"))

    def _tasks(self, _argument: str) -> None:
        self._app.show_jobs()

    def _tool(self, line: str) -> None:
        engine = self._app.engine
        if engine is None:
            return
        problem = engine.run_tool(line)
        if problem:
            self._app.tell(problem)
            self._app.draft(f"/tool {line}")  # to be mended

    def _quit(self, _argument: str) -> None:
        self._app.exit(0)
