"""A trusted folder is moved away, and another repository with hooks of its own is put at its path."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from person import Serve
from world import World, scenario_of, text_reply, tool_reply


@pytest.fixture
def asked() -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server on loopback, and what it was sent."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/hook", bodies
    server.shutdown()
    server.server_close()
    thread.join()


def hooks(url: str, mark: str, matcher: str = "Bash") -> str:
    handlers = [{"type": "http", "url": url}, {"type": "command", "command": f"cat > /dev/null; : > {mark}"}]
    events = ("UserPromptSubmit", "Stop", "SessionStart")
    named = {event: [{"hooks": handlers}] for event in events}
    return json.dumps({"hooks": {**named, "PreToolUse": [{"matcher": matcher, "hooks": handlers}]}})


def turn(world: World, serve: Serve) -> None:
    serve(scenario_of(tool_reply({"tool": "Bash", "label": "b", "input": {"command": "ls"}}), text_reply("done")))
    done = world.run("-p", "hello")
    assert done.returncode == 0, done.stderr
    assert "done" in done.stdout


@pytest.mark.parametrize("had_hooks", [True, False])
@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json", ".tui-agent/settings.json"])
def test_hooks_of_what_took_its_place_do_not_run(
    world: World, serve: Serve, asked: tuple[str, list[bytes]], name: str, *, had_hooks: bool
) -> None:
    url, bodies = asked
    own, foreign = world.folder.parent / "own", world.folder.parent / "foreign"
    world.env["no_proxy"] = "127.0.0.1"
    if had_hooks:
        world.write(name, hooks(url, str(own)))
    turn(world, serve)  # the first session in a trusted folder takes note of what is there
    assert (own.exists(), bool(bodies)) == (had_hooks, had_hooks), "else this test shows nothing"
    own.unlink(missing_ok=True)
    world.folder.rename(world.folder.parent / "moved")
    world.folder.mkdir()
    world.write(name, hooks(f"{url}/other", str(foreign)))
    bodies.clear()
    turn(world, serve)
    assert not foreign.exists()
    assert bodies == []
