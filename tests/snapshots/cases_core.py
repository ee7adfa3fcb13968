"""The tools of the first hour: a command, an edit, a search, a file."""

from __future__ import annotations

from recording import CHANGE, EDIT, FAILED, GREP, PASSED, READ, TESTS, grep_data, numbered, read_data, shell
from recording import REFUND as REFUND_PY
from tool_case import Case

CASES = {
    "Bash": Case(
        TESTS,
        PASSED,
        shell(PASSED),
        FAILED,
        error_data=shell("", FAILED.partition("Stderr:\n")[2], 1),
        progress={
            "tail": [
                "\x1b[32mtest_discount ... ok\x1b[0m",
                "\x1b[31mtest_two_lines_round_once ... FAIL\x1b[0m",
                "test_tax ...",
            ],
            "total_lines": 5,
            "total_bytes": 190,
            "is_incomplete": True,
        },
        suggestions=("Bash(python3 -m unittest *)",),
    ),
    "Edit": Case(
        EDIT,
        "The file shop/refund.py was changed.",
        {"filePath": EDIT["file_path"]},
        "<tool_use_error>The file changed on disk since it was read. Read it again before editing it.</tool_use_error>",
        "validation",
        {"code": "changed_on_disk"},
        changes=(CHANGE,),
        suggestions=("Edit(/shop/**)",),
    ),
    "Grep": Case(
        GREP,
        "6 matches",
        grep_data(),
        "<tool_use_error>regex parse error: unclosed group\n    to_cents|int(\n                ^</tool_use_error>",
        "validation",
    ),
    "Read": Case(
        READ,
        numbered(REFUND_PY),
        read_data(),
        "<tool_use_error>File does not exist: shop/refunds.py. Did you mean shop/refund.py?</tool_use_error>",
        "validation",
        {"code": "missing"},
    ),
}
