"""The client over a real socket: the real SDK, and a server that sends exactly these bytes."""

from __future__ import annotations

import pytest
from client_calls import KEY, ask, blocks, request
from sse_server import (
    block,
    finished,
    serving,
    started,
    streaming,
    text_block,
    tool_block,
)

from tui_agent.model.protocol import (
    BlockDelta,
    BlockFinished,
    BlockStarted,
    ModelError,
    ReplyFinished,
    ReplyStarted,
    Usage,
)
from tui_agent.model.providers.anthropic import AnthropicModel


async def test_a_reply_arrives_as_facts_in_order() -> None:
    items = await ask(
        streaming(
            started(input_tokens=3, cache_read_input_tokens=40, cache_creation_input_tokens=5, output_tokens=1),
            {"type": "ping"},
            *text_block(0, "Hel", "lo"),
            *finished("end_turn", output_tokens=9),
        )
    )
    assert items == [
        ReplyStarted("msg_1"),
        BlockStarted(0, "text"),
        BlockDelta(0, "Hel"),
        BlockDelta(0, "lo"),
        BlockFinished(0, {"type": "text", "text": "Hello"}),
        ReplyFinished("end_turn", Usage(3, 9, 40, 5)),
    ]


async def test_tool_arguments_are_put_together_and_parsed_when_the_block_ends() -> None:
    items = await ask(
        streaming(started(), *tool_block(0, '{"file_', 'path": "a\\u00e9', '.py"}'), *finished("tool_use"))
    )
    assert blocks(items) == [
        BlockFinished(0, {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "aé.py"}})
    ]
    assert items[1] == BlockStarted(0, "tool_use", "toolu_1", "Read")


async def test_a_tool_use_without_argument_text_is_not_certain() -> None:
    items = await ask(streaming(started(), *tool_block(0), *finished("tool_use")))
    (finished_block,) = blocks(items)
    assert finished_block.block is not None
    assert finished_block.block["input"] == {}
    assert not finished_block.is_certain


@pytest.mark.parametrize("arguments", ['{"a": 1', "[1]", "nonsense", '{"a": NaN}', "[" * 100_000])
async def test_arguments_that_are_no_json_object_give_no_block_but_a_reason(arguments: str) -> None:
    items = await ask(streaming(started(), *tool_block(0, arguments), *finished("max_tokens")))
    (finished_block,) = blocks(items)
    assert finished_block.block is None
    assert finished_block.problem


async def test_half_of_a_surrogate_pair_never_enters_the_conversation() -> None:
    items = await ask(
        streaming(
            started(),
            *tool_block(0, '{"a": "x\\ud800y \\ud83d\\ude00"}'),
            *text_block(1, "\ud800"),
            *finished("tool_use"),
        )
    )
    tool, text = blocks(items)
    assert tool.block is not None
    assert tool.block["input"] == {"a": "x\ufffdy \U0001f600"}
    assert text.block == {"type": "text", "text": "\ufffd"}


async def test_thinking_is_kept_whole_with_its_signature() -> None:
    items = await ask(
        streaming(
            started(),
            *block(
                0,
                {"type": "thinking", "thinking": "", "signature": ""},
                {"type": "thinking_delta", "thinking": "hm "},
                {"type": "thinking_delta", "thinking": "yes"},
                {"type": "signature_delta", "signature": "c2ln"},
            ),
            *block(
                1, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "signature_delta", "signature": "x"}
            ),
            *block(2, {"type": "redacted_thinking", "data": "b64"}),
            *finished(),
        )
    )
    assert [item.block for item in blocks(items)] == [
        {"type": "thinking", "thinking": "hm yes", "signature": "c2ln"},
        {"type": "thinking", "thinking": "", "signature": "x"},
        {"type": "redacted_thinking", "data": "b64"},
    ]
    assert [item.text for item in items if isinstance(item, BlockDelta)] == ["hm ", "yes"]


async def test_blocks_and_fields_of_a_newer_api_are_kept_as_they_came() -> None:
    items = await ask(
        streaming(
            started(),
            {"type": "some_future_event", "value": 1},
            *block(0, {"type": "hologram", "data": {"x": 1}}, {"type": "hologram_delta", "y": 2}),
            *finished("a_future_reason"),
        )
    )
    assert blocks(items)[0].block == {"type": "hologram", "data": {"x": 1}}
    assert isinstance(items[1], BlockStarted)
    assert items[1].kind == "other"
    assert items[-1] == ReplyFinished("a_future_reason", Usage())


