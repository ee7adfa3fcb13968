"""The screen of MCP servers: what it shows, what its keys send, and that it follows what the engine says."""

from __future__ import annotations

from typing import Any

from dialog_app import DialogApp
from textual.widgets import OptionList, Static

from tui_agent.boundary import Pending
from tui_agent.bus import Bus
from tui_agent.commands import Done, ManageMcpServer, Reply
from tui_agent.events import McpServerChanged
from tui_agent.queries import McpReport, McpServerRow, McpToolRow
from tui_agent.ui.screens.mcp import McpScreen


class Engine:
    """Answers with `report`, and remembers what it is sent."""

    def __init__(self, report: McpReport) -> None:
        self.report = report
        self.bus = Bus("s")
        self.sent: list[Any] = []
        self.subscribe = self.bus.subscribe

    def query(self, _query: Any) -> Any:
        return Pending.of(self.report)

    def send(self, command: Any) -> Any:
        self.sent.append(command)
        return Pending.of(Reply(error="it did not work") if command.server == "web" else Reply(Done()))


def row(name: str, state: str, **more: Any) -> McpServerRow:
    return McpServerRow(name=name, scope="project", transport="stdio", target=f"run {name}\x1b[2J", state=state, **more)


ROWS = (
    row("git", "connected", tools=(McpToolRow(name="mcp__git__log", description="Shows the log.", is_read_only=True),)),
    row("new", "held", is_waiting=True, reason="waits for your approval", log=("said this",)),
    McpServerRow(name="web", scope="user", transport="http", target="https://x.io", state="sign-in", reason="sign in"),
)


def texts(app: DialogApp) -> tuple[str, str, str]:
    options = app.screen.query_one(OptionList)
    lines = "\n".join(str(options.get_option_at_index(at).prompt) for at in range(options.option_count))
    details = app.screen.query_one("#details").query_one(Static)
    return lines, str(details.render()), str(app.screen.query_one("#keys", Static).render())


async def test_servers_their_states_and_what_may_be_done() -> None:
    engine = Engine(McpReport(servers=ROWS, problems=("/w/.mcp.json:3: something",)))
    app = DialogApp(McpScreen(engine, engine.report))  # type: ignore[arg-type]
    async with app.run_test(size=(120, 40)) as pilot:
        lines, details, keys = texts(app)
        assert "connected · 1 tool" in lines
        assert "waits for you" in lines
        assert "\x1b" not in lines
        assert "mcp__git__log  says it only reads · Shows the log." in details
        assert "/w/.mcp.json:3: something" in details
        assert "r reconnect" in keys
        await pilot.press("down")
        _, details, keys = texts(app)
        assert "said this" in details
        assert "a approve" in keys
        await pilot.press("a", "down", "s")
        assert engine.sent == [ManageMcpServer("new", "approve"), ManageMcpServer("web", "sign_in")]
        assert "it did not work" in texts(app)[1]


async def test_it_follows_what_the_engine_says_and_lets_go_when_it_is_closed() -> None:
    engine = Engine(McpReport(servers=ROWS[:1]))
    app = DialogApp(McpScreen(engine, engine.report))  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        engine.report = McpReport(servers=(row("git", "failed", reason="it died"),))
        engine.bus.publish(McpServerChanged(server="git", state="failed", reason="it died"))
        await pilot.pause()
        assert "failed" in texts(app)[0]
        await pilot.press("q")
        assert not isinstance(app.screen, McpScreen)
        engine.bus.publish(McpServerChanged(server="git", state="connected"))
        await pilot.pause()


async def test_without_servers_it_says_how_to_add_one() -> None:
    engine = Engine(McpReport())
    app = DialogApp(McpScreen(engine, engine.report))  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)):
        assert "tui-agent mcp add" in str(app.screen.query_one("#none", Static).render())
