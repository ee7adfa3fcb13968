"""The screens about agents: all of them with their types, and the conversation of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

    from tui_agent.boundary import Engine
    from tui_agent.commands import Command, Done, Reply
    from tui_agent.queries import AgentsReport
    from tui_agent.ui.projection.projection import Dirty, Projection

__all__ = ["AgentViews"]


class AgentViews:
    """Opens them over `app`, and hands them what changes. `notify` tells of a command that came too late."""

    def __init__(
        self,
        app: App[Any],
        engine: Callable[[], Engine | None],
        projection: Callable[[], Projection],
        notify: Callable[[str], object],
        clock: Callable[[], float],
    ) -> None:
        self._app = app
        self._engine = engine
        self._projection = projection
        self._notify = notify
        self._clock = clock

    def show_all(self, report: AgentsReport) -> None:
        """Show all agents, and these types."""
        from tui_agent.ui.screens.agents import AgentsScreen

        self._app.push_screen(
            AgentsScreen(
                self._projection(),
                report,
                show=self.show,
                stop=self._stop,
                stop_all=self._stop_all,
                clock=self._clock,
            )
        )

    def show(self, agent_id: str) -> None:
        """Show the conversation of an agent."""
        from tui_agent.ui.screens.agent import AgentScreen

        self._app.push_screen(AgentScreen(self._projection(), agent_id, self._stop, clock=self._clock))

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Let those that are open show what changed."""
        over = self._app.screen_stack[1:]
        if not over:
            return
        from tui_agent.ui.dialogs.live_dialog import LiveDialog

        for screen in over:
            if isinstance(screen, LiveDialog) and screen.is_mounted:
                screen.refresh_from(projection, dirty)

    def _stop(self, agent_id: str) -> None:
        from tui_agent.commands import StopAgent

        self._send(StopAgent(agent_id))

    def _stop_all(self) -> None:
        from tui_agent.commands import StopAgents

        self._send(StopAgents())

    def _send(self, command: Command[Done]) -> None:
        engine = self._engine()
        if engine is not None:
            engine.send(command).then(self._told)

    def _told(self, reply: Reply[Done]) -> None:
        if reply.error:
            self._notify(reply.error)
