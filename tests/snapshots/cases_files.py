"""The tools that write files."""

from __future__ import annotations

from recording import CHANGE, REFUND, SHOP
from tool_case import Case

from tui_agent.changes import FileChange

LOG = '''\
"""What was refunded, one line for each refund."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True)
class Refund:
    """A refund that was paid."""

    order: str
    amount: Decimal
    paid: date

    def as_line(self) -> str:
        """Return it as one line of the log."""
        return f"{self.paid.isoformat()}\\t{self.order}\\t{self.amount}"
'''
MONEY = '''\
"""Amounts of money."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def to_cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)
'''
EXACT = MONEY.replace("def to_cents", "def round_to_cents").replace(
    "    return amount", '    """Round an amount that is paid."""\n    return amount'
)
IMPORT, RENAMED_IMPORT = "from shop.money import to_cents", "from shop.money import to_cents as round_to_cents"
RENAMED = REFUND.replace(IMPORT, RENAMED_IMPORT)
MULTI = {
    "edits": [
        {
            "file_path": f"{SHOP}/shop/money.py",
            "edits": [
                {"old_string": "def to_cents", "new_string": "def round_to_cents"},
                {
                    "start_line": 9,
                    "new_string": '    """Round an amount that is paid."""\n    return amount.quantize(CENT, ROUND_HALF_UP)',
                },
            ],
        },
        {
            "file_path": f"{SHOP}/shop/refund.py",
            "edits": [{"old_string": IMPORT, "new_string": RENAMED_IMPORT}],
        },
        {"file_path": f"{SHOP}/docs/rounding.md", "edits": [{"old_string": "", "new_string": "Rounded once.\n"}]},
    ]
}
CHANGES = (
    FileChange.between(f"{SHOP}/shop/money.py", MONEY, EXACT, before_hash="1" * 64),
    FileChange.between(CHANGE.path, REFUND, RENAMED, before_hash="0" * 64),
    FileChange.between(f"{SHOP}/docs/rounding.md", None, "Rounded once.\n"),
)

CASES = {
    "MultiEdit": Case(
        MULTI,
        "All 3 files have been written.",
        {"filePath": CHANGES[0].path, "files": []},
        "<tool_use_error>Edit 1 of 2: old_string was not found in /home/dev/src/shop/shop/money.py. Read the file again and"
        " copy the text exactly as it is. No file was changed.</tool_use_error>",
        "validation",
        {"code": "not_found"},
        changes=CHANGES,
        suggestions=("Edit(/shop/**)",),
    ),
    "Write": Case(
        {"file_path": f"{SHOP}/shop/refund_log.py", "content": LOG},
        f"Made the new file {SHOP}/shop/refund_log.py with {LOG.count(chr(10))} lines.",
        {"filePath": f"{SHOP}/shop/refund_log.py"},
        f"<tool_use_error>{SHOP}/shop/refund_log.py was not read yet. Read it first, then write it.</tool_use_error>",
        "validation",
        {"code": "not_read"},
        changes=(FileChange.between(f"{SHOP}/shop/refund_log.py", None, LOG),),
        suggestions=("Edit(/shop/**)",),
    ),
}
