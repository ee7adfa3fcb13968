"""Scenario files are read strictly: a misspelt key would otherwise be quietly without effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.model.demo.scenario import ScenarioError
from tui_agent.model.demo.scenario_file import find_scenario, list_scenarios, load_scenario

WHOLE = """
title = "A test"
pace = { delta_bytes = 7, delay_ms = 3 }
[variables]
bytes = "900"
[[answer]]
said = "(?i)again"
after = ["first"]
goto = "first"
[[reply]]
name = "first"
faults = [{ kind = "drop", after_events = "{{ bytes }}" }]
[[reply.block]]
thinking = "hm"
[[reply.block]]
tool = "Bash"
label = "run"
input = { command = "true" }
[[reply]]
name = "second"
when = { ok = "run", result = { run = "done" } }
[[reply.block]]
markdown_bytes = "{{ bytes }}"
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(text)
    return path


def test_a_scenario_is_read_whole(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, WHOLE), {"bytes": "1200"})
    first, second = scenario.replies
    assert (scenario.title, scenario.pace.delta_bytes, scenario.pace.delay_ms) == ("A test", 7, 3)
    assert [block.kind for block in first.blocks] == ["thinking", "tool"]
    assert first.faults[0].after_events == second.blocks[0].markdown_bytes == 1200
    assert second.when.ok == "run"
    assert scenario.answers[0].after == ("first",)


@pytest.mark.parametrize(
    ("found", "put", "complaint"),
    [
        ("delta_bytes", "delta_byte", "has no delta_byte"),
        ('goto = "first"', 'goto = "third"', "'third', which is no reply"),
        ('thinking = "hm"', 'think = "hm"', "exactly one of"),
        ('label = "run"', 'label = "Run it"', "must be lower-case"),
        ('kind = "drop"', 'kind = "explode"', "kind must be one of"),
        ('ok = "run"', 'ok = "walk"', "labelled 'walk'"),
        ('run = "done"', 'run = "("', "not a regular expression"),
        ('name = "second"', 'name = "first"', "two times the reply first"),
        ('"{{ bytes }}" }]', '"{{ nobody }}" }]', "no default"),
        ("title", "= title", "Invalid"),
        ("delay_ms = 3", 'delay_ms = "soon"', "delay_ms"),
    ],
)
def test_an_entry_that_makes_no_sense_is_named(tmp_path: Path, found: str, put: str, complaint: str) -> None:
    assert found in WHOLE
    with pytest.raises(ScenarioError, match=complaint) as caught:
        load_scenario(write(tmp_path, WHOLE.replace(found, put, 1)))
    assert "s.toml" in str(caught.value)


def test_an_unknown_scenario_names_those_that_exist() -> None:
    with pytest.raises(ScenarioError, match=r"no scenario 'nope'; there are: .*fix"):
        find_scenario("nope")


def test_every_shipped_scenario_says_what_it_shows_and_how_to_start_it() -> None:
    scenarios = list_scenarios()
    assert {"fix", "long", "rough"} <= {scenario.name for scenario in scenarios}
    assert all(scenario.about and scenario.prompt and scenario.project for scenario in scenarios)
