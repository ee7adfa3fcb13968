"""Where WebFetch goes and where it does not: private addresses, odd spellings, changing names, redirects, proxies."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from pathlib import Path
from typing import Any

import pytest
from fetching import Fetching, Names, fetching
from hypothesis import given
from hypothesis import strategies as st
from web_server import answer

from tui_agent.tools.web_fetch.addresses import Address, BadAddressError, look_up, not_public, proxy_for

OK = answer("fine", content_type="text/plain")
PUBLIC = "93.184.216.34"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "100.127.255.255", "0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.0.0.8",
        "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.9", "192.88.99.1",
        "::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1", "2002:7f00:1::",
        "2002:5db8:d822::1", "2001::1", "2001:0:5ef5:79fb::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "3fff::1", "5f00::1", "100::1", "fd00:ec2::254", "rubbish", "",
    ],
)  # fmt: skip
def test_addresses_that_are_not_the_internets_are_known(address: str) -> None:
    assert not_public(address) is not None


@pytest.mark.parametrize(
    "address",
    [PUBLIC, "8.8.8.8", "172.32.0.1", "172.15.0.1", "100.63.0.1", "100.128.0.1", "192.0.1.1", "198.20.0.1", "223.255.255.255",
     "2606:4700::1111", "2a00:1450:4001::200e", f"::ffff:{PUBLIC}", f"64:ff9b::{PUBLIC}"],
)  # fmt: skip
def test_addresses_of_the_internet_are_let_through(address: str) -> None:
    assert not_public(address) is None


@given(st.ip_addresses())
def test_nothing_that_python_knows_to_be_private_is_let_through(address: Any) -> None:
    if not address.is_global or address.is_multicast:
        nat64 = ipaddress.ip_network("64:ff9b::/96")
        assert not_public(str(address)) is not None or address in nat64 or getattr(address, "ipv4_mapped", None)


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST.", "x.localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "10.0.0.1",
     "[::1]", "[::]", "[::ffff:127.0.0.1]", "[fe80::1]", "[fd00::1]", "169.254.169.254", "[2002:7f00:1::]", "１２７.0.0.1"],
)  # fmt: skip
async def test_a_private_host_is_refused_before_anybody_is_asked(tmp_path: Path, host: str) -> None:
    async with fetching(tmp_path, {"/": OK}, permitted=set()) as fetch:
        for scheme in ("http", "https"):
            ran = await fetch(f"{scheme}://{host}:PORT/")
            assert (ran.is_error, ran.kind, ran.code) == (True, "validation", "private_address")
            assert "WebFetch(domain:" in ran.text
        assert fetch.server.asked == []
        assert fetch.names.asked == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x.org/", "file:///etc/passwd", "javascript:alert(1)", "x.org", "//x.org/a", "http://", "http://a b/",
        "http://x.org/a b", "http://good.org\\@evil.org/", "http://user@x.org/", "http://user:word@x.org/",
        "http://good.org@evil.org/", "http://x.org:99999/", "http://x.org:0/", "http://x.org:a/", "http://%31.org/",
        "http://[::1/", "http://x.org/\ud800", "http://256.256.256.256/", "https://x.org/" + "a" * 9000, "http://x.org/\r\nX:",
    ],
)  # fmt: skip
async def test_what_is_no_web_address_is_refused(tmp_path: Path, url: str) -> None:
    async with fetching(tmp_path, permitted=set()) as fetch:
        ran = await fetch(url)
        assert (ran.is_error, ran.code) == (True, "bad_url")
        assert fetch.names.asked == []


async def test_an_empty_prompt_is_refused(tmp_path: Path) -> None:
    async with fetching(tmp_path) as fetch:
        assert (await fetch("/", prompt="  ")).code == "empty_prompt"


@pytest.mark.parametrize(
    "found", [["127.0.0.1"], [PUBLIC, "127.0.0.1"], ["10.0.0.1"], ["::1"], ["64:ff9b::7f00:1"], ["fe80::1%2"]]
)
async def test_a_name_that_leads_to_a_private_address_is_refused(tmp_path: Path, found: list[str]) -> None:
    names = Names(innocent_test=[found])
    async with fetching(tmp_path, {"/": OK}, names=names) as fetch:
        ran = await fetch("http://innocent.test:PORT/")
        assert (ran.is_error, ran.kind, ran.code) == (True, "validation", "private_address")
        assert "innocent.test leads to " in ran.text
        assert fetch.server.asked == []


async def test_a_rule_that_names_the_host_permits_it(tmp_path: Path) -> None:
    names = Names(nas_lan=[["127.0.0.1"]])
    async with fetching(tmp_path, {"/": OK}, names=names, permitted={"nas.lan", "localhost"}) as fetch:
        assert (await fetch("http://nas.lan:PORT/")).text == "fine"  # as it was written: nobody upgrades what is near
        fetch.names.known["localhost"] = [["127.0.0.1"]]
        assert (await fetch("http://localhost:PORT/")).text == "fine"
        assert (await fetch("http://127.0.0.1:PORT/")).code == "private_address"


@pytest.mark.parametrize("found", ["127.0.0.1", "169.254.169.254", "::1", "0.0.0.0", "fe80::1%3", "64:ff9b::7f00:1"])
async def test_a_rule_for_a_site_is_none_for_this_machine(tmp_path: Path, found: str) -> None:
    # Whoever owns the name decides where it leads.
    names = Names(docs_example_com=[[found]])
    async with fetching(tmp_path, {"/": OK}, names=names, permitted={"docs.example.com"}) as fetch:
        ran = await fetch("http://docs.example.com:PORT/")
        assert ran.code == "private_address"
        assert "WebFetch(domain:docs.example.com)" not in ran.text
        assert fetch.server.asked == []


async def test_a_site_may_be_inside_or_here_where_a_rule_says_that_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(wiki_example_com=[["10.1.2.3"]], here_example_com=[["127.0.0.1"]])
    permitted = {"wiki.example.com", "here.example.com", "127.0.0.1"}
    async with fetching(tmp_path, {"/": OK}, names=names, permitted=permitted) as fetch:
        dialled = Dialled(monkeypatch, fetch.server.port)
        assert (await fetch("http://wiki.example.com/")).text == "fine"
        assert (await fetch("http://here.example.com/")).text == "fine"
        assert dialled.to == [("10.1.2.3", 80), ("127.0.0.1", 80)]


class Dialled:
    """Stands in for the internet: whatever is dialled is kept, and lands on loopback."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, port: int) -> None:
        import anyio

        self.to: list[tuple[str, int]] = []
        real = anyio.connect_tcp

        async def connect(remote_host: str, remote_port: int, **options: Any) -> Any:
            self.to.append((remote_host, remote_port))
            if remote_host.startswith("9.9."):
                raise OSError("unreachable")
            return await real(remote_host="127.0.0.1", remote_port=port, **options)

        monkeypatch.setattr("anyio.connect_tcp", connect)


