"""Linear mode in a pseudo-terminal: whole turns by lines and words, and no byte that moves the cursor."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from typing import Any

from person import READING_S, Launch, Serve
from terminal import Terminal
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import FormAnswered, PermissionResolved, SessionEnded, TurnFinished
from tui_agent.model.demo.scenario_file import find_scenario


class Typist:
    """Somebody who reads lines and types lines. What was read counts as read: `wait_for` looks at what came since."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.read = 0

    def wait_for(self, pattern: str) -> str:
        """Wait until what was not read yet matches; return that up to the match's end."""
        found: list[re.Match[str]] = []

        def look() -> bool:
            found[:] = [match] if (match := re.search(pattern, self.text[self.read :], re.MULTILINE)) else []
            return bool(found)

        self.terminal.wait_for(look, f"/{pattern}/ after {self.text[self.read :]!r}")
        passed = self.text[self.read : self.read + found[0].end()]
        self.read += found[0].end()
        return passed

    def say(self, line: str) -> None:
        self.terminal.write(f"{line}\n")

    def answer(self, pattern: str, line: str, prompt: str = r"\(1 to \d\): ") -> str:
        """Wait for a question that comes by itself, read it, and answer."""
        about = self.wait_for(f"{pattern}(?s:.)*?{prompt}")
        seen = time.monotonic()
        self.terminal.wait_for(lambda: time.monotonic() - seen > READING_S, "the question to be read")
        self.say(line)
        return about

    @property
    def text(self) -> str:
        return self.terminal.raw.decode().replace("\r\n", "\n")


def assert_no_cursor_moves(raw: bytes) -> None:
    """There is no escape sequence at all, and no carriage return but before a line break."""
    assert b"\x1b" not in raw
    assert b"\x9b" not in raw.decode().encode("latin-1", "ignore")
    assert b"\r" not in raw.replace(b"\r\n", b"")
    assert b"\x08" not in raw


def test_a_turn_with_a_command_and_a_review_by_hunk(world: World, serve: Serve, launch: Launch) -> None:
    folder = world.use_sample_project()
    scenario = find_scenario("fix")
    serve(scenario)
    typist = Typist(launch("--linear", columns=90))
    typist.wait_for("^You: ")
    typist.say(scenario.prompt)
    typist.answer(r"^Run this command\?\n  python3 -m unittest", "yes")
    about = typist.answer(r"^Edit shop/refund.py\?", "hunks")
    assert "- removed 29:     return to_cents(paid * (1 - order.discount))" in about
    assert "words of line 29: “to_cents(”, “)” removed" in about
    for place, answer in (("1 of 3", "accept"), ("2 of 3", "2"), ("3 of 3", "accept")):
        typist.wait_for(rf"hunk {place}.*not decided(?s:.)*?Hunk \(1 to 8\): ")
        typist.say(answer)
    assert "hunk 2: refused" in typist.wait_for(r"You have decided all hunks(?s:.)*?Answer \(1 to 3\): ")
    typist.say("apply")
    typist.wait_for(r"^Written: shop/refund.py: 2 hunks")
    typist.answer(r"^Run this command\?", "1")
    ended = typist.wait_for("^You: ")
    assert "Not all of it is fixed" in ended
    assert re.search(r"^Done, [\d.]+s, \d tool uses, 2 failed\.$", ended, re.MULTILINE)
    text = (folder / "shop" / "refund.py").read_text()
    assert "return paid * (1 - order.discount)" in text
    assert "fee = int(amount * RESTOCKING_RATE * 100)" in text
    assert "return to_cents(net * (1 + TAX_RATE))" in text
    typist.say("/undo")
    typist.wait_for(r"1\. shop/refund.py(?s:.)*?File \(1 to 2\): ")
    typist.say("1")
    assert "Undoing does this to shop/refund.py" in typist.wait_for(r"Undo it\? \(yes or no\): ")
    typist.say("yes")
    typist.wait_for("Undone: shop/refund.py(?s:.)*?^You: ")
    assert "return paid * (1 - order.discount)" not in (folder / "shop" / "refund.py").read_text()
    typist.say("/quit")
    assert typist.terminal.wait_for_exit() == 0
    assert re.search(r"This session has cost \$\d", typist.text)
    assert f"tui-agent --linear --resume {world.journals()[-1].parent.name}" in typist.text
    assert_no_cursor_moves(typist.terminal.raw)


