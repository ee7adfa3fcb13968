"""Files of the system that anybody may read: without a question, unless a rule says otherwise or a link leads elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.public_files import is_public
from tui_agent.permissions.rules import RuleSet

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)


def behavior(command: str, **rules: Any) -> str:
    call = call_from_input("Bash", {"command": command}, WHERE)
    return decide(call, rules=RuleSet.from_lists(**rules), mode="default", where=WHERE).behavior


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/os-release", "head -3 /proc/meminfo", "grep -c processor /proc/cpuinfo", "cat /etc/*release",
        "cat /sys/fs/cgroup/memory.max 2>/dev/null", "cut -d' ' -f1 < /proc/loadavg", "ls /usr/share/doc/bash",
        "grep -n EOF /usr/include/stdio.h", "ls /usr/bin | wc -l", "sed -n 1,9p /usr/lib/python3.11/json/__init__.py",
        "find /usr/lib/python3 -maxdepth 1", "ls /usr/lib/jvm", "ls /usr/share/cmake-3.25/Modules",
    ],
)  # fmt: skip
def test_they_are_read_without_a_question(command: str) -> None:
    assert behavior(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/passwd", "cat /etc/shadow", "cat /proc/self/environ", "cat /proc/1/cmdline", "cat /etc/os-release /etc/hosts",
        "cat /usr/share/doc/../../../etc/passwd", "cat /etc/os-release/../hosts", "cat /etc/*", "cat /proc/*", "tail /etc/*r*",
        "ls /usr/share", "ls /proc", "cat /etc/os-release.bak", "cat /usr/share/docs/x", "cat /sys/fs/cgroup/../../x",
        "echo x > /etc/timezone", "cp /etc/os-release x", "ls /usr", "ls /usr/lib", "cat /usr/local/include/x.h",
        "ls /usr/lib/python3.11x", "cat /usr/lib/python3.11/../x", "ls /usr/lib/ssl/private", "cat /usr/includes/x",
        "cp /usr/include/stdio.h x", "echo x > /usr/include/x.h", "find /etc -name os-release",
    ],
)  # fmt: skip
def test_what_lies_beside_them_asks(command: str) -> None:
    assert behavior(command) == "ask"


def test_rules_come_first() -> None:
    assert behavior("cat /etc/os-release", deny=["Read(//etc/**)"]) == "deny"
    assert behavior("cat /etc/os-release", ask=["Read(//etc/os-release)"]) == "ask"


def test_a_link_to_elsewhere_is_none_of_them() -> None:
    assert is_public("/etc/os-release", lambda _path: "/usr/lib/os-release")
    assert not is_public("/etc/os-release", lambda _path: "/h/.ssh/id_rsa")
    assert not is_public("/usr/share/doc/x", lambda _path: "/etc/shadow")
    linked = replace(WHERE, resolve=lambda path: "/h/secret" if path == "/etc/timezone" else path)
    assert not linked.is_free_to_read("/etc/timezone")
