from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tui_agent.headless.doctor import Finding, examine


@pytest.fixture
def findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # noqa: ANN201
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path / "state"))
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "HTTPS_PROXY",
        "https_proxy",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")

    def look(settings: str | None = None) -> dict[str, list[Finding]]:
        found: dict[str, list[Finding]] = {}
        for finding in examine(tmp_path, settings):
            found.setdefault(finding.subject, []).append(finding)
        return found

    return look


def test_a_sound_set_up_is_said_to_be_sound(findings, monkeypatch) -> None:  # noqa: ANN001
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    found = findings()
    for subject in ("python", "textual", "anthropic", "key", "ripgrep", "bash", "settings", "state", "tools"):
        assert [finding.level for finding in found[subject]] == ["ok"], found[subject]
    assert "test-key" not in str(found)


def test_each_fault_is_named(findings, monkeypatch, tmp_path) -> None:  # noqa: ANN001
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    assert findings()["key"][0].level == "problem"
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "localhost:4000")
    assert "no address" in findings()["endpoint"][0].text
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert "cannot be reached" in findings()["endpoint"][0].text
    assert [finding.level for finding in findings('{"permissions": {"allow": ["Bash("]}}')["settings"]] == ["problem"]
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TUI_AGENT_HOME", str(tmp_path / "file" / "state"))
    assert findings()["state"][0].level == "problem"


async def test_a_server_that_listens_can_be_reached(findings, monkeypatch) -> None:  # noqa: ANN001
    server = await asyncio.start_server(lambda _r, w: w.close(), "127.0.0.1", 0)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    found = await asyncio.to_thread(findings)
    assert found["endpoint"][0].level == "ok"
    assert found["key"][0].level == "warning"
    server.close()
    await server.wait_closed()