async def test_what_was_checked_is_what_is_connected_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The second look-up would lead to this machine.
    names = Names(site_test=[[PUBLIC], ["127.0.0.1"]])
    async with fetching(tmp_path, {"/a": OK}, names=names, is_secure=True, permitted=set()) as fetch:
        dialled = Dialled(monkeypatch, fetch.server.port)
        assert (await fetch("https://site.test/a")).text == "fine"
        assert dialled.to == [(PUBLIC, 443)]
        assert fetch.names.asked == ["site.test"]
        assert fetch.server.names == ["site.test"]  # the certificate was that of the name, not of the address
        assert "\r\nHost: site.test\r\n" in fetch.server.asked[0]
        ran = await fetch("https://site.test/b")
        assert ran.code == "private_address"
        assert dialled.to == [(PUBLIC, 443)]


async def test_http_to_a_public_host_becomes_https(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names(site_test=[[PUBLIC]])
    async with fetching(tmp_path, {"/": OK}, names=names, is_secure=True, permitted={"site.test"}) as fetch:
        dialled = Dialled(monkeypatch, fetch.server.port)
        ran = await fetch("http://site.test/")
        assert ran.data["url"] == "https://site.test/"
        assert (await fetch("http://site.test:80/?2")).data["url"] == "https://site.test/?2"
        assert dialled.to == [(PUBLIC, 443)] * 2


async def test_a_port_of_its_own_is_asked_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with fetching(tmp_path, {"/": OK}, names=Names(site_test=[[PUBLIC]]), permitted=set()) as fetch:
        dialled = Dialled(monkeypatch, fetch.server.port)
        assert (await fetch("http://site.test:8080/")).text == "fine"
        assert dialled.to == [(PUBLIC, 8080)]


async def test_the_next_address_is_tried_where_one_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(site_test=[["9.9.9.9", PUBLIC]], dead_test=[["9.9.9.9", "9.9.9.10"]])
    async with fetching(tmp_path, {"/": OK}, names=names, is_secure=True, permitted=set()) as fetch:
        dialled = Dialled(monkeypatch, fetch.server.port)
        assert (await fetch("https://site.test/")).text == "fine"
        assert [host for host, _ in dialled.to] == ["9.9.9.9", PUBLIC]
        ran = await fetch("https://dead.test/")
        assert ran.text.startswith("https://dead.test/ cannot be fetched: ")


async def test_a_certificate_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with fetching(tmp_path, {"/": OK}, names=Names(other_test=[[PUBLIC]]), is_secure=True) as fetch:
        Dialled(monkeypatch, fetch.server.port)
        ran = await fetch("https://other.test/")
        assert ran.is_error
        assert "certificate" in ran.text.lower()
        assert fetch.server.asked == []


async def test_an_unknown_name_is_said_to_be_one(tmp_path: Path) -> None:
    async with fetching(tmp_path, names=Names(empty_test=[[]])) as fetch:
        ran = await fetch("https://nowhere.test/")
        assert ran.text == "The host nowhere.test cannot be found: Name or service not known."
        assert "has no address" in (await fetch("https://empty.test/")).text


# --- redirects -------------------------------------------------------------------------------------------------------


def to(location: str, status: str = "302 Found") -> bytes:
    return answer("", status, location=location)


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]
)
async def test_redirects_within_the_host_are_followed(tmp_path: Path, status: str) -> None:
    pages = {"/": to("/b c?x#part", status), "/b%20c": to("?y=1", status)}
    async with fetching(tmp_path, pages) as fetch:
        fetch.server.pages["/b%20c"] = to("e", status)
        fetch.server.pages["/e"] = OK
        ran = await fetch("/")
        assert ran.text == "fine"
        assert ran.data["url"] == fetch.server.url("/e")
        assert fetch.server.paths == ["/", "/b%20c?x", "/e"]


