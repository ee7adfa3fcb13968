"""MCP servers: how each fares, what it has, what it has said; and what a user may do with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.types import CSSPathType
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.commands import ManageMcpServer, McpAction
from tui_agent.events import McpServerChanged
from tui_agent.queries import McpQuery
from tui_agent.text import clean_line, reveal, reveal_parts
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.short_path import short_path
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.key_line import KeyLine
from tui_agent.viewkit.tool_text import count

if TYPE_CHECKING:
    from tui_agent.boundary import Engine
    from tui_agent.bus import Subscription
    from tui_agent.commands import Done, Reply
    from tui_agent.queries import McpReport, McpServerRow

__all__ = ["McpScreen"]

_STATES: Final = {
    "connected": ("●", "connected", "$text-success"),
    "idle": ("○", "idle", "$text-success"),
    "connecting": ("◌", "connecting", "$foreground-muted"),
    "failed": ("✗", "failed", "$text-error"),
    "sign-in": ("!", "sign in", "$text-warning"),
    "held": ("–", "not started", "$text-warning"),
    "off": ("–", "off", "$foreground-muted"),
}
_NONE: Final = """\
There are no MCP servers. Add one with `tui-agent mcp add`, or in the project's .mcp.json:

  {"mcpServers": {"name": {"command": "program", "args": ["…"]}}}

Servers are read when a session begins."""
_MOST_LOG: Final = 12


class McpScreen(Dialog[None]):
    """All servers, those that do not run included. What is done with one shows when the engine says so."""

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("mcp")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close"),
        Binding("tab", "details", "Read the details, or go back", priority=True),
        Binding("r", "do('reconnect')", "Connect again"),
        Binding("a", "do('approve')", "Approve a server of the project"),
        Binding("x", "do('refuse')", "Refuse a server of the project"),
        Binding("e", "do('enable')", "Switch on"),
        Binding("d", "do('disable')", "Switch off"),
        Binding("s", "do('sign_in')", "Sign in"),
        Binding("o", "do('sign_out')", "Sign out"),
    ]

    def __init__(self, engine: Engine, report: McpReport) -> None:
        super().__init__()
        self._engine = engine
        self._report = report
        self._said = ""
        self._events: Subscription | None = None

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Static(_NONE, id="none", markup=False)
            yield OptionList(markup=False, compact=True)
            with VerticalScroll(id="details"):
                yield Static()
            yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#dialog").border_title = Content("MCP servers")
        self._events = self._engine.subscribe("mcp screen", self._heard, is_live_only=True)
        self._fill()
        self.set_focus(self.query_one(OptionList) if self._report.servers else None)

    def on_unmount(self) -> None:
        if self._events is not None:
            self._events.close()

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self._fill)

    # --- what the engine says ----------------------------------------------------------------------------------------

    def _heard(self) -> None:
        told = self._events.take() if self._events is not None else []
        if any(isinstance(event, McpServerChanged) for event in told):
            self._engine.query(McpQuery()).then(self._take)

    def _take(self, report: McpReport | None) -> None:
        if report is not None and self.is_mounted:
            self._report = report
            self._fill()

    # --- drawing -----------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Make the list for the room there is; the cursor stays where it was."""
        servers = self._report.servers
        self.set_class(not servers, "-empty")
        self.query_one("#none").display = not servers
        for part in (OptionList, "#details"):
            self.query_one(part).display = bool(servers)
        running = sum(row.state in ("connected", "idle") for row in servers)
        box = self.query_one("#dialog")
        box.border_subtitle = Content(f"{running} of {count(len(servers), 'server')} run") if servers else Content("")
        options = self.query_one(OptionList)
        at = options.highlighted
        room = max(16, options.size.width - 2)
        options.clear_options()
        names = max((len(clean_line(row.name, 24)) for row in servers), default=0)
        options.add_options(Option(_line(row, room, names)) for row in servers)
        if servers:
            options.highlighted = min(at or 0, len(servers) - 1)
        self._show()

    def _show(self) -> None:
        """Show all that is known of the server under the cursor, and what may be done with it."""
        row = self._row
        lines = [Content.styled(reveal(self._said), "$text-warning")] if self._said else []
        if row is not None:
            lines += _details(row)
        lines += [Content.styled(reveal(clean_line(text, 300)), "$text-warning") for text in self._report.problems]
        box = self.query_one("#details")
        box.query_one(Static).update(Content("\n").join(lines))
        box.scroll_home(animate=False)
        self.query_one("#keys", Static).update(_keys(row))

    @property
    def _row(self) -> McpServerRow | None:
        at = self.query_one(OptionList).highlighted
        servers = self._report.servers
        return servers[at] if at is not None and at < len(servers) else None

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_details()

    # --- what a user does --------------------------------------------------------------------------------------------

    def action_do(self, action: McpAction) -> None:
        """Do something with the server under the cursor."""
        row = self._row
        if row is None:
            return
        self._said = "Waiting for your browser…" if action == "sign_in" else ""
        self._engine.send(ManageMcpServer(row.name, action)).then(self._done)
        self._show()

    def _done(self, reply: Reply[Done]) -> None:
        if self.is_mounted:
            self._said = clean_line(reply.error, 300)
            self._engine.query(McpQuery()).then(self._take)

    def action_details(self) -> None:
        """Go to the details, to scroll them, or back to the list."""
        options, box = self.query_one(OptionList), self.query_one("#details")
        self.set_focus(options if box.has_focus or not self._report.servers else box)

    def action_close(self) -> None:
        self.dismiss(None)


