"""The agents of a session, as a tree, and the types that there are, with where each comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.types import CSSPathType
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui_agent.text import clean_line, reveal
from tui_agent.ui.dialogs.dialog_box import DialogBox
from tui_agent.ui.dialogs.live_dialog import LiveDialog
from tui_agent.ui.screen_text.agents_text import agent_facts, agent_name, agent_state, type_facts
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.widgets.key_line import KeyLine

if TYPE_CHECKING:
    from textual.timer import Timer

    from tui_agent.queries import AgentsReport, AgentTypeRow
    from tui_agent.ui.projection.projection import Dirty, Projection

__all__ = ["AgentsScreen"]

_TICK_S: Final = 1.0
_STYLES: Final = {"working": "$text-accent", "done": "$text-success", "failed": "$text-error"}
_DEEPEST: Final = 6
_NAME: Final = 20  # cells that an agent's name and task keep, before anything is said of what it has done
_GAP: Final = 2


@dataclass(frozen=True, slots=True)
class _Row:
    """One line: a heading, an agent at its depth, a type, or what does not count."""

    heading: str = ""
    agent: str = ""
    depth: int = 0
    type: AgentTypeRow | None = None
    problem: str = ""


class AgentsScreen(LiveDialog[None]):
    """`show` opens an agent's conversation, `stop` has one end and `stop_all` all of them."""

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("agents")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close"),
        Binding("k", "stop", "Stop this agent"),
        Binding("K", "stop_all", "Stop all agents"),
    ]

    def __init__(
        self,
        projection: Projection,
        report: AgentsReport,
        *,
        show: Callable[[str], object],
        stop: Callable[[str], object],
        stop_all: Callable[[], object],
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self._projection = projection
        self._report = report
        self._show_agent = show
        self._stop = stop
        self._stop_all = stop_all
        self._clock = clock
        self._rows: tuple[_Row, ...] = ()
        self._ticker: Timer | None = None

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield OptionList(markup=False, compact=True)
            yield Static(id="details", markup=False)
            yield KeyLine()

    def on_mount(self) -> None:
        self._ticker = self.set_interval(_TICK_S, self._fill, pause=True)
        self.query_one("#dialog").border_title = Content("Agents")
        self._fill()
        self.set_focus(self.query_one(OptionList))

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self._fill)

    def refresh_from(self, projection: Projection, dirty: Dirty) -> None:
        """Show what changed."""
        if projection is not self._projection or dirty.agents or dirty.is_reset:
            self._projection = projection
            self._fill()

    # --- lines -------------------------------------------------------------------------------------------------------

    def _all_rows(self) -> Iterator[_Row]:
        agents = self._projection.agents
        if agents:
            yield _Row(heading="Agents of this session")
            children: dict[str, list[str]] = {}
            for agent in agents.values():
                children.setdefault(agent.parent_id if agent.parent_id in agents else "", []).append(agent.id)
            yield from _tree(children, "", 0)
        yield _Row(heading="Agent types")
        yield from (_Row(type=row) for row in self._report.types if not row.is_hidden)
        left = [*self._report.left_out, *(f"{file}: the folder is not trusted" for file in self._report.held_back)]
        hidden = [row for row in self._report.types if row.is_hidden]
        if left or hidden:
            yield _Row(heading="Not used")
            yield from (_Row(type=row) for row in hidden)
            yield from (_Row(problem=text) for text in left)

    def _fill(self) -> None:
        options = self.query_one(OptionList)
        at = options.highlighted
        self._rows = tuple(self._all_rows())
        room = max(20, options.size.width - 2)
        options.clear_options()
        options.add_options(Option(self._line(row, room), disabled=bool(row.heading)) for row in self._rows)
        first = next((place for place, row in enumerate(self._rows) if not row.heading), None)
        options.highlighted = at if at is not None and at < len(self._rows) else first
        self._show()
        working = sum(not agent.outcome for agent in self._projection.agents.values())
        self.query_one("#dialog").border_subtitle = Content(f"{working} working" if working else "")
        if self._ticker is not None:
            (self._ticker.resume if working else self._ticker.pause)()

    def _line(self, row: _Row, room: int) -> Content:
        if row.heading:
            return Content.styled(row.heading, "bold $text-primary")
        if row.problem:
            return Content.styled(f"  ! {reveal(clean_line(row.problem, 500))}", "$text-warning").truncate(
                room, ellipsis=True
            )
        if row.type is not None:
            about = clean_line(row.type.description, 300)
            return Content.assemble(
                f"  {reveal(clean_line(row.type.name, 60))}", (f"  {about}", "$foreground-muted")
            ).truncate(room, ellipsis=True)
        agent = self._projection.agents[row.agent]
        state, name = agent_state(agent), Content(agent_name(agent))
        indent = "  " * (row.depth + 1)
        now = self._projection.now_ms if agent.outcome else max(self._clock(), self._projection.now_ms)
        rest = room - len(indent) - _GAP
        facts = agent_facts(agent, now, rest - min(_NAME, name.cell_length) - cell_len(f" · {state}"))
        right = f"{facts} · {state}" if facts else state
        name = name.truncate(max(1, rest - cell_len(right)), ellipsis=True)
        gap = " " * max(_GAP, room - len(indent) - name.cell_length - cell_len(right))
        line = Content.assemble(indent, name, gap, (right, _STYLES.get(state, "$text-warning")))
        return line.truncate(room, ellipsis=True)

    @property
    def _row(self) -> _Row | None:
        at = self.query_one(OptionList).highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    def _show(self) -> None:
        """Show what is known of what the cursor is on, and the keys that do something there."""
        row = self._row
        lines: list[Content] = []
        if row is not None and row.type is not None:
            lines = [
                Content(clean_line(row.type.description, 600)),
                Content.styled(type_facts(row.type), "$foreground-muted"),
            ]
            lines += [Content.styled(reveal(row.type.file), "$foreground-muted")] if row.type.file else []
            lines += [Content.styled(clean_line(note, 300), "$text-warning") for note in row.type.notes]
        elif row is not None and row.problem:
            lines = [Content.styled(reveal(row.problem), "$text-warning")]
        elif row is not None and row.agent in self._projection.agents:
            agent = self._projection.agents[row.agent]
            where = [f"works in {agent.worktree}"] if agent.worktree else []
            where += ["in the background"] if agent.is_background else []
            lines = [
                Content.styled(
                    " · ".join(filter(None, (agent.id, *where, clean_line(agent.detail, 300)))), "$foreground-muted"
                )
            ]
        self.query_one("#details", Static).update(Content("\n").join(lines))
        keys = "↑↓ choose"
        if row is not None and row.agent:
            keys += " · enter its conversation · k stop it · K stop all"
        self.query_one(KeyLine).update(f"{keys} · esc close")

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show()

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        row = self._row
        if row is not None and row.agent:
            self._show_agent(row.agent)

    # --- keys --------------------------------------------------------------------------------------------------------

    def action_close(self) -> None:
        """Close it."""
        self.dismiss(None)

    def action_stop(self) -> None:
        """Stop the agent that the cursor is on."""
        row = self._row
        if row is not None and row.agent and not self._projection.agents[row.agent].outcome:
            self._stop(row.agent)

    def action_stop_all(self) -> None:
        """Stop all agents."""
        self._stop_all()


def _tree(children: dict[str, list[str]], parent: str, depth: int) -> Iterator[_Row]:
    for agent_id in children.pop(parent, ()):
        yield _Row(agent=agent_id, depth=min(depth, _DEEPEST))
        yield from _tree(children, agent_id, depth + 1)