async def test_with_and_without_www_is_one_site(tmp_path: Path) -> None:
    async with fetching(tmp_path) as fetch:
        port = fetch.server.port
        fetch.server.pages = {"/": to(f"http://www.site.test:{port}/w"), "/w": to(f"//site.test:{port}/x"), "/x": OK}
        assert (await fetch("http://site.test:PORT/")).text == "fine"
        assert fetch.names.asked == ["site.test", "www.site.test", "site.test"]
        fetch.guarded = {"www.site.test"}  # a rule of the person's is about it: they are asked, or have said no
        fetch.now = 1e6
        ran = await fetch("http://site.test:PORT/")
        assert ran.data["redirectUrl"] == f"http://www.site.test:{port}/w"


@pytest.mark.parametrize(
    "location",
    ["https://other.test/x?y=1", "//other.test/x?y=1", "https://www.www.site.test/", "https://evilsite.test/"],
)
async def test_a_redirect_to_another_host_is_reported(tmp_path: Path, location: str) -> None:
    async with fetching(tmp_path, {"/": to(location, "301 Moved Permanently")}) as fetch:
        ran = await fetch("http://site.test:PORT/")
        assert not ran.is_error
        assert "redirects to another host (301 Moved Permanently), which was not followed" in ran.text
        target = ran.data["redirectUrl"]
        assert ran.text.endswith(f"fetch {target}")
        assert (ran.data["code"], len(fetch.server.asked)) == (301, 1)
        await fetch("http://site.test:PORT/")
        assert len(fetch.server.asked) == 2


async def test_a_loop_of_redirects_ends(tmp_path: Path) -> None:
    async with fetching(tmp_path, {"/": to("/")}) as fetch:
        ran = await fetch("/")
        assert ran.is_error
        assert "more than 10 times" in ran.text
        assert len(fetch.server.asked) == 11


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "http://user@127.0.0.1/", "http://[::1", "ftp://127.0.0.1/", "http://a\\b/"]
)
async def test_a_redirect_to_nowhere_is_an_error(tmp_path: Path, location: str) -> None:
    async with fetching(tmp_path, {"/": to(location)}) as fetch:
        ran = await fetch("/")
        assert ran.is_error
        assert "redirects to an address that cannot be fetched" in ran.text
        assert len(fetch.server.asked) == 1


async def test_each_redirect_is_judged_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names(site_test=[[PUBLIC], ["127.0.0.1"]])
    async with fetching(
        tmp_path, {"/": to("/inside"), "/inside": OK}, names=names, permitted=set(), is_secure=True
    ) as fetch:
        Dialled(monkeypatch, fetch.server.port)
        ran = await fetch("https://site.test/")
        assert ran.code == "private_address"
        assert fetch.server.paths == ["/"]


async def test_a_redirect_down_to_http_stays_secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"/": to("http://site.test/b"), "/b": OK}
    async with fetching(tmp_path, pages, names=Names(site_test=[[PUBLIC]]), permitted=set(), is_secure=True) as fetch:
        dialled = Dialled(monkeypatch, fetch.server.port)
        assert (await fetch("https://site.test/")).text == "fine"
        assert [port for _, port in dialled.to] == [443, 443]


