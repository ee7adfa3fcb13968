"""Signing requests to a server with the user's token, renewing it, and getting one with the user's help.

The flow itself (discovery, registration, PKCE, scopes, checks of the issuer) is the SDK's. What is added here: a request that
has a good token waits for nobody; renewing is done once, for all requests and all processes; what is known is kept; and nothing
registers or opens a browser unless the user has asked to sign in.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, ValidationError

from tui_agent.mcp.faults import SignInNeededError
from tui_agent.mcp.oauth.callback import CallbackServer
from tui_agent.mcp.oauth.credentials import CredentialStore
from tui_agent.mcp.oauth.turn_lock import turn_lock
from tui_agent.mcp.servers import OAuthOptions

__all__ = ["Interaction", "RequestSigner"]

_MOST_FLOWS: Final = 2  # of one request: one to renew the token, one with the user
_EARLY_S: Final = 30.0  # a token is renewed so long before it ends
_METADATA_PATHS: Final = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")


@dataclass(frozen=True, slots=True)
class Interaction:
    """The user's help: `show` is given the address to visit, `callback` waits for the browser to come back."""

    show: Callable[[str], Awaitable[None]]
    callback: CallbackServer


@dataclass(slots=True)
class _Record:
    """What is known of a server, as kept."""

    tokens: OAuthToken | None = None
    expires_at: float | None = None
    client: OAuthClientInformationFull | None = None
    metadata: OAuthMetadata | None = None
    resource: ProtectedResourceMetadata | None = None
    authority: str | None = None

    @classmethod
    def of(cls, data: dict[str, Any]) -> _Record:
        """Read what was kept; parts that are no longer understood are left out."""

        def part(name: str, kind: Any) -> Any:  # noqa: ANN401 - a model
            with contextlib.suppress(ValidationError):
                return kind.model_validate(data[name]) if isinstance(data.get(name), dict) else None

        expires, authority = data.get("expires_at"), data.get("authority")
        return cls(
            tokens=part("tokens", OAuthToken),
            expires_at=float(expires) if isinstance(expires, int | float) else None,
            client=part("client", OAuthClientInformationFull),
            metadata=part("metadata", OAuthMetadata),
            resource=part("resource", ProtectedResourceMetadata),
            authority=authority if isinstance(authority, str) else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as it is kept."""
        parts = {"tokens": self.tokens, "client": self.client, "metadata": self.metadata, "resource": self.resource}
        return {
            **{
                name: part.model_dump(mode="json", exclude_none=True)
                for name, part in parts.items()
                if part is not None
            },
            "expires_at": self.expires_at,
            "authority": self.authority,
        }

    @property
    def access(self) -> str:
        """The token that requests are signed with, empty where there is none that is still good."""
        if self.tokens is None or (self.expires_at is not None and time.time() > self.expires_at - _EARLY_S):
            return ""
        return self.tokens.access_token

    @property
    def can_renew(self) -> bool:
        return self.tokens is not None and bool(self.tokens.refresh_token) and self.client is not None


class RequestSigner(httpx2.Auth):
    """Signs the requests to one server. Without `interaction` a server that wants the user raises SignInNeededError."""

    def __init__(
        self,
        url: str,
        options: OAuthOptions,
        store: CredentialStore,
        *,
        interaction: Interaction | None = None,
        client_metadata_url: str | None = None,
    ) -> None:
        self._url = url
        self._options = options
        self._store = store
        self._interaction = interaction
        self._client_metadata_url = client_metadata_url
        self._record: _Record | None = None

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send a request signed; where that is not enough, renew the token or let the user sign in, and send it again."""
        record = self._record or await self._load()
        response: httpx2.Response | None = None
        for number in range(_MOST_FLOWS + 1):
            used = record.access
            if used or not record.can_renew or number == _MOST_FLOWS:
                _sign(request, used)
                response = yield request
                if not _wants_more(response) or number == _MOST_FLOWS:
                    return
            flow = self._improve(request, response, used)
            try:
                outgoing = await anext(flow)
                while True:
                    outgoing = await flow.asend((yield outgoing))
            except StopAsyncIteration:
                record = self._record or record
            finally:
                await flow.aclose()

    async def _improve(
        self, request: httpx2.Request, refused: httpx2.Response | None, used: str
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Get a better token than `used`, with which a request was `refused`; the requests that this takes are given out."""
        async with turn_lock(self._store.lock_file):
            record = await self._load()
            if record.access and record.access != used:
                return  # somebody else has done it meanwhile
            is_step_up = refused is not None and refused.status_code == 403
            if self._interaction is None and (is_step_up or not record.can_renew):
                raise SignInNeededError("more rights are needed" if is_step_up else "you have to sign in")
            provider = _Provider(self, record, must_renew=not is_step_up)
            flow = provider.async_auth_flow(request)
            try:
                outgoing = await anext(flow)
                while True:
                    if outgoing is not request:
                        reply = yield self._redirected(outgoing)
                    elif provider.has_new_token(used) or refused is None:
                        return  # the request itself is sent by whoever signs it
                    elif self._interaction is None:
                        raise SignInNeededError("the sign-in has ended; sign in again")
                    else:
                        reply, refused = refused, None
                    outgoing = await flow.asend(reply)
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()

    def _redirected(self, outgoing: httpx2.Request) -> httpx2.Request:
        """Ask for metadata where the entry says that it is."""
        wanted = self._options.metadata_url
        if wanted and outgoing.method == "GET" and outgoing.url.path.startswith(_METADATA_PATHS):
            return httpx2.Request("GET", wanted, headers={"accept": "application/json"})
        return outgoing

    # --- what is kept ------------------------------------------------------------------------------------------------

    async def _load(self) -> _Record:
        self._record = _Record.of(await asyncio.to_thread(self._store.load))
        return self._record

    async def keep(self, record: _Record) -> None:
        """Keep what is known now. That it cannot be kept does not end what is going on."""
        self._record = record
        with contextlib.suppress(OSError):
            await asyncio.to_thread(self._store.save, record.to_json())

    # --- what the flow needs to know ---------------------------------------------------------------------------------

    @property
    def client(self) -> OAuthClientInformationFull | None:
        """The client that the entry names."""
        options = self._options
        if not options.client_id:
            return None
        return OAuthClientInformationFull(
            client_id=options.client_id,
            client_secret=options.client_secret or None,
            token_endpoint_auth_method="client_secret_basic" if options.client_secret else "none",
            redirect_uris=[AnyUrl(self.redirect_uri)],
        )

    @property
    def is_interactive(self) -> bool:
        """Whether the user has asked to sign in."""
        return self._interaction is not None

    @property
    def redirect_uri(self) -> str:
        """Where the browser comes back to."""
        port = self._options.callback_port
        return self._interaction.callback.redirect_uri if self._interaction else f"http://127.0.0.1:{port}/callback"

    @property
    def url(self) -> str:
        return self._url

    @property
    def scopes(self) -> str:
        return self._options.scopes

    @property
    def client_metadata_url(self) -> str | None:
        return self._client_metadata_url

    async def visit(self, address: str) -> None:
        """Let the user visit an address.

        Raises:
            SignInNeededError: nobody has asked to sign in.
        """
        if self._interaction is None:
            raise SignInNeededError("you have to sign in")
        await self._interaction.show(address)

    async def come_back(self) -> AuthorizationCodeResult:
        """Return what the browser brings.

        Raises:
            OAuthFlowError: the authorization server, or the user there, said no.
        """
        assert self._interaction is not None
        answer = await self._interaction.callback.wait()
        if answer.error:
            raise OAuthFlowError(f"the authorization server said: {answer.error}")
        return AuthorizationCodeResult(code=answer.code, state=answer.state, iss=answer.iss)


class _Storage:
    """What the SDK's flow reads and keeps, in a record."""

    def __init__(self, signer: RequestSigner, record: _Record) -> None:
        self.signer = signer
        self.record = record
        self.provider: _Provider | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.record.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.record.tokens = tokens
        self.record.expires_at = time.time() + tokens.expires_in if tokens.expires_in else None
        await self._keep()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.signer.client or self.record.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.record.client = client_info
        await self._keep()

    async def _keep(self) -> None:
        if self.provider is not None:
            context = self.provider.context
            self.record.client = context.client_info or self.record.client
            self.record.metadata = context.oauth_metadata
            self.record.resource = context.protected_resource_metadata
            self.record.authority = context.auth_server_url
        await self.signer.keep(self.record)


class _Provider(OAuthClientProvider):
    """The SDK's flow, for one request. It knows what was kept, and asks for the scopes that the entry names."""

    def __init__(self, signer: RequestSigner, record: _Record, *, must_renew: bool) -> None:
        storage = _Storage(signer, record)
        super().__init__(
            signer.url,
            OAuthClientMetadata(
                client_name="tui-agent",
                redirect_uris=[AnyUrl(signer.redirect_uri)],
                scope=signer.scopes or None,
            ),
            storage,
            redirect_handler=signer.visit,
            callback_handler=signer.come_back,
            client_metadata_url=signer.client_metadata_url,
        )
        storage.provider = self
        self._kept = record
        self._signer = signer
        self._must_renew = must_renew

    def has_new_token(self, used: str) -> bool:
        """Whether there is a token now that is not `used`."""
        tokens = self.context.current_tokens
        return tokens is not None and tokens.access_token != used

    async def _initialize(self) -> None:
        await super()._initialize()
        context, kept = self.context, self._kept
        context.oauth_metadata, context.protected_resource_metadata = kept.metadata, kept.resource
        context.auth_server_url = kept.authority
        client = context.client_info
        if self._signer.is_interactive and client is not None and not _comes_back_to(client, self._signer.redirect_uri):
            context.client_info = None  # it was registered for another way back
            context.clear_tokens()
        context.token_expiry_time = 1.0 if self._must_renew else kept.expires_at

    async def _perform_authorization(self) -> httpx2.Request:
        if self._signer.scopes:
            self.context.client_metadata.scope = self._signer.scopes
        return await super()._perform_authorization()


def _comes_back_to(client: OAuthClientInformationFull, redirect_uri: str) -> bool:
    return not client.redirect_uris or redirect_uri in map(str, client.redirect_uris)


def _sign(request: httpx2.Request, token: str) -> None:
    if token:
        request.headers["Authorization"] = f"Bearer {token}"
    else:
        request.headers.pop("Authorization", None)


def _wants_more(response: httpx2.Response) -> bool:
    """Whether a server refuses a request for want of a token, or of rights."""
    if response.status_code == 403:
        return extract_field_from_www_auth(response, "error") == "insufficient_scope"
    return response.status_code == 401
