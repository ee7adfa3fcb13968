"""Plan mode: into it, and out of it with a plan."""

from __future__ import annotations

from tool_case import Case

_FILE = "/home/dev/.local/state/tui-agent/plans/2026-11-22-7f3a.md"
_PLAN = """\
# Refunds to the cent

The sum is off where two of three places round down. **One** place shall round.

1. `cart/refund.py`: keep fractions in `refund` and `fee`, round the total once, half to even.
2. `cart/tax.py`: return the unrounded tax; its two callers already round.
3. Tests: the three orders from the report, and a property test over random carts.

```sh
pytest -q tests/test_refund.py
```

*Not touched:* the receipts that were already written.
"""

CASES = {
    "EnterPlanMode": Case(
        {},
        f"Plan mode is on: read, search and think, but change nothing. The one file you may write is the plan: {_FILE}.",
        {"mode": "plan", "filePath": _FILE},
        "<tool_use_error>Plan mode is on already.</tool_use_error>",
        "validation",
        {"code": "in_plan"},
    ),
    "ExitPlanMode": Case(
        {"plan": _PLAN},
        "The user approved the plan. Plan mode is off; carry the plan out.",
        {"plan": _PLAN, "filePath": _FILE, "mode": "default", "isAgent": False, "isChanged": True},
        f"<tool_use_error>There is no plan yet. Write it to {_FILE}, as Markdown, then call this again.</tool_use_error>",
        "validation",
        {"code": "no_plan"},
    ),
}