def _line(row: McpServerRow, room: int, names: int) -> Content:
    glyph, words, style = _STATES.get(row.state, ("?", row.state, ""))
    if row.is_waiting:
        words = "waits for you"
    elif row.state in ("connected", "idle"):
        words = f"{words} · {count(len(row.tools), 'tool')}"
    left = f"{clean_line(row.name, 24):<{names}}  {row.transport:<5}  {reveal(clean_line(row.target, 300))}"
    left = Content(left).truncate(max(4, room - cell_len(words) - 4), ellipsis=True).plain
    gap = " " * max(1, room - cell_len(left) - cell_len(words) - 2)
    return Content.assemble(
        (f"{glyph} ", style), (left, "" if row.state != "off" else "$foreground-muted"), gap, (words, style)
    )


def _keys(row: McpServerRow | None) -> str:
    if row is None:
        return "esc close"
    keys = ["↑↓ choose", "tab details"]
    if row.is_waiting:
        keys += ["a approve", "x refuse"]
    elif row.state == "off":
        keys.append("e switch on")
    elif row.state == "held":
        keys += ["a approve"] if row.scope == "project" else []
    else:
        keys += ["r reconnect", "d switch off"]
        if row.transport != "stdio":
            keys.append("s sign in")
    return " · ".join((*keys, "esc close"))


def _details(row: McpServerRow) -> Iterator[Content]:
    shown = [
        (text, "$text-warning" if is_odd else "bold") for text, is_odd in reveal_parts(clean_line(row.target, 2000))
    ]
    yield Content.assemble((f"{row.transport}  ", "$foreground-muted"), *shown)
    for name, value in row.variables:
        yield Content.styled(f"sets {reveal(clean_line(f'{name}={value}', 300))}", "$foreground-muted")
    place = f"{row.label or row.scope} · {reveal(short_path(row.file, 200))}:{row.line}" if row.file else row.scope
    yield Content.styled(place, "$foreground-muted")
    if row.reason:
        _, _, style = _STATES.get(row.state, ("", "", "$text-warning"))
        yield Content.styled(f"{reveal(clean_line(row.reason, 500))}", style)
    if row.server_name:
        yield Content(f"{row.server_name} {row.server_version}, protocol {row.protocol}")
    for problem in row.problems:
        yield Content.styled(reveal(clean_line(problem, 300)), "$text-warning")
    yield from _named(
        "Tools",
        [(_tool(tool.name), _marks(tool.is_read_only, tool.is_destructive, tool.description)) for tool in row.tools],
    )
    yield from _named(
        "Prompts", [(f"/{prompt.command} {prompt.hint}".rstrip(), prompt.description) for prompt in row.prompts]
    )
    yield from _named("Resources", [(f"@{row.name}:{one.uri}", one.name) for one in row.resources])
    if row.log:
        yield Content.styled("Log", "bold $text-primary")
        for line in row.log[-_MOST_LOG:]:
            yield Content.styled(f"  {reveal(line)}", "$foreground-muted")


def _tool(name: str) -> str:
    return clean_line(name, 120)


def _marks(is_read_only: bool, is_destructive: bool, description: str) -> str:
    says = "says it only reads" if is_read_only else "says it may destroy" if is_destructive else ""
    return " · ".join(part for part in (says, description) if part)


def _named(title: str, entries: list[tuple[str, str]]) -> Iterator[Content]:
    if entries:
        yield Content.styled(title, "bold $text-primary")
        for name, words in entries:
            yield Content.assemble(
                f"  {reveal(clean_line(name, 200))}", (f"  {reveal(clean_line(words, 160))}", "$foreground-muted")
            )
