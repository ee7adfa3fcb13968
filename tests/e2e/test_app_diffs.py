"""A change is commented on, applied, undone and exported, in a pseudo-terminal; and undone after a restart."""

from __future__ import annotations

import json
import subprocess

import pytest
from person import Launch, Person, Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import EditUndone, PermissionResolved, ProposedFileChanged

OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = OLD.replace("line 3\n", "three\n").replace("line 20\n", "twenty\n")


@pytest.mark.timeout(170)
def test_a_change_is_commented_on_applied_exported_and_undone_after_a_restart(
    world: World, serve: Serve, launch: Launch
) -> None:
    world.write("a.txt", OLD)
    edits = [{"old_string": "line 3\n", "new_string": "three\n"}, {"old_string": "line 20\n", "new_string": "twenty\n"}]
    path = "{{ cwd }}/a.txt"
    server = serve(
        scenario_of(
            tool_reply({"tool": "Read", "label": "read", "input": {"file_path": path}}),
            tool_reply(
                {"tool": "MultiEdit", "label": "edit", "input": {"edits": [{"file_path": path, "edits": edits}]}}
            ),
            text_reply("Changed."),
            text_reply("I see."),
        )
    )
    person = Person(launch(), world)
    terminal = person.terminal
    person.say("change it")
    person.wait_for_question(r"hunk 1/2")
    person.press_until(r"comment on line 3", "c")
    terminal.type("spell it out everywhere")
    terminal.press("enter")
    terminal.wait_for_text(r"┃ spell it out everywhere")
    terminal.press("x", "j", "a")
    terminal.wait_for_text(r"2 of 2 hunks decided · with 1 comment")
    terminal.press("enter")
    person.wait_for_turn()
    assert (world.folder / "a.txt").read_text() == OLD.replace("line 20\n", "twenty\n")
    (resolved,) = world.of(PermissionResolved)
    assert [comment["text"] for comment in resolved.comments] == ["spell it out everywhere"]
    told = json.dumps(server.requests[2].body["messages"][-1], ensure_ascii=False)  # type: ignore[index]
    assert "spell it out everywhere" in told
    assert told.count("<review>") == 1
    person.say("/patch mine.patch")
    terminal.wait_for_text(r"1 changed file written to mine\.patch")
    copy = world.folder / "copy"
    copy.mkdir()
    (copy / "a.txt").write_text(OLD)
    patch = (world.folder / "mine.patch").read_bytes()
    subprocess.run(
        ["git", "apply", "-"],
        input=patch,
        cwd=copy,
        check=True,
        env={**world.env, "GIT_CEILING_DIRECTORIES": str(copy.parent)},
    )
    assert (copy / "a.txt").read_text() == (world.folder / "a.txt").read_text()
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0

    again = Person(launch("--continue"), world)
    again.terminal.wait_for_text(r"Changed\.")
    again.terminal.press("f3")
    again.press_until(r"This session: 1 file", "s")
    again.press_until(r"will be as it was before", "u")
    again.terminal.press("y")
    again.terminal.wait_for(lambda: bool(world.of(EditUndone)), "the undo")
    assert (world.folder / "a.txt").read_text() == OLD
    again.terminal.wait_for_text(r"Undone: a\.txt")
    assert [exchange.error for exchange in server.requests if exchange.status == 400] == []


def test_a_review_says_at_once_that_its_file_changed_on_disk_and_is_still_otherwise(
    world: World, serve: Serve, launch: Launch
) -> None:
    path = world.write("a.txt", OLD)
    other = world.write("b.txt", OLD)
    given = "{{ cwd }}/a.txt"
    edit = {
        "tool": "Edit",
        "label": "edit",
        "input": {"file_path": given, "old_string": "line 3\n", "new_string": "3\n"},
    }
    server = serve(
        scenario_of(
            tool_reply({"tool": "Read", "label": "read", "input": {"file_path": given}}),
            tool_reply(edit),
            text_reply("I see."),
        )
    )
    person = Person(launch(), world)
    terminal = person.terminal
    person.say("change it")
    person.wait_for_question(r"accept edits from now on")
    person.press_until(r"Enter writes 1 of 1 hunk", "v")
    path.write_text("theirs\n" + OLD)
    terminal.wait_for_text(r"! a\.txt changed on disk since it was read\.")
    terminal.wait_for_text(r"Enter writes nothing, and the model is told why")
    other.rename(path)
    terminal.wait_for_text(r"Enter writes 1 of 1 hunk")
    terminal.wait_for_no_text(r"on disk")
    path.unlink()
    terminal.wait_for_text(r"! a\.txt was deleted on disk\.")
    terminal.press("enter")
    person.wait_for_turn()
    assert not path.exists()
    told = json.dumps(server.requests[2].body["messages"][-1])  # type: ignore[index]
    assert "has changed since it was read. Read it again" in told
    assert [event.standing for event in world.of(ProposedFileChanged)] == ["changed", "as_read", "gone"]
    assert [exchange.error for exchange in server.requests if exchange.status == 400] == []


def test_an_undo_leaves_what_others_did_between_two_changes_of_the_session(
    world: World, serve: Serve, launch: Launch
) -> None:
    path = world.write("a.txt", OLD)
    given = "{{ cwd }}/a.txt"
    replies = [
        reply
        for old, new in (("line 3\n", "three\n"), ("line 20\n", "twenty\n"))
        for reply in (
            tool_reply({"tool": "Read", "input": {"file_path": given}}),
            tool_reply(
                {
                    "tool": "Edit",
                    "input": {"file_path": given, "old_string": old, "new_string": new},
                }
            ),
            text_reply("Changed."),
        )
    ]
    serve(scenario_of(*replies))
    person = Person(launch("--permission-mode", "acceptEdits"), world)
    person.say("change it")
    person.wait_for_turn()
    path.write_text(path.read_text().replace("line 12\n", "line 12, theirs\n"))
    person.say("go on")
    person.wait_for_turn(2)
    assert path.read_text() == NEW.replace("line 12\n", "line 12, theirs\n")
    person.terminal.press("f3")
    person.press_until(r"This session: 1 file", "s")
    person.press_until(r"changes are kept\.\s+2 changes of this\s+session will be", "u")
    person.terminal.press("y")
    person.terminal.wait_for(lambda: bool(world.of(EditUndone)), "the undo")
    assert path.read_text() == OLD.replace("line 12\n", "line 12, theirs\n")
