"""Changes to review, and what a user does and sees while reviewing them."""

from __future__ import annotations

from typing import Any

from dialog_app import screen_text
from textual.pilot import Pilot

from tui_agent.changes import FileChange
from tui_agent.permissions.verdict import Decision
from tui_agent.review_comments import LineComment
from tui_agent.ui.widgets.review_editors import CommentEditor

BEFORE = "".join(f"line {number}\n" for number in range(1, 41))
AFTER = (
    BEFORE.replace("line 3\n", "line three\n")
    .replace("line 20\n", "line 20\nline 20 and a half\n")
    .replace("line 38\n", "")
)
CHANGE = FileChange.between("/w/cart/refund.py", BEFORE, AFTER, before_hash="h")
OTHER = FileChange.between("/w/cart/tax.py", "a\nb\n", "A\nb\n", before_hash="h2")
FRESH = FileChange.between("/w/cart/new.py", None, "x = 1\n")
DENY = Decision(behavior="deny")


def flowing(pilot: Pilot[Any]) -> str:
    """Return what is on the screen as if its lines were one."""
    return " ".join(screen_text(pilot).replace("│", " ").split())


async def written(pilot: Pilot[Any], text: str) -> None:
    """Write a comment on the current line."""
    await pilot.press("c")
    pilot.app.screen.query_one(CommentEditor).load_text(text)
    await pilot.press("enter")
    await pilot.pause()


def on_line(line: int, text: str, quote: str, **fields: Any) -> LineComment:
    return LineComment(path=CHANGE.path, line=line, quote=quote, text=text, **({"side": "new"} | fields))
