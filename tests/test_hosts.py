from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.hosts import canonical_host, host_of


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com", "example.com"),
        ("HTTP://EXAMPLE.com.:8080/x?y#z", "example.com"),
        ("https://user:word@example.com/", "example.com"),
        ("https://good.com@evil.com/", "evil.com"),
        ("https://good.com:80@evil.com:1/", "evil.com"),
        ("https://evil.com#@good.com/", "evil.com"),
        ("https://evil.com?@good.com/", "evil.com"),
        ("https://bücher.de/", "xn--bcher-kva.de"),
        ("https://ｅｘａｍｐｌｅ。com/", "example.com"),
        ("http://127.1/", "127.0.0.1"),
        ("http://0x7f000001/", "127.0.0.1"),
        ("http://2130706433", "127.0.0.1"),
        ("http://0177.0.0.01", "127.0.0.1"),
        ("http://0x7f.1", "127.0.0.1"),
        ("http://１２７.0.0.1", "127.0.0.1"),
        ("http://0/", "0.0.0.0"),
        ("http://[::1]:80/", "::1"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1"),
        ("http://[::ffff:127.0.0.1]/", "127.0.0.1"),
        ("http://[::FFFF:7f00:1]/", "127.0.0.1"),
        ("http://my_host.local/", "my_host.local"),
    ],
)
def test_a_host_has_one_spelling(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    "url",
    [
        "", "example.com", "ftp://example.com", "file:///etc/passwd", "http://", "http:///x", "http://a b/", "http://a\tb/",
        "http://good.com\\@evil.com/", "http://%6cocalhost/", "http://1.2.3.4.5/", "http://256.1.1.1", "http://1.2.3.256",
        "http://08.1.1.1", "http://0xzz.1", "http://1..2/", "http://[::1", "http://[::1%25eth0]/", "http://[v1.x]/",
        "http://..", "http://a..b", "http://" + "a." * 200 + "b", "http://4294967296/", "http://a\x00b/", "http://99999999999/",
        "https://\ud800.com/",
    ],
)  # fmt: skip
def test_what_names_no_host_or_two_is_none(url: str) -> None:
    assert host_of(url) is None


@given(st.integers(0, 2**32 - 1))
def test_every_way_to_write_an_address_is_the_same_address(number: int) -> None:
    address = str(ipaddress.IPv4Address(number))
    first, rest = divmod(number, 2**24)
    for text in (
        str(number),
        hex(number),
        f"0{number:o}",
        f"{first}.{rest}",
        f"0x{first:x}.{rest >> 16}.{rest & 0xFFFF}",
    ):
        assert canonical_host(text) == address
    assert canonical_host(f"[::ffff:{address}]") == address


@given(st.text(max_size=60))
def test_a_canonical_host_is_its_own_spelling(text: str) -> None:
    host = canonical_host(text)
    assert host is None or canonical_host(host) == host
