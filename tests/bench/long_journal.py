"""A journal as a long day leaves it: messages, replies in Markdown, tool uses with all their stages and their results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tui_agent import events as ev
from tui_agent.event_json import to_json

__all__ = ["write_journal"]

_STAGES: Final = ("lookup", "validate", "pre_hooks", "permission", "call", "store", "post_hooks", "result")
_REPLY: Final = """\
I look at **step {n}** first: `round_{n}` is called from three places, and each of them rounds on its own.

- `cart/refund.py` rounds each line before the sum, which is one time too many
- `cart/total.py` rounds the sum, as the README says it should
- `cart/tax.py` cuts the tax down instead of rounding it, see [the notes](https://example.org/notes/{n})

```python
def round_{n}(amount: Decimal) -> Decimal:
    \"\"\"Return the amount in whole cents.\"\"\"
    return amount.quantize(CENT, ROUND_HALF_EVEN)
```

So each line loses up to half a cent, which is what the customer of order {n} saw. I change the first place and run them."""
_REPLY_BLOCKS: Final = 6
_TURN_BLOCKS: Final = 1 + 1 + _REPLY_BLOCKS + 2 + 1  # message, thinking, reply, two tools, end


def write_journal(path: Path, blocks: int, cwd: Path) -> None:
    """Write a journal whose conversation has about so many blocks; each turn has eleven, and about 110 lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for number, event in enumerate(_session(max(1, blocks // _TURN_BLOCKS), str(cwd)), 1):
            header = {"session_id": path.parent.name, "seq": number, "monotonic_ms": number * 20.0}
            data = to_json(event) | header | {"time": 1_780_000_000 + number / 50}
            file.write(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n")


def _session(turns: int, cwd: str) -> Iterator[ev.Event]:
    yield ev.SessionStarted(cwd=cwd, model="claude-sonnet-5-5", mode="default", version="0")
    yield ev.BranchChanged(branch="main", changed_files=2)
    for number in range(turns):
        yield from _turn(number, f"{cwd}/cart/refund.py")
    yield ev.SessionEnded(reason="exit")


def _turn(n: int, file: str) -> Iterator[ev.Event]:
    turn, reply = f"turn{n}", _REPLY.format(n=n)
    yield ev.UserMessageSent(message_id=f"m{n}", text=f"Order {n} is off by one cent. Find out why, and fix it.")
    yield ev.TurnStarted(turn_id=turn)
    yield ev.RequestSent(turn_id=turn, request_id=f"r{n}", model="claude-sonnet-5-5")
    yield ev.ResponseStarted(request_id=f"r{n}", message_id=f"a{n}")
    yield ev.ThinkingDelta(block_id=f"k{n}", text="Only sometimes: that smells of rounding twice. " * 4)
    yield ev.ThinkingFinished(block_id=f"k{n}", duration_ms=1400.0)
    for start in range(0, len(reply), 200):
        yield ev.TextDelta(block_id=f"b{n}", text=reply[start : start + 200])
    yield ev.TextFinished(block_id=f"b{n}")
    lines = [f"    line {line} of the file, rounds {n}.{line:02} down to whole cents" for line in range(50)]
    text = "\n".join(lines)
    numbered = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, 1))
    found = {"filePath": file, "content": text, "numLines": 50, "startLine": 1, "totalLines": 50}
    shell = {"stdout": text, "stderr": "", "exitCode": 0, "interrupted": False}
    read, bash = {"file_path": file}, {"command": f"pytest -q tests/test_order_{n}.py"}
    yield from _use(f"toolu_read_{n}", "Read", turn, read, numbered, {"type": "text", "file": found})
    yield from _use(f"toolu_bash_{n}", "Bash", turn, bash, text, shell)
    content: list[dict[str, Any]] = [
        {"type": "text", "text": reply},
        {"type": "tool_use", "id": f"toolu_read_{n}", "name": "Read", "input": read},
        {"type": "tool_use", "id": f"toolu_bash_{n}", "name": "Bash", "input": bash},
    ]
    yield ev.AssistantMessageCompleted(message_id=f"a{n}", content=content, stop_reason="tool_use")
    yield ev.UsageReported(
        request_id=f"r{n}", model="claude-sonnet-5-5", input_tokens=900, output_tokens=300, cost_usd=0.01,
        context_tokens=60_000, context_size=200_000,
    )  # fmt: skip
    yield ev.TurnFinished(turn_id=turn, outcome="done", duration_ms=9300.0)


def _use(
    name: str, tool: str, turn: str, input: dict[str, Any], content: str, data: dict[str, Any]
) -> Iterator[ev.Event]:
    yield ev.ToolUseStarted(tool_use_id=name, name=tool, turn_id=turn)
    yield ev.ToolUseCompleted(tool_use_id=name, name=tool, input=input)
    yield ev.ToolStateChanged(tool_use_id=name, from_state="new", to_state="queued")
    yield ev.ToolStateChanged(tool_use_id=name, from_state="queued", to_state="executing")
    for stage in _STAGES:
        yield ev.ToolStageStarted(tool_use_id=name, stage=stage)
        yield ev.ToolStageEnded(tool_use_id=name, stage=stage, outcome="ok", ms=1.2)
    yield ev.ToolResultReady(tool_use_id=name, name=tool, is_error=False, content=content, data=data, duration_ms=20.0)
    yield ev.ToolStateChanged(tool_use_id=name, from_state="executing", to_state="completed")
    yield ev.ToolStateChanged(tool_use_id=name, from_state="completed", to_state="yielded")
