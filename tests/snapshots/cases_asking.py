"""The tools that keep a plan and those that ask the user."""

from __future__ import annotations

from typing import Any

from tool_case import Case

TODOS = [
    {"content": "Find every place that rounds", "status": "completed", "activeForm": "Finding every place that rounds"},
    {"content": "Round once, when it is paid", "status": "in_progress", "activeForm": "Rounding once, when it is paid"},
    {"content": "Run the tests", "status": "pending", "activeForm": "Running the tests"},
    {
        "content": "Say in the change log what was wrong, since when, and which refunds are off by a cent",
        "status": "pending",
        "activeForm": "Writing the change log",
    },
]


def task(number: int, subject: str, status: str = "pending", **more: Any) -> dict[str, Any]:
    known = {"activeForm": "", "description": "", "owner": "", "blocks": [], "blockedBy": [], "metadata": {}}
    return {"id": str(number), "subject": subject, "status": status, **known, **more}


TESTS = task(
    3,
    "Run the tests",
    description="All of them, not only those of refunds.\nThe slow ones too.",
    activeForm="Running the tests",
    blockedBy=["2"],
    blocks=["4"],
)
TASKS = [
    task(1, "Find every place that rounds", "completed", blocks=["2"]),
    task(2, "Round once", "in_progress", activeForm="Rounding once, when it is paid", owner="refunds", blockedBy=["1"]),
    TESTS,
    task(4, "Write the change log", blockedBy=["3"]),
]
QUESTIONS: list[dict[str, Any]] = [
    {
        "question": "When should a refund be rounded?",
        "header": "Rounding",
        "multiSelect": False,
        "options": [
            {"label": "When it is paid (recommended)", "description": "Once, so that nothing gets lost on the way"},
            {"label": "For each line", "description": "As the invoices do it"},
        ],
    },
    {
        "question": "What should the change log say?",
        "header": "Change log",
        "multiSelect": True,
        "options": [
            {"label": "Since when", "description": ""},
            {"label": "Which refunds", "description": "Takes a query over last year's orders"},
        ],
    },
]
ANSWERS = {
    "When should a refund be rounded?": "When it is paid (recommended)",
    "What should the change log say?": ["Since when", "that support has to be told"],
}
ANSWERED = """\
The user answered:

When should a refund be rounded?
→ When it is paid (recommended)

What should the change log say?
→ Since when; in their own words: that support has to be told"""
NO_TASK = "<tool_use_error>There is no task '7'. There are 1, 2, 3, 4.</tool_use_error>"

CASES = {
    "AskUserQuestion": Case(
        {"questions": QUESTIONS},
        ANSWERED,
        {"questions": QUESTIONS, "answers": ANSWERS, "declined": False, "words": ""},
        "<tool_use_error>Permission to use AskUserQuestion here was denied: it needs to ask, and nobody can be asked"
        "</tool_use_error>",
        "denied",
    ),
    "StickerRequest": Case(
        {},
        "The user filled in the form.",
        {"isFilled": True, "file": "/home/dev/.local/state/tui-agent/sticker-requests/2026-11-22-1.json"},
        "<tool_use_error>The request could not be kept: No space left on device. Nothing was sent either.</tool_use_error>",
    ),
    "TaskCreate": Case(
        {"subject": "Run the tests", "description": TESTS["description"], "activeForm": "Running the tests"},
        "Task 3 is on the list: Run the tests",
        {"task": TESTS | {"blockedBy": [], "blocks": []}},
        "<tool_use_error>The subject says nothing.</tool_use_error>",
        "validation",
        {"code": "blank"},
    ),
    "TaskGet": Case(
        {"taskId": "3"}, "Task 3: Run the tests", {"task": TESTS}, NO_TASK, "validation", {"code": "missing"}
    ),
    "TaskList": Case(
        {}, "[x] 1. Find every place that rounds", {"tasks": TASKS}, "<tool_use_error>interrupted</tool_use_error>"
    ),
    "TaskUpdate": Case(
        {"taskId": "3", "status": "completed", "addBlocks": ["4"]},
        "Task 3 is changed (status): Run the tests [completed]",
        {
            "taskId": "3",
            "updatedFields": ["status"],
            "statusChange": {"from": "in_progress", "to": "completed"},
            "task": TESTS | {"status": "completed"},
            "subject": "Run the tests",
        },
        "<tool_use_error>Task 3 cannot wait for task 4: that would go round in a circle (4 waits for 3).</tool_use_error>",
        "validation",
        {"code": "circle"},
    ),
    "TodoWrite": Case(
        {"todos": TODOS},
        "The list is kept: 1 of 4 completed.",
        {"oldTodos": [], "newTodos": TODOS},
        "<tool_use_error>Step 2 says nothing: give it a content and an activeForm.</tool_use_error>",
        "validation",
        {"code": "blank"},
    ),
}
