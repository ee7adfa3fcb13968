"""Pictures of the real app, fed with recorded events, compared with those in `snapshots/`.

Every picture is kept as a text frame (`frames.py`), `<test module>.<name>.frame`; those of the screens that people look at
are also kept as SVG. `pytest tests/snapshots --snapshot-update` draws them anew; look at what changed before committing it.
When a picture differs, the failure names a page that shows the old and the new one side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from frames import comparison, read_frame, screen_frame, screen_strips
from legible import faint_words
from textual.app import App
from textual.pilot import Pilot

from tui_agent.boundary import Pending
from tui_agent.changes import FileChange
from tui_agent.events import Event, HistoryCleared
from tui_agent.queries import PlanQuery, Proposals, ProposalsQuery, Query
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.replay import Player, picture, replay_app

__all__ = ["REPORTS", "SNAPSHOTS", "Album", "Stage", "is_illustrated", "settle", "staged"]

ROOT = Path(__file__).parents[2]
SNAPSHOTS = ROOT / "snapshots"
REPORTS = ROOT / ".pytest_cache" / "pictures"
# Each screen once, in the size that most terminals have; what the README shows; each theme once.
_ILLUSTRATED = re.compile(
    r"test_(?!tool_views).*-120x40"
    r"|test_recorded_pictures\.readme"
    r"|test_app\.end-tui-agent-.*"
    r"|test_markdown_pictures\.(?:blocks|prose)-116-dark"
    r"|test_tool_views\.(?:Bash|Edit|Grep|Read|TodoWrite)-result-wide"
)


def is_illustrated(name: str) -> bool:
    """Whether a picture, `<test module>.<name>`, is kept as SVG, too."""
    return _ILLUSTRATED.fullmatch(name) is not None


A = TypeVar("A")


class Album:
    """The pictures of one test module. `compare` compares, or draws anew where asked to."""

    def __init__(self, module: str, *, is_update: bool) -> None:
        self._module = module.rpartition(".")[2]
        self._is_update = is_update
        self.problems: list[str] = []

    def path(self, name: str) -> Path:
        """Return where the frame of this name is kept."""
        return SNAPSHOTS / f"{self._module}.{name}.frame"

    def compare(self, app: App[Any], name: str) -> None:
        """Compare the screen with the picture of this name; differences are told together, by `verify`."""
        strips = screen_strips(app)
        self.problems += [f"{name}: too faint to read: {word}" for word in faint_words(app, strips=strips)]
        frame = screen_frame(app, strips)
        kept = self.path(name)
        drawn = {kept: frame.text()}
        if is_illustrated(kept.stem):
            drawn[kept.with_suffix(".svg")] = picture(app)
        for path, text in drawn.items():
            found = path.read_text(encoding="utf-8") if path.exists() else None
            if found == text:
                continue
            if self._is_update:
                path.write_text(text, encoding="utf-8")
            elif found is None:
                self.problems.append(f"{path.name} is missing")
            else:
                report = REPORTS / f"{kept.stem}.html"
                report.parent.mkdir(parents=True, exist_ok=True)
                old = read_frame(kept.read_text(encoding="utf-8")) if kept.exists() else None
                report.write_text(comparison(kept.stem, old, frame), encoding="utf-8")
                self.problems.append(f"{path.name} differs: see {report}")

    def verify(self) -> None:
        assert not self.problems, "\n".join(
            [*self.problems, "`pytest tests/snapshots --snapshot-update` draws them anew"]
        )


class Stage(Player):
    """A player that tests go on feeding, and that has the texts of the proposals it is given."""

    def __init__(self, events: Iterable[Event]) -> None:
        super().__init__(tuple(events))
        self.changes: dict[str, tuple[FileChange, ...]] = {}
        self.offer: Any = None  # the plan that waits for approval

    def play(self, events: Iterable[Event]) -> None:
        for event in events:
            self._give(event)

    def start_over(self, events: Iterable[Event]) -> None:
        """Play another session in the place of all that was shown; its start settles what the last one left open."""
        self.play([HistoryCleared(monotonic_ms=self.now_ms()), *events])

    def query(self, query: Query[A]) -> Pending[A]:
        match query:
            case ProposalsQuery():
                answer: Any = Proposals(self.changes.get(query.request_id, ()))
            case PlanQuery():
                answer = self.offer
            case _:
                return super().query(query)
        return Pending.of(answer)


@asynccontextmanager
async def staged(stage: Stage, size: tuple[int, int], theme: str | None = None) -> Any:
    """Run the app on `stage`; yields it with its pilot once it has shown what there is."""
    app = replay_app(stage, theme=theme, has_reduced_motion=True)
    async with app.run_test(size=size) as pilot:
        await settle(app, pilot)
        yield app, pilot


async def settle(app: TuiAgentApp, pilot: Pilot[Any]) -> None:
    """Wait until everything that was published is on the screen."""
    await pilot.pause()
    while app.engine is None or app.is_behind:
        await pilot.pause()
    await pilot.pause()
