"""Templates quote what tools returned, and never evaluate anything."""

from __future__ import annotations

import pytest

from tui_agent.model.demo.template import TemplateError, expand, expand_all

VALUES = {"cwd": "/w", "results": {"tests": "Ran 15 tests in 0.1s\n\nFAILED (failures=3)\n"}}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("no template", "no template"),
        ("{{ cwd }}/a.py", "/w/a.py"),
        (r"{{ results.tests | match 'failures=(\d+)' }}", "3"),
        (r"{{results.tests|match 'FAILED'}}", "FAILED"),
        (r"{{ results.tests | count 'a' }}", "2"),
        ("{{ results.tests | line 1 }}", "Ran 15 tests in 0.1s"),
        ("{{ results.tests | line -1 }}", "FAILED (failures=3)"),
        (r"{{ results.tests | match 'it\'s' | default 'nothing' }}", "nothing"),
        ("{{ results.other | line 2 | default '–' }}", "–"),
    ],
)
def test_a_template_is_replaced_by_what_it_names(template: str, expected: str) -> None:
    assert expand(template, VALUES) == expected


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("{{ nobody }}", "no default"),
        ("{{ results.tests | match 'xyz' }}", "no default"),
        ("{{ results }}", "no default"),
        ("{{ cwd | shout 'x' }}", "no filter 'shout'"),
        ("{{ cwd | match }}", "needs an argument"),
        ("{{ cwd | match '(' }}", "match"),
        ("{{ __import__('os') }}", "not a"),
        ("{{ cwd.__class__ }}", "no default"),
    ],
)
def test_a_template_that_makes_no_sense_says_so(template: str, complaint: str) -> None:
    with pytest.raises(TemplateError, match=complaint):
        expand(template, VALUES)


def test_templates_in_tool_input_are_replaced_at_any_depth_and_other_values_stay() -> None:
    data = {"path": "{{ cwd }}/x", "edits": [{"old": "{{ cwd }}"}, 3], "flag": True}
    assert expand_all(data, VALUES) == {"path": "/w/x", "edits": [{"old": "/w"}, 3], "flag": True}
