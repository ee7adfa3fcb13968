"""The part of `doctor` that is about the sandbox: which there is, what it cannot hold, what settings ask of it in vain."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tui_agent.headless.findings import Finding

if TYPE_CHECKING:
    from tui_agent.settings.load import Settings

__all__ = ["examine_sandbox"]


def examine_sandbox(cwd: Path, inline: str | None) -> Iterator[Finding]:
    """Yield what is to be said of the sandbox that a session in `cwd` would have. Tries out which one works here."""
    from tui_agent.settings.load import SettingsError, load_settings

    try:
        settings = load_settings(cwd, inline=inline)
    except SettingsError:
        settings = load_settings(cwd)  # what is wrong with the line itself is said elsewhere
    yield from _which(settings)
    yield from _unheld(settings)


def _which(settings: Settings) -> Iterator[Finding]:
    from tui_agent.engine.inspection import no_sandbox
    from tui_agent.sandbox.find import find_sandbox

    values = settings.values.sandbox
    sandbox = find_sandbox()
    if sandbox is None:
        if values.enabled and values.fail_if_unavailable:
            text = f"{no_sandbox()}, and `sandbox.failIfUnavailable` is set: no command runs"
            yield Finding("problem", "sandbox", text)
        elif values.read_only_without:
            text = f"{no_sandbox()}: commands that only read run with your own rights (`sandbox.readOnlyWithout`)"
            yield Finding("warning", "sandbox", text)
        else:
            yield Finding("warning", "sandbox", f"{no_sandbox()}: commands that only read ask, too")
        return
    who = "commands that only read run in it"
    if values.enabled:
        who += ", and others with the working folders to write in"
    yield Finding("ok", "sandbox", f"{sandbox.name}: {who}")
    if sandbox.name == "landlock" and shutil.which("bwrap"):
        yield Finding("warning", "sandbox", "bubblewrap is installed, but may not make namespaces here")
    for gap in sandbox.gaps:
        yield Finding("ok", "sandbox", f"limitation: {gap}")


def _unheld(settings: Settings) -> Iterator[Finding]:
    """Yield what was asked of the sandbox that none can do."""
    from tui_agent.engine.inspection import unheld_rules
    from tui_agent.permissions.rules import RuleSet

    rules = list(unheld_rules(RuleSet.from_entries(settings.rules)))
    if rules:
        text = f"deny rules that no sandbox can hold everywhere: {', '.join(rules)}"
        yield Finding("warning", "sandbox", text)
    network = settings.values.sandbox.network
    hosts = [host for host in network.allowed_domains if host != "*"]
    is_on = network.enabled or "*" in network.allowed_domains
    if hosts and not is_on:
        text = (
            f"the network stays off: `allowedDomains` for single hosts needs a proxy, which there is not ({hosts[0]} …)"
        )
        yield Finding("warning", "sandbox", text)
    if network.denied_domains and is_on:
        yield Finding("warning", "sandbox", "`deniedDomains` is not held while the network is on: that needs a proxy")
    if network.allow_unix_sockets and not network.allow_all_unix_sockets:
        text = "single local sockets cannot be allowed (`allowUnixSockets`); `allowAllUnixSockets` allows all of them"
        yield Finding("warning", "sandbox", text)
