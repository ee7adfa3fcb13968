"""The program asks in a pseudo-terminal: the model's questions, the user's keys, the model's next request."""

from __future__ import annotations

import json
from typing import Any

from person import Launch, Person, Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import FormAnswered, SessionStarted, TasksChanged

PLAN = [
    {"content": "Ask how to round", "status": "completed", "activeForm": "Asking how to round"},
    {"content": "Round once", "status": "in_progress", "activeForm": "Rounding once"},
]


def question(text: str, *labels: str, several: bool = False) -> dict[str, Any]:
    options = [{"label": label, "description": f"It is {label}"} for label in labels]
    return {"question": text, "header": text[:6], "options": options, "multiSelect": several}


def test_a_question_is_answered_by_keys_and_the_plan_is_seen_again_after_a_restart(
    world: World, serve: Serve, launch: Launch
) -> None:
    questions = [question("When to round?", "paid", "always"), question("Tell whom?", "support", "all", several=True)]
    server = serve(
        scenario_of(
            tool_reply({"tool": "AskUserQuestion", "label": "ask", "input": {"questions": questions}}),
            tool_reply({"tool": "TodoWrite", "label": "plan", "input": {"todos": PLAN}}),
            text_reply("Then I round once."),
        )
    )
    person = Person(launch(), world)
    person.say("fix the rounding")
    person.terminal.press("1", "enter")  # it may be there already, but nobody can have read it
    person.wait_for_question(r"When to round\?")
    assert not world.of(FormAnswered)
    person.press_until(r"\[☐ Tell w", "1")
    person.terminal.press("1", "3")
    person.terminal.wait_for_text(r"❯ 3 ☐ Other")
    person.terminal.type("the auditors")
    person.terminal.press("enter")
    person.terminal.wait_for_text("→ support; the auditors")
    person.terminal.press("enter")
    person.wait_for_turn()
    (answered,) = world.of(FormAnswered)
    assert answered.answers == {"When to round?": "paid", "Tell whom?": ["support", "the auditors"]}
    told = json.dumps(server.requests[1].body["messages"][-1], ensure_ascii=False)  # type: ignore[index]
    assert "When to round?\\n→ paid" in told
    assert "Tell whom?\\n→ support; in their own words: the auditors" in told
    assert [exchange.error for exchange in server.requests if exchange.status == 400] == []
    person.terminal.wait_for_text(r"▣ 1/2 Rounding once")
    person.terminal.press("ctrl+d")
    assert person.terminal.wait_for_exit() == 0

    again = Person(launch("--continue"), world)
    again.terminal.wait_for_text(r"▣ 1/2 Rounding once")
    again.terminal.wait_for(lambda: len(world.of(SessionStarted)) == 2, "the session to go on")
    again.terminal.press("ctrl+t")
    again.terminal.wait_for_no_text("Tasks · 1 of 2")
    assert len(world.of(TasksChanged)) == 1


def test_where_nobody_can_be_asked_the_call_is_denied(world: World) -> None:
    asked = {"questions": [question("Red or blue?", "red", "blue")]}
    done = world.run("tools", "run", "AskUserQuestion", json.dumps(asked), "--yes")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["error_kind"] == "denied"
    assert "nobody is there to answer" in result["content"]


def test_tasks_of_one_run_are_kept_from_call_to_call(world: World) -> None:
    lines = [
        {"name": "TaskCreate", "input": {"subject": "Build", "description": "all"}},
        {"name": "TaskCreate", "input": {"subject": "Test", "description": "all"}},
        {"name": "TaskUpdate", "input": {"taskId": "2", "addBlockedBy": ["1"]}},
        {"name": "TaskUpdate", "input": {"taskId": "1", "addBlockedBy": ["2"]}},
        {"name": "TaskList", "input": {}},
    ]
    done = world.run("tools", "run", "--jsonl", stdin="\n".join(map(json.dumps, lines)))
    ran = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["is_error"] for result in ran] == [False, False, False, True, False]
    assert ran[3]["data"]["code"] == "circle"
    assert ran[4]["content"] == "[ ] 1. Build\n[ ] 2. Test (waits for 1)"