# --- proxies and names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "environment", "proxy"),
    [
        ("https://x.org", {}, None),
        ("https://x.org", {"https_proxy": "http://p:1"}, "http://p:1"),
        ("https://x.org", {"HTTPS_PROXY": "p:1"}, "http://p:1"),
        ("https://x.org", {"http_proxy": "http://p:1"}, None),
        ("http://x.org:8080", {"http_proxy": "http://p:1"}, "http://p:1"),
        ("https://x.org", {"ALL_PROXY": "http://p:2", "https_proxy": ""}, "http://p:2"),
        ("https://x.org", {"https_proxy": "http://p:1", "no_proxy": "a.org, x.org"}, None),
        ("https://a.x.org", {"https_proxy": "http://p:1", "NO_PROXY": ".x.org"}, None),
        ("https://ax.org", {"https_proxy": "http://p:1", "NO_PROXY": "x.org"}, "http://p:1"),
        ("https://x.org", {"https_proxy": "http://p:1", "no_proxy": "*"}, None),
    ],
)
def test_the_environment_names_the_proxy(url: str, environment: dict[str, str], proxy: str | None) -> None:
    assert proxy_for(Address.parse(url), environment) == proxy


async def through_proxy(fetch: Fetching, url: str) -> Any:
    fetch.environment = {"http_proxy": fetch.server.url("")}
    fetch.server.pages = {url.replace("PORT", str(fetch.server.port)): OK}
    return await fetch(url)


async def test_a_proxy_is_asked_by_name_and_not_for_what_is_private(tmp_path: Path) -> None:
    async with fetching(
        tmp_path, names=Names(site_test=[[PUBLIC]], inside_test=[["10.0.0.1"]]), permitted=set()
    ) as fetch:
        assert (await through_proxy(fetch, "http://site.test:8080/a")).text == "fine"
        assert (await through_proxy(fetch, "http://only-the-proxy-knows.test:8080/")).text == "fine"
        assert fetch.server.paths == ["http://site.test:8080/a", "http://only-the-proxy-knows.test:8080/"]
        fetch.permitted = {"site.test"}  # a rule for a site changes nothing about the way to it
        assert (await through_proxy(fetch, "http://site.test:8080/b")).text == "fine"
        fetch.permitted = set()
        for url in ("http://inside.test:8080/", "http://10.0.0.1:8080/", "http://localhost:8080/"):
            assert (await through_proxy(fetch, url)).code == "private_address"
        assert len(fetch.server.asked) == 3


async def test_what_a_rule_permits_is_not_sent_to_the_proxy(tmp_path: Path) -> None:
    async with fetching(tmp_path, {"/": OK}, permitted={"127.0.0.1"}) as fetch:
        fetch.environment = {"http_proxy": "http://127.0.0.1:9"}
        assert (await fetch("/")).text == "fine"


async def test_a_proxy_that_cannot_be_used_keeps_its_password(tmp_path: Path) -> None:
    async with fetching(tmp_path, names=Names(site_test=[[PUBLIC]]), permitted=set()) as fetch:
        fetch.environment = {"https_proxy": "gopher://user:secret@p:1"}
        ran = await fetch("https://site.test/")
        assert ran.is_error
        assert "secret" not in ran.text


async def test_names_are_looked_up_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(host: str, port: int, **_options: Any) -> list[Any]:
        if host == "none.test":
            raise socket.gaierror(-2, "Name or service not known")
        return [(0, 0, 0, "", ("1.2.3.4", port)), (0, 0, 0, "", ("1.2.3.4", port)), (0, 0, 0, "", ("::5", port, 0, 0))]

    monkeypatch.setattr("socket.getaddrinfo", found)
    assert await look_up("x.test", 80) == ["1.2.3.4", "::5"]
    with pytest.raises(OSError, match="not known"):
        await look_up("none.test", 80)


async def test_a_look_up_can_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    may_end = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *_args, **_options: [may_end.wait(10)][:0])
    task = asyncio.create_task(look_up("x.test", 80))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_end.set()


@given(st.text(max_size=40), st.sampled_from(["http://", "https://", "//", ""]))
def test_a_text_is_an_address_or_refused(text: str, scheme: str) -> None:
    try:
        address = Address.parse(scheme + text)
    except BadAddressError:
        return
    again = Address.parse(address.url)
    assert (again.host, again.port, again.scheme) == (address.host, address.port, address.scheme)
