"""Where a fetch may go: URLs taken apart, names looked up, and addresses that are nobody else's business kept out.

A model can be talked into fetching anything, so what only this machine or this network can reach is refused unless a rule of
the user's names the host. What is judged is what is connected to: a name is looked up once, and the connection goes to the
very address that was judged.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin, urlsplit

from tui_agent.hosts import host_of

__all__ = [
    "PRIVATE_KINDS", "Address", "BadAddressError", "Resolve", "is_local_name", "look_up", "not_public", "proxy_for",
]  # fmt: skip

PRIVATE_KINDS: Final = frozenset({"a private", "a carrier's private"})

# Looks a name up: its addresses as text. Raises OSError.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_PORTS: Final = {"http": 80, "https": 443}
_LONGEST: Final = 8000
_ODD: Final = re.compile(r"[\x00-\x20\x7f\\\ud800-\udfff]")
_RESERVED_4: Final = tuple(
    (ipaddress.IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "an unspecified"), ("10.0.0.0/8", "a private"), ("100.64.0.0/10", "a carrier's private"),
        ("127.0.0.0/8", "a loopback"), ("169.254.0.0/16", "a link-local"), ("172.16.0.0/12", "a private"),
        ("192.0.0.0/24", "a reserved"), ("192.0.2.0/24", "a documentation"), ("192.88.99.0/24", "a reserved"),
        ("192.168.0.0/16", "a private"), ("198.18.0.0/15", "a private"), ("198.51.100.0/24", "a documentation"),
        ("203.0.113.0/24", "a documentation"), ("224.0.0.0/4", "a multicast"), ("240.0.0.0/4", "a reserved"),
    )
)  # fmt: skip
_RESERVED_6: Final = tuple(
    (ipaddress.IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "an unspecified"), ("::1/128", "a loopback"), ("fc00::/7", "a private"),
        ("fe80::/10", "a link-local"), ("fec0::/10", "a private"), ("ff00::/8", "a multicast"),
        ("2001::/23", "a reserved"), ("2001:db8::/32", "a documentation"), ("2002::/16", "a tunnel"),
        ("3fff::/20", "a documentation"),
    )
)  # fmt: skip
_LOCAL_NAMES: Final = (
    ".localhost", ".local", ".localdomain", ".lan", ".internal", ".intranet", ".private", ".corp", ".home",
    ".home.arpa", ".test",
)  # fmt: skip
_PUBLIC_6: Final = ipaddress.IPv6Network("2000::/3")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


class BadAddressError(ValueError):
    """What was given is not an address that can be fetched; the text says why, for the model."""


@dataclass(frozen=True, slots=True)
class Address:
    """An http or https URL taken apart.

    `host` is canonical, `port` None where it is the scheme's own, and `target` path and query.
    """

    scheme: str
    host: str
    port: int | None
    target: str

    @classmethod
    def parse(cls, url: str) -> Address:
        """Take a URL apart.

        Raises:
            BadAddressError: it is not one, or it can be read in two ways.
        """
        url = url.strip()
        if len(url) > _LONGEST:
            raise BadAddressError(f"The URL is longer than {_LONGEST:,} characters.")
        if _ODD.search(url):
            raise BadAddressError(
                "The URL holds a blank, a backslash or a control character; write it percent-encoded (a blank is %20)."
            )
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise BadAddressError(f"{url!r} is not a URL: {error}.") from None
        if parts.scheme not in _PORTS:
            raise BadAddressError(f"{url!r} is not a web address: it must begin with https:// or http://.")
        host = host_of(url)
        if host is None:
            raise BadAddressError(f"{url!r} names no host that can be looked up.")
        if "@" in parts.netloc:
            raise BadAddressError("The URL holds a user name or a password before the host; leave that out.")
        if port == 0:
            raise BadAddressError("There is no port 0.")
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(parts.scheme, host, None if port == _PORTS[parts.scheme] else port, target)

    @property
    def authority(self) -> str:
        """Host and port as a request names them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole, in one spelling."""
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def real_port(self) -> int:
        """The port to connect to."""
        return self.port or _PORTS[self.scheme]

    @property
    def literal(self) -> str | None:
        """The host where it is an address and no name."""
        with contextlib.suppress(ValueError):
            return str(ipaddress.ip_address(self.host))
        return None

    def join(self, location: str) -> Address:
        """Return where a redirect leads.

        Raises:
            BadAddressError: nowhere.
        """
        try:
            return Address.parse(urljoin(self.url, location.strip().partition("#")[0].replace(" ", "%20")))
        except ValueError as error:
            raise BadAddressError(str(error)) from None

    def is_sibling(self, other: Address) -> bool:
        """Whether both are of one site: the same host, with or without `www.` before it."""
        return self.host.removeprefix("www.") == other.host.removeprefix("www.")

    def connected_to(self, address: str) -> str:
        """Return the URL with an IP address in the place of the host."""
        host = f"[{address}]" if ":" in address else address
        return f"{self.scheme}://{host}:{self.real_port}{self.target}"


def not_public(address: str) -> str | None:
    """Say what kind of address this is where it does not belong to the public internet (`a loopback`), None where it does."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "an unknown"
    if isinstance(ip, ipaddress.IPv4Address):
        return next((kind for network, kind in _RESERVED_4 if ip in network), None)
    if ip.ipv4_mapped is not None:
        return not_public(str(ip.ipv4_mapped))
    if ip in _NAT64:  # networks without IPv4 reach it through these
        return not_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)))
    kind = next((kind for network, kind in _RESERVED_6 if ip in network), None)
    return kind or (None if ip in _PUBLIC_6 else "a reserved")


def is_local_name(host: str) -> bool:
    """Whether a canonical name is one that nobody on the internet can own."""
    return "." not in host or host.endswith(_LOCAL_NAMES)


async def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a name, the preferred first.

    A thread of its own does the waiting: one of the loop's pool would hold the program's end up for as long as a name
    server is silent.

    Raises:
        OSError: there are none, or nobody answers.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def settle(found: list[str] | OSError) -> None:
        if answer.done():
            return
        if isinstance(found, OSError):
            answer.set_exception(found)
        else:
            answer.set_result(found)

    def work() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found: list[str] | OSError = list(dict.fromkeys(str(row[4][0]) for row in rows))
        except UnicodeError:
            found = OSError("the name is not one that DNS can hold")
        except OSError as error:
            found = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(settle, found)

    threading.Thread(target=work, name=f"look up {host}", daemon=True).start()
    return await answer


def proxy_for(address: Address, environment: Mapping[str, str]) -> str | None:
    """Return the proxy that the environment names for this address (`https_proxy`, `all_proxy`, `no_proxy`), if any."""
    no_proxy = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    if any(_is_excepted(address, name.strip().lower()) for name in no_proxy.split(",")):
        return None
    for name in (f"{address.scheme}_proxy", "all_proxy"):
        for spelled in (name, name.upper()):
            if environment.get(spelled):
                proxy = environment[spelled]
                return proxy if "://" in proxy else f"http://{proxy}"
    return None


def _is_excepted(address: Address, name: str) -> bool:
    """Whether an entry of `no_proxy` means this address: `*`, a host, or a domain with all hosts in it."""
    if name == "*":
        return True
    domain = name.removeprefix("*").removeprefix(".")
    return bool(domain) and (domain in (address.host, address.authority) or address.host.endswith(f".{domain}"))
