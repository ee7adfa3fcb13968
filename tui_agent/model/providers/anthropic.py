"""The Anthropic client: the real SDK, its raw event stream, and nothing parsed twice.

The SDK builds a pydantic object for every event and, in its accumulating helper, parses partial JSON again at each delta.
Here the server-sent events are taken as they come (`AsyncStream.raw_events`), one `json.loads` each, and a block's fragments
are put together once, when the block ends. One request is one attempt; retrying belongs to the turn.

The SDK costs a second to import, so it is imported, in a thread, when the first request is made or by `prepare`.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import ipaddress
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from tui_agent.model.errors import from_error_body, from_status, redact
from tui_agent.model.protocol import ListedModel, ModelError, ModelRequest, StreamItem
from tui_agent.model.request_body import request_body
from tui_agent.model.stream import StreamReader

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

__all__ = ["DEFAULT_BASE_URL", "AnthropicModel"]

DEFAULT_BASE_URL: Final = "https://api.anthropic.com"
# The API pings while the model thinks, and a ping counts as life; longer silence is a dead connection.
SILENCE_TIMEOUT_S: Final = 180.0
# What the SDK and its transport import when the first request is under way, in the event loop's thread.
_AT_FIRST_REQUEST: Final = ("anyio._backends._asyncio", "opentelemetry.propagate")
CONNECT_TIMEOUT_S: Final = 20.0
_PATH: Final = "/v1/messages"
_MODELS_PATH: Final = "/v1/models?limit=1000"
_LIST_TIMEOUT_S: Final = 10.0  # the SDK's import included


class AnthropicModel:
    """Requests to one endpoint with one credential.

    Both come from the arguments or else from `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN` (a bearer token) and
    `ANTHROPIC_BASE_URL` in `environment`, by default the process's own. An endpoint that is not the default one may need no
    credential. `key_variable` is where a user would put a key. `silence_timeout_s` is how long a connection may say nothing
    at all.
    """

    def __init__(
        self,
        api_key: str | None = None,
        auth_token: str | None = None,
        base_url: str | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        key_variable: str = "ANTHROPIC_API_KEY",
        silence_timeout_s: float = SILENCE_TIMEOUT_S,
    ) -> None:
        environment = os.environ if environment is None else environment
        if not api_key and not auth_token:
            api_key = environment.get("ANTHROPIC_API_KEY")
            auth_token = environment.get("ANTHROPIC_AUTH_TOKEN")
        # Blanks and line breaks around a key come from files and clipboards, and no header can carry them.
        self._api_key = (api_key or "").strip() or None
        self._auth_token = None if self._api_key else ((auth_token or "").strip() or None)
        self.base_url: Final = (base_url or environment.get("ANTHROPIC_BASE_URL") or DEFAULT_BASE_URL).rstrip("/")
        self._silence_timeout_s = silence_timeout_s
        self._key_variable = key_variable
        self._client: AsyncAnthropic | None = None
        self._preparing = asyncio.Lock()

    @property
    def has_credentials(self) -> bool:
        """Whether there is anything to show to the server."""
        return bool(self._api_key or self._auth_token)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What requests are signed with, and nobody is to read."""
        return tuple(filter(None, (self._api_key, self._auth_token)))

    @property
    def is_usable(self) -> bool:
        """Whether a request makes sense: there is a credential, or an endpoint of somebody's own that may need none."""
        return self.has_credentials or self.base_url != DEFAULT_BASE_URL

    async def prepare(self) -> None:
        """Import the SDK and build the client, in a thread, so that the first request need not wait for it."""
        async with self._preparing:
            if self._client is None:
                self._client = await asyncio.to_thread(self._build)

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Send the request and yield the reply as it comes.

        Close the iterator (`contextlib.aclosing`) or cancel the task that reads it to drop the connection at once.

        Raises:
            ModelError: at any point; nothing else but cancellation.
        """
        if not self.is_usable:
            raise ModelError(
                "authentication",
                "No key is set.",
                hint=f"Set {self._key_variable}, or try `tui-agent --demo`, which needs none.",
            )
        await self.prepare()
        try:
            async with aclosing(self._items(request)) as items:
                async for item in items:
                    yield item
        except ModelError:
            raise
        except Exception as error:  # every exception of the SDK, its transport and its decoder ends here, as one kind
            raise self._explain(error) from error

    async def list_models(self) -> tuple[ListedModel, ...]:
        """Return the models that the endpoint lists; nothing where it keeps no such list.

        Raises:
            ModelError: the key is refused, or nobody answers.
        """
        try:
            async with asyncio.timeout(_LIST_TIMEOUT_S):
                await self.prepare()
                assert self._client is not None
                found = await self._client.get(_MODELS_PATH, cast_to=object)
        except TimeoutError:
            raise self._unreachable("no answer") from None
        except ModelError:
            raise
        except Exception as error:
            explained = self._explain(error)
            if explained.kind in ("authentication", "permission", "billing", "unreachable", "connection", "timeout"):
                raise explained from error
            return ()
        rows = found.get("data") if isinstance(found, dict) else None
        named = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        listed = (ListedModel(str(row.get("id") or ""), str(row.get("display_name") or "")) for row in named)
        return tuple(model for model in listed if model.id)

    async def close(self) -> None:
        """Release connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _items(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        from anthropic import AsyncStream

        client = self._client
        assert client is not None
        # `messages.create` would copy and write all of a long conversation in one go.
        body = await request_body(request)
        created = await client.post(_PATH, cast_to=object, content=body, stream=True, stream_cls=AsyncStream[object])
        response = created.response
        reader = StreamReader()
        try:
            self._check_kind(response.headers.get("content-type", ""))
            async with aclosing(AsyncStream.raw_events(response)) as events:  # type: ignore[type-var]
                async for event in events:
                    if event.event in (None, "ping") or not event.data:
                        continue
                    if event.event == "error":
                        raise from_error_body(event.data, secrets=self._secrets)
                    for item in reader.feed(event.data):
                        yield item
                    if reader.is_finished:
                        return
        finally:
            await response.aclose()
        raise ModelError(
            "connection",
            "The connection ended in the middle of the reply."
            if reader.has_started
            else "The connection ended before the reply began.",
            hint="Check the network.",
            is_retryable=True,
        )

    def _check_kind(self, content_type: str) -> None:
        kind = content_type.partition(";")[0].strip().lower()
        if kind and kind != "text/event-stream":
            raise ModelError(
                "protocol",
                f"{self._host} answered with {redact(kind)} where a stream of events was expected.",
                hint="Check ANTHROPIC_BASE_URL; a proxy or a sign-in page may be in between.",
            )

    @property
    def _secrets(self) -> tuple[str | None, ...]:
        return (self._api_key, self._auth_token)

    @property
    def _host(self) -> str:
        return urlsplit(self.base_url).netloc.rpartition("@")[2] or self.base_url

    def _build(self) -> AsyncAnthropic:
        for name in _AT_FIRST_REQUEST:
            with contextlib.suppress(ImportError):  # it is only to be there sooner
                importlib.import_module(name)
        import httpx2
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Omit

        headers: dict[str, Any] = {}
        if not self.has_credentials:
            # Said outright, so that the SDK neither looks for credentials of its own nor insists on some.
            headers = {"Authorization": Omit(), "X-Api-Key": Omit()}
        timeout = httpx2.Timeout(self._silence_timeout_s, connect=CONNECT_TIMEOUT_S)
        try:
            return AsyncAnthropic(
                api_key=self._api_key if self.has_credentials else "none",
                auth_token=self._auth_token,
                base_url=self.base_url,
                max_retries=0,
                timeout=timeout,
                default_headers=headers,
                # A proxy cannot reach this machine's own loopback addresses.
                http_client=DefaultAsyncHttpxClient(trust_env=not _is_loopback(self.base_url)),
            )
        except Exception as error:
            raise ModelError(
                "invalid_request",
                f"The client cannot be set up: {redact(str(error), *self._secrets)}",
                hint="Check ANTHROPIC_BASE_URL and the proxy variables.",
            ) from error

    def _explain(self, error: Exception) -> ModelError:
        import anthropic
        import httpx2

        if isinstance(error, anthropic.APIStatusError):
            return from_status(error.status_code, error.body, error.response.headers, secrets=self._secrets)
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, httpx2.TimeoutException | anthropic.APITimeoutError | TimeoutError):
                return self._timed_out(cause)
            if isinstance(cause, httpx2.TransportError | OSError):
                break
            cause = cause.__cause__
        if cause is None and not isinstance(error, anthropic.APIConnectionError):
            return self._unexpected(error)
        return self._lost(cause or error)

    def _timed_out(self, error: BaseException) -> ModelError:
        import httpx2

        if isinstance(error, httpx2.ConnectTimeout) or isinstance(error.__cause__, httpx2.ConnectTimeout):
            return self._unreachable("no answer")
        return ModelError(
            "timeout",
            f"{self._host} has said nothing for {self._silence_timeout_s:g} s.",
            hint="Check the network.",
            is_retryable=True,
        )

    def _lost(self, error: BaseException) -> ModelError:
        import ssl

        import httpx2

        root = error
        while root.__cause__ is not None or root.__context__ is not None:
            root = root.__cause__ or root.__context__ or root
            if isinstance(root, ssl.SSLCertVerificationError):
                return ModelError(
                    "connection",
                    f"The certificate of {self._host} cannot be trusted: {redact(root.verify_message)}.",
                    hint="Check ANTHROPIC_BASE_URL, the clock, and SSL_CERT_FILE behind a company proxy.",
                )
        if isinstance(error, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
            return ModelError(
                "invalid_request",
                f"{redact(self.base_url, *self._secrets)} is not an address to send requests to.",
                hint="Check ANTHROPIC_BASE_URL; it starts with https:// or http://.",
            )
        if isinstance(error, httpx2.LocalProtocolError) and not all(
            (secret or "").isprintable() for secret in self._secrets
        ):
            return ModelError(
                "authentication",
                "The key holds a line break or another character that cannot be sent.",
                hint="Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.",
            )
        if isinstance(error, httpx2.ConnectError):
            return self._unreachable(redact(str(error), *self._secrets))
        return ModelError(
            "connection",
            f"The connection to {self._host} was lost ({type(error).__name__}).",
            hint="Check the network.",
            is_retryable=True,
        )

    def _unreachable(self, reason: str) -> ModelError:
        return ModelError(
            "unreachable",
            f"{self._host} cannot be reached{f' ({reason})' if reason else ''}.",
            hint="Check the network and ANTHROPIC_BASE_URL.",
            is_retryable=True,
        )

    def _unexpected(self, error: Exception) -> ModelError:
        return ModelError(
            "protocol",
            f"{self._host} sent what cannot be read: {type(error).__name__}: {redact(str(error), *self._secrets)}",
            hint="Check ANTHROPIC_BASE_URL.",
        )


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
