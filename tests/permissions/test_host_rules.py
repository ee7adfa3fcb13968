from __future__ import annotations

import pytest

from tui_agent.hosts import canonical_host
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet, RuleSource
from tui_agent.permissions.verdict import ToolCall

WHERE = PathContext(cwd="/w", project_root="/w", home="/h")


@pytest.mark.parametrize(
    ("rule", "url"),
    [
        ("127.0.0.1", "http://127.1/"),
        ("127.0.0.1", "http://[::ffff:7f00:1]/"),
        ("::1", "http://[0:0::1]/"),
        ("[::1]", "http://[::1]:80/"),
        ("bücher.de", "https://xn--bcher-kva.de/"),
        ("xn--bcher-kva.de", "https://BÜCHER.de./"),
        ("example.com", "https://ｅｘａｍｐｌｅ.com/"),
        ("evil.com", "https://good.com@evil.com/"),
    ],
)
def test_a_rule_meets_its_host_however_it_is_written(rule: str, url: str) -> None:
    (denied,) = RuleSet.from_lists(deny=[f"WebFetch(domain:{rule})"]).deny
    assert denied.specifier.matches(url)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("url", "rules"),
    [
        ("https://Example.com:8443/x", ("WebFetch(domain:example.com)",)),
        ("https://good.com@evil.com/", ("WebFetch(domain:evil.com)",)),
        ("http://[::1]:8000/", ("WebFetch(domain:::1)",)),
        ("http://0x7f.1/", ("WebFetch(domain:127.0.0.1)",)),
        ("https://a\\b/", ()),
    ],
)
def test_always_is_offered_for_the_host_that_is_meant(url: str, rules: tuple[str, ...]) -> None:
    call = ToolCall(tool="WebFetch", input={"url": url}, is_read_only=True)
    assert decide(call, rules=RuleSet(), mode="default", where=WHERE).suggestions == rules
    for rule in rules:
        assert RuleSet.from_lists(allow=[rule]).allow[0].specifier.matches(url)  # type: ignore[union-attr]


def test_only_a_rule_that_names_a_host_permits_it() -> None:
    rules = RuleSet.from_lists(
        allow=["WebFetch", "WebFetch(domain:*)", "WebFetch(domain:*.lan)", "WebFetch(domain:127.0.0.*)"]
    )
    assert rules.permits_host("nas.lan", is_trusted=True)
    assert rules.permits_host("127.0.0.1", is_trusted=True)
    assert not rules.permits_host("localhost", is_trusted=True)
    assert not RuleSet.from_lists(deny=["WebFetch(domain:nas.lan)"]).permits_host("nas.lan", is_trusted=True)


def test_an_untrusted_folder_permits_no_host() -> None:
    rules = RuleSet.from_lists(allow=["WebFetch(domain:localhost)"], source=RuleSource("project", "p"))
    assert rules.permits_host("localhost", is_trusted=True)
    assert not rules.permits_host("localhost", is_trusted=False)


def test_a_host_is_guarded_by_rules_that_deny_or_ask() -> None:
    rules = RuleSet.from_lists(
        deny=["WebFetch(domain:www.x.org)"], ask=["WebFetch(domain:*.y.org)"], allow=["WebFetch(domain:z.org)"]
    )
    assert [host for host in ("x.org", "www.x.org", "a.y.org", "z.org") if rules.guards_host(host)] == [
        "www.x.org",
        "a.y.org",
    ]


LOCAL = [
    "localhost", "foo.localhost", "127.0.0.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "127.1", "[::1]",
    "[::ffff:127.0.0.1]", "0", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[fd00::1]", "LOCALHOST.",
    "127.0.0.1.nip.io", "a.co.uk", "evil.com",
]  # fmt: skip


@pytest.mark.parametrize(
    "pattern", ["*", "*.*", "*.*.*", "*.*.*.*", "**", "*.com", "*.co.uk", "*.io", "l*", "1*", "*0.1", "*.1", "2*.*"]
)
def test_a_wide_rule_permits_no_host_of_this_machine_or_network(pattern: str) -> None:
    rules = RuleSet.from_lists(allow=[f"WebFetch(domain:{pattern})"])
    for host in LOCAL:
        found = canonical_host(host)
        assert found is not None, host
        assert not rules.permits_host(found, is_trusted=True), host


@pytest.mark.parametrize(
    ("pattern", "host"),
    [
        ("localhost", "localhost"), ("*.localhost", "foo.localhost"), ("127.0.0.*", "0x7f.1"), ("10.*.*.*", "10.1.2.3"),
        ("*.corp.example.com", "git.corp.example.com"), ("*.lan", "nas.lan"), ("0x7f.1", "127.0.0.1"), ("::1", "[::1]"),
        ("git-*.corp.example.com", "git-1.corp.example.com"),
    ],
)  # fmt: skip
def test_a_rule_that_names_hosts_of_the_network_permits_them(pattern: str, host: str) -> None:
    assert RuleSet.from_lists(allow=[f"WebFetch(domain:{pattern})"]).permits_host(
        canonical_host(host) or "", is_trusted=True
    )


def test_a_wide_rule_that_denies_also_means_this_machine() -> None:
    rules = RuleSet.from_lists(deny=["WebFetch(domain:*.*.*.*)"])
    assert rules.guards_host("127.0.0.1")
