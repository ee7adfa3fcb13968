"""From settings and environment to models: which endpoint a model's name means, with which key, and what it can do.

`local/qwen` is the model `qwen` at the provider that settings call `local`; a name without a known provider in front of it is
one of the Messages API, whose address and key come from the usual variables. A client is made when a request first needs it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tui_agent.model.protocol import ListedModel, ModelRequest, StreamItem

if TYPE_CHECKING:
    from tui_agent.model.prices import ModelInfo, ModelTable
    from tui_agent.model.providers.anthropic import AnthropicModel
    from tui_agent.settings.schema import ProviderModel, ProviderValues, SettingsValues

__all__ = ["ModelClients", "model_table", "resolve", "without_keys"]

USUAL: Final = "anthropic"  # the provider of names without one
_KEY_VARIABLE: Final = "ANTHROPIC_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Endpoint:
    """Where requests go, and what they are signed with. `key_variable` is the variable that a key is looked for in."""

    base_url: str | None
    api_key: str | None
    key_variable: str


class ModelClients:
    """Implements `Models`: the clients of one session, one for each provider that was asked something."""

    def __init__(
        self, providers: Mapping[str, ProviderValues], environment: Mapping[str, str], usual: _Endpoint
    ) -> None:
        self._providers = providers
        self._environment = environment
        self._usual = usual
        self._clients: dict[str, AnthropicModel] = {}

    @cached_property
    def table(self) -> ModelTable:
        """What is known of models, those of the settings included."""
        return model_table(self._providers)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What requests are signed with, and nobody is to read."""
        names = dict.fromkeys((USUAL, *self._providers))
        return tuple(dict.fromkeys(secret for name in names for secret in self._client(name).secrets))

    def problem(self, model: str) -> str:
        """Return why no request can go to this model, in a sentence; empty where one can."""
        provider, _ = self._split(model)
        if self._client(provider).is_usable:
            return ""
        return f"No key for {provider} is set." if provider != USUAL else "No key is set."

    async def prepare(self, model: str) -> None:
        """Make the client of a model ready, so that the first request need not wait for it."""
        await self._client(self._split(model)[0]).prepare()

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Send a request to its model's provider and yield the reply as it comes.

        Raises:
            ModelError: at any point.
        """
        provider, name = self._split(request.model)
        return self._client(provider).stream(replace(request, model=name))

    async def list_models(self) -> tuple[ListedModel, ...]:
        """Return what the usual endpoint says it has; nothing where it does not say.

        Raises:
            ModelError: it refuses the key, or cannot be reached.
        """
        return await self._client(USUAL).list_models()

    async def sign_in(self, api_key: str, base_url: str) -> None:
        """Go to the usual endpoint with this key from now on, or to another with it; an empty key is none.

        Keys of the environment are for the endpoint that stands there, and for no other.
        """
        self._usual = replace(self._usual, api_key=api_key or None, base_url=base_url or self._usual.base_url)
        if not api_key:
            self._environment = without_keys(self._environment)
        client = self._clients.pop(USUAL, None)
        if client is not None:
            await client.close()

    async def close(self) -> None:
        """Release all connections."""
        clients, self._clients = tuple(self._clients.values()), {}
        for client in clients:
            await client.close()

    def _split(self, model: str) -> tuple[str, str]:
        """Return the provider that a model's name means, and the name that it has there."""
        provider, slash, name = model.partition("/")
        return (provider, name) if slash and provider in self._providers else (USUAL, model)

    def _client(self, provider: str) -> AnthropicModel:
        client = self._clients.get(provider)
        if client is None:
            from tui_agent.model.providers.anthropic import AnthropicModel

            endpoint = self._usual if provider == USUAL else _endpoint(self._providers[provider], self._environment)
            client = self._clients[provider] = AnthropicModel(
                api_key=endpoint.api_key,
                base_url=endpoint.base_url,
                environment=self._environment if provider == USUAL else {},
                key_variable=endpoint.key_variable,
            )
        return client


def without_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the keys of the Messages API."""
    return {name: value for name, value in environment.items() if name not in (_KEY_VARIABLE, "ANTHROPIC_AUTH_TOKEN")}


def resolve(
    settings: SettingsValues,
    environment: Mapping[str, str],
    *,
    api_key: str | None = None,
    base_url: str | None = None,
) -> ModelClients:
    """Return the way to all models that settings and environment lead to.

    The settings are those of the user's own, never a project's. `api_key` and `base_url` are for models without a provider in
    their names, where they do not come from the settings: typed in, from the keyring, or those of a demo.
    """
    known = settings.providers.get(USUAL)
    configured = _endpoint(known, environment) if known is not None else None
    url = base_url or environment.get("ANTHROPIC_BASE_URL") or (configured.base_url if configured else None)
    usual = _Endpoint(
        base_url=url,
        api_key=api_key or (configured.api_key if configured else None),
        key_variable=configured.key_variable if configured else _KEY_VARIABLE,
    )
    return ModelClients(settings.providers, environment, usual)


def _endpoint(values: ProviderValues, environment: Mapping[str, str]) -> _Endpoint:
    name = values.api_key_env
    return _Endpoint(
        base_url=values.base_url,
        api_key=environment.get(name) if name else None,
        key_variable=name or _KEY_VARIABLE,
    )


def model_table(providers: Mapping[str, ProviderValues]) -> ModelTable:
    """Return what is known of models: the built-in data, and what the settings of providers say."""
    from tui_agent.model.prices import ModelTable

    table = ModelTable.builtin()
    found: dict[str, ModelInfo] = {}
    for provider, values in providers.items():
        for name, said in values.models.items():
            full = name if provider == USUAL else f"{provider}/{name}"
            found[full] = _info(table.info(full), said)
    return table.with_models(found)


def _info(known: ModelInfo, said: ProviderModel) -> ModelInfo:
    """Return what is known of a model with what settings say of it on top."""
    prices = said.price.model_dump(exclude_none=True)
    known = replace(
        known,
        context_size=said.context or known.context_size,
        max_output=said.max_output or known.max_output,
        rates=replace(known.rates, **prices),
        takes_images=known.takes_images if said.images is None else said.images,
        takes_cache_marks=known.takes_cache_marks if said.cache is None else said.cache,
    )
    if said.thinking is None:
        return known
    return replace(known, thinking=said.thinking or "none", thinking_off=None)
