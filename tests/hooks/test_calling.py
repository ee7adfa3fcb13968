"""Hooks that are posted to an address, and hooks that the small model answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hooking import Hooks
from web_server import WebServer, answer, serving

from tui_agent.hooks.remote_hooks import HttpTerms
from tui_agent.settings.load import HookEntry


def http_hook(url: str, event: str = "PreToolUse", **more: Any) -> HookEntry:
    return HookEntry(event, "", {"type": "http", "url": url, **more}, "user", "settings.json", 1)


def prompt_hook(prompt: str, event: str = "PreToolUse", **more: Any) -> HookEntry:
    return HookEntry(event, "", {"type": "prompt", "prompt": prompt, **more}, "user", "settings.json", 1)


@pytest.fixture
async def server() -> AsyncIterator[WebServer]:
    async with serving() as running:
        yield running


@contextlib.asynccontextmanager
async def echoing() -> AsyncIterator[tuple[str, list[tuple[str, Any]]]]:
    """A server that keeps what is posted: head and JSON."""
    kept: list[tuple[str, Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        size = next(int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length"))
        kept.append((head, json.loads(await reader.readexactly(size))))
        writer.write(answer("", "204 No Content"))
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/hook", kept


async def test_the_event_is_posted_and_only_listed_variables_fill_headers(tmp_path: Path) -> None:
    async with echoing() as (url, kept):
        headers = {"Authorization": "Bearer $AUDIT_KEY", "X-Other": "<${SECRET}$NEITHER>", "X-Break": "a$LINES_b"}
        entry = http_hook(url, headers=headers, allowedEnvVars=["AUDIT_KEY", "NEITHER", "LINES_b"])
        variables = {"AUDIT_KEY": "k1", "SECRET": "s", "NEITHER": "n", "LINES_b": "x\r\nInjected: y"}
        terms = HttpTerms(variables=("AUDIT_KEY", "SECRET", "LINES_b"))
        hooks = Hooks(tmp_path, entry, variables=lambda: variables, http_terms=lambda: terms)
        assert (await hooks.one(tool_input={"command": "ls"})).how == "ok"
    ((head, body),) = kept
    assert body["tool_input"] == {"command": "ls"}
    assert "authorization: bearer k1" in head.lower()
    assert "x-other: <>" in head.lower()
    assert "x-break: axInjected: y".lower() in head.lower()
    assert "\ninjected" not in head.lower()


async def test_an_empty_variable_at_the_end_of_a_header_is_no_failure(tmp_path: Path) -> None:
    async with echoing() as (url, kept):
        entry = http_hook(url, headers={"Authorization": "Bearer $UNSET", "X-Tab": "\ta\t"}, allowedEnvVars=["UNSET"])
        assert (await Hooks(tmp_path, entry).one()).how == "ok"
    ((head, _),) = kept
    assert "authorization: bearer\r\n" in head.lower()
    assert "x-tab: a\r\n" in head.lower()


async def test_a_header_that_cannot_be_sent_is_told_without_its_value(tmp_path: Path, server: WebServer) -> None:
    hooks = Hooks(tmp_path, http_hook(server.url("/hook"), headers={"X-Key": "hidden\x0bvalue"}))
    assert (await hooks.one()).how == "failed"
    assert "one of its headers cannot be sent" in hooks.notices[0]
    assert "hidden" not in hooks.notices[0]


async def test_what_the_answer_says_counts(tmp_path: Path, server: WebServer) -> None:
    own = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}
    server.pages["/hook"] = answer(json.dumps({"hookSpecificOutput": own}))
    outcome = await Hooks(tmp_path, http_hook(server.url("/hook"))).one()
    assert (outcome.how, outcome.said.decision, outcome.said.reason) == ("blocked", "deny", "no")


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        (answer("", "500 Oops"), "it answered 500 Oops"),
        (answer("", "302 Found", location="http://127.0.0.1:1/other"), "it answered 302 Found"),
        (answer("fine"), "it answered with something that is no JSON object"),
        (answer("[]"), "it answered with something that is no JSON object"),
        (answer('{"decision": 1}'), "its JSON does not fit"),
        (answer("{" + "x" * 1_100_000), "it answered with more than a megabyte"),
    ],
)
async def test_anything_else_is_a_failure_that_blocks_nothing(
    tmp_path: Path, server: WebServer, page: bytes, problem: str
) -> None:
    server.pages["/hook"] = page
    hooks = Hooks(tmp_path, http_hook(server.url("/hook")))
    outcome = await hooks.one()
    assert (outcome.how, outcome.said.blocks) == ("failed", False)
    assert problem in hooks.notices[0]
    assert server.paths == ["/hook"]


async def test_nobody_there_and_nobody_answering_are_failures_too(tmp_path: Path, server: WebServer) -> None:
    async def silent(_writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    server.pages["/silent"] = silent
    hooks = Hooks(
        tmp_path,
        http_hook("http://127.0.0.1:1/"),
        http_hook(server.url("/silent"), timeout=0.1),
        http_hook(server.url("/silent"), timeout=0.1, onFailure="block", headers={"a": "b"}),
    )
    assert [outcome.how for outcome in await hooks.run()] == ["failed", "timeout", "blocked"]


@pytest.mark.parametrize(
    ("patterns", "url", "may"),
    [
        (None, "https://anywhere.example/x", True),
        ((), "https://anywhere.example/x", False),
        (("https://hooks.example/*",), "https://hooks.example/x", True),
        (("https://hooks.example/*",), "http://hooks.example/x", False),
        (("https://*.example.com/*",), "https://a.example.com/x", True),
        (("https://*.example.com/*",), "https://evil.test/.example.com/x", False),
        (("https://*.example.com/*",), "https://evil.test\\.example.com/x", False),
        (("https://hooks.example/*",), "https://hooks.example@evil.test/x", False),
        (("https://hooks.example/*",), "https://HOOKS.example", True),
        (("http://127.0.0.1:*/*",), "http://127.0.0.1:8080/hook", True),
        (("*",), "http://any.test/", True),
    ],
)
def test_addresses_are_allowed_by_patterns(patterns: tuple[str, ...] | None, url: str, may: bool) -> None:
    assert HttpTerms(urls=patterns).allow_url(url) is may


async def test_an_address_that_is_not_allowed_is_not_called(tmp_path: Path, server: WebServer) -> None:
    hooks = Hooks(tmp_path, http_hook(server.url("/")), http_terms=lambda: HttpTerms(urls=()))
    assert (await hooks.one()).how == "failed"
    assert server.asked == []


async def test_the_small_model_is_asked_and_its_no_is_one(tmp_path: Path) -> None:
    asked: list[str] = []

    async def model(text: str) -> str:
        asked.append(text)
        return 'Sure:\n```json\n{"ok": false, "reason": "it deletes"}\n```'

    hooks = Hooks(tmp_path, prompt_hook("Is this safe? $ARGUMENTS"), ask_model=model)
    outcome = await hooks.one(tool_input={"command": "rm x"})
    assert (outcome.how, outcome.said.blocks, outcome.said.reason) == ("blocked", True, "it deletes")
    assert '"command": "rm x"' in asked[0]
    assert "$ARGUMENTS" not in asked[0]


@pytest.mark.parametrize(("goes_on", "stops"), [(False, True), (True, False)])
async def test_a_no_after_the_fact_ends_the_turn_unless_it_is_to_go_on(
    tmp_path: Path, goes_on: bool, stops: bool
) -> None:
    async def model(_text: str) -> str:
        return '{"ok": false, "reason": "untested"}'

    entry = prompt_hook("tested?", "PostToolUse", continueOnBlock=goes_on)
    said = (await Hooks(tmp_path, entry, ask_model=model).one("PostToolUse")).said
    assert (said.blocks, said.stops, said.reason) == (True, stops, "untested")


@pytest.mark.parametrize("text", ["no idea", '{"ok": "yes"}', "{", "[" * 100_000, '{"a":' * 100_000 + "}"])
async def test_an_answer_that_is_none_blocks_nothing(tmp_path: Path, text: str) -> None:
    async def model(_text: str) -> str:
        return text

    hooks = Hooks(tmp_path, prompt_hook("x"), ask_model=model)
    assert (await hooks.one()).how == "failed"
    assert "the model did not answer as asked" in hooks.notices[0]


async def test_a_model_that_fails_or_takes_too_long_blocks_nothing(tmp_path: Path) -> None:
    async def broken(_text: str) -> str:
        raise OSError("overloaded")

    async def slow(_text: str) -> str:
        await asyncio.Event().wait()
        raise AssertionError

    assert (await Hooks(tmp_path, prompt_hook("x"), ask_model=broken).one()).how == "failed"
    assert (await Hooks(tmp_path, prompt_hook("x", timeout=0.05), ask_model=slow).one()).how == "timeout"
    assert (await Hooks(tmp_path, prompt_hook("x")).one()).how == "failed"
