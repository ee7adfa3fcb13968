"""What fills the model's context: how much, of what, and each part by size; single results can be left out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from tui_agent.ui.dialogs.browser import Browser
from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.render_style import render_state
from tui_agent.ui.screen_text import context_text
from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.tool_text import count

if TYPE_CHECKING:
    from tui_agent.queries import ContextPart, ContextReport
    from tui_agent.viewkit.tool_use import ToolUse

__all__ = ["ContextScreen"]

LOW: Final = 16  # rows below which the bar would leave no room for the list


class ContextScreen(Browser["ContextPart", None]):
    """One look at the context. `reported` is what the API counted last, of `size`.

    `load_report` asks anew what fills the context, and `drop` leaves a result out; it returns why that cannot be. `uses` are
    the tool uses that are known, by id.
    """

    TITLE = "Context"
    KEYS: ClassVar[str] = "↑↓ choose · d drop a result · o order · tab details · esc close"
    EMPTY: ClassVar[str] = "No messages yet."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d,delete", "drop", "Drop this result from the context"),
        Binding("o", "order", "Largest first, or in the order of the conversation"),
        Binding("q", "leave", "Close", show=False),
    ]

    def __init__(
        self,
        report: ContextReport,
        *,
        reported: int,
        size: int | None,
        load_report: Callable[[], Awaitable[ContextReport | None]],
        drop: Callable[[str], Awaitable[str]],
        uses: Mapping[str, ToolUse],
    ) -> None:
        super().__init__()
        self._report = report
        self._reported = reported
        self._window = size
        self._load_report = load_report
        self._drop = drop
        self._uses = uses
        self._by_size = True

    def found(self, query: str) -> Sequence[ContextPart]:  # noqa: ARG002 - there is no search
        return context_text.listed(self._report, by_size=self._by_size)

    def count(self) -> str:
        return count(len(self.entries), "part")

    def head(self, room: int) -> Content:
        report, size = self._report, self._window
        if self.app.size.height < LOW:
            return context_text.total(report, self._reported, size).truncate(room, ellipsis=True)
        lines = (
            context_text.total(report, self._reported, size),
            context_text.bar(report, size, room),
            context_text.legend(report, size, room),
        )
        return Content("\n").join(lines)

    def line(self, entry: ContextPart, room: int) -> Content:
        return context_text.line(entry, self._name_of(entry, room), self._report.tokens, room)

    def details(self, entry: ContextPart, room: int) -> Content:  # noqa: ARG002 - it wraps by itself
        return context_text.details(entry, self._report.tokens)

    def _name_of(self, part: ContextPart, room: int) -> str:
        """Return what the tool's own view calls a use; empty where it is not known."""
        use = self._uses.get(part.tool_use_id)
        if use is None:
            return ""
        return view_for(use.name).title(use, max(20, room), render_state(self.app)).text.strip()

    def action_order(self) -> None:
        """List the largest first, or everything in its order."""
        self._by_size = not self._by_size
        self.refill()

    @work(exit_on_error=False, exclusive=True)
    async def action_drop(self) -> None:
        """Leave the result under the cursor out, if the user means it."""
        part = self.current
        if part is None or part.kind != "result" or part.is_short:
            self.show_message("only a whole result can be dropped")
            return
        about = (
            f"{self._name_of(part, 60) or part.name}: about {count(part.tokens, 'token')}.\n\n"
            "From the next request on, the model gets a note that says where it is kept. This conversation still shows it."
        )
        if not await self.app.push_screen_wait(Confirm("Drop this result?", about, yes="Drop it", no="Keep it")):
            return
        problem = await self._drop(part.tool_use_id)
        report = await self._load_report()
        if not self.is_attached:
            return
        if report is not None:
            self._report = report
            self.refill()
        self.show_message(problem or "dropped: the model no longer gets it")
