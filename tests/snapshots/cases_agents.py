"""Agents and messages to them."""

from __future__ import annotations

from tool_case import Case

TASK = (
    "Find everything that rounds an amount of money in shop/. Answer with file and line, and say of each whether it rounds up, "
    "down or to even."
)
ANSWER = """\
Two places round:

- `shop/refund.py:31` rounds **to even** (`round`), cents at a time
- `shop/receipt.py:12` rounds *down* for display only

`shop/money.py` never rounds."""

PLAN = """\
1. `shop/money.py`: add `fee(amount, rate)`, which rounds half up once.
2. `shop/refund.py:31`: call it in the place of `int`.
3. `tests/test_refund.py`: a fee that is not a whole number of cents.

Risk: receipts of last month differ by a cent."""

CASES = {
    "Agent": Case(
        {"description": "find rounding", "prompt": TASK, "subagent_type": "Explore"},
        f"{ANSWER}\n\n(agent agent_1f2e3d4c; SendMessage to it continues with what it knows)",
        {
            "agentId": "agent_1f2e3d4c",
            "agentType": "Explore",
            "status": "completed",
            "content": [{"type": "text", "text": ANSWER}],
            "totalToolUseCount": 7,
            "totalTokens": 34_120,
            "totalDurationMs": 12_400,
        },
        "<tool_use_error>There is no agent type 'Explorer' here. Types: Explore, general-purpose, Plan.</tool_use_error>",
        "validation",
        {"code": "cannot_start"},
        progress={"message": "4 tool uses, 18,204 tokens, Grep"},
    ),
    "Architect": Case(
        {"prompt": "Round every amount in one place, and once.", "context": "shop/money.py has to_cents."},
        f"{PLAN}\n\n(agent agent_7a6b5c4d; SendMessage to it continues with what it knows)",
        {
            "agentId": "agent_7a6b5c4d",
            "agentType": "Architect",
            "status": "completed",
            "content": [{"type": "text", "text": PLAN}],
            "totalToolUseCount": 14,
            "totalTokens": 52_400,
            "totalDurationMs": 80_200,
        },
        "<tool_use_error>20 agents are already running, the maximum. Wait until one has ended.</tool_use_error>",
        "validation",
        {"code": "cannot_start"},
        progress={"message": "6 tool uses, 21,400 tokens, Read"},
    ),
    "SendMessage": Case(
        {"to": "agent_1f2e3d4c", "message": "Which of the two is covered by a test?"},
        "`tests/test_refund.py:22` covers the first; nothing covers the second.",
        {
            "agentId": "agent_1f2e3d4c",
            "status": "completed",
            "content": [
                {"type": "text", "text": "`tests/test_refund.py:22` covers the first; nothing covers the second."}
            ],
            "totalToolUseCount": 2,
            "totalTokens": 9_800,
            "totalDurationMs": 4_100,
        },
        "<tool_use_error>There is no agent 'seeker' that you have started. Agents: agent_1f2e3d4c.</tool_use_error>",
        "validation",
        {"code": "not_reached"},
        progress={"message": "1 tool use, 5,120 tokens, Read"},
    ),
}
