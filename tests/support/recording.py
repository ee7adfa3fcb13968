"""Event logs made by hand, on a clock of their own: what a real session publishes, in the order it publishes it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui_agent import events as ev
from tui_agent.changes import FileChange
from tui_agent.event_json import from_json, to_json
from tui_agent.events import Event

__all__ = ["FIXED", "REFUND", "SHOP", "Recording", "fix_a_bug"]

SHOP = "/home/dev/src/shop"
_PROJECT = Path(__file__).parents[2] / "tui_agent/model/demo/projects/shop"
REFUND = (_PROJECT / "shop/refund.py").read_text(encoding="utf-8")
FIXED = (
    REFUND.replace("    return to_cents(paid * (1 - order.discount))\n", "    return paid * (1 - order.discount)\n")
    .replace(
        "    fee = int(amount * RESTOCKING_RATE * 100)\n    return Decimal(fee) / 100\n",
        "    return amount * RESTOCKING_RATE\n",
    )
    .replace(
        "    tax = to_cents(net * TAX_RATE)\n    return to_cents(net) + tax\n",
        "    return to_cents(net * (1 + TAX_RATE))\n",
    )
)


class Recording:
    """Collects events. `now` is milliseconds on the recorded clock; `wait` moves it on."""

    def __init__(self, *, cwd: str = SHOP) -> None:
        self.events: list[Event] = []
        self.now = 1000.0
        self.say(ev.SessionStarted(cwd=cwd, model="claude-sonnet-5-5", mode="default", version="0"))
        self.say(ev.BranchChanged(branch="main", changed_files=2))

    def say(self, *events: Event) -> None:
        for event in events:
            stamped = replace(
                event,
                session_id="recorded",
                seq=len(self.events) + 1,
                time=1_780_000_000 + self.now / 1000,
                monotonic_ms=self.now,
            )
            # What a journal holds, and no more: a change has lost its texts, tuples were lists.
            self.events.append(from_json(json.loads(json.dumps(to_json(stamped)))))

    def wait(self, milliseconds: float) -> None:
        self.now += milliseconds

    # --- the turn ----------------------------------------------------------------------------------------------------

    def begin(self, text: str, turn: str = "t1") -> None:
        self.say(ev.UserMessageSent(message_id=f"m-{turn}", text=text), ev.TurnStarted(turn_id=turn))

    def reply(self, message: str = "a1") -> None:
        self.say(ev.RequestSent(turn_id="t1", request_id=f"r-{message}", model="claude-sonnet-5-5"))
        self.wait(600)
        self.say(ev.ResponseStarted(request_id=f"r-{message}", message_id=message))

    def think(self, block: str, text: str, milliseconds: float = 1400) -> None:
        self.say(ev.ThinkingDelta(block_id=block, text=text))
        self.wait(milliseconds)
        self.say(ev.ThinkingFinished(block_id=block, duration_ms=milliseconds))

    def write(self, block: str, text: str, milliseconds: float = 500) -> None:
        self.say(ev.TextDelta(block_id=block, text=text))
        self.wait(milliseconds)
        self.say(ev.TextFinished(block_id=block))

    def end_reply(
        self, message: str = "a1", *, stop: str = "tool_use", context: int = 18_400, cost: float = 0.021
    ) -> None:
        self.say(
            ev.AssistantMessageCompleted(message_id=message, content=[], stop_reason=stop),
            ev.UsageReported(
                request_id=f"r-{message}",
                model="claude-sonnet-5-5",
                input_tokens=1200,
                output_tokens=300,
                cost_usd=cost,
                context_tokens=context,
                context_size=200_000,
            ),
        )

    def finish(self, outcome: Any = "done", turn: str = "t1") -> None:
        self.say(ev.TurnFinished(turn_id=turn, outcome=outcome, duration_ms=self.now - 1000))

    # --- a tool use --------------------------------------------------------------------------------------------------

    def use(self, tool: str, name: str, input: dict[str, Any], *, arriving_ms: float = 200) -> None:
        """The block of a tool use streams in, and the executor takes it."""
        self.say(ev.ToolUseStarted(tool_use_id=tool, name=name, turn_id="t1"))
        self.wait(arriving_ms)
        self.say(
            ev.ToolUseCompleted(tool_use_id=tool, name=name, input=input),
            ev.ToolStateChanged(tool_use_id=tool, from_state="new", to_state="queued"),
        )

    def execute(self, tool: str) -> None:
        self.say(
            ev.ToolStateChanged(tool_use_id=tool, from_state="queued", to_state="executing"),
            ev.ToolStageStarted(tool_use_id=tool, stage="call"),
        )

    def progress(self, tool: str, **data: Any) -> None:
        self.say(ev.ToolProgressed(tool_use_id=tool, data=data))

    def result(
        self,
        tool: str,
        name: str,
        content: str,
        data: dict[str, Any] | None = None,
        *,
        error: str | None = None,
        ms: float = 20,
        is_held: bool = False,
    ) -> None:
        self.say(
            ev.ToolResultReady(
                tool_use_id=tool,
                name=name,
                is_error=error is not None,
                content=content,
                error_kind=error,
                data=data,
                duration_ms=ms,
            ),
            ev.ToolStateChanged(tool_use_id=tool, from_state="executing", to_state="completed"),
        )
        if not is_held:
            self.hand_over(tool)

    def hand_over(self, tool: str) -> None:
        self.say(ev.ToolStateChanged(tool_use_id=tool, from_state="completed", to_state="yielded"))

    def ask(self, tool: str, name: str, input: dict[str, Any], **fields: Any) -> None:
        values: dict[str, Any] = {"by": "default", "reason": "no rule allows it"}
        self.say(
            ev.PermissionRequested(
                request_id=f"q-{tool}", tool_use_id=tool, name=name, input=input, **(values | fields)
            )
        )

    def settle(self, tool: str, behavior: Any = "allow", message: str | None = None) -> None:
        self.say(
            ev.PermissionResolved(
                request_id=f"q-{tool}", tool_use_id=tool, behavior=behavior, by="person", message=message
            )
        )

    def propose(self, tool: str, change: FileChange) -> None:
        self.say(ev.EditProposed(tool_use_id=tool, change=change))

    def apply(self, tool: str, change: FileChange) -> None:
        self.say(ev.EditApplied(tool_use_id=tool, change=change))


GREP = {"pattern": "to_cents|int\\(|round\\(", "path": f"{SHOP}/shop", "output_mode": "content"}
READ = {"file_path": f"{SHOP}/shop/refund.py"}
TESTS = {"command": "python3 -m unittest -q", "description": "Run the project's tests"}
DIFF = {"command": "git diff --stat", "description": "Show what changed"}
CHANGE = FileChange.between(f"{SHOP}/shop/refund.py", REFUND, FIXED, before_hash="0" * 64)
EDIT = {"file_path": f"{SHOP}/shop/refund.py", "old_string": REFUND[900:], "new_string": FIXED[900:]}

OPENING = """\
One cent off *sometimes* usually means that something is rounded **more than once**.
I look for every place that rounds, and read the refunds."""
RUNNING = {
    "tail": ["test_discount (tests.test_cart) ... ok", "test_two_lines_round_once ..."],
    "total_lines": 4,
    "total_bytes": 190,
    "is_incomplete": True,
}
FAILED = """\
Exit code 1

