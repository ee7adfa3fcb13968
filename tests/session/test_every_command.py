"""A session takes every command and answers every query that there is; a recording refuses or answers each of them, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recording import fix_a_bug
from session_front import Front, begin

from tui_agent.boundary_json import COMMAND_TYPES, QUERY_TYPES, answer_type
from tui_agent.codec import decode, encode
from tui_agent.commands import Clear, Reply, RunTool, SetMode, Start
from tui_agent.engine.session.session import Session
from tui_agent.queries import (
    CoverageQuery,
    IdleQuery,
    JudgeQuery,
    ProposalsQuery,
    Query,
    RuleCheckQuery,
    SessionPreviewQuery,
    SessionQuery,
    SessionsQuery,
    TrialQuery,
    UndoPlanQuery,
)
from tui_agent.ui.replay import Player

ARGUMENTS: dict[type[Query[Any]], tuple[Any, ...]] = {
    ProposalsQuery: ("no such question",),
    JudgeQuery: ("no such question", {"command": "ls"}),
    TrialQuery: ("Bash", {"command": "ls"}),
    CoverageQuery: (("Bash(ls *)",),),
    UndoPlanQuery: ("/nowhere",),
    SessionsQuery: (True,),
    SessionQuery: ("no-such-session",),
    SessionPreviewQuery: ("no-such-session",),
    RuleCheckQuery: ("Bash(ls *)",),
}


def test_what_front_ends_have_of_a_session_is_three_things() -> None:
    for kind in (Session, Player):
        own = {name for name in vars(kind) if not name.startswith("_")} - {
            "now_ms"
        }  # a clock, for a recording's screen
        assert own == {"send", "query", "subscribe"}


async def test_every_command_has_somebody_who_does_it(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    assert set(front.session.engine._commands._doers) == set(COMMAND_TYPES.values())
    assert "begun already" in front.session.send(Start()).result().error


async def test_every_query_is_answered_with_plain_data(place: Path, fronts: list[Front]) -> None:
    fronts.append(front := await begin(place))
    player = Player(fix_a_bug().events)
    for tag, kind in QUERY_TYPES.items():
        for engine in (front.session, player):
            answer = await engine.query(kind(*ARGUMENTS.get(kind, ())))
            assert decode(encode(answer), answer_type(kind), tag) == answer
    assert front.session.query(IdleQuery()) is not None


async def test_nothing_is_done_in_a_recording() -> None:
    player = Player(fix_a_bug().events)
    for command in (Clear(), RunTool("Read --file_path=x"), SetMode("plan")):
        reply: Reply[Any] = player.send(command).result()
        assert "This is a recording" in reply.error
