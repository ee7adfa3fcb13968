"""Settings as a user meets them: trust, a slip in a file, a change while the app runs, without a screen."""

from __future__ import annotations

import json

from person import Launch, Person, Serve
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import SettingsReloaded, ToolResultReady


def touch(name: str) -> dict[str, object]:
    return tool_reply({"tool": "Bash", "label": name, "input": {"command": f"touch {name}"}})


def test_trust_is_asked_with_what_the_folder_wants_and_then_it_counts(
    world: World, serve: Serve, launch: Launch
) -> None:
    (world.state / "trust.json").unlink()
    hook = {"type": "command", "command": "touch hooked"}
    wanted = {"permissions": {"allow": ["Bash(touch *)"]}, "hooks": {"PreToolUse": [{"hooks": [hook]}]}}
    world.write(".claude/settings.json", json.dumps(wanted))
    serve(scenario_of(touch("made"), text_reply("done")))
    person = Person(launch(), world)
    person.wait_for_question("(?s)PreToolUse: touch hooked.*Bash\\(touch \\*\\)")
    assert not (world.folder / "hooked").exists()
    person.terminal.press("1")
    person.terminal.wait_for_no_text("(?i)do you trust")
    person.say("go")
    person.wait_for_turn()
    assert (world.folder / "made").exists()
    assert (world.folder / "hooked").exists()


def test_a_slip_in_a_settings_file_is_shown_at_the_start_and_can_be_mended(
    world: World, serve: Serve, launch: Launch
) -> None:
    broken = world.write(".tui-agent/settings.json", '{"permissions": {"deny": ["Bash(touch *)",]}}')
    serve(scenario_of(touch("made"), text_reply("done")))
    person = Person(launch(), world)
    person.wait_for_question("(?s)Broken settings.*column 42: a comma before a closing bracket")
    broken.write_text('{"permissions": {"deny": ["Bash(touch *)"]}}')
    person.terminal.press("r")
    person.terminal.wait_for_no_text("Broken settings")
    person.say("go")
    person.wait_for_turn()
    (result,) = world.of(ToolResultReady)
    assert result.is_error
    assert not (world.folder / "made").exists()


def test_a_rule_written_while_the_app_runs_counts_from_the_next_message_on(
    world: World, serve: Serve, launch: Launch
) -> None:
    settings = world.write(".claude/settings.local.json", '{"permissions": {"allow": ["Bash(touch *)"]}}')
    serve(scenario_of(touch("first"), text_reply("one"), touch("second"), text_reply("two")))
    person = Person(launch(), world)
    person.say("go")
    person.wait_for_turn()
    settings.write_text('{"permissions": {"allow": ["Bash(touch *)"], "deny": ["Bash(touch second)"]}}')
    person.say("again")
    person.wait_for_turn(2)
    assert (world.folder / "first").exists()
    assert not (world.folder / "second").exists()
    assert world.of(SettingsReloaded)[-1].changes == ("deny rule added: Bash(touch second)",)
    person.terminal.wait_for_text("deny rule added")


def test_without_a_screen_an_untrusted_folder_allows_nothing_and_that_is_said(world: World, serve: Serve) -> None:
    (world.state / "trust.json").unlink()
    wanted = {
        "permissions": {"allow": ["Bash(touch *)"]},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch hooked"}]}]},
    }
    world.write(".claude/settings.json", json.dumps(wanted))
    serve(scenario_of(touch("made"), text_reply("done")))
    done = world.run("-p", "go")
    assert done.stdout == "done\n"
    assert "Not trusted yet" in done.stderr
    assert "permissions.allow" in done.stderr
    assert not (world.folder / "made").exists()
    assert not (world.folder / "hooked").exists()
    world.trust(world.folder)
    serve(scenario_of(touch("made"), text_reply("done")))
    done = world.run("-p", "go")
    assert "Not trusted" not in done.stderr
    assert (world.folder / "made").exists()
    assert (world.folder / "hooked").exists()


def test_nothing_turns_where_less_motion_is_wanted(world: World, serve: Serve, launch: Launch) -> None:
    own = world.home / ".config" / "tui-agent" / "settings.json"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({"prefersReducedMotion": True, "permissions": {"allow": ["Bash(sleep *)"]}}))
    serve(
        scenario_of(tool_reply({"tool": "Bash", "label": "s", "input": {"command": "sleep 1"}}), text_reply("Slept."))
    )
    person = Person(launch(), world)
    person.say("sleep")
    person.terminal.wait_for_text(r"─ ● running Bash")
    person.wait_for_turn()
