"""Pictures of sessions that really took place, at their moments that matter; `recordings/record.py` recorded them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from pictures import Album, Stage, settle, staged

from tui_agent import events as ev
from tui_agent.changes import FileChange
from tui_agent.events import Event
from tui_agent.journal.load import read_events

RECORDINGS = Path(__file__).parent / "recordings"
SIZES = [(80, 24), (120, 40), (200, 60)]
SHOP = "/home/you/shop"


def recorded(name: str) -> list[Event]:
    """A recorded session, as it stood when the program was left."""
    events = read_events(RECORDINGS / f"{name}.jsonl").events
    return [event for event in events if not isinstance(event, ev.SessionEnded)]


def up_to(events: list[Event], kind: type[Event], number: int = 1, **values: object) -> list[Event]:
    """What had happened when an event of this kind came for the so-many-th time, that one included."""
    for place, event in enumerate(events, 1):
        if isinstance(event, kind) and all(getattr(event, name) == value for name, value in values.items()):
            number -= 1
            if not number:
                return events[:place]
    raise AssertionError(f"no such {kind.__name__}")


def fix_at(moment: str) -> list[Event]:
    """The session that fixes a bug."""
    events = recorded("fix")
    match moment:
        case "asked":
            return up_to(events, ev.PermissionRequested)
        case "review":
            return up_to(events, ev.PermissionRequested, name="Edit")
        case "writing":
            last = max(place for place, event in enumerate(events) if isinstance(event, ev.TextFinished))
            return events[: last - 3]
        case _:
            return events


def proposal(events: list[Event]) -> tuple[FileChange, ...]:
    """The edit's change with the file's texts, which no recording holds."""
    edit = next(event for event in events if isinstance(event, ev.ToolUseCompleted) and event.name == "Edit")
    source = files("tui_agent.model.demo") / "projects" / "shop" / "shop" / "refund.py"
    before = source.read_text(encoding="utf-8")
    after = before.replace(edit.input["old_string"], edit.input["new_string"])
    assert after != before
    return (FileChange.between(f"{SHOP}/shop/refund.py", before, after, before_hash="0" * 64),)


def stage_of(events: list[Event]) -> Stage:
    stage = Stage(events)
    for event in events:
        if isinstance(event, ev.PermissionRequested) and event.name == "Edit":
            stage.changes[event.request_id] = proposal(events)
    return stage


def explore_at(moment: str) -> list[Event]:
    """The session that explores a project."""
    events = recorded("explore")
    match moment:
        case "reading":
            return up_to(events, ev.ToolStateChanged, 6, to_state="executing")
        case "again":
            return up_to(events, ev.ToolResultReady, 11)
        case _:
            return events


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_bug_is_fixed_and_a_project_is_explored(size: tuple[int, int], album: Album) -> None:
    stage = stage_of(recorded("fix"))
    async with staged(stage, size) as (app, pilot):
        for name, session_hooks, cut in (
            ("fix", ("asked", "review", "writing", "end"), fix_at),
            ("explore", ("reading", "again", "end"), explore_at),
        ):
            for moment in session_hooks:
                stage.start_over(cut(moment))
                await settle(app, pilot)
                album.compare(app, f"{name}-{moment}-{size[0]}x{size[1]}")
    album.verify()


async def test_the_panes_open_over_the_conversation_of_a_narrow_terminal(album: Album) -> None:
    async with staged(stage_of(fix_at("end")), (80, 24)) as (app, pilot):
        for key, name in (("f2", "tools"), ("f3", "diff")):
            await pilot.press(key)
            await settle(app, pilot)
            album.compare(app, f"fix-{name}-80x24")
    album.verify()


async def test_the_picture_of_the_readme(album: Album) -> None:
    async with staged(stage_of(fix_at("end")), (170, 44)) as (app, _):
        album.compare(app, "readme")
    album.verify()
