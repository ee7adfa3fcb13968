"""A person who looks elsewhere is called, in the terminal's own way, and the window's title says how things stand."""

from __future__ import annotations

import re

import pytest
from fake_engine import FakeEngine
from hypothesis import given
from hypothesis import strategies as st
from screen_text import until

from tui_agent import events as ev
from tui_agent.boundary import Engine
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.terminal.notification_sequences import BELL, call_sequence, title_sequence
from tui_agent.ui.terminal.notifications import Notifications

KITTY = {"TERM": "xterm-kitty"}
ITERM = {"TERM_PROGRAM": "iTerm.app"}
GHOSTTY = {"TERM_PROGRAM": "ghostty"}
PLAIN = {"TERM": "xterm-256color"}


class Watched:
    """A projection that is fed, and what was written meanwhile; the titles apart."""

    def __init__(self, channel: str = "auto", is_in_front: bool | None = False) -> None:
        self.written: list[str] = []
        self.is_in_front = is_in_front
        self.projection = Projection()
        self.attention = Notifications(self.written.append, lambda: channel, lambda: self.is_in_front, environ=ITERM)
        self._now = 0.0

    def say(self, *events: ev.Event, after_s: float = 0.0) -> None:
        from dataclasses import replace

        self._now += 1.0 + after_s * 1000
        self.projection.apply(replace(event, monotonic_ms=self._now) for event in events)
        self.attention.follow(self.projection)

    @property
    def titles(self) -> list[str]:
        return [text[4:-1] for text in self.written if text.startswith("\x1b]2;")]

    @property
    def calls(self) -> list[str]:
        return [text for text in self.written if text.startswith("\x1b]9;") or text == BELL]


START = ev.SessionStarted(cwd="/home/dev/shop", model="m", mode="default", version="0")
ASKED = ev.PermissionRequested(request_id="q", tool_use_id="t", name="Bash", input={}, by="default", reason="")
SETTLED = ev.PermissionResolved(request_id="q", tool_use_id="t", behavior="allow", by="person")
FORM = ev.FormRequested(request_id="f", tool_use_id="t", form={})
BEGUN, ENDED = ev.TurnStarted(turn_id="1"), ev.TurnFinished(turn_id="1", outcome="done")


def test_each_question_calls_once_and_says_what_it_is() -> None:
    watched = Watched()
    watched.say(START, BEGUN, ASKED)
    watched.say(ev.ThinkingDelta(block_id="b", text="hm"))
    assert watched.calls == ["\x1b]9;tui-agent shop: Bash needs your permission\a"]
    watched.say(SETTLED, FORM)
    assert watched.calls[1:] == ["\x1b]9;tui-agent shop: The model asks you something\a"]
    watched.say(ev.FormRequested(request_id="g", tool_use_id="", form={}))
    assert "spending limit" in watched.calls[-1]


def test_a_turn_calls_only_when_it_was_long_and_ended_by_itself() -> None:
    watched = Watched()
    watched.say(START, BEGUN)
    watched.say(ENDED, after_s=2)
    assert watched.calls == []
    for turn_id, outcome in (("2", "done"), ("3", "interrupted"), ("4", "failed")):
        watched.say(ev.TurnStarted(turn_id=turn_id))
        watched.say(ev.TurnFinished(turn_id=turn_id, outcome=outcome), after_s=65)  # type: ignore[arg-type]
    assert watched.calls == [
        "\x1b]9;tui-agent shop: The model has finished, after 1m 05s\a",
        "\x1b]9;tui-agent shop: The turn has ended before it was done, after 1m 05s\a",
    ]


def test_a_recording_that_is_taken_up_calls_nobody() -> None:
    watched = Watched()
    watched.say(START, BEGUN, ENDED, after_s=3600)
    watched.say(START)
    assert watched.calls == []


