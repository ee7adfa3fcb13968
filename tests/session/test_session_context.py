"""What fills the model's context, part by part, and results that the user leaves out."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from scripted_model import Script, calls, reply, says
from session_front import Front, begin

from tui_agent.engine.context.context_report import about_tokens, context_report
from tui_agent.engine.context.memory import Memory, MemoryFile, split_memory
from tui_agent.events import Notice, ToolResultReady, ToolResultShrunk
from tui_agent.model.protocol import ModelRequest
from tui_agent.queries import ContextPart


def reads(file: Path, use: str = "t1") -> Script:
    return reply(calls(0, "Read", {"file_path": str(file)}, use), stop="tool_use")


def kinds(parts: tuple[ContextPart, ...]) -> list[str]:
    return [part.kind for part in parts if part.kind != "tool"]


async def test_each_part_of_the_next_request_is_told_with_its_size(place: Path, fronts: list[Front]) -> None:
    (place / "CLAUDE.md").write_text("Use tabs. " * 50)
    (place / "long.txt").write_text("x = 1\n" * 500)
    fronts.append(front := await begin(place, reads(place / "long.txt"), reply(says(0, "It is long."))))
    front.session.submit("look at it")
    await front.session.wait_idle()
    report = await front.session.context_report()
    assert kinds(report.parts) == ["system", "memory", "person", "call", "result", "model"]
    by_kind = {part.kind: part for part in report.parts}
    assert by_kind["memory"].words == str(place / "CLAUDE.md")
    assert by_kind["memory"].tokens == about_tokens(("Use tabs. " * 50).strip())
    assert by_kind["person"].words == "look at it"
    assert (by_kind["result"].name, by_kind["result"].tool_use_id) == ("Read", "t1")
    assert by_kind["result"].tokens > 1000
    assert report.of("tool") > 1000
    assert report.tokens == sum(part.tokens for part in report.parts)


async def test_a_result_that_is_left_out_stays_in_the_record_and_the_model_is_told(
    place: Path, fronts: list[Front]
) -> None:
    (place / "long.txt").write_text("x = 1\n" * 500)
    scripts = [reads(place / "long.txt"), reply(says(0, "Long.")), reply(says(0, "Yes."))]
    fronts.append(front := await begin(place, *scripts))
    front.session.submit("look at it")
    await front.session.wait_idle()
    assert await front.session.drop_result("t1") == ""
    (shrunk,) = front.of(ToolResultShrunk)
    assert shrunk.reason == "context"
    (whole,) = front.of(ToolResultReady)
    assert "x = 1" in str(whole.content)
    assert "no longer gets the result of Read" in front.of(Notice)[-1].text
    front.session.submit("and now?")
    await front.session.wait_idle()
    sent = json.dumps(front.model.requests[-1].messages)
    assert "x = 1" not in sent
    assert "left out by the user" in sent
    report = await front.session.context_report()
    assert [part.is_short for part in report.parts if part.kind == "result"] == [True]
    assert await front.session.drop_result("t1") == "This result has been shortened already."
    assert await front.session.drop_result("nope") == "The model no longer gets this result."


async def test_it_stays_left_out_when_the_session_goes_on(place: Path, fronts: list[Front]) -> None:
    (place / "long.txt").write_text("x = 1\n" * 500)
    first = await begin(place, reads(place / "long.txt"), reply(says(0, "Long.")))
    first.session.submit("look at it")
    await first.session.wait_idle()
    await first.session.drop_result("t1")
    await first.session.close()
    fronts.append(front := await begin(place, is_continued=True))
    report = await front.session.context_report()
    (result,) = [part for part in report.parts if part.kind == "result"]
    assert result.is_short
    assert result.tokens < 200


async def test_a_short_result_is_not_worth_a_note(place: Path, fronts: list[Front]) -> None:
    (place / "short.txt").write_text("x\n")
    fronts.append(front := await begin(place, reads(place / "short.txt"), reply(says(0, "Short."))))
    front.session.submit("look at it")
    await front.session.wait_idle()
    assert "not longer than the note" in await front.session.drop_result("t1")
    assert not front.of(ToolResultShrunk)


@given(
    st.lists(
        st.tuples(st.from_regex(r"/[a-z]{1,8}\.md", fullmatch=True), st.from_regex(r"[a-z ]{1,40}", fullmatch=True))
    )
)
def test_memory_is_taken_apart_as_it_was_put_together(files: list[tuple[str, str]]) -> None:
    memory = Memory(tuple(MemoryFile(path, text) for path, text in files))
    found, rest = split_memory(f"{memory.text}\n\nrest")
    assert [(path, text.strip()) for path, text in found] == [(path, text.strip()) for path, text in files]
    assert rest.strip() == "rest"


def test_blocks_of_every_kind_have_a_size() -> None:
    content = [
        {"type": "thinking", "thinking": "hm " * 100, "signature": "s"},
        {"type": "text", "text": "so"},
        {"type": "server_tool_use", "id": "x", "name": "web_search", "input": {}},
        {"type": "tool_use", "id": "t", "name": "Shot", "input": {}},
    ]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 4000}}
    request = ModelRequest(
        model="m",
        system=[{"type": "text", "text": "be brief"}],
        messages=[
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": content},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [image]}]},
        ],
        tools=[{"name": "Shot", "input_schema": {}}],
        max_tokens=100,
    )
    report = context_report(request)
    assert [part.kind for part in report.parts] == [
        "system",
        "tool",
        "person",
        "thinking",
        "model",
        "model",
        "call",
        "result",
    ]
    assert all(part.tokens > 0 for part in report.parts)
    assert report.parts[-1].tokens == 1500, "a picture costs by its size on the screen, not by its bytes"
