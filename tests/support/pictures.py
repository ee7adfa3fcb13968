"""Pictures of the real app, fed with recorded events, compared with those in `snapshots/`.

`pytest --snapshot-update` draws them anew. A picture is kept as `<test module>.<name>.svg`; look at it before committing it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from legible import faint_words
from textual.app import App
from textual.pilot import Pilot

from tui_agent.changes import FileChange
from tui_agent.events import Event, HistoryCleared
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.replay import Player, picture, replay_app

__all__ = ["SNAPSHOTS", "Album", "Stage", "settle", "staged"]

SNAPSHOTS = Path(__file__).parents[2] / "snapshots"


class Album:
    """The pictures of one test module. `check` compares, or draws anew where asked to."""

    def __init__(self, module: str, *, is_update: bool, rejects: Path) -> None:
        self._module = module.rpartition(".")[2]
        self._is_update = is_update
        self._rejects = rejects
        self.problems: list[str] = []

    def path(self, name: str) -> Path:
        return SNAPSHOTS / f"{self._module}.{name}.svg"

    def compare(self, app: App[Any], name: str) -> None:
        """Compare the screen with the picture of this name; differences are told together, by `verify`."""
        drawn = picture(app)
        self.problems += [f"{name}: too faint to read: {word}" for word in faint_words(app)]
        kept = self.path(name)
        if self._is_update:
            SNAPSHOTS.mkdir(exist_ok=True)
            if not kept.exists() or kept.read_text(encoding="utf-8") != drawn:
                kept.write_text(drawn, encoding="utf-8")
        elif not kept.exists():
            self.problems.append(f"{kept.name} is missing")
        elif kept.read_text(encoding="utf-8") != drawn:
            reject = self._rejects / kept.name
            reject.write_text(drawn, encoding="utf-8")
            self.problems.append(f"{kept.name} differs from {reject}")

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

    def plan(self) -> Any:
        return self.offer

    def play(self, events: Iterable[Event]) -> None:
        for event in events:
            self._give(event)

    def start_over(self, events: Iterable[Event]) -> None:
        """Play another session in the place of all that was shown; its start settles what the last one left open."""
        self.play([HistoryCleared(monotonic_ms=self.now_ms()), *events])

    def proposals(self, request_id: str) -> tuple[FileChange, ...]:
        return self.changes.get(request_id, ())


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
    while app.engine is None or app.engine.bus.waiting or app.is_behind:
        await pilot.pause()
    await pilot.pause()
