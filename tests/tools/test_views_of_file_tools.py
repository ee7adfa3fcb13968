"""How Write and MultiEdit are drawn, from the first letters of their arguments to the last hunk that was refused."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from viewing import check

from tui_agent.changes import FileChange
from tui_agent.tools.edit.view import View as EditView
from tui_agent.tools.multi_edit.view import View as MultiEditView
from tui_agent.tools.write.view import View as WriteView
from tui_agent.viewkit import diff_paint
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.tool_use import Phase, Review, ToolUse
from tui_agent.viewkit.tool_view import ToolView
from tui_agent.viewkit.view import RenderState

BASE = "/w/shop"
STATE = RenderState(DARK)
A = FileChange.between(f"{BASE}/cart/a.py", "one\ntwo\n", "one\n2\n")
B = FileChange.between(f"{BASE}/b.py", "x\n", "y\nz\n")
NEW = FileChange.between(f"{BASE}/new.py", None, "n\n")
EDITS = {
    "edits": [
        {"file_path": f"{BASE}/cart/a.py", "edits": [{"old_string": "two", "new_string": "2"}]},
        {"file_path": f"{BASE}/b.py", "edits": [{"start_line": 1, "end_line": 2, "new_string": "y\nz"}]},
    ]
}


def use(name: str, input: dict[str, Any], **known: Any) -> ToolUse:
    return ToolUse(id="u", name=name, input=input, **{"is_input_whole": True, "base": BASE, "phase": "yielded"} | known)


def streaming(name: str, text: str, **read: Any) -> ToolUse:
    return use(name, read, input_text=text, is_input_whole=False, phase="streaming")


def title(view: ToolView, tool: ToolUse, width: int = 80) -> str:
    return view.title(tool, width, STATE).text


def body(view: ToolView, tool: ToolUse, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in view.body(tool, width, STATE).lines]


def request(view: ToolView, tool: ToolUse, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in view.request(tool, width, STATE).lines]


# Write


def test_write_shows_the_last_lines_of_a_long_content_while_it_arrives() -> None:
    content = "".join(f'line {number} \\ "q"\n' for number in range(1, 2001))
    text = json.dumps({"file_path": f"{BASE}/a.txt", "content": content})[:-2] + "and m"
    tool = streaming("Write", text, file_path=f"{BASE}/a.txt", content=content[:3000])
    assert title(WriteView(), tool) == "Write a.txt · 2,001 lines"
    shown = body(WriteView(), tool)
    assert shown[0] == "… 1,985 lines before"
    assert shown[1] == '1986  line 1986 \\ "q"'
    assert shown[-1] == "2001  and m"
    assert len(shown) == 17


def test_write_shows_a_short_content_whole_while_it_arrives() -> None:
    text = '{"file_path": "/w/shop/a.py", "content": "x = 1\\ny'
    tool = streaming("Write", text, file_path=f"{BASE}/a.py", content="x = 1\ny")
    assert body(WriteView(), tool) == ["1  x = 1", "2  y"]
    assert body(WriteView(), streaming("Write", "{")) == ["no content yet"]


def test_write_opens_to_the_change_it_makes() -> None:
    tool = use("Write", {"file_path": NEW.path, "content": "n\n"}, changes=(NEW,), is_applied=True)
    assert title(WriteView(), tool) == "Write new.py · new file, +1"
    assert body(WriteView(), tool) == ["new file", "1 + n"]
    tool = use("Write", {"file_path": A.path}, changes=(A,), reviews={A.path: Review((0,), (1,))})
    assert title(WriteView(), tool) == "Write cart/a.py · +1 −1, 1 hunk refused"


def test_write_asks_with_all_that_is_written_and_nothing_hidden() -> None:
    tool = use("Write", {"file_path": NEW.path, "content": "a\u202eb\n" * 400}, phase="executing")
    shown = request(WriteView(), tool)
    assert (len(shown), shown[0], shown[-1]) == (400, "  1  a⟨RLO⟩b", "400  a⟨RLO⟩b")


# MultiEdit


def test_multi_edit_names_its_files_while_they_arrive() -> None:
    text = json.dumps(EDITS)[:-40]
    assert title(MultiEditView(), streaming("MultiEdit", text)) == "MultiEdit 2 files: a.py, b.py"
    assert body(MultiEditView(), streaming("MultiEdit", text)) == ["cart/a.py", "b.py"]
    assert title(MultiEditView(), streaming("MultiEdit", text[:60])) == "MultiEdit cart/a.py"


def test_multi_edit_shows_its_edits_before_there_is_a_change() -> None:
    shown = body(MultiEditView(), use("MultiEdit", EDITS, phase="queued"))
    assert shown == ["cart/a.py", "- two", "+ 2", "b.py", "lines 1–2 become", "+ y", "+ z"]
    assert request(MultiEditView(), use("MultiEdit", EDITS, phase="executing")) == shown
    old = {"file_path": f"{BASE}/b.py", "edits": [{"old_string": "x", "new_string": "y"}]}
    assert body(MultiEditView(), use("MultiEdit", old, phase="queued")) == ["b.py", "- x", "+ y"]


def test_multi_edit_opens_to_the_diff_of_each_file() -> None:
    tool = use("MultiEdit", EDITS, changes=(A, B, NEW), is_applied=True)
    assert title(MultiEditView(), tool) == "MultiEdit 3 files: a.py, b.py, new.py · +4 −2"
    assert body(MultiEditView(), tool) == [
        "cart/a.py  +1 −1", "1   one", "2 - two", "2 + 2", "",
        "b.py  +2 −1", "1 - x", "1 + y", "2 + z", "",
        "new.py  +1 −0", "new file", "1 + n",
    ]  # fmt: skip
    assert "two" in request(MultiEditView(), use("MultiEdit", EDITS, changes=(A, B), phase="executing"), 120)[2]


def test_multi_edit_says_which_files_were_refused() -> None:
    reviews = {A.path: Review((0,), ()), B.path: Review((), (0,))}
    tool = use("MultiEdit", EDITS, changes=(A, B), is_applied=True, reviews=reviews)
    assert title(MultiEditView(), tool) == "MultiEdit 2 files: a.py, b.py · +1 −1, 1 hunk refused"
    assert body(MultiEditView(), tool)[-1] == "b.py  refused"


def test_odd_input_is_no_reason_to_fail() -> None:
    for input in ({"edits": "x"}, {"edits": [1, {"edits": [2]}, {"file_path": 3, "edits": []}]}, {}):
        tool = use("MultiEdit", input, phase="queued")
        assert title(MultiEditView(), tool) == "MultiEdit"
        body(MultiEditView(), tool)


# Both


HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b2J\x1bc[@click=app.quit]x[/]\u202edraw\u2066\r\x00\x7f" + "👩\u200d" * 20


@pytest.mark.parametrize("view", [WriteView(), MultiEditView(), EditView()], ids=lambda view: view.__module__)
@pytest.mark.parametrize("phase", get_args(Phase))
@pytest.mark.parametrize("ending", [{}, {"is_error": True}, {"is_error": True, "is_rejected": True}])
def test_hostile_text_neither_drives_the_terminal_nor_leaves_its_room(
    view: ToolView, phase: str, ending: dict[str, Any]
) -> None:
    edit = {"old_string": HOSTILE, "new_string": HOSTILE, "start_line": 1}
    values = {"file_path": HOSTILE, "content": HOSTILE, "edits": [{"file_path": HOSTILE, "edits": [edit]}]}
    changes = tuple(FileChange.between(HOSTILE + end, f"a\n{HOSTILE}\n", f"{HOSTILE}b\n") for end in "xy")
    for known in ({}, {"changes": changes}, {"is_input_whole": False, "input_text": json.dumps(values)}):
        tool = use("X", values, phase=phase, content=HOSTILE, words=HOSTILE, **ending, **known)
        for width in (1, 7, 20, 120):
            assert view.title(tool, width, STATE).width <= width
            check(view.body(tool, width, STATE), width)
            check(view.request(tool, width, STATE), width)


def test_a_large_change_that_was_refused_is_drawn_as_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    before = "".join(f"line {number}\n" for number in range(4000))
    change = FileChange.between("f.py", before, before.replace("e", "E"))
    drawn: list[object] = []
    real = diff_paint.DiffLines._draw

    def counted(self: Any, *given: Any) -> Any:
        drawn.append(given)
        return real(self, *given)

    monkeypatch.setattr(diff_paint.DiffLines, "_draw", counted)
    for view in (EditView(), WriteView(), MultiEditView()):
        tool = use("X", {}, changes=(change,), is_error=True, is_rejected=True, words="no")
        rendered = view.body(tool, 80, STATE)
        assert len(rendered.lines) > 8000
        assert rendered.lines[0].text.rstrip() == "refused: no"
        assert all(segment.style == STATE.palette.faint for segment in rendered.lines[5000].segments)
    assert len(drawn) < 10
