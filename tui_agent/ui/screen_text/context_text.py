"""What the context screen says of the parts of a request: groups, sizes, a bar, words. No widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.content import Content

from tui_agent.text import clean, clean_line
from tui_agent.viewkit.tool_text import count, tokens

if TYPE_CHECKING:
    from tui_agent.queries import ContextPart, ContextReport
    from tui_agent.queries.session import PartKind

__all__ = ["GROUPS", "ContextGroup", "bar", "details", "legend", "listed", "share", "tokens", "total"]

_FREE: Final = "·"


@dataclass(frozen=True, slots=True)
class ContextGroup:
    """Parts of some kinds, under one name, with the sign and the colour that they have in the bar."""

    name: str
    kinds: tuple[PartKind, ...]
    sign: str
    style: str

    def tokens(self, report: ContextReport) -> int:
        """About how many tokens its parts have."""
        return sum(report.of(kind) for kind in self.kinds)


# The signs differ, as colours alone would say nothing to some.
GROUPS: Final = (
    ContextGroup("system prompt", ("system",), "█", "$foreground-muted"),
    ContextGroup("tools", ("tool",), "▓", "$text-secondary"),
    ContextGroup("memory and notes", ("memory", "note"), "▒", "$text-accent"),
    ContextGroup("you", ("person",), "▚", "$text-primary"),
    ContextGroup("model", ("model", "thinking", "call"), "▞", "$text-success"),
    ContextGroup("results", ("result",), "░", "$text-warning"),
)
_KIND_WORDS: Final = {
    "system": "the instructions the model gets",
    "tool": "a tool's description and input schema",
    "memory": "a memory file",
    "note": "a note from tui-agent",
    "person": "your message",
    "model": "the model's words",
    "thinking": "the model's thinking, sent back",
    "call": "a tool use, with its input",
    "result": "a tool's result",
}


def share(part: int, whole: int) -> str:
    """Return a share as people read it: `31%`, `<1%`."""
    percent = 100 * part / whole if whole else 0.0
    return "<1%" if 0 < percent < 1 else f"{round(percent)}%"


def total(report: ContextReport, reported: int, size: int | None) -> Content:
    """Return how full the context is: as the API counted it last, where it has, and as the parts are estimated."""
    window = f" of {size:,}" if size else ""
    about = f"about {report.tokens:,} tokens{'' if reported else window} by estimate of its parts"
    if not reported:
        return Content.assemble(("no reply has been counted yet; ", "$foreground-muted"), about)
    counted = f"{reported:,} tokens{window}" + (f", {share(reported, size)}" if size else "")
    return Content.assemble((counted, "bold"), ", as counted with the last reply; ", (about, "$foreground-muted"))


def bar(report: ContextReport, size: int | None, width: int) -> Content:
    """Return a bar of `width` columns: each group by its share of the context, and what is free."""
    whole = max(size or 0, report.tokens, 1)
    pieces: list[Content] = []
    used = shown = 0
    for group in GROUPS:
        used += group.tokens(report)
        cells = round(width * used / whole) - shown  # by sums: what is rounded off one group is not lost
        shown += cells
        pieces.append(Content.styled(group.sign * cells, group.style))
    return Content("").join([*pieces, Content.styled(_FREE * (width - shown), "$foreground-muted")])


def legend(report: ContextReport, size: int | None, width: int) -> Content:
    """Return what the signs of the bar mean, with sizes, wrapped between entries."""
    whole = max(size or 0, report.tokens, 1)
    entries = [
        Content.assemble(
            (f"{group.sign} ", group.style),
            f"{group.name} {tokens(number)} ",
            (share(number, whole), "$foreground-muted"),
        )
        for group in GROUPS
        if (number := group.tokens(report))
    ]
    if size and size > report.tokens:
        free = size - report.tokens
        entries.append(Content.styled(f"{_FREE} free {tokens(free)} {share(free, whole)}", "$foreground-muted"))
    lines: list[Content] = []
    for entry in entries:
        if lines and lines[-1].cell_length + 3 + entry.cell_length <= width:
            lines[-1] = Content.assemble(lines[-1], "   ", entry)
        else:
            lines.append(entry)
    return Content("\n").join(lines)


def listed(report: ContextReport, *, by_size: bool) -> Sequence[ContextPart]:
    """Return the parts to be listed, without the single tools: largest first, or as the model gets them."""
    parts = [part for part in report.parts if part.kind != "tool"]
    return sorted(parts, key=lambda part: -part.tokens) if by_size else parts


def line(part: ContextPart, title: str, whole: int, room: int) -> Content:
    """Return a part in one line: size, share, and what it is; `title` where somebody knows better than its own words."""
    words = clean_line(title or f"{part.name}  {' '.join(clean(part.words).split())}".strip(), 400)
    style = "$foreground-muted" if part.is_short else ""
    mark = " (dropped or trimmed)" if part.is_short else ""
    kind = {"result": "result", "call": "call"}.get(part.kind, "")
    return Content.assemble(
        (f"{tokens(part.tokens):>6} {share(part.tokens, whole):>4}  ", ""),
        (f"{kind}  " if kind else "", "$foreground-muted"),
        (words, style),
        (mark, "$text-warning"),
    ).truncate(room, ellipsis=True)


def details(part: ContextPart, whole: int) -> Content:
    """Return all there is to say of a part."""
    head = (
        f"{_KIND_WORDS[part.kind]} · about {count(part.tokens, 'token')}, {share(part.tokens, whole)} of what is sent"
    )
    lines = [Content.styled(head, "$foreground-muted")]
    if part.kind == "result":
        told = (
            "It has been dropped: the model gets a note in its place."
            if part.is_short
            else "d drops it: the model gets a note that says where it is kept; this conversation still shows it."
        )
        lines.append(Content.styled(told, "$foreground-muted"))
    if part.kind != "system":
        text = clean(part.words).strip()
        lines += [Content(""), Content(text + ("…" if len(part.words) >= 300 else ""))]
    return Content("\n").join(lines)
