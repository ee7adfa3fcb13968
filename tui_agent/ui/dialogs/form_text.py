"""The words round a form: its tabs, the answers to look over, the keys that count now, what is wrong with an answer."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from tui_agent.text import clean, clean_line, reveal
from tui_agent.tools.forms import FormField
from tui_agent.ui.form_draft import FormDraft
from tui_agent.ui.transcript.clickable import clickable

__all__ = ["AGAIN", "WORDS_KEYS", "answers_so_far", "keys_for", "tabs", "worded"]

AGAIN: Final = "Esc again closes this without an answer."
WORDS_KEYS: Final = "enter sends this instead of an answer · esc goes back"


def tabs(draft: FormDraft, width: int) -> Content:
    """Return a tab for each question and the last page: answered or not by the box, the one that is seen in a frame.

    Where `width` is too small for all, only the one that is seen, and how many there are.
    """
    fields = draft.form.fields
    names = [
        f"{'☐' if draft.answer(field) is None else '☑'} {clean_line(field.header or field.question, 12)}"
        for field in fields
    ]
    made = []
    for number, name in enumerate([*names, "Send"]):
        is_here = number == draft.page
        words = Content.styled(f"[{name}]" if is_here else f" {name} ", "bold" if is_here else "$foreground-muted")
        made.append(clickable(words, "screen.show_page", number))
    line = Content(" ").join(made)
    if line.cell_length > width > 0:
        return Content.assemble(made[draft.page], f" {draft.page + 1} of {len(made)}")
    return line


def answers_so_far(draft: FormDraft) -> Content:
    """Return every question with its answer; a click goes to it."""
    lines = []
    for number, field in enumerate(draft.form.fields):
        answer = draft.answer(field)
        said = "; ".join(map(reveal, [answer] if isinstance(answer, str) else answer or ()))
        asked = Content.styled(clean(field.question).strip(), "$foreground-muted")
        given = Content(f"→ {said}") if said else Content.styled("→ not answered yet", "$text-warning")
        lines.append(clickable(Content.assemble(f"{number + 1} ", asked, "\n  ", given), "screen.show_page", number))
    return Content("\n").join(lines)


def keys_for(draft: FormDraft, field: FormField | None, *, is_sheet: bool) -> str:
    """Return the keys that count in `field` (None: on what sends the form)."""
    is_alone = len(draft.form.fields) == 1 and not is_sheet
    parts = ["enter send" if field is None else "enter select" if is_alone else "enter next"]
    if field is not None and field.options:
        parts = ["↑↓ choose", *(["space mark"] if field.is_multiple else []), *parts]
    if not is_alone:
        parts.append("tab other fields" if is_sheet else "tab other questions")
    if draft.form.takes_words:
        parts.append("w own words")
    return " · ".join([*parts, "esc close"])


def worded(problem: str, field: FormField) -> str:
    """Return a problem as it helps here: of a choice of several, people forget to mark."""
    return f"{problem} Space marks one." if problem and field.is_multiple and field.options else problem
