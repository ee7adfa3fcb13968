"""How tool uses are drawn: the generic view and those of Read, Grep, Edit and Bash, in every phase."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from viewing import STATE, check

from tui_agent.changes import FileChange
from tui_agent.tools.bash.view import View as BashView
from tui_agent.tools.edit.view import View as EditView
from tui_agent.tools.grep.view import View as GrepView
from tui_agent.tools.read.view import View as ReadView
from tui_agent.viewkit.palette import DARK
from tui_agent.viewkit.tool_use import Phase, Review, ToolUse
from tui_agent.viewkit.tool_view import ToolView, phase_glyph
from tui_agent.viewkit.view import Rendered, RenderState

BASE = "/w/shop"
CHANGE = FileChange.between(
    f"{BASE}/cart/refund.py", "a\nreturn round(total, 2)\nb\n", "a\nreturn total.quantize(CENT)\nb\n"
)
MATCHES = [
    {"file": "cart/a.py", "line": 3, "text": "def refund(x):", "isMatch": True},
    {"file": "cart/a.py", "line": 4, "text": "    pass", "isMatch": False},
    {"file": "cart/a.py", "line": 44, "text": "\trefund(Refund)", "isMatch": True},
    {"file": "b.py", "line": 1, "text": "refund", "isMatch": True},
]
FOUND = {"mode": "content", "numFiles": 2, "numMatches": 3, "filenames": ["cart/a.py", "b.py"], "matches": MATCHES}


def use(name: str, input: dict[str, Any] | None = None, **known: Any) -> ToolUse:
    return ToolUse(id="u", name=name, input=input or {}, is_input_whole=True, base=BASE, **{"phase": "yielded"} | known)


def texts(rendered: Rendered) -> list[str]:
    return [line.text.rstrip() for line in rendered.lines]


def title(view: ToolView, tool: ToolUse, width: int = 80) -> str:
    return view.title(tool, width, STATE).text


def body(view: ToolView, tool: ToolUse, width: int = 60) -> list[str]:
    return texts(view.body(tool, width, STATE))


def request(view: ToolView, tool: ToolUse, width: int = 60) -> list[str]:
    return texts(view.request(tool, width, STATE))


# The generic view


def test_a_tool_without_a_view_shows_its_name_its_short_arguments_and_its_size() -> None:
    tool = use("mcp__git__log", {"path": "src", "count": 3, "options": {"a": 1}}, content="one\ntwo")
    assert title(ToolView(), tool) == "git:log path: src count: 3 · 2 lines"
    assert body(ToolView(), tool) == ["one", "two"]


def test_a_tool_without_a_view_asks_with_its_whole_input() -> None:
    values = {"to": "a\u202eb", "text": "one\n\ntwo", "labels": ["x"], "draft": False, "cc": "", "after": None}
    tool = use("Send", values, phase="executing", waiting_since_ms=1.0)
    assert request(ToolView(), tool) == [
        "to      a⟨RLO⟩b",
        "text    one",
        "",
        "        two",
        'labels  ["x"]',
        "draft   false",
        'cc      ""',
        "after   null",
    ]
    assert request(ToolView(), use("Send", {}, phase="executing", waiting_since_ms=1.0)) == ["without arguments"]


def test_a_value_of_several_lines_cannot_look_like_another_argument() -> None:
    tool = use("Send", {"to": "x", "text": "hello\nto  y"}, phase="executing", waiting_since_ms=1.0)
    assert request(ToolView(), tool) == ["to    x", "text  hello", "      to  y"]


def test_a_title_never_outgrows_its_width_and_keeps_the_name() -> None:
    tool = use("Search", {"query": "x" * 200}, content="a")
    for width in range(1, 60):
        assert ToolView().title(tool, width, STATE).width <= width
    assert title(ToolView(), tool, 40).startswith("Search query: xxx")
    assert title(ToolView(), tool, 40).endswith("… · 1 line")


def test_progress_shows_the_message_the_tail_and_how_much_came_before() -> None:
    tool = use("Fetch", phase="executing", progress={"message": "reading", "tail": ["b", "c"], "total_lines": 3})
    assert body(ToolView(), tool) == ["reading", "… 1 line before", "b", "c"]


def test_an_error_shows_its_first_line_as_an_error_and_the_rest_below() -> None:
    tool = use("Fetch", content="<tool_use_error>No such host\ndetails</tool_use_error>", is_error=True)
    rendered = ToolView().body(tool, 60, STATE)
    assert texts(rendered) == ["No such host", "details"]
    assert rendered.lines[0].segments[0].style == DARK.error
    assert rendered.lines[1].segments[0].style != DARK.error
    assert title(ToolView(), tool) == "Fetch · No such host"


STOPPED = "The user stopped this one tool use. It was not finished: it may have run in part, or not at all."


@pytest.mark.parametrize(
    ("reason", "kind", "words"),
    [
        ("stopped", "aborted", "stopped by you"),
        ("interrupted", "aborted", "interrupted by you"),
        (None, "interrupted", "interrupted by you"),
        ("sibling_error", "aborted", "cancelled: another tool failed"),
        ("declined", "aborted", "cancelled: you refused another tool"),
        ("closed", "aborted", "cancelled: the turn ended"),
    ],
)
def test_who_stopped_a_tool_use_is_said_once_in_words_for_people(reason: str | None, kind: str, words: str) -> None:
    for view, printed in ((ToolView(), "half"), (BashView(), "What it had printed until then:\nhalf")):
        for output, shown in ((f"\n{printed}", "half"), ("", "It may have run in part.")):
            tool = use("Fetch", content=f"<tool_use_error>{STOPPED}{output}</tool_use_error>", is_error=True)
            tool.error_kind, tool.data = kind, {"reason": reason} if reason else None
            line = view.title(tool, 200, STATE)
            assert line.text == f"Fetch · {words}"
            assert line.segments[-1].style == DARK.warning
            rendered = view.body(tool, 60, STATE)
            assert texts(rendered) == [shown]
            assert all(segment.style != DARK.error for line in rendered.lines for segment in line.segments)


def test_where_nothing_says_who_stopped_a_tool_use_its_text_does() -> None:
    text = "<tool_use_error>The program was stopped while this ran.</tool_use_error>"
    for view in (ToolView(), BashView()):
        tool = use("Fetch", content=text, is_error=True, error_kind="aborted")
        assert title(view, tool) == "Fetch · The program was stopped while this ran."
        rendered = view.body(tool, 60, STATE)
        assert texts(rendered) == ["The program was stopped while this ran."]
        assert rendered.lines[0].segments[0].style == DARK.warning


def test_a_command_that_was_stopped_before_it_printed_anything_says_so() -> None:
    text = f"<tool_use_error>{STOPPED}\nIt had printed nothing until then.</tool_use_error>"
    tool = bash(content=text, is_error=True, error_kind="aborted", data={"reason": "stopped", "interrupted": True})
    assert body(BashView(), tool) == ["It may have run in part."]


def test_a_rejection_shows_the_words_and_what_was_meant() -> None:
    tool = use("Send", {"to": "x"}, is_error=True, is_rejected=True, words="not\nnow")
    rendered = ToolView().body(tool, 60, STATE)
    assert texts(rendered)[:3] == ["refused: not", "now", "to  x"]
    assert rendered.lines[2].segments[0].style == DARK.faint
    assert title(ToolView(), tool) == "Send to: x · refused: not now"


@pytest.mark.parametrize(
    ("by", "content", "why"),
    [
        ("rule", "Permission to use Send here was denied: `Send(x)` denies `x`", "refused: `Send(x)` denies `x`"),
        ("hook", "A hook refused this call: not on Fridays", "refused: by a hook: not on Fridays"),
        ("hook", "A hook refused this call.", "refused: by a hook"),
        ("person", "The user refused this tool use.", "refused"),
    ],
)
def test_a_refusal_says_what_forbids_it(by: str, content: str, why: str) -> None:
    tool = use("Send", content=f"<tool_use_error>{content}</tool_use_error>", is_error=True, is_rejected=True)
    tool.data = {"by": by}
    assert texts(ToolView().body(tool, 60, STATE))[0] == why
    assert title(ToolView(), tool) == f"Send · {why}"


@pytest.mark.parametrize(
    ("known", "word"),
    [
        ({"phase": "streaming"}, "arriving"),
        ({"phase": "queued"}, "queued"),
        ({"phase": "executing"}, "running"),
        ({"phase": "executing", "waiting_since_ms": 5.0}, "waits for you"),
        ({"phase": "completed"}, "done, held for order"),
        ({"phase": "yielded"}, "done"),
        ({"phase": "yielded", "is_error": True}, "failed"),
        ({"phase": "yielded", "is_error": True, "is_rejected": True}, "refused"),
        ({"phase": "yielded", "is_error": True, "error_kind": "aborted"}, "stopped"),
        ({"phase": "dropped"}, "dropped"),
    ],
)
def test_how_a_use_stands_is_said_by_glyph_and_word(known: dict[str, Any], word: str) -> None:
    glyph, said, style = phase_glyph(use("X", **known))
    assert said == word
    assert len(glyph) == 1
    assert hasattr(DARK, style)
    assert phase_glyph(use("X", **known), is_ascii=True)[0].isascii()


# Read


def page(content: str = "def f():\n\treturn 1", start: int = 10, total: int = 40) -> dict[str, Any]:
    lines = content.count("\n") + 1
    return {"file": {"content": content, "numLines": lines, "startLine": start, "totalLines": total}}


def test_read_names_the_file_the_range_and_how_much_was_read() -> None:
    tool = use("Read", {"file_path": f"{BASE}/cart/refund.py", "offset": 10, "limit": 2}, data=page())
    assert title(ReadView(), tool) == "Read cart/refund.py:10–11 · 2 lines of 40"
    assert body(ReadView(), tool) == ["10  def f():", "11      return 1"]
    assert request(ReadView(), tool) == ["file   cart/refund.py", "lines  10–11"]


def test_read_colours_the_lines_by_the_files_language() -> None:
    tool = use("Read", {"file_path": "/x/a.py"}, data=page())
    styles = {s.text: s.style for line in ReadView().body(tool, 60, STATE).lines for s in line.segments}
    assert styles["def"] == DARK.token("k")


def test_read_finds_the_lines_in_the_text_where_there_is_no_data() -> None:
    tool = use("Read", {"file_path": "/x/a.txt"}, content="3\tone\n4\ttwo")
    assert body(ReadView(), tool) == ["3  one", "4  two"]


def test_a_long_path_loses_its_beginning() -> None:
    tool = use("Read", {"file_path": f"{BASE}/packages/core/source/deep/refund.py"}, data=page())
    assert title(ReadView(), tool, 44) == "Read …/source/deep/refund.py · 2 lines of 40"


# Grep


def test_grep_names_the_search_and_what_it_found() -> None:
    tool = use("Grep", {"pattern": "refund", "path": "cart/", "glob": "*.py"}, data=FOUND)
    assert title(GrepView(), tool) == 'Grep "refund" in cart/ glob *.py · 3 matches in 2 files'
    assert request(GrepView(), tool) == ["search for  refund", "in          cart/", "only files  *.py"]
    tool = use("Grep", {"pattern": "x", "path": "/etc", "output_mode": "content", "-i": True})
    assert request(GrepView(), tool) == [
        "search for   x",
        "in           /etc",
        "show         the lines",
        "ignore case  yes",
    ]


def test_grep_groups_lines_by_file_and_marks_the_match() -> None:
    tool = use("Grep", {"pattern": "refund", "-i": True}, data=FOUND | {"moreEntries": 4})
    assert body(GrepView(), tool) == [
        "cart/a.py",
        "     3  def refund(x):",
        "     4      pass",
        "     ⋯",
        "    44      refund(Refund)",
        "",
        "b.py",
        "     1  refund",
        "… and 4 more",
    ]
    lines = GrepView().body(tool, 60, STATE).lines
    assert [s.text for line in lines for s in line.segments if s.style == DARK.match] == [
        "refund",
        "refund",
        "Refund",
        "refund",
    ]


def test_grep_lists_files_and_counts() -> None:
    files = {"mode": "files_with_matches", "numFiles": 2, "numMatches": 2, "filenames": ["a.py", "b.py"]}
    tool = use("Grep", {"pattern": "x"}, data=files)
    assert title(GrepView(), tool) == 'Grep "x" · 2 files'
    assert body(GrepView(), tool) == ["a.py", "b.py"]
    counted = use("Grep", {"pattern": "x"}, data=files | {"mode": "count", "counts": {"a.py": 1, "b.py": 7}})
    assert body(GrepView(), counted) == ["a.py  1 line", "b.py  7 lines"]


def test_grep_says_when_it_found_nothing() -> None:
    none = use("Grep", {"pattern": "x"}, data={"mode": "content", "numFiles": 0, "numMatches": 0, "matches": []})
    assert title(GrepView(), none) == 'Grep "x" · no matches'
    assert body(GrepView(), none) == ["no matches"]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(.*)*x", ".*.*.*y", "[", "a{1000000000000}", "\\p{Greek}"])
def test_a_pattern_that_could_hold_up_the_screen_is_not_matched_again(pattern: str) -> None:
    line = {"file": "a", "line": 1, "text": "a" * 400, "isMatch": True}
    tool = use("Grep", {"pattern": pattern}, data=FOUND | {"matches": [line]})
    segments = [s for found in GrepView().body(tool, 500, STATE).lines for s in found.segments]
    assert not [segment for segment in segments if segment.style == DARK.match]


# Edit


def edit(**known: Any) -> ToolUse:
    return use("Edit", {"file_path": f"{BASE}/cart/refund.py", "old_string": "x", "new_string": "y"}, **known)


def test_edit_counts_lines_and_opens_to_the_diff() -> None:
    tool = edit(changes=(CHANGE,), is_applied=True)
    assert title(EditView(), tool) == "Edit cart/refund.py · +1 −1"
    assert body(EditView(), tool) == [
        "1   a",
        "2 - return round(total, 2)",
        "2 + return total.quantize(CENT)",
        "3   b",
    ]


def test_edit_says_how_many_hunks_were_refused() -> None:
    tool = edit(changes=(CHANGE,), reviews={CHANGE.path: Review((0,), (1, 2))})
    assert title(EditView(), tool) == "Edit cart/refund.py · +1 −1, 2 hunks refused"


def test_edit_asks_with_the_diff_side_by_side_where_there_is_room() -> None:
    tool = edit(changes=(CHANGE,), phase="executing", waiting_since_ms=1.0)
    assert title(EditView(), tool) == "Edit cart/refund.py · +1 −1"
    assert request(EditView(), tool, 60)[1] == "2 - return round(total, 2)"
    assert "round(total, 2)" in request(EditView(), tool, 120)[1]
    assert "quantize" in request(EditView(), tool, 120)[1]


def test_edit_shows_its_texts_while_they_stream_in() -> None:
    text = '{"file_path": "/w/shop/cart/refund.py", "old_string": "one\\ntwo", "new_string": "thr'
    tool = ToolUse(id="u", name="Edit", input_text=text, base=BASE)
    assert title(EditView(), tool) == "Edit cart/refund.py"
    assert body(EditView(), tool) == ["- one", "- two", "+ thr"]


def test_a_refused_edit_steps_back_below_the_words() -> None:
    tool = edit(changes=(CHANGE,), is_error=True, is_rejected=True, words="use Decimal")
    rendered = EditView().body(tool, 60, STATE)
    assert texts(rendered)[0] == "refused: use Decimal"
    assert "- return round(total, 2)" in texts(rendered)[2]
    assert all(s.style == DARK.faint for line in rendered.lines[1:] for s in line.segments)


def test_a_failed_edit_says_why() -> None:
    tool = edit(content="<tool_use_error>/w/shop/cart/refund.py has changed.</tool_use_error>", is_error=True)
    assert body(EditView(), tool) == ["cart/refund.py has changed."]


# Bash


def bash(command: str = "pytest -q", **known: Any) -> ToolUse:
    return use("Bash", {"command": command, "description": "Run the tests", "timeout": 5000}, **known)


def test_bash_says_how_it_ended_and_how_long_it_took() -> None:
    ended = {"exitCode": 0, "stdout": "ok", "stderr": "", "interrupted": False}
    assert title(BashView(), bash(data=ended, content="ok", run_ms=3210)) == "Bash pytest -q · 3.2s"
    failed = bash(data=ended | {"exitCode": 1}, content="Exit code 1\nStdout:\nok", is_error=True, run_ms=65_000)
    assert title(BashView(), failed) == "Bash pytest -q · exit 1 · 1m 05s"
    stopped = bash(
        data=ended | {"exitCode": None, "interrupted": True}, content="Command timed out after 5s\nok", is_error=True
    )
    assert title(BashView(), stopped) == "Bash pytest -q · Command timed out after 5s"


def test_bash_keeps_the_programs_colours() -> None:
    tool = bash(
        data={"exitCode": 1, "stdout": "..\x1b[31mF\x1b[0m", "stderr": "bad"}, content="Exit code 1", is_error=True
    )
    rendered = BashView().body(tool, 60, STATE)
    assert texts(rendered) == ["Exit code 1", "..F", "bad"]
    styles = {segment.text: segment.style for line in rendered.lines for segment in line.segments}
    assert styles["F"] is not None
    assert styles["F"].color is not None
    assert styles["F"].color.number == 1


def test_bash_shows_its_tail_while_it_runs() -> None:
    tool = bash(phase="executing", progress={"tail": ["a", "10%\r20%"], "total_lines": 12})
    assert body(BashView(), tool) == ["… 10 lines before", "a", "20%"]


def test_bash_without_output_says_so() -> None:
    assert body(BashView(), bash(data={"exitCode": 0, "stdout": "", "stderr": ""}, content="")) == ["no output"]


def test_bash_asks_with_the_command_as_it_is() -> None:
    tool = bash("rm -rf x\u202ey\n  echo \t'done'\r", phase="executing", waiting_since_ms=1.0)
    assert request(BashView(), tool, 90) == [
        "This command holds characters that do not show; here they are spelled out.",
        "",
        "rm -rf x⟨RLO⟩y",
        "  echo ⇥'done'⟨CR⟩",
        "Run the tests · in /w/shop · stops after 5s",
    ]


@pytest.mark.parametrize(
    ("timeout", "in_front", "behind"),
    [
        (None, "", " · in the background, until it ends or is stopped"),
        (600_000, " · stops after 10m", " · in the background, for at most 10m"),
        (90_000, " · stops after 1m 30s", " · in the background, for at most 1m 30s"),
        (5500, " · stops after 5.5s", " · in the background, for at most 5.5s"),
        (7_200_000, " · stops after 2h", " · in the background, for at most 2h"),
    ],
)
def test_bash_asks_with_the_longest_it_may_run(timeout: int | None, in_front: str, behind: str) -> None:
    for is_job, words in ((False, in_front), (True, behind)):
        values = {"command": "make", "timeout": timeout, "run_in_background": is_job}
        tool = use("Bash", values, phase="executing", waiting_since_ms=1.0)
        assert request(BashView(), tool, 120)[-1] == f"in /w/shop{words}"


def test_a_command_of_several_lines_stands_above_its_output() -> None:
    tool = bash("cd x\nls", data={"exitCode": 0, "stdout": "a"}, content="a")
    assert title(BashView(), tool).startswith("Bash cd x ⏎ ls")
    assert body(BashView(), tool) == ["cd x", "ls", "", "a"]


# All of them

HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b2J\x1bc[@click=app.quit]x[/]\u202edraw\u2066\r\x00\x7f" + "👩\u200d" * 20


@pytest.mark.parametrize(
    "view", [ToolView(), ReadView(), GrepView(), EditView(), BashView()], ids=lambda v: v.__module__
)
@pytest.mark.parametrize("phase", get_args(Phase))
@pytest.mark.parametrize("ending", [{}, {"is_error": True}, {"is_error": True, "is_rejected": True}])
def test_hostile_text_anywhere_neither_drives_the_terminal_nor_leaves_its_room(
    view: ToolView, phase: str, ending: dict[str, Any]
) -> None:
    data = {
        "file": {"content": HOSTILE, "numLines": 1, "startLine": 1, "totalLines": 2},
        "matches": [{"file": HOSTILE, "line": 1, "text": HOSTILE, "isMatch": True}],
        "filenames": [HOSTILE],
        "stdout": HOSTILE,
        "stderr": HOSTILE,
        "exitCode": 0,
    }
    values = dict.fromkeys(("file_path", "command", "description", "pattern", "path", "old_string", HOSTILE), HOSTILE)
    change = FileChange.between(HOSTILE, f"a\n{HOSTILE}\n", f"{HOSTILE}b\n")
    for known in ({}, {"changes": (change,)}):
        tool = use(
            HOSTILE, values, phase=phase, content=HOSTILE, data=data, words=HOSTILE,
            progress={"message": HOSTILE, "tail": [HOSTILE]}, **ending, **known,
        )  # fmt: skip
        for width in (1, 7, 20, 120):
            line = view.title(tool, width, STATE)
            assert line.width <= width
            for rendered in (view.body(tool, width, STATE), view.request(tool, width, STATE)):
                assert all(shown.width <= width for shown in rendered.lines)
                if width >= 20:
                    check(rendered, width)
            assert not [c for c in line.text if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066"]


@pytest.mark.parametrize(
    "view", [ToolView(), ReadView(), GrepView(), EditView(), BashView()], ids=lambda v: v.__module__
)
def test_missing_and_misshapen_data_is_drawn_as_well_as_it_can_be(view: ToolView) -> None:
    for data in (None, {}, {"file": 3}, {"matches": [1, None]}, {"filenames": None}, {"exitCode": "x"}):
        for values in ({}, {"file_path": 3, "command": None, "pattern": ["x"]}):
            tool = use("X", values, data=data, content="text")
            for shown in (view.body(tool, 40, STATE), view.request(tool, 40, STATE)):
                check(shown, 40)
            assert title(view, tool)


def test_an_ascii_terminal_gets_ascii_states() -> None:
    state = RenderState(DARK, is_ascii=True)
    assert ToolView().title(use("X"), 40, state).text.startswith("X")