@pytest.mark.parametrize(
    "reason",
    ["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded"],
)
async def test_every_stop_reason_passes_through(reason: str) -> None:
    items = await ask(streaming(started(), *text_block(0, "x"), *finished(reason)))
    assert isinstance(items[-1], ReplyFinished)
    assert items[-1].stop_reason == reason


async def test_a_refusal_says_why() -> None:
    delta = {
        "stop_reason": "refusal",
        "stop_details": {"type": "refusal", "category": "cyber", "explanation": "Not that."},
    }
    items = await ask(
        streaming(started(), {"type": "message_delta", "delta": delta, "usage": {}}, {"type": "message_stop"})
    )
    assert items[-1] == ReplyFinished("refusal", Usage(), "Not that.")


async def test_the_request_carries_what_was_asked_and_nothing_empty() -> None:
    async with serving(streaming(started(), *finished())) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url)
        tools = [
            {
                "name": "Read",
                "description": "d",
                "input_schema": {"type": "object"},
                "cache_control": {"type": "ephemeral"},
            }
        ]
        thinking = {"type": "adaptive", "display": "summarized"}
        async for _ in model.stream(request(tools=tools, thinking=thinking, extra={"metadata": {"user_id": "u"}})):
            pass
        async for _ in model.stream(request()):
            pass
        await model.close()
    full, bare = (asked.body for asked in server.asked)
    assert full["tools"] == tools
    assert full["thinking"] == thinking
    assert full["metadata"] == {"user_id": "u"}
    assert set(bare) == {"model", "max_tokens", "messages", "stream"}
    assert any(KEY in str(server.asked[0].header(name)) for name in ("x-api-key", "authorization"))


async def test_what_is_no_text_is_sent_as_far_as_it_is() -> None:
    async with serving(streaming(started(), *finished())) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url)
        async for _ in model.stream(request(messages=[{"role": "user", "content": "caf\udce9 ü"}])):
            pass
        await model.close()
    assert server.asked[0].body["messages"] == [{"role": "user", "content": "caf? ü"}]


async def test_a_key_that_no_header_can_carry_is_said_at_once() -> None:
    async with serving(streaming(started(), *finished())) as server:
        model = AnthropicModel(api_key="secret-1\nsecret-2", base_url=server.url)
        with pytest.raises(ModelError) as caught:
            [item async for item in model.stream(request())]
        await model.close()
    assert caught.value.kind == "authentication"
    assert not caught.value.is_retryable
    assert "secret" not in caught.value.message
    assert server.asked == []


def test_blanks_around_a_key_are_no_part_of_it_and_blanks_alone_are_no_key() -> None:
    assert AnthropicModel(api_key=f" {KEY}\n").has_credentials
    assert not AnthropicModel(api_key=" ", auth_token="\n").has_credentials


async def test_a_bearer_token_or_an_address_of_ones_own_can_take_the_place_of_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(streaming(started(), *finished())) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-123456")
        with_token = AnthropicModel()
        [item async for item in with_token.stream(request())]
        monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN")
        without = AnthropicModel()
        assert without.is_usable
        [item async for item in without.stream(request())]
        await with_token.close()
        await without.close()
    assert server.asked[0].header("authorization") == "Bearer token-123456"
    assert server.asked[1].header("authorization") is None
    assert server.asked[1].header("x-api-key") is None


async def test_without_key_and_endpoint_the_error_says_what_to_do() -> None:
    model = AnthropicModel()
    with pytest.raises(ModelError) as caught:
        [item async for item in model.stream(request())]
    assert caught.value.kind == "authentication"
    assert "ANTHROPIC_API_KEY" in caught.value.hint
    assert not model.is_usable


async def test_one_client_serves_one_request_after_another() -> None:
    async with serving(streaming(started(), *text_block(0, "x"), *finished())) as server:
        model = AnthropicModel(api_key=KEY, base_url=server.url)
        for _ in range(3):
            assert isinstance([item async for item in model.stream(request())][-1], ReplyFinished)
        await model.close()
    assert len(server.asked) == 3
