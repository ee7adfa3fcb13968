"""The screens that say how things stand and lead elsewhere: help, palette, choosers, sessions, context, cost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pictures import Album, Stage, settle, staged
from recording import Recording
from textual.screen import Screen

from tui_agent import events as ev
from tui_agent.engine.recorded_sessions import RecordedSessions
from tui_agent.event_json import to_json
from tui_agent.journal.store import SessionFolder
from tui_agent.model.prices import ModelTable
from tui_agent.queries import ContextPart, ContextReport
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.dialogs.confirm import Confirm
from tui_agent.ui.palette_entries import entries
from tui_agent.ui.projection.cost_reducer import CostReducer
from tui_agent.ui.prompting.palette_search import PaletteEntry
from tui_agent.ui.screen_text.help_text import sections
from tui_agent.ui.screens.choosers import ChooserItem, ModeChooser, ModelChooser, ThemeChooser
from tui_agent.ui.screens.context import ContextScreen
from tui_agent.ui.screens.cost import CostScreen
from tui_agent.ui.screens.help import HelpScreen
from tui_agent.ui.screens.palette import PaletteScreen
from tui_agent.ui.screens.sessions import SessionsScreen

SIZES = [(60, 20), (80, 24), (120, 40), (200, 60)]
NOW = 1_790_000_000.0
SHOP = Path("/home/dev/src/shop")
SESSIONS = (
    ("the totals are off by one cent on refunds", 40, 3, 0.42),
    (
        "rename the cart module, and everything that imports it, without breaking the public names 购物车",
        3 * 3600,
        12,
        1.87,
    ),
    ("why does the receipt test fail only on Mondays?", 26 * 3600, 5, None),
    ("", 9 * 86400, 1, 0.01),
)
IDS = tuple(f"{number}b1c9c5e-0f3a-4c6e-9a8e-2f6f1d0c7e1a" for number in range(1, 5))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Recorded sessions of one folder."""
    for session_id, (text, age, turns, cost) in zip(IDS, SESSIONS, strict=True):
        folder = SessionFolder(SessionFolder.new(tmp_path, SHOP).path.with_name(session_id))
        folder.create()
        reply = [{"type": "text", "text": "The rounding happens before the sum, so each line loses up to half a cent."}]
        events: list[ev.Event] = [
            ev.SessionStarted(cwd=str(SHOP), model="claude-sonnet-5-5", mode="default", version="0", time=NOW - age),
            ev.BranchChanged(branch="main"),
            *([ev.UserMessageSent(message_id="m", text=text)] if text else []),
            ev.UsageReported(request_id="r", model="m", input_tokens=1, output_tokens=1, cost_usd=cost),
            ev.AssistantMessageCompleted(message_id="m", content=reply, stop_reason="end_turn"),
            *[ev.TurnFinished(turn_id=str(number), outcome="done") for number in range(turns)],
        ]
        folder.journal.write_text("".join(json.dumps(to_json(event), separators=(",", ":")) + "\n" for event in events))
        os.utime(folder.journal, (NOW - age, NOW - age))
    return tmp_path


def report() -> ContextReport:
    parts = [
        ContextPart(kind="system", words="system prompt", tokens=1_668),
        *(ContextPart(kind="tool", words=name, tokens=310) for name in ("Bash", "Edit", "Read", "Grep", "Write") * 4),
        ContextPart(kind="memory", words=f"{SHOP}/CLAUDE.md", tokens=2_140),
        ContextPart(kind="person", words="the totals are off by one cent on refunds", tokens=12),
        ContextPart(kind="thinking", words="thinking", tokens=940),
        ContextPart(kind="result", words="     1\tdef refund(lines):", tokens=38_200, tool_use_id="a", name="Read"),
        ContextPart(kind="call", words='{"file_path": "shop/refund.py"}', tokens=31, tool_use_id="a", name="Read"),
        ContextPart(kind="result", words="..F....", tokens=14_700, tool_use_id="b", name="Bash"),
        ContextPart(kind="result", words="[left out]", tokens=96, tool_use_id="c", name="WebFetch", is_short=True),
        ContextPart(kind="model", words="I'll look at how refunds are rounded.", tokens=58),
        ContextPart(kind="note", words="<system-reminder>", tokens=120),
    ]
    return ContextReport("claude-sonnet-5-5", tuple(parts))


