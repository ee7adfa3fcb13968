"""The request: one address, one host, a limited number of bytes and redirects.

Redirects are followed within the site that was asked for; one to another host is handed back, so that it goes through rules
and user like any other address. Plain http to a public host becomes https. Bodies are unpacked as they come, and dropped the
moment they exceed the limit, packed or unpacked.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from tui_agent import __version__
from tui_agent.hosts import canonical_host
from tui_agent.tools.base import ToolError
from tui_agent.tools.web_fetch.addresses import (
    PRIVATE_KINDS,
    Address,
    BadAddressError,
    Resolve,
    is_local_name,
    look_up,
    not_public,
    proxy_for,
)

if TYPE_CHECKING:
    import httpx

__all__ = ["MAX_BYTES", "Client", "HttpAnswer", "Unpacker", "private_text"]

MAX_BYTES: Final = 10_000_000
_ERROR_BYTES: Final = 20_000  # of a page that says what went wrong
_MAX_REDIRECTS: Final = 10
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_ADDRESSES: Final = 4
_CONNECT_S: Final = 8.0  # to one of several addresses
_PROXY_LOOK_UP_S: Final = 2.0
_STEP: Final = 65_536
_HEADERS: Final = {
    "User-Agent": f"tui-agent/{__version__}",
    "Accept": "text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """What a server said. `moved_to` is set where it only points to another host; `body` is unpacked."""

    url: str
    status: int
    reason: str
    content_type: str = ""
    body: bytes = b""
    moved_to: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the body is what was asked for."""
        return 200 <= self.status < 300


@dataclass(slots=True)
class Client:
    """Fetches. `resolve` looks names up; `ssl_context` is made when it is first needed."""

    resolve: Resolve = look_up
    ssl_context: ssl.SSLContext | None = None
    _importing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def get(
        self,
        address: Address,
        *,
        permits: Callable[[str], bool],
        guards: Callable[[str], bool],
        environment: Mapping[str, str],
    ) -> HttpAnswer:
        """Return what is at an address. No time limit: that is the caller's.

        `permits` says whether a rule names a host, so that it may be a private one; `guards`, whether a rule denies or asks
        about it, so that a redirect to it is not followed unasked.

        Raises:
            ToolError: there is no answer, or none that may be had.
        """
        await self._prepare()
        first = address
        for _ in range(_MAX_REDIRECTS + 1):
            way = await self._way(address, permits, environment)
            answer, location = await self._ask(way)
            if not location:
                return answer
            try:
                target = way.address.join(location)
            except BadAddressError as error:
                raise ToolError(f"{way.address.url} redirects to an address that cannot be fetched. {error}") from None
            is_other = target.host != first.host
            if is_other and (not target.is_sibling(first) or guards(target.host)):
                return HttpAnswer(url=way.address.url, status=answer.status, reason=answer.reason, moved_to=target.url)
            address = target
        raise ToolError(f"{first.url} redirects more than {_MAX_REDIRECTS} times; gave up.")

    async def _prepare(self) -> None:
        async with self._importing:
            if self.ssl_context is None:
                self.ssl_context = await asyncio.to_thread(_make_ssl_context)

    async def _way(self, address: Address, permits: Callable[[str], bool], environment: Mapping[str, str]) -> _Way:
        """Look the host up and judge what was found.

        Raises:
            ToolError: the name is unknown, or leads to an address that no rule permits.
        """
        upgraded = (
            address
            if address.scheme == "https" or address.port
            else Address("https", address.host, None, address.target)
        )
        proxy = proxy_for(upgraded, environment)
        addresses: Sequence[str]
        if address.literal is not None:
            addresses = [address.literal]
        else:
            try:
                # A proxy looks names up itself, and often is the only one that can.
                async with asyncio.timeout(_PROXY_LOOK_UP_S if proxy else None):
                    addresses = await self.resolve(address.host, address.real_port)
            except (OSError, TimeoutError) as error:
                if proxy is None:
                    raise ToolError(f"The host {address.host} cannot be found: {_words(error)}.") from error
                addresses = ()
        if not addresses and proxy is None:
            raise ToolError(f"The host {address.host} has no address.")
        is_near = False
        for found in addresses:
            kind = not_public(found)
            if kind is None:
                continue
            needed = _rule_needed(address.host, found, kind, permits)
            if needed is not None:
                text = private_text(address.host, kind, found, needed)
                raise ToolError(text, kind="validation", data={"code": "private_address"})
            is_near = True
        if is_near:
            return _Way(address, addresses, None)  # what is near is asked as it was written
        return _Way(upgraded, () if proxy else addresses, proxy)

    async def _ask(self, way: _Way) -> tuple[HttpAnswer, str]:
        """Send one request; return what was answered, and where a redirect leads (or nothing)."""
        import httpx

        address = way.address
        assert self.ssl_context is not None
        try:
            transport = httpx.AsyncHTTPTransport(verify=self.ssl_context, trust_env=False, proxy=way.proxy)
        except (ImportError, ValueError) as error:
            raise ToolError(f"The proxy {way.shown_proxy} cannot be used: {error}") from error
        async with transport:
            try:
                return await _ask_each(transport, way)
            except ssl.SSLError as error:
                raise ToolError(f"No secure connection to {address.authority}: {_words(error)}.") from error
            except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
                raise ToolError(f"{address.url} cannot be fetched: {_words(error)}.") from error


