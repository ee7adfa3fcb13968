from __future__ import annotations

from tui_agent import events as ev
from tui_agent.ui.projection.blocks import Block
from tui_agent.ui.projection.projection import Projection
from tui_agent.ui.transcript.block_source import copied_source, searched_text
from tui_agent.viewkit.tool_use import ToolUse

MARKDOWN = "# Title\n\nSome **bold** text\n\n- one\n- two\n\n```python\nx  =  1\n```"


def projected(*events: ev.Event) -> list[Block]:
    projection = Projection()
    projection.apply(events)
    return projection.blocks


def test_the_source_of_any_part_of_a_reply_is_the_markdown_of_all_of_it() -> None:
    blocks = projected(
        ev.ResponseStarted(request_id="r", message_id="a1"),
        ev.TextDelta(block_id="b1", text=MARKDOWN[:20]),
        ev.TextDelta(block_id="b1", text=MARKDOWN[20:]),
        ev.TextFinished(block_id="b1"),
        ev.ToolUseStarted(tool_use_id="t1", name="Bash"),
        ev.TextDelta(block_id="b2", text="and *after* it"),
        ev.TextFinished(block_id="b2"),
        ev.ResponseStarted(request_id="r2", message_id="a2"),
        ev.TextDelta(block_id="b3", text="another message"),
        ev.TextFinished(block_id="b3"),
    )
    texts = [position for position, block in enumerate(blocks) if block.kind == "text"]
    for position in texts[:-1]:
        assert copied_source(blocks, position) == f"{MARKDOWN}\n\nand *after* it"
    assert copied_source(blocks, texts[-1]) == "another message"


def test_the_source_of_a_reply_that_is_being_written_is_what_there_is_of_it() -> None:
    blocks = projected(
        ev.TextDelta(block_id="b1", text="first\n\nsec"), ev.TextDelta(block_id="b1", text="ond, unfini")
    )
    assert copied_source(blocks, len(blocks) - 1) == "first\n\nsecond, unfini"


def test_the_source_of_a_tool_use_is_what_was_asked_and_what_came_of_it() -> None:
    bash = ToolUse(id="t", name="Bash", input={"command": "ls -l"}, content="total 0")
    read = ToolUse(id="t", name="Read", input={"file_path": "/a"}, content="text")
    assert copied_source([Block(id="t", kind="tool", tool=bash)], 0) == "ls -l\n\ntotal 0"
    assert copied_source([Block(id="t", kind="tool", tool=read)], 0) == 'Read {\n  "file_path": "/a"\n}\n\ntext'


def test_no_escape_sequence_gets_into_what_is_copied() -> None:
    bash = ToolUse(id="t", name="Bash", input={"command": "printf"}, content="\x1b]52;c;eA==\x07out")
    assert "\x1b" not in copied_source([Block(id="t", kind="tool", tool=bash)], 0)


def test_a_message_of_the_person_and_a_notice_are_copied_and_searched_as_they_are() -> None:
    message, notice = Block(id="u", kind="user"), Block(id="n", kind="notice", hint="what to do")
    message.append("what I *said*\n")
    notice.append("what happened")
    assert copied_source([message], 0) == "what I *said*"
    assert copied_source([notice], 0) == searched_text(notice) == "what happened\nwhat to do"
