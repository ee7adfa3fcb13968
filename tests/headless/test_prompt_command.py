"""`-p` as a process: a real model client, a scripted server on loopback, real signals and pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from preloaded import fork_printing

from tui_agent.headless import stdin
from tui_agent.journal.load import read_events
from tui_agent.model.demo.scenario_file import parse_scenario
from tui_agent.model.demo.thread import ServerThread, start_in_thread

LOOK = {"tool": "Read", "input": {"file_path": "{{ cwd }}/a.txt"}}


@pytest.fixture
def server(program: Any, request: pytest.FixtureRequest) -> Iterator[ServerThread]:
    """Serve the replies a test is parametrized with, and point the program at them."""
    replies = getattr(request, "param", [{"block": [{"text": "Hello from the model."}]}])
    scenario = parse_scenario({"title": "test", "reply": replies}, "test")
    running = start_in_thread(scenario, variables={"cwd": str(program.work)}, pace=0.0)
    program.env |= {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": running.base_url}
    yield running
    running.stop()


@pytest.fixture
def here(program: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command line in this process, in the program's folders: the engine is imported once for many tests."""

    def run(*arguments: str) -> tuple[int, str, str]:
        from tui_agent.cli import run as run_cli

        for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
            monkeypatch.delenv(name, raising=False)
        for name, value in program.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(program.work)
        code = run_cli(list(arguments))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def said(server: ServerThread) -> str:
    return json.dumps(server.requests[-1].body["messages"][-1])


@pytest.mark.usefixtures("server")
def test_the_last_answer_is_all_that_is_printed(here: Any) -> None:
    assert here("-p", "hi") == (0, "Hello from the model.\n", "")


@pytest.mark.parametrize(
    "server", [[{"block": [{"text": "First."}, LOOK]}, {"block": [{"text": "Then."}]}]], indirect=True
)
def test_what_was_said_on_the_way_is_not_the_answer(here: Any, program: Any, server: ServerThread) -> None:
    (program.work / "a.txt").write_text("x\n")
    assert here("-p", "hi") == (0, "Then.\n", "")
    assert len(server.requests) == 2


def test_what_is_piped_in_joins_the_message(program: Any, server: ServerThread) -> None:
    program("-p", "explain this", stdin="some piped text\n")
    assert "explain this\\n\\nsome piped text" in said(server)


@pytest.mark.usefixtures("server")
def test_the_event_log_is_json_from_start_to_end(here: Any) -> None:
    events = [json.loads(line) for line in here("-p", "hi", "--output-format", "events")[1].splitlines()]
    assert events[0]["type"] == "session_started"
    assert events[-1]["type"] == "session_ended"
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    again = [json.loads(line) for line in here("-p", "x", "--continue", "--output-format", "events")[1].splitlines()]
    assert [event["type"] for event in again].count("session_started") == 1
    assert again[0]["source"] == "continue"


