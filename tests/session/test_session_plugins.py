"""Plugins that the command line names: what they bring, and that nothing in them leads out."""

from __future__ import annotations

import json
from pathlib import Path

from scripted_model import calls, reply, says
from session_front import Front, begin

from tui_agent.engine.session.plugins import read_plugin
from tui_agent.queries import AgentsQuery, McpQuery


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def make_plugin(folder: Path) -> Path:
    write(folder / ".claude-plugin/plugin.json", json.dumps({"name": "powers", "version": "1.0"}))
    write(folder / "skills/review/SKILL.md", "---\ndescription: Reviews.\n---\nReview in ${CLAUDE_PLUGIN_ROOT}.")
    write(folder / "commands/go.md", "Go to $0.")
    write(folder / "agents/scout.md", "---\nname: scout\ndescription: Looks.\n---\nYou look.")
    hook = {"type": "command", "command": 'echo "$CLAUDE_PLUGIN_ROOT" > hooked'}
    write(folder / "hooks/hooks.json", json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}))
    write(folder / ".mcp.json", json.dumps({"mcpServers": {"db": {"command": "no-such-program"}}}))
    write(folder / "output-styles/x.md", "x")
    return folder


async def test_the_parts_of_a_plugin_count(place: Path, fronts: list[Front]) -> None:
    folder = make_plugin(place.parent / "plugin")
    scripts = reply(calls(0, "Bash", {"command": "ls"}), stop="tool_use"), reply(says(0, "ok"))
    fronts.append(front := await begin(place, *scripts, plugin_dirs=(folder,)))
    front.session.submit("/powers:review")
    await front.session.wait_idle()
    said = str(front.model.requests[0].messages[0])
    assert f"Review in {folder}." in said
    assert "- powers:review: Reviews." in said
    assert (place / "hooked").read_text() == f"{folder}\n"
    agents = await front.session.query(AgentsQuery())
    assert agents is not None
    assert "powers:scout" in [row.name for row in agents.types]
    servers = await front.session.query(McpQuery())
    assert servers is not None
    assert [row.name for row in servers.servers] == ["plugin_powers_db"]


async def test_hooks_of_a_plugin_wait_for_trust(place: Path, fronts: list[Front]) -> None:
    folder = make_plugin(place.parent / "plugin")
    scripts = reply(calls(0, "Bash", {"command": "ls"}), stop="tool_use"), reply(says(0, "ok"))
    fronts.append(front := await begin(place, *scripts, plugin_dirs=(folder,), is_trusted=False, is_attended=False))
    front.session.submit("/powers:go there")
    await front.session.wait_idle()
    assert "Go to there." in str(front.model.requests[0].messages[0])
    assert not (place / "hooked").exists()


def test_nothing_in_a_plugin_leads_out_of_it(tmp_path: Path) -> None:
    outside = make_plugin(tmp_path / "outside")
    folder = tmp_path / "plugin"
    said = {"name": "sly", "commands": ["../outside/commands"], "hooks": "/etc/hosts", "mcpServers": "link.json"}
    write(folder / ".claude-plugin/plugin.json", json.dumps(said))
    (folder / "link.json").symlink_to(outside / ".mcp.json")
    (folder / "hooks").symlink_to(outside / "hooks")
    plugin = read_plugin(folder)
    assert (plugin.skills, plugin.hooks, plugin.servers) == ([], [], [])
    assert len([problem for problem in plugin.problems if "leads out of the plugin" in problem]) == 4


def test_a_broken_plugin_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    write(folder / ".claude-plugin/plugin.json", "{")
    assert "plugin.json" in read_plugin(folder).problems[0]
    write(folder / ".claude-plugin/plugin.json", '{"name": "../x"}')
    assert "no name for a plugin" in read_plugin(folder).problems[0]
    assert "not a folder" in read_plugin(tmp_path / "none").problems[0]