def spent() -> CostReducer:
    track = CostReducer()
    track.apply(ev.SpendingLimitChanged(limit_usd=5.0))
    for number, (text, _, turns, cost) in enumerate(SESSIONS):
        track.apply(ev.UserMessageSent(message_id="m", text=text))
        track.apply(ev.TurnStarted(turn_id=str(number)))
        usage = {"input_tokens": 900 * turns, "output_tokens": 410 * turns, "cache_read_tokens": 21_000 * turns}
        model = "qwen-coder-local" if cost is None else "claude-sonnet-5-5"
        track.apply(ev.UsageReported(request_id="r", model=model, cost_usd=cost, **usage))
        track.apply(ev.TurnFinished(turn_id=str(number), outcome="done", duration_ms=7_300.0 * turns))
    return track


async def context_report() -> ContextReport:
    return report()


async def drop(tool_use_id: str) -> str:
    return ""


def everything(app: TuiAgentApp) -> list[PaletteEntry]:
    found = entries(app, [("claude-opus-5", "1M context, $5 in, $25 out per million tokens")], lambda *_: None)
    return [*found, *(PaletteEntry("session", text, "resume it", "", str) for text, *_ in SESSIONS if text)]


def screens(app: TuiAgentApp, state: Path) -> dict[str, Callable[[], Screen[Any]]]:
    models = [ChooserItem(name, known.words) for name, known in ModelTable.builtin().models.items()]
    return {
        "help": lambda: HelpScreen(sections(), at="Tools"),
        "palette": lambda: PaletteScreen(everything(app)),
        "model": lambda: ModelChooser(models, current="claude-sonnet-5-5"),
        "mode": lambda: ModeChooser(current="plan"),
        "theme": lambda: ThemeChooser(app.available_themes, current="tui-agent-dark"),
        "sessions": lambda: SessionsScreen(RecordedSessions(state, SHOP), SHOP, current=IDS[0], now=lambda: NOW),
        "context": lambda: ContextScreen(
            report(), reported=62_311, size=200_000, load_report=context_report, drop=drop, uses={}
        ),
        "cost": lambda: CostScreen(spent(), lambda _: None),
        "confirm": lambda: Confirm(
            "A turn is running",
            "This interrupts the running turn. /resume brings this session back.",
            yes="Interrupt and switch",
            no="Stay here",
        ),
    }


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_an_overview_looks_as_it_did(size: tuple[int, int], album: Album, state: Path) -> None:
    async with staged(Stage(Recording().events), size) as (app, pilot):
        for name, make in screens(app, state).items():
            app.push_screen(make())
            await pilot.pause()
            await app.workers.wait_for_complete([worker for worker in app.workers if worker.node is app.screen])
            await settle(app, pilot)
            album.compare(app, f"{name}-{size[0]}x{size[1]}")
            app.pop_screen()
            await pilot.pause()
    album.verify()


@pytest.mark.parametrize(
    ("name", "keys"), [("help", "d i f f"), ("palette", "m o d e l"), ("sessions", "slash r e n a m e")]
)
async def test_a_search_looks_as_it_did(name: str, keys: str, album: Album, state: Path) -> None:
    async with staged(Stage(Recording().events), (120, 40)) as (app, pilot):
        app.push_screen(screens(app, state)[name]())
        await pilot.pause()
        await app.workers.wait_for_complete([worker for worker in app.workers if worker.node is app.screen])
        await pilot.press(*keys.split())
        await settle(app, pilot)
        album.compare(app, f"{name}-searched")
    album.verify()


async def test_the_spending_limit_looks_as_it_did(album: Album) -> None:
    form = {
        "title": "Spending limit",
        "about": "The spending limit is reached: this session has cost $5.02 of $5.00. Nothing is sent to the model until you "
        "have decided.",
        "fields": [
            {
                "key": "go_on",
                "question": "How do you want to go on?",
                "options": [
                    {"label": label}
                    for label in (
                        "Go on, up to $1.00 more",
                        "Go on, up to $5.00 more",
                        "Go on without a limit",
                        "Stop here",
                    )
                ],
            }
        ],
    }
    usage = ev.UsageReported(
        request_id="r",
        model="m",
        input_tokens=1,
        output_tokens=1,
        cost_usd=5.02,
        context_tokens=62_000,
        context_size=200_000,
    )
    events = [
        *Recording().events,
        ev.SpendingLimitChanged(limit_usd=5.0),
        usage,
        ev.FormRequested(request_id="f", tool_use_id="", form=form),
    ]
    for size in SIZES[:3]:
        async with staged(Stage(events), size) as (app, pilot):
            await settle(app, pilot)
            album.compare(app, f"spending-limit-{size[0]}x{size[1]}")
    album.verify()
