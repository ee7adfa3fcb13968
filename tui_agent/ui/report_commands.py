"""The commands that show what is in force and what was used: permissions, hooks, settings, trust, status, cost, context."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from tui_agent.commands import ConfirmSettings, DropResult, ManageMcpServer, McpAction, ReloadSettings, SetSpendingLimit
from tui_agent.queries import (
    AgentsQuery,
    AgentsReport,
    ContextQuery,
    HooksQuery,
    McpQuery,
    PermissionsQuery,
    Query,
    SettingsQuery,
    SkillsQuery,
    ToolList,
    ToolsQuery,
    WithheldQuery,
)

if TYPE_CHECKING:
    from tui_agent.commands import Done, Reply
    from tui_agent.queries import (
        ContextReport,
        HooksReport,
        McpReport,
        PermissionsReport,
        SettingsReport,
        SkillList,
        WithheldReport,
    )
    from tui_agent.ui.session_app import SessionApp

__all__ = ["ReportCommands"]

A = TypeVar("A")
_MCP_ACTIONS: Final[dict[str, McpAction]] = {
    "reconnect": "reconnect",
    "enable": "enable",
    "disable": "disable",
    "approve": "approve",
    "login": "sign_in",
    "logout": "sign_out",
}


class ReportCommands:
    """One method a command, each with what followed its name."""

    def __init__(self, app: SessionApp) -> None:
        self._app = app
        self.doers: dict[str, Callable[[str], object]] = {
            "permissions": self._permissions,
            "hooks": self._hooks,
            "mcp": self._mcp,
            "settings": self._settings,
            "agents": self._agents,
            "skills": self._skills,
            "trust": self._trust,
            "status": self._status,
            "cost": self._cost,
            "context": self._context,
        }

    def _permissions(self, call: str) -> None:
        engine = self._app.engine

        def show(report: PermissionsReport | None, found: ToolList) -> None:
            if engine is None or report is None:
                self._app.notify_user("Permissions are not available in a replay.")
                return
            from tui_agent.ui.screens.permissions import PermissionsScreen

            self._app.push_screen(PermissionsScreen(engine, report, [tool.name for tool in found.tools], call=call))

        if engine is None:
            show(None, ToolList())
        else:
            engine.query(ToolsQuery()).then(
                lambda tools: engine.query(PermissionsQuery()).then(lambda r: show(r, tools))
            )

    def _hooks(self, _argument: str) -> None:
        def show(report: HooksReport | None) -> None:
            if report is None:
                self._app.notify_user("Hooks are not available in a replay.")
                return
            from tui_agent.ui.screens.hooks import HooksScreen

            self._app.push_screen(HooksScreen(report, self._app.projection.hooks.runs))

        self._ask(HooksQuery(), show)

    def _agents(self, _argument: str) -> None:
        def show(report: AgentsReport | None) -> None:
            if report is None and not self._app.projection.agents:
                self._app.notify_user("There are no agents in this recording.", level="info")
            else:
                self._app.agent_views.show_all(report or AgentsReport())

        self._ask(AgentsQuery(), show)

    def _skills(self, _argument: str) -> None:
        def show(found: SkillList | None) -> None:
            if found is None:
                self._app.notify_user("Skills are not available in a replay.")
                return
            from tui_agent.ui.screen_text.skill_text import sections
            from tui_agent.ui.screens.help import HelpScreen

            self._app.push_screen(HelpScreen(sections(found), "Skills and commands"))

        self._ask(SkillsQuery(is_fresh=True), show)

    def _mcp(self, argument: str) -> None:
        engine = self._app.engine
        action, _, name = argument.partition(" ")
        if action and engine is not None:
            if action in _MCP_ACTIONS and name.strip():
                engine.send(ManageMcpServer(name.strip(), _MCP_ACTIONS[action])).then(self._notify_error)
            else:
                self._app.notify_user(f"/mcp expects one of {', '.join(_MCP_ACTIONS)}, and a server's name.")
            return

        def show(report: McpReport | None) -> None:
            if engine is None or report is None:
                self._app.notify_user("MCP servers are not available in a replay.")
                return
            from tui_agent.ui.screens.mcp import McpScreen

            self._app.push_screen(McpScreen(engine, report))

        self._ask(McpQuery(), show)

    def _settings(self, _argument: str) -> None:
        engine = self._app.engine

        async def reload() -> SettingsReport | None:
            if engine is None:
                return None
            await engine.send(ReloadSettings())
            return await engine.query(SettingsQuery())

        def show(report: SettingsReport | None) -> None:
            if report is None:
                self._app.notify_user("Settings are not available in a replay.")
                return
            from tui_agent.ui.screens.settings import SettingsScreen

            self._app.push_screen(SettingsScreen(report, reload))

        self._ask(SettingsQuery(), show)

    def _trust(self, _argument: str) -> None:
        self._ask(WithheldQuery(), self._ask_trust)

    def _ask_trust(self, report: WithheldReport | None) -> None:
        if report is None:
            self._app.notify_user("Settings are not available in a replay.")
        elif not report.is_trusted:
            self._app.notify_user("This folder is not trusted.", "Start tui-agent here again to be asked about it.")
        elif not report.hashes:
            self._app.notify_user("Nothing in this folder's settings is held back.", level="info")
        else:
            from tui_agent.ui.screens.trust import TrustScreen

            def confirm(is_trusted: bool | None) -> None:
                if is_trusted and self._app.engine is not None:  # what was shown, and nothing that has come since
                    self._app.engine.send(ConfirmSettings(report.hashes)).then(self._notify_error)

            self._app.push_screen(TrustScreen(report.project_root, report.settings, is_changed=True), confirm)

    def _notify_error(self, reply: Reply[Done]) -> None:
        if reply.error:
            self._app.notify_user(reply.error)

    def _ask(self, query: Query[A], show: Callable[[A | None], object]) -> None:
        """Ask the engine and show the answer; without an engine, or one that has none, None."""
        if self._app.engine is None:
            show(None)
        else:
            self._app.engine.query(query).then(show)

    def _status(self, _argument: str) -> None:
        from tui_agent.ui.screen_text.status_text import sections
        from tui_agent.ui.screens.help import HelpScreen

        self._app.push_screen(HelpScreen(sections(self._app.projection), "Status", searches=False))

    def _cost(self, argument: str) -> None:
        from tui_agent.ui.screen_text.cost_text import parse_limit

        engine = self._app.engine
        word, _, amount = argument.partition(" ")
        if engine is None:
            return
        if word == "limit" and amount:
            try:
                engine.send(SetSpendingLimit(parse_limit(amount)))
            except ValueError:
                self._app.notify_user(f"/cost limit expects US dollars, such as 5 or 0.50, or off, not {amount}.")
        elif word and word != "limit":
            self._app.notify_user(f"/cost expects limit and an amount, not {argument}.")
        else:
            from tui_agent.ui.screens.cost import CostScreen

            screen = CostScreen(self._app.projection.cost, lambda usd: engine.send(SetSpendingLimit(usd)))
            self._app.push_screen(screen)
            if word == "limit":
                self._app.call_after_refresh(screen.action_limit)

    def _context(self, _argument: str) -> None:
        self._app.run_worker(self._show_context(), group="context", exclusive=True, exit_on_error=False)

    async def _show_context(self) -> None:
        engine = self._app.engine
        report = await engine.query(ContextQuery()) if engine is not None else None
        if engine is None or report is None:
            self._app.notify_user("A replay sends nothing to a model.")
            return
        from tui_agent.ui.screens.context import ContextScreen

        async def context_report() -> ContextReport | None:
            return await engine.query(ContextQuery())

        async def drop(tool_use_id: str) -> str:
            return (await engine.send(DropResult(tool_use_id))).error

        status = self._app.projection.status
        self._app.push_screen(
            ContextScreen(
                report,
                reported=status.context_tokens,
                size=status.context_size,
                load_report=context_report,
                drop=drop,
                uses=self._app.projection.tools,
            )
        )