Stderr:
F......
======================================================================
FAIL: test_two_lines_round_once (tests.test_refund.RefundTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "tests/test_refund.py", line 31, in test_two_lines_round_once
    self.assertEqual(refund_total(order, items), Decimal("21.41"))
AssertionError: Decimal('21.42') != Decimal('21.41')

----------------------------------------------------------------------
Ran 7 tests in 0.004s

FAILED (failures=1)"""
PASSED = "\n----------------------------------------------------------------------\nRan 7 tests in 0.003s\n\nOK"


def found(file: str, line: int, text: str) -> dict[str, Any]:
    return {"file": file, "line": line, "text": text, "isMatch": True}


FINDINGS = [
    found("shop/money.py", 10, "def to_cents(amount: Decimal) -> Decimal:"),
    found("shop/money.py", 17, '    return f"{to_cents(amount):,}"'),
    found("shop/refund.py", 29, "    return to_cents(paid * (1 - order.discount))"),
    found("shop/refund.py", 36, "    fee = int(amount * RESTOCKING_RATE * 100)"),
    found("shop/refund.py", 46, "    tax = to_cents(net * TAX_RATE)"),
    found("shop/refund.py", 47, "    return to_cents(net) + tax"),
]


def shell(stdout: str = "", stderr: str = "", code: int = 0) -> dict[str, Any]:
    return {"stdout": stdout, "stderr": stderr, "exitCode": code, "interrupted": False}


def grep_data() -> dict[str, Any]:
    return {"mode": "content", "numFiles": 2, "numMatches": 6, "matches": FINDINGS, "filenames": []}


def read_data() -> dict[str, Any]:
    lines = REFUND.rstrip("\n").split("\n")
    file = {
        "filePath": READ["file_path"],
        "content": "\n".join(lines),
        "numLines": len(lines),
        "startLine": 1,
        "totalLines": len(lines),
    }
    return {"type": "text", "file": file}


def numbered(text: str) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(text.rstrip("\n").split("\n"), 1))


def fix_a_bug(*, until: str = "end") -> Recording:
    """Return the main job as a recording, cut off where `until` says: `asked`, `tests`, `review`, `retest` or `end`."""
    log = Recording()
    log.begin("Refunds are sometimes one cent off. Find out why and fix it.")
    log.reply("a1")
    log.think("b1", "One cent off, and only sometimes: that smells of rounding in more than one place.")
    log.write(
        "b2",
        OPENING,
    )
    log.use("u1", "Grep", GREP)
    log.execute("u1")
    log.use("u2", "Read", READ)
    log.execute("u2")
    log.wait(90)
    log.result("u2", "Read", numbered(REFUND), read_data(), ms=70, is_held=True)
    log.wait(120)
    log.result("u1", "Grep", "6 matches", grep_data(), ms=410)
    log.hand_over("u2")
    log.use("u3", "Bash", TESTS, arriving_ms=300)
    log.execute("u3")
    log.ask("u3", "Bash", TESTS, offers=(("Bash(python3 -m unittest *)",),))
    if until == "asked":
        return log
    log.wait(400)
    log.end_reply("a1")
    log.wait(1500)
    log.settle("u3")
    log.progress(
        "u3",
        **RUNNING,
    )
    log.wait(3200)
    if until == "tests":
        log.use("u4", "Bash", DIFF)
        return log
    log.result("u3", "Bash", FAILED, shell("", FAILED.partition("Stderr:\n")[2], 1), error="execution", ms=3200)
    log.reply("a2")
    log.write("b3", REPORT)
    log.use("u5", "Edit", EDIT, arriving_ms=900)
    log.execute("u5")
    log.propose("u5", CHANGE)
    log.ask(
        "u5",
        "Edit",
        EDIT,
        has_proposal=True,
        offers=(("Edit(/shop/**)",),),
        by="mode",
        reason="edits ask in this mode",
    )
    log.end_reply("a2", context=21_900, cost=0.034)
    log.wait(2600)
    if until == "review":
        return log
    log.settle("u5")
    log.say(ev.EditReviewed(tool_use_id="u5", accepted=(0, 1, 2), refused=()))
    log.apply("u5", CHANGE)
    log.result("u5", "Edit", "The file was changed.", {"filePath": EDIT["file_path"]}, ms=6)
    log.reply("a3")
    log.use("u6", "Bash", TESTS)
    log.execute("u6")
    log.end_reply("a3", context=23_000, cost=0.012)
    log.progress("u6", tail=["Ran 7 tests in 0.003s"], total_lines=2, total_bytes=90, is_incomplete=False)
    log.wait(1800)
    if until == "retest":
        return log
    log.result("u6", "Bash", PASSED, shell("", PASSED), ms=1800)
    log.reply("a4")
    log.write("b4", "Fixed: a refund is now rounded **once**, when it is paid. All 7 tests pass.")
    log.end_reply("a4", stop="end_turn", context=23_400, cost=0.004)
    log.finish()
    return log


REPORT = """\
The tests show it: `21.42` instead of `21.41`. Money is rounded in **three** places on its way:

| where | what it does |
|---|---|
| `line_refund` | rounds each line |
| `restocking_fee` | cuts the fee down |
| `refund_total` | rounds net and tax apart |

It should be exact until it is paid:

```python
return to_cents(net * (1 + TAX_RATE))
```
"""