@dataclass(frozen=True, slots=True)
class _Way:
    """Where a request goes: to one of these addresses, or through a proxy that looks the name up itself."""

    address: Address
    addresses: Sequence[str]
    proxy: str | None

    @property
    def shown_proxy(self) -> str:
        return (self.proxy or "").rpartition("@")[2]  # what stands before it may be a password


async def _ask_each(transport: httpx.AsyncHTTPTransport, way: _Way) -> tuple[HttpAnswer, str]:
    """Try the host's addresses in turn until one is connected to."""
    import httpx

    address = way.address
    urls = [address.connected_to(found) for found in way.addresses[:_MOST_ADDRESSES]] or [address.url]
    # The certificate has to be the name's, though an address is connected to.
    extensions: dict[str, object] = {} if address.literal else {"sni_hostname": address.host}
    extensions["timeout"] = httpx.Timeout(None, connect=_CONNECT_S if len(urls) > 1 else None).as_dict()
    for number, url in enumerate(urls, 1):
        request = httpx.Request("GET", url, headers={**_HEADERS, "Host": address.authority}, extensions=extensions)
        try:
            response = await transport.handle_async_request(request)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if number == len(urls):
                raise
            continue
        async with aclosing(response):
            return await _read(response, address)
    raise AssertionError("there is at least one address")


def _rule_needed(host: str, found: str, kind: str, permits: Callable[[str], bool]) -> str | None:
    """Return the host that a rule would have to name so that one which leads to this address may be fetched from.

    A rule for a site on the internet was made for the site: whoever owns its name must not turn it into a rule for this
    machine. So such a name may lead into the private network, but to the machine itself only where a rule names that, too.
    """
    if not permits(host):
        return host
    address = canonical_host(found.partition("%")[0]) or found
    if address == host or kind in PRIVATE_KINDS or is_local_name(host) or permits(address):
        return None
    return address


def private_text(host: str, kind: str, found: str = "", needed: str = "") -> str:
    """Say why a host is not fetched from, and what would permit it."""
    leads = f"{host} leads to {found}, " if found and found != host else f"{host} is "
    return (
        f"{leads}{kind} address, which is not fetched from. Only a rule of the user's that names it permits it: "
        f"WebFetch(domain:{needed or host})."
    )


