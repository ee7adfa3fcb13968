"""Secrets in a whole session: planted wherever one can come from, and looked for in everything that comes out."""

from __future__ import annotations

import json
import logging
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Script, calls, reply, says
from session_driver import SessionDriver, open_session
from session_front import Front, begin, place_apart

from tui_agent.changes import FileChange
from tui_agent.engine.session.config import SessionOptions
from tui_agent.engine.session.event_redaction import EventRedactor
from tui_agent.event_json import to_json
from tui_agent.events import (
    AssistantMessageCompleted,
    EditProposed,
    Event,
    MaskingChanged,
    Notice,
    PermissionRequested,
    TextDelta,
    TextFinished,
    ToolInputDelta,
    ToolProgressed,
    ToolResultReady,
    ToolUseCompleted,
    TurnFailed,
)
from tui_agent.model.protocol import BlockDelta, BlockFinished, BlockStarted, ModelError
from tui_agent.model.providers.resolve import resolve
from tui_agent.permissions.verdict import Decision
from tui_agent.secrets.masker import Masker
from tui_agent.settings.load import load_settings
from tui_agent.settings.schema import SettingsValues

DONE: Script = reply(says(0, "done"))
# None of them looks like a key of a known kind: what hides them is that they are values of secret variables.
SHELL = "canary-of-the-shell-1"
SETTINGS = "canary of the settings 2"
OWN = "canary-that-signs-requests-3"
# What this one looks like is all that is known of it.
TYPED = "ghp_" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7"
CANARIES = (SHELL, SETTINGS, OWN, TYPED)


def use(name: str, index: int = 0, **input: Any) -> Script:
    return reply(calls(index, name, input), stop="tool_use")


@pytest.fixture
async def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work = place_apart(tmp_path, monkeypatch)
    monkeypatch.setenv("SHOP_TOKEN", SHELL)
    monkeypatch.setenv("ANTHROPIC_API_KEY", OWN)
    (work / ".env").write_text(f"A=1\nSHOP_TOKEN={SHELL}\nSET='{SETTINGS}'\nOWN={OWN}\nGH={TYPED}\nZ=26\n")
    return work


async def start(work: Path, *scripts: Script, **options: Any) -> Front:
    settings = {"env": {"DEPLOY_SECRET": SETTINGS}, **options.pop("settings", {})}
    return await begin(work, *scripts, mode="bypassPermissions", settings=json.dumps(settings), **options)


@pytest.fixture(autouse=True)
def _sandboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IS_SANDBOX", "1")


def everything(front: Front, home: Path) -> str:
    """All that has left the session: events, requests, and every file of the state folder."""
    front.of(Event)
    events = "\n".join(json.dumps(to_json(event), ensure_ascii=False) for event in front.events)
    requests = json.dumps([(request.system, request.messages) for request in front.model.requests], ensure_ascii=False)
    files = "\n".join(path.read_text(errors="replace") for path in home.rglob("*") if path.is_file())
    return f"{events}\n{requests}\n{files}"


COMMANDS = (
    "cat .env",
    "cat .env >&2; exit 3",
    "base64 -w0 .env; echo; echo",
    'all=$(cat .env); for i in $(seq 3000); do echo "$all"; done',
    "head -c 33 .env; sleep 0.2; tail -c +34 .env",
    "printf '%s' \"$DEPLOY_SECRET\"",
    'echo "DEPLOY=$DEPLOY_SECRET" && false',
)


