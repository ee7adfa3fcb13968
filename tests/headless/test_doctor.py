from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tool_folders import ToolFolders

from tui_agent.headless.doctor import examine
from tui_agent.headless.findings import Finding
from tui_agent.tools import catalog


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
    assert "not an address" in findings()["endpoint"][0].text
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


def test_each_provider_has_its_key_and_its_endpoint_checked(findings, monkeypatch) -> None:  # noqa: ANN001
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    monkeypatch.setenv("LOCAL_KEY", "local-key")
    providers = {
        "local": {"baseUrl": "http://127.0.0.1:9", "apiKeyEnv": "LOCAL_KEY"},
        "open": {"baseUrl": "http://127.0.0.1:9"},
        "odd": {"baseUrl": "127.0.0.1", "apiKeyEnv": "ODD_KEY"},
    }
    found = findings(json.dumps({"providers": providers, "env": {"UNUSED": "1"}}))
    assert "local-key" not in str(found)
    assert [(finding.level, finding.text.partition(";")[0]) for finding in found["key"]] == [
        ("ok", "ANTHROPIC_API_KEY is set"),
        ("ok", "local: LOCAL_KEY is set"),
        ("ok", "open: `apiKeyEnv` names no variable"),
        ("warning", "odd: ODD_KEY is not set"),
    ]
    usual, local, opened, odd = found["endpoint"]
    assert usual.text.startswith("http://127.0.0.1:9 cannot be reached")
    assert local.text.startswith("local: http://127.0.0.1:9 cannot be reached")
    assert [finding.level for finding in (usual, local, opened, odd)] == ["problem"] * 4
    assert odd.text == "odd: 127.0.0.1 is not an address; providers.odd.baseUrl starts with https:// or http://"


def test_settings_may_say_where_the_usual_models_are(findings, monkeypatch) -> None:  # noqa: ANN001
    monkeypatch.setenv("OWN_KEY", "own-key")
    settings = json.dumps({"providers": {"anthropic": {"baseUrl": "ftp://x", "apiKeyEnv": "OWN_KEY"}}})
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    found = findings(settings)
    assert [(finding.level, finding.text) for finding in found["key"]] == [("ok", "OWN_KEY is set")]
    assert [finding.text for finding in found["endpoint"]] == [
        "ftp://x is not an address; providers.anthropic.baseUrl starts with https:// or http://"
    ]
    monkeypatch.delenv("OWN_KEY")
    assert findings(settings)["key"][0].level == "warning"


def test_every_tool_is_loaded_and_what_is_wrong_with_one_is_named(findings, monkeypatch, tmp_path) -> None:  # noqa: ANN001
    folders = ToolFolders(tmp_path, monkeypatch)
    folders.only("Read")
    folders.add("Gated", features=("proactive",), is_deferred=True)
    (sound,) = findings()["tools"]
    assert (sound.level, sound.text) == ("ok", "2 with sound schemas: Gated, Read")
    folders.add("Absent", is_enabled="return False")
    folders.add("Raising", is_enabled="raise OSError('no disk')")
    catalog.register(catalog.CatalogEntry("Nowhere", "no_such_package"))
    broken = tmp_path / "broken_schema"
    broken.mkdir()
    (broken / "__init__.py").touch()
    (broken / "tool.py").write_text(
        "from pydantic import Field\n"
        "from tui_agent.tools.base import Tool, ToolInput\n"
        "class Input(ToolInput):\n    x: int = Field(0, json_schema_extra={'minimum': 'one'})\n"
        "class TOOL(Tool):\n    name = 'Odd'\n    Input = Input\n"
    )
    catalog.register(catalog.CatalogEntry("Odd", "broken_schema"))
    found = {finding.text.partition(":")[0]: finding for finding in findings()["tools"]}
    assert {name: finding.level for name, finding in found.items()} == {
        "Nowhere": "problem",
        "Odd": "problem",
        "Raising": "problem",
        "3 with sound schemas": "ok",
        "cannot work here": "warning",
    }
    assert "no_such_package" in found["Nowhere"].text
    assert "'one' is not of type 'number'" in found["Odd"].text
    assert "no disk" in found["Raising"].text


def test_what_is_wrong_in_settings_is_named_and_what_was_read(findings, tmp_path) -> None:  # noqa: ANN001
    own = tmp_path / "config/tui-agent/settings.json"
    own.parent.mkdir(parents=True)
    own.write_text('{"maxTurns": "x",\n"permisions": {"allow": []},\n"spinnerVerbs": {"mode": "append"}}')
    theirs = tmp_path / ".claude/settings.local.json"
    theirs.parent.mkdir()
    theirs.write_text('{\n"env": }')
    found = {(finding.level, finding.text) for finding in findings()["settings"]}
    assert ("problem", f"{theirs}:2: column 8: expecting value; the file is ignored") in found
    assert ("problem", f'{own}:1: `maxTurns` must be a whole number, not "x"; ignored') in found
    assert ("ok", f"read: {own} (user settings)") in found
    assert (
        "warning",
        f"{own}:2: there is no setting `permisions.allow`; it is ignored; did you mean permissions.allow?",
    ) in found
    assert ("ok", "read past, as tui-agent does not use it: spinnerVerbs") in found
    theirs.write_text('{"env": {"A": "1"}}')
    (held,) = findings()["trust"]
    assert held.level == "warning"
    assert f"{theirs}: env" in held.text


def test_rules_that_do_nothing_are_named(findings, tmp_path) -> None:  # noqa: ANN001
    own = tmp_path / "config/tui-agent/settings.json"
    own.parent.mkdir(parents=True)
    own.write_text(
        json.dumps(
            {
                "permissions": {
                    "deny": ["Bash(git *)", "Nonsense(x)"],
                    "allow": ["Bash(git push *)", "Write(x)", "Bash(make)"],
                },
            },
            indent=1,
        )
    )
    found = findings()
    dead = [finding.text for finding in found["rules"]]
    assert {finding.level for finding in found["rules"]} == {"warning"}
    assert len(dead) == 2, dead
    assert any(f"{own}:5: `Nonsense(x)`" in text or f"{own}:4: `Nonsense(x)`" in text for text in dead)
    assert any("`Bash(git push *)`" in text and "Bash(git *)" in text for text in dead)
    (wrong,) = (finding.text for finding in found["settings"] if finding.level == "problem")
    assert "Write(x)" in wrong, "what never matches is told once"


def test_agent_files_that_do_not_count_are_named(findings, tmp_path: Path) -> None:  # noqa: ANN001
    folder = tmp_path / "config/tui-agent/agents"
    folder.mkdir(parents=True)
    (folder / "bad.md").write_text("---\nname: poet\n---\nYou write.\n")
    (folder / "good.md").write_text("---\nname: judge\ndescription: Judges\neffort: high\n---\nYou judge.\n")
    found = findings()["agents"]
    assert [finding.level for finding in found] == ["warning", "warning", "ok"]
    assert "bad.md: left out: it has no description" in found[0].text
    assert "effort" in found[1].text
    assert found[2].text.startswith("from files: 1")
