"""The terminal's lines: what is written around a prompt, and what is one entry."""

from __future__ import annotations

import asyncio
import io
import os
import pty
from collections.abc import AsyncIterator

import pytest

from tui_agent.linear.console import Console
from tui_agent.linear.wrapping import LineStream, wrapped


@pytest.fixture
async def terminal() -> AsyncIterator[tuple[Console, io.StringIO, int]]:
    master, slave = pty.openpty()
    out = io.StringIO()
    console = Console(slave, out)
    stop = console.open()
    yield console, out, master
    stop()
    os.close(slave)
    os.close(master)


async def test_a_line_does_not_stand_behind_the_prompt(terminal: tuple[Console, io.StringIO, int]) -> None:
    console, out, _ = terminal
    console.prompt("You: ")
    console.line("one")
    console.line("two")
    await asyncio.sleep(0)
    assert out.getvalue() == "You: \none\ntwo\nYou: "
    console.end_prompt()
    console.line("\x1b[2Jthree\rfour")
    assert out.getvalue() == "You: \none\ntwo\nYou: \nthree\nfour\n"


async def test_lines_that_come_together_are_one_entry(terminal: tuple[Console, io.StringIO, int]) -> None:
    console, _, master = terminal
    os.write(master, b"one\ntwo\n")
    assert (await asyncio.wait_for(console.entry(), 5)).text == "one\ntwo"
    os.write(master, b"three\n")
    assert (await asyncio.wait_for(console.entry(), 5)).text == "three"


async def test_ctrl_d_is_the_end_and_more_may_come(terminal: tuple[Console, io.StringIO, int]) -> None:
    console, _, master = terminal
    os.write(master, b"\x04")
    assert (await asyncio.wait_for(console.entry(), 5)).text is None
    os.write(master, b"more\n")
    assert (await asyncio.wait_for(console.entry(), 5)).text == "more"


async def test_a_pipe_gives_its_lines_and_then_nothing_for_ever() -> None:
    read, write = os.pipe()
    console = Console(read, io.StringIO())
    stop = console.open()
    os.write(write, b"one\ntwo\nthr")
    os.close(write)
    entries = [(await asyncio.wait_for(console.entry(), 5)).text for _ in range(5)]
    assert entries == ["one", "two", "thr", None, None]
    stop()
    os.close(read)


def test_a_list_is_broken_below_its_words() -> None:
    assert list(wrapped("- one two three four", 12)) == ["- one two", "  three four"]
    assert list(wrapped("averyveryverylongword", 8)) == ["averyveryverylongword"]


def test_text_streams_line_by_line() -> None:
    stream = LineStream(20)
    assert list(stream.feed("one ")) == []
    assert list(stream.feed("two\nthree")) == ["one two"]
    assert list(stream.feed(" and so on and so on\n")) == ["three and so on and", "so on"]
    assert list(stream.feed("the \x1b[31mend")) == []
    assert list(stream.end()) == ["the end"]
