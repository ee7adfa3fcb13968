"""The tools that find files and list folders."""

from __future__ import annotations

from typing import Any

from recording import SHOP
from tool_case import Case


def _entry(depth: int, name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "depth": depth, **more}


CASES = {
    "Glob": Case(
        {"pattern": "**/*refund*", "path": SHOP},
        "shop/refund.py\ntests/test_refund.py",
        {
            "filenames": ["shop/refund.py", "shop/refund_policy.md", "tests/test_refund.py", ".refunds.toml"],
            "numFiles": 4,
            "truncated": True,
            "moreEntries": 1204,
            "timedOut": False,
            "durationMs": 84,
        },
        "<tool_use_error>The search failed. error parsing glob '**/*.{py': unclosed alternate group; missing '}'"
        "</tool_use_error>",
        progress={"message": "12,410 files so far · docs/2024/refunds/march.md"},
        suggestions=("Read(//home/dev/archive/**)",),
    ),
    "LS": Case(
        {"path": SHOP, "ignore": ["*.svg", "docs/"]},
        f"{SHOP}/\n  shop/\n",
        {
            "path": SHOP,
            "entries": [
                _entry(0, "assets", "folder", files=1480),
                _entry(0, "shop", "folder"),
                _entry(1, "__init__.py", "file", size=0),
                _entry(1, "refund.py", "file", size=1733),
                _entry(0, "spool", "folder", files=0),
                _entry(0, "tests", "folder"),
                _entry(1, "test_refund.py", "file", size=20_480),
                _entry(0, "AGENTS.md", "link", target="CLAUDE.md"),
                _entry(0, "prices.sqlite", "file", size=48_500_000),
                _entry(0, "wake.pipe", "other"),
            ],
            "truncated": True,
            "moreEntries": 1480,
            "timedOut": False,
        },
        f"<tool_use_error>{SHOP}/shpo cannot be searched: No such file or directory. Did you mean {SHOP}/shop?"
        "</tool_use_error>",
        "validation",
        {"code": "missing"},
        progress={"message": "31,977 files so far"},
        suggestions=("Read(//home/dev/archive/**)",),
    ),
}