@pytest.mark.usefixtures("server")
def test_no_terminal_framework_is_loaded_without_a_screen(program: Any) -> None:
    script = (
        "import sys; from tui_agent.cli import run\n"
        "explain = ['permissions', 'explain', 'Bash', '{\"command\": \"ls\"}']\n"
        "codes = [run(['-p', 'hi']), run(['tools', 'list']), run(explain)]\n"
        "print(codes, sorted(name for name in sys.modules if name.split('.')[0] in ('textual', 'rich')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=program.work,
        env=program.env,
        input="",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[0, 0, 0] []"


def test_starting_the_app_loads_neither_engine_nor_libraries_it_does_not_need_yet(program: Any) -> None:
    script = (
        "import sys; import tui_agent.cli, tui_agent.ui.app, tui_agent.ui.startup, tui_agent.model.prices\n"
        "heavy = ('anthropic', 'pydantic', 'mcp', 'tui_agent.engine.session.session', 'tui_agent.tools.base')\n"
        "print([n for n in heavy if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=program.work, env=program.env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("server", [[{"block": [{"text": "x"}], "faults": [{"kind": "status", "status": 401, "times": 9}]}]],
                         indirect=True)  # fmt: skip
def test_a_refused_key_is_one_line_and_exit_code_1(here: Any, server: ServerThread) -> None:
    code, out, err = here("-p", "hi")
    assert (code, out) == (1, "")
    assert "ANTHROPIC_API_KEY" in err
    assert "test-key" not in err
    assert len(server.requests) == 1


SLOW = [{"block": [{"text": "begun"}, {"pause_ms": 60_000, "text": "never"}]}]


@pytest.mark.parametrize(
    ("numbers", "code"),
    [((signal.SIGINT,), 130), ((signal.SIGTERM, signal.SIGTERM), 143), ((signal.SIGHUP,), 129)],
)
def test_a_signal_interrupts_the_turn_and_the_record_ends_in_order(
    program: Any, numbers: tuple[int, ...], code: int
) -> None:
    scenario = parse_scenario({"title": "test", "reply": SLOW}, "test")
    server = start_in_thread(scenario, variables={"cwd": str(program.work)}, pace=1.0)
    program.env |= {"ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": server.base_url}
    arguments = ("-p", "hi", "--output-format", "events")
    process, printed = fork_printing(arguments, program.work.parent / "printed", cwd=program.work, env=program.env)
    try:
        for line in printed:
            if json.loads(line)["type"] == "text_delta":
                break
        for number in numbers:  # `timeout` sends its signal twice
            process.send_signal(number)
        rest = [json.loads(line) for line in printed]
        assert process.wait(20) == code
    finally:
        process.send_signal(signal.SIGKILL)
        printed.close()
        server.stop()
    assert rest[-1]["type"] == "session_ended"
    assert rest[-1]["reason"] == "interrupted"
    assert any(event["type"] == "turn_finished" and event["outcome"] == "interrupted" for event in rest)
    (journal,) = (program.work.parent / "state").glob("sessions/*/*/journal.jsonl")
    recording = read_events(journal)
    assert not recording.is_torn
    assert recording.problems == ()


@pytest.mark.usefixtures("server")
def test_a_reader_that_goes_away_ends_the_run_quietly(program: Any) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "tui_agent", "-p", "hi", "--output-format", "events"],
        cwd=program.work, env=program.env, stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, text=True,
        check=False, timeout=50,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-p",), "needs a message"),
        (("hello",), "needs a terminal"),
        (("--continue", "-p", "x"), "no session to continue"),
        (("--resume", "abcdef", "-p", "x"), "abcdef"),
        (("--demo", "nonsense", "-p"), "nonsense"),
        (("--add-dir", "/nowhere", "-p", "x"), "/nowhere"),
    ],
)
def test_what_cannot_start_says_why_in_one_line(here: Any, program: Any, arguments: tuple[str, ...], says: str) -> None:
    program.env["ANTHROPIC_API_KEY"] = "test-key"
    code, out, err = here(*arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_without_a_key_it_says_what_to_do(here: Any) -> None:
    code, _, err = here("-p", "hi")
    assert code == 2
    assert "ANTHROPIC_API_KEY" in err
    assert "--demo" in err


def test_the_demo_answers_without_a_key(here: Any, program: Any) -> None:
    program.env["TUI_AGENT_DEMO_PACE"] = "0"
    code, out, _ = here("--demo", "-p", "what can you do?")
    assert code == 0
    assert out


def test_the_scenarios_of_the_demo_are_listed(here: Any) -> None:
    code, out, _ = here("--demo", "list")
    assert code == 0
    assert "fix" in [line.split()[0] for line in out.splitlines()]


@pytest.mark.usefixtures("server")
def test_sessions_are_listed_with_their_first_message(here: Any) -> None:
    here("-p", "what is\x1b[31m this?")
    _, out, _ = here("sessions", "list")
    assert out.rstrip().endswith("what is this?")
    (data,) = [json.loads(line) for line in here("sessions", "list", "--json")[1].splitlines()]
    assert data["id"] == out.split()[0]


@pytest.mark.usefixtures("server")
def test_a_recording_is_drawn_without_a_screen(here: Any, program: Any) -> None:
    here("-p", "draw me")
    (data,) = [json.loads(line) for line in here("sessions", "list", "--json")[1].splitlines()]
    for name in (data["journal"], data["id"]):
        picture = program.work / "out.svg"
        assert here("replay", name, "--svg", str(picture), "--size", "80x24")[0] == 0
        assert "Hello" in picture.read_text()
        picture.unlink()
    code, _, err = here("replay", "missing.jsonl", "--svg", "out.svg")
    assert code == 2
    assert "missing.jsonl" in err


def test_more_than_ten_megabytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(stdin, "MAX_PIPED_BYTES", 4)
    assert stdin.read_all(lambda: None, io.BytesIO(b"\xef\xbb\xbfa")) == "a"
    with pytest.raises(stdin.TooMuchInputError):
        stdin.read_all(lambda: None, io.BytesIO(b"12345"))
    with pytest.raises(UnicodeDecodeError):
        stdin.read_all(lambda: None, io.BytesIO(b"\xff"))


def test_a_pipe_that_stays_open_is_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    mentioned = threading.Event()
    monkeypatch.setattr(stdin, "_PATIENCE_S", 0.01)

    def close_when_mentioned() -> None:
        mentioned.wait(20)
        os.close(writing)

    closer = threading.Thread(target=close_when_mentioned)
    closer.start()
    with os.fdopen(reading, "rb") as stream:
        assert stdin.read_all(mentioned.set, stream) == ""
    closer.join()


async def test_lines_arrive_without_blocking_the_loop() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream:
        arriving = stdin.read_lines(stream)
        os.write(writing, b"one\n\n two\xff \n")
        assert [await anext(arriving), await anext(arriving)] == ["one", "two\ufffd"]
        os.write(writing, b"last")
        os.close(writing)
        assert [line async for line in arriving] == ["last"]
