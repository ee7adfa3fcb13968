"""From settings and environment to clients: which endpoint a model's name means, with which key, and what it can do."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest
from sse_server import finished, serving, started, streaming, text_block

from tui_agent.model.prices import ModelTable
from tui_agent.model.protocol import BlockDelta, ModelError, ModelRequest
from tui_agent.model.providers.resolve import ModelClients, model_table, resolve
from tui_agent.settings.schema import SettingsValues

REPLY = streaming(started(), *text_block(0, "hello"), *finished())


def values(**providers: Any) -> SettingsValues:
    return SettingsValues.model_validate({"providers": providers})


async def answer(models: ModelClients, model: str) -> str:
    request = ModelRequest(
        model=model, system=[], messages=[{"role": "user", "content": "hi"}], tools=[], max_tokens=10
    )
    async with aclosing(models.stream(request)) as items:  # type: ignore[type-var]
        return "".join([item.text async for item in items if isinstance(item, BlockDelta)])


async def test_a_model_is_asked_at_its_provider_by_the_name_it_has_there_and_with_that_key() -> None:
    async with serving(REPLY) as usual, serving(REPLY) as local:
        models = resolve(
            values(local={"baseUrl": local.url, "apiKeyEnv": "LOCAL_KEY"}),
            {"LOCAL_KEY": "local-secret-key", "ANTHROPIC_API_KEY": "usual-secret-key", "ANTHROPIC_BASE_URL": usual.url},
        )
        assert await answer(models, "local/qwen/7b") == "hello"
        assert await answer(models, "claude-opus-5") == "hello"
        assert await answer(models, "unknown/model") == "hello"
        await models.close()
    assert [request.body["model"] for request in local.asked] == ["qwen/7b"]
    assert [request.body["model"] for request in usual.asked] == ["claude-opus-5", "unknown/model"]
    assert "local-secret-key" in local.asked[0].head
    assert all("usual-secret-key" in request.head for request in usual.asked)
    assert set(models.secrets) == {"local-secret-key", "usual-secret-key"}


async def test_a_key_never_goes_to_another_provider() -> None:
    async with serving(REPLY) as local:
        models = resolve(values(local={"baseUrl": local.url}), {"ANTHROPIC_API_KEY": "usual-secret-key"})
        assert await answer(models, "local/qwen") == "hello"
        await models.close()
    assert "usual-secret-key" not in local.asked[0].head


def test_what_lacks_a_key_is_said_before_anything_is_sent() -> None:
    models = resolve(values(other={"apiKeyEnv": "OTHER_KEY"}), {"ANTHROPIC_API_KEY": "k"})
    assert models.problem("claude-opus-5") == ""
    assert models.problem("other/model") == "No key for other is set."
    with pytest.raises(ModelError) as caught:
        asyncio.run(answer(models, "other/model"))
    assert caught.value.kind == "authentication"
    assert "OTHER_KEY" in caught.value.hint
    assert resolve(SettingsValues(), {}).problem("") == "No key is set."


def test_the_usual_provider_can_be_another_endpoint_with_another_key() -> None:
    models = resolve(
        values(anthropic={"baseUrl": "http://127.0.0.1:9", "apiKeyEnv": "MINE"}), {"MINE": "my-secret-key"}
    )
    assert models.problem("claude-opus-5") == ""
    assert models.secrets == ("my-secret-key",)


def test_what_is_known_of_a_model_is_data_that_settings_add_to() -> None:
    table = model_table(
        values(
            local={
                "models": {
                    "qwen": {"context": 32000, "maxOutput": 8000, "thinking": False, "images": False, "cache": False},
                    "deep": {"thinking": "budget", "price": {"input": 1, "output": 2, "cacheRead": 0.5}},
                }
            },
            anthropic={"models": {"claude-sonnet-5-5": {"price": {"input": 7}}}},
        ).providers
    )
    qwen, deep, sonnet = (table.info(name) for name in ("local/qwen", "local/deep", "claude-sonnet-5-5"))
    assert (qwen.context_size, qwen.max_output, qwen.thinking) == (32000, 8000, "none")
    assert (qwen.takes_images, qwen.takes_cache_marks, qwen.is_priced) == (False, False, False)
    assert (deep.rates.input, deep.rates.output, deep.rates.cache_read, deep.rates.cache_write) == (1, 2, 0.5, None)
    assert table.request_defaults("local/deep").thinking == {"type": "enabled", "budget_tokens": 10_000}
    assert table.request_defaults("local/qwen").thinking is None
    assert (sonnet.rates.input, sonnet.rates.output, sonnet.takes_images) == (7, 10, True)
    assert ModelTable.builtin().info("claude-sonnet-5-5").rates.input == 2
