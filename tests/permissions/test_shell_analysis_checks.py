"""Every named check lets its example through and stops the other, and every doubt is by a check that has a name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tui_agent.permissions.shell as package
from tui_agent.permissions.shell.analysis import analyse
from tui_agent.permissions.shell.checks import CHECKS, Check


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_check_passes_what_it_should(check: Check) -> None:
    assert analyse(check.passes).doubts == ()


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_a_check_stops_what_it_should(check: Check) -> None:
    assert check.id in {name for name, _reason in analyse(check.stops).doubts}


def test_there_is_a_name_for_every_check_that_the_structure_can_fail() -> None:
    named = re.compile(r"""(?:Unclear\(|_refused\(|check=)\s*"([a-z-]+)\"""")
    files = Path(package.__file__).parent.glob("*.py")
    used = {name for file in files for name in named.findall(file.read_text(encoding="utf-8"))}
    assert used - CHECKS.keys() == set()
    assert len(CHECKS) >= 23
