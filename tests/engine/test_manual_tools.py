"""Lines that run a tool by hand: words into fields, results by number, and what is wrong said plainly."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field

from tui_agent.engine.session.manual_tools import ManualToolCall, ManualToolError, Results, read_call
from tui_agent.events import HistoryCleared, ToolResultReady, ToolStateChanged, ToolUseStarted
from tui_agent.tools.base import Tool, ToolInput
from tui_agent.tools.registry import ToolPool


class SampleInput(ToolInput):
    """All kinds of fields."""

    name: str
    count: int | None = None
    is_deep: bool = False
    ratio: float = 0.5
    tags: list[str] = Field(default_factory=list)
    sizes: list[int] = Field(default_factory=list)
    rows: list[dict[str, Any]] = Field(default_factory=list)
    options: dict[str, Any] = Field(default_factory=dict)
    text_or_number: str | int = ""
    ignore_case: bool = Field(False, alias="-i")


class Sample(Tool[SampleInput, None, str]):
    name = "Sample"
    aliases = ("sample_it",)
    Input = SampleInput


class Bare(Tool[ToolInput, None, str]):
    name = "Bare"
    Input = ToolInput


POOL = ToolPool([Sample(), Bare()])


def results(*data: Any) -> Results:
    found = Results()
    for number, item in enumerate(data):
        found.follow(ToolResultReady(tool_use_id=f"u{number}", name="Read", is_error=False, content="", data=item))
        found.follow(ToolStateChanged(tool_use_id=f"u{number}", from_state="completed", to_state="yielded"))
    return found


def read(line: str, *data: Any) -> dict[str, Any]:
    call = read_call(line, POOL, results(*data))
    assert isinstance(call, ManualToolCall)
    return call.input


@pytest.mark.parametrize(
    ("line", "input"),
    [
        ("Sample", {}),
        ("Sample --name=x", {"name": "x"}),
        ("Sample --name x --count 3", {"name": "x", "count": 3}),
        ("Sample --name='a b' --name-not=1", ManualToolError),
        ("Sample --name=", {"name": ""}),
        ("Sample --name=5 --text-or-number=5", {"name": "5", "text_or_number": "5"}),
        ("Sample --count=-5 --ratio=1.5", {"count": -5, "ratio": 1.5}),
        ("Sample --count=many", {"count": "many"}),
        ("Sample --count=null", {"count": None}),
        ("Sample --is_deep", {"is_deep": True}),
        ("Sample --is-deep --name x", {"is_deep": True, "name": "x"}),
        ("Sample --is_deep=false -i", {"is_deep": False, "-i": True}),
        ("Sample -i=true", {"-i": True}),
        ("Sample --tags=a", {"tags": ["a"]}),
        ("Sample --tags=a --tags=5", {"tags": ["a", "5"]}),
        ('Sample --tags=\'["a", "b"]\'', {"tags": ["a", "b"]}),
        ("Sample --sizes=1 --sizes=2", {"sizes": [1, 2]}),
        ("Sample --sizes=7", {"sizes": [7]}),
        ("Sample --options='{\"a\": 1}'", {"options": {"a": 1}}),
        ("Sample --name=a --name=b", {"name": ["a", "b"]}),
        ("Sample --name=--x", {"name": "--x"}),
        ("Sample --name 'x=y|z'", {"name": "x=y|z"}),
        ("Sample --name='two\nlines'", {"name": "two\nlines"}),
        ("sample_it --its_own=5 --other=a", {"its_own": 5, "other": "a"}),
        ("SampleTool --name=x", {"name": "x"}),
        ("Bare", {}),
    ],
)
def test_words_become_fields(line: str, input: Any) -> None:
    if input is ManualToolError:
        with pytest.raises(ManualToolError):
            read(line)
    else:
        assert read(line) == input


def test_results_come_in_by_number() -> None:
    first, last = {"a": [1]}, {"b": 2}
    assert read("Sample --options=$R1", first, last) == {"options": first}
    assert read("Sample --options $R --rows=$R1 --rows=$R2", first, last) == {"options": last, "rows": [first, last]}
    assert read("Sample --is_deep=$R1", first) == {"is_deep": first}  # which its check refuses
    assert read('Sample --name="it was $R1"', first) == {"name": 'it was {"a": [1]}'}
    assert read("Sample --name='$R1'", first) == {"name": "$R1"}
    assert read("Sample --options=$R2", first, None) == {"options": None}
    assert read("Sample --rows=$R1.a --count=$R2.b", first, last) == {"rows": [1], "count": 2}
    with pytest.raises(
        ManualToolError, match=r"\$R1 has no \.b; it has a at character 15. A dot or bracket that is text"
    ):
        read("Sample --rows=$R1.b", first, last)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "Write /tool NAME --field=value … There are Bare, Sample. There is no result yet."),
        ("Sampel --name=x", "There is no tool Sampel. Did you mean Sample?"),
        ("Quux", "There is no tool Quux. There are Bare, Sample."),
        ("'' --name=x", "There is no tool"),
        ("Sample --nmae=x", "Sample has no field --nmae. Did you mean --name? Sample has --name, --count, --is_deep,"),
        ("Sample x", "`x` belongs to no field: write --field=value."),
        ("Bare --x=1", "Bare has no field --x. Bare has no fields."),
        ("Sample --name", "--name has no value: write --name=value."),
        ("Sample --name --is_deep", "--name has no value"),
        ("Sample --name=a | Bare", "`|` means nothing here; put it in quotes"),
        ("Sample --name='a", "The line is not whole: the ' is not closed at character 15."),
        ("Sample --options=$R", "There is no $R. There is no result yet."),
        ("Sample --name=$HOME", "There is no $HOME."),
    ],
)
def test_what_is_wrong_is_said(line: str, says: str) -> None:
    with pytest.raises(ManualToolError) as caught:
        read(line)
    assert says in str(caught.value)


def test_a_number_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(
        ManualToolError, match=r"There is no \$R9. The last results: \$R1 Read, \$R2 Read; \$R is the last"
    ):
        read("Sample --options=$R9", {}, {})


def test_results_are_numbered_as_they_stand_on_the_screen() -> None:
    found = Results()

    def ready(use: str, data: Any) -> None:
        found.follow(ToolResultReady(tool_use_id=use, name="T", is_error=False, content="", data=data))

    def handed_over(use: str) -> None:
        found.follow(ToolStateChanged(tool_use_id=use, from_state="completed", to_state="yielded"))

    found.follow(ToolUseStarted(tool_use_id="inner", name="T", parent_tool_use_id="a"))
    ready("b", 2)  # done first, but its block is the second
    ready("inner", "part of a")
    handed_over("inner")
    ready("a", 1)
    handed_over("a")
    handed_over("b")
    assert found.env() == {"R1": 1, "R2": 2, "R": 2}
    found.follow(HistoryCleared())
    assert found.env() == {}
