"""Forms and the task list in a whole session: asked, answered, interrupted, recorded, taken up again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, ScriptedModel, calls, reply, says
from session_driver import open_session
from session_front import Front

from tui_agent.engine.session.config import SessionOptions
from tui_agent.event_json import to_json
from tui_agent.events import Event, FormAnswered, FormRequested, TasksChanged, ToolResultReady, TurnFinished

QUESTION = {
    "question": "Which?",
    "header": "Pick",
    "options": [{"label": "a", "description": ""}, {"label": "b", "description": ""}],
    "multiSelect": False,
}
ASK: Script = reply(calls(0, "AskUserQuestion", {"questions": [QUESTION]}), stop="tool_use")
PLAN = [{"content": "Look", "status": "in_progress", "activeForm": "Looking"}]
WRITE: Script = reply(calls(0, "TodoWrite", {"todos": PLAN}), stop="tool_use")
DONE: Script = reply(says(0, "done"))


class Asked(Front):
    """A front end that sees the task list."""

    @property
    def tasks(self) -> list[tuple[str, str]]:
        return [(task.subject, task.status) for task in self.session.runtime.services.tasks]


class Place:
    """A folder to work in, and the sessions begun there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fronts: list[Asked] = []

    async def begin(self, *scripts: Script, **options: Any) -> Asked:
        model = ScriptedModel(*(list(script) for script in scripts))
        session = await open_session(SessionOptions(cwd=self.folder, is_trusted=True, **options), model)
        self.fronts.append(Asked(session, model))
        return self.fronts[-1]


@pytest.fixture
async def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    for name in ("work", "HOME", "TUI_AGENT_HOME", "XDG_CONFIG_HOME"):
        (tmp_path / name.lower()).mkdir()
        if name.isupper():
            monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.delenv("ANTHROPIC_MODEL", raising=False)
    found = Place(tmp_path / "work")
    yield found
    for front in found.fronts:
        await front.session.close()


def result_text(front: Asked) -> str:
    """What the model was told last."""
    return json.dumps(front.model.requests[-1].messages[-1], ensure_ascii=False)


async def test_a_question_is_asked_and_its_answer_goes_to_the_model(place: Place) -> None:
    front = await place.begin(ASK, DONE)
    front.session.submit("go")
    (asked,) = await front.until(FormRequested)
    assert not front.session.answer_form(asked.request_id, {"Which?": ["a", "b"]})
    assert front.session.answer_form(asked.request_id, {"Which?": "b"})
    await front.session.wait_idle()
    (answered,) = front.of(FormAnswered)
    assert (answered.answers, answered.by) == ({"Which?": "b"}, "person")
    assert "Which?\\n→ b" in result_text(front)
    (result,) = front.of(ToolResultReady)
    assert result.data["answers"] == {"Which?": "b"}


@pytest.mark.parametrize(
    ("options", "words"),
    [({"is_attended": False}, "nobody is there to answer"), ({"mode": "dontAsk"}, "nobody can be asked")],
)
async def test_where_nobody_is_to_be_asked_it_is_denied(place: Place, options: dict[str, Any], words: str) -> None:
    front = await place.begin(ASK, DONE, **options)
    front.session.submit("go")
    await front.session.wait_idle()
    assert front.of(FormRequested) == []
    (result,) = front.of(ToolResultReady)
    assert result.error_kind == "denied"
    assert words in str(result.content)


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan"])
async def test_the_question_is_the_only_thing_that_asks(place: Place, mode: str) -> None:
    front = await place.begin(ASK, DONE, mode=mode)
    front.session.submit("go")
    (asked,) = await front.until(FormRequested)
    front.session.answer_form(asked.request_id, None)
    await front.session.wait_idle()
    assert "without answering" in result_text(front)
    assert front.of(TurnFinished)[0].outcome == "done"


async def test_an_interrupt_withdraws_the_question(place: Place) -> None:
    front = await place.begin(ASK, DONE)
    front.session.submit("go")
    (asked,) = await front.until(FormRequested)
    front.session.interrupt()
    await front.session.wait_idle()
    assert front.of(FormAnswered)[0].by == "interrupt"
    assert front.of(TurnFinished)[0].outcome == "interrupted"
    assert not front.session.answer_form(asked.request_id, {"Which?": "b"})


async def test_a_plan_is_told_kept_and_taken_up_again(place: Place) -> None:
    front = await place.begin(WRITE, DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    (told,) = front.of(TasksChanged)
    assert [(task["id"], task["subject"], task["active_form"]) for task in told.tasks] == [("1", "Look", "Looking")]
    await front.session.close()
    again = await place.begin(
        reply(calls(0, "TaskUpdate", {"taskId": "1", "status": "completed"}), stop="tool_use"), DONE, is_continued=True
    )
    assert again.tasks == [("Look", "in_progress")]
    again.session.submit("go on")
    await again.session.wait_idle()
    assert again.tasks == [("Look", "completed")]
    assert len(again.of(TasksChanged)) == 2  # the recorded one, and the new one


async def test_clearing_the_conversation_ends_its_plan_for_good(place: Place) -> None:
    front = await place.begin(WRITE, DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    front.session.clear()
    assert front.tasks == []
    assert front.of(TasksChanged)[-1].tasks == ()
    await front.session.close()
    again = await place.begin(is_continued=True)
    assert again.tasks == []


async def test_several_tasks_of_one_reply_get_their_ids_in_order(place: Place) -> None:
    made = [calls(number, "TaskCreate", {"subject": str(number), "description": ""}) for number in range(6)]
    front = await place.begin(reply(*made, stop="tool_use"), DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    assert [(task.id, task.subject) for task in front.session.runtime.services.tasks] == [
        (str(number + 1), str(number)) for number in range(6)
    ]


async def test_an_address_is_in_no_event_and_in_no_request(place: Place) -> None:
    front = await place.begin(reply(calls(0, "StickerRequest", {}), stop="tool_use"), DONE)
    front.session.submit("I would like stickers")
    (asked,) = await front.until(FormRequested)
    answers = {
        "name": "Ada Lovelace", "street": "12 Square", "postcode": "SW1Y", "city": "Ldn", "country": "Albion",
        "size": "Large", "kinds": ["Diff"],
    }  # fmt: skip
    assert front.session.answer_form(asked.request_id, answers)
    await front.session.wait_idle()
    front.of(Event)
    told = json.dumps([to_json(event) for event in front.events]) + json.dumps(
        [request.messages for request in front.model.requests]
    )
    assert not any(text in told for text in ("Lovelace", "12 Square", "SW1Y", "Albion"))
    (kept,) = (place.folder.parent / "tui_agent_home" / "sticker-requests").iterdir()
    assert json.loads(kept.read_text())["name"] == "Ada Lovelace"
