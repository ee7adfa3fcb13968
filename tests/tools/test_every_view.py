"""Every built-in tool's view, with whatever stands in its input and its result: it stays in its room and drives no terminal."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tool_case import Case
from viewing import STATE, check

from tui_agent.changes import FileChange
from tui_agent.settings.features import FEATURES
from tui_agent.tools.inputs.schema import api_schema
from tui_agent.tools.registry import ToolPool
from tui_agent.ui.transcript.tool_views import view_for
from tui_agent.viewkit.tool_use import Phase, ToolUse

HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b2J\x1bc[@click=app.quit]x[/]\u202edraw\u2066\r\x00\x7f" + "👩\u200d" * 9
FORBIDDEN = {*map(chr, range(32)), *map(chr, range(127, 160)), "\u202e", "\u2066"}
TOOLS = {tool.name: api_schema(tool) for tool in ToolPool.build(features=tuple(FEATURES)).tools}
ENDINGS: list[dict[str, Any]] = [{}, {"is_error": True}, {"is_error": True, "is_rejected": True, "words": HOSTILE}]


def filled(node: dict[str, Any], text: str) -> Any:
    """Return a value of a schema's shape with `text` wherever a text may stand."""
    for part in node.get("anyOf", ()):
        return filled(part, text)
    match node.get("type"):
        case "object":
            return {name: filled(inner, text) for name, inner in node.get("properties", {}).items()} or {text: text}
        case "array":
            return [filled(node.get("items", {}), text)] * 2
        case "integer" | "number":
            return 10**30
        case "boolean":
            return True
        case _:
            return text


def draw_everything(use: ToolUse) -> None:
    view = view_for(use.name)
    for width in (1, 9, 24, 100):
        title = view.title(use, width, STATE)
        assert title.width <= width
        assert not FORBIDDEN & set(title.text)
        for rendered in (view.body(use, width, STATE), view.request(use, width, STATE)):
            assert all(line.width <= width for line in rendered.lines)
            assert not FORBIDDEN & set("".join(line.text for line in rendered.lines))
            if width >= 24:
                check(rendered, width)


@pytest.mark.parametrize("name", TOOLS)
def test_hostile_text_in_every_field_is_spelled_out_or_left_out(name: str) -> None:
    values = filled(TOOLS[name], HOSTILE)
    change = FileChange.between(HOSTILE, f"a\n{HOSTILE}\n", f"{HOSTILE}b\n")
    for phase in get_args(Phase):
        for ending in ENDINGS:
            use = ToolUse(
                id="u", name=name, input=values, is_input_whole=True, phase=phase, content=HOSTILE, data={"x": HOSTILE},
                base="/w", progress={"message": HOSTILE, "tail": [HOSTILE]}, changes=(change,), **ending,
            )  # fmt: skip
            draw_everything(use)


ODD = st.recursive(
    st.none() | st.booleans() | st.sampled_from([-1, 0, 10**30, 0.5, float("nan"), float("inf"), "", "x", HOSTILE]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "name", HOSTILE]), inner, max_size=3)
    ),
    max_leaves=6,
)
# What each tool's results look like, from the cases that its pictures are drawn of.
CASES: dict[str, Case] = {
    name: case
    for path in sorted((Path(__file__).parents[1] / "snapshots").glob("cases_*.py"))
    for name, case in runpy.run_path(str(path))["CASES"].items()
}


@st.composite
def spoilt(draw: st.DrawFn, value: Any) -> Any:
    """Return a value with something else at one or two places in it."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 3)) == 0:
        return draw(ODD)
    copied = dict(value) if isinstance(value, dict) else dict(enumerate(value))
    for key in draw(st.lists(st.sampled_from(list(copied)), min_size=1, max_size=2, unique=True)):
        copied[key] = draw(spoilt(copied[key]))
    return copied if isinstance(value, dict) else list(copied.values())


@pytest.mark.parametrize("name", TOOLS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_misshapen_input_and_data_is_drawn_as_well_as_it_can_be(name: str, data: st.DataObject) -> None:
    case = CASES.get(name, Case({}, "", {}, ""))
    given_input, given_data = data.draw(spoilt(case.input)), data.draw(spoilt(case.data))
    use = ToolUse(
        id="u",
        name=name,
        input=given_input if isinstance(given_input, dict) else case.input,
        is_input_whole=True,
        phase=data.draw(st.sampled_from(["executing", "yielded"])),
        content=data.draw(st.sampled_from(["", "text", case.content])),
        data=given_data if isinstance(given_data, dict) else None,
        progress=data.draw(st.none() | st.just(case.progress) | st.fixed_dictionaries({"message": ODD, "tail": ODD})),
        base="/w",
    )
    draw_everything(use)