def test_foreign_text_brings_no_escape_code(world: World, serve: Serve, launch: Launch) -> None:
    evil = "\x1b[2J\x1b[1;1H\x1b]0;title\x07red\x1b[31m\x9bK\rover\x08"
    world.write("a.txt", f"line {evil}\n")
    serve(
        scenario_of(
            tool_reply(
                {"tool": "Bash", "label": "say", "input": {"command": f"echo '{evil}' done", "description": evil}},
                text=f"I say {evil} this.",
            ),
            tool_reply({"tool": "Read", "label": "read", "input": {"file_path": "{{ cwd }}/a.txt"}}),
            text_reply(f"# {evil}\n\nThe end {evil}"),
        )
    )
    world.env["TERM"] = "dumb"  # without being asked for
    typist = Typist(launch())
    typist.wait_for("^You: ")
    typist.say(f"go {evil}")
    assert "⟨ESC⟩" in typist.answer(r"^Run this command\?", "1")
    typist.wait_for("^The end(?s:.)*?^Done(?s:.)*?^You: ")
    for command in ("/show", "/show 2", "/status", "/resume", "/nothing"):
        typist.say(command)
        typist.wait_for("^You: ")
    typist.say("/quit")
    typist.terminal.wait_for_exit()
    assert_no_cursor_moves(typist.terminal.raw)


def test_ctrl_c_interrupts_and_twice_quits(world: World, serve: Serve, launch: Launch) -> None:
    sleeping = tool_reply({"tool": "Bash", "label": "sleep", "input": {"command": "sleep 60"}})
    serve(scenario_of(sleeping, text_reply("Well."), text_reply("Again.")))
    typist = Typist(launch("--linear", "--dangerously-skip-permissions"))
    typist.wait_for("^You: ")
    typist.say("wait")
    typist.wait_for(r"^Tool 1, Bash sleep 60: running$")
    typist.say("and then say something")
    typist.wait_for(r"^Queued: and then say something$")
    typist.say("/queue")
    typist.wait_for(r"^Taken back: and then say something$")
    typist.terminal.press("ctrl+c")
    typist.wait_for(r"^Interrupting(?s:.)*^Interrupted, (?s:.)*?^You: ")
    assert world.of(TurnFinished)[-1].outcome == "interrupted"
    stopped = time.monotonic()
    typist.terminal.wait_for(lambda: time.monotonic() - stopped > 2.1, "the first Ctrl+C to be forgotten")
    typist.terminal.press("ctrl+c")
    typist.wait_for("again to quit")
    typist.terminal.press("ctrl+c")
    assert typist.terminal.wait_for_exit() == 0
    assert_no_cursor_moves(typist.terminal.raw)


def test_ctrl_c_settles_a_question(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(tool_reply({"tool": "Bash", "label": "touch", "input": {"command": "touch made"}})))
    typist = Typist(launch("--linear"))
    typist.wait_for("^You: ")
    typist.say("go")
    typist.wait_for(r"^Run this command\?(?s:.)*?\(1 to \d\): ")
    typist.terminal.press("ctrl+c")
    typist.wait_for(r"^The question is settled\.(?s:.)*^Interrupted(?s:.)*?^You: ")
    assert [event.by for event in world.of(PermissionResolved)] == ["interrupt"]
    assert not (world.folder / "made").exists()


def test_a_form_is_answered_by_numbers_and_words(world: World, serve: Serve, launch: Launch) -> None:
    options = [{"label": label, "description": f"It is {label}"} for label in ("paid", "always")]
    question = {"question": "When to round?", "header": "Round", "options": options, "multiSelect": False}
    several = {"question": "Tell whom?", "header": "Tell", "options": options, "multiSelect": True}
    use = {"tool": "AskUserQuestion", "label": "ask", "input": {"questions": [question, several]}}
    serve(scenario_of(tool_reply(use), text_reply("Good.")))
    typist = Typist(launch("--linear"))
    typist.wait_for("^You: ")
    typist.say("ask me")
    typist.answer("^Question for you", "answer")
    typist.wait_for(r"When to round\?(?s:.)*?: $")
    typist.say("3")
    typist.wait_for("There is no answer 3")
    typist.say("always")
    typist.wait_for(r"Tell whom\?(?s:.)*?: $")
    typist.say("2, 1")
    typist.wait_for(r"Your answers:(?s:.)*?\(1 to 3\): ")
    typist.say("send")
    typist.wait_for("^Model: Good.(?s:.)*?^You: ")
    (answered,) = world.of(FormAnswered)
    assert sorted(map(str, answered.answers.values())) == ["['always', 'paid']", "always"]
    assert_no_cursor_moves(typist.terminal.raw)


