"""Naming files, pasting and dropping in a real terminal, against a server that is as strict as the real one."""

from __future__ import annotations

from typing import Any

from person import Launch, Person, Serve
from PIL import Image
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import MessageQueued, ToolResultReady, UserMessageSent
from tui_agent.model.demo.thread import ServerThread


def bodies(server: ServerThread) -> list[dict[str, Any]]:
    """Return what was asked of the model, each request one that the real API would take."""
    assert [exchange.error for exchange in server.requests if exchange.status == 400] == []
    return [exchange.body for exchange in server.requests if exchange.body is not None]


def test_a_file_is_named_by_a_few_letters_and_goes_along(world: World, serve: Serve, launch: Launch) -> None:
    world.write("cart/refund.py", "def refund(): ...\n")
    world.write("cart/total.py", "def total(): ...\n")
    server = serve(scenario_of(text_reply("I see a function.")))
    person = Person(launch(columns=90, rows=24), world)
    terminal = person.terminal
    terminal.type("what is in @refu")
    terminal.wait_for_text(r"❯ cart/refund.py")
    terminal.press("tab")
    terminal.wait_for_text(r"❯ what is in @cart/refund.py")
    terminal.type("then?")
    terminal.press("enter")
    person.wait_for_turn()
    terminal.wait_for_text(r"Read cart/refund.py \(1 line\)")
    (body,) = bodies(server)
    content = body["messages"][0]["content"]
    assert "1\tdef refund(): ..." in content[0]["text"]
    assert content[-1]["text"] == "what is in @cart/refund.py then?"
    (sent,) = world.of(UserMessageSent)
    assert sent.attached[0]["note"] == "1 line"


def test_a_long_paste_and_a_dropped_picture_are_chips(world: World, serve: Serve, launch: Launch) -> None:
    picture = world.folder / "my shot.png"
    Image.new("RGB", (640, 400), "teal").save(picture)
    server = serve(scenario_of(text_reply("One of each."), text_reply("And again.")))
    person = Person(launch(columns=90, rows=24), world)
    terminal = person.terminal
    pasted = "\n".join(f"line {number} \x1b[31mred\x07" for number in range(5000))
    terminal.wait_for_text("❯")
    terminal.paste(pasted)
    terminal.wait_for_text(r"\[Pasted text #1 \+5,000 lines\]")
    terminal.type(" and ")
    terminal.paste(f"'{picture}' ")
    terminal.wait_for_text(r"\[Image #1 640×400\]")
    assert "line 17 red" not in terminal.screen()
    terminal.press("enter")
    person.wait_for_turn()
    terminal.wait_for_text(r"Image my shot.png \(640 × 400 pixels\)")
    whole = "\n".join(f"line {number} red" for number in range(5000))
    content = bodies(server)[0]["messages"][0]["content"]
    assert content[-1]["text"] == f"{whole} and [Image #1 640×400]"
    assert [block["type"] for block in content][-2:] == ["image", "text"]
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    again = Person(launch("--continue", columns=90, rows=24), world)
    again.terminal.wait_for_text(r"\[Pasted text #1 \+5,000 lines\] and \[Image #1 640×400\]")
    again.say("go on")
    again.wait_for_turn()
    first = bodies(server)[1]["messages"][0]["content"]
    assert [block["type"] for block in first] == [block["type"] for block in content]
    assert [block["source"] for block in first if block["type"] == "image"] == [content[-2]["source"]]


def test_what_is_sent_while_it_works_reaches_the_model_at_the_next_step(
    world: World, serve: Serve, launch: Launch
) -> None:
    world.write("new.txt", "what it is about\n")
    run = tool_reply({"tool": "Bash", "label": "run", "input": {"command": "until [ -e go ]; do sleep 0.05; done"}})
    server = serve(scenario_of(run, text_reply("Both it is.")))
    person = Person(launch("--allowedTools", "Bash", columns=90, rows=24), world)
    terminal = person.terminal
    person.say("go")
    terminal.wait_for_text("Bash")
    person.say("see @new.txt too")
    terminal.wait_for_text(r"queued  see @new.txt too\s+delivered at the next step")
    person.say("never mind")
    terminal.wait_for(lambda: len(world.of(MessageQueued)) == 2, "the second message to wait")
    terminal.press("up")
    terminal.wait_for_text("❯ see @new.txt too\n +never mind")
    for _ in range(11):
        terminal.press("backspace")
    terminal.press("enter")
    terminal.wait_for(lambda: len(world.of(MessageQueued)) == 3, "the first message to wait again")
    terminal.wait_for_text(r"queued  see @new.txt too\s+delivered at the next step")
    terminal.type("never mind")
    world.write("go", "")
    person.wait_for_turn()
    assert len(world.of(ToolResultReady)) == 1
    assert len(bodies(server)) == 2
    last = bodies(server)[1]["messages"][-1]
    assert last["role"] == "user"
    assert [block["type"] for block in last["content"]] == ["tool_result", "text", "text"]
    assert "what it is about" in last["content"][1]["text"]
    assert last["content"][2]["text"] == "see @new.txt too"
    terminal.wait_for_text("❯ never mind")