@pytest.mark.parametrize("command", COMMANDS)
async def test_what_commands_print_goes_nowhere_in_clear(work: Path, tmp_path: Path, command: str) -> None:
    front = await start(work, use("Bash", command=command), DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    await front.session.close()
    out = everything(front, tmp_path / "tui_agent_home")
    for canary in CANARIES if "base64" not in command else (SHELL, OWN):
        assert canary not in out
    assert "[secret: " in out


async def test_commands_themselves_get_the_real_ones(work: Path) -> None:
    command = (
        f"grep -c '{SHELL[:6]}''{SHELL[6:]}' .env; [ \"$DEPLOY_SECRET\" = 'canary of the ''settings 2' ] && echo same"
    )
    front = await start(work, use("Bash", command=command), DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    assert front.of(ToolResultReady)[-1].content.split() == ["1", "same"]
    await front.session.close()


@pytest.mark.parametrize(
    "script",
    [
        use("Read", file_path=".env"),
        use("Grep", pattern="=", path=".env", output_mode="content"),
        use("Read", file_path=f"/nowhere/{SHELL}"),
        use("Bash", command="cat .env", run_in_background=True),
        use("Nothing", value=SHELL),
    ],
    ids=["read", "grep", "error", "job", "unknown"],
)
async def test_other_tools_give_nothing_away_either(work: Path, tmp_path: Path, script: Script) -> None:
    front = await start(work, script, use("Bash", command="sleep 0.3"), DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    await front.session.close()
    front.of(Event)
    events = json.dumps([to_json(event) for event in front.events], ensure_ascii=False)
    files = "\n".join(
        path.read_text(errors="replace") for path in (tmp_path / "tui_agent_home").rglob("*") if path.is_file()
    )
    for canary in CANARIES:
        assert canary not in events
        assert canary not in files
    for result in front.of(ToolResultReady):
        assert not any(canary in str(result.content) for canary in CANARIES)


async def test_what_the_person_and_the_model_write_is_not_in_the_record(work: Path, tmp_path: Path) -> None:
    text = f"I put {TYPED} there."
    pieces = [
        BlockStarted(0, "text"),
        *(BlockDelta(0, char) for char in text),
        BlockFinished(0, {"type": "text", "text": text}),
    ]
    front = await start(work, reply(pieces), DONE)
    front.session.submit(f"put {TYPED} into .env, {OWN}")
    await front.session.wait_idle()
    front.session.submit("again")
    await front.session.wait_idle()
    assert TYPED in json.dumps(front.model.requests[0].messages)  # it was said to the model
    assert TYPED in json.dumps(front.model.requests[1].messages)
    await front.session.close()
    front.of(Event)
    shown = json.dumps([to_json(event) for event in front.events])
    files = "\n".join(path.read_text() for path in (tmp_path / "tui_agent_home").rglob("*.jsonl"))
    for canary in CANARIES:
        assert canary not in shown
        assert canary not in files
    said = "".join(event.text for event in front.of(TextDelta))
    assert said.startswith("I put [secret: GitHub token] there.")


async def test_an_error_that_repeats_the_key_does_not_show_it(work: Path) -> None:
    front = await start(work, [ModelError("authentication", f"invalid x-api-key {OWN} and {SHELL}", hint=TYPED)])
    front.session.submit("go")
    await front.session.wait_idle()
    (failed,) = front.of(TurnFailed)
    assert failed.message == "invalid x-api-key [secret: API key] and [secret: SHOP_TOKEN]"
    assert TYPED not in failed.hint
    await front.session.close()


@pytest.mark.parametrize(
    ("name", "input"),
    [
        ("Edit", {"file_path": ".env", "old_string": "SHOP_TOKEN=[secret: SHOP_TOKEN]", "new_string": "X=1"}),
        ("Edit", {"file_path": ".env", "old_string": "A=1", "new_string": "A=[secret: SHOP_TOKEN]"}),
        ("Write", {"file_path": ".env", "content": "SHOP_TOKEN=[secret: SHOP_TOKEN]\n"}),
        ("MultiEdit", {"file_path": ".env", "edits": [{"old_string": "A=1", "new_string": "B=[secret: SHOP_TOKEN]"}]}),
        ("Bash", {"command": "echo 'SHOP_TOKEN=[secret: SHOP_TOKEN]' > .env"}),
    ],
)
async def test_a_mask_is_not_written_in_the_place_of_the_secret(work: Path, name: str, input: dict[str, Any]) -> None:
    before = (work / ".env").read_text()
    front = await start(work, use("Read", file_path=".env"), use(name, **input), DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    result = front.of(ToolResultReady)[-1]
    assert (result.error_kind, result.data["code"]) == ("validation", "masked_secret")
    assert "stands for a secret" in result.content or "has a secret" in result.content
    assert (work / ".env").read_text() == before
    await front.session.close()


async def test_a_line_beside_a_secret_can_be_edited(work: Path) -> None:
    edit = use("Edit", file_path=".env", old_string="Z=26", new_string="Z=27")
    front = await start(work, use("Read", file_path=".env"), edit, DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    assert not front.of(ToolResultReady)[-1].is_error
    text = (work / ".env").read_text()
    assert "Z=27" in text
    assert SHELL in text
    await front.session.close()


async def test_text_that_only_looks_like_a_mask_is_text(work: Path) -> None:
    (work / "doc.md").write_text("A mask: [secret: SHOP_TOKEN].\n")
    scripts = [
        use("Read", file_path=".env"),
        use("Read", file_path="doc.md"),
        use(
            "Edit", file_path="doc.md", old_string="A mask: [secret: SHOP_TOKEN]", new_string="It: [secret: SHOP_TOKEN]"
        ),
        use("Write", file_path="new.md", content="[secret: never shown]\n"),
        DONE,
    ]
    front = await start(work, *scripts)
    front.session.submit("go")
    await front.session.wait_idle()
    assert [result.is_error for result in front.of(ToolResultReady)] == [False] * 4
    assert (work / "doc.md").read_text() == "It: [secret: SHOP_TOKEN].\n"
    await front.session.close()


async def test_a_session_that_is_taken_up_again_knows_its_masks(work: Path) -> None:
    front = await start(work, use("Read", file_path=".env"), DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    await front.session.close()
    front = await start(
        work, use("Write", file_path="x", content="[secret: SHOP_TOKEN]"), DONE, resume=front.session.id
    )
    front.session.submit("go")
    await front.session.wait_idle()
    assert front.of(ToolResultReady)[-1].data["code"] == "masked_secret"
    await front.session.close()


async def test_switched_off_for_a_session_and_on_again(work: Path) -> None:
    read = use("Bash", command="cat .env")
    front = await start(work, read, DONE, read, DONE, read, DONE, settings={"maskSecrets": False})
    assert [event.is_on for event in front.of(MaskingChanged)] == [False]
    for is_on in (False, True, False):
        front.session.set_masking(is_on)
        front.session.submit("go")
        await front.session.wait_idle()
        content = front.of(ToolResultReady)[-1].content
        assert (SHELL in content) == (TYPED in content) == (not is_on)
        assert OWN not in content
    assert [event.is_on for event in front.of(MaskingChanged)] == [False, True, False]
    await front.session.close()


async def test_a_policy_that_hides_secrets_cannot_be_switched_off(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "settings.json").write_text('{"maskSecrets": true}')
    with_policy = partial(load_settings, policy_dir=tmp_path / "policy")
    monkeypatch.setattr("tui_agent.engine.session.config.load_settings", with_policy)
    front = await start(work)
    front.session.set_masking(False)
    assert not front.of(MaskingChanged)
    assert "policy" in front.of(Notice)[-1].text
    assert front.session.runtime.masker.is_on
    await front.session.close()


async def test_what_signs_requests_is_known_from_the_client(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    models = resolve(SettingsValues(), {}, api_key=OWN)
    session: SessionDriver = await open_session(SessionOptions(cwd=work, is_trusted=True), models)
    assert session.runtime.masker.mask(f"<{OWN}>") == "<[secret: API key]>"
    await session.close()


def test_changes_to_files_are_shown_with_masks_and_without_texts() -> None:
    masker = Masker({"SHOP_TOKEN": SHELL})
    change = FileChange.between("/w/.env", f"A=1\nT={SHELL}\nB=2\n", f"A=2\nT={SHELL}\nB=2\n")
    (shown,) = EventRedactor(masker)(EditProposed(tool_use_id="t", change=change))
    assert isinstance(shown, EditProposed)
    assert SHELL not in str(shown)
    assert shown.change.hunks[0].trail == ("T=[secret: SHOP_TOKEN]\n", "B=2\n")
    assert (shown.change.before, shown.change.after) == (None, None)
    plain = EditProposed(tool_use_id="t", change=FileChange.between("/w/a", "a\n", "b\n"))
    assert EventRedactor(masker)(plain) == (plain,)


def test_text_in_pieces_comes_out_masked_and_whole() -> None:
    masks = EventRedactor(Masker({"SHOP_TOKEN": SHELL}))
    text = f'say "{SHELL}" and more'
    events = [event for char in text for event in masks(TextDelta(block_id="b", text=char))]
    events += masks(TextFinished(block_id="b"))
    assert (
        "".join(event.text for event in events[:-1] if isinstance(event, TextDelta))
        == 'say "[secret: SHOP_TOKEN]" and more'
    )
    written = json.dumps({"content": f"T={SHELL}"})
    parts = [event for char in written for event in masks(ToolInputDelta(tool_use_id="t", partial_json=char))]
    parts += masks(ToolUseCompleted(tool_use_id="t", name="Write", input={"content": f"T={SHELL}"}))
    assert parts[-1] == ToolUseCompleted(tool_use_id="t", name="Write", input={"content": "T=[secret: SHOP_TOKEN]"})
    assert SHELL not in "".join(part.partial_json for part in parts if isinstance(part, ToolInputDelta))


def test_signed_thinking_with_a_secret_is_not_sent_back() -> None:
    masks = EventRedactor(Masker({"SHOP_TOKEN": SHELL}))
    content = [{"type": "thinking", "thinking": f"it is {SHELL}", "signature": "sig"}, {"type": "text", "text": "ok"}]
    (event,) = masks(AssistantMessageCompleted(message_id="m", content=content, stop_reason="end_turn"))
    assert isinstance(event, AssistantMessageCompleted)
    assert event.content[0] == {"type": "thinking", "thinking": "it is [secret: SHOP_TOKEN]", "signature": ""}
    untouched = [{"type": "thinking", "thinking": "hm", "signature": SHELL}]
    (event,) = masks(AssistantMessageCompleted(message_id="m", content=untouched, stop_reason="end_turn"))
    assert isinstance(event, AssistantMessageCompleted)
    assert event.content == untouched


async def test_a_command_edited_in_the_dialog_runs_with_the_secret_that_was_hidden_in_it(work: Path) -> None:
    script = use("Bash", command=f"echo {TYPED} | wc -c > count")
    front = await begin(work, script, DONE)
    front.session.submit("go")
    (asked,) = await front.until(PermissionRequested)
    assert asked.input == {"command": "echo [secret: GitHub token] | wc -c > count"}
    edited = {"command": "echo [secret: GitHub token] | wc -c > other"}
    assert front.session.judge(asked.request_id, edited).behavior == "ask"
    front.session.answer(asked.request_id, Decision(behavior="allow", input=edited))
    await front.session.wait_idle()
    assert int((work / "other").read_text()) == len(TYPED) + 1
    assert TYPED not in json.dumps([to_json(event) for event in front.of(Event)])
    await front.session.close()


async def test_progress_never_shows_a_part_of_a_secret(work: Path) -> None:
    command = "; ".join([*(f"printf '%s' '{char}'; sleep 0.05" for char in SHELL), "echo"])
    front = await start(work, use("Bash", command=command), DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    front.of(Event)
    tails = [str(event.data.get("tail")) for event in front.events if isinstance(event, ToolProgressed)]
    assert not any(SHELL[:5] in tail for tail in tails)
    assert "[secret: SHOP_TOKEN]" in front.of(ToolResultReady)[-1].content
    await front.session.close()


async def test_a_long_input_is_looked_through_off_the_event_loop(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: list[str] = []

    def mask(masker: Masker, text: str) -> str:
        if threading.current_thread() is threading.main_thread():
            here.append(text)
        return plain(masker, text)

    plain = Masker._masked
    monkeypatch.setattr(Masker, "_masked", mask)
    secret = "aB3dE5fG7hJ9kL2m"
    content = "".join(f"api_token_{number} = '{secret}{number}'\n" for number in range(4000))
    front = await start(work, use("Write", file_path="settings.py", content=content), DONE)
    front.session.submit("go")
    await front.session.wait_idle()
    assert (work / "settings.py").read_text() == content
    assert not [text for text in here if len(text) > 50_000]
    await front.session.close()
    (journal,) = tmp_path.rglob("journal.jsonl")
    assert secret not in journal.read_text()
    assert "[secret: api_token_1]" in journal.read_text()


def test_nothing_is_logged_in_clear(caplog: pytest.LogCaptureFixture) -> None:
    from tui_agent.secrets.log import hide_in_logs

    logger = logging.getLogger("tui_agent.test_of_logs")
    with caplog.at_level(logging.DEBUG):
        hide_in_logs(caplog.handler, Masker({"SHOP_TOKEN": SHELL}))
        try:
            raise ValueError(f"bad {SHELL}")
        except ValueError:
            logger.debug("a header %s", {"x": SHELL}, exc_info=True)
    assert SHELL not in caplog.text
    assert caplog.text.count("[secret: SHOP_TOKEN]") >= 2


WEAK = "hunter2hunter2"


@pytest.mark.parametrize(("name", "input"), [("Bash", {"command": "cat .env"}), ("Read", {"file_path": ".env"})])
async def test_the_file_of_secrets_is_shown_with_leave_and_without_its_secrets(
    work: Path, tmp_path: Path, name: str, input: dict[str, Any]
) -> None:
    (work / ".env").write_text(f"# of the shop\nDB_PASSWORD={WEAK}\nPORT=8080\n")
    front = await begin(work, use(name, **input), DONE, use(name, **input), DONE, mode="default")
    for count, decision in enumerate((Decision(behavior="deny", message="not now"), Decision(behavior="allow")), 1):
        front.session.submit("go")
        *_, asked = await front.until(PermissionRequested, count)
        assert "which may hold secrets" in asked.reason
        front.session.answer(asked.request_id, decision)
        await front.session.wait_idle()
        content = str(front.of(ToolResultReady)[-1].content)
        is_shown = decision.behavior == "allow"
        assert ("PORT=8080" in content) is is_shown
        assert ("DB_PASSWORD=[secret: DB_PASSWORD]" in content) is is_shown
    await front.session.close()
    assert WEAK not in everything(front, tmp_path / "tui_agent_home")


async def test_a_search_through_the_folder_asks_nothing_and_leaves_secret_files_out(work: Path, tmp_path: Path) -> None:
    (work / ".env").write_text(f"DB_PASSWORD={WEAK}\n")
    (work / "deploy.sh").write_text(f"export DB_PASSWORD={WEAK}\n")
    search = use("Grep", pattern="PASSWORD", output_mode="content")
    front = await begin(work, search, use("Bash", command="grep -r PASSWORD ."), DONE, mode="default")
    front.session.submit("go")
    await front.session.wait_idle()
    assert front.of(PermissionRequested) == []
    results = front.of(ToolResultReady)
    assert len(results) == 2
    for result in results:
        assert "DB_PASSWORD=[secret: DB_PASSWORD]" in str(result.content)
        assert ".env" not in str(result.content)
    await front.session.close()
    assert WEAK not in everything(front, tmp_path / "tui_agent_home")