async def _read(response: httpx.Response, address: Address) -> tuple[HttpAnswer, str]:
    status = response.status_code
    location = response.headers.get("location", "") if status in _REDIRECTS else ""
    reason = response.reason_phrase or (HTTPStatus(status).phrase if status in list(HTTPStatus) else "")
    answer = HttpAnswer(
        url=address.url,
        status=status,
        reason=reason.encode("ascii", "replace").decode("ascii"),
        content_type=response.headers.get("content-type", ""),
    )
    if location:
        return answer, location
    is_good = answer.is_good
    body = await _body(response, MAX_BYTES if is_good else _ERROR_BYTES, is_cut=not is_good)
    return HttpAnswer(
        url=answer.url, status=status, reason=answer.reason, content_type=answer.content_type, body=body
    ), ""


async def _body(response: httpx.Response, limit: int, *, is_cut: bool) -> bytes:
    """Return the unpacked body; of a longer one the beginning where `is_cut` says that it may be cut.

    Raises:
        ToolError: it is longer than `limit`, or packed in a way that cannot be read.
    """
    announced = response.headers.get("content-length", "")
    if not is_cut and announced.isdigit() and int(announced) > limit:
        raise _too_large(limit, int(announced))
    unpacker = Unpacker(response.headers.get("content-encoding", ""), limit)
    pieces = response.aiter_raw(_STEP)
    received = 0
    try:
        async for piece in _bounded(pieces):
            received += len(piece)
            unpacker.feed(piece)
            if unpacker.is_full or received > limit:
                if is_cut:
                    break
                raise _too_large(limit)
    except zlib.error as error:
        raise ToolError(f"The response cannot be unpacked: {error}.") from error
    return bytes(unpacker.data[:limit])


async def _bounded(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Give the event loop its turn also where a fast server never lets the reading wait."""
    async for piece in pieces:
        yield piece
        await asyncio.sleep(0)


def _too_large(limit: int, size: int | None = None) -> ToolError:
    announced = f" ({size:,} bytes)" if size else ""
    return ToolError(
        f"The response is larger than {limit // 1_000_000} MB{announced}; it was cut off there and nothing of it is kept.",
        data={"code": "too_large"},
    )


class Unpacker:
    """Unpacks a body piece by piece, and never more of it than one byte beyond `limit`.

    Raises:
        ToolError: at once, when it is packed in a way that was not asked for.
    """

    def __init__(self, encoding: str, limit: int) -> None:
        self.data: Final = bytearray()
        self._limit = limit
        self._encoding = encoding.strip().lower().removeprefix("x-")
        if self._encoding not in ("", "identity", "gzip", "deflate"):
            raise ToolError(f"The server packed its response as {self._encoding[:60]!r}, which was not asked for.")
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)  # tells gzip and zlib apart by itself
        self._is_new = True

    @property
    def is_full(self) -> bool:
        """Whether there is more than `limit`."""
        return len(self.data) > self._limit

    def feed(self, piece: bytes) -> None:
        """Take in a piece.

        Raises:
            zlib.error: it is not packed as the server says.
        """
        if self._encoding in ("", "identity"):
            self.data.extend(piece[: max(0, self._limit + 1 - len(self.data))])
            return
        while not self.is_full:
            room = min(_STEP, self._limit + 1 - len(self.data))
            out = self._unpack(piece, room)
            self.data.extend(out)
            if self._unpacker.eof:
                piece = self._unpacker.unused_data
                if not piece.startswith(b"\x1f\x8b"):  # the end, or rubbish behind it; else one more gzip member
                    return
                self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
                continue
            piece = self._unpacker.unconsumed_tail
            if not piece and len(out) < room:
                return

    def _unpack(self, piece: bytes, room: int) -> bytes:
        try:
            out = self._unpacker.decompress(piece, room)
        except zlib.error:
            if not self._is_new or self._encoding != "deflate":
                raise
            self._unpacker = zlib.decompressobj(-zlib.MAX_WBITS)  # many servers send it without its header
            out = self._unpacker.decompress(piece, room)
        self._is_new = False
        return out


def _words(error: BaseException) -> str:
    """Return what an error of the network says, in its own words or by its name."""
    while not str(error) and error.__cause__ is not None:
        error = error.__cause__
    text = str(getattr(error, "strerror", None) or error).strip().rstrip(".")
    return text or type(error).__name__


def _make_ssl_context() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()