def test_a_session_is_cleared_listed_and_resumed(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(text_reply("Hello there."), text_reply("Once more.")))
    first = Typist(launch("--linear"))
    first.wait_for("^You: ")
    first.say("the first words")
    first.wait_for("^Model: Hello there.(?s:.)*?^You: ")
    first.terminal.press("ctrl+d")
    assert first.terminal.wait_for_exit() == 0
    second = Typist(launch("--linear"))
    second.wait_for("^You: ")
    second.say("/resume")
    second.wait_for(r"1\. the first words(?s:.)*?Session: ")
    second.say("1")
    second.wait_for(r"\(1 to 4\): ")
    second.say("rename")
    second.wait_for("^Name(?s:.)*?: ")
    second.say("the greeting")
    second.wait_for(r"^It is called “the greeting” now(?s:.)*?1\. the greeting(?s:.)*?Session: ")
    second.say("1")
    second.wait_for(r"\(1 to 4\): ")
    second.say("resume")
    second.wait_for("^Resumed. 1 earlier(?s:.)*?^Model: Hello there.(?s:.)*?^You: ")
    second.say("/mode plan")
    second.wait_for("^Permission mode: plan")
    second.say("on")
    second.wait_for("^Model: Once more.(?s:.)*?^You: ")
    second.say("/clear the second greeting")
    second.wait_for("^This is a new session. /resume ")
    second.wait_for("^You: ")
    second.say("/resume")
    second.wait_for(r"1\. the second greeting(?s:.)*?Session: ")
    second.say("")
    second.wait_for("^You: ")
    second.say("/quit")
    assert second.terminal.wait_for_exit() == 0
    assert_no_cursor_moves(second.terminal.raw)


def test_the_folder_is_asked_about_and_a_key(world: World, launch: Launch) -> None:
    world.folder = world.folder.parent / "other"
    world.folder.mkdir()
    world.write(".claude/settings.json", json.dumps({"permissions": {"allow": ["Bash(make *)"]}}))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        world.env.pop(name)
    world.env["HTTPS_PROXY"] = "http://127.0.0.1:9"  # where nothing answers: the key cannot be tried
    typist = Typist(launch("--linear"))
    typist.wait_for(r"No key is set(?s:.)*?\(1 to 4\): ")
    typist.say("key")
    typist.wait_for(r"API key.*: $")
    typist.say("sk-ant-secret")
    typist.wait_for(r"^It does not work: (?s:.)*?Use it all the same\? \(yes or no\): ")
    typist.say("yes")
    about = typist.wait_for(r"Do you trust this folder\?(?s:.)*?\(1 to 2\): ")
    assert "Bash(make *)" in about
    assert "from .claude/settings.json, line 1" in about
    typist.say("no")
    typist.wait_for("^You: ")
    assert "sk-ant-secret" not in typist.text
    typist.terminal.press("ctrl+d")
    assert typist.terminal.wait_for_exit() == 0


def test_a_script_is_read_line_by_line_and_nothing_of_a_screen_is_imported(world: World, serve: Serve) -> None:
    serve(scenario_of(text_reply("First."), text_reply("Second.")))
    code = (
        "import sys; from tui_agent.cli import run\n"
        "print(run(['--linear']), sorted({name.split('.')[0] for name in sys.modules} & {'textual', 'rich'}),\n"
        "      any(name.startswith('tui_agent.ui') for name in sys.modules))"
    )
    done: Any = subprocess.run(
        [sys.executable, "-c", code],
        cwd=world.folder,
        env=world.env,
        input="one\ntwo\n",
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == "0 [] False", done.stderr
    order = [done.stdout.index(words) for words in ("You: one", "Model: First.", "You: two", "Model: Second.")]
    assert order == sorted(order)


def test_without_a_terminal_it_runs_only_where_it_is_asked_for(world: World) -> None:
    world.env["TERM"] = "dumb"
    done = world.run(stdin="go\n")
    assert done.returncode == 2
    assert "the app needs a terminal" in done.stderr


def test_a_question_at_the_end_of_a_script_is_a_no(world: World, serve: Serve) -> None:
    serve(scenario_of(tool_reply({"tool": "Bash", "label": "touch", "input": {"command": "touch made"}})))
    done = world.run("--linear", stdin="go\n")
    assert done.returncode == 0, done.stderr
    assert "No answer: refused." in done.stdout
    assert not (world.folder / "made").exists()


def test_a_terminal_that_goes_away_ends_the_session_in_order(world: World, serve: Serve, launch: Launch) -> None:
    serve(scenario_of(tool_reply({"tool": "Bash", "label": "touch", "input": {"command": "touch made"}})))
    typist = Typist(launch("--linear"))
    typist.wait_for("^You: ")
    typist.say("go")
    typist.wait_for(r"\(1 to \d\): ")
    typist.terminal.hang_up()
    typist.terminal.process.wait(20)
    assert world.of(SessionEnded)
    assert not (world.folder / "made").exists()


def test_a_plan_is_read_and_carried_out(world: World, serve: Serve, launch: Launch) -> None:
    serve(
        scenario_of(
            tool_reply({"tool": "ExitPlanMode", "label": "plan", "input": {"plan": "# The plan\n\n1. Round once"}}),
            text_reply("Off I go."),
        )
    )
    typist = Typist(launch("--linear", "--permission-mode", "plan"))
    typist.wait_for("^You: ")
    typist.say("plan it")
    about = typist.answer(r"^The model has a plan", "default")
    assert "1. Round once" in about
    assert "Yes, and approve edits one by one" in about
    typist.wait_for("^Permission mode: default.(?s:.)*^Model: Off I go.(?s:.)*?^You: ")
    assert_no_cursor_moves(typist.terminal.raw)
