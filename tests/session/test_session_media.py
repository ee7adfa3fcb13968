"""Pictures and documents through a whole session: into the request, the journal, the screen's state, and a resumed session."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from PIL import Image
from pypdf import PdfWriter
from scripted_model import calls, reply, says
from session_front import Front, begin

from tui_agent.engine.conversation.history import History
from tui_agent.events import ToolResultReady
from tui_agent.journal.load import read_events
from tui_agent.media import media_in
from tui_agent.model.demo.request_validation import check_request
from tui_agent.ui.projection.projection import Projection


def strict(messages: Any) -> None:
    check_request({"model": "m", "max_tokens": 9, "stream": True, "messages": list(messages)})


def draw(path: Path) -> None:
    data = random.Random(1).randbytes(900 * 900 * 3)  # as heavy as a photograph: over a megabyte when encoded
    Image.frombytes("RGB", (900, 900), data).save(path, "JPEG", quality=90)


def write_pages(path: Path, count: int) -> None:
    writer = PdfWriter()
    for _ in range(count):
        writer.add_blank_page(200, 200)
    writer.write(path)


async def test_pictures_and_pages_reach_the_model_the_record_and_a_resumed_session(
    place: Path, fronts: list[Front]
) -> None:
    draw(place / "photo.jpg")
    write_pages(place / "report.pdf", 3)
    look = reply(
        calls(0, "Read", {"file_path": "photo.jpg"}, "toolu_a"),
        calls(1, "Read", {"file_path": "report.pdf"}, "toolu_b"),
        stop="tool_use",
    )
    fronts.append(front := await begin(place, look, reply(says(0, "I see"))))
    front.session.submit("look")
    await front.session.wait_idle()
    await front.session.close()
    sent = front.model.requests[-1].messages
    strict(sent)
    results = {event.tool_use_id: event for event in front.of(ToolResultReady)}
    assert not any(event.is_error for event in results.values())
    assert (media_in(results["toolu_a"].content).images, media_in(results["toolu_b"].content).pages) == (1, 3)
    (journal,) = (place.parent / "tui_agent_home").rglob("journal.jsonl")
    recorded = read_events(journal).events
    assert History.from_events(recorded).messages()[2] == sent[2] | {"content": _unmarked(sent[2]["content"])}
    projection = Projection()
    projection.apply(recorded)
    assert len(projection.tools["toolu_a"].text) < 200


def _unmarked(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]


async def test_a_session_does_not_send_again_what_it_has_sent(place: Path, fronts: list[Front]) -> None:
    (place / "f.py").write_text("x = 1\n")
    read = {"file_path": "f.py"}
    script = [reply(calls(0, "Read", read, f"toolu_{number}"), stop="tool_use") for number in range(3)]
    fronts.append(
        front := await begin(place, script[0], script[1], reply(says(0, "ok")), script[2], reply(says(0, "ok")))
    )
    front.session.submit("read it twice")
    await front.session.wait_idle()
    front.session.clear()
    front.session.submit("and again")
    await front.session.wait_idle()
    first, second, third = front.of(ToolResultReady)
    assert first.content == third.content == "1\tx = 1"
    assert "unchanged" in str(second.content)
    assert "toolu_0" in str(second.content)
