"""The embedded server plays a scenario over a real socket: replies, branches, faults."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conversation_client import HEADERS, Got, assistant, post, request_of, result_of, serve, user

from tui_agent.model.demo.markdown import sample_markdown
from tui_agent.model.demo.scenario import ScenarioError
from tui_agent.model.demo.scenario_file import parse_scenario
from tui_agent.model.demo.server import DemoServer, Exchange
from tui_agent.model.demo.thread import PACE_VARIABLE, ServerThread, pace_from_environment

Serve = Callable[..., ServerThread]
RUN = {"tool": "Bash", "label": "run", "input": {"command": "true"}}


@pytest.fixture
def served() -> Iterator[Serve]:
    running: list[ServerThread] = []

    def start(*replies: dict[str, Any], **more: Any) -> ServerThread:
        running.append(serve(*replies, **more))
        return running[-1]

    yield start
    for server in running:
        server.stop()


def say(text: str) -> dict[str, Any]:
    return {"block": [{"text": text}]}


def test_a_reply_has_the_events_of_the_messages_api_in_order(served: Serve) -> None:
    server = served({"block": [{"thinking": "hm"}, {"text": "I run"}, RUN]})
    got = post(server.base_url, request_of(user("go")))
    kinds = [event["type"] for event in got.events]
    assert kinds[:2] == ["message_start", "ping"]
    assert kinds[-2:] == ["message_delta", "message_stop"]
    assert [block["type"] for block in got.content] == ["thinking", "text", "tool_use"]
    assert got.content[0]["signature"]
    assert got.content[2]["input"] == {"command": "true"}
    assert got.stop_reason == "tool_use"


def test_deltas_have_the_size_that_the_pace_says_and_split_no_character(served: Serve) -> None:
    text = "naïve café, 茶と🍵, and so on" * 3
    server = served(say(text), pace={"delta_bytes": 5})
    got = post(server.base_url, request_of(user("go")))
    deltas = [event["delta"]["text"] for event in got.events if event["type"] == "content_block_delta"]
    assert "".join(deltas) == text
    assert max(len(delta.encode()) for delta in deltas) <= 5
    assert len(deltas) >= len(text.encode()) // 5


def test_generated_markdown_has_the_length_asked_for_and_is_always_the_same() -> None:
    assert len(sample_markdown(10_000).encode()) == 10_000
    assert sample_markdown(10_000) == sample_markdown(10_000)


def test_the_scripted_model_quotes_what_a_tool_returned(served: Serve) -> None:
    server = served({"block": [RUN]}, say(r"{{ results.run | match 'Ran (\d+)' }} tests, in {{ cwd }}"))
    use = post(server.base_url, request_of(user("go"))).content[0]
    got = post(server.base_url, request_of(user("go"), assistant(use), user(result_of(use, "Ran 7 tests"))))
    assert got.text == "7 tests, in ."


BRANCHING = (
    {"name": "run", "block": [RUN]},
    {"name": "refused", "when": {"refused": "run"}, **say("you said no")},
    {"name": "failed", "when": {"failed": "run"}, **say("it failed")},
    {"name": "odd", "when": {"result": {"run": "odd"}}, **say("that is odd")},
    {"name": "good", **say("all good")},
)


@pytest.mark.parametrize(
    ("result", "is_error", "expected"),
    [
        ("The user refused this tool use", True, "you said no"),
        ("Exit code 1", True, "it failed"),
        ("an odd thing", False, "that is odd"),
        ("ok", False, "all good"),
    ],
)
def test_the_next_reply_depends_on_what_happened(served: Serve, result: str, is_error: bool, expected: str) -> None:
    server = served(*BRANCHING)
    use = post(server.base_url, request_of(user("go"))).content[0]
    answer = user(result_of(use, result, is_error=is_error))
    assert post(server.base_url, request_of(user("go"), assistant(use), answer)).text == expected


def test_a_new_server_takes_up_a_conversation_where_it_stood(served: Serve) -> None:
    use = post(served(*BRANCHING).base_url, request_of(user("go"))).content[0]
    conversation = request_of(user("go"), assistant(use), user(result_of(use, "ok")))
    assert post(served(*BRANCHING).base_url, conversation).text == "all good"


def test_the_same_request_gets_the_same_reply_again(served: Serve) -> None:
    server = served(say("one"), say("two"))
    first = request_of(user("a"))
    assert [post(server.base_url, first).text for _ in range(2)] == ["one", "one"]
    assert post(server.base_url, request_of(user("a"), assistant("one"), user("b"))).text == "two"


def test_a_reply_that_left_nothing_behind_still_counts_as_given(served: Serve) -> None:
    server = served({"block": [{"tool": "Bash", "raw_input": "{"}]}, say("better"))
    post(server.base_url, request_of(user("go")))
    assert (
        post(server.base_url, request_of(user("go", "<system-reminder>that was no JSON</system-reminder>"))).text
        == "better"
    )


ANSWERED = {
    "answer": [
        {"said": "(?i)again", "after": ["run"], "goto": "run"},
        {"said": "(?i)start", "goto": "run"},
    ],
    "prompt": "Start",
}


def test_free_text_that_no_answer_fits_is_told_what_there_is(served: Serve) -> None:
    server = served(*BRANCHING, **ANSWERED)
    got = post(server.base_url, request_of(user("what is the weather?")))
    assert got.stop_reason == "end_turn"
    for part in ("scripted model", "**Start**", "`fix`", "`long`"):
        assert part in got.text


def test_the_person_may_go_on_after_a_refusal(served: Serve) -> None:
    server = served(*BRANCHING, **ANSWERED)
    assert post(server.base_url, request_of(user("again"))).stop_reason == "end_turn"  # there is nothing to repeat yet
    use = post(server.base_url, request_of(user("start"))).content[0]
    refusal = result_of(use, "The user refused this tool use; it did not run.", is_error=True)
    got = post(server.base_url, request_of(user("start"), assistant(use), user(refusal, "again, please")))
    assert got.content[0]["name"] == "Bash"


def test_text_queued_beside_a_result_does_not_lead_the_script_astray(served: Serve) -> None:
    server = served(*BRANCHING, **ANSWERED)
    use = post(server.base_url, request_of(user("start"))).content[0]
    got = post(
        server.base_url, request_of(user("start"), assistant(use), user(result_of(use, "ok"), "start something"))
    )
    assert got.text == "all good"


def test_notes_of_the_program_are_not_taken_for_words_of_the_person(served: Serve) -> None:
    server = served(*BRANCHING, **ANSWERED)
    got = post(server.base_url, request_of(user("<system-reminder>start</system-reminder>", "hello")))
    assert "scripted model" in got.text


def test_a_status_fault_hits_as_often_as_it_says(served: Serve) -> None:
    server = served({**say("fine"), "faults": [{"kind": "status", "status": 429, "retry_after": "3", "times": 2}]})
    answers = [post(server.base_url, request_of(user("go"))) for _ in range(3)]
    assert [got.status for got in answers] == [429, 429, 200]
    assert answers[0].headers["retry-after"] == "3"
    assert answers[0].error["type"] == "rate_limit_error"


@pytest.mark.parametrize("after", [0, 1, 3, 6, 7, 99])
def test_a_dropped_connection_breaks_the_stream_after_so_many_events(served: Serve, after: int) -> None:
    server = served(
        {**say("a few words"), "pace": {"delta_bytes": 6}, "faults": [{"kind": "drop", "after_events": after}]}
    )
    broken = post(server.base_url, request_of(user("go")))
    assert broken.is_broken
    assert len(broken.events) <= after
    assert not server.requests[0].is_whole
    assert post(server.base_url, request_of(user("go"))).text == "a few words"


def test_an_error_event_ends_the_stream(served: Serve) -> None:
    server = served({**say("a few words"), "faults": [{"kind": "error_event", "after_events": 3}]})
    got = post(server.base_url, request_of(user("go")))
    assert got.events[-1] == {"type": "error", "error": {"type": "overloaded_error", "message": "scripted fault"}}
    assert len(got.events) == 4


def test_a_reply_that_is_cut_off_closes_its_block_and_says_max_tokens(served: Serve) -> None:
    server = served({"block": [{**RUN, "cut_after": 9}, {"text": "never said"}]})
    got = post(server.base_url, request_of(user("go")))
    pieces = [event["delta"]["partial_json"] for event in got.events if event["type"] == "content_block_delta"]
    assert "".join(pieces) == '{"command'
    assert [event["type"] for event in got.events].count("content_block_stop") == 1
    assert got.stop_reason == "max_tokens"


def test_argument_text_can_be_malformed(served: Serve) -> None:
    server = served({"block": [{"tool": "Bash", "raw_input": '{"command": '}]})
    got = post(server.base_url, request_of(user("go")))
    assert got.events[3]["delta"]["partial_json"] == '{"command": '
    assert got.stop_reason == "tool_use"


def test_a_template_without_a_value_is_an_error_of_the_server(served: Serve) -> None:
    got = post(served(say("{{ nobody }}")).base_url, request_of(user("go")))
    assert (got.status, "nothing to put in" in got.message) == (500, True)


def test_what_was_asked_and_sent_is_kept_for_tests(served: Serve) -> None:
    server = served({"name": "first", "block": [{"text": "I run"}, RUN]})
    body = request_of(user("go"))
    post(server.base_url, body)
    exchange: Exchange = server.requests[0]
    assert json.loads(exchange.raw) == exchange.body == body
    assert (exchange.status, exchange.reply, exchange.is_whole) == (200, "first", True)
    assert [(block.kind, block.name) for block in exchange.blocks] == [("text", ""), ("tool_use", "Bash")]
    assert all(block.stopped_ms for block in exchange.blocks)


def test_a_client_that_hangs_up_in_mid_stream_does_no_harm(served: Serve) -> None:
    server = served({"block": [{"markdown_bytes": 100_000}]}, pace={"delta_bytes": 20})
    connection = http.client.HTTPConnection(server.base_url.removeprefix("http://"), timeout=20)
    connection.request("POST", "/v1/messages", json.dumps(request_of(user("go"))), HEADERS)
    connection.getresponse().read1(100)
    connection.close()
    assert len(post(server.base_url, request_of(user("go"))).text.encode()) == 100_000


def test_stopping_hangs_up_on_a_stream_and_can_be_done_twice() -> None:
    server = serve({**say("never"), "faults": [{"kind": "silence", "seconds": 600}]})
    connection = http.client.HTTPConnection(server.base_url.removeprefix("http://"), timeout=20)
    connection.request("POST", "/v1/messages", json.dumps(request_of(user("go"))), HEADERS)
    answer = connection.getresponse()
    server.stop()
    server.stop()
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        answer.read()
    connection.close()


def test_the_pace_of_the_environment_counts_when_it_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for value in ("0", "0.5", "-3", "fast"):
        monkeypatch.setenv(PACE_VARIABLE, value)
        found.append(pace_from_environment())
    assert found == [0, 0.5, 0, 1]


def test_a_port_that_is_taken_is_an_error_of_whoever_starts_it(served: Serve) -> None:
    taken = int(served(say("a")).base_url.rpartition(":")[2])
    with pytest.raises(OSError, match="in use"):
        ServerThread(DemoServer(parse_scenario({"reply": [say("b")]}, "b"), port=taken))


def test_an_empty_reply_is_refused_when_the_scenario_is_read() -> None:
    with pytest.raises(ScenarioError, match="has no block"):
        parse_scenario({"reply": [{"name": "x"}]}, "x")


def test_it_runs_as_a_process_of_its_own_and_logs_what_it_did(tmp_path: Path) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text('[[reply]]\n[[reply.block]]\ntext = "{{ word }}"\n')
    port_file, log = tmp_path / "port", tmp_path / "log"
    command = [sys.executable, "-m", "tui_agent.model.demo", "--scenario", str(scenario), "--set", "word=hello"]
    with subprocess.Popen(
        [*command, "--port-file", str(port_file), "--log", str(log)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        assert url.endswith(port_file.read_text())
        got: Got = post(url, request_of(user("go")))
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(20) == 0
    assert got.text == "hello"
    line = json.loads(log.read_text())
    assert (line["reply"], line["status"], line["blocks"][0]["content"]) == ("reply-1", 200, "hello")
    assert line["blocks"][0]["stopped_ms"] <= time.monotonic() * 1000


def test_the_process_says_which_scenario_it_cannot_find() -> None:
    command = [sys.executable, "-m", "tui_agent.model.demo", "--scenario", "nope"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert "no scenario 'nope'" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_framework_is_imported_for_it() -> None:
    probe = (
        "import sys, tui_agent.model.demo.demo; print({'pydantic', 'anthropic', 'textual', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.strip() == "set()"
