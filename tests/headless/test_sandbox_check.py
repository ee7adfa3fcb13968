"""doctor says which sandbox there is, what it cannot hold, and what settings ask of it in vain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tui_agent.headless.findings import Finding
from tui_agent.headless.sandbox_check import examine_sandbox
from tui_agent.sandbox.bubblewrap import Bubblewrap
from tui_agent.sandbox.landlock import Landlock
from tui_agent.sandbox.limits import Sandbox

Look = Callable[..., list[Finding]]


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    for name in ("HOME", "XDG_CONFIG_HOME", "TUI_AGENT_HOME"):
        monkeypatch.setenv(name, str(tmp_path))

    def examine(sandbox: Sandbox | None, settings: str = "{}") -> list[Finding]:
        monkeypatch.setattr("tui_agent.sandbox.find.find_sandbox", lambda: sandbox)
        return list(examine_sandbox(tmp_path, settings))

    return examine


def test_a_sandbox_that_works_is_named_with_what_it_leaves_open(look: Look) -> None:
    found = look(Bubblewrap("/usr/bin/bwrap"))
    assert {finding.level for finding in found} == {"ok"}
    assert found[0].text == "bubblewrap: commands that only read run in it"
    assert "others" in look(Bubblewrap("/usr/bin/bwrap"), '{"sandbox": {"enabled": true}}')[0].text


def test_of_landlock_it_is_said_what_stops_all_but_tcp(look: Look) -> None:
    text = " ".join(finding.text for finding in look(Landlock(7)))
    assert "Landlock alone stops TCP only" in text
    assert "install bubblewrap" in text


@pytest.mark.parametrize(
    ("settings", "level", "words"),
    [
        ("{}", "warning", "commands that only read ask, too"),
        ('{"sandbox": {"readOnlyWithout": true}}', "warning", "with your own rights"),
        ('{"sandbox": {"enabled": true, "failIfUnavailable": true}}', "problem", "no command runs"),
    ],
)
def test_that_there_is_none_is_said_with_what_follows(look: Look, settings: str, level: str, words: str) -> None:
    (found,) = look(None, settings)
    assert (found.level, words in found.text) == (level, True)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ('{"permissions": {"deny": ["Read(~/**/*.pem)"]}}', "`Read(~/**/*.pem)` (only in the working folders)"),
        ('{"permissions": {"deny": ["Edit(.env)"]}}', "`Edit(.env)` (only what is there before the command)"),
        ('{"sandbox": {"network": {"allowedDomains": ["pypi.org"]}}}', "the network stays off"),
        ('{"sandbox": {"network": {"allowedDomains": ["*"], "deniedDomains": ["x.org"]}}}', "`deniedDomains`"),
        ('{"sandbox": {"network": {"allowUnixSockets": ["/run/x"]}}}', "`allowAllUnixSockets`"),
    ],
)
def test_what_is_asked_in_vain_is_said(look: Look, settings: str, words: str) -> None:
    warnings = [finding.text for finding in look(Bubblewrap("/usr/bin/bwrap"), settings) if finding.level == "warning"]
    assert len(warnings) == 1
    assert words in warnings[0]


@pytest.mark.parametrize("rule", ["Read(~/.ssh/**)", "Read(//etc/secret)", "Read(./secrets/key)", "Read(/a/b/**)"])
def test_rules_on_one_place_are_held(look: Look, rule: str) -> None:
    found = look(Bubblewrap("/usr/bin/bwrap"), f'{{"permissions": {{"deny": ["{rule}"]}}}}')
    assert {finding.level for finding in found} == {"ok"}