@pytest.mark.parametrize(
    ("channel", "is_in_front", "calls"),
    [("auto", True, 0), ("auto", None, 0), ("terminal_bell", None, 1), ("terminal_bell", True, 0),
     ("notifications_disabled", False, 0), ("auto", False, 1)],
)  # fmt: skip
def test_nobody_is_called_who_looks_on_or_wants_no_calls(channel: str, is_in_front: bool | None, calls: int) -> None:
    watched = Watched(channel, is_in_front)
    watched.say(START, BEGUN, ASKED)
    assert len([call for call in watched.calls if call]) == calls


def test_the_title_says_how_things_stand_changes_only_then_and_is_given_back() -> None:
    watched = Watched(is_in_front=True)
    watched.say(START)
    watched.say(BEGUN)
    watched.say(ev.TextDelta(block_id="b", text="x"))
    watched.say(ASKED)
    watched.say(SETTLED)
    watched.say(ENDED)
    assert watched.titles == [
        "tui-agent – shop",
        "▸ tui-agent – works",
        "● tui-agent – waits for you",
        "▸ tui-agent – works",
        "tui-agent – shop",
    ]
    assert watched.written[0] == "\x1b[22;2t", "the title there was is kept first"
    watched.attention.end()
    assert watched.written[-1].endswith("\x1b[23;2t")
    before = len(watched.written)
    watched.attention.end()
    assert len(watched.written) == before


@pytest.mark.parametrize(
    ("channel", "environ", "expected"),
    [
        ("auto", KITTY, "\x1b]99;i=tui-agent:d=0;T\x1b\\\x1b]99;i=tui-agent:p=body;B\x1b\\"),
        ("auto", ITERM, "\x1b]9;T: B\a"),
        ("auto", GHOSTTY, "\x1b]777;notify;T;B\a"),
        ("auto", PLAIN, BELL),
        ("kitty", PLAIN, "\x1b]99;i=tui-agent:d=0;T\x1b\\\x1b]99;i=tui-agent:p=body;B\x1b\\"),
        ("iterm2_with_bell", PLAIN, "\x1b]9;T: B\a\a"),
        ("terminal_bell", KITTY, BELL),
        ("notifications_disabled", KITTY, ""),
        ("auto", {**ITERM, "TMUX": "/tmp/x"}, "\x1bPtmux;\x1b\x1b]9;T: B\a\x1b\\\a"),
    ],
)
def test_each_terminal_is_called_in_its_own_way(channel: str, environ: dict[str, str], expected: str) -> None:
    assert call_sequence(channel, "T", "B", environ) == expected


@given(st.text(), st.text(), st.sampled_from([KITTY, ITERM, GHOSTTY, PLAIN]))
def test_no_text_can_end_a_sequence_or_begin_one(title: str, text: str, environ: dict[str, str]) -> None:
    controls = re.compile(r"[\x00-\x1f\x7f-\x9f]")
    plain = call_sequence("auto", "", "", environ)
    assert controls.findall(call_sequence("auto", title, text, environ)) == controls.findall(plain)
    assert controls.findall(title_sequence(title)) == ["\x1b", "\a"]


async def test_the_app_calls_when_its_terminal_is_not_in_front() -> None:
    engine = FakeEngine()
    written: list[str] = []

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    class App(TuiAgentApp):
        def write_raw(self, text: str) -> None:
            written.append(text)

    app = App(connect)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: engine.asked)
        await app.on_app_blur()
        engine.begin()
        use = engine.call("Bash", {"command": "make"})
        asked = {"input": {"command": "make"}, "by": "default", "reason": "no rule allows it"}
        engine.say(ev.PermissionRequested(request_id="q", tool_use_id=use, name="Bash", **asked))
        await until(pilot, lambda: any("waits for you" in text for text in written))
        assert any(text.endswith(BELL) and "]2;" not in text for text in written)
        count = len(written)
        await pilot.pause()
        assert len(written) == count
    assert written[-1].endswith("\x1b[23;2t")
